"""`astra arenas`."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from astra.cli.console import console, show_json

app = typer.Typer(help="Arenas and their certificates.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Arenas and their certificates."""


@app.command("certify")
def certify(
    file: Annotated[Path, typer.Argument(help="Arenas, one a line, as in a run's arenas.jsonl.")],
    limit: Annotated[int | None, typer.Option(help="Only the first so many.", min=1)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print every certificate as JSON.")] = False,
) -> None:
    """Run every check again, whatever certificates the file carries. Exit code 1 if one fails."""
    from astra.arenas.certificate import recertify
    from astra.engine import read_jsonl
    from astra.model import Arena

    arenas = list(read_jsonl(file, Arena))[:limit]
    verdicts = asyncio.run(recertify(arenas))
    failed = [verdict for verdict in verdicts if not verdict.passed]
    if as_json:
        show_json([verdict.model_dump(mode="json") | {"passed": verdict.passed} for verdict in verdicts])
    else:
        console.print(f"{len(verdicts) - len(failed)} of {len(verdicts)} arenas pass every check", highlight=False)
        for reason, count in Counter(verdict.why for verdict in failed).most_common(10):
            console.print(f"  {count} failed: {reason}", markup=False, highlight=False)
    if failed or not verdicts:
        raise typer.Exit(1)
