"""Who can feed whom, and walks along it."""

from __future__ import annotations

from typing import Literal

from astra.model.base import Noun

EvidenceKind = Literal["typed-output", "verb-noun", "shared-entity", "embedding", "proposal"]


class Evidence(Noun):
    """One reason to believe that an edge is there."""

    kind: EvidenceKind
    parameter: str | None  # of the target tool; None: no one said which
    field: str | None  # dotted path in the source's result, `[]` for any element; None: somewhere in its text
    weight: float  # > 0
    why: str


class Edge(Noun):
    """`source` can feed `target`: something it returns or makes is what a parameter of the target needs."""

    source: str  # tool name
    target: str
    weight: float  # sum of the evidence's weights
    evidence: tuple[Evidence, ...]


class ToolGraph(Noun):
    """G(s) = (V, E, w) of one server (paper section 2.2)."""

    server: str
    tools: tuple[str, ...]
    edges: tuple[Edge, ...]


class Chain(Noun):
    """A walk on the graph, with the evidence for each of its edges."""

    id: str
    server: str
    tools: tuple[str, ...]
    edges: tuple[Edge, ...]  # len(tools) - 1
