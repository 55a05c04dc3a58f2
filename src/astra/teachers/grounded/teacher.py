"""The teacher without a language model: it answers from types, tables and templates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from astra.errors import Rejected
from astra.llm.embed import Embedder
from astra.model import Table
from astra.teachers.grounded.compose import compose_trace
from astra.teachers.grounded.decompose import decompose_problem
from astra.teachers.grounded.emulator import answer_call
from astra.teachers.grounded.facts import Facts
from astra.teachers.grounded.links import link_tools
from astra.teachers.grounded.merge_tools import merge_tools
from astra.teachers.grounded.propose import propose_chains
from astra.teachers.grounded.tasks import augment_task, write_task
from astra.teachers.grounded.write_tool import write_tool
from astra.teachers.questions import (
    AnswerCall,
    AugmentTask,
    ComposeTrace,
    DecomposeProblem,
    LinkTools,
    MergeTools,
    ProposeChains,
    Question,
    WriteTask,
    WriteTool,
)

A = TypeVar("A", bound=BaseModel)


class GroundedTeacher:
    """Deterministic from the seeds in its questions, and free of charge.

    Args:
        embedder: a second opinion on which field feeds which parameter; None does without.
    """

    name = "grounded"

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._facts: dict[tuple[int, ...], Facts] = {}  # by the tables' identities: an index is made once
        self._answers: dict[type[Question[Any]], Callable[[Any], BaseModel]] = {
            LinkTools: lambda question: link_tools(question.server, embedder),
            ProposeChains: lambda question: propose_chains(question, link_tools(question.server, embedder).edges),
            WriteTask: write_task,
            AugmentTask: augment_task,
            AnswerCall: answer_call,
            ComposeTrace: lambda question: compose_trace(question, self._facts_of(question.tables)),
            DecomposeProblem: decompose_problem,
            WriteTool: lambda question: write_tool(question, self._facts_of(question.tables)),
            MergeTools: merge_tools,
        }

    async def answer(self, question: Question[A]) -> A:
        answer = self._answers.get(type(question))
        if answer is None:
            raise Rejected("no-answer", f"the grounded teacher does not answer {type(question).__name__}")
        return cast("A", answer(question))

    def _facts_of(self, tables: Sequence[Table]) -> Facts:
        identities = tuple(id(table) for table in tables)
        if identities not in self._facts:
            self._facts[identities] = Facts(tables)  # keeps the tables alive, and so their identities
        return self._facts[identities]
