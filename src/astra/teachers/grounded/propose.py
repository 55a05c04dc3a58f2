"""Joint proposals of requests and chains, from the links between tools."""

from __future__ import annotations

import random
from collections.abc import Sequence

from astra.errors import Rejected
from astra.model import Chain, Edge, content_id, seeded
from astra.teachers.grounded.tasks import write_task
from astra.teachers.questions import ChainProposals, ProposeChains, ProposedChain, WriteTask

_LONGEST = 4  # tools of a proposed chain


def propose_chains(question: ProposeChains, edges: Sequence[Edge]) -> ChainProposals:
    """Walks along the links, each with the request that would make someone take it; fewer than asked for, or none."""
    rng = seeded(question.seed, "propose-chains")
    proposals: list[ProposedChain] = []
    for number in range(question.count if edges else 0):
        walk = _walk(edges, rng)
        tools = (walk[0].source, *(edge.target for edge in walk))
        chain = Chain(id=content_id("chain", tools), server=question.server.id, tools=tools, edges=tuple(walk))
        task = WriteTask(
            server=question.server, chain=chain, seed=f"{question.seed}/{number}", language=question.language
        )
        try:
            proposals.append(ProposedChain(request=write_task(task).request, tools=tools))
        except Rejected:  # no value fits: another walk may do
            continue
    return ChainProposals(proposals=tuple(proposals))


def _walk(edges: Sequence[Edge], rng: random.Random) -> list[Edge]:
    walk = rng.choices(edges, [edge.weight for edge in edges])
    seen = {walk[0].source, walk[0].target}
    for _ in range(rng.randint(0, _LONGEST - 2)):
        onward = [edge for edge in edges if edge.source == walk[-1].target and edge.target not in seen]
        if not onward:
            break
        walk += rng.choices(onward, [edge.weight for edge in onward])
        seen.add(walk[-1].target)
    return walk
