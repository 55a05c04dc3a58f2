"""Arithmetic as people write it: read exactly, and nothing else is read at all."""

from __future__ import annotations

import operator
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astra.errors import Rejected
from astra.teachers.grounded.arithmetic import as_answer, parse


@pytest.mark.parametrize(
    ("text", "value", "template"),
    [
        ("16-3-4", 9, "{a} - {b} - {c}"),
        ("16-(3-4)", 17, "{a} - ({b} - {c})"),
        ("2*(3+4)", 14, "{a} * ({b} + {c})"),
        ("(2*3)+4", 10, "{a} * {b} + {c}"),
        ("80*25%", 20, "{a} * ({b} / {c})"),
        ("1,200/5", 240, "{a} / {b}"),
        (".5*8", 4, "{a} * {b}"),
        ("7%4", 3, "{a} % {b}"),
        ("7//2", 3, "{a} // {b}"),
        ("-3+5", 2, "(-{a}) + {b}"),
        ("$2×3", 6, "{a} * {b}"),
        ("0.1+0.2", Fraction(3, 10), "{a} + {b}"),
    ],
)
def test_arithmetic_is_read_exactly(text: str, value: Fraction | int, template: str) -> None:
    formula = parse(text)
    assert formula.value() == value
    assert formula.template(list("abc"[: len(formula.numbers)])) == template


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "2**99", "2**9**9**9", "__import__('os')", "a.b", "f(2)", "[1]", "1 if 2 else 3", "1<2", "1,2", "2 3",
        "'a'", "True", "1j", "(" * 80 + "1" + ")" * 80 + "+x", "9" * 300, "1/0", "5%0", "1_000 + x", "lambda: 1",
    ],
)  # fmt: skip
def test_what_is_no_arithmetic_is_refused(text: str) -> None:
    with pytest.raises(Rejected) as caught:
        parse(text).value()
    assert caught.value.reason == "unreadable-expression"


NUMBERS = st.integers(0, 999).map(str) | st.decimals(0, 99, places=2).map(str)
EXPRESSIONS = st.recursive(
    NUMBERS, lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]}{t[1]}{t[2]})")
)


@given(EXPRESSIONS)
def test_a_template_with_its_numbers_put_back_gives_the_same(text: str) -> None:
    if len(text) > 200:
        return
    formula = parse(text)
    names = [f"n{place}" for place in range(len(formula.numbers))]
    filled = formula.template(names)
    for name, number in zip(names, formula.numbers, strict=True):
        filled = filled.replace("{" + name + "}", f"({number.numerator} / {number.denominator})")
    if len(filled) <= 200:
        assert parse(filled).value() == formula.value()


OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
LEAVES = st.one_of(st.integers(0, 999).map(str), st.decimals(0, 99, places=2).map(str)).map(
    lambda text: (text, Fraction(text))
)


def _joined(parts: tuple[tuple[str, Fraction | None], str, tuple[str, Fraction | None]]) -> tuple[str, Fraction | None]:
    (left, a), sign, (right, b) = parts
    if a is None or b is None or (b == 0 and sign in ("/", "//", "%")):
        return f"({left} {sign} ({right}))", None
    return f"({left} {sign} ({right}))", Fraction(OPERATORS[sign](a, b))


CALCULATIONS = st.recursive(
    LEAVES, lambda inner: st.tuples(inner, st.sampled_from(sorted(OPERATORS)), inner).map(_joined), max_leaves=8
)


@given(CALCULATIONS)
def test_the_value_is_that_of_fractions(calculation: tuple[str, Fraction | None]) -> None:
    text, value = calculation
    if value is None:
        with pytest.raises(Rejected):
            parse(text).value()
    else:
        assert parse(text).value() == value


@given(st.one_of(st.text(max_size=300), st.text("0123456789.,+-*/%() \n$e_", max_size=300)))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        as_answer(parse(text).value())
    except Rejected as why:
        assert why.reason == "unreadable-expression"


@pytest.mark.parametrize(
    "text",
    ["(" * 10**6, "-" * 10**6, "1+" * 10**6, "9" * 10**6, "9**" * 60 + "9", "(" * 99 + "1" + ")" * 98, "1e999999999"],
)
def test_what_would_cost_time_or_depth_is_refused_at_once(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(Rejected):
        parse(text)
    assert time.perf_counter() - start < 1
