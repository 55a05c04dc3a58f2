"""A whole run on a small input of our own: its folder, its accounts, its bytes."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from astra.engine import Ledger, Silent, read_jsonl
from astra.errors import BadInput
from astra.model import Arena, Rejection, Task, ToolServer, Trajectory
from astra.runs.config import RunConfig, checked_config, override, read_config
from astra.runs.pipeline import quickstart_config, resume, start
from astra.runs.run import LEDGER, reopen

HARBOUR = Path(__file__).resolve().parents[2] / "examples" / "harbour"
PRODUCTS = (
    "tools.jsonl",
    "graph.json",
    "chains.jsonl",
    "tasks.jsonl",
    "trajectories.jsonl",
    "sft.jsonl",
    "traces.jsonl",
    "arenas.jsonl",
    "rejections.jsonl",
)


def settings(folder: Path = HARBOUR, **inputs: Any) -> RunConfig:
    given = {
        "servers": [str(folder / "tools.json")],
        "tables": [str(folder / "ships.csv")],
        "traces": [str(folder / "problems.jsonl")],
    }
    return checked_config({"inputs": given | inputs, "arenas": {"traces": 12, "distractors": 2}}, "test")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "harbour"
    asyncio.run(start(folder, settings(), Silent()))
    return folder


def products(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in PRODUCTS}


def test_a_run_leaves_all_its_files(finished: Path) -> None:
    names = {path.name for path in finished.iterdir()}
    assert names == {*PRODUCTS, "run.toml", "inputs.json", "ledger.sqlite", "summary.json"}
    assert list(read_jsonl(finished / "tools.jsonl", ToolServer))
    assert list(read_jsonl(finished / "tasks.jsonl", Task))
    trajectories = list(read_jsonl(finished / "trajectories.jsonl", Trajectory))
    assert trajectories and all(t.scores is not None for t in trajectories)
    arenas = list(read_jsonl(finished / "arenas.jsonl", Arena))
    assert arenas and all(arena.certificate is not None and arena.certificate.passed for arena in arenas)


def test_every_stage_accounts_for_every_item(finished: Path) -> None:
    summary = json.loads((finished / "summary.json").read_text())
    rejections = list(read_jsonl(finished / "rejections.jsonl", Rejection))
    for stage in summary["stages"]:
        assert stage["in"] == stage["out"] + sum(stage["rejected"].values()), stage
        assert sum(stage["rejected"].values()) == sum(r.stage == stage["stage"] for r in rejections)
    assert summary["products"]["arenas.jsonl"] == len((finished / "arenas.jsonl").read_text().splitlines())
    assert all(rejection.sentence for rejection in rejections)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(finished: Path, tmp_path: Path) -> None:
    asyncio.run(start(tmp_path / "again", settings(), Silent()))
    assert products(tmp_path / "again") == products(finished)
    asyncio.run(start(tmp_path / "other", override(settings(), {"seed": 7}), Silent()))
    assert (tmp_path / "other" / "arenas.jsonl").read_bytes() != (finished / "arenas.jsonl").read_bytes()


def test_no_path_and_no_time_of_this_machine_is_in_a_product(finished: Path) -> None:
    for name, content in products(finished).items():
        assert str(finished).encode() not in content, name
        assert time.strftime("%Y-%m-%dT").encode() not in content, name


SCRIPT = """
import asyncio, sys
from pathlib import Path
sys.path[:0] = [sys.argv[2]]
from test_run import settings
from astra.engine import Silent
from astra.runs.pipeline import resume, start
folder = Path(sys.argv[1])
asyncio.run(resume(folder, Silent()) if (folder / "run.toml").exists() else start(folder, settings(), Silent()))
"""


def test_a_run_that_is_killed_again_and_again_ends_with_the_same_bytes(finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    command = [sys.executable, "-c", SCRIPT, str(folder), str(Path(__file__).parent)]
    kills = 0
    for fewest in (3, 12, 25, 60):  # outcomes on record at which the process is killed
        process = subprocess.Popen(command, env=dict(os.environ))
        while process.poll() is None:
            if _recorded(folder / LEDGER) >= fewest:
                process.send_signal(signal.SIGKILL)
            time.sleep(0.01)
        kills += process.returncode == -signal.SIGKILL
    assert kills >= 2
    asyncio.run(resume(folder, Silent()))
    assert products(folder) == products(finished)


def _recorded(path: Path) -> int:
    """Outcomes in a copy of the ledger: the ledger itself is locked by the run."""
    if not path.exists():
        return 0
    copy = path.with_name("copy.sqlite")
    try:
        for suffix in ("", "-wal"):
            shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
        with Ledger(copy) as ledger:
            return sum(len(ledger.outcomes(stage)) for stage in ("tools", "chains", "tasks", "traces", "certify"))
    except (OSError, BadInput):
        return 0
    finally:
        for left in copy.parent.glob("copy.sqlite*"):
            left.unlink(missing_ok=True)


def test_a_finished_run_can_be_resumed_and_stays_as_it_is(finished: Path) -> None:
    before = products(finished)
    asyncio.run(resume(finished, Silent()))
    assert products(finished) == before


def test_a_folder_that_holds_something_is_not_written_into(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(BadInput, match="not empty"):
        asyncio.run(start(tmp_path, settings(), Silent()))


def test_a_run_whose_input_has_changed_is_not_resumed(tmp_path: Path) -> None:
    shutil.copytree(HARBOUR, tmp_path / "input")
    asyncio.run(start(tmp_path / "run", settings(tmp_path / "input"), Silent()))
    with (tmp_path / "input" / "ships.csv").open("a") as file:
        file.write("Late Arrival,LA99,Northhaven,77,20\n")
    with pytest.raises(BadInput, match=r"ships\.csv has changed"):
        reopen(tmp_path / "run")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed = 'x'", "seed"),
        ("sead = 3", "sead"),
        ("[inputs]\nserver = []", "inputs.server"),
        ("[rollouts]\nfailure_rate = 1.5", "rollouts.failure_rate"),
        ("[chains]\nmin_length = 4\nmax_length = 2", "min_length"),
        ("seed = ", "TOML"),
    ],
)
def test_settings_that_can_not_be_are_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "run.toml").write_text(text)
    with pytest.raises(BadInput, match=message):
        read_config(tmp_path / "run.toml")


def test_a_missing_input_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere\.csv"):
        asyncio.run(start(tmp_path / "run", settings(tables=["nowhere.csv"]), Silent()))


@pytest.mark.parametrize(("name", "text"), [("tables", "name,length\n"), ("live", "{}"), ("traces", "")])
def test_an_input_that_can_not_be_used_is_said_before_a_folder_is_made(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "input.csv").write_text(text)
    with pytest.raises(BadInput, match=r"input\.csv"):
        asyncio.run(start(tmp_path / "run", settings(**{name: [str(tmp_path / "input.csv")]}), Silent()))
    assert not (tmp_path / "run").exists()


def test_a_run_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nothing to work on"):
        asyncio.run(start(tmp_path / "run", RunConfig(), Silent()))


def test_the_quickstart_asks_for_what_the_readme_promises() -> None:
    config = quickstart_config()
    assert config.inputs.live == config.inputs.tables == config.inputs.traces == ("packaged",)
    assert config.rollouts.failure_rate == 0.20


def test_sft_data_load_in_datasets(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason="datasets is not installed: pip install 'astra-arenas[dev]'")
    loaded = datasets.load_dataset(
        "json", data_files=str(finished / "sft.jsonl"), split="train", cache_dir=str(tmp_path)
    )
    lines = [json.loads(line) for line in (finished / "sft.jsonl").read_text().splitlines()]
    assert len(loaded) == len(lines)
    for row, line in zip(loaded, lines, strict=True):
        assert row["messages"] == line["messages"]
        assert row["tools"] == line["tools"]
