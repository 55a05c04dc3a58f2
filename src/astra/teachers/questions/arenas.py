"""Questions of road 2: from knowledge to tools as code."""

from __future__ import annotations

from astra.model.base import JsonObject, Noun
from astra.model.knowledge import SolvedProblem, Table
from astra.model.tools import Tool
from astra.model.traces import Scenario, SubQuestion, Trace
from astra.teachers.questions.base import Question


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
