"""User requests for road 1."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from astra.model.base import Noun
from astra.model.scores import Scores


class FromTask(Noun):
    """An argument that the request states."""

    kind: Literal["task"] = "task"
    value: Any


class FromStep(Noun):
    """An argument that an earlier step's result holds."""

    kind: Literal["step"] = "step"
    step: int  # 0-based index of the earlier step
    field: str | None  # dotted path in its result; `[]` takes the first element; None: search the text
    pattern: str | None = (
        None  # regular expression for results that are text: the first group that matches is the value
    )


class PlannedCall(Noun):
    """One step that answers part of the request: what a faithful policy would call."""

    tool: str
    arguments: dict[str, FromTask | FromStep] = Field(default_factory=dict)


class Task(Noun):
    """A user request, its target tools and where it came from."""

    id: str
    server: str
    request: str
    tools: tuple[str, ...]  # targets, in order
    plan: tuple[PlannedCall, ...]
    parallel: bool = False  # the plan's steps need no order
    origin: Literal["chain", "server"]
    chain: str | None = None
    language: str = "en"
    augmentation: tuple[str, ...] = ()
    scores: Scores | None = None
