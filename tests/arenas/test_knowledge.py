"""Tables and solved problems as users have them, and those inside installed packages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from astra.arenas.knowledge import read_problems, read_table
from astra.arenas.packaged import packaged_tables
from astra.errors import BadInput
from astra.model import Rejection, SolvedProblem


def test_packaged_tables_have_keys_types_and_links() -> None:
    tables = {table.name: table for table in packaged_tables()}
    assert set(tables) == {"countries", "cities", "airports"}
    for table in tables.values():
        keys = [row[table.key] for row in table.rows]
        assert None not in keys and len(set(keys)) == len(keys) > 100
        kinds = {"text": str, "integer": int, "number": int | float}
        for column in table.columns:
            cells = [row[column.name] for row in table.rows if row[column.name] is not None]
            assert cells and all(isinstance(cell, kinds[column.type]) for cell in cells)
            if column.refers_to is not None:
                known = {row[tables[column.refers_to].key] for row in tables[column.refers_to].rows}
                assert len([cell for cell in cells if cell in known]) > 0.9 * len(cells)
    assert packaged_tables() is packaged_tables()


def test_a_capital_is_a_city_of_its_own_country() -> None:
    tables = {table.name: table for table in packaged_tables()}
    country_of = {row["name"]: row["country"] for row in tables["cities"].rows}
    capitals = {row["name"]: row["capital"] for row in tables["countries"].rows if row["capital"] is not None}
    assert len(capitals) > 200
    assert all(country_of[capital] == country for country, capital in capitals.items())
    assert "Bermuda" not in capitals  # the listed Hamilton is that of Canada


def test_a_csv_file_becomes_a_table(tmp_path: Path) -> None:
    (tmp_path / "fishing_boats.csv").write_text(
        '﻿name,Home Port,length m,speed\r\nAurora,Oakum,12,8.5\r\nKestrel,"Tarn, Bay",9,\r\nMerry,Oakum,15,7\r\n'
    )
    table = read_table(tmp_path / "fishing_boats.csv")
    assert (table.name, table.noun, table.plural, table.key) == (
        "fishing_boats",
        "fishing boat",
        "fishing boats",
        "name",
    )
    assert [(c.name, c.label, c.type) for c in table.columns] == [
        ("name", "name", "text"),
        ("home_port", "Home Port", "text"),
        ("length_m", "length m", "integer"),
        ("speed", "speed", "number"),
    ]
    assert table.rows[1] == {"name": "Kestrel", "home_port": "Tarn, Bay", "length_m": 9, "speed": None}


@pytest.mark.parametrize(
    ("cells", "kind", "value"),
    [
        (["-", "8.5", "7"], "number", None),
        (["1e999", "8.5", "7"], "text", "1e999"),
        (["9" * 5000, "8", "7"], "text", "9" * 5000),
        ([".", "8.5", "7"], "text", "."),
        (["e5", "8.5", "7"], "text", "e5"),
        ([".5", "-2e3", "7"], "number", 0.5),
        (["-3", "0", "7"], "integer", -3),
    ],
)
def test_only_cells_that_are_numbers_make_a_column_of_numbers(
    tmp_path: Path, cells: list[str], kind: str, value: object
) -> None:
    lines = [f"{name},{cell}" for name, cell in zip("ABC", cells, strict=True)]
    (tmp_path / "boats.csv").write_text("\n".join(["name,speed", *lines]))
    table = read_table(tmp_path / "boats.csv")
    assert (table.column("speed").type, table.rows[0]["speed"]) == (kind, value)


def test_a_blank_line_inside_a_cell_is_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "boats.csv").write_text('name,length\n"Aurora\n\nof Oakum",1\n\nKestrel,2\nMerry,3\n')
    assert [row["name"] for row in read_table(tmp_path / "boats.csv").rows] == [
        "Aurora\n\nof Oakum",
        "Kestrel",
        "Merry",
    ]


@pytest.mark.parametrize("form", ["list", "lines"])
def test_json_objects_become_a_table(tmp_path: Path, form: str) -> None:
    rows = [{"id": f"b{n}", "depth": n + 0.5, "zip": f"0{n}"} for n in range(4)]
    text = json.dumps(rows) if form == "list" else "\n".join(map(json.dumps, rows))
    (tmp_path / "berths.json").write_text(text)
    table = read_table(tmp_path / "berths.json")
    assert [column.type for column in table.columns] == ["text", "number", "text"]
    assert len(table.rows) == 4


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "", "header"),
        ("a.csv", "name,name\n1,2\n", "two columns"),
        ("a.csv", "name,length\nA,1\nB\n", "line 3"),
        ("a.csv", "name,length\n\nA,1\n\nB\n", "line 5"),
        ("a.csv", "name,length\nA,1\n" + "B" * 200_000 + ",2\n", "line 3: field larger"),
        ("--.csv", "name,length\nA,1\nB,2\nC,3\n", "file's name"),
        ("a.csv", "name,length\nA,1\nB,2\n", "too few"),
        ("a.csv", "kind,length\nA,1\nA,2\nA,3\n", "no row can be named"),
        ("a.json", "{broken", "neither CSV"),
        ("a.json", "[1, 2, 3]", "row 1"),
        ("a.json", "[]", "header"),
        ("a.json", "[" * 100_000, "neither CSV"),
        ("a.jsonl", '{"name": "\\ud800"}\n' * 3, "half a character"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_the_place(tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BadInput, match=words):
        read_table(tmp_path / name)


def test_every_line_of_problems_is_accounted_for(tmp_path: Path) -> None:
    good = {"question": "2 boats of 3?", "answer": "How many? ** There are <<2*3=6>>6.\n#### 6"}
    lines = [
        json.dumps(good),
        "{half",
        json.dumps({"question": "no answer"}),
        json.dumps(good | {"answer": "How many? ** six"}),
        json.dumps(good | {"answer": "six\n#### 6"}),
        json.dumps(good | {"answer": "#### 6"}),
        json.dumps(good | {"question": "2 boats\ud800 of 3?"}),
    ]
    (tmp_path / "p.jsonl").write_text("\n".join(lines))
    read = list(read_problems(tmp_path / "p.jsonl"))
    assert isinstance(read[0], SolvedProblem)
    assert read[0].steps[0].expressions == ("2*3=6",)
    reasons = [(entry.item, entry.reason) for entry in read if isinstance(entry, Rejection)]
    assert reasons == [
        ("p.jsonl:2", "not-json"),
        ("p.jsonl:3", "not-a-problem"),
        ("p.jsonl:4", "no-result"),
        ("p.jsonl:5", "no-sub-question"),
        ("p.jsonl:6", "no-steps"),
        ("p.jsonl:7", "not-a-problem"),
    ]
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(BadInput, match="nothing in it"):
        list(read_problems(tmp_path / "empty.jsonl"))
