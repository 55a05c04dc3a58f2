"""Live MCP servers over stdio: real processes, real calls, each in a scratch folder of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

from astra.errors import ServerFailed
from astra.model import Failure, JsonObject, Observation, ServerLaunch, Tool, ToolCall, ToolServer
from astra.rollout.environments.base import CallDesk
from astra.rollout.environments.scratch import prepared

CALL_SECONDS = 20.0
START_SECONDS = 30.0
STARTS = 2  # servers with state that run at once: each is a process of its own
_CONNECTION_CLOSED = -32000  # the SDK's own code for a transport that has ended


class LiveServer:
    """A running server."""

    def __init__(self, client: Client, folder: Path) -> None:
        self._client = client
        self._folder = folder

    async def tools(self) -> list[JsonObject]:
        """Its `tools/list` answer, as it stands."""
        documents: list[JsonObject] = []
        cursor: str | None = None
        while True:
            page = await self._client.list_tools(cursor=cursor)
            documents += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
            cursor = page.next_cursor
            if not cursor:
                return documents

    async def call(self, name: str, arguments: JsonObject) -> tuple[str, Any, bool]:
        """(text, structured result or None, whether the server calls it an error).

        Raises:
            ServerFailed: the server went away or did not answer in time.
        """
        try:
            async with asyncio.timeout(CALL_SECONDS):
                result = await self._client.call_tool(name, arguments)
        except TimeoutError:
            raise ServerFailed(f"no answer within {CALL_SECONDS:g} s") from None
        except MCPError as error:
            if error.error.code == _CONNECTION_CLOSED:
                raise ServerFailed("the server went away") from error
            return self._clean(f"Error: {error}"), None, True
        parts = [getattr(part, "text", None) or f"[{part.type}]" for part in result.content]
        return self._clean("\n".join(parts)), result.structured_content, bool(result.is_error)

    def _clean(self, text: str) -> str:
        """No path of this machine reaches a trajectory."""
        return text.replace(str(self._folder), ".")


@asynccontextmanager
async def started(launch: ServerLaunch) -> AsyncIterator[LiveServer]:
    """The server, running in a fresh scratch folder that goes when it stops.

    Raises:
        ServerFailed: it can't be started.
    """
    try:
        async with AsyncExitStack() as stack:
            folder = stack.enter_context(prepared(launch.scratch))
            yield LiveServer(await _connected(launch, folder, stack), folder)
    except BaseExceptionGroup as group:
        # The SDK's task groups wrap what is raised while a server is open; callers get what was raised.
        raise _cause(group) from None


async def _connected(launch: ServerLaunch, folder: Path, stack: AsyncExitStack) -> Client:
    nowhere = stack.enter_context(open(os.devnull, "w"))  # noqa: PTH123, SIM115 - the null device, closed by the stack
    parameters = StdioServerParameters(
        command=sys.executable if launch.command in ("python", "python3") else launch.command,
        args=list(launch.args),
        env={"HOME": str(folder), "TZ": "UTC", "GIT_CONFIG_GLOBAL": os.devnull, **launch.env},
        cwd=folder,
    )
    try:
        async with asyncio.timeout(START_SECONDS):
            return await stack.enter_async_context(Client(stdio_client(parameters, errlog=nowhere)))
    except TimeoutError:
        raise ServerFailed(f"{launch.command} did not start within {START_SECONDS:g} s") from None
    except (OSError, MCPError, ExceptionGroup) as error:
        cause = _cause(error)
        why = f"{type(cause).__name__}: {cause}"
        raise ServerFailed(f"{launch.command} can't be started as an MCP server ({why})") from error


class LiveEnvironment:
    """One episode with a running server."""

    def __init__(self, server: ToolServer, running: LiveServer) -> None:
        self.name = f"mcp:{server.id}"
        self.tools: tuple[Tool, ...] = server.tools
        self._called = {tool.name: tool.called for tool in server.tools}
        self._running = running
        self._desk = CallDesk(self.name, self.tools)

    async def call(self, call: ToolCall) -> Observation:
        """Arguments go to the server as they are: whether they are right is for it to say."""
        received = self._desk.receive(call)
        if isinstance(received, Observation):
            return received
        tool, arguments = received
        text, structured, is_error = await self._running.call(tool.called, arguments)
        return Observation(
            call_id=call.id,
            tool=call.name,
            content=text,
            result=structured if structured is not None else text,
            failure=Failure.TOOL_ERROR if is_error else None,
            source=self.name,
        )


class LiveServers:
    """Running servers for many episodes: one with state is started anew for each, one without serves all."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._shared: dict[str, LiveServer] = {}
        self._starts = asyncio.Semaphore(STARTS)

    async def __aenter__(self) -> LiveServers:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._stack.aclose()

    async def share(self, servers: Iterable[ToolServer]) -> None:
        """Start those without state; call it from the task that closes the whole. One that fails is left to `open`."""
        for server in servers:
            if server.launch is not None and not server.launch.stateful and server.id not in self._shared:
                with suppress(ServerFailed):
                    self._shared[server.id] = await self._stack.enter_async_context(started(server.launch))

    @asynccontextmanager
    async def open(self, server: ToolServer) -> AsyncIterator[LiveEnvironment]:
        """An episode's own view of the server.

        Raises:
            ServerFailed: it can't be started.
        """
        if server.launch is None:
            raise ServerFailed(f"{server.name} is known by its documents alone and can't be started")
        if server.id in self._shared:
            yield LiveEnvironment(server, self._shared[server.id])
        else:
            async with self._starts, started(server.launch) as running:
                yield LiveEnvironment(server, running)


def _cause(error: BaseException) -> BaseException:
    """The first real error inside nested groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
