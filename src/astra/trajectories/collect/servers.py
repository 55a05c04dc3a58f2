"""Tool documents of one origin -> tools -> a server, if enough of them are usable.

Two stages, item by item: `tools` (`tool_documents`, `tool_of`) and `servers` (`assemble_server`). `normalise_server`
does both for one server. Documents in = tools out + rejections of documents; one bad tool never takes its server down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from astra.errors import Rejected
from astra.model import Noun, Rejection, ServerDocument, Tool, ToolServer
from astra.trajectories.collect.forms import normalise_tool
from astra.trajectories.collect.names import with_unique_names
from astra.trajectories.collect.text import clean

_DESCRIPTION_LIMIT = 2000  # characters of a server's description


class ServerFilter(Noun):
    """How many usable tools a server needs to be kept."""

    min_tools: int = 3
    min_live_tools: int = 2  # of a server that can be called

    def least(self, document: ServerDocument) -> int:
        return self.min_live_tools if document.launch else self.min_tools


class ToolDocument(Noun):
    """One raw document with its place: an item of the stage `tools`."""

    id: str  # "<server's id>/<position>"
    server: str  # id
    document: object
    repeats: str | None = None  # id of an earlier document of the server that says the same, word for word


@dataclass(frozen=True)
class Collected:
    """What became of one server's documents."""

    server: ToolServer | None
    rejections: tuple[Rejection, ...]  # stage `tools`: one a document that fell out; stage `servers`: the server itself


def tool_documents(server: ServerDocument) -> tuple[ToolDocument, ...]:
    """The server's documents, each an item of its own."""
    first: dict[str, str] = {}
    items: list[ToolDocument] = []
    for position, document in enumerate(server.documents):
        name, content = f"{server.id}/{position}", repr(document)
        items.append(ToolDocument(id=name, server=server.id, document=document, repeats=first.get(content)))
        first.setdefault(content, name)
    return tuple(items)


def tool_of(item: ToolDocument) -> Tool:
    """The tool that an item describes.

    Raises:
        Rejected: `duplicate-tool`, or what `normalise_tool` finds wrong with it.
    """
    if item.repeats is not None:
        raise Rejected("duplicate-tool", f"{item.id} says the same as {item.repeats}, word for word.")
    return normalise_tool(item.document)


def assemble_server(document: ServerDocument, tools: Sequence[Tool], limits: ServerFilter | None = None) -> ToolServer:
    """The server with its usable tools, their names made unique.

    Raises:
        Rejected: `no-documents`, `server-too-small`.
    """
    least = (limits or ServerFilter()).least(document)
    if not document.documents:
        raise Rejected("no-documents", f"{document.name!r} lists no tools.")
    if len(tools) < least:
        sentence = f"{document.name!r} has {len(tools)} usable of {len(document.documents)} tools; {least} are needed."
        raise Rejected("server-too-small", sentence)
    return ToolServer(
        id=document.id,
        name=clean(document.name, limit=200) or document.id,
        description=clean(document.description, limit=_DESCRIPTION_LIMIT),
        domain=document.domain.strip() or "general",
        origin=document.origin,
        tools=with_unique_names(tools),
        launch=document.launch,
    )


def normalise_server(document: ServerDocument, limits: ServerFilter | None = None) -> Collected:
    """Both stages for one server."""
    tools: list[tuple[str, Tool]] = []
    rejections: list[Rejection] = []
    for item in tool_documents(document):
        try:
            tool = tool_of(item)
        except Rejected as why:
            rejections.append(_rejection("tools", item.id, why))
        else:
            tools.append((item.id, tool))
    try:
        server = assemble_server(document, [tool for _, tool in tools], limits)
    except Rejected as why:
        rejections.extend(_rejection("tools", identity, why) for identity, _ in tools)
        return Collected(None, (*rejections, _rejection("servers", document.id, why)))
    return Collected(server, tuple(rejections))


def _rejection(stage: str, item: str, why: Rejected) -> Rejection:
    return Rejection(stage=stage, item=item, reason=why.reason, sentence=why.sentence, detail=why.detail)
