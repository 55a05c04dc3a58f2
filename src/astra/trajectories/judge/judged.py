"""The seven scores by a judge, with what rules found as evidence (paper section 2.5)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from astra.errors import Rejected
from astra.model import Message, Score, Scores, Task, Trajectory, abstained, failed, scored
from astra.teachers.questions import (
    AnswerJudgement,
    CallJudgements,
    JudgeAnswer,
    JudgeCalls,
    JudgeQuery,
    JudgeRound,
    QueryJudgement,
    Question,
    RoundJudgement,
    Teacher,
)
from astra.trajectories.judge.rules import Round, Rules

A = TypeVar("A", bound=BaseModel)

_ROUNDS = ("tool_response_understanding", "tool_response_planning")
_ONE_ROUND = "there is no second round of calls"


async def score_by_judge(judge: Teacher, task: Task, trajectory: Trajectory, *, seed: str) -> Scores:
    """QU, QP, TCU, TCP, TCS, TC and FA, in this order; an answer that can't be read is a failed score.

    Args:
        seed: tells judges apart.
    """
    rules = Rules(task, trajectory)
    tools = _tools(trajectory)
    messages = _shown(trajectory.messages)
    first = next((place for place, message in enumerate(messages) if message.role == "assistant"), len(messages) - 1)
    evidence = tuple(rules.evidence())
    at_first = tuple(rules.evidence_until(rules.rounds[0])) if rules.rounds else ()
    query, rounds, calls, answer = await asyncio.gather(
        _asked(judge, JudgeQuery(tools=tools, messages=messages[: first + 1], evidence=at_first, seed=seed)),
        score_rounds(judge, rules, trajectory, seed=seed),
        _asked(judge, JudgeCalls(tools=tools, messages=messages, evidence=evidence, seed=seed)),
        _asked(judge, JudgeAnswer(messages=messages, evidence=evidence, seed=seed)),
    )
    return Scores(
        parts={
            "query_understanding": _query(query, "understanding"),
            "query_planning": _query(query, "planning"),
            **rounds,
            "tool_call_status": rules.call_status(),
            "conciseness": _conciseness(rules, calls),
            "final_answer": _final_answer(rules, answer),
        }
    )


async def score_rounds(
    judge: Teacher, rules: Rules, trajectory: Trajectory, *, seed: str, hindsight: bool = False
) -> dict[str, Score]:
    """TCU and TCP: means over rounds j >= 2, each judged by the history up to it.

    Args:
        hindsight: show the judge what came after as well: another measure.
    """
    messages = _shown(trajectory.messages)
    skipped = len(trajectory.messages) - len(messages)

    def question(current: Round) -> JudgeRound:
        end = current.place - skipped + 1
        return JudgeRound(
            tools=_tools(trajectory),
            messages=messages[:end],
            later=messages[end:] if hindsight else (),
            evidence=tuple(rules.evidence_until(current)),
            seed=seed,
        )

    answers = await asyncio.gather(*(_asked(judge, question(current)) for current in rules.rounds[1:]))
    if not answers:
        return dict.fromkeys(_ROUNDS, abstained(_ONE_ROUND))
    return {name: _mean(answers, field) for name, field in zip(_ROUNDS, ("understanding", "planning"), strict=True)}


def _shown(messages: Sequence[Message]) -> tuple[Message, ...]:
    """tau without m0, and without what no one said aloud."""
    return tuple(m.model_copy(update={"reasoning": None}) for m in messages if m.role != "system")


def _tools(trajectory: Trajectory) -> tuple[str, ...]:
    functions = (document["function"] for document in trajectory.tools)
    return tuple(f"{function['name']}: {function['description'][:300]}" for function in functions)


async def _asked(judge: Teacher, question: Question[A]) -> A | Rejected:
    """The judgement, or why there is none. What is no fault of the judge's answer goes on as it is."""
    try:
        return await judge.answer(question)
    except Rejected as error:
        return error


def _query(judgement: QueryJudgement | Rejected, field: str) -> Score:
    if isinstance(judgement, Rejected):
        return failed(judgement.sentence)
    value = getattr(judgement, field)
    return abstained(judgement.why) if value is None else scored(value, judgement.why)


def _mean(judgements: Iterable[RoundJudgement | Rejected], field: str) -> Score:
    """Mean over the rounds; one that could not be judged leaves the whole unscored, for it is part of the mean."""
    values: list[float] = []
    whys: list[str] = []
    for judgement in judgements:
        if isinstance(judgement, Rejected):
            return failed(judgement.sentence)
        value = getattr(judgement, field)
        whys.append(judgement.why)
        if value is not None:
            values.append(value)
    if not values:
        return abstained(" ".join(whys))
    return scored(sum(values) / len(values), " ".join(whys))


def _conciseness(rules: Rules, judgements: CallJudgements | Rejected) -> Score:
    """What a rule is certain of stands; of every other call the judge must have said something."""
    calls = [call for current in rules.rounds for call in current.calls]
    if not calls:
        return scored(0.0, "no call was made")
    certain = {one.call.id: one.why for one in rules.wasted() if one.certain}
    if isinstance(judgements, Rejected):
        return failed(judgements.sentence)
    said = {one.call_id: one for one in judgements.calls}
    if missing := [call.id for call in calls if call.id not in said and call.id not in certain]:
        return failed(f"the judge said nothing of {missing[0]}")
    wasted = [
        f"{call.id}: {certain.get(call.id) or said[call.id].why}"
        for call in calls
        if call.id in certain or not said[call.id].necessary
    ]
    return scored(1 - len(wasted) / len(calls), "; ".join(wasted) or f"{len(calls)} calls, none wasted")


def _final_answer(rules: Rules, judgement: AnswerJudgement | Rejected) -> Score:
    """(correctness + summary) / 2; 0 where a rule finds another language or an address that no one gave."""
    if rules.answer is None:
        return scored(0.0, "the episode ends without an answer")
    if rules.other_language():
        return scored(0.0, "the answer is in another language than the request")
    if invented := rules.invented_addresses():
        return scored(0.0, f"no observation holds the address {invented[0]}")
    if isinstance(judgement, Rejected):
        return failed(judgement.sentence)
    if judgement.correctness is None or judgement.summary is None:
        return abstained(judgement.why)
    return scored((judgement.correctness + judgement.summary) / 2, judgement.why)
