"""A whole run: both roads, one after the other, in one folder."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from astra.engine import Ledger, Reporter
from astra.errors import BadInput
from astra.llm.embed import WordLlamaEmbedder
from astra.runs.config import RunConfig, read_config
from astra.runs.knowledge import Knowledge, read_knowledge
from astra.runs.road_one import make_trajectories
from astra.runs.road_two import make_arenas
from astra.runs.run import LEDGER, Run, create, reopen
from astra.runs.sources import Source, sources
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
    given = _Given.read(config)
    create(folder, config)
    return await _finish(folder, config, given, reporter)


async def resume(folder: Path, reporter: Reporter) -> dict[str, Any]:
    """Finish a run that was stopped at any moment; its products are those of a run that was not.

    Raises:
        BadInput: no run is there, its inputs have changed, or another process is at work on it.
    """
    config = reopen(folder)
    return await _finish(folder, config, _Given.read(config), reporter)


@dataclass(frozen=True)
class _Given:
    """What both roads start from, read before a folder is touched."""

    sources: list[Source]
    knowledge: Knowledge

    @classmethod
    def read(cls, config: RunConfig) -> _Given:
        given = cls(sources(config), read_knowledge(config.inputs))
        if not (given.sources or given.knowledge.tables or given.knowledge.problems):
            raise BadInput("there is nothing to work on: name --servers, --live, --botocore, --tables or --traces")
        return given


async def _finish(folder: Path, config: RunConfig, given: _Given, reporter: Reporter) -> dict[str, Any]:
    """Both roads, each if there is something to start it from."""
    teacher = GroundedTeacher(WordLlamaEmbedder())
    with Ledger(folder / LEDGER) as ledger:
        run = Run.of(folder, config, ledger, reporter)
        if given.sources:
            await make_trajectories(run, teacher, given.sources)
        if given.knowledge.tables or given.knowledge.problems:
            await make_arenas(run, teacher, given.knowledge)
        return run.finish()
