"""Servers joined to one, so that a chain can run across them."""

from __future__ import annotations

from collections.abc import Sequence

from astra.model import Chain, ToolServer, seeded
from astra.trajectories.collect.names import with_unique_names


def join_servers(servers: Sequence[ToolServer], count: int, *, seed: int) -> list[ToolServer]:
    """Up to `count` pairs, drawn by seed; servers of one domain are drawn first, for their tools have more to do
    with each other."""
    pairs = [(one, other) for place, one in enumerate(servers) for other in servers[place + 1 :]]
    rng = seeded(seed, "joined-servers")
    rng.shuffle(pairs)
    pairs.sort(key=lambda pair: pair[0].domain != pair[1].domain)
    return [join(*pair) for pair in pairs[:count]]


def join(*parts: ToolServer) -> ToolServer:
    """One server with the tools of all parts, their names made unique, in the order of the parts."""
    domains = {part.domain for part in parts}
    return ToolServer(
        id=" + ".join(part.id for part in parts),
        name=" and ".join(part.name for part in parts),
        description="\n".join(part.description for part in parts if part.description),
        domain=domains.pop() if len(domains) == 1 else "several",
        origin="joined",
        tools=with_unique_names([tool for part in parts for tool in part.tools]),
        parts=parts,
    )


def crosses(server: ToolServer, chain: Chain) -> bool:
    """Whether a chain uses tools of more than one part."""
    return len({server.part_of(name)[0].id for name in chain.tools}) > 1
