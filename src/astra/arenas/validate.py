"""What a rule can say of a trace before any code is written: topology first (paper section 3.2)."""

from __future__ import annotations

from collections.abc import Callable

from astra.errors import Rejected
from astra.model import Answer, SubQuestion, Trace, holds, mentions
from astra.model.matching import leaves, same, typed


def validate_trace(trace: Trace) -> Trace:
    """The trace itself, if every rule holds.

    Raises:
        Rejected: the reason is the rule that does not hold.
    """
    for rule in _RULES:
        rule(trace)
    return trace


def _ordered(trace: Trace) -> None:
    """Ids are 1..m, and each sub-question depends on earlier ones only: there is no cycle."""
    for place, sub in enumerate(trace.sub_questions, start=1):
        if sub.id != place:
            raise Rejected("order", f"sub-question {sub.id} stands in place {place}")
        for parent in sub.depends_on:
            if not 1 <= parent < sub.id:
                raise Rejected("order", f"sub-question {sub.id} depends on {parent}, which does not precede it")
        if len(set(sub.depends_on)) != len(sub.depends_on):
            raise Rejected("order", f"sub-question {sub.id} names a parent twice")


def _answers_flow(trace: Trace) -> None:
    """DC: each parent's answer goes into its child, as #id in the text or as a value of the operation."""
    answers = {sub.id: sub.answer for sub in trace.sub_questions}
    for sub in trace.sub_questions:
        for parent in sub.depends_on:
            if f"#{parent}" not in sub.question and not _goes_in(answers[parent], sub):
                raise Rejected("dependency-unused", f"sub-question {sub.id} makes no use of the answer of {parent}")


def _goes_in(answer: Answer, sub: SubQuestion) -> bool:
    return any(same(typed(leaf), typed(answer)) for leaf in leaves(sub.operation))


def _all_used(trace: Trace) -> None:
    """SR: no superfluous step: what nothing depends on is part of the main answer."""
    parents = {parent for sub in trace.sub_questions for parent in sub.depends_on}
    for sub in trace.sub_questions:
        if sub.id not in parents and not (holds(trace.answer, sub.answer) or _states(trace.answer, sub.answer)):
            raise Rejected("superfluous-step", f"nothing needs the answer of sub-question {sub.id}")


def _states(text: Answer, answer: Answer) -> bool:
    return isinstance(text, str) and any(same(typed(part), typed(answer)) for part in text.split("; "))


def _tools_needed(trace: Trace) -> None:
    """Necessity: a sub-question without a tool is allowed only where nothing depends on it."""
    parents = {parent for sub in trace.sub_questions for parent in sub.depends_on}
    for sub in trace.sub_questions:
        if not sub.needs_tool and sub.id in parents:
            raise Rejected("tool-free-parent", f"sub-question {sub.id} needs no tool, but others depend on it")
    if not any(sub.needs_tool for sub in trace.sub_questions):
        raise Rejected("tool-free", "no sub-question needs a tool")


def _answers_distinct(trace: Trace) -> None:
    """SA: two steps of one answer can't be told apart by what a call returns."""
    seen: list[tuple[int, Answer]] = []
    for sub in trace.sub_questions:
        for other, answer in seen:
            if same(typed(answer), typed(sub.answer)):
                raise Rejected("answers-repeat", f"sub-questions {other} and {sub.id} have the same answer")
        seen.append((sub.id, sub.answer))


def _question_silent(trace: Trace) -> None:
    """The main question states no answer: what it tells, no tool need find out."""
    for sub in trace.sub_questions:
        if mentions(trace.question, sub.answer):
            raise Rejected("answer-in-question", f"the answer of sub-question {sub.id} stands in the main question")


_RULES: tuple[Callable[[Trace], None], ...] = (
    _ordered,
    _answers_flow,
    _all_used,
    _tools_needed,
    _answers_distinct,
    _question_silent,
)
