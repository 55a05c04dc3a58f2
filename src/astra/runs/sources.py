"""Where tool documents come from: each source an item of the stage `collect`."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Literal

from astra.errors import BadInput, Rejected
from astra.model import Noun, Rejection, ServerDocument, ServerLaunch
from astra.rollout.environments.live import started
from astra.runs.config import RunConfig
from astra.trajectories.collect.botocore_models import botocore_servers, chosen_services
from astra.trajectories.collect.files import read_launches, read_server_documents


class Source(Noun):
    """One place where tool documents are found."""

    id: str
    kind: Literal["botocore", "file", "live"]
    launch: ServerLaunch | None = None  # of a live server


class Gathered(Noun):
    """What a source holds, and what in it could not be read."""

    documents: tuple[ServerDocument, ...]
    rejections: tuple[Rejection, ...] = ()


def sources(config: RunConfig) -> list[Source]:
    """The sources of a run; live servers first, so that they keep their names.

    Raises:
        BadInput: an `mcpServers` file can't be read, or two start a server of one name.
    """
    given = config.inputs
    found: list[Source] = []
    for name in given.live:
        for server, launch in read_launches(_live_file(name)).items():
            if any(source.id == server for source in found):
                raise BadInput(f"{name}: another file starts a server named {server!r} already")
            found.append(Source(id=server, kind="live", launch=launch))
    limit = given.botocore_services
    services = chosen_services(limit if limit >= 0 else None, seed=str(config.seed)) if limit else ()
    found += [Source(id=service, kind="botocore") for service in services]
    return found + [Source(id=name, kind="file") for name in given.servers]


def _live_file(name: str) -> Path:
    if name != "packaged":
        return Path(name)
    with resources.as_file(resources.files("astra.runs") / "mcp_servers.json") as path:
        return path


async def gather(source: Source, config: RunConfig) -> Gathered:
    """Everything that a source holds.

    Raises:
        BadInput: its file can't be read.
        ServerFailed: it is a live server that can't be started.
        Rejected: there is nothing in it.
    """
    if source.launch is not None:
        return Gathered(documents=(await _ask(source.id, source.launch),))
    if source.kind == "botocore":
        found = botocore_servers([source.id], max_tools=config.inputs.botocore_tools, seed=str(config.seed))
        documents: list[ServerDocument] = list(found)
        if not documents:
            raise Rejected("no-documents", f"{source.id} has no operations")
        return Gathered(documents=tuple(documents))
    read = list(read_server_documents(Path(source.id)))
    return Gathered(
        documents=tuple(entry for entry in read if isinstance(entry, ServerDocument)),
        rejections=tuple(entry for entry in read if isinstance(entry, Rejection)),
    )


async def _ask(name: str, launch: ServerLaunch) -> ServerDocument:
    """A live server's own `tools/list` answer."""
    async with started(launch) as server:
        tools = await server.tools()
    return ServerDocument(id=name, name=name, origin="mcp", documents=tuple(tools), launch=launch)
