"""A server as an environment: live, emulated, or some of its tools the one and some the other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Literal

from astra.errors import ServerFailed
from astra.model import Observation, Tool, ToolCall, ToolServer
from astra.rollout.environments.base import CallDesk, Environment
from astra.rollout.environments.emulator import FAILURE_RATE, HISTORY_TOKENS, Emulator
from astra.rollout.environments.live import LiveServers
from astra.teachers.questions import Teacher

ToolMode = Literal["auto", "live", "emulated"]


class RoutedEnvironment:
    """Several environments seen as one.

    Args:
        routes: where each tool is called, and by which name there.
    """

    def __init__(self, server: ToolServer, routes: Mapping[str, tuple[Environment, str]]) -> None:
        self.name = f"routed:{server.id}"
        self.tools: tuple[Tool, ...] = server.tools
        self._routes = routes
        self._desk = CallDesk(self.name, self.tools)

    async def call(self, call: ToolCall) -> Observation:
        route = self._routes.get(call.name)
        if route is None:
            refusal = self._desk.receive(call)
            assert isinstance(refusal, Observation)
            return refusal
        environment, name = route
        observation = await environment.call(call.model_copy(update={"name": name}))
        return observation.model_copy(update={"tool": call.name})


@dataclass(frozen=True)
class Opener:
    """Opens servers for episodes.

    Args:
        teacher: plays what is not called for real.
        mode: "auto": what can be started is called for real, but for the tools its launch excepts.
    """

    teacher: Teacher
    live: LiveServers
    mode: ToolMode = "auto"
    by_server: Mapping[str, ToolMode] | None = None  # server id -> its own mode
    failure_rate: float = FAILURE_RATE
    history_tokens: int = HISTORY_TOKENS

    @asynccontextmanager
    async def open(self, server: ToolServer, shown: tuple[Tool, ...], *, seed: str) -> AsyncIterator[Environment]:
        """An episode's own view of a server, of which the policy sees the `shown` tools.

        Raises:
            ServerFailed: it is to be called for real and can't be started.
        """
        visible = server.model_copy(update={"tools": shown, "parts": ()})
        async with AsyncExitStack() as stack:
            if not server.parts:
                yield await self._one(visible, seed, stack)
                return
            routes: dict[str, tuple[Environment, str]] = {}
            for part in server.parts:
                theirs = {tool.name: server.part_of(tool.name) for tool in shown}
                names = {name: tool for name, (owner, tool) in theirs.items() if owner.id == part.id}
                opened = await self._one(
                    part.model_copy(update={"tools": tuple(names.values())}), f"{seed}/{part.id}", stack
                )
                routes.update({name: (opened, tool.name) for name, tool in names.items()})
            yield RoutedEnvironment(visible, routes)

    async def _one(self, server: ToolServer, seed: str, stack: AsyncExitStack) -> Environment:
        mode = (self.by_server or {}).get(server.id, self.mode)
        if mode == "live" and server.launch is None:
            raise ServerFailed(f"{server.name} is to be called for real, and nothing says how to start it")
        played = Emulator(
            server, self.teacher, seed=seed, failure_rate=self.failure_rate, history_tokens=self.history_tokens
        )
        if server.launch is None or mode == "emulated":
            return played
        real = await stack.enter_async_context(self.live.open(server))
        excepted = () if mode == "live" else server.launch.emulated
        if not excepted:
            return real
        routes: dict[str, tuple[Environment, str]] = {
            tool.name: (played if tool.called in excepted else real, tool.name) for tool in server.tools
        }
        return RoutedEnvironment(server, routes)
