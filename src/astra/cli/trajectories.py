"""`astra trajectories`: road 1, whole or step by step, in one run folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from astra.runs.road_one import Step

app = typer.Typer(help="Road 1: tool documents -> scored trajectories, whole or step by step.", no_args_is_help=True)

_STEPS: dict[Step, str] = {
    "collect": "Tool documents -> tools, grouped by server.",
    "graph": "Tools -> tool-call graphs: who can feed whom.",
    "chains": "Graphs -> chains: walks that pass their checks.",
    "tasks": "Chains and servers -> requests, augmented and scored.",
    "rollouts": "Tasks -> episodes, live or emulated.",
    "judge": "Episodes -> scored trajectories; those good enough are kept.",
    "dataset": "Trajectories -> rows that trainers take.",
}


@app.callback()
def group() -> None:
    """Road 1: tool documents -> scored trajectories, whole or step by step."""


def _command(until: Step) -> Callable[..., None]:
    def command(
        folder: Annotated[
            Path, typer.Argument(metavar="RUN", help="Folder of the run: a new one, or one to go on with.")
        ],
        config: Annotated[Path | None, typer.Option(help="Settings (TOML) of a new run.")] = None,
        seed: Seed = None,
        servers: Servers = None,
        openapi: OpenApi = None,
        live: Live = None,
        botocore: Botocore = None,
        model: Model = None,
        base_url: BaseUrl = None,
        key_env: KeyEnv = None,
        judge_model: Judge = None,
        policy_model: Policy = None,
        samples: Annotated[int | None, typer.Option(help="Tries at each task; the best is kept.")] = None,
        judges: Annotated[int | None, typer.Option(help="How often each trajectory is judged.")] = None,
        max_cost: MaxCost = None,
        max_tokens: MaxTokens = None,
        assignments: Set = None,
        dry_run: Annotated[bool, typer.Option(help="Say what would be asked of the models; ask nothing.")] = False,
        as_json: Json = False,
    ) -> None:
        from astra.errors import BadInput
        from astra.runs.config import RunConfig, override, read_config
        from astra.runs.run import CONFIG

        changes = merged(
            {"rollouts": {"samples": samples}, "judge": {"judges": judges}},
            model_changes(model, base_url, key_env, judge_model, policy_model, max_cost, max_tokens),
            other_changes(assignments or []),
        )
        inputs = input_changes(servers=servers, openapi=openapi, live=live, botocore_services=botocore)
        if (folder / CONFIG).is_file():
            if config is not None or inputs or seed is not None:
                raise BadInput(f"{folder} holds a run already: its inputs, seed and --config can't be changed")
            finish(folder, None, as_json, changes=changes, until=until)
            return
        settings = override(
            read_config(config) if config is not None else RunConfig(), merged({"seed": seed}, inputs, changes)
        )
        if dry_run:
            estimate(settings, as_json)
        else:
            finish(folder, settings, as_json, until=until)

    return command


for _step, _help in _STEPS.items():
    app.command(_step, help=_help)(_command(_step))
app.command("run", help="All steps, one after the other.")(_command("dataset"))
