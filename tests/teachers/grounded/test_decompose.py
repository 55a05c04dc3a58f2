"""Solved problems taken apart: exact arithmetic, dependencies from where the numbers come from."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astra.arenas.knowledge import packaged_problems, read_problems
from astra.arenas.validate import validate_trace
from astra.errors import Rejected
from astra.model import Scenario, SolvedProblem, SolvedStep, Trace, mentions
from astra.teachers.grounded.arithmetic import parse
from astra.teachers.grounded.decompose import decompose_problem
from astra.teachers.questions import DecomposeProblem


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


def problem(question: str, *steps: tuple[str, ...], answer: str) -> SolvedProblem:
    made = tuple(SolvedStep(question="How many?", sentence="So many.", expressions=step) for step in steps)
    return SolvedProblem(id="test:1", question=question, steps=made, answer=answer)


def decomposed(question: str, *steps: tuple[str, ...], answer: str) -> Trace:
    return decompose_problem(DecomposeProblem(problem=problem(question, *steps, answer=answer)))


def test_dependencies_come_from_where_the_numbers_come_from() -> None:
    trace = decomposed("5 boats, 8 ships, 3 each", ("5*3=15",), ("8*3=24",), ("15+24=39",), answer="39")
    assert [sub.depends_on for sub in trace.sub_questions] == [(), (), (1, 2)]
    assert trace.scenario is Scenario.PARALLEL_MULTI_HOP
    assert trace.answer == 39


def test_a_number_of_the_question_is_no_dependency() -> None:
    trace = decomposed("5 boats, 3 each, 15 more", ("5*3=15",), ("15+7=22",), answer="22")
    assert trace.sub_questions[1].depends_on == ()


@pytest.mark.parametrize(
    ("steps", "answer", "reason"),
    [
        ([("2+2=5",)], "5", "wrong-arithmetic"),
        ([("10/3=3.33",)], "3.33", "wrong-arithmetic"),
        ([()], "4", "no-expression"),
        ([("2+2=4", "4+1=5")], "5", "several-expressions"),
        ([("2+two=4",)], "4", "unreadable-expression"),
        ([("2+2=4",)], "5", "answer-mismatch"),
        ([("1+2+3+4+5+6+7+8+9=45",)], "45", "too-many-operands"),
    ],
)
def test_a_solution_that_does_not_hold_is_refused(steps: list[tuple[str, ...]], answer: str, reason: str) -> None:
    with pytest.raises(Rejected) as caught:
        decomposed("Some question.", *steps, answer=answer)
    assert caught.value.reason == reason


def test_the_packaged_problems_are_sound() -> None:
    problems = [entry for entry in packaged_problems() if isinstance(entry, SolvedProblem)]
    assert len(problems) == len(packaged_problems()) >= 60
    traces = [validate_trace(decompose_problem(DecomposeProblem(problem=entry))) for entry in problems]
    assert len({trace.question for trace in traces}) == len(traces)
    assert sum(trace.scenario is Scenario.PARALLEL_MULTI_HOP for trace in traces) >= 20
    assert not any(mentions(trace.question, sub.answer) for trace in traces for sub in trace.sub_questions)


def test_most_human_solutions_can_be_taken_apart_and_each_is_accounted_for(shared: Path) -> None:
    outcomes: Counter[str] = Counter()
    for entry in read_problems(shared / "data" / "traces" / "gsm8k_socratic.jsonl"):
        assert isinstance(entry, SolvedProblem)
        try:
            decompose_problem(DecomposeProblem(problem=entry))
            outcomes["trace"] += 1
        except Rejected as why:
            outcomes[why.reason] += 1
    assert sum(outcomes.values()) == 1000
    assert outcomes["trace"] >= 750, outcomes
