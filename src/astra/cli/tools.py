"""`astra tools`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from astra.cli.console import console, show_json, stage_table

app = typer.Typer(help="Tool documents -> tools.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Tool documents -> tools."""


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="Tool documents in any of the usual forms (JSON or JSONL, .gz too).")],
    out: Annotated[Path | None, typer.Option(help="Write the servers with their tools here (JSONL).")] = None,
    min_tools: Annotated[int, typer.Option(help="Usable tools that a server needs.", min=1)] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print servers, rejections and counts as JSON.")] = False,
) -> None:
    """Normalise tool documents; every one of them comes out as a tool or as a rejection with its reason."""
    from astra.engine import write_jsonl
    from astra.trajectories.collect.imports import import_tools

    imported = import_tools(file, min_tools=min_tools)
    if out is not None:
        write_jsonl(out, imported.servers)
    if as_json:
        show_json(imported.model_dump(mode="json"))
        return
    console.print(stage_table(imported.counts()))
    for rejection in imported.rejections[:10]:
        console.print(f"{rejection.stage} {rejection.item}: {rejection.reason}: {rejection.sentence}", markup=False)
    if len(imported.rejections) > 10:
        console.print(f"... and {len(imported.rejections) - 10} more; --json shows all")
