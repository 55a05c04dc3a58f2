"""Questions from tables: of the shape asked for, answered by the data, giving nothing away."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astra.arenas.validate import validate_trace
from astra.errors import Rejected
from astra.model import Scenario, Trace, holds, mentions
from astra.model.matching import same, typed
from astra.teachers.grounded.compose import compose_trace
from astra.teachers.grounded.facts import Facts
from astra.teachers.grounded.operations import (
    Aggregate,
    Calculation,
    Count,
    Expression,
    Lookup,
    Top,
    calculate,
    operand,
    operands,
    read_operation,
)
from astra.teachers.questions import ComposeTrace
from fleet import fleet

TABLES = fleet()
FACTS = Facts(TABLES)
SHAPES = [
    (Scenario.SINGLE_HOP, 1),
    *((Scenario.PARALLEL_SINGLE_HOP, hops) for hops in range(2, 7)),
    *((Scenario.MULTI_HOP, hops) for hops in range(2, 7)),
    *((Scenario.PARALLEL_MULTI_HOP, hops) for hops in range(3, 7)),
]


def composed(scenario: Scenario, hops: int, seed: str = "0") -> Trace:
    return compose_trace(ComposeTrace(tables=TABLES, scenario=scenario, hops=hops, seed=seed), FACTS)


@pytest.mark.parametrize(("scenario", "hops"), SHAPES)
def test_every_shape_of_one_to_six_hops_can_be_had(scenario: Scenario, hops: int) -> None:
    trace = composed(scenario, hops)
    assert (trace.scenario, trace.hops) == (scenario, hops)


@given(st.sampled_from(SHAPES), st.text(max_size=6))
@settings(max_examples=150, deadline=None)
def test_answers_are_what_the_data_give_and_do_not_give_themselves_away(shape: tuple[Scenario, int], seed: str) -> None:
    trace = composed(*shape, seed)
    validate_trace(trace)
    assert (trace.scenario, trace.hops) == shape
    answers = {}
    for sub in trace.sub_questions:
        operation = read_operation(sub.operation)
        assert not isinstance(operation, Expression)
        again = calculate(operation) if isinstance(operation, Calculation) else FACTS.answer(operation)
        assert again == sub.answer
        for value in operands(operation):
            if value.parent is not None:
                assert value.value == answers[value.parent]
            else:
                assert mentions(trace.question, value.value)
        answers[sub.id] = sub.answer
        assert not mentions(trace.question, sub.answer)
        for other in trace.sub_questions:
            assert other.id in (sub.id, *sub.depends_on) or not holds(sub.answer, other.answer)
    assert trace == composed(*shape, seed)


def test_all_kinds_of_operation_occur() -> None:
    kinds = {
        sub.operation["op"]
        for number in range(30)
        for shape in SHAPES
        for sub in composed(*shape, str(number)).sub_questions
        if sub.operation is not None
    }
    assert kinds == {"lookup", "count", "aggregate", "top", "calculation"}


@pytest.mark.parametrize(
    ("scenario", "hops"), [(Scenario.SINGLE_HOP, 2), (Scenario.MULTI_HOP, 1), (Scenario.PARALLEL_MULTI_HOP, 2)]
)
def test_an_impossible_shape_is_refused(scenario: Scenario, hops: int) -> None:
    with pytest.raises(Rejected) as caught:
        composed(scenario, hops)
    assert caught.value.reason == "impossible-shape"


def group(name: str) -> dict[str, object]:
    return {"table": "ships", "group_column": "harbour", "group": operand("group", name, None)}


def test_operations_agree_with_a_look_at_the_rows() -> None:
    rows = [row for row in TABLES[1].rows if row["harbour"] == "Oakum"]
    lengths = [row["length"] for row in rows if isinstance(row["length"], int)]
    assert FACTS.answer(Count.model_validate(group("Oakum"))) == len(rows)
    total = Aggregate.model_validate({**group("Oakum"), "column": "length", "function": "total"})
    assert FACTS.answer(total) == sum(lengths)
    longest = Top.model_validate({**group("Oakum"), "column": "length", "function": "highest"})
    winner = next(row for row in rows if row["length"] == max(lengths))
    assert FACTS.answer(longest) == winner["name"]
    of_winner = Lookup(table="ships", key_column="name", column="length", key=operand("key", str(winner["name"]), None))
    assert same(typed(FACTS.answer(of_winner)), typed(max(lengths)))


def test_a_tie_has_no_answer() -> None:
    harbours, ships = TABLES
    level = ships.model_copy(update={"rows": tuple({**row, "length": 100} for row in ships.rows)})
    with pytest.raises(Rejected) as caught:
        Facts((harbours, level)).answer(
            Top.model_validate({**group("Oakum"), "column": "length", "function": "highest"})
        )
    assert caught.value.reason == "tie"


def test_no_step_tells_the_answer_of_another() -> None:
    harbours, ships = TABLES
    names = {row["name"]: f"{row['name']} of {row['harbour']}" for row in ships.rows}
    telling = ships.model_copy(update={"rows": tuple({**row, "name": names[row["name"]]} for row in ships.rows)})
    tables = (harbours, telling)
    for number in range(40):
        question = ComposeTrace(tables=tables, scenario=Scenario.MULTI_HOP, hops=2, seed=str(number))
        first, last = compose_trace(question, Facts(tables)).sub_questions
        assert not holds(first.answer, last.answer)
