"""Requests in plain English, with the calls that fulfil them."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from astra.errors import Rejected
from astra.model import Edge, Evidence, FromStep, FromTask, JsonObject, PlannedCall, Tool, ToolServer, seeded
from astra.model.words import identifier_words
from astra.teachers.grounded.actions import action, identified, label
from astra.teachers.grounded.values import example
from astra.teachers.questions import AugmentTask, TaskDraft, WriteTask

_MOST = 3  # tools of a task without a chain, as in the released code
_LONGEST = 160  # characters of a value that a person would still type

_OPENINGS = (
    "In {server}, please {first}.",
    "I'm working with {server}. Could you {first}?",
    "Using {server}: {first}.",
    "I need some help with {server}. Please {first}.",
)
_ALSOS = ("Also {step}.", "I need you to {step} as well.", "And {step}, too.")
_NEXTS = ("Then {step}.", "After that, {step}.", "Next, {step}.", "Once that is done, {step}.")
_CLOSINGS = (
    "Tell me what the last step returned.",
    "Let me know what comes back at the end.",
    "Report the final result to me.",
    "When you are done, tell me the outcome.",
)
_CONTEXTS = (
    "This is for the weekly report.",
    "A colleague asked me to look into this.",
    "I want to check something before the meeting.",
    "We are preparing the handover to the next shift.",
)
_CONDITIONS = (
    "Make no other calls than needed, and if one fails for a reason that may pass, try it once more.",
    "If any step fails for good, stop there and tell me which one and why.",
    "Keep the answer to two sentences, and quote identifiers exactly as they come back.",
)
_ABOUT_ME = ("So that you know who asks:", "A word about me:", "Please answer in a way that suits me:")


def write_task(question: WriteTask) -> TaskDraft:
    """A request for a chain, or for up to three tools of the server.

    Raises:
        Rejected: a required argument has no value that its schema admits.
    """
    rng = seeded(question.seed, "write-task")
    server = question.server
    if question.chain is not None:
        tools = [_tool(server, name) for name in question.chain.tools]
        edges: Sequence[Edge] = question.chain.edges
    else:
        count = question.targets or rng.randint(1, _MOST)
        tools = rng.sample(server.tools, min(len(server.tools), count))
        edges = ()
    plan = _Planner(server, rng).plan(tools, edges)
    parallel = question.chain is None and all(action(tool.called).kind in ("read", "list") for tool in tools)
    return TaskDraft(request=_request(server, tools, plan, rng, parallel=parallel), plan=tuple(plan), parallel=parallel)


def augment_task(question: AugmentTask) -> TaskDraft:
    """The same plan in other words; harder by a condition; or with a word on who asks.

    Raises:
        Rejected: `no-answer`: in another language than English.
    """
    if question.language != "en":
        raise Rejected("no-answer", f"the grounded teacher writes English, not {question.language!r}")
    rng = seeded(question.seed, "augment-task", question.axis)
    draft, server = question.draft, question.server
    request = draft.request
    if question.axis == "diversity":
        tools = [_tool(server, call.tool) for call in draft.plan]
        request = f"{rng.choice(_CONTEXTS)} {_request(server, tools, draft.plan, rng, parallel=draft.parallel)}"
    elif question.axis == "complexity":
        request = f"{request} {rng.choice(_CONDITIONS)}"
    elif question.persona is not None:
        request = f"{request} {rng.choice(_ABOUT_ME)} {question.persona}"
    return draft.model_copy(update={"request": request})


def _tool(server: ToolServer, name: str) -> Tool:
    tool = server.tool(name)
    if tool is None:
        raise Rejected("unknown-tool", f"the chain names {name}, which {server.name} has not")
    return tool


class _Planner:
    """Chooses where each argument comes from. The same parameter keeps the same value throughout a task."""

    def __init__(self, server: ToolServer, rng: random.Random) -> None:
        self._server = server
        self._rng = rng
        self._sources: dict[str, FromTask | FromStep] = {}  # by parameter name

    def plan(self, tools: Sequence[Tool], edges: Sequence[Edge]) -> list[PlannedCall]:
        calls: list[PlannedCall] = []
        for step, tool in enumerate(tools):
            fed = _best(edges[step - 1]) if 0 < step <= len(edges) else {}
            arguments = {name: self._source(tool, name, fed.get(name), step) for name in self._chosen(tool, fed)}
            calls.append(PlannedCall(tool=tool.name, arguments=arguments))
        return calls

    def _chosen(self, tool: Tool, fed: dict[str, Evidence]) -> list[str]:
        """Required parameters, those that the step before feeds, and now and then an optional one."""
        chosen = set(tool.required) | {name for name in fed if name in tool.properties}
        optional = [name for name in tool.properties if name not in chosen and self._askable(tool, name)]
        if optional and self._rng.random() < 0.4:
            chosen.add(self._rng.choice(optional))
        return [name for name in tool.properties if name in chosen]

    def _askable(self, tool: Tool, name: str) -> bool:
        """Whether a user would state this optional parameter: plain, and no identifier or page mark."""
        kinds = tool.properties[name].get("type")
        parts = identifier_words(name)
        technical = {"token", "marker", "dry", "client", "cursor", "page", "idempotency"}
        return kinds in ("string", "integer", "boolean") and identified(name) is None and not technical & set(parts)

    def _source(self, tool: Tool, name: str, evidence: Evidence | None, step: int) -> FromTask | FromStep:
        schema: JsonObject = tool.properties[name]
        if evidence is not None and evidence.kind != "shared-entity":
            found = FromStep(
                step=step - 1, field=evidence.field, pattern=None if evidence.field else _pattern(name, schema)
            )
            self._sources[name] = found
            return found
        kept = self._sources.get(name)
        if kept is not None:
            return kept
        made = FromTask(value=self._value(tool, name, schema))
        self._sources[name] = made
        return made

    def _value(self, tool: Tool, name: str, schema: JsonObject) -> Any:
        known = self._server.launch.values if self._server.launch is not None else {}
        for key in (f"{tool.called}.{name}", name):
            if key in known:
                return self._rng.choice(known[key])
        value = example(name, schema, self._rng)
        if value is None or len(json.dumps(value)) > _LONGEST:
            raise Rejected("no-value", f"no value that a user would state fits {tool.name}.{name}")
        return value


def _best(edge: Edge) -> dict[str, Evidence]:
    """The strongest evidence for each parameter that the edge feeds; a document's word before a guess."""
    best: dict[str, Evidence] = {}
    for evidence in sorted(edge.evidence, key=lambda one: (one.field is None, -one.weight)):
        if evidence.kind != "embedding" and evidence.parameter is not None:
            best.setdefault(evidence.parameter, evidence)
    return best


