"""What a question is, and who answers it."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import BaseModel

from astra.model.base import Noun

A = TypeVar("A", bound=BaseModel)
A_co = TypeVar("A_co", bound=BaseModel, covariant=True)


class Question(Noun, Generic[A_co]):
    """Something to be answered with an `A_co`."""

    unread: ClassVar[Any] = {"server": {"parts": True, "tools": {"__all__": {"repairs"}}}}
    """What a language model need not read of it: pydantic's `exclude`."""


class Teacher(Protocol):
    """Answers questions: a language model, or types, tables and templates."""

    name: str

    async def answer(self, question: Question[A]) -> A:
        """The answer; `Rejected` if this teacher has none for this question."""
        ...


def answer_type(question: type[Question[A]]) -> type[A]:
    """The type that a kind of question is answered with: the `A` of its `Question[A]`."""
    for base in question.__mro__:
        if arguments := base.__dict__.get("__pydantic_generic_metadata__", {}).get("args"):
            return arguments[0]  # type: ignore[no-any-return]
    raise TypeError(f"{question.__name__} names no type of answer")
