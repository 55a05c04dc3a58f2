"""`astra quickstart` and `astra run`. Rooms are imported when a command runs, so that `--help` is quick."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from astra.cli.console import console, notes, product_table, show_json, stage_table

if TYPE_CHECKING:
    from astra.runs.config import RunConfig

Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON and nothing else.")]
Seed = Annotated[int | None, typer.Option(help="Seed of everything random.", show_default="that of the settings")]
Out = Annotated[Path, typer.Option(help="Folder of the run; it must be new or empty.")]


def quickstart(
    out: Out = Path("runs/quickstart"),
    seed: Seed = None,
    as_json: Json = False,
) -> None:
    """Run both roads offline, on what installed packages hold: two to three minutes on two cores.

    A run that was stopped goes on where it was.
    """
    from astra.runs.config import override
    from astra.runs.pipeline import quickstart_config

    if (out / "run.toml").is_file():
        _finish(out, None, as_json)
    else:
        _finish(out, override(quickstart_config(), {"seed": seed}), as_json)


def run(
    config: Annotated[
        Path | None, typer.Argument(help="Settings (TOML); without them, those of the quickstart.")
    ] = None,
    out: Out = Path("runs/latest"),
    resume_folder: Annotated[
        Path | None, typer.Option("--resume", metavar="DIR", help="Finish the run in this folder.")
    ] = None,
    seed: Seed = None,
    servers: Annotated[
        list[str] | None, typer.Option(help="File of tool documents (JSON or JSONL, .gz too); can be repeated.")
    ] = None,
    live: Annotated[
        list[str] | None, typer.Option(help="`mcpServers` file of servers to start, or 'packaged'.")
    ] = None,
    botocore: Annotated[int | None, typer.Option(help="Services of the installed botocore to take; -1: all.")] = None,
    tables: Annotated[
        list[str] | None, typer.Option(help="Table to ask about (CSV, JSON or JSONL), or 'packaged'.")
    ] = None,
    traces: Annotated[
        list[str] | None, typer.Option(help="Solved problems (GSM8K-socratic JSONL), or 'packaged'.")
    ] = None,
    compose: Annotated[int | None, typer.Option(help="Traces to compose from the tables.")] = None,
    as_json: Json = False,
) -> None:
    """Run both roads on inputs of your own. Where one kind of input is named, only what is named is used."""
    from astra.runs.config import override, read_config
    from astra.runs.pipeline import quickstart_config

    if resume_folder is not None:
        _finish(resume_folder, None, as_json)
        return
    settings = read_config(config) if config is not None else quickstart_config()
    inputs: dict[str, Any] = {
        "servers": servers,
        "live": live,
        "botocore_services": botocore,
        "tables": tables,
        "traces": traces,
    }
    if any(value is not None for value in inputs.values()):
        emptied: dict[str, Any] = {"servers": [], "live": [], "botocore_services": 0, "tables": [], "traces": []}
        inputs = emptied | {name: value for name, value in inputs.items() if value is not None}
    _finish(out, override(settings, {"seed": seed, "inputs": inputs, "arenas": {"traces": compose}}), as_json)


def _finish(folder: Path, config: RunConfig | None, as_json: bool) -> None:
    """Start or resume, show progress, then the summary."""
    from astra.engine import Bars
    from astra.runs.pipeline import resume, start
    from astra.runs.run import FAULTS

    with Bars(notes) as bars:
        try:
            summary = asyncio.run(resume(folder, bars) if config is None else start(folder, config, bars))
        except KeyboardInterrupt:
            notes.print(f"Stopped. Nothing is lost: go on with [bold]astra run --resume {folder}[/bold]")
            raise typer.Exit(130) from None
    if as_json:
        show_json(summary)
    else:
        console.print(stage_table(summary["stages"]))
        console.print(product_table(str(folder), summary["products"]))
    faults = sum(stage["rejected"].get("internal-error", 0) for stage in summary["stages"])
    if faults:
        notes.print(Text(f"{faults} items met an error of ASTRA's own: see {folder / FAULTS}"), style="red")
        raise typer.Exit(1)
