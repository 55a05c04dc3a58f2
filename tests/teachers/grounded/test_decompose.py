"""Solved problems taken apart: dependencies come from where the numbers come from."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from astra.arenas.knowledge import packaged_problems, read_problems
from astra.arenas.validate import validate_trace
from astra.errors import Rejected
from astra.model import Scenario, SolvedProblem, SolvedStep, Trace, mentions
from astra.teachers.grounded.decompose import decompose_problem
from astra.teachers.questions import DecomposeProblem


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


def test_a_rounded_answer_is_known_again_where_it_goes_in() -> None:
    trace = decomposed("10 boats, 3 ships", ("10/3=3.333333",), ("3.333333*6=19.999998",), answer="19.999998")
    assert trace.sub_questions[1].depends_on == (1,)
    assert decomposed("10 boats, 3 ships", ("10/3=3.333333",), answer="3.333333").answer == 3.333333


@pytest.mark.parametrize("huge", ["1e999", "9" * 400])
def test_a_number_that_no_float_holds_may_stand_in_the_question(huge: str) -> None:
    assert decomposed(f"There are {huge} gulls and 5 boats of 3.", ("5*3=15",), answer="15").answer == 15


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
