"""`astra graph`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from astra.cli.console import console

app = typer.Typer(help="Tool-call graphs: who can feed whom.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Tool-call graphs: who can feed whom."""


@app.command("draw")
def draw(
    file: Annotated[Path, typer.Argument(help="A run's graph.json.")],
    out: Annotated[Path, typer.Option(help="The picture (SVG).")] = Path("graph.svg"),
    server: Annotated[list[str] | None, typer.Option(help="Draw this server's graph; can be repeated.")] = None,
) -> None:
    """Draw a graph as SVG."""
    from astra.engine import write_text
    from astra.trajectories.drawing import draw_graph
    from astra.trajectories.graph import load_graphs

    write_text(out, draw_graph(load_graphs(file, servers=server)))
    console.print(str(out), markup=False, highlight=False)
