"""Arithmetic as people write it in solutions: read, worked out exactly, never run as code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from fractions import Fraction

from astra.errors import Rejected

_LONGEST = 200  # characters
_ALLOWED = re.compile(r"[\d\s.+\-*/%()]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*%(?!\s*[\d(.])")  # `25%`, not the remainder `7 % 3`
_LEADING_DOT = re.compile(r"(?<![\d.])\.(?=\d)")
_SIGNS = str.maketrans({"×": "*", "÷": "/", "−": "-", "$": None, "€": None, "£": None})
_BARE_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)")  # `007`, which Python does not read
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}


class Formula:
    """An arithmetic expression with its numbers in the order in which they are written."""

    def __init__(self, tree: ast.expr) -> None:
        self._tree = tree

    @property
    def numbers(self) -> list[Fraction]:
        return [_number(node) for node in _constants(self._tree)]

    def value(self) -> Fraction:
        """The exact result.

        Raises:
            Rejected: a division by zero.
        """
        try:
            return _value(self._tree)
        except ZeroDivisionError:
            raise Rejected("unreadable-expression", "a division by zero") from None

    def template(self, names: list[str]) -> str:
        """The expression with each number replaced by its name, as `{name}`, in their order."""
        left = iter(names)
        return _written(self._tree, left)


def parse(text: str) -> Formula:
    """Read an expression of numbers, + - * / // %, parentheses, `25%` and `1,000`.

    Raises:
        Rejected: `unreadable-expression`: it is anything else.
    """
    if len(text) > _LONGEST:  # before any pattern sees it: they take quadratic time on long runs of digits
        raise Rejected("unreadable-expression", f"{text[:_LONGEST]!r}... is longer than {_LONGEST} characters")
    plain = _THOUSANDS.sub("", text.translate(_SIGNS))
    plain = _PERCENT.sub(r"(\1/100)", plain)
    plain = _BARE_ZEROS.sub("", _LEADING_DOT.sub("0.", plain)).strip()
    if not _ALLOWED.fullmatch(plain) or "**" in plain.replace(" ", ""):
        raise Rejected("unreadable-expression", f"{text!r} is more than arithmetic")
    try:
        tree = ast.parse(plain, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Rejected("unreadable-expression", f"{text!r} can't be read as arithmetic") from None
    if not all(_known(node) for node in ast.walk(tree)):
        raise Rejected("unreadable-expression", f"{text!r} is more than arithmetic")
    return Formula(tree)


def as_answer(value: Fraction) -> int | float:
    """An integer where it is one, else a float rounded to six decimals."""
    return int(value) if value.denominator == 1 else round(float(value), 6)


def _known(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and not isinstance(node.value, bool)
    if isinstance(node, ast.BinOp):
        return type(node.op) in _OPERATORS
    return isinstance(node, ast.UnaryOp | ast.USub | ast.UAdd | ast.operator)


def _number(node: ast.Constant) -> Fraction:
    return Fraction(str(node.value))


def _constants(node: ast.expr) -> Iterator[ast.Constant]:
    if isinstance(node, ast.Constant):
        yield node
    elif isinstance(node, ast.UnaryOp):
        yield from _constants(node.operand)
    elif isinstance(node, ast.BinOp):
        yield from _constants(node.left)
        yield from _constants(node.right)


def _value(node: ast.expr) -> Fraction:
    if isinstance(node, ast.Constant):
        return _number(node)
    if isinstance(node, ast.UnaryOp):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    assert isinstance(node, ast.BinOp)
    left, right = _value(node.left), _value(node.right)
    match node.op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return left / right
        case ast.FloorDiv():
            return Fraction(left // right)
        case _:
            return left % right


def _written(node: ast.expr, names: Iterator[str], parent: int = 0) -> str:
    """Source text with no more parentheses than are needed."""
    if isinstance(node, ast.Constant):
        return "{" + next(names) + "}"
    if isinstance(node, ast.UnaryOp):
        sign = "-" if isinstance(node.op, ast.USub) else ""
        return f"({sign}{_written(node.operand, names, 3)})" if sign else _written(node.operand, names, parent)
    assert isinstance(node, ast.BinOp)
    rank = 1 if isinstance(node.op, ast.Add | ast.Sub) else 2
    left = _written(node.left, names, rank)
    right = _written(node.right, names, rank + 1)
    text = f"{left} {_OPERATORS[type(node.op)]} {right}"
    return f"({text})" if rank < parent else text
