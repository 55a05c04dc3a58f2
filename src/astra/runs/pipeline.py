"""A whole run: both roads, one after the other, in one folder."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

from astra.engine import Ledger, Reporter
from astra.llm.embed import WordLlamaEmbedder
from astra.runs.config import RunConfig, read_config
from astra.runs.road_one import make_trajectories
from astra.runs.road_two import make_arenas
from astra.runs.run import LEDGER, Run, create, reopen
from astra.teachers.grounded.teacher import GroundedTeacher


def quickstart_config() -> RunConfig:
    """The settings of the main job: offline, on what installed packages hold."""
    with resources.as_file(resources.files("astra.runs") / "quickstart.toml") as path:
        return read_config(path)


async def start(folder: Path, config: RunConfig, reporter: Reporter) -> dict[str, Any]:
    """Begin a run in a new folder and finish it; returns its summary.

    Raises:
        BadInput: the folder is not empty, or an input can't be used.
    """
    create(folder, config)
    return await _finish(folder, config, reporter)


async def resume(folder: Path, reporter: Reporter) -> dict[str, Any]:
    """Finish a run that was stopped at any moment; its products are those of a run that was not.

    Raises:
        BadInput: no run is there, its inputs have changed, or another process is at work on it.
    """
    return await _finish(folder, reopen(folder), reporter)


async def _finish(folder: Path, config: RunConfig, reporter: Reporter) -> dict[str, Any]:
    teacher = GroundedTeacher(WordLlamaEmbedder())
    with Ledger(folder / LEDGER) as ledger:
        run = Run.of(folder, config, ledger, reporter)
        await make_trajectories(run, teacher)
        await make_arenas(run, teacher)
        return run.finish()
