"""The reward of an episode in an arena (paper Eq. 30-31)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from astra.model import Arena, JsonObject, Message, Observation, Reward, SubTask, ToolCall, holds
from astra.model.matching import leaves, same, typed


def score_episode(arena: Arena, messages: Sequence[Message], observations: Sequence[Observation]) -> Reward:
    """Which sub-tasks the calls solved.

    A sub-task is solved by a successful call to its tool whose output holds its answer. One call is credited with at
    most one sub-task, unless its arguments name several. Credit is given so that as many as possible are solved,
    whatever the order of the calls.

    Every call in the messages counts, answered or not.
    """
    calls = [call for message in messages if message.role == "assistant" for call in message.tool_calls]
    answered = {observation.call_id: observation for observation in observations}
    could_solve: dict[str, list[int]] = {}
    credit: dict[str, tuple[int, ...]] = {}
    for call in calls:
        observation = answered.get(call.id)
        if observation is None or not observation.ok:
            continue
        held = [task for task in arena.sub_tasks if task.tool == call.name and holds(observation.result, task.answer)]
        named = [task.id for task in held if _names(call, task)] if len(held) > 1 else []
        if len(named) > 1:
            credit[call.id] = tuple(named)
        elif held:
            could_solve[call.id] = named or [task.id for task in held]
    taken = {task for tasks in credit.values() for task in tasks}
    credit.update(_matched(could_solve, taken))
    solved = sorted({task for tasks in credit.values() for task in tasks})
    return Reward(solved=tuple(solved), total=len(arena.sub_tasks), calls=len(calls), credit=credit)


def _names(call: ToolCall, task: SubTask) -> bool:
    """Whether the call's arguments name this sub-task: each value of its gold call stands under its own parameter."""
    try:
        arguments: JsonObject = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return False
    wanted = [(name, leaf) for name, value in task.arguments.items() for leaf in leaves([value])]
    return bool(wanted) and all(
        any(same(typed(leaf), typed(given)) for given in leaves([arguments.get(name)])) for name, leaf in wanted
    )


def _matched(could_solve: dict[str, list[int]], taken: set[int]) -> dict[str, tuple[int, ...]]:
    """A largest assignment of calls to sub-tasks, one to one (augmenting paths)."""
    call_of: dict[int, str] = {}

    def assign(call: str, seen: set[int]) -> bool:
        for task in could_solve[call]:
            if task in taken or task in seen:
                continue
            seen.add(task)
            if task not in call_of or assign(call_of[task], seen):
                call_of[task] = call
                return True
        return False

    for call in could_solve:
        assign(call, set())
    return {call: (task,) for task, call in call_of.items()}
