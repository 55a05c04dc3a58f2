"""`astra rollout`."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from astra.cli.console import console, plain_table, show_json

if TYPE_CHECKING:
    from astra.evaluation import Evaluation


class PolicyName(StrEnum):
    """The policies that need no model."""

    oracle = "oracle"
    empty = "empty"
    random = "random"
    replay = "replay"


def rollout(
    file: Annotated[Path, typer.Argument(help="Arenas, one a line, as in a run's arenas.jsonl.")],
    policy: Annotated[PolicyName, typer.Option(help="Who acts.")] = PolicyName.oracle,
    recording: Annotated[Path | None, typer.Option(help="Rollouts to repeat, for --policy replay.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random policy.")] = 0,
    limit: Annotated[int | None, typer.Option(help="Only the first so many arenas.", min=1)] = None,
    out: Annotated[Path | None, typer.Option(help="Write the rollouts here (JSONL).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the means as JSON and nothing else.")] = False,
) -> None:
    """Let a policy act in arenas and show its mean recall, precision, F1 and calls."""
    from astra.engine import read_jsonl, write_jsonl
    from astra.evaluation import evaluate, policy_maker
    from astra.model import Arena, Rollout

    arenas = list(read_jsonl(file, Arena))[:limit]
    recorded = list(read_jsonl(recording, Rollout)) if recording is not None else []
    evaluation, rollouts = asyncio.run(evaluate(arenas, policy_maker(policy.value, seed=seed, recorded=recorded)))
    if out is not None:
        write_jsonl(out, rollouts)
    if as_json:
        show_json(evaluation.model_dump(mode="json"))
    else:
        console.print(_table(evaluation))


def _table(evaluation: Evaluation) -> Table:
    table = plain_table("policy")
    table.add_column(evaluation.policy)
    outcomes = f"{evaluation.scored} scored, {evaluation.unscored} unscored, {evaluation.invalid} invalid"
    table.add_row("episodes", f"{evaluation.episodes} ({outcomes})")
    means = {
        "recall": evaluation.recall,
        "precision": evaluation.precision,
        "F1": evaluation.f1,
        "calls": evaluation.calls,
    }
    for name, mean in means.items():
        table.add_row(f"mean {name}", "-" if mean is None else f"{mean:.3f}")
    table.add_row("ended by", ", ".join(f"{stop} {count}" for stop, count in evaluation.stops.items()))
    return table
