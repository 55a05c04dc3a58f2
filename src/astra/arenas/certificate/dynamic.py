"""Checks that run the arena's tools, in workers started for this certificate alone."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from astra.arenas.certificate.probes import borrowed_calls, changed_calls, takes_a_value
from astra.model import (
    Arena,
    Check,
    Failure,
    JsonObject,
    Observation,
    SubTask,
    ToolCall,
    canonical_json,
    holds,
    mentions,
)
from astra.model.matching import leaves, reveals, same, typed
from astra.rollout.arenas import rollout_arena
from astra.rollout.environments import open_arena
from astra.rollout.policies import ArenaOracle, EmptyPolicy, Policy, RandomPolicy
from astra.sandbox import MontySandbox

RANDOM_EPISODES = 4
RANDOM_LIMIT = 0.1  # mean F1 that a random policy may reach


@dataclass
class Examination:
    """An arena in two sandboxes that differ in clock and random seed, and what their calls have shown."""

    arena: Arena
    sandbox: MontySandbox
    other: MontySandbox
    gold: dict[int, Observation] = field(default_factory=dict)  # first replay, by sub-task
    errors: dict[str, list[JsonObject]] = field(default_factory=dict)  # text of an error -> arguments that led to it
    unbounded: tuple[JsonObject, str] | None = None  # the first call that met a limit


DynamicCheck = Callable[[Examination], Awaitable[Check]]


async def gold_replays(exam: Examination) -> Check:
    """Each gold call succeeds, and its output holds the answer."""
    async with open_arena(exam.arena, exam.sandbox) as environment:
        for task in exam.arena.sub_tasks:
            exam.gold[task.id] = await environment.call(_call(task.tool, task.arguments))
    for task in exam.arena.sub_tasks:
        seen = exam.gold[task.id]
        if not seen.ok:
            return _check("gold-replays", f"the gold call of sub-task {task.id} fails: {seen.content[:200]}")
        if not holds(seen.result, task.answer):
            return _check(
                "gold-replays", f"the gold call of sub-task {task.id} gives {seen.content[:200]}, not its answer"
            )
    return _check("gold-replays", f"{len(exam.gold)} gold calls", passed=True)


async def replays_agree(exam: Examination) -> Check:
    """The same outputs again: twice in a row, in another order, and under another clock and random seed.

    Monty's sets and dictionaries keep the order of insertion: there is no hash seed to vary.
    """
    again = {
        "a second time": await _replayed(exam, exam.sandbox, exam.arena.sub_tasks),
        "in reverse order": await _replayed(exam, exam.sandbox, exam.arena.sub_tasks[::-1]),
        "under another clock and seed": await _replayed(exam, exam.other, exam.arena.sub_tasks),
    }
    for how, seen in again.items():
        for task_id, first in exam.gold.items():
            if seen[task_id].content != first.content:
                return _check("replays-agree", f"sub-task {task_id} gives another output {how}")
    return _check("replays-agree", f"{len(again)} further replays of {len(exam.gold)} calls", passed=True)


async def wrong_arguments_fail(exam: Examination) -> Check:
    """A gold call with a value changed or left out never gives the answer; afterwards the gold call still does.

    This shows, too, that a child needs its parents' answers, and that wrong calls leave no trace in the session.
    """
    probes = 0
    async with open_arena(exam.arena, exam.sandbox) as environment:
        for task in exam.arena.sub_tasks:
            if not takes_a_value(task):
                return _check("wrong-arguments-fail", f"the gold call of sub-task {task.id} takes no value at all")
            for path, arguments in changed_calls(exam.arena, task):
                seen = await environment.call(_call(task.tool, arguments))
                probes += 1
                _note(exam, arguments, seen)
                if (solved := _solved_by_mistake(exam, task, arguments, seen)) is not None:
                    where = "/".join(str(part) for part in path)
                    shown = canonical_json(arguments)[:200]
                    return _check("wrong-arguments-fail", f"sub-task {solved} is answered with {where} wrong: {shown}")
        for task in exam.arena.sub_tasks:
            seen = await environment.call(_call(task.tool, task.arguments))
            if seen.content != exam.gold[task.id].content:
                return _check("wrong-arguments-fail", f"after wrong calls sub-task {task.id} gives another output")
    return _check("wrong-arguments-fail", f"{probes} wrong calls", passed=True)


def _solved_by_mistake(exam: Examination, task: SubTask, arguments: JsonObject, seen: Observation) -> int | None:
    """The sub-task of this tool whose answer a probe shows, though the probe is not that sub-task's gold call.

    Of other tools' sub-tasks no call to this one is credited, and a calculator gives any small number sometimes.
    """
    if not seen.ok:
        return None
    for other in exam.arena.sub_tasks:
        if other.tool != task.tool or (other is not task and _given(arguments, other)):
            continue
        gold = all(arguments.get(name) == value for name, value in other.arguments.items())
        if not gold and reveals(seen.result, other.answer):
            return other.id
    return None


async def empty_calls_fail(exam: Examination) -> Check:
    """No tool gives an answer to a call without arguments."""
    async with open_arena(exam.arena, exam.sandbox) as environment:
        for entry in exam.arena.all_tools:
            seen = await environment.call(_call(entry.tool.name, {}))
            _note(exam, {}, seen)
            if solved := [task.id for task in exam.arena.sub_tasks if seen.ok and reveals(seen.result, task.answer)]:
                return _check("empty-calls-fail", f"{entry.tool.name} without arguments answers sub-task {solved[0]}")
    return _check("empty-calls-fail", f"{len(exam.arena.all_tools)} empty calls", passed=True)


async def one_call_one_answer(exam: Examination) -> Check:
    """No gold call shows the answer of another sub-task, unless it was given it: else that one need not be asked."""
    for task in exam.arena.sub_tasks:
        for other in exam.arena.sub_tasks:
            shown = other.id != task.id and reveals(exam.gold[task.id].result, other.answer)
            if shown and not _given(task.arguments, other):
                return _check("one-call-one-answer", f"the gold call of sub-task {task.id} answers {other.id} too")
    return _check("one-call-one-answer", f"{len(exam.gold)} outputs", passed=True)


async def distractors_silent(exam: Examination) -> Check:
    """A distractor runs, but answers no sub-task, even when it is given the gold calls' values."""
    calls = 0
    async with open_arena(exam.arena, exam.sandbox) as environment:
        for distractor in exam.arena.distractors:
            for arguments in borrowed_calls(exam.arena, distractor):
                seen = await environment.call(_call(distractor.tool.name, arguments))
                calls += 1
                _note(exam, arguments, seen)
                for task in exam.arena.sub_tasks:
                    if seen.ok and reveals(seen.result, task.answer) and not _given(arguments, task):
                        return _check("distractors-silent", f"{distractor.tool.name} answers sub-task {task.id}")
        for task in exam.arena.sub_tasks:
            if (await environment.call(_call(task.tool, task.arguments))).content != exam.gold[task.id].content:
                return _check("distractors-silent", f"after them sub-task {task.id} gives another output")
    return _check("distractors-silent", f"{calls} calls of {len(exam.arena.distractors)} distractors", passed=True)


