"""The trajectory reward (paper section 2.5): seven scores, each by rule where a rule can tell.

Understanding (QU, TCU) can't be read off by a rule: those scores abstain, and the mean is over the rest, with its
coverage beside it. A round is judged by what stood before it, never by what came after.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from astra.errors import Rejected
from astra.model import (
    Answer,
    Failure,
    Message,
    Noun,
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

_FACT = re.compile(r"https?://[^\s\"'<>)]+|\b\d{4}-\d{2}-\d{2}\b|\b(?=[\w-]*\d)(?=[\w-]*[a-zA-Z])[\w-]{3,}\b")
_NO_RULE = "no rule can tell understanding; a language-model judge can"


class JudgeConfig(Noun):
    """What a trajectory must reach to be kept."""

    min_mean: float = 0.8  # of the scores that were given
    min_coverage: float = 0.5  # share of the seven that were given
    min_final_answer: float = 0.6  # an answer that gives up without cause has no more than half


@dataclass(frozen=True)
class _Round:
    """The calls of one assistant turn, with all that stood before it."""

    calls: tuple[ToolCall, ...]
    seen: tuple[Observation, ...]  # answers to earlier rounds
    answers: tuple[Observation, ...]  # answers to this one


async def judge(task: Task, trajectory: Trajectory, config: JudgeConfig) -> Trajectory:
    """The trajectory with its scores.

    Raises:
        Rejected: too little could be scored, or the mean is too low.
    """
    scores = score_trajectory(task, trajectory)
    mean = scores.mean
    if mean is None or scores.coverage < config.min_coverage:
        raise Rejected("coverage-too-low", f"only {scores.coverage:.2f} of the scores could be given")
    if mean < config.min_mean:
        lost = [f"{name} {part.value:.2f}" for name, part in scores.parts.items() if part.value not in (None, 1.0)]
        raise Rejected("score-too-low", f"mean {mean:.2f} is below {config.min_mean:.2f} ({', '.join(lost)})")
    final = scores.parts["final_answer"]
    if final.value is not None and final.value < config.min_final_answer:
        raise Rejected("final-answer-too-low", final.why)
    return trajectory.model_copy(update={"scores": scores})


def score_trajectory(task: Task, trajectory: Trajectory) -> Scores:
    """QU, QP, TCU, TCP, TCS, TC and FA of section 2.5, in this order."""
    rounds = list(_rounds(trajectory))
    schemas = {document["function"]["name"]: document["function"]["parameters"] for document in trajectory.tools}
    judged = _Judged(task, rounds, schemas)
    return Scores(
        parts={
            "query_understanding": abstained(_NO_RULE),
            "query_planning": judged.query_planning(),
            "tool_response_understanding": abstained(_NO_RULE),
            "tool_response_planning": judged.response_planning(),
            "tool_call_status": judged.call_status(),
            "conciseness": judged.conciseness(),
            "final_answer": _final_answer(task, trajectory),
        }
    )


def _rounds(trajectory: Trajectory) -> Iterator[_Round]:
    answers = {observation.call_id: observation for observation in trajectory.observations}
    seen: tuple[Observation, ...] = ()
    for message in trajectory.messages:
        if message.tool_calls:
            given = tuple(answers[call.id] for call in message.tool_calls if call.id in answers)
            yield _Round(message.tool_calls, seen, given)
            seen = (*seen, *given)


class _Judged:
    def __init__(self, task: Task, rounds: Sequence[_Round], schemas: dict[str, Any]) -> None:
        self._task = task
        self._rounds = rounds
        self._schemas = schemas

    def query_planning(self) -> Score:
        """1: the first turn calls what the request needs first, with values it states. 0.5: a later target."""
        if not self._rounds:
            return scored(0.0, "no call was made")
        first = self._rounds[0]
        if any(call.name not in self._task.tools or self._invented(call, first) for call in first.calls):
            return scored(0.0, "the first turn calls what the request does not ask for, or with values of its own")
        if first.calls[0].name != self._task.tools[0]:
            return scored(0.5, "the first turn starts with a later step")
        return scored(1.0, "the first turn starts with the first step")

    def response_planning(self) -> Score:
        """Mean over rounds j >= 2: 1 for a step that is due, with values that are known; 0.5 for one out of turn."""
        values = [self._planned(current) for current in self._rounds[1:]]
        if not values:
            return abstained("there is no second round of calls")
        return scored(sum(values) / len(values), f"{len(values)} rounds after the first")

    def _planned(self, current: _Round) -> float:
        done = {observation.tool for observation in current.seen if observation.ok}
        due = next((tool for tool in self._task.tools if tool not in done), None)
        if any(self._invented(call, current) for call in current.calls):
            return 0.0
        if all(call.name == due or (call.name in self._task.tools and call.name not in done) for call in current.calls):
            return 1.0 if current.calls[0].name == due else 0.5
        return 0.0

    def call_status(self) -> Score:
        """(1/n) sum S_i: the share of calls that succeeded; a failed call is 0."""
        answers = [answer for current in self._rounds for answer in current.answers]
        calls = sum(len(current.calls) for current in self._rounds)
        if not calls:
            return scored(0.0, "no call was made")
        return scored(sum(answer.ok for answer in answers) / calls, f"{calls} calls")

    def conciseness(self) -> Score:
        """Share of calls that were necessary and not redundant."""
        verdicts = [(call, self._wasted(call, current)) for current in self._rounds for call in current.calls]
        if not verdicts:
            return scored(0.0, "no call was made")
        wasted = [f"{call.name}: {why}" for call, why in verdicts if why]
        return scored(1 - len(wasted) / len(verdicts), "; ".join(wasted) or f"{len(verdicts)} calls, none wasted")

    def _wasted(self, call: ToolCall, current: _Round) -> str | None:
        """Why a call was not worth making; None if it was. Trying again what may pass is fine."""
        if call.name not in self._schemas:
            return "no such tool"
        answer = next((answer for answer in current.answers if answer.call_id == call.id), None)
        if answer is not None and answer.failure in (Failure.MALFORMED, Failure.BAD_ARGUMENTS):
            return "malformed arguments"
        if call.name not in self._task.tools:
            return "not asked for"
        if self._invented(call, current):
            return "invented arguments"
        return self._repeated(call, current)

    def _repeated(self, call: ToolCall, current: _Round) -> str | None:
        before = {answer.call_id: answer for answer in current.seen}
        wanted = self._task.tools.count(call.name)
        for earlier in self._rounds:
            for past in earlier.calls:
                answer = before.get(past.id)
                if answer is None or past.name != call.name or _arguments(past) != _arguments(call):
                    continue
                if answer.ok and wanted < 2:
                    return "reads again what is known"
                if not answer.ok and answer.failure is not Failure.TRANSIENT:
                    return "tries again what failed for good"
        return None

    def _invented(self, call: ToolCall, current: _Round) -> bool:
        """Whether some value of the arguments stands neither in the request, nor in a result, nor in the document."""
        arguments = _arguments(call)
        if not isinstance(arguments, dict):
            return True
        schema_values = list(offered(self._schemas.get(call.name, {})))
        return any(
            not mentions(self._task.request, leaf)
            and not holds(schema_values, leaf)
            and not any(holds(seen.result, leaf) or mentions(seen.content, leaf) for seen in current.seen)
            for leaf in leaves(arguments)
        )


def _final_answer(task: Task, trajectory: Trajectory) -> Score:
    """(correctness + summary) / 2: states what the last step returned; states nothing that no one said."""
    last: Message = trajectory.messages[-1]
    if last.role != "assistant" or not last.content:
        return scored(0.0, "the episode ends without an answer")
    wanted = next((o for o in reversed(trajectory.observations) if o.ok and o.tool == task.tools[-1]), None)
    if wanted is None:
        honest = any(not o.ok and o.content[:40] in last.content for o in trajectory.observations[-1:])
        correctness, why = (0.5, "says why it failed") if honest else (0.0, "the last step never succeeded")
    else:
        facts = [line for leaf in leaves(wanted.result) for line in _lines(leaf)]
        stated = not facts or any(mentions(last.content, fact) for fact in facts)
        correctness, why = (1.0, "states what came back") if stated else (0.0, "does not state what came back")
    supported = _supported(last.content, task, trajectory)
    return scored((correctness + supported) / 2, f"{why}; {supported:.2f} of its facts are supported")


def _lines(leaf: Answer) -> list[Answer]:
    """A scalar of a result as what an answer may state of it: of a long text, a line."""
    return [line for line in leaf.splitlines() if line.strip()] if isinstance(leaf, str) else [leaf]


def _supported(answer: str, task: Task, trajectory: Trajectory) -> float:
    """Share of the numbers, dates, addresses and identifiers in an answer that the request or a result holds."""
    sources = [task.request, *(observation.content for observation in trajectory.observations)]
    facts: list[str | float] = [*_FACT.findall(answer), *numbers(answer)]
    steps = {float(count) for count in range(1, len(task.plan) + 1)}  # "in 3 steps"
    facts = [fact for fact in facts if fact not in steps]
    known = [any(mentions(source, fact) or str(fact) in source for source in sources) for fact in facts]
    return sum(known) / len(known) if known else 1.0


def _arguments(call: ToolCall) -> Any:
    """The arguments as a value, for comparing; the raw text if it is no JSON."""
    try:
        return json.loads(call.arguments)
    except (ValueError, RecursionError):
        return call.arguments
