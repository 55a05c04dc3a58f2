"""Road 2: knowledge -> traces -> validated traces -> tools as code -> merged, certified arenas."""

from __future__ import annotations

from astra.arenas.certificate import certify
from astra.arenas.distractors import add_distractors
from astra.arenas.synthesize import synthesize
from astra.arenas.traces import TraceRequest, compose, decompose, trace_requests
from astra.arenas.validate import validate_trace
from astra.model import Arena, SolvedProblem, Table, Trace
from astra.runs.knowledge import Knowledge
from astra.runs.run import Run
from astra.sandbox import MontySandbox
from astra.teachers.questions import Teacher


async def make_arenas(run: Run, teacher: Teacher, knowledge: Knowledge) -> None:
    """All stages of the road, each with its product file."""
    traces = await _traces(run, teacher, knowledge)
    arenas = await _arenas(run, teacher, knowledge.tables, traces)
    run.write("arenas.jsonl", arenas)


async def _traces(run: Run, teacher: Teacher, knowledge: Knowledge) -> list[Trace]:
    """Stages traces, validate."""
    config = run.config.arenas

    async def ask(item: TraceRequest | SolvedProblem) -> Trace:
        if isinstance(item, SolvedProblem):
            return await decompose(teacher, item)
        return await compose(teacher, knowledge.tables, item)

    async def validate(trace: Trace) -> Trace:
        return validate_trace(trace)

    run.fell_out("problems", len(knowledge.problems), knowledge.unread)
    count = config.traces if knowledge.tables else 0
    items: list[TraceRequest | SolvedProblem] = [
        *trace_requests(count, max_hops=config.max_hops, seed=run.config.seed),
        *knowledge.problems,
    ]
    proposed = (await run.stage("traces", ask, Trace, items)).products
    traces = (await run.stage("validate", validate, Trace, proposed)).products
    run.write("traces.jsonl", traces)
    return traces


async def _arenas(run: Run, teacher: Teacher, tables: tuple[Table, ...], traces: list[Trace]) -> list[Arena]:
    """Stages synthesize, distractors, certify."""
    seed = run.config.seed

    async def distract(arena: Arena) -> Arena:
        return add_distractors(arena, pool, count=run.config.arenas.distractors, seed=seed)

    async with MontySandbox() as sandbox:

        async def build(trace: Trace) -> Arena:
            return await synthesize(teacher, sandbox, trace, tables=tables, seed=seed)

        pool = (await run.stage("synthesize", build, Arena, traces, concurrency=4)).products
    complete = (await run.stage("distractors", distract, Arena, pool)).products
    return (await run.stage("certify", certify, Arena, complete, concurrency=4)).products
