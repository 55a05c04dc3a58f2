"""Documents in = tools out + rejections; one bad tool never takes its server down."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astra.errors import Rejected
from astra.model import ServerDocument, ServerLaunch, Tool
from astra.trajectories.collect import ServerFilter, assemble_server, normalise_server, read_server_documents
from astra.trajectories.collect.names import LEGAL, legal_name, with_unique_names


def document(name: str) -> dict[str, object]:
    return {"name": name, "description": f"Tells the harbour master about {name}, in short.", "parameters": []}


def server(*documents: object, launch: ServerLaunch | None = None) -> ServerDocument:
    return ServerDocument(id="harbour", name="Harbour", origin="file", documents=documents, launch=launch)


def test_one_bad_tool_leaves_the_others_alone() -> None:
    collected = normalise_server(server(document("a"), 7, document("b"), {"name": "c"}, document("d")))
    assert collected.server is not None
    assert [tool.name for tool in collected.server.tools] == ["a", "b", "d"]
    assert [(r.stage, r.item, r.reason) for r in collected.rejections] == [
        ("tools", "harbour/1", "not-a-tool"),
        ("tools", "harbour/3", "no-description"),
    ]


def test_a_server_that_falls_takes_its_usable_tools_with_it_on_the_record() -> None:
    collected = normalise_server(server(document("a"), document("b"), None))
    assert collected.server is None
    assert [(r.stage, r.item, r.reason) for r in collected.rejections] == [
        ("tools", "harbour/2", "not-a-tool"),
        ("tools", "harbour/0", "server-too-small"),
        ("tools", "harbour/1", "server-too-small"),
        ("servers", "harbour", "server-too-small"),
    ]


def test_a_live_server_may_be_smaller() -> None:
    live = server(document("a"), document("b"), launch=ServerLaunch(command="harbour"))
    assert normalise_server(live).server is not None
    with pytest.raises(Rejected, match="5 are needed"):
        assemble_server(live, [], ServerFilter(min_live_tools=5))


def test_the_very_same_tool_twice_counts_once() -> None:
    collected = normalise_server(server(document("a"), document("a"), document("b"), document("c")))
    assert [r.reason for r in collected.rejections] == ["duplicate-tool"]


def test_namesakes_get_a_number_and_keep_their_own_name() -> None:
    tools = with_unique_names(
        [Tool(name=name, description=str(place), parameters={}) for place, name in enumerate(["a", "a", "a_2", "a"])]
    )
    assert [tool.name for tool in tools] == ["a", "a_2", "a_2_2", "a_3"]
    assert [tool.called for tool in tools] == ["a", "a", "a_2", "a"]


@given(st.lists(st.text(min_size=1) | st.sampled_from(["a", "a.b", "a b", "x" * 64, "x" * 65]), max_size=12))
def test_names_are_legal_unique_and_the_same_each_time(originals: list[str]) -> None:
    originals = [name.encode("utf-8", "replace").decode() for name in originals]
    tools = [Tool(name=legal_name(name), description="", parameters={}) for name in originals]
    names = [tool.name for tool in with_unique_names(tools)]
    assert all(LEGAL.fullmatch(name) for name in names)
    assert len(set(names)) == len(names)
    assert names == [tool.name for tool in with_unique_names(tools)]


def test_every_document_of_1700_crawled_servers_is_accounted_for(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = shared / "data" / "mcp_servers.jsonl.gz"
    servers = documents = kept = 0
    for entry in read_server_documents(file):
        assert isinstance(entry, ServerDocument)
        servers += 1
        documents += len(entry.documents)
        collected = normalise_server(entry)
        fallen = [r for r in collected.rejections if r.stage == "tools"]
        tools = collected.server.tools if collected.server else ()
        assert len(entry.documents) == len(tools) + len(fallen)
        assert len({r.item for r in fallen}) == len(fallen)
        assert (collected.server is None) == any(r.stage == "servers" for r in collected.rejections)
        assert all(r.reason and r.sentence for r in collected.rejections)
        kept += collected.server is not None
    assert (servers, documents) == (1700, 14372)
    assert kept > 800
    assert capsys.readouterr().out == ""
