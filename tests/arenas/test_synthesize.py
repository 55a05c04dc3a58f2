"""From trace to arena: tools accepted by their run, merged one at a time, distractors, and a certificate at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from astra.arenas.certificate import certify
from astra.arenas.certificate.static import arguments_known
from astra.arenas.distractors import add_distractors
from astra.arenas.knowledge import packaged_problems
from astra.arenas.synthesize import TRIES, synthesize
from astra.arenas.traces import compose, decompose, trace_requests
from astra.arenas.validate import validate_trace
from astra.errors import Rejected
from astra.model import Arena, Scenario, SolvedProblem, SubQuestion, Tool, Trace
from astra.sandbox import MontySandbox
from astra.teachers.grounded.merge_tools import merge_tools
from astra.teachers.grounded.teacher import GroundedTeacher
from astra.teachers.questions import MergeTools, Question, ToolDraft, WriteTool
from fleet import fleet

TABLES = fleet()


def arenas(count: int) -> list[Arena]:
    async def run() -> list[Arena]:
        teacher = GroundedTeacher()
        async with MontySandbox() as sandbox:
            return [
                await synthesize(teacher, sandbox, await compose(teacher, TABLES, request), tables=TABLES, seed=0)
                for request in trace_requests(count, max_hops=6, seed=1)
            ]

    return asyncio.run(run())


def test_traces_become_arenas_that_are_certified() -> None:
    made = arenas(20)
    assert {arena.scenario for arena in made} == set(Scenario)
    certified = [asyncio.run(certify(arena)) for arena in made]
    assert all(arena.certificate is not None and arena.certificate.passed for arena in certified)
    assert [arena.id for arena in made] == [arena.id for arena in arenas(20)]


def test_packaged_problems_tell_every_value_that_their_calls_need() -> None:
    async def run() -> list[Arena]:
        teacher = GroundedTeacher()
        problems = [entry for entry in packaged_problems() if isinstance(entry, SolvedProblem)]
        async with MontySandbox() as sandbox:
            return [
                await synthesize(teacher, sandbox, validate_trace(await decompose(teacher, problem)), seed=0)
                for problem in problems
            ]

    checks = [(arena.source, arguments_known(arena)) for arena in asyncio.run(run())]
    assert not [(source, check.evidence) for source, check in checks if not check.passed]


def test_sub_questions_of_one_kind_share_a_tool() -> None:
    made = arenas(60)
    assert all(len(arena.tools) <= len(arena.sub_tasks) for arena in made)
    shared = [arena for arena in made if len(arena.tools) < len(arena.sub_tasks)]
    assert len(shared) >= 5
    for arena in shared[:5]:
        asyncio.run(certify(arena))


def test_distractors_come_from_other_arenas_and_never_calculate() -> None:
    pool = arenas(30)
    arena = add_distractors(pool[0], pool, count=4, seed=0)
    names = {entry.tool.name for entry in arena.tools}
    assert len(arena.distractors) == 4
    assert not names & {entry.tool.name for entry in arena.distractors}
    assert not any(entry.tool.name.startswith("compute_") for entry in arena.distractors)
    assert add_distractors(pool[0], pool, count=4, seed=0) == arena
    assert add_distractors(pool[0], pool, count=4, seed=1) != arena
    with pytest.raises(Rejected) as caught:
        add_distractors(pool[0], pool[:1], count=4, seed=0)
    assert caught.value.reason == "too-few-distractors"


def draft(code: str, **arguments: Any) -> ToolDraft:
    name = code.split("(")[0].removeprefix("def ")
    schema = {"type": "object", "properties": {key: {"type": "string"} for key in arguments}, "required": [*arguments]}
    return ToolDraft(tool=Tool(name=name, description="Look it up.", parameters=schema), code=code, arguments=arguments)


class Drafts:
    """A teacher that has its drafts ready and remembers what it was told."""

    name = "drafts"

    def __init__(self, *drafts: ToolDraft) -> None:
        self.drafts = list(drafts)
        self.feedback: list[Sequence[str]] = []

    async def answer(self, question: Question[Any]) -> Any:
        if isinstance(question, MergeTools):
            return merge_tools(question)
        assert isinstance(question, WriteTool)
        self.feedback.append(question.feedback)
        return self.drafts.pop(0)


TRACE = Trace(
    id="trace-1",
    question="Where does the Meridian lie?",
    answer="B-22",
    sub_questions=(SubQuestion(id=1, question="Where does the Meridian lie?", answer="B-22"),),
    domain="shipping",
    source="test",
)
RIGHT = draft("def find(ship):\n    rows = {'Meridian': 'B-22'}\n    return {'berth': rows[ship]}\n", ship="Meridian")
WRONG = draft("def find(ship):\n    return {'berth': 'B-221'}\n", ship="Meridian")
BROKEN = draft("def find(ship):\n    return 1 / 0\n", ship="Meridian")


def synthesized(teacher: Drafts, trace: Trace = TRACE) -> Arena:
    async def run() -> Arena:
        async with MontySandbox() as sandbox:
            return await synthesize(teacher, sandbox, trace, seed=0)

    return asyncio.run(run())


def test_a_draft_that_fails_is_written_again_and_told_why() -> None:
    teacher = Drafts(WRONG, BROKEN, RIGHT)
    assert synthesized(teacher).tools[0].code == RIGHT.code
    assert [len(told) for told in teacher.feedback] == [0, 1, 2]
    assert "not 'B-22'" in teacher.feedback[1][0]
    assert "ZeroDivisionError" in teacher.feedback[2][1]


def test_tries_are_bounded_and_the_last_failure_is_kept() -> None:
    teacher = Drafts(*[BROKEN] * 9)
    with pytest.raises(Rejected, match="ZeroDivisionError") as caught:
        synthesized(teacher)
    assert caught.value.reason == "no-tool"
    assert len(teacher.drafts) == 9 - TRIES


def two(first: ToolDraft, second: ToolDraft) -> Arena:
    subs = (
        SubQuestion(id=1, question="Where does the Meridian lie?", answer="B-22"),
        SubQuestion(id=2, question="Where does the Aurora lie?", answer="B-17"),
    )
    return synthesized(Drafts(first, second), TRACE.model_copy(update={"sub_questions": subs}))


OTHER = draft("def find(ship):\n    rows = {'Aurora': 'B-17'}\n    return {'berth': rows[ship]}\n", ship="Aurora")


def test_two_tools_of_one_kind_become_one_with_both_rows() -> None:
    arena = two(RIGHT, OTHER)
    assert len(arena.tools) == 1
    assert "Meridian" in arena.tools[0].code and "Aurora" in arena.tools[0].code
    assert [task.tool for task in arena.sub_tasks] == ["find", "find"]


@pytest.mark.parametrize(
    "second",
    [
        draft("def find(ship):\n    table = {'Aurora': 'B-17'}\n    return {'berth': table[ship]}\n", ship="Aurora"),
        draft(OTHER.code.replace("{'Aurora'", "{'Meridian': 'B-1', 'Aurora'"), ship="Aurora"),
        draft("def find(ship):\n    rows = [['Aurora', 'B-17']]\n    return {'berth': rows[0][1]}\n", ship="Aurora"),
    ],
    ids=["other code", "rows that disagree", "another shape of data"],
)  # fmt: skip
def test_what_can_not_be_merged_stays_two_tools_of_two_names(second: ToolDraft) -> None:
    arena = two(RIGHT, second)
    assert [entry.tool.name for entry in arena.tools] == ["find", "find_2"]
    assert "def find_2(" in arena.tools[1].code
    assert [task.tool for task in arena.sub_tasks] == ["find", "find_2"]


@pytest.mark.parametrize(
    "form",
    [
        "def find(ship):\n    rows={DATA}\n    return {'berth': rows[ship]}\n",
        "def find(ship):\n  rows = {DATA}  # möbliert\n  return {'berth': rows[ship]}\n",
        "def find(ship):\n    rows = {DATA,\n    }\n    return {'berth': rows[ship]}\n",
        "def find(ship):\n    if ship:\n        x = 'é'; rows = {DATA}; x = 'ü'\n    return {'berth': rows[ship]}\n",
    ],
    ids=["no spaces", "two spaces and a comment", "several lines", "nested, on a line with others"],
)
def test_data_are_put_in_wherever_they_stand(form: str) -> None:
    arena = two(
        draft(form.replace("DATA", "'Meridian': 'B-22'"), ship="Meridian"),
        draft(form.replace("DATA", "'Aurora': 'B-17'"), ship="Aurora"),
    )
    assert [entry.code for entry in arena.tools] == [
        form.replace("{DATA,\n    }", "{DATA}").replace("DATA", "'Meridian': 'B-22', 'Aurora': 'B-17'")
    ]


@pytest.mark.parametrize(("one", "other"), [("['a']", "['b']"), ("[[]]", "[[1]]"), ("[{'a': 1}]", "[]"), ("3", "4")])
def test_data_of_an_unknown_shape_are_not_merged(one: str, other: str) -> None:
    drafts = [draft(f"def find(ship):\n    rows = {data}\n    return rows\n", ship="Aurora") for data in (one, other)]
    with pytest.raises(Rejected) as caught:
        merge_tools(MergeTools(base=drafts[0], addition=drafts[1]))
    assert caught.value.reason == "not-homogeneous"


def test_data_that_is_no_literal_is_never_run_here() -> None:
    evil = draft("def find(ship):\n    rows = __import__('os').getcwd()\n    return {'berth': rows}\n", ship="Aurora")
    with pytest.raises(Rejected) as caught:
        merge_tools(MergeTools(base=RIGHT, addition=evil))
    assert caught.value.reason == "not-homogeneous"


def changed(**fields: Any) -> Trace:
    return TRACE.model_copy(update=fields)


def sub(number: int, answer: Any, *parents: int, needs_tool: bool = True, question: str = "") -> SubQuestion:
    text = question or "What of " + " and ".join(f"#{parent}" for parent in parents)
    return SubQuestion(id=number, question=text, answer=answer, depends_on=parents, needs_tool=needs_tool)


@pytest.mark.parametrize(
    ("trace", "reason"),
    [
        (changed(sub_questions=(sub(2, "B-22"),)), "order"),
        (changed(sub_questions=(sub(1, "A", 2), sub(2, "B-22", 1))), "order"),
        (changed(sub_questions=(sub(1, "A"), sub(2, "B-22", 1, 1))), "order"),
        (changed(sub_questions=(sub(1, "A"), sub(2, "B-22", 1, question="Where?"))), "dependency-unused"),
        (changed(sub_questions=(sub(1, "A"), sub(2, "B-22"))), "superfluous-step"),
        (changed(sub_questions=(sub(1, "A", needs_tool=False), sub(2, "B-22", 1))), "tool-free-parent"),
        (changed(sub_questions=(sub(1, "B-22", needs_tool=False),)), "tool-free"),
        (changed(answer="B-22", sub_questions=(sub(1, "b-22"), sub(2, "B-22", 1))), "answers-repeat"),
        (changed(sub_questions=(sub(1, "Meridian"), sub(2, "B-22", 1))), "answer-in-question"),
    ],
)
def test_a_trace_that_breaks_a_rule_is_refused_with_the_rule(trace: Trace, reason: str) -> None:
    with pytest.raises(Rejected) as caught:
        validate_trace(trace)
    assert caught.value.reason == reason


def test_a_sound_trace_passes() -> None:
    assert validate_trace(TRACE) is TRACE
