"""The teacher without a language model: it answers from types, tables and templates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from astra.errors import Rejected
from astra.llm.embed import Embedder
from astra.teachers.grounded.compose import compose_trace
from astra.teachers.grounded.decompose import decompose_problem
from astra.teachers.grounded.emulator import answer_call
from astra.teachers.grounded.links import link_tools
from astra.teachers.grounded.merge_tools import merge_tools
from astra.teachers.grounded.tasks import write_task
from astra.teachers.grounded.write_tool import write_tool
from astra.teachers.questions import (
    AnswerCall,
    ComposeTrace,
    DecomposeProblem,
    LinkTools,
    MergeTools,
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
        self._answers: dict[type[Question[Any]], Callable[[Any], BaseModel]] = {
            LinkTools: lambda question: link_tools(question.server, embedder),
            WriteTask: write_task,
            AnswerCall: answer_call,
            ComposeTrace: compose_trace,
            DecomposeProblem: decompose_problem,
            WriteTool: write_tool,
            MergeTools: merge_tools,
        }

    async def answer(self, question: Question[A]) -> A:
        answer = self._answers.get(type(question))
        if answer is None:
            raise Rejected("no-answer", f"the grounded teacher does not answer {type(question).__name__}")
        return cast("A", answer(question))
