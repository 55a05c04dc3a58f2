"""What the commands show: tables and JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from astra.runs.dry_run import Estimate

console = Console()
notes = Console(stderr=True)


def show_json(value: Any) -> None:
    """One JSON value on standard output and nothing else, for programs."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def stage_table(stages: list[dict[str, Any]]) -> Table:
    """In, out and rejected of each stage, with the reasons, and the time where it was taken."""
    timed = any("seconds" in stage for stage in stages)
    paid = any("tokens" in stage for stage in stages)
    table = plain_table("stage", "Stages")
    columns = ["in", "out", "rejected", "accepted", *(["seconds"] if timed else [])]
    for column in columns + (["tokens", "cost"] if paid else []):
        table.add_column(column, justify="right")
    table.add_column("reasons")
    for stage in stages:
        reasons = "\n".join(f"{count:,} {reason}" for reason, count in stage["rejected"].items())
        share = f"{stage['out'] / stage['in']:.0%}" if stage["in"] else "-"
        numbers = [f"{stage['in']:,}", f"{stage['out']:,}", f"{sum(stage['rejected'].values()):,}", share]
        numbers += [f"{stage.get('seconds', 0.0):.1f}"] if timed else []
        if paid:
            numbers += [f"{stage['tokens']:,}", f"{stage['cost']:.4f}"] if "tokens" in stage else ["", ""]
        table.add_row(stage["stage"], *numbers, reasons)
    return table


def product_table(folder: str, products: dict[str, int]) -> Table:
    """The files of a run with what is in them."""
    table = plain_table("file", "Products")
    table.add_column("items", justify="right")
    for name, count in products.items():
        table.add_row(escape(f"{folder}/{name}"), f"{count:,}")
    return table


def estimate_table(estimate: Estimate) -> Table:
    """What a run would ask of its models, and about what it would cost."""
    table = plain_table("role and question", "A run would ask at most (tokens at four bytes each)")
    for column in ("times", "prompt tokens", "answer tokens", "cost"):
        table.add_column(column, justify="right")
    for one in estimate.asked:
        cost = "no price" if one.cost is None else f"{one.cost:.4f}"
        numbers = f"{one.count:,}", f"{one.prompt_tokens:,}", f"{one.completion_tokens:,}", cost
        table.add_row(f"{one.role} {one.question}", *numbers)
    prompt = sum(one.prompt_tokens for one in estimate.asked)
    answers = sum(one.completion_tokens for one in estimate.asked)
    costs = [one.cost for one in estimate.asked if one.cost is not None]
    total = f"{sum(costs):.4f}" if costs else "no price"
    table.add_row("in all", f"{sum(one.count for one in estimate.asked):,}", f"{prompt:,}", f"{answers:,}", total)
    return table


def plain_table(first: str, title: str | None = None) -> Table:
    """A table whose first column may wrap; the others hold what is short."""
    table = Table(
        title=title, title_justify="left", title_style="bold", header_style="bold", box=SIMPLE_HEAD, pad_edge=False
    )
    table.add_column(first, overflow="fold")
    return table