async def errors_silent(exam: Examination) -> Check:
    """No error text that any check has seen states an answer, unless the call itself brought it."""
    for text, calls in exam.errors.items():
        for task in exam.arena.sub_tasks:
            if mentions(text, task.answer) or reveals(_parsed(text), task.answer):
                if all(_given(arguments, task) for arguments in calls):
                    continue
                return _check("errors-silent", f"the answer of sub-task {task.id} stands in an error: {text[:200]}")
    return _check("errors-silent", f"{len(exam.errors)} error texts", passed=True)


async def calls_bounded(exam: Examination) -> Check:
    """No call that any check has made ran into a limit of time, memory or output."""
    if exam.unbounded is not None:
        arguments, text = exam.unbounded
        return _check("calls-bounded", f"{canonical_json(arguments)[:200]} ends with: {text}")
    return _check("calls-bounded", "no call met a limit", passed=True)


async def sessions_isolated(exam: Examination) -> Check:
    """Two sessions open at once do not see each other's calls."""
    async with open_arena(exam.arena, exam.sandbox) as one, open_arena(exam.arena, exam.sandbox) as two:
        for task in exam.arena.sub_tasks:
            outputs = [(await world.call(_call(task.tool, task.arguments))).content for world in (one, two)]
            if outputs != [exam.gold[task.id].content] * 2:
                return _check("sessions-isolated", f"sub-task {task.id} gives another output beside a second session")
    return _check("sessions-isolated", "2 sessions side by side", passed=True)


