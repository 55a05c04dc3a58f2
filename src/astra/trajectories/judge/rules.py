"""What rules can tell of a trajectory: scores where no judge is at hand, evidence for one who is.

A round is judged by what stood before it, never by what came after.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from astra.model import (
    Answer,
    Failure,
    Message,
    Observation,
    Score,
    Scores,
    Task,
    ToolCall,
    Trajectory,
    abstained,
    holds,
    mentions,
    scored,
)
from astra.model.matching import leaves, numbers, offered
from astra.teachers.grounded.actions import action
from astra.trajectories.language import same_language

_FACT = re.compile(r"https?://[^\s\"'<>)]+|\b\d{4}-\d{2}-\d{2}\b|\b(?=[\w-]*\d)(?=[\w-]*[a-zA-Z])[\w-]{3,}\b")
_READS = ("read", "list")  # what changes nothing
_NO_RULE = "no rule can tell understanding; a language-model judge can"


@dataclass(frozen=True)
class Round:
    """The calls of one assistant turn (parallel ones are one round), with all that stood before it."""

    place: int  # of the turn among the messages
    calls: tuple[ToolCall, ...]
    said: str  # by the user so far
    seen: tuple[Observation, ...]  # answers to earlier rounds
    answers: tuple[Observation, ...]  # answers to this one


def rounds_of(task: Task, trajectory: Trajectory) -> list[Round]:
    """The call rounds of a trajectory."""
    answers = {observation.call_id: observation for observation in trajectory.observations}
    seen: tuple[Observation, ...] = ()
    said = task.request
    found: list[Round] = []
    for place, message in enumerate(trajectory.messages):
        if message.role == "user" and message.content and message.content != task.request:
            said = f"{said}\n{message.content}"
        if message.tool_calls:
            given = tuple(answers[call.id] for call in message.tool_calls if call.id in answers)
            found.append(Round(place, message.tool_calls, said, seen, given))
            seen = (*seen, *given)
    return found


@dataclass(frozen=True)
class Wasted:
    """A call that was not worth making."""

    call: ToolCall
    why: str
    certain: bool  # no judge can say otherwise


class Rules:
    """What rules find in one trajectory."""

    def __init__(self, task: Task, trajectory: Trajectory) -> None:
        self.rounds = rounds_of(task, trajectory)
        self._task = task
        self._trajectory = trajectory
        self._schemas = {
            document["function"]["name"]: document["function"]["parameters"] for document in trajectory.tools
        }

    def query_planning(self) -> Score:
        """1: the first turn calls what the request needs first, with values it states. 0.5: a later target."""
        if not self.rounds:
            return scored(0.0, "no call was made")
        first = self.rounds[0]
        if any(call.name not in self._task.tools or self.invented(call, first) for call in first.calls):
            return scored(0.0, "the first turn calls what the request does not ask for, or with values of its own")
        if first.calls[0].name != self._task.tools[0]:
            return scored(0.5, "the first turn starts with a later step")
        return scored(1.0, "the first turn starts with the first step")

    def response_planning(self) -> Score:
        """Mean over rounds j >= 2: 1 for a step that is due, with values that are known; 0.5 for one out of turn."""
        values = [self._planned(current) for current in self.rounds[1:]]
        if not values:
            return abstained("there is no second round of calls")
        return scored(sum(values) / len(values), f"{len(values)} rounds after the first")

    def _planned(self, current: Round) -> float:
        done = {observation.tool for observation in current.seen if observation.ok}
        due = next((tool for tool in self._task.tools if tool not in done), None)
        if any(self.invented(call, current) for call in current.calls):
            return 0.0
        if all(call.name == due or (call.name in self._task.tools and call.name not in done) for call in current.calls):
            return 1.0 if current.calls[0].name == due else 0.5
        return 0.0

    def call_status(self) -> Score:
        """(1/n) sum S_i: the share of calls that succeeded; a failed call is 0."""
        answers = [answer for current in self.rounds for answer in current.answers]
        calls = sum(len(current.calls) for current in self.rounds)
        if not calls:
            return scored(0.0, "no call was made")
        return scored(sum(answer.ok for answer in answers) / calls, f"{calls} calls")

    def conciseness(self) -> Score:
        """Share of calls that were necessary and not redundant."""
        calls = sum(len(current.calls) for current in self.rounds)
        if not calls:
            return scored(0.0, "no call was made")
        found = self.wasted()
        why = "; ".join(f"{one.call.name}: {one.why}" for one in found)
        return scored(1 - len(found) / calls, why or f"{calls} calls, none wasted")

    def wasted(self) -> list[Wasted]:
        """The calls that were not worth making."""
        verdicts = (self._wasted(call, current) for current in self.rounds for call in current.calls)
        return [verdict for verdict in verdicts if verdict is not None]

    def _wasted(self, call: ToolCall, current: Round) -> Wasted | None:
        """Trying again what may pass is fine."""
        if call.name not in self._schemas:
            return Wasted(call, "no such tool", certain=True)
        answer = next((answer for answer in current.answers if answer.call_id == call.id), None)
        if answer is not None and answer.failure in (Failure.MALFORMED, Failure.BAD_ARGUMENTS):
            return Wasted(call, "malformed arguments", certain=True)
        if call.name not in self._task.tools:
            return Wasted(call, "not asked for", certain=False)
        if invented := self.invented(call, current):
            return Wasted(call, f"invented arguments: {invented[0]!r}", certain=False)
        return self._repeated(call, current)

    def _repeated(self, call: ToolCall, current: Round) -> Wasted | None:
        before = {answer.call_id: (place, answer) for place, answer in enumerate(current.seen)}
        wanted = self._task.tools.count(call.name)
        for earlier in self.rounds:
            for past in earlier.calls:
                if past.id not in before or past.name != call.name or _arguments(past) != _arguments(call):
                    continue
                place, answer = before[past.id]
                changed = any(one.ok and action(one.tool).kind not in _READS for one in current.seen[place + 1 :])
                if answer.ok and wanted < 2 and not changed:
                    return Wasted(call, "reads again what is known", certain=True)
                if not answer.ok and answer.failure is not Failure.TRANSIENT:
                    return Wasted(call, "tries again what failed for good", certain=True)
        return None

    def invented(self, call: ToolCall, current: Round) -> list[Answer]:
        """Values of the arguments that stand neither with the user, nor in a result, nor in the document."""
        arguments = _arguments(call)
        if not isinstance(arguments, dict):
            return [call.arguments]
        schema_values = list(offered(self._schemas.get(call.name, {})))
        return [
            leaf
            for leaf in leaves(arguments)
            if not mentions(current.said, leaf)
            and not holds(schema_values, leaf)
            and not any(holds(seen.result, leaf) or mentions(seen.content, leaf) for seen in current.seen)
        ]

    def final_answer(self) -> Score:
        """(correctness + summary) / 2: states what the last step returned; states nothing that no one said."""
        answer = self.answer
        if answer is None:
            return scored(0.0, "the episode ends without an answer")
        observations = self._trajectory.observations
        if self.other_language():
            return scored(0.0, "the answer is in another language than the request")
        wanted = next((o for o in reversed(observations) if o.ok and o.tool == self._task.tools[-1]), None)
        if wanted is None:
            honest = any(not o.ok and o.content[:40] in answer for o in observations[-1:])
            correctness, why = (0.5, "says why it failed") if honest else (0.0, "the last step never succeeded")
        else:
            facts = [line for leaf in leaves(wanted.result) for line in _lines(leaf)]
            stated = not facts or any(mentions(answer, fact) for fact in facts)
            correctness, why = (1.0, "states what came back") if stated else (0.0, "does not state what came back")
        facts = self._facts()
        supported = 1 - len(self.unsupported()) / len(facts) if facts else 1.0
        return scored((correctness + supported) / 2, f"{why}; {supported:.2f} of its facts are supported")

    @property
    def answer(self) -> str | None:
        """The final answer; None if the episode ends without one."""
        last: Message = self._trajectory.messages[-1]
        return last.content if last.role == "assistant" and not last.tool_calls and last.content else None

    def other_language(self) -> bool:
        return self.answer is not None and not same_language(self._task.request, self.answer)

    def _facts(self) -> list[Answer]:
        """Numbers, dates, addresses and identifiers in the answer."""
        if self.answer is None:
            return []
        steps = {float(count) for count in range(1, len(self._task.plan) + 1)}  # "in 3 steps"
        return [fact for fact in (*_FACT.findall(self.answer), *numbers(self.answer)) if fact not in steps]

    def unsupported(self) -> list[Answer]:
        """Those of them that neither the user nor any observation holds."""
        said = [m.content or "" for m in self._trajectory.messages if m.role == "user"]
        sources = [self._task.request, *said, *(observation.content for observation in self._trajectory.observations)]
        return [
            fact
            for fact in self._facts()
            if not any(mentions(source, fact) or str(fact) in source for source in sources)
        ]

    def invented_addresses(self) -> list[str]:
        return [str(fact) for fact in self.unsupported() if str(fact).startswith(("http://", "https://"))]

    def evidence(self) -> list[str]:
        """What rules found, in sentences for a judge to read."""
        failures = [
            f"{one.call_id} ({one.tool}) failed: {one.failure.value}"
            for one in self._trajectory.observations
            if one.failure is not None
        ]
        wasted = [f"{one.call.id} ({one.call.name}): {one.why}" for one in self.wasted()]
        answer = ["the final answer is in another language than the request"] if self.other_language() else []
        answer += [
            f"no observation supports {str(fact)[:120]!r} in the final answer" for fact in self.unsupported()[:8]
        ]
        return [*failures, *wasted, *answer]

    def evidence_until(self, current: Round) -> list[str]:
        """The same of the calls of a round alone: nothing that only shows later."""
        found = (self._wasted(call, current) for call in current.calls)
        return [f"{one.call.id} ({one.call.name}): {one.why}" for one in found if one is not None]


def score_by_rule(task: Task, trajectory: Trajectory) -> Scores:
    """QU, QP, TCU, TCP, TCS, TC and FA of section 2.5, in this order, where no judge is at hand.

    Understanding (QU, TCU) can't be read off by a rule: those scores abstain.
    """
    rules = Rules(task, trajectory)
    return Scores(
        parts={
            "query_understanding": abstained(_NO_RULE),
            "query_planning": rules.query_planning(),
            "tool_response_understanding": abstained(_NO_RULE),
            "tool_response_planning": rules.response_planning(),
            "tool_call_status": rules.call_status(),
            "conciseness": rules.conciseness(),
            "final_answer": rules.final_answer(),
        }
    )


def _lines(leaf: Answer) -> list[Answer]:
    """A scalar of a result as what an answer may state of it: of a long text, a line."""
    return [line for line in leaf.splitlines() if line.strip()] if isinstance(leaf, str) else [leaf]


def _arguments(call: ToolCall) -> Any:
    """The arguments as a value, for comparing; the raw text if it is no JSON."""
    try:
        return json.loads(call.arguments)
    except (ValueError, RecursionError):
        return call.arguments
