"""A whole run: both roads, one after the other, in one folder."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from astra.engine import Ledger, Reporter
from astra.errors import BadInput, RunStopped
from astra.runs.cast import Cast, opened_cast
from astra.runs.config import RunConfig, override, read_config, write_config
from astra.runs.knowledge import Knowledge, read_knowledge
from astra.runs.road_one import STEPS, Step, make_trajectories
from astra.runs.road_two import make_arenas
from astra.runs.run import CONFIG, LEDGER, Run, create, reopen
from astra.runs.sources import Source, sources


def quickstart_config() -> RunConfig:
    """The settings of the main job: offline, on what installed packages hold."""
    with resources.as_file(resources.files("astra.runs") / "quickstart.toml") as path:
        return read_config(path)


async def start(folder: Path, config: RunConfig, reporter: Reporter, *, until: Step | None = None) -> dict[str, Any]:
    """Begin a run in a new folder and finish it; returns its summary.

    Args:
        until: go road 1 alone, up to this step.

    Raises:
        BadInput: the folder is not empty, or an input or endpoint can't be used.
        RunStopped: it can't go on now; `resume` finishes it later.
    """
    given = _Given.read(config)
    create(folder, config)
    return await _finish(folder, config, given, reporter, until)


async def resume(
    folder: Path, reporter: Reporter, *, changes: dict[str, Any] | None = None, until: Step | None = None
) -> dict[str, Any]:
    """Finish a run that was stopped at any moment; its products are those of a run that was not.

    Args:
        changes: settings to be changed; the stages that depend on them are worked on again.
        until: go road 1 alone, up to this step.

    Raises:
        BadInput: no run is there, its inputs have changed, or another process is at work on it.
        RunStopped: it can't go on now; `resume` finishes it later.
    """
    config = reopen(folder)
    changed = override(config, changes or {})
    if changed.inputs != config.inputs or changed.seed != config.seed:
        raise BadInput(f"the run in {folder} was begun with other inputs: start a new run with --out")
    if changed != config:
        write_config(changed, folder / CONFIG)
    return await _finish(folder, changed, _Given.read(changed), reporter, until)


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


async def _finish(
    folder: Path, config: RunConfig, given: _Given, reporter: Reporter, until: Step | None
) -> dict[str, Any]:
    """Both roads, each if there is something to start it from."""
    async with opened_cast(config, folder) as cast:
        reporter.note = cast.spending.note
        with Ledger(folder / LEDGER) as ledger:
            run = Run.of(folder, config, ledger, reporter, cast.spending)
            try:
                await _go(run, cast, given, until)
            except RunStopped as error:
                run.finish(stopped=str(error))
                raise
            return run.finish()


async def _go(run: Run, cast: Cast, given: _Given, until: Step | None) -> None:
    if given.sources:
        await make_trajectories(run, cast, given.sources, until=until or STEPS[-1])
    if until is None and (given.knowledge.tables or given.knowledge.problems):
        await make_arenas(run, cast.grounded, given.knowledge)
