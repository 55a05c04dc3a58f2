"""Walks keep to the graph and to their bounds; a chain is kept only if each of its arguments has a source."""

from __future__ import annotations

import time
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astra.errors import Rejected
from astra.model import Chain, Edge, Evidence, JsonObject, Tool, ToolGraph, ToolServer
from astra.model.graph import EvidenceKind
from astra.trajectories.chains import ChainConfig, can_be_stated, check_chain, sample_chains


def edge(
    source: str, target: str, weight: float = 1.0, parameter: str = "p", kind: EvidenceKind = "typed-output"
) -> Edge:
    evidence = Evidence(kind=kind, parameter=parameter, field="f", weight=1.0, why="It returns that.")
    return Edge(source=source, target=target, weight=weight, evidence=(evidence,))


@st.composite
def graphs(draw: st.DrawFn) -> ToolGraph:
    tools = tuple("abcdefg"[: draw(st.integers(1, 7))])
    pairs = draw(st.lists(st.tuples(st.sampled_from(tools), st.sampled_from(tools)), unique=True, max_size=20))
    weights = st.sampled_from([0.0, 0.001, 0.5, 1.0, 40.0])
    edges = tuple(edge(a, b, draw(weights)) for a, b in pairs if a != b)
    return ToolGraph(server="s", tools=tools, edges=edges)


@given(graphs(), st.integers(1, 4), st.integers(0, 4), st.booleans(), st.integers())
@settings(max_examples=200, deadline=None)
def test_walks_keep_to_the_graph_and_to_their_bounds(
    graph: ToolGraph, shortest: int, more: int, acyclic: bool, seed: int
) -> None:
    config = ChainConfig(per_server=6, min_length=shortest, max_length=shortest + more, acyclic=acyclic)
    chains = sample_chains(graph, config, seed=seed)
    assert chains == sample_chains(graph, config, seed=seed)
    assert len(chains) <= 6
    assert len({chain.tools for chain in chains}) == len({chain.id for chain in chains}) == len(chains)
    there = {(e.source, e.target): e for e in graph.edges if e.weight > 0}
    for chain in chains:
        assert shortest <= len(chain.tools) <= shortest + more
        pairs = list(pairwise(chain.tools))
        assert [there.get(pair) for pair in pairs] == list(chain.edges)
        assert not acyclic or len(set(chain.tools)) == len(chain.tools)


def test_heavy_edges_are_walked_more_often() -> None:
    graph = ToolGraph(server="s", tools=("a", "b", "c"), edges=(edge("a", "b", 9.0), edge("a", "c", 1.0)))
    config = ChainConfig(per_server=1, min_length=2, max_length=2)
    seen = Counter(sample_chains(graph, config, seed=n)[0].tools[-1] for n in range(300))
    assert 240 < seen["b"] < 295


def test_a_dense_graph_costs_no_more_than_a_sparse_one() -> None:
    tools = tuple(f"t{n}" for n in range(60))
    graph = ToolGraph(server="s", tools=tools, edges=tuple(edge(a, b) for a in tools for b in tools if a != b))
    start = time.perf_counter()
    chains = sample_chains(graph, ChainConfig(per_server=50, min_length=5, max_length=8, acyclic=False), seed="1")
    assert len(chains) == 50
    assert time.perf_counter() - start < 2


def test_another_seed_gives_other_chains() -> None:
    tools = tuple("abcdef")
    graph = ToolGraph(server="s", tools=tools, edges=tuple(edge(a, b) for a in tools for b in tools if a != b))
    config = ChainConfig(per_server=5, min_length=3, max_length=4)
    assert sample_chains(graph, config, seed="1") != sample_chains(graph, config, seed="2")


DEEP = {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "object"}}}}}


def server(**needed: JsonObject) -> ToolServer:
    """Tools named by the keywords, each with one required parameter `p` of that schema."""
    tools = tuple(
        Tool(
            name=name,
            description="",
            parameters={"type": "object", "properties": {"p": schema, "q": DEEP}, "required": ["p"]},
        )
        for name, schema in needed.items()
    )
    return ToolServer(id="s", name="S", origin="file", tools=tools)


def chain(*tools: str, parameter: str = "p", kind: EvidenceKind = "typed-output") -> Chain:
    edges = tuple(edge(a, b, parameter=parameter, kind=kind) for a, b in pairwise(tools))
    return Chain(id="chain-1", server="s", tools=tools, edges=edges)


def test_arguments_come_from_the_task_or_from_an_earlier_result() -> None:
    text, harbour = {"type": "string"}, server(a={"type": "string"}, b=DEEP)
    assert check_chain(server(a=text, b=text), chain("a", "b")) == chain("a", "b")
    assert check_chain(harbour, chain("a", "b")) == chain("a", "b")


@pytest.mark.parametrize(
    ("walk", "reason", "words"),
    [
        (chain("b", "a"), "no-source", "b requires p"),
        (chain("a", "b", parameter="q"), "no-source", "b requires p"),
        (chain("b", "a", "b"), "no-source", "b requires p"),
        (chain("a", "b", kind="shared-entity"), "no-source", "b requires p"),
        (chain("a", "gone"), "unknown-tool", "gone"),
        (Chain(id="chain-1", server="s", tools=("a", "b"), edges=()), "broken-chain", "0 edges"),
        (Chain(id="chain-1", server="s", tools=("a", "b"), edges=(edge("b", "a"),)), "broken-chain", "another edge"),
    ],
)
def test_a_chain_that_cannot_be_run_is_rejected_by_tool_and_parameter(walk: Chain, reason: str, words: str) -> None:
    with pytest.raises(Rejected, match=words) as rejected:
        check_chain(server(a={"type": "string"}, b=DEEP), walk)
    assert rejected.value.reason == reason


@pytest.mark.parametrize(
    ("schema", "stated"),
    [
        ({"type": "string"}, True),
        ({"enum": ["a", "b"]}, True),
        ({"type": "array", "items": {"type": "string"}}, True),
        ({"type": "object", "properties": {"a": {"type": "integer"}}}, True),
        ({"type": ["object", "null"], "properties": {"a": {"type": "integer"}}}, True),
        ({"anyOf": [DEEP, {"type": "string"}]}, True),
        ({"type": "object"}, False),
        (DEEP, False),
        ({"type": "array", "items": DEEP}, False),
        ({"anyOf": [DEEP, {"type": "null"}]}, False),
    ],
)
def test_a_user_states_what_is_simple(schema: JsonObject, stated: bool) -> None:
    assert can_be_stated(schema) is stated
