"""What the commands show: tables and JSON."""

from __future__ import annotations

import json
from typing import Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

console = Console()
notes = Console(stderr=True)


def show_json(value: Any) -> None:
    """One JSON value on standard output and nothing else, for programs."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def stage_table(stages: list[dict[str, Any]]) -> Table:
    """In, out and rejected of each stage, with the reasons, and the time where it was taken."""
    timed = any("seconds" in stage for stage in stages)
    table = plain_table("stage", "Stages")
    for column in ("in", "out", "rejected", "accepted", *(["seconds"] if timed else [])):
        table.add_column(column, justify="right")
    table.add_column("reasons")
    for stage in stages:
        reasons = "\n".join(f"{count:,} {reason}" for reason, count in stage["rejected"].items())
        share = f"{stage['out'] / stage['in']:.0%}" if stage["in"] else "-"
        numbers = [f"{stage['in']:,}", f"{stage['out']:,}", f"{sum(stage['rejected'].values()):,}", share]
        numbers += [f"{stage.get('seconds', 0.0):.1f}"] if timed else []
        table.add_row(stage["stage"], *numbers, reasons)
    return table


def product_table(folder: str, products: dict[str, int]) -> Table:
    """The files of a run with what is in them."""
    table = plain_table("file", "Products")
    table.add_column("items", justify="right")
    for name, count in products.items():
        table.add_row(escape(f"{folder}/{name}"), f"{count:,}")
    return table


def plain_table(first: str, title: str | None = None) -> Table:
    """A table whose first column may wrap; the others hold what is short."""
    table = Table(
        title=title, title_justify="left", title_style="bold", header_style="bold", box=SIMPLE_HEAD, pad_edge=False
    )
    table.add_column(first, overflow="fold")
    return table
