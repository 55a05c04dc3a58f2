"""What road 2 starts from: tables and solved problems."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from astra.model.base import Answer, Noun

Cell = Answer | None


class Column(Noun):
    """One column of a table, with the words to speak of it."""

    name: str  # [a-z][a-z0-9_]*
    label: str  # as in "the {label} of Peru": "population"
    type: Literal["text", "integer", "number"]
    unit: str | None = None  # as in "in {unit}": "square kilometres"
    refers_to: str | None = None  # name of the table whose key this column holds


class Table(Noun):
    """Facts of one kind, one row a thing."""

    name: str  # [a-z][a-z0-9_]*: "countries"
    noun: str  # one row is a ...: "country"
    plural: str
    domain: str  # "geography"
    source: str  # where the rows are from: a package with its version, or a file's name
    key: str  # the column that names a row; unique and never empty
    columns: tuple[Column, ...]
    rows: tuple[dict[str, Cell], ...]

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)


class SolvedStep(Noun):
    """One line of a human solution: a sub-question, the sentence that answers it, the expressions in it."""

    question: str
    sentence: str
    expressions: tuple[str, ...] = ()  # as written: "16-3-4=9"


class SolvedProblem(Noun):
    """A word problem with its step-by-step solution (the form of GSM8K-socratic)."""

    id: str  # "<file>:<line>"
    question: str
    steps: tuple[SolvedStep, ...] = Field(min_length=1)
    answer: str  # as written after ####
