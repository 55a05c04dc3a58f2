"""The commands as a user meets them: what they print, and their exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HARBOUR = Path(__file__).resolve().parents[2] / "examples" / "harbour"


def astra(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "astra", *map(str, arguments)], capture_output=True, text=True, check=False
    )


def shown(*arguments: str | Path, code: int = 0) -> Any:
    """The JSON that a command prints."""
    done = astra(*arguments, "--json")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "run"
    done = astra(
        *("run", "--out", folder, "--servers", HARBOUR / "tools.json", "--tables", HARBOUR / "ships.csv"),
        *("--traces", HARBOUR / "problems.jsonl", "--compose", "10"),
    )
    assert done.returncode == 0, done.stderr
    assert "certify" in done.stdout and "arenas.jsonl" in done.stdout
    assert "rejected" in done.stderr  # progress, a line a stage where there is no terminal
    return folder


@pytest.mark.parametrize(
    "command", ["", "run", "quickstart", "rollout", "tools import", "graph draw", "arenas certify"]
)
def test_help_is_there_for_every_command(command: str) -> None:
    done = astra(*command.split(), "--help")
    assert done.returncode == 0
    assert "Usage" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("arena",), 2, "arenas"),
        (("rollout", "nowhere.jsonl"), 2, "there is no such file"),
        (("rollout", HARBOUR / "ships.csv"), 2, "line 1"),
        (("rollout", HARBOUR / "problems.jsonl", "--policy", "wizard"), 2, "wizard"),
        (("arenas", "certify", HARBOUR / "problems.jsonl"), 2, "not a valid Arena"),
        (("tools", "import", "nowhere.json"), 2, "there is no such file"),
        (("graph", "draw", HARBOUR / "ships.csv"), 2, "no tool-call graphs"),
        (("run", "--resume", "nowhere"), 2, "holds no run"),
        (("run", "nowhere.toml"), 2, "there is no such file"),
        (("run", "--tables", "nowhere.csv"), 2, "nowhere.csv"),
    ],
)
def test_what_can_not_be_done_is_said_in_a_line(
    arguments: tuple[str | Path, ...], code: int, words: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "astra", *map(str, arguments)], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == code
    assert words in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_import_shows_servers_and_rejections(tmp_path: Path) -> None:
    broken = tmp_path / "tools.jsonl"
    good = [
        {
            "name": f"get_{thing}",
            "description": f"Look up one {thing} by its id and get all of its fields.",
            "inputSchema": {},
        }
        for thing in ("ship", "berth", "pilot")
    ]
    broken.write_text("\n".join([*map(json.dumps, good), "{half a line", '{"name": "nameless"}']))
    imported = shown("tools", "import", broken)
    assert [tool["name"] for tool in imported["servers"][0]["tools"]] == ["get_ship", "get_berth", "get_pilot"]
    assert sorted(rejection["reason"] for rejection in imported["rejections"]) == ["no-description", "not-json"]
    assert "no-description" in astra("tools", "import", broken, "--out", tmp_path / "out.jsonl").stdout
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 1


def test_certify_passes_what_a_run_made_and_catches_what_was_changed(run: Path, tmp_path: Path) -> None:
    verdicts = shown("arenas", "certify", run / "arenas.jsonl", "--limit", "3")
    assert [verdict["passed"] for verdict in verdicts] == [True] * 3
    arena = json.loads((run / "arenas.jsonl").read_text().splitlines()[0])
    arena["sub_tasks"][0]["answer"] = "somewhere else"
    (tmp_path / "changed.jsonl").write_text(json.dumps(arena) + "\n")
    [verdict] = shown("arenas", "certify", tmp_path / "changed.jsonl", code=1)
    assert verdict["tampered"] and not verdict["passed"]
    assert astra("arenas", "certify", tmp_path / "changed.jsonl").returncode == 1


def test_an_empty_file_of_arenas_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("")
    assert astra("arenas", "certify", tmp_path / "none.jsonl").returncode == 1


def test_rollout_bounds_the_scale(run: Path, tmp_path: Path) -> None:
    oracle = shown("rollout", run / "arenas.jsonl", "--out", tmp_path / "oracle.jsonl")
    assert (oracle["recall"], oracle["precision"], oracle["f1"]) == (1.0, 1.0, 1.0)
    assert shown("rollout", run / "arenas.jsonl", "--policy", "empty")["f1"] == 0.0
    assert shown("rollout", run / "arenas.jsonl", "--policy", "random")["f1"] < 0.1
    again = shown("rollout", run / "arenas.jsonl", "--policy", "replay", "--recording", tmp_path / "oracle.jsonl")
    assert again | {"policy": "oracle"} == oracle
    lost = astra("rollout", run / "arenas.jsonl", "--policy", "replay")
    assert (lost.returncode, "--recording" in lost.stderr) == (2, True)


def test_a_graph_is_drawn(run: Path, tmp_path: Path) -> None:
    assert astra("graph", "draw", run / "graph.json", "--out", tmp_path / "graph.svg").returncode == 0
    assert (tmp_path / "graph.svg").read_text().startswith("<svg")


def test_a_run_of_road_one_alone_needs_no_tables(tmp_path: Path) -> None:
    summary = shown("run", "--out", tmp_path / "run", "--servers", HARBOUR / "tools.json")
    assert summary["products"]["trajectories.jsonl"] > 0
    assert "arenas.jsonl" not in summary["products"]


def test_tools_of_a_run_can_be_its_successors_input(run: Path, tmp_path: Path) -> None:
    summary = shown("run", "--out", tmp_path / "run", "--servers", run / "tools.jsonl")
    assert summary["products"]["tools.jsonl"] == 1
