"""Graphs are asked for, held to their server, saved, loaded and drawn."""

from __future__ import annotations

import asyncio
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from astra.errors import BadInput, Rejected
from astra.model import Edge, Evidence, Tool, ToolGraph, ToolServer
from astra.teachers.questions import Question, ToolLinks
from astra.trajectories.drawing import draw_graph
from astra.trajectories.graph import GraphRequest, build_graph, load_graphs, save_graphs


def edge(source: str, target: str, weight: float = 1.0, parameter: str = "p") -> Edge:
    evidence = Evidence(kind="proposal", parameter=parameter, field=None, weight=weight, why=f"{source} & <{target}>.")
    return Edge(source=source, target=target, weight=weight, evidence=(evidence,))


class Proposes:
    """A teacher that answers with these edges, right or wrong."""

    name = "proposes"

    def __init__(self, *edges: Edge) -> None:
        self._edges = edges

    async def answer(self, question: Question[Any]) -> Any:
        return ToolLinks(edges=self._edges)


PARAMETERS = {"type": "object", "properties": {"p": {"type": "string"}}}
SERVER = ToolServer(
    id="harbour",
    name="Harbour",
    origin="file",
    tools=tuple(Tool(name=name, description="", parameters=PARAMETERS) for name in "abc"),
)

REQUEST = GraphRequest(id="harbour", server=SERVER)


def test_a_teachers_edges_are_held_to_the_server() -> None:
    good = edge("a", "b")
    wrong = (edge("a", "a"), edge("a", "gone"), edge("gone", "a"), edge("b", "c", parameter="q"), edge("b", "c", 0.0))
    graph = asyncio.run(build_graph(REQUEST, Proposes(good, *wrong)))
    assert graph == ToolGraph(server="harbour", tools=("a", "b", "c"), edges=(good,))


def test_a_server_without_edges_is_rejected() -> None:
    with pytest.raises(Rejected) as rejected:
        asyncio.run(build_graph(REQUEST, Proposes(edge("a", "a"))))
    assert rejected.value.reason == "no-edges"


def test_graphs_come_back_from_disk_as_they_were(tmp_path: Path) -> None:
    graphs = [ToolGraph(server=name, tools=("a", "b"), edges=(edge("a", "b"),)) for name in ("one", "two")]
    path = tmp_path / "graph.json"
    save_graphs(path, graphs)
    assert load_graphs(path) == graphs
    assert load_graphs(path, servers=["two"]) == graphs[1:]
    with pytest.raises(BadInput, match="'three'; it has one, two"):
        load_graphs(path, servers=["three"])


@pytest.mark.parametrize("text", ["{", "{}", '[{"server": 1}]'])
def test_a_file_without_graphs_is_bad_input(tmp_path: Path, text: str) -> None:
    path = tmp_path / "graph.json"
    path.write_text(text)
    with pytest.raises(BadInput, match="no tool-call graphs"):
        load_graphs(path)
    with pytest.raises(BadInput, match="can't be read"):
        load_graphs(tmp_path / "gone.json")


def test_a_drawing_is_well_formed_escapes_its_text_and_is_the_same_each_time() -> None:
    graph = ToolGraph(server="<script>&", tools=("a<b", "c&d"), edges=(edge("a<b", "c&d"),))
    drawing = draw_graph([graph, graph])
    texts = [element.text for element in ET.fromstring(drawing).iter() if element.tag.endswith("}text")]
    assert {"<script>&", "a<b", "c&d"} <= set(texts)
    assert drawing == draw_graph([graph, graph])


def test_of_a_large_graph_the_most_linked_tools_are_drawn() -> None:
    names = tuple(f"tool_{n}" for n in range(300))
    edges = tuple(edge(a, b, 1 + n / 10) for n, (a, b) in enumerate(pairwise(names)))
    drawing = draw_graph([ToolGraph(server="large", tools=names, edges=edges)], max_nodes=20)
    assert drawing.count("<circle") == 20
    assert "280 tools not drawn" in drawing
    assert ">tool_298<" in drawing


def test_nothing_to_draw_is_an_empty_picture() -> None:
    ET.fromstring(draw_graph([]))
    ET.fromstring(draw_graph([ToolGraph(server="s", tools=(), edges=())]))
