"""Chains: weighted, length-bounded random walks on a tool-call graph, and the rule that keeps those that can be run."""

from __future__ import annotations

import random
from collections import defaultdict

from astra.errors import Rejected
from astra.model import Chain, Edge, JsonObject, ToolGraph, ToolServer, content_id, seeded

_TRIES = 12  # walks for each chain asked for: some are too short, some come up twice
_STATED_PROPERTIES = 6  # an object with more properties is more than a user would state
_STATED_DEPTH = 2  # levels of objects and lists that a user would state
_RETURNED = ("typed-output", "verb-noun", "proposal")  # evidence that the value is in a result


def sample_chains(
    graph: ToolGraph, *, count: int, min_length: int, max_length: int, acyclic: bool, seed: str | int
) -> list[Chain]:
    """Up to `count` different chains of `min_length` to `max_length` tools; the same for the same seed.

    Each walk draws its length and its first tool (by the weight of what leaves it), then follows edges by weight. Paths
    are never enumerated, so a dense graph costs no more than a sparse one.
    """
    leaving: dict[str, list[Edge]] = defaultdict(list)
    for edge in graph.edges:
        if edge.weight > 0:
            leaving[edge.source].append(edge)
    rng = seeded(seed, "chains", graph.server)
    chains: dict[tuple[str, ...], Chain] = {}
    for _ in range(_TRIES * count):
        if len(chains) >= count:
            break
        walk = _walk(graph, leaving, rng, rng.randint(min_length, max_length), acyclic)
        if walk is not None and min_length <= len(walk[0]) <= max_length:
            chains.setdefault(walk[0], _chain(graph, *walk))
    return list(chains.values())


def _walk(
    graph: ToolGraph, leaving: dict[str, list[Edge]], rng: random.Random, length: int, acyclic: bool
) -> tuple[tuple[str, ...], tuple[Edge, ...]] | None:
    starts = list(graph.tools) if length == 1 else [tool for tool in graph.tools if tool in leaving]
    if not starts:
        return None
    weights = [sum(edge.weight for edge in leaving.get(tool, ())) or 1.0 for tool in starts]
    tools = [rng.choices(starts, weights)[0]]
    edges: list[Edge] = []
    while len(tools) < length:
        onward = [edge for edge in leaving.get(tools[-1], ()) if not (acyclic and edge.target in tools)]
        if not onward:
            break
        edge = rng.choices(onward, [edge.weight for edge in onward])[0]
        edges.append(edge)
        tools.append(edge.target)
    return tuple(tools), tuple(edges)


def _chain(graph: ToolGraph, tools: tuple[str, ...], edges: tuple[Edge, ...]) -> Chain:
    return Chain(id=content_id("chain", [graph.server, *tools]), server=graph.server, tools=tools, edges=edges)


def check_chain(server: ToolServer, chain: Chain) -> Chain:
    """The chain, if every required argument of every tool can come from the task or from an earlier tool's result.

    Raises:
        Rejected: `unknown-tool`, `broken-chain`, `no-source`; the sentence names the tool and the parameter.
    """
    if len(chain.edges) != max(len(chain.tools) - 1, 0):
        raise Rejected("broken-chain", f"{chain.id} has {len(chain.tools)} tools but {len(chain.edges)} edges.")
    for source, target, edge in zip(chain.tools, chain.tools[1:], chain.edges, strict=False):
        if (edge.source, edge.target) != (source, target):
            raise Rejected("broken-chain", f"{chain.id} goes from {source} to {target} over another edge.")
    for place, name in enumerate(chain.tools):
        tool = server.tool(name)
        if tool is None:
            raise Rejected("unknown-tool", f"{chain.id} calls {name}, which {server.name!r} does not have.")
        before = chain.edges[place - 1].evidence if place else ()
        returned = {evidence.parameter for evidence in before if evidence.kind in _RETURNED}
        for parameter in tool.required:
            if parameter not in returned and not can_be_stated(tool.properties.get(parameter, {})):
                sentence = f"{name} requires {parameter}, which no user would state and no earlier tool returns."
                raise Rejected("no-source", sentence)
    return chain


def can_be_stated(schema: JsonObject, depth: int = 0) -> bool:
    """True if a user could say the value in a request: a scalar, a choice, a plain list or a shallow object."""
    if schema.get("enum") or "const" in schema or "default" in schema:
        return True
    arms = [arm for key in ("anyOf", "oneOf") for arm in schema.get(key, ())]
    if arms:
        return any(can_be_stated(arm, depth) for arm in arms if arm != {"type": "null"})
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    if "array" in kinds:
        return depth < _STATED_DEPTH and can_be_stated(schema.get("items") or {}, depth + 1)
    if "object" in kinds or "properties" in schema:
        properties = schema.get("properties", {})
        needed = [properties[name] for name in schema.get("required", ()) if name in properties]
        return (
            depth < _STATED_DEPTH
            and len(properties) > 0
            and len(needed) <= _STATED_PROPERTIES
            and all(can_be_stated(part, depth + 1) for part in needed or properties.values())
        )
    return True
