"""Running a run and showing what came of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.text import Text

from astra.cli.console import console, estimate_table, notes, product_table, show_json, stage_table

if TYPE_CHECKING:
    from astra.runs.config import RunConfig
    from astra.runs.road_one import Step

STOPPED = 3
"""Exit code of a run that can't go on now and can be resumed."""


def finish(
    folder: Path,
    config: RunConfig | None,
    as_json: bool,
    *,
    changes: dict[str, Any] | None = None,
    until: Step | None = None,
) -> None:
    """Start (with a config) or resume a run, show progress, then the summary."""
    from astra.engine import Bars
    from astra.errors import RunStopped
    from astra.runs.pipeline import resume, start
    from astra.runs.run import FAULTS

    again = f"go on with [bold]astra run --resume {folder}[/bold]"
    with Bars(notes) as bars:
        try:
            if config is None:
                summary = asyncio.run(resume(folder, bars, changes=changes, until=until))
            else:
                summary = asyncio.run(start(folder, config, bars, until=until))
        except KeyboardInterrupt:
            notes.print(f"Stopped. Nothing is lost: {again}")
            raise typer.Exit(130) from None
        except RunStopped as error:
            notes.print(Text(f"Stopped ({error.code}): {error}"), style="yellow")
            notes.print(f"Nothing is lost: {again}, with a higher cap or another endpoint if need be.")
            raise typer.Exit(STOPPED) from None
    if as_json:
        show_json(summary)
    else:
        console.print(stage_table(summary["stages"]))
        console.print(product_table(str(folder), summary["products"]))
        if spent := summary.get("spent"):
            console.print(
                f"{spent['questions']:,} questions asked, {spent['tokens']:,} tokens, cost {spent['cost']:.4f}",
                highlight=False,
            )
    faults = sum(stage["rejected"].get("internal-error", 0) for stage in summary["stages"])
    if faults:
        notes.print(Text(f"{faults} items met an error of ASTRA's own: see {folder / FAULTS}"), style="red")
        raise typer.Exit(1)


def estimate(config: RunConfig, as_json: bool) -> None:
    """Show what a run would ask of its models."""
    from astra.engine import Bars
    from astra.runs.dry_run import dry_run

    with Bars(notes) as bars:
        found = asyncio.run(dry_run(config, bars))
    if as_json:
        show_json(found.model_dump(mode="json"))
    else:
        console.print(estimate_table(found))
