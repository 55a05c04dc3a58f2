"""An arena as an environment: its tools run in a sandbox session of the episode's own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from astra.model import Arena, Observation, Tool, ToolCall
from astra.rollout.environments.base import CallDesk
from astra.sandbox import MontySandbox, MontySession


class ArenaEnvironment:
    """One open session of an arena."""

    def __init__(self, arena: Arena, session: MontySession) -> None:
        self.name = f"arena:{arena.id}"
        self.tools: tuple[Tool, ...] = tuple(entry.tool for entry in arena.all_tools)
        self._desk = CallDesk(self.name, self.tools)
        self._session = session

    async def call(self, call: ToolCall) -> Observation:
        received = self._desk.receive(call)
        if isinstance(received, Observation):
            return received
        tool, arguments = received
        result = await self._session.call(tool.name, arguments)
        if result.ok:
            return self._desk.deliver(call, result.value)
        assert result.failure is not None
        content = result.error or "the tool failed"
        return Observation(call_id=call.id, tool=call.name, content=content, failure=result.failure, source=self.name)


@asynccontextmanager
async def open_arena(arena: Arena, sandbox: MontySandbox) -> AsyncIterator[ArenaEnvironment]:
    """The arena in a fresh session, which no other episode sees."""
    async with sandbox.session({entry.tool.name: entry.code for entry in arena.all_tools}) as session:
        yield ArenaEnvironment(arena, session)
