"""Traces made executable."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from astra.model.base import Answer, JsonObject, Noun
from astra.model.messages import EpisodeLimits
from astra.model.tools import Tool
from astra.model.traces import Scenario


class ToolCode(Noun):
    """A tool with the Python code that answers its calls: a function of the tool's name."""

    tool: Tool
    code: str


class SubTask(Noun):
    """A sub-question with the gold call that answers it."""

    id: int
    question: str
    answer: Answer
    depends_on: tuple[int, ...] = ()
    tool: str
    arguments: JsonObject  # of the gold call, in canonical JSON form


class Check(Noun):
    """One check of a certificate with what it saw."""

    id: str
    passed: bool
    evidence: str


class Certificate(Noun):
    """The checks run on the finished arena. Valid only for the arena whose digest it names."""

    arena: str  # digest of the arena without its certificate
    runners: tuple[str, ...]
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        return bool(self.checks) and all(check.passed for check in self.checks)


class Arena(Noun):
    """One trace made executable: tools, sub-tasks, distractors, limits, certificate."""

    id: str
    question: str
    answer: Answer
    sub_tasks: tuple[SubTask, ...] = Field(min_length=1)
    tools: tuple[ToolCode, ...]
    distractors: tuple[ToolCode, ...] = ()
    scenario: Scenario
    hops: int
    domain: str
    language: str = "en"
    source: str
    runners: tuple[Literal["monty"], ...] = ("monty",)
    limits: EpisodeLimits = EpisodeLimits()
    certificate: Certificate | None = None

    @property
    def all_tools(self) -> tuple[ToolCode, ...]:
        """In-scope tools and distractors: what the policy sees, by name, so that order gives nothing away."""
        return tuple(sorted((*self.tools, *self.distractors), key=lambda entry: entry.tool.name))

    def content(self) -> dict[str, Any]:
        """Everything but the certificate: what a certificate is about."""
        return self.model_dump(mode="json", exclude={"certificate"})
