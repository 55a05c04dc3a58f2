"""Flags that several commands share, and the settings that they stand for."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from astra.errors import BadInput

_MODELS = "Language models"
_INPUTS = "Inputs"

Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON and nothing else.")]
Seed = Annotated[int | None, typer.Option(help="Seed of everything random.", show_default="that of the settings")]
Servers = Annotated[
    list[str] | None,
    typer.Option(help="File of tool documents (JSON or JSONL, .gz too); can be repeated.", rich_help_panel=_INPUTS),
]
OpenApi = Annotated[
    list[str] | None,
    typer.Option(help="OpenAPI document (JSON or YAML), or a folder of them.", rich_help_panel=_INPUTS),
]
Live = Annotated[
    list[str] | None,
    typer.Option(help="`mcpServers` file of servers to start, or 'packaged'.", rich_help_panel=_INPUTS),
]
Botocore = Annotated[
    int | None,
    typer.Option(help="Services of the installed botocore to take; -1: all.", rich_help_panel=_INPUTS),
]
Model = Annotated[
    str | None,
    typer.Option(help="Model of teacher, judge and policy (else OPENAI_MODEL).", rich_help_panel=_MODELS),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(help="OpenAI-compatible endpoint (else OPENAI_BASE_URL).", rich_help_panel=_MODELS),
]
KeyEnv = Annotated[
    str | None,
    typer.Option(help="Environment variable that holds the key.", rich_help_panel=_MODELS),
]
Judge = Annotated[
    str | None, typer.Option("--judge-model", help="Another model for the judge.", rich_help_panel=_MODELS)
]
Policy = Annotated[
    str | None, typer.Option("--policy-model", help="Another model for the policy.", rich_help_panel=_MODELS)
]
MaxCost = Annotated[
    float | None,
    typer.Option(help="Stop, resumably, when so much money is spent.", rich_help_panel=_MODELS),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(help="Stop, resumably, when so many tokens are used.", rich_help_panel=_MODELS),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any setting, as in run.toml: tasks.persona=1. Can be repeated."),
]


def input_changes(**given: Any) -> dict[str, Any]:
    """The settings of inputs. Where one kind of input is named, only what is named is used."""
    if all(value is None for value in given.values()):
        return {}
    emptied: dict[str, Any] = {
        "servers": [],
        "openapi": [],
        "live": [],
        "botocore_services": 0,
        "tables": [],
        "traces": [],
    }
    return {"inputs": emptied | {name: value for name, value in given.items() if value is not None}}


def model_changes(
    model: str | None,
    base_url: str | None,
    key_env: str | None,
    judge: str | None,
    policy: str | None,
    max_cost: float | None,
    max_tokens: int | None,
) -> dict[str, Any]:
    """The settings of language models. The other roles' endpoints are the teacher's but for the model."""
    changes: dict[str, Any] = {"cap": {"cost": max_cost, "tokens": max_tokens}}
    common = {"base_url": base_url, "key_env": key_env}
    roles: dict[str, Any] = {}
    if model is not None or base_url is not None:
        roles["teacher"] = {**common, "model": model}
    for role, name in (("judge", judge), ("policy", policy)):
        if name is not None:
            roles[role] = {**common, "model": name}
    return changes | ({"models": roles} if roles else {})


def other_changes(assignments: Sequence[str]) -> dict[str, Any]:
    """The settings of `--set key=value`; the value as TOML, else as text.

    Raises:
        BadInput: no `=` in it.
    """
    changes: dict[str, Any] = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals or not key.strip():
            raise BadInput(f"--set {assignment!r}: expected KEY=VALUE, as in --set tasks.persona=1")
        *path, last = key.strip().split(".")
        level = changes
        for name in path:
            level = level.setdefault(name, {})
        level[last] = _value(value.strip())
    return changes


def merged(*changes: dict[str, Any]) -> dict[str, Any]:
    """Nested settings, later ones over earlier ones."""
    result: dict[str, Any] = {}
    for change in changes:
        for name, value in change.items():
            both = isinstance(value, dict) and isinstance(result.get(name), dict)
            result[name] = merged(result[name], value) if both else value
    return result


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
