"""The questions that a teacher can be asked. Each is typed, and so is its answer.

A teacher only proposes: whatever it answers is checked by code that runs, in the stage that asked.
"""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from astra.model.base import JsonObject, Noun
from astra.model.graph import Chain, Edge
from astra.model.knowledge import SolvedProblem, Table
from astra.model.messages import Failure
from astra.model.tasks import PlannedCall
from astra.model.tools import Tool, ToolServer
from astra.model.traces import Scenario, SubQuestion, Trace

A = TypeVar("A", bound=BaseModel)
A_co = TypeVar("A_co", bound=BaseModel, covariant=True)


class Question(Noun, Generic[A_co]):
    """Something to be answered with an `A_co`."""


class Teacher(Protocol):
    """Answers questions: a language model, or types, tables and templates."""

    name: str

    async def answer(self, question: Question[A]) -> A:
        """The answer; `Rejected` if this teacher has none for this question."""
        ...


class ToolLinks(Noun):
    """Edges between tools of one server."""

    edges: tuple[Edge, ...]


class LinkTools(Question[ToolLinks]):
    """Which tool of this server can feed which, and how do you know?"""

    server: ToolServer


class TaskDraft(Noun):
    """A request in plain language with the calls that fulfil it."""

    request: str
    plan: tuple[PlannedCall, ...]
    parallel: bool = False  # the steps need no order


class WriteTask(Question[TaskDraft]):
    """What would a user ask for that needs this chain (or, without one, some of this server's tools)?"""

    server: ToolServer
    chain: Chain | None
    seed: str


class PastCall(Noun):
    """One earlier call of the session with what it returned."""

    tool: str
    arguments: JsonObject
    result: Any
    failure: Failure | None = None


class CallAnswer(Noun):
    """What the tool returns, or the error that it reports."""

    result: Any = None
    error: str | None = None


class AnswerCall(Question[CallAnswer]):
    """What does this tool, of a server known by its documents alone, answer after all that was called before?"""

    server: ToolServer
    tool: Tool
    arguments: JsonObject
    history: tuple[PastCall, ...]
    seed: str  # one a session


class ComposeTrace(Question[Trace]):
    """Which question of this shape can be answered from these tables, and by which sub-questions?"""

    tables: tuple[Table, ...]
    scenario: Scenario
    hops: int  # number of sub-questions
    seed: str


class DecomposeProblem(Question[Trace]):
    """Which sub-questions, answers and dependencies does this solved problem have?"""

    problem: SolvedProblem


class ToolDraft(Noun):
    """A tool document, the code behind it and the gold call's arguments."""

    tool: Tool
    code: str
    arguments: JsonObject


class WriteTool(Question[ToolDraft]):
    """Which tool answers this sub-question? `feedback` says why earlier drafts failed."""

    trace: Trace
    sub_question: SubQuestion
    tables: tuple[Table, ...] = ()  # where the trace's facts are from, if from tables
    seed: str
    feedback: tuple[str, ...] = ()


class MergeTools(Question[ToolDraft]):
    """Which one tool answers all that `base` answers, and `addition`'s gold call too?

    The draft's arguments are those of `addition`'s gold call. `Rejected` if the two are not of one kind.
    """

    base: ToolDraft
    addition: ToolDraft
