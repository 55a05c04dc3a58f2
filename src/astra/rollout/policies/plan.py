"""A policy that follows a task's plan: the oracle of road 1."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from astra.errors import PolicyFailed
from astra.model import FromStep, FromTask, Message, Task, Tool, ToolCall, canonical_json
from astra.model.matching import leaves

TRIES = 3  # of one call whose failure may pass
_PASSING = re.compile(r"(?i)timed? ?out|unreachable|unavailable|connection reset|try again|too many requests")
_SHOWN = 4  # values of the last result that the answer states


class _ValueMissing(Exception):
    """A result does not hold the value that the next step needs."""


class PlanPolicy:
    """Issues a plan's calls with what earlier results hold, retries what may pass, and reports what came back.

    It sees no more than any policy sees: the messages. Steps that need no order are called in one turn.
    """

    name = "oracle"

    def __init__(self, task: Task) -> None:
        self._plan = task.plan
        self._parallel = task.parallel

    async def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        results: dict[int, str] = {}
        tries: dict[int, int] = {}
        for steps, answers in self._turns(messages):
            for number, content in zip(steps, answers, strict=True):
                tries[number] = tries.get(number, 0) + 1
                if not _failed(content):
                    results[number] = content
                elif not _PASSING.search(content) or tries[number] == TRIES:
                    return _said(f"I could not finish: {self._plan[number].tool} failed with: {_clipped(content)}")
        pending = self._next(results)
        if not pending:
            return _said(self._report(results))
        schemas = {tool.name: tool for tool in tools}
        try:
            calls = tuple(self._call(number, results, schemas) for number in pending)
        except _ValueMissing as error:
            return _said(f"I could not finish: {error}")
        return Message(role="assistant", tool_calls=calls)

    def _next(self, results: dict[int, str]) -> list[int]:
        """The steps to call now."""
        missing = [number for number in range(len(self._plan)) if number not in results]
        return missing if self._parallel else missing[:1]

    def _turns(self, messages: Sequence[Message]) -> Iterator[tuple[list[int], list[str]]]:
        """The steps called in each turn so far with the answers to them: replayed, for a policy keeps no memory."""
        answered: dict[int, str] = {}
        contents = {m.tool_call_id: m.content or "" for m in messages if m.role == "tool"}
        for message in messages:
            if message.role != "assistant":
                continue
            steps = self._next(answered)
            answers = [contents.get(call.id, "") for call in message.tool_calls]
            if len(answers) != len(steps):
                raise PolicyFailed("the messages are not of an episode that followed this plan")
            yield steps, answers
            answered.update({s: content for s, content in zip(steps, answers, strict=True) if not _failed(content)})

    def _call(self, number: int, results: dict[int, str], tools: dict[str, Tool]) -> ToolCall:
        planned = self._plan[number]
        arguments = {}
        for name, source in planned.arguments.items():
            schema = tools[planned.tool].properties.get(name, {}) if planned.tool in tools else {}
            arguments[name] = _resolved(source, results, str(schema.get("type")))
        return ToolCall(id="", name=planned.tool, arguments=canonical_json(arguments))

    def _report(self, results: dict[int, str]) -> str:
        if not results:
            return "There was nothing to do."
        parts = []
        for number in sorted(results) if self._parallel else [max(results)]:
            value = _structured(results[number])
            facts = "; ".join(_facts(value)) if isinstance(value, dict | list) else _clipped(str(value))
            parts.append(f"{self._plan[number].tool} returned {facts or 'an empty result'}.")
        done = f"Done in {len(self._plan)} steps. " if len(self._plan) > 1 and not self._parallel else ""
        return done + " ".join(parts)


def _said(text: str) -> Message:
    return Message(role="assistant", content=text)


def _clipped(text: str, length: int = 300) -> str:
    return text if len(text) <= length else text[:length] + "..."


def _structured(content: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return content


def _failed(content: str) -> bool:
    value = _structured(content)
    return (isinstance(value, dict) and bool(value.get("error"))) or content.startswith("Error")


def _facts(value: Any, name: str = "") -> list[str]:
    """`name value` of the first few scalars."""
    if isinstance(value, dict):
        found = [fact for key, part in value.items() for fact in _facts(part, key)]
    elif isinstance(value, list):
        found = [fact for part in value for fact in _facts(part, name)]
    else:
        found = [] if value is None else [f"{name} {value}".strip()]
    return found[:_SHOWN]


def _resolved(source: FromTask | FromStep, results: dict[int, str], kind: str) -> Any:
    """The argument's value, as the type that the parameter asks for."""
    if isinstance(source, FromTask):
        return source.value
    content = results.get(source.step, "")
    found: Any = None
    if source.field is not None:
        field = source.field.removesuffix("[]") if kind == "array" else source.field
        path = field.replace("[]", ".[]").strip(".").split(".")
        found = next((value for value in _at(_structured(content), path) if value not in (None, [], {})), None)
    elif source.pattern is not None and (match := re.search(source.pattern, content)):
        found = next((group.strip() for group in match.groups() if group), None)
    if found is None:
        raise _ValueMissing(f"step {source.step + 1} did not return {source.field or 'a value'} for the next one")
    return _as(found, kind)


def _at(value: Any, path: Sequence[str]) -> Iterator[Any]:
    """What stands at a path; `[]` goes through the elements in order."""
    if not path or path == [""]:
        yield value
    elif path[0] == "[]":
        for part in value if isinstance(value, list) else ():
            yield from _at(part, path[1:])
    elif isinstance(value, dict) and path[0] in value:
        yield from _at(value[path[0]], path[1:])


def _as(value: Any, kind: str) -> Any:
    if kind == "array":
        return value if isinstance(value, list) else [value]
    if kind != "object" and isinstance(value, list | dict):
        value = next(iter(leaves(value)), None)
    if kind == "string":
        return str(value)
    if kind in ("integer", "number") and isinstance(value, str):
        try:
            return int(value) if kind == "integer" else float(value)
        except ValueError:
            raise _ValueMissing(f"{value!r} is no number") from None
    return value
