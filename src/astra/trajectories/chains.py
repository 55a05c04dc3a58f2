"""Chains: weighted, length-bounded random walks on a tool-call graph, and the checks that they must pass."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

from pydantic import Field, model_validator

from astra.errors import Rejected
from astra.model import Chain, Edge, JsonObject, Noun, Tool, ToolGraph, ToolServer, content_id, seeded
from astra.teachers.questions import ChainVerdict, DescribeChain, JudgeChain, JudgeService, Teacher

_TRIES = 12  # walks for each chain asked for: some are too short, some come up twice
_STATED_PROPERTIES = 6  # an object with more properties is more than a user would state
_STATED_DEPTH = 2  # levels of objects and lists that a user would state
_RETURNED = ("typed-output", "verb-noun")  # evidence that the value is in a result

Check = Literal["rule", "vote", "back-translation"]
BY_MODEL: frozenset[Check] = frozenset({"vote", "back-translation"})
"""Checks that only a language model can make."""


class ChainConfig(Noun):
    """Random walks on each server's graph, and what they must pass."""

    per_server: int = Field(default=8, ge=0)  # candidates
    min_length: int = Field(default=2, ge=1)  # tools in a chain
    max_length: int = Field(default=4, ge=1)
    acyclic: bool = True  # no tool twice
    across_servers: int = Field(default=0, ge=0)  # pairs of servers to be joined, each with chains over both
    checks: tuple[Check, ...] | None = None  # in this order; None: all that the teacher can make
    votes: int = Field(default=3, ge=1)  # of one chain
    min_votes: float = Field(default=0.6, ge=0, le=1)  # share of the votes given that must be for it

    @model_validator(mode="after")
    def _lengths_in_order(self) -> ChainConfig:
        if self.min_length > self.max_length:
            raise ValueError("min_length is larger than max_length")
        return self


def sample_chains(graph: ToolGraph, config: ChainConfig, *, seed: str | int) -> list[Chain]:
    """Up to `per_server` different chains of the graph; the same for the same seed.

    Each walk draws its length and its first tool (by the weight of what leaves it), then follows edges by weight. Paths
    are never enumerated, so a dense graph costs no more than a sparse one.
    """
    low, high = config.min_length, config.max_length
    leaving: dict[str, list[Edge]] = defaultdict(list)
    for edge in graph.edges:
        if edge.weight > 0:
            leaving[edge.source].append(edge)
    rng = seeded(seed, "chains", graph.server)
    chains: dict[tuple[str, ...], Chain] = {}
    for _ in range(_TRIES * config.per_server):
        if len(chains) >= config.per_server:
            break
        walk = _walk(graph, leaving, rng, rng.randint(low, high), config.acyclic)
        if walk is not None and low <= len(walk[0]) <= high:
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


async def verify_chain(
    server: ToolServer, chain: Chain, teacher: Teacher, config: ChainConfig, *, checks: Sequence[Check], language: str
) -> Chain:
    """The chain, if it passes the checks, one after the other: the cheap ones come first.

    Raises:
        Rejected: what `check_chain` finds, `voted-down`, `not-served`, or the teacher's own reason.
    """
    if "rule" in checks:
        check_chain(server, chain)
    tools = tuple(tool for name in chain.tools if (tool := server.tool(name)) is not None)
    if "vote" in checks:
        await _vote(teacher, chain, tools, config)
    if "back-translation" in checks:
        described = await teacher.answer(DescribeChain(tools=tools, language=language))
        service = await teacher.answer(JudgeService(request=described.request, tools=tools))
        if not service.serves:
            raise Rejected("not-served", f"The chain does not serve its own request: {service.why}", described.request)
    return chain


async def _vote(teacher: Teacher, chain: Chain, tools: tuple[Tool, ...], config: ChainConfig) -> None:
    """An answer that can't be used is no vote; with fewer than half of the votes given, nothing is decided."""
    questions = [JudgeChain(tools=tools, seed=f"{chain.id}/vote {number}") for number in range(1, config.votes + 1)]
    answers = await asyncio.gather(*(teacher.answer(question) for question in questions), return_exceptions=True)
    verdicts: list[ChainVerdict] = []
    for answer in answers:
        if isinstance(answer, ChainVerdict):
            verdicts.append(answer)
        elif not isinstance(answer, Rejected):
            raise answer
    if 2 * len(verdicts) < config.votes:
        raise Rejected("unverified", f"Only {len(verdicts)} of {config.votes} votes could be read.")
    against = [verdict for verdict in verdicts if not (verdict.dependency and verdict.coherence)]
    if 1 - len(against) / len(verdicts) < config.min_votes:
        sentence = f"{len(against)} of {len(verdicts)} votes are against it, one because: {against[0].why}"
        raise Rejected("voted-down", sentence)


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
