"""Questions from tables: a question DAG of the shape that is asked for, its answers worked out from the rows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from astra.errors import Rejected
from astra.model import Answer, Scenario, SubQuestion, Trace, content_id, holds, mentions, seeded
from astra.model.matching import same, typed
from astra.teachers.grounded import phrases
from astra.teachers.grounded.facts import Facts, Grouping
from astra.teachers.grounded.operations import (
    Aggregate,
    Calculation,
    Count,
    Lookup,
    Relational,
    calculate,
    operand,
    operands,
)
from astra.teachers.grounded.options import Options
from astra.teachers.questions import ComposeTrace

_TRIES = 200  # of one request: most walks end in a tie, an empty cell or an answer that gives itself away
_FEWEST = {
    Scenario.SINGLE_HOP: 1,
    Scenario.PARALLEL_SINGLE_HOP: 2,
    Scenario.MULTI_HOP: 2,
    Scenario.PARALLEL_MULTI_HOP: 3,
}


class DeadEnd(Exception):
    """This walk can't go on; another may."""


@dataclass(frozen=True)
class Step:
    """A sub-question in the making."""

    id: int
    operation: Relational | Calculation
    answer: Answer
    phrase: str  # within the main question
    short: str  # within its own sub-question, parents as #id


@dataclass(frozen=True)
class Handle:
    """A value that a step can start from: stated in the question, or an earlier step's answer."""

    value: Answer
    phrase: str
    short: str
    parent: int | None


def compose_trace(question: ComposeTrace, facts: Facts) -> Trace:
    """A trace of the scenario and the number of hops that are asked for.

    Raises:
        Rejected: the scenario needs more hops; or these tables hold no such question.
    """
    if question.hops < _FEWEST[question.scenario] or (question.scenario is Scenario.SINGLE_HOP and question.hops > 1):
        raise Rejected("impossible-shape", f"a {question.scenario} trace can't have {question.hops} hops")
    rng = seeded(question.seed, "compose-trace")
    for _ in range(_TRIES):
        walk = _Walk(facts, rng)
        try:
            steps, text, answer = walk.composed(question.scenario, question.hops)
        except (DeadEnd, Rejected):
            continue
        if _sound(steps, text):
            return _trace(question, facts, steps, text, answer)
    raise Rejected("no-trace", f"no {question.scenario} question of {question.hops} hops was found in these tables")


def _sound(steps: Sequence[Step], text: str) -> bool:
    """The question states no answer, no two are the same, and none states another: Africa/Kinshasa says Kinshasa."""
    answers = [typed(step.answer) for step in steps]
    distinct = all(not same(one, other) for place, one in enumerate(answers) for other in answers[:place])
    told = any(holds(one.answer, other.answer) and not _takes(one, other) for one in steps for other in steps)
    return distinct and not told and not any(mentions(text, step.answer) for step in steps)


def _takes(step: Step, other: Step) -> bool:
    """Whether a step is the other, or starts from its answer: then it tells nothing new."""
    return step.id == other.id or any(value.parent == other.id for value in operands(step.operation))


def _trace(question: ComposeTrace, facts: Facts, steps: Sequence[Step], text: str, answer: Answer) -> Trace:
    subs = tuple(
        SubQuestion(
            id=step.id,
            question=phrases.asked(step.short),
            answer=step.answer,
            depends_on=tuple(sorted({o.parent for o in operands(step.operation) if o.parent is not None})),
            operation=step.operation.model_dump(mode="json", by_alias=True),
        )
        for step in steps
    )
    used = [facts.tables[step.operation.table] for step in steps if not isinstance(step.operation, Calculation)]
    return Trace(
        id=content_id("trace", [question.seed, text]),
        question=text,
        answer=answer,
        sub_questions=subs,
        domain=used[0].domain,
        source="tables:" + ",".join(sorted({table.name for table in used})),
    )


