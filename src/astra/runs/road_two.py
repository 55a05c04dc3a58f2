"""Road 2: knowledge -> traces -> validated traces -> tools as code -> merged, certified arenas."""

from __future__ import annotations

from pathlib import Path

from astra.arenas.certificate import certify
from astra.arenas.distractors import add_distractors
from astra.arenas.knowledge import packaged_problems, read_problems, read_table
from astra.arenas.packaged import packaged_tables
from astra.arenas.synthesize import synthesize
from astra.arenas.traces import TraceRequest, compose, decompose, trace_requests
from astra.arenas.validate import validate_trace
from astra.engine import Stage
from astra.model import Arena, Rejection, SolvedProblem, Table, Trace
from astra.runs.run import Run
from astra.sandbox import MontySandbox
from astra.teachers.questions import Teacher


async def make_arenas(run: Run, teacher: Teacher) -> None:
    """All stages of the road, each with its product file."""
    tables = _tables(run)
    traces = await _traces(run, teacher, tables)
    arenas = await _arenas(run, teacher, tables, traces)
    run.write("arenas.jsonl", arenas)


async def _traces(run: Run, teacher: Teacher, tables: tuple[Table, ...]) -> list[Trace]:
    """Stages traces, validate."""
    config = run.config.arenas

    async def ask(item: TraceRequest | SolvedProblem) -> Trace:
        if isinstance(item, SolvedProblem):
            return await decompose(teacher, item)
        return await compose(teacher, tables, item)

    async def validate(trace: Trace) -> Trace:
        return validate_trace(trace)

    items: list[TraceRequest | SolvedProblem] = [
        *(trace_requests(config.traces, max_hops=config.max_hops, seed=run.config.seed) if tables else ()),
        *_problems(run),
    ]
    proposed = (await run.execute(Stage("traces", ask, Trace), items)).products
    traces = (await run.execute(Stage("validate", validate, Trace), proposed)).products
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

        pool = (await run.execute(Stage("synthesize", build, Arena, concurrency=4), traces)).products
    complete = (await run.execute(Stage("distractors", distract, Arena), pool)).products
    return (await run.execute(Stage("certify", certify, Arena, concurrency=4), complete)).products


def _tables(run: Run) -> tuple[Table, ...]:
    found: list[Table] = []
    for name in run.config.inputs.tables:
        found += packaged_tables() if name == "packaged" else [read_table(Path(name))]
    return tuple(found)


def _problems(run: Run) -> list[SolvedProblem]:
    """The solved problems; lines that are none are put on record."""
    read: list[SolvedProblem | Rejection] = []
    for name in run.config.inputs.traces:
        read += packaged_problems() if name == "packaged" else read_problems(Path(name))
    problems = [entry for entry in read if isinstance(entry, SolvedProblem)]
    run.fell_out("problems", len(problems), [entry for entry in read if isinstance(entry, Rejection)])
    return problems
