"""Whatever a user's file holds, each part of it is a server, a rejection or a plain complaint."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from astra.errors import BadInput
from astra.model import Rejection, ServerDocument
from astra.trajectories.collect import read_launches, read_server_documents

TOOLS = [{"name": f"tool_{n}", "description": "Tells the time in the harbour."} for n in range(3)]


def read(path: Path, text: str) -> list[ServerDocument | Rejection]:
    path.write_text(text, encoding="utf-8")
    return list(read_server_documents(path))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"tools": TOOLS}),
        json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": TOOLS}}, indent=2),
        json.dumps(TOOLS, indent=2),
        "\n".join(json.dumps(tool) for tool in TOOLS),
        json.dumps([{"name": "harbour", "tools": TOOLS}]),
    ],
    ids=["tools/list", "json-rpc", "array", "lines", "servers"],
)
def test_tool_documents_become_one_server_named_after_the_file(tmp_path: Path, text: str) -> None:
    (server,) = read(tmp_path / "harbour.json", text)
    assert isinstance(server, ServerDocument)
    assert (server.id, server.name, len(server.documents)) == ("harbour", "harbour", 3)


def test_servers_a_line_keep_what_is_said_of_them_and_get_ids_of_their_own(tmp_path: Path) -> None:
    line = {
        "name": "Harbour",
        "description": "Berths.",
        "domain": "Travel",
        "document_source": "crawled",
        "tools": TOOLS,
    }
    path = tmp_path / "servers.jsonl.gz"
    lines = [line, {**line, "domain": "Ports"}, line, {"name": "Harbour (2)", "tools": []}]
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    first, second, copy, fourth = read_server_documents(path)
    assert isinstance(first, ServerDocument)
    assert isinstance(second, ServerDocument)
    assert isinstance(fourth, ServerDocument)
    assert (first.id, first.description, first.domain, first.origin) == ("Harbour", "Berths.", "Travel", "registry")
    assert (second.id, fourth.id) == ("Harbour (2)", "Harbour (2) (2)")
    assert isinstance(copy, Rejection)
    assert (copy.reason, copy.item) == ("duplicate-server", "servers.jsonl.gz, line 3")


def test_a_broken_line_is_a_rejection_that_names_file_and_line(tmp_path: Path) -> None:
    entries = read(tmp_path / "f.jsonl", '{"name": "a", "tools": []}\n{"name": \n\n7\n{"name": "b", "tools": []}\n')
    assert [type(entry) for entry in entries] == [ServerDocument, Rejection, Rejection, ServerDocument]
    assert [(e.item, e.reason) for e in entries if isinstance(e, Rejection)] == [
        ("f.jsonl, line 2", "not-json"),
        ("f.jsonl, line 4", "not-a-server"),
    ]


@pytest.mark.parametrize("text", ["", "\n  \n", "[]"])
def test_an_empty_file_is_bad_input(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match="nothing in it"):
        read(tmp_path / "f.json", text)


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        list(read_server_documents(tmp_path / "gone.json"))


def test_launches_are_read_from_the_file_that_every_client_uses(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"git": {"command": "git-mcp", "args": ["-r", "."], "disabled": False}}}))
    launch = read_launches(path)["git"]
    assert (launch.command, launch.args) == ("git-mcp", ("-r", "."))
    for text in (
        "{",
        "{}",
        '{"mcpServers": {}}',
        '{"mcpServers": {"git": {"args": []}}}',
        '{"mcpServers": {"git": 1}}',
    ):
        path.write_text(text)
        with pytest.raises(BadInput, match=r"mcp\.json"):
            read_launches(path)
