"""Solved problems taken apart: sub-questions, answers, dependencies and expressions from the human steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from astra.errors import Rejected
from astra.model import SolvedStep, SubQuestion, Trace, content_id
from astra.model.matching import numbers
from astra.teachers.grounded.arithmetic import Formula, as_answer, parse
from astra.teachers.grounded.operations import Expression, Operand, operand
from astra.teachers.questions import DecomposeProblem

DOMAIN = "word problems"
_NAMES = "abcdefgh"


@dataclass(frozen=True)
class _Source:
    """Where a number of an expression comes from: an earlier step, or the question (or common knowledge)."""

    value: Fraction
    parent: int | None


def decompose_problem(question: DecomposeProblem) -> Trace:
    """The trace of a solved problem; every expression is worked out again.

    Raises:
        Rejected: `no-expression`, `several-expressions`, `unreadable-expression`, `too-many-operands`,
            `wrong-arithmetic`, `answer-mismatch`.
    """
    problem = question.problem
    found = numbers(problem.question)
    given = {Fraction(str(number)) for number in found if isinstance(number, int) or math.isfinite(number)}
    answers: list[Fraction] = []
    subs: list[SubQuestion] = []
    for place, step in enumerate(problem.steps, start=1):
        formula, value = _recomputed(step)
        sources = [_source(number, given, answers) for number in formula.numbers]
        operation = _operation(formula, sources)
        subs.append(
            SubQuestion(
                id=place,
                question=step.question,
                answer=as_answer(value),
                depends_on=tuple(sorted({source.parent for source in sources if source.parent is not None})),
                operation=operation.model_dump(mode="json", by_alias=True),
            )
        )
        answers.append(_rounded(value))
    final = parse(problem.answer).value()
    if _rounded(final) != answers[-1]:
        raise Rejected("answer-mismatch", f"the answer is {problem.answer}, but the last step gives {subs[-1].answer}")
    return Trace(
        id=content_id("trace", [problem.id, problem.question]),
        question=problem.question,
        answer=subs[-1].answer,
        sub_questions=tuple(subs),
        domain=DOMAIN,
        source=f"problems:{problem.id}",
    )


def _recomputed(step: SolvedStep) -> tuple[Formula, Fraction]:
    """The step's one expression with its result."""
    if not step.expressions:
        raise Rejected("no-expression", f"the step {step.question!r} holds no expression")
    if len(step.expressions) > 1:
        raise Rejected("several-expressions", f"the step {step.question!r} holds {len(step.expressions)} expressions")
    left, _, right = step.expressions[0].rpartition("=")
    formula, written = parse(left), parse(right).value()
    value = formula.value()
    if as_answer(value) != as_answer(written):
        raise Rejected("wrong-arithmetic", f"{left.strip()} is {as_answer(value)}, not {right.strip()}")
    return formula, value


def _rounded(value: Fraction) -> Fraction:
    """The value as an answer has it, which is what later steps are given."""
    return Fraction(str(as_answer(value)))


def _source(number: Fraction, given: set[Fraction], answers: Sequence[Fraction]) -> _Source:
    """An earlier answer, the latest first, unless the question states the number."""
    if number not in given:
        for place in range(len(answers), 0, -1):
            if answers[place - 1] == number:
                return _Source(number, place)
    return _Source(number, None)


def _operation(formula: Formula, sources: Sequence[_Source]) -> Expression:
    """Equal numbers from one source are one operand."""
    named: dict[_Source, str] = {}
    for source in sources:
        if source not in named:
            if len(named) == len(_NAMES):
                raise Rejected("too-many-operands", f"an expression of more than {len(_NAMES)} numbers is no one step")
            named[source] = _NAMES[len(named)]
    template = formula.template([named[source] for source in sources])
    found: list[Operand] = [operand(name, as_answer(source.value), source.parent) for source, name in named.items()]
    return Expression(template=template, operands=tuple(found))
