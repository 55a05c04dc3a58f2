"""Python source for tools: one function each, in the subset that every runner knows, its data inside.

Names are made here and are plain identifiers; values go in by `repr`, never spliced as text.
"""

from __future__ import annotations

import ast
import keyword
import re
from typing import Any

from astra.errors import Rejected

ROWS = "rows"
"""Name of the variable that holds a tool's data."""


def name_of(*parts: str) -> str:
    """A name from words, legal in Python and for OpenAI: at most 60 of [a-z0-9_], a letter first, no keyword."""
    text = re.sub(r"[^a-z0-9]+", "_", "_".join(parts).lower()).strip("_")[:60].strip("_")
    if not text[:1].isalpha() or keyword.iskeyword(text):
        text = f"the_{text}".strip("_")
    return text


def lookup(function: str, parameter: str, output: str, missing: str, rows: dict[str, Any]) -> str:
    """The cell beside a key."""
    return (
        f"def {function}({parameter}):\n"
        f"    {ROWS} = {rows!r}\n"
        f"    wanted = str({parameter}).strip().lower()\n"
        f"    for key in {ROWS}:\n"
        f"        if key.lower() == wanted:\n"
        f"            return {{{output!r}: {ROWS}[key]}}\n"
        f"    return {{'error': {missing!r}}}\n"
    )


def grouped(function: str, parameter: str, missing: str, rows: list[list[Any]], result: str) -> str:
    """Something worked out over the rows of a group; each row is [group, key] or [group, key, number]."""
    return (
        f"def {function}({parameter}):\n"
        f"    {ROWS} = {rows!r}\n"
        f"    wanted = str({parameter}).strip().lower()\n"
        f"    found = [row for row in {ROWS} if row[0].lower() == wanted]\n"
        f"    if not found:\n"
        f"        return {{'error': {missing!r}}}\n"
        f"{result}"
    )


def count_result(output: str) -> str:
    return f"    return {{{output!r}: len(found)}}\n"


def aggregate_result(output: str, how: str) -> str:
    function = {"total": "sum", "highest": "max", "lowest": "min"}[how]
    return f"    return {{{output!r}: {function}([row[2] for row in found])}}\n"


def top_result(output: str, end: str) -> str:
    sign = ">" if end == "highest" else "<"
    return (
        f"    best = found[0]\n"
        f"    for row in found:\n"
        f"        if row[2] {sign} best[2]:\n"
        f"            best = row\n"
        f"    return {{{output!r}: best[1]}}\n"
    )


def calculated(function: str, parameters: list[str], formula: str, *, digits: int) -> str:
    """An arithmetic formula over numbers."""
    return (
        f"def {function}({', '.join(parameters)}):\n"
        f"    for value in ({', '.join(parameters)},):\n"
        f"        if isinstance(value, bool) or not isinstance(value, (int, float)):\n"
        f"            return {{'error': 'every argument must be a number'}}\n"
        f"    try:\n"
        f"        return {{'result': round({formula}, {digits})}}\n"
        f"    except ZeroDivisionError:\n"
        f"        return {{'error': 'a division by zero'}}\n"
    )


def split_data(source: str) -> tuple[str, Any]:
    """A tool's code without its data, and the data; None where it has none.

    Raises:
        Rejected: this is not code of ours.
    """
    try:
        tree = ast.parse(source)
        assignment, data = _assignment(tree), None
        if assignment is not None:
            data = ast.literal_eval(assignment.value)
            assignment.value = ast.Constant(None)
        return ast.unparse(tree), data
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Rejected("not-homogeneous", f"the code can't be read: {error}") from None


def with_data(source: str, data: Any) -> str:
    """A tool's code, which has data, with other data in their place; all around it stays as it is."""
    assignment = _assignment(ast.parse(source))
    assert assignment is not None and assignment.value.end_lineno is not None
    value, lines = assignment.value, source.encode().splitlines(keepends=True)  # columns are counted in bytes
    first, last = value.lineno - 1, assignment.value.end_lineno - 1
    before = b"".join(lines[:first]) + lines[first][: value.col_offset]
    after = lines[last][value.end_col_offset :] + b"".join(lines[last + 1 :])
    return (before + repr(data).encode() + after).decode()


def _assignment(tree: ast.AST) -> ast.Assign | None:
    """Where a tool's data are given their name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == ROWS:
            return node
    return None
