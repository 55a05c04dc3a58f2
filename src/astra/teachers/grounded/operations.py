"""Operations that answer sub-questions: relational ones over tables, and calculations over earlier answers.

An operation is data. It is worked out here and in `Facts`, in CPython: the answer that the tool's run must give.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from astra.errors import Rejected
from astra.model import Answer, JsonObject, Noun

RATIO_DIGITS = 2


class Operand(Noun):
    """A value that goes into an operation: stated in the question, or an earlier answer."""

    name: str  # of the tool's parameter
    value: Answer
    parent: int | None = Field(default=None, alias="from")  # id of the sub-question whose answer it is


def operand(name: str, value: Answer, parent: int | None) -> Operand:
    return Operand.model_validate({"name": name, "value": value, "from": parent})


class Lookup(Noun):
    """The cell of `column` in the row whose `key_column` is the key."""

    op: Literal["lookup"] = "lookup"
    table: str
    key_column: str  # unique in its table
    column: str
    key: Operand


class Count(Noun):
    """How many rows there are in a group: those whose `group_column` is the group."""

    op: Literal["count"] = "count"
    table: str
    group_column: str
    group: Operand


class Aggregate(Noun):
    """One number over a column of a group."""

    op: Literal["aggregate"] = "aggregate"
    function: Literal["total", "highest", "lowest"]
    table: str
    column: str
    group_column: str
    group: Operand


class Top(Noun):
    """The key of the row of a group with the highest or lowest number in a column; never a tie."""

    op: Literal["top"] = "top"
    function: Literal["highest", "lowest"]
    table: str
    column: str
    group_column: str
    group: Operand


class Calculation(Noun):
    """Two numbers into one: `difference` is the larger minus the smaller, `ratio` the first by the second."""

    op: Literal["calculation"] = "calculation"
    function: Literal["sum", "difference", "ratio"]
    first: Operand
    second: Operand


class Expression(Noun):
    """An arithmetic expression of a solved problem: `template` with each `{name}` replaced by its operand."""

    op: Literal["expression"] = "expression"
    template: str
    operands: tuple[Operand, ...]


Relational = Lookup | Count | Aggregate | Top
Operation = Annotated[Lookup | Count | Aggregate | Top | Calculation | Expression, Field(discriminator="op")]
_ADAPTER: TypeAdapter[Operation] = TypeAdapter(Operation)


def read_operation(value: JsonObject | None) -> Operation:
    """The operation that a sub-question carries.

    Raises:
        Rejected: it carries none.
    """
    if value is None:
        raise Rejected("no-operation", "the sub-question does not say how its answer is computed")
    return _ADAPTER.validate_python(value)


def operands(operation: Operation) -> tuple[Operand, ...]:
    """What goes in, in order."""
    if isinstance(operation, Lookup):
        return (operation.key,)
    if isinstance(operation, Calculation):
        return (operation.first, operation.second)
    if isinstance(operation, Expression):
        return operation.operands
    return (operation.group,)


def calculate(operation: Calculation) -> int | float:
    """The result of a calculation.

    Raises:
        Rejected: an operand is no number, or the second number of a ratio is zero.
    """
    first, second = operation.first.value, operation.second.value
    if isinstance(first, bool | str) or isinstance(second, bool | str):
        raise Rejected("no-answer", "only numbers can be calculated with")
    if operation.function == "sum":
        return round(first + second, 6)
    if operation.function == "difference":
        return round(max(first, second) - min(first, second), 6)
    if second == 0:
        raise Rejected("no-answer", "the second number is zero")
    return round(first / second, RATIO_DIGITS)
