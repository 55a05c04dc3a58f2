"""Live MCP servers over stdio: the real git and time servers from PyPI."""

from __future__ import annotations

import asyncio
import json
import shutil
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from astra.errors import Rejected, ServerFailed
from astra.model import Failure, Observation, ServerDocument, ServerLaunch, ToolCall, ToolServer
from astra.rollout.environments.live import LiveEnvironment, LiveServers, started
from astra.rollout.environments.scratch import REPOSITORY
from astra.trajectories.collect.files import read_launches
from astra.trajectories.collect.servers import normalise_server

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed (apt-get install git)")


def launch(name: str) -> ServerLaunch:
    with resources.as_file(resources.files("astra.runs") / "mcp_servers.json") as path:
        return read_launches(path)[name]


async def server(name: str) -> ToolServer:
    """The server as the collector sees it: from its own `tools/list` answer."""
    async with started(launch(name)) as running:
        documents = tuple(await running.tools())
    found = ServerDocument(id=f"mcp:{name}", name=name, origin="mcp", documents=documents, launch=launch(name))
    collected = normalise_server(found)
    assert collected.server is not None
    return collected.server


async def called(environment: LiveEnvironment, tool: str, **arguments: Any) -> Observation:
    return await environment.call(ToolCall(id="c", name=tool, arguments=json.dumps(arguments)))


async def git_session(*calls: tuple[str, dict[str, Any]]) -> list[Observation]:
    git = await server("git")
    async with LiveServers() as servers, servers.open(git) as environment:
        return [await called(environment, tool, repo_path=REPOSITORY, **arguments) for tool, arguments in calls]


@needs_git
def test_git_works_on_a_repository_of_the_episodes_own_and_repeats_itself() -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("git_status", {}),
        ("git_add", {"files": ["berths.csv"]}),
        ("git_commit", {"message": "Note the free berths"}),
        ("git_log", {"max_count": 1}),
        ("git_create_branch", {"branch_name": "storm-season"}),
        ("git_show", {"revision": "storm-season"}),
    ]
    first, second = (asyncio.run(git_session(*calls)) for _ in range(2))
    assert all(observation.ok for observation in first)
    assert "Note the free berths" in first[3].content
    assert first == second


@needs_git
def test_a_servers_own_error_comes_back_without_a_path_of_ours() -> None:
    async def run() -> Observation:
        git = await server("git")
        async with LiveServers() as servers, servers.open(git) as environment:
            return await called(environment, "git_status", repo_path="no-such-repository")

    observation = asyncio.run(run())
    assert observation.failure is Failure.TOOL_ERROR
    assert "no-such-repository" in observation.content
    assert "/tmp" not in observation.content and "astra-" not in observation.content


def test_time_stands_still_and_one_process_serves_many_episodes() -> None:
    async def run() -> list[Observation]:
        time = await server("time")
        seen = []
        async with LiveServers() as servers:
            await servers.share([time])
            for _ in range(3):
                async with servers.open(time) as environment:
                    seen.append(await called(environment, "get_current_time", timezone="Europe/Lisbon"))
            assert len(servers._shared) == 1
        return seen

    first, *others = asyncio.run(run())
    assert first.ok
    assert first.result["datetime"].startswith("2026-03-14T09:30:00")
    assert others == [first, first]


def test_bad_arguments_and_unknown_tools_are_answered() -> None:
    async def run() -> list[Observation]:
        time = await server("time")
        async with LiveServers() as servers, servers.open(time) as environment:
            return [
                await called(environment, "get_current_time", timezone="Atlantis/Port"),
                await called(environment, "get_current_time"),
                await called(environment, "set_time"),
            ]

    wrong, missing, unknown = asyncio.run(run())
    assert (wrong.failure, missing.failure, unknown.failure) == (
        Failure.TOOL_ERROR,
        Failure.BAD_ARGUMENTS,
        Failure.UNKNOWN_TOOL,
    )
    assert "Traceback" not in wrong.content


@pytest.mark.parametrize(
    "broken",
    [
        ServerLaunch(command="no-such-program"),
        ServerLaunch(command="python", args=("-m", "no_such_module")),
        ServerLaunch(command="python", args=("-c", "print('hello')")),
    ],
)
def test_a_server_that_does_not_start_is_a_failure_that_says_so(broken: ServerLaunch) -> None:
    async def run() -> None:
        async with started(broken):
            raise AssertionError("it started")

    with pytest.raises(ServerFailed, match="can't be started"):
        asyncio.run(run())


def test_what_is_raised_beside_an_open_server_comes_out_as_it_is() -> None:
    async def run() -> None:
        async with started(launch("time")):
            raise Rejected("unfit", "no fault of the server")

    with pytest.raises(Rejected, match="no fault"):
        asyncio.run(run())


DIES = """
import os
from mcp.server.mcpserver import MCPServer
server = MCPServer("dies")
@server.tool()
def leave() -> str:
    "Leave at once, without an answer."
    os._exit(3)
server.run()
"""


def test_a_server_that_dies_is_an_infrastructure_failure(tmp_path: Path) -> None:
    (tmp_path / "dies.py").write_text(DIES)

    async def run() -> None:
        async with started(ServerLaunch(command="python", args=(str(tmp_path / "dies.py"),))) as running:
            assert [tool["name"] for tool in await running.tools()] == ["leave"]
            with pytest.raises(ServerFailed, match="went away"):
                await running.call("leave", {})

    asyncio.run(run())