def _pattern(name: str, schema: JsonObject) -> str:
    """How to find a parameter's value in a result of unknown shape; the first group that matches is the value.

    It stands under the parameter's own name, else under its last word. In plain text it may also be a commit's hash, or
    a line that is a single word, as in a list of branches.
    """
    parts = identifier_words(name)
    joined, last = r"[\s_-]?".join(parts), parts[-1] if parts else "id"
    number = schema.get("type") in ("integer", "number")
    value = r"(-?\d+(?:\.\d+)?)" if number else r'([^",}\]\n]+)'
    named = rf'(?i:"?(?:{joined}|(?:\w+[\s_-])?{last})"?\s*[:=]\s*"?{value})'
    return named if number else rf"{named}|\b([0-9a-f]{{40}})\b|(?m:^ +([\w./-]+)$)"


def _request(
    server: ToolServer, tools: Sequence[Tool], plan: Sequence[PlannedCall], rng: random.Random, *, parallel: bool
) -> str:
    steps = [_step(server, tool, call, number) for number, (tool, call) in enumerate(zip(tools, plan, strict=True))]
    sentences = [rng.choice(_OPENINGS).format(server=server.name, first=steps[0])]
    sentences += [rng.choice(_ALSOS if parallel else _NEXTS).format(step=step) for step in steps[1:]]
    sentences.append("Tell me what each of them returns." if parallel and len(steps) > 1 else rng.choice(_CLOSINGS))
    return " ".join(sentences)


def _step(server: ToolServer, tool: Tool, call: PlannedCall, number: int) -> str:
    stated = [
        f"{label(name)} {_shown(source.value)}"
        for name, source in call.arguments.items()
        if isinstance(source, FromTask)
    ]
    carried = [
        f"the {label(name)} from {'the result' if source.step == number - 1 else f'step {source.step + 1}'}"
        for name, source in call.arguments.items()
        if isinstance(source, FromStep)
    ]
    details = " and ".join(part for part in (_listed(stated), _listed(carried)) if part)
    named = label(tool.called)
    named = named.removeprefix(f"{server.name.casefold()} ")  # git_show of git
    return f"{named} with {details}" if details else named


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1] if parts else "")))


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
