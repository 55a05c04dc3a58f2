"""`astra quickstart` and `astra run`. Rooms are imported when a command runs, so that `--help` is quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from astra.cli.settings import (
    BaseUrl,
    Botocore,
    Json,
    Judge,
    KeyEnv,
    Live,
    MaxCost,
    MaxTokens,
    Model,
    OpenApi,
    Policy,
    Seed,
    Servers,
    Set,
    input_changes,
    merged,
    model_changes,
    other_changes,
)
from astra.cli.work import estimate, finish

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
        finish(out, None, as_json)
    else:
        finish(out, override(quickstart_config(), {"seed": seed}), as_json)


def run(
    config: Annotated[
        Path | None, typer.Argument(help="Settings (TOML); without them, those of the quickstart.")
    ] = None,
    out: Out = Path("runs/latest"),
    resume_folder: Annotated[
        Path | None, typer.Option("--resume", metavar="DIR", help="Finish the run in this folder.")
    ] = None,
    seed: Seed = None,
    servers: Servers = None,
    openapi: OpenApi = None,
    live: Live = None,
    botocore: Botocore = None,
    tables: Annotated[
        list[str] | None,
        typer.Option(help="Table to ask about (CSV, JSON or JSONL), or 'packaged'.", rich_help_panel="Inputs"),
    ] = None,
    traces: Annotated[
        list[str] | None,
        typer.Option(help="Solved problems (GSM8K-socratic JSONL), or 'packaged'.", rich_help_panel="Inputs"),
    ] = None,
    compose: Annotated[int | None, typer.Option(help="Traces to compose from the tables.")] = None,
    model: Model = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    judge_model: Judge = None,
    policy_model: Policy = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    assignments: Set = None,
    dry_run: Annotated[
        bool, typer.Option(help="Say what the run would ask of its models and what that would cost; ask nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run both roads on inputs of your own. Where one kind of input is named, only what is named is used."""
    from astra.runs.config import override, read_config
    from astra.runs.pipeline import quickstart_config

    changes: dict[str, Any] = merged(
        model_changes(model, base_url, key_env, judge_model, policy_model, max_cost, max_tokens),
        other_changes(assignments or []),
    )
    if resume_folder is not None:
        finish(resume_folder, None, as_json, changes=changes)
        return
    inputs = input_changes(
        servers=servers, openapi=openapi, live=live, botocore_services=botocore, tables=tables, traces=traces
    )
    changes = merged({"seed": seed, "arenas": {"traces": compose}}, inputs, changes)
    settings = override(read_config(config) if config is not None else quickstart_config(), changes)
    if dry_run:
        estimate(settings, as_json)
    else:
        finish(out, settings, as_json)
