"""Traces: question DAGs composed from tables, and solved problems taken apart."""

from __future__ import annotations

from collections.abc import Sequence

from astra.model import Noun, Scenario, SolvedProblem, Table, Trace, seeded
from astra.teachers.questions import ComposeTrace, DecomposeProblem, Teacher

# Hops that each scenario is asked for. More of the longer shapes, as in the paper's set (section 3.5).
_HOPS = {
    Scenario.SINGLE_HOP: (1,),
    Scenario.PARALLEL_SINGLE_HOP: (2, 3, 4),
    Scenario.MULTI_HOP: (2, 3, 3, 4),
    Scenario.PARALLEL_MULTI_HOP: (3, 4, 4, 5, 5, 6),
}
_SHARES = {
    Scenario.SINGLE_HOP: 2,
    Scenario.PARALLEL_SINGLE_HOP: 3,
    Scenario.MULTI_HOP: 6,
    Scenario.PARALLEL_MULTI_HOP: 9,
}


class TraceRequest(Noun):
    """A trace to be composed: its shape and its seed."""

    id: str
    scenario: Scenario
    hops: int
    seed: str


def trace_requests(count: int, *, max_hops: int, seed: int) -> list[TraceRequest]:
    """Requests of all four scenarios, in the paper's proportions, with 1 to `max_hops` hops."""
    scenarios = [scenario for scenario, share in _SHARES.items() for _ in range(share)]
    requests = []
    for number in range(count):
        rng = seeded(seed, "trace-request", number)
        scenario = scenarios[number % len(scenarios)]
        possible = [hops for hops in _HOPS[scenario] if hops <= max_hops] or [1]
        if possible == [1]:
            scenario = Scenario.SINGLE_HOP
        name = f"compose/{number}"
        requests.append(TraceRequest(id=name, scenario=scenario, hops=rng.choice(possible), seed=f"{seed}/{name}"))
    return requests


async def compose(teacher: Teacher, tables: Sequence[Table], request: TraceRequest) -> Trace:
    """Ask for a trace of this shape.

    Raises:
        Rejected: the teacher finds none.
    """
    question = ComposeTrace(tables=tuple(tables), scenario=request.scenario, hops=request.hops, seed=request.seed)
    return await teacher.answer(question)


async def decompose(teacher: Teacher, problem: SolvedProblem) -> Trace:
    """Ask for the trace of a solved problem.

    Raises:
        Rejected: the solution can't be read, or its arithmetic is wrong.
    """
    return await teacher.answer(DecomposeProblem(problem=problem))
