"""From a trace to an arena: a tool for each sub-question, accepted by its run (paper section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence

from astra.arenas.merge import Written, answers, merge
from astra.errors import BadInput, Rejected
from astra.model import Arena, SubQuestion, SubTask, Table, ToolCode, Trace, content_id
from astra.sandbox import MontySandbox
from astra.teachers.questions import Teacher, WriteTool

TRIES = 3  # drafts of one tool


async def synthesize(
    teacher: Teacher, sandbox: MontySandbox, trace: Trace, *, tables: Sequence[Table] = (), seed: int
) -> Arena:
    """The arena of a trace, without distractors or certificate.

    Raises:
        Rejected: some sub-question has no tool after all tries; the sentence says what the last one lacked.
    """
    written = [
        await _write(teacher, sandbox, trace, sub, tables, seed) for sub in trace.sub_questions if sub.needs_tool
    ]
    merged = await merge(teacher, sandbox, written)
    tools = {entry.draft.tool.name: ToolCode(tool=entry.draft.tool, code=entry.draft.code) for entry in merged}
    asked = {entry.sub.id for entry in merged}
    return Arena(
        id=content_id("arena", [trace.id, seed]),
        question=trace.question,
        answer=trace.answer,
        sub_tasks=tuple(
            SubTask(
                id=entry.sub.id,
                question=entry.sub.question,
                answer=entry.sub.answer,
                depends_on=tuple(parent for parent in entry.sub.depends_on if parent in asked),
                tool=entry.draft.tool.name,
                arguments=entry.draft.arguments,
            )
            for entry in merged
        ),
        tools=tuple(tools.values()),
        scenario=trace.scenario,
        hops=trace.hops,
        domain=trace.domain,
        language=trace.language,
        source=trace.source,
    )


async def _write(
    teacher: Teacher, sandbox: MontySandbox, trace: Trace, sub: SubQuestion, tables: Sequence[Table], seed: int
) -> Written:
    """A tool whose gold call gives the answer; each failure is told to the teacher."""
    feedback: tuple[str, ...] = ()
    for number in range(TRIES):
        question = WriteTool(
            trace=trace, sub_question=sub, tables=tuple(tables), seed=f"{seed}/{number}", feedback=feedback
        )
        written = Written(sub, await teacher.answer(question))
        try:
            failure = await answers(sandbox, [written])
        except BadInput as error:
            failure = str(error)
        if failure is None:
            return written
        feedback = (*feedback, failure)
    raise Rejected("no-tool", f"sub-question {sub.id} has no tool after {TRIES} tries: {feedback[-1]}")
