"""Any OpenAI-compatible model as a teacher."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel

from astra.llm.chat import ChatModel
from astra.llm.endpoint import StructuredMode
from astra.llm.structured import ask
from astra.teachers.llm.prompts import Prompts
from astra.teachers.questions import Question, answer_type

A = TypeVar("A", bound=BaseModel)


class LLMTeacher:
    """Renders the question's prompt, asks for JSON of the answer's schema, validates, and asks again if need be.

    Args:
        mode: how the endpoint is held to a schema, as `preflight` found.
        temperature: None: the endpoint's.
    """

    def __init__(
        self, model: ChatModel, prompts: Prompts, *, mode: StructuredMode, temperature: float | None = None
    ) -> None:
        self.name = model.name
        self._model = model
        self._prompts = prompts
        self._mode: StructuredMode = mode
        self._temperature = temperature

    async def answer(self, question: Question[A]) -> A:
        return await ask(
            self._model,
            self._prompts.messages(question),
            answer_type(type(question)),
            mode=self._mode,
            temperature=self._temperature,
        )
