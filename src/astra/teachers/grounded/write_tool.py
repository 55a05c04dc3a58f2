"""Tools for sub-questions: a document and the code behind it, compiled from the operation."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from astra.errors import Rejected
from astra.model import Answer, Column, JsonObject, Table, Tool, Trace, holds, seeded
from astra.teachers.grounded import code
from astra.teachers.grounded.facts import GROUP_SIZES, Facts
from astra.teachers.grounded.operations import (
    RATIO_DIGITS,
    Aggregate,
    Calculation,
    Count,
    Expression,
    Lookup,
    Top,
    operand,
    read_operation,
)
from astra.teachers.questions import ToolDraft, WriteTool

_OTHER_ROWS = 10  # rows of a lookup beside the one that is asked for
_OTHER_GROUPS = 4
_MOST_ROWS = 80  # of groups, all together
_DIGITS = 6
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_VERBS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "divide_whole", "%": "remainder"}
_TEMPLATE = re.compile(r"(?:\{[a-z]+\}|[-+*/%(). \d])+")
Grouped = Count | Aggregate | Top


def write_tool(question: WriteTool, facts: Facts) -> ToolDraft:
    """A tool whose gold call answers the sub-question.

    Raises:
        Rejected: the sub-question does not say how its answer is computed, or needs too large a table.
    """
    operation = read_operation(question.sub_question.operation)
    rng = seeded(question.seed, "write-tool", question.trace.id, question.sub_question.id)
    if isinstance(operation, Calculation):
        return _calculation(operation)
    if isinstance(operation, Expression):
        return _expression(operation)
    if operation.table not in facts.tables:
        raise Rejected("unknown-table", f"there is no table {operation.table!r}")
    writer = _TableTool(facts, facts.tables[operation.table], question.trace, question.sub_question.answer, rng)
    return writer.lookup(operation) if isinstance(operation, Lookup) else writer.grouped(operation)


def _document(name: str, description: str, parameters: dict[str, JsonObject], output: dict[str, JsonObject]) -> Tool:
    schema = {"type": "object", "properties": parameters, "required": list(parameters), "additionalProperties": False}
    return Tool(name=name, description=description, parameters=schema, output={"type": "object", "properties": output})


class _TableTool:
    """Writes a tool over one table: the rows that are needed, and others that give other answers."""

    def __init__(self, facts: Facts, table: Table, trace: Trace, answer: Answer, rng: random.Random) -> None:
        self._facts = facts
        self._table = table
        self._answers = [sub.answer for sub in trace.sub_questions]
        self._answer = answer
        self._rng = rng

    def lookup(self, operation: Lookup) -> ToolDraft:
        table, key_column = self._table, self._table.column(operation.key_column)
        column = table.column(operation.column)
        parameter = self._parameter(key_column)
        output = code.name_of(table.noun if column.name == table.key else column.label)
        by = [] if key_column.name == table.key else ["by", key_column.label]
        verb = ["find", table.noun] if column.name == table.key else ["get", table.noun, column.label]
        name = code.name_of(*verb, *by)
        rows = {str(operation.key.value): self._answer, **self._other_rows(operation)}
        ordered = {key: rows[key] for key in self._rng.sample(sorted(rows), len(rows))}
        what = (
            f"Find a listed {table.noun}"
            if column.name == table.key
            else f"Get the {column.label} of a listed {table.noun}"
        )
        how = f" by its {key_column.label}" if by or key_column.name != "name" else ""
        unit = f", in {column.unit}" if column.unit else ""
        document = _document(
            name,
            f"{what}{how}{unit}.",
            {parameter: {"type": "string", "description": self._described(key_column)}},
            {output: {"type": {"text": "string"}.get(column.type, column.type)}},
        )
        missing = f"unknown {key_column.label}"  # no small words: "no", "is" and "are" are codes of countries
        source = code.lookup(name, parameter, output, missing, ordered)
        return ToolDraft(tool=document, code=source, arguments={parameter: operation.key.value})

    def grouped(self, operation: Grouped) -> ToolDraft:
        table, group_column = self._table, self._table.column(operation.group_column)
        parameter = code.name_of(group_column.label)
        ending = ["by", group_column.label]
        of_group = f"listed {table.plural} of a given {group_column.label}"
        if isinstance(operation, Count):
            name, output = code.name_of("count", table.plural, *ending), "count"
            description, kind, result = f"Count the {of_group}.", "integer", code.count_result(output)
        elif isinstance(operation, Aggregate):
            column = table.column(operation.column)
            output = code.name_of(operation.function, column.label)
            name = code.name_of("get", output, "of", table.plural, *ending)
            unit = f", in {column.unit}" if column.unit else ""
            description = f"Get the {operation.function} {column.label} of the {of_group}{unit}."
            kind, result = "integer", code.aggregate_result(output, operation.function)
        else:
            column, output = table.column(operation.column), code.name_of(table.noun)
            name = code.name_of("find", table.noun, "with", operation.function, column.label, *ending)
            description = f"Find the one with the {operation.function} {column.label} among the {of_group}."
            kind, result = "string", code.top_result(output, operation.function)
        rows = self._group_rows(operation)
        missing = f"unknown {group_column.label}"
        document = _document(
            name,
            description,
            {parameter: {"type": "string", "description": self._described(group_column)}},
            {output: {"type": kind}},
        )
        source = code.grouped(name, parameter, missing, rows, result)
        return ToolDraft(tool=document, code=source, arguments={parameter: operation.group.value})

    def _parameter(self, column: Column) -> str:
        return code.name_of(self._table.noun if column.name == "name" else column.label)

    def _described(self, column: Column) -> str:
        label = column.label.capitalize()
        return f"{label} of the {self._table.noun}, spelled in full." if column.name == "name" else f"{label}."

    def _other_rows(self, operation: Lookup) -> dict[str, Answer]:
        """Rows that answer no sub-question of the trace, under keys that no one could take for the one asked for."""
        wanted = str(operation.key.value).lower()
        others: dict[str, Answer] = {}
        for row in self._rng.sample(self._table.rows, len(self._table.rows)):
            key, value = row[operation.key_column], row[operation.column]
            if key is None or value is None or str(key).lower() == wanted or self._gives_away(value):
                continue
            others[str(key)] = value
            if len(others) == _OTHER_ROWS:
                break
        return others

    def _gives_away(self, value: Answer) -> bool:
        return any(holds(value, answer) for answer in self._answers)

    def _group_rows(self, operation: Grouped) -> list[list[Answer]]:
        """All rows of the group that is asked for, and of a few others; shuffled, so that order tells nothing."""
        rows = list(self._rows_of(operation))
        if len(rows) > max(GROUP_SIZES):
            raise Rejected("group-too-large", f"{operation.group.value!r} has {len(rows)} rows in {self._table.name}")
        groups = sorted(
            {row[operation.group_column] for row in self._table.rows} - {None, operation.group.value}, key=str
        )
        kept = 0
        for group in self._rng.sample(groups, len(groups)):
            assert group is not None
            other = operation.model_copy(update={"group": operand("group", group, None)})
            more = list(self._rows_of(other))
            if not more or len(rows) + len(more) > _MOST_ROWS or self._answer_of(other) is None:
                continue
            rows += more
            kept += 1
            if kept == _OTHER_GROUPS:
                break
        return self._rng.sample(rows, len(rows))

    def _rows_of(self, operation: Grouped) -> Iterator[list[Answer]]:
        for row in self._facts.rows(self._table.name, operation.group_column, operation.group.value):
            group, key = row[operation.group_column], row[self._table.key]
            assert group is not None and key is not None
            if isinstance(operation, Count):
                yield [str(group), key]
            elif (number := row[operation.column]) is not None:
                yield [str(group), key, number]

    def _answer_of(self, operation: Grouped) -> Answer | None:
        """What a further group gives; None if it has no answer, or one that is asked for elsewhere."""
        try:
            answer = self._facts.answer(operation)
        except Rejected:
            return None
        return None if self._gives_away(answer) else answer


def _calculation(operation: Calculation) -> ToolDraft:
    formula = {
        "sum": "first + second",
        "difference": "max(first, second) - min(first, second)",
        "ratio": "first / second",
    }[operation.function]
    described = {
        "sum": "Add two numbers.",
        "difference": "Subtract the smaller of two numbers from the larger.",
        "ratio": "Divide the first number by the second and round to two decimals.",
    }[operation.function]
    digits = RATIO_DIGITS if operation.function == "ratio" else _DIGITS
    name = code.name_of("compute", operation.function)
    arguments = {"first": operation.first.value, "second": operation.second.value}
    return _numeric(name, described, arguments, formula, digits)


def _expression(operation: Expression) -> ToolDraft:
    if _TEMPLATE.fullmatch(operation.template) is None:
        raise Rejected("unreadable-expression", f"{operation.template!r} is more than arithmetic over its operands")
    names = {entry.name: ordinal for entry, ordinal in zip(operation.operands, _ORDINALS, strict=False)}
    if len(names) < len(operation.operands):
        raise Rejected("too-many-operands", f"an expression of {len(operation.operands)} numbers is more than one step")
    formula = re.sub(r"\{(\w+)\}", lambda match: names[match.group(1)], operation.template)
    verbs = [_VERBS[sign] for sign in re.findall(r"//|[-+*/%]", operation.template)] or ["take"]
    count = {2: "", 3: "three_"}.get(len(names), "")
    name = code.name_of(f"{verbs[0]}_{count}numbers" if len(set(verbs)) == 1 else "_then_".join(verbs))
    arguments = {names[entry.name]: entry.value for entry in operation.operands}
    return _numeric(name, f"Work out {formula}.", arguments, formula, _DIGITS)


def _numeric(name: str, description: str, arguments: JsonObject, formula: str, digits: int) -> ToolDraft:
    parameters = {parameter: {"type": "number", "description": f"The {parameter} number."} for parameter in arguments}
    document = _document(name, description, parameters, {"result": {"type": "number"}})
    return ToolDraft(
        tool=document, code=code.calculated(name, list(arguments), formula, digits=digits), arguments=arguments
    )
