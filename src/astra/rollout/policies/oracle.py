"""Policies that know the way: the gold calls of an arena, the plan of a task."""

from __future__ import annotations

from collections.abc import Sequence

from astra.model import Arena, Message, Tool, ToolCall, canonical_json
from astra.rollout.policies.base import turns_taken


class ArenaOracle:
    """Issues an arena's gold calls, those of one hop level in parallel, and answers."""

    name = "oracle"

    def __init__(self, arena: Arena) -> None:
        self._answer = arena.answer
        level: dict[int, int] = {}
        rounds: dict[int, list[ToolCall]] = {}
        for task in arena.sub_tasks:
            level[task.id] = 1 + max((level.get(parent, 0) for parent in task.depends_on), default=0)
            call = ToolCall(id="", name=task.tool, arguments=canonical_json(task.arguments))
            rounds.setdefault(level[task.id], []).append(call)
        self._rounds = [tuple(rounds[height]) for height in sorted(rounds)]

    async def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        turn = turns_taken(messages)
        if turn < len(self._rounds):
            return Message(role="assistant", tool_calls=self._rounds[turn])
        return Message(role="assistant", content=str(self._answer))
