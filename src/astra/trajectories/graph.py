"""The tool-call graph of a server: proposed or found by a teacher, saved and loaded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, TypeAdapter, ValidationError

from astra.engine.files import pretty_json, write_text
from astra.errors import BadInput, Rejected
from astra.model import Edge, Evidence, Noun, ToolGraph, ToolServer
from astra.teachers.questions import LinkTools, ProposeChains, ProposedChain, Teacher

_GRAPHS = TypeAdapter(list[ToolGraph])


class ProposalRequest(Noun):
    """Some joint (task, chain) proposals to be made for one server: an item of the stage `proposals`."""

    id: str  # "<server's id>/<number>"
    server: ToolServer
    count: int


class Proposals(Noun):
    """What was proposed, with tools that are there."""

    server: str  # id
    proposals: tuple[ProposedChain, ...]


class GraphRequest(Noun):
    """A server whose graph is to be built, with the chains proposed for it: an item of the stage `graph`."""

    id: str  # of the server
    server: ToolServer
    proposals: tuple[ProposedChain, ...] = ()


class GraphConfig(Noun):
    """Where the edges come from."""

    source: Literal["auto", "grounded", "proposals", "union"] = (
        "auto"  # auto: proposals if there is a model to make them
    )
    proposals: int = Field(default=24, ge=1)  # joint (task, chain) proposals for each server
    per_question: int = Field(default=8, ge=1)  # of them in one answer


def proposal_requests(servers: Iterable[ToolServer], config: GraphConfig) -> list[ProposalRequest]:
    """N proposals for each server, so many a question."""
    requests: list[ProposalRequest] = []
    for server in servers:
        for number, made in enumerate(range(0, config.proposals, config.per_question), start=1):
            count = min(config.per_question, config.proposals - made)
            requests.append(ProposalRequest(id=f"{server.id}/{number}", server=server, count=count))
    return requests


async def propose(teacher: Teacher, request: ProposalRequest, *, language: str, seed: int) -> Proposals:
    """What the teacher proposes, held to the server.

    Raises:
        Rejected: `no-proposals`: none names tools of this server alone.
    """
    question = ProposeChains(server=request.server, count=request.count, language=language, seed=f"{seed}/{request.id}")
    answer = await teacher.answer(question)
    known = {tool.name for tool in request.server.tools}
    sound = tuple(one for one in answer.proposals if one.tools and known.issuperset(one.tools))
    if not sound:
        raise Rejected("no-proposals", f"None of {len(answer.proposals)} proposals names tools of this server alone.")
    return Proposals(server=request.server.id, proposals=sound)


def transitions(proposals: Iterable[ProposedChain]) -> tuple[Edge, ...]:
    """The transition multigraph: an edge for every consecutive pair of a chain, its weight the count (section 2.2)."""
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], str] = {}
    for proposal in proposals:
        for pair in zip(proposal.tools, proposal.tools[1:], strict=False):
            counts[pair] += 1
            first.setdefault(pair, proposal.request)
    return tuple(
        Edge(
            source=source,
            target=target,
            weight=float(count),
            evidence=(
                Evidence(
                    kind="proposal",
                    parameter=None,
                    field=None,
                    weight=float(count),
                    why=f"proposed {count} times, first for: {first[source, target][:200]}",
                ),
            ),
        )
        for (source, target), count in counts.items()
    )


async def build_graph(request: GraphRequest, teacher: Teacher | None) -> ToolGraph:
    """G(s): the server's tools, the transitions of what was proposed, and the edges that the teacher finds.

    What the teacher finds is held to the server: an edge from or to a tool that is not there, from a tool to itself,
    or without evidence for one of the target's parameters is dropped.

    Args:
        teacher: answers `LinkTools`; None: the proposals alone.

    Raises:
        Rejected: `no-edges`.
    """
    server = request.server
    tools = {tool.name: tool for tool in server.tools}
    edges = {(edge.source, edge.target): edge for edge in transitions(request.proposals)}
    found = (await teacher.answer(LinkTools(server=server))).edges if teacher is not None else ()
    for edge in found:
        pair = edge.source, edge.target
        if (
            edge.source in tools
            and edge.target in tools
            and edge.source != edge.target
            and edge.weight > 0
            and any(evidence.parameter in tools[edge.target].properties for evidence in edge.evidence)
        ):
            edges[pair] = _joined(edges[pair], edge) if pair in edges else edge
    if not edges:
        raise Rejected("no-edges", f"No tool of {server.name!r} returns what another one needs.")
    return ToolGraph(server=server.id, tools=tuple(tools), edges=tuple(edges.values()))


def _joined(one: Edge, other: Edge) -> Edge:
    return Edge(
        source=one.source,
        target=one.target,
        weight=one.weight + other.weight,
        evidence=(*one.evidence, *other.evidence),
    )


def save_graphs(path: Path, graphs: Iterable[ToolGraph]) -> None:
    """All graphs of a run in one JSON file."""
    write_text(path, pretty_json([graph.model_dump(mode="json") for graph in graphs]))


def load_graphs(path: Path, *, servers: Sequence[str] | None = None) -> list[ToolGraph]:
    """The graphs that `save_graphs` wrote; with `servers`, those of these servers, by id.

    Raises:
        BadInput: no such file, no graphs in it, or none of such a server.
    """
    try:
        graphs = _GRAPHS.validate_json(path.read_bytes())
    except OSError as error:
        raise BadInput(f"{path}: can't be read ({error.strerror})") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(f"{path}: no tool-call graphs: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    known = [graph.server for graph in graphs]
    if unknown := [server for server in servers or () if server not in known]:
        raise BadInput(f"{path}: no graph of {unknown[0]!r}; it has {', '.join(known[:20])}")
    return [graph for graph in graphs if not servers or graph.server in servers]
