"""The command line: `astra`, or `python -m astra`."""

from __future__ import annotations

import sqlite3
import sys

import typer
from rich.console import Console

from astra import __version__
from astra.cli import arenas, graph, rollout, run, tools, trajectories
from astra.errors import AstraError

app = typer.Typer(
    help="Turn tool documents and knowledge into scored trajectories and certified arenas.",
    epilog="Start with: astra quickstart. Exit codes: 0 all well, 1 a check failed, "
    "2 input that can't be used, 3 stopped and resumable.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command("quickstart")(run.quickstart)
app.command("run")(run.run)
app.command("rollout")(rollout.rollout)
app.add_typer(trajectories.app, name="trajectories")
app.add_typer(tools.app, name="tools")
app.add_typer(graph.app, name="graph")
app.add_typer(arenas.app, name="arenas")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"astra {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Turn tool documents and knowledge into scored trajectories and certified arenas."""


def main() -> None:
    """Run a command; a failure that ASTRA names is one line and exit code 2."""
    try:
        app()
    except AstraError as error:
        Console(stderr=True).print(f"[red]error[/red] ({error.code}): ", end="")
        print(error, file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(0)
    except (OSError, sqlite3.Error) as error:  # the machine's: no room, no right, a damaged file
        Console(stderr=True).print("[red]error[/red] (machine): ", end="")
        print(error, file=sys.stderr)
        sys.exit(2)