class _Walk:
    """One attempt: steps are added until the shape is complete."""

    def __init__(self, facts: Facts, rng: random.Random) -> None:
        self._facts = facts
        self._options = Options(facts)
        self._rng = rng
        self._steps: list[Step] = []

    def composed(self, scenario: Scenario, hops: int) -> tuple[list[Step], str, Answer]:
        """Steps, main question, main answer."""
        if scenario is Scenario.PARALLEL_SINGLE_HOP:
            for _ in range(hops):
                self._chain(1)
            text = phrases.main_list(self._rng, [step.phrase for step in self._steps])
            return self._steps, text, "; ".join(str(step.answer) for step in self._steps)
        if scenario is not Scenario.PARALLEL_MULTI_HOP:
            last = self._chain(hops)
            return self._steps, phrases.main(self._rng, last.phrase, self._unit(last.operation)), last.answer
        left = self._rng.randint(1, hops - 2)
        first = self._chain(left, number=True)
        second = self._chain(hops - 1 - left, like=first.operation)
        last = self._calculated(first, second)
        assert isinstance(last.operation, Calculation)
        text = phrases.main_calculation(
            self._rng, last.operation.function, first.phrase, second.phrase, self._unit(first.operation)
        )
        return self._steps, text, last.answer

    def _chain(self, length: int, *, number: bool = False, like: Relational | Calculation | None = None) -> Step:
        """Steps in series, each starting from the answer before.

        Args:
            number: the last answer must be a number.
            like: the last step must be of this kind: the same column or count.
        """
        step = self._first(number=number, like=like) if length == 1 else self._first(useful=True)
        for place in range(2, length + 1):
            handle = Handle(step.answer, step.phrase, f"#{step.id}", step.id)
            options = self._options.after(step.answer, step.id, step.operation)
            if place == length:
                options = [one for one in options if _fits(one, number, like)]
            if not options:
                raise DeadEnd
            step = self._take(handle, self._chosen(options, final=place == length))
        return step

    def _first(
        self, *, useful: bool = False, number: bool = False, like: Relational | Calculation | None = None
    ) -> Step:
        """A step from a value that the question states."""
        handle, options = self._given(like)
        options = [one for one in options if _fits(one, number, like)]
        if not options:
            raise DeadEnd
        return self._take(handle, self._chosen(options, final=not useful))

    def _given(self, like: Relational | Calculation | None) -> tuple[Handle, list[Relational]]:
        """Some key, other name or group of some table, with what can be asked of it."""
        facts, rng = self._facts, self._rng
        groupings = [g for g in facts.groupings if like is None or _asks_of(like, g)]
        tables = [t for t in facts.tables.values() if like is None or (like.op == "lookup" and like.table == t.name)]
        if groupings and (not tables or rng.random() < 0.35):
            grouping = rng.choice(groupings)
            value = rng.choice(list(grouping.sizes))
            handle = Handle(value, str(value), str(value), None)
            return handle, self._options.of_group(grouping, value, None)
        if not tables:
            raise DeadEnd
        table = rng.choice(tables)
        names = facts.naming_columns[table.name]
        key_column = rng.choice(names) if names and rng.random() < 0.4 else table.column(table.key)
        row = rng.choice(table.rows)
        name = row[key_column.name]
        if name is None:
            raise DeadEnd
        phrase = phrases.named(table, key_column, name)
        return Handle(name, phrase, phrase, None), self._options.of_row(table, key_column.name, name, None)

    def _chosen(self, options: Sequence[Relational], *, final: bool) -> Relational:
        """One option; kinds of operation and columns have equal chances, however many options there are of each."""
        by_kind: dict[str, list[Relational]] = {}
        for option in options:
            by_kind.setdefault(option.op, []).append(option)
        if not final:
            by_kind = {kind: found for kind, found in by_kind.items() if kind in ("lookup", "top")} or by_kind
            useful = [one for one in by_kind.get("lookup", ()) if self._options.leads_on(one)]
            if useful:
                by_kind["lookup"] = useful
        return self._rng.choice(by_kind[self._rng.choice(sorted(by_kind))])

    def _take(self, handle: Handle, operation: Relational) -> Step:
        answer = self._facts.answer(operation)
        table = self._facts.tables[operation.table]
        return self._added(
            operation,
            answer,
            phrases.result(table, operation, handle.phrase),
            phrases.result(table, operation, handle.short),
        )

    def _calculated(self, first: Step, second: Step) -> Step:
        operation = Calculation(
            function=self._rng.choice(("sum", "difference", "ratio")),
            first=operand("first", first.answer, first.id),
            second=operand("second", second.answer, second.id),
        )
        answer = calculate(operation)
        if not answer or (operation.function == "ratio" and not 0.1 <= answer <= 100):
            raise DeadEnd  # rounding would give many pairs of numbers the same ratio
        short = phrases.calculation(operation.function, f"#{first.id}", f"#{second.id}")
        return self._added(operation, answer, short, short)

    def _added(self, operation: Relational | Calculation, answer: Answer, phrase: str, short: str) -> Step:
        step = Step(len(self._steps) + 1, operation, answer, phrase, short)
        self._steps.append(step)
        return step

    def _unit(self, operation: Relational | Calculation) -> str | None:
        if isinstance(operation, Lookup | Aggregate):
            return self._facts.tables[operation.table].column(operation.column).unit
        return None


def _fits(operation: Relational, number: bool, like: Relational | Calculation | None) -> bool:
    """Whether an operation may end a chain of which a number, or the like of another, is asked."""
    if like is not None:
        ignored = {"key", "group", "key_column"}
        return operation.model_dump(exclude=ignored) == like.model_dump(exclude=ignored)
    return (
        not number
        or isinstance(operation, Count | Aggregate)
        or (isinstance(operation, Lookup) and _is_measure(operation))
    )


def _is_measure(operation: Lookup) -> bool:
    return operation.column not in ("latitude", "longitude")


def _asks_of(operation: Relational | Calculation, grouping: Grouping) -> bool:
    return isinstance(operation, Count | Aggregate) and (operation.table, operation.group_column) == (
        grouping.table.name,
        grouping.column.name,
    )