async def oracle_scores_one(exam: Examination) -> Check:
    """The oracle solves everything without a call too many: F1 = 1."""
    f1 = await _f1(exam, ArenaOracle(exam.arena))
    return _check("oracle-scores-one", f"F1 {f1:.3f}", passed=f1 == 1.0)


async def idle_scores_zero(exam: Examination) -> Check:
    """The policy that calls nothing scores 0."""
    f1 = await _f1(exam, EmptyPolicy())
    return _check("idle-scores-zero", f"F1 {f1:.3f}", passed=f1 == 0.0)


async def random_scores_little(exam: Examination) -> Check:
    """Random calls score near 0."""
    seeds = range(RANDOM_EPISODES)
    mean = fmean([await _f1(exam, RandomPolicy(f"{exam.arena.id}/{seed}")) for seed in seeds])
    return _check(
        "random-scores-little", f"mean F1 {mean:.3f} over {RANDOM_EPISODES} episodes", passed=mean <= RANDOM_LIMIT
    )


DYNAMIC_CHECKS: tuple[DynamicCheck, ...] = (
    gold_replays,
    replays_agree,
    wrong_arguments_fail,
    empty_calls_fail,
    one_call_one_answer,
    distractors_silent,
    errors_silent,
    calls_bounded,
    sessions_isolated,
    oracle_scores_one,
    idle_scores_zero,
    random_scores_little,
)


def _check(check: str, evidence: str, *, passed: bool = False) -> Check:
    return Check(id=check, passed=passed, evidence=evidence)


def _call(tool: str, arguments: JsonObject) -> ToolCall:
    return ToolCall(id="probe", name=tool, arguments=canonical_json(arguments))


async def _replayed(exam: Examination, sandbox: MontySandbox, tasks: Sequence[SubTask]) -> dict[int, Observation]:
    """The gold calls in a session of their own, each made twice in a row; the second output counts."""
    async with open_arena(exam.arena, sandbox) as environment:
        twice = [task for task in tasks for _ in range(2)]
        return {task.id: await environment.call(_call(task.tool, task.arguments)) for task in twice}


async def _f1(exam: Examination, policy: Policy) -> float:
    rollout = await rollout_arena(policy, exam.arena, exam.sandbox)
    return rollout.reward.f1 if rollout.reward is not None else float("nan")


def _parsed(text: str) -> Any:
    """An error as the value that it is, if it is JSON: escapes hide nothing."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _note(exam: Examination, arguments: JsonObject, seen: Observation) -> None:
    if not seen.ok:
        exam.errors.setdefault(seen.content, []).append(arguments)
    if seen.failure is Failure.LIMIT and exam.unbounded is None:
        exam.unbounded = (arguments, seen.content)


def _given(arguments: JsonObject, task: SubTask) -> bool:
    """Whether the caller brought the answer along."""
    return any(same(typed(leaf), typed(task.answer)) for leaf in leaves(arguments))
