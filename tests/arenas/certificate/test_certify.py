"""A sound arena is certified; each kind of damage is caught by the check that is meant for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from astra.arenas.certificate import certify, digest, examine
from astra.arenas.certificate.dynamic import DYNAMIC_CHECKS
from astra.arenas.certificate.static import STATIC_CHECKS
from astra.errors import Rejected
from astra.model import Arena, ToolCode
from harbour import BERTH_LENGTH, FIND_BERTH, SPARE, harbour_arena, tool


def test_a_sound_arena_is_certified_with_every_check() -> None:
    arena = asyncio.run(certify(harbour_arena()))
    assert arena.certificate is not None
    assert arena.certificate.passed
    assert len(arena.certificate.checks) == len(STATIC_CHECKS) + len(DYNAMIC_CHECKS)
    assert all(check.evidence for check in arena.certificate.checks)


def test_a_certificate_is_the_same_each_time_and_names_what_it_is_about() -> None:
    first, second = (asyncio.run(examine(harbour_arena())) for _ in range(2))
    assert first == second
    assert first.arena == digest(harbour_arena())
    assert digest(asyncio.run(certify(harbour_arena()))) == first.arena
    assert digest(changed(question="Something else?")) != first.arena


def changed(**fields: Any) -> Arena:
    return harbour_arena().model_copy(update=fields)


def recoded(name: str, code: str) -> Arena:
    """The arena with one tool's code replaced."""
    swap = [ToolCode(tool=e.tool, code=code) if e.tool.name == name else e for e in harbour_arena().tools]
    return changed(tools=tuple(swap))


def resolved(task_id: int, **fields: Any) -> Arena:
    """The arena with one sub-task changed."""
    tasks = [t.model_copy(update=fields) if t.id == task_id else t for t in harbour_arena().sub_tasks]
    return changed(sub_tasks=tuple(tasks))


def redocumented(**fields: Any) -> Arena:
    """The arena with the document of `berth_length` changed."""
    first, second, third = harbour_arena().tools
    return changed(tools=(first, ToolCode(tool=second.tool.model_copy(update=fields), code=second.code), third))


LOOPS = FIND_BERTH.replace("    if ship", "    while ship == '':\n        pass\n    if ship")
OPENS_ALL = BERTH_LENGTH.replace("(berth):", "(berth, all=False):").replace(
    "    if", "    if all:\n        return table\n    if", 1
)

OPENS_DEEP = OPENS_ALL.replace("if all:", "if all == 'deep':")
REPLACES = "def tide(harbour):\n    global berth_length\n    berth_length = None\n    return {'level_m': 3.4}\n"
REMEMBERS = "last = [None]\n" + FIND_BERTH.replace(
    "    if ship", "    again, last[0] = last[0] == ship, ship\n    if again:\n        return {'d': 1}\n    if ship"
)


def distracted(code: str) -> Arena:
    """The arena with another distractor."""
    return changed(distractors=(tool(code, "Tide of a harbour.", harbour="string"),))


def optional(code: str, kind: str = "boolean") -> ToolCode:
    """`berth_length` with a further parameter that may be left out."""
    entry = tool(code, "Look up the length of a berth in metres.", berth="string", all=kind)
    parameters = entry.tool.parameters | {"required": ["berth"]}
    return ToolCode(tool=entry.tool.model_copy(update={"parameters": parameters}), code=code)


COUNTS_CALLS = "calls = 0\n" + BERTH_LENGTH.replace("    if", "    global calls\n    calls += 1\n    if", 1).replace(
    '{"length_m": table[berth]}', '{"length_m": table[berth], "calls": calls}'
)
TELLS_TIME = "import datetime\n" + BERTH_LENGTH.replace(
    '{"length_m": table[berth]}', '{"length_m": table[berth], "at": str(datetime.datetime.now())}'
)
DRAWS = "import random\n" + BERTH_LENGTH.replace(
    '{"length_m": table[berth]}', '{"length_m": table[berth], "receipt": random.randint(0, 10**9)}'
)

DAMAGE: dict[str, tuple[Callable[[], Arena], str]] = {
    "two tools of one name": (
        lambda: changed(tools=(*harbour_arena().tools, harbour_arena().tools[0])),
        "names-unique",
    ),
    "a distractor of a tool's name": (lambda: changed(distractors=harbour_arena().tools[:1]), "names-unique"),
    "two tools that define one helper": (
        lambda: changed(tools=tuple(ToolCode(tool=e.tool, code="LIMIT = 3\n" + e.code) for e in harbour_arena().tools)),
        "code-keeps-to-itself",
    ),
    "a schema that is none": (lambda: redocumented(parameters={"type": "object", "properties": 7}), "schemas-valid"),
    "a gold call that does not fit": (lambda: resolved(3, arguments={"berth": 22}), "schemas-valid"),
    "a gold call of no tool": (lambda: resolved(3, tool="berth_width"), "schemas-valid"),
    "code without its function": (
        lambda: recoded("find_berth", "def other(ship):\n    return 1\n"),
        "code-matches-document",
    ),
    "code that does not parse": (lambda: recoded("find_berth", "def find_berth(ship:\n"), "code-matches-document"),
    "code with other parameters": (
        lambda: recoded("find_berth", "def find_berth(vessel):\n    return 1\n"),
        "code-matches-document",
    ),
    "an answer in the question": (
        lambda: changed(question=harbour_arena().question + " Hint: it is not B-22, but the Meridian and Aurora."),
        "question-silent",
    ),
    "an answer in a document": (
        lambda: redocumented(description="Length of a berth, for instance 210."),
        "documents-silent",
    ),
    "an answer in a schema": (
        lambda: redocumented(
            parameters={"type": "object", "properties": {"berth": {"type": "string", "examples": ["B-17"]}}}
        ),
        "documents-silent",
    ),
    "a dependency that is not needed": (lambda: resolved(3, depends_on=(1, 2)), "dependencies-flow"),
    "a child before its parent": (lambda: resolved(1, depends_on=(5,)), "dependencies-flow"),
    "a dependency that is missing": (lambda: resolved(5, depends_on=(3,)), "arguments-known"),
    "a question that keeps a value to itself": (
        lambda: changed(question="How many metres longer is one berth than the Aurora's?"),
        "arguments-known",
    ),
    "a wrong answer": (lambda: resolved(5, answer=71).model_copy(update={"answer": 71}), "gold-replays"),
    "a substring for an answer": (lambda: resolved(5, answer=7).model_copy(update={"answer": 7}), "gold-replays"),
    "swapped rows": (lambda: recoded("find_berth", FIND_BERTH.replace("B-17", "B-99")), "gold-replays"),
    "a lost row": (lambda: recoded("find_berth", FIND_BERTH.replace('"Aurora": "B-17", ', "")), "gold-replays"),
    "a tool that raises": (
        lambda: recoded("spare_length", SPARE.replace("longer - shorter", "longer / 0")),
        "gold-replays",
    ),
    "a tool that never ends": (
        lambda: recoded("spare_length", "def spare_length(longer, shorter):\n    while True:\n        pass\n"),
        "gold-replays",
    ),
    "a counter in the output": (lambda: recoded("berth_length", COUNTS_CALLS), "replays-agree"),
    "a clock in the output": (lambda: recoded("berth_length", TELLS_TIME), "replays-agree"),
    "a random number in the output": (lambda: recoded("berth_length", DRAWS), "replays-agree"),
    "an ignored argument": (
        lambda: recoded("spare_length", SPARE.replace("longer - shorter", "longer - 140")),
        "wrong-arguments-fail",
    ),
    "a tool that dumps everything": (
        lambda: recoded("berth_length", BERTH_LENGTH.replace('{"length_m": table[berth]}', "table")),
        "wrong-arguments-fail",
    ),
    "two rows of one answer": (
        lambda: recoded("find_berth", FIND_BERTH.replace('"B-04"', '"B-22"')),
        "wrong-arguments-fail",
    ),
    "a session that a wrong call spoils": (
        lambda: recoded(
            "berth_length",
            "spoilt = False\n"
            + BERTH_LENGTH.replace("    if", "    global spoilt\n    if", 1)
            .replace("        return", "        spoilt = True\n        return", 1)
            .replace('{"length_m": table[berth]}', '{"length_m": table[berth], "spoilt": spoilt}'),
        ),
        "wrong-arguments-fail",
    ),
    "a main answer that no sub-task gives": (lambda: changed(answer=999), "answer-follows"),
    "a blank answer": (lambda: resolved(3, answer=" "), "dependencies-flow"),
    "a tool in scope that answers nothing": (
        lambda: changed(tools=(*harbour_arena().tools, *harbour_arena().distractors), distractors=()),
        "tools-used",
    ),
    "a distractor that replaces a tool": (lambda: distracted(REPLACES), "code-keeps-to-itself"),
    "a distractor that reaches into a tool": (
        lambda: distracted("def tide(harbour):\n    seen[harbour] = 1\n    return {}\n"),
        "code-keeps-to-itself",
    ),
    "a distractor that hides a builtin": (
        lambda: distracted("def len(harbour):\n    return 3\n"),
        "code-keeps-to-itself",
    ),
    "a distractor that answers to a name of its own": (
        lambda: distracted("def tide(harbour):\n    return {'n': {'Northhaven': 70}.get(harbour)}\n"),
        "distractors-silent",
    ),
    "a word that opens everything": (
        lambda: changed(tools=(harbour_arena().tools[0], optional(OPENS_DEEP, "string"), harbour_arena().tools[2])),
        "wrong-arguments-fail",
    ),
    "an answer in another spelling": (
        lambda: redocumented(description="Length of a berth; the longest has 210m."),
        "documents-silent",
    ),
    "an answer as a name in a schema": (
        lambda: redocumented(
            parameters={"type": "object", "properties": {"berth": {"type": "string", "x-known": {"B\u201122": 1}}}}
        ),
        "documents-silent",
    ),
    "another output for the same call again": (lambda: recoded("find_berth", REMEMBERS), "replays-agree"),
    "a loop on odd input": (lambda: recoded("find_berth", LOOPS), "calls-bounded"),
    "a key that any part of it opens": (
        lambda: recoded(
            "find_berth",
            FIND_BERTH.replace("    if ship", "    ship = ([k for k in table if ship in k] + [''])[0]\n    if ship"),
        ),
        "wrong-arguments-fail",
    ),
    "an option that opens everything": (
        lambda: changed(tools=(harbour_arena().tools[0], optional(OPENS_ALL), harbour_arena().tools[2])),
        "wrong-arguments-fail",
    ),
    "answers as names of entries": (
        lambda: recoded("find_berth", FIND_BERTH.replace("table[ship]}", "table[ship], 'taken': {'B-17': 1}}")),
        "wrong-arguments-fail",
    ),
    "a parent that gives its child's answer": (
        lambda: recoded(
            "find_berth", FIND_BERTH.replace("table[ship]}", "table[ship], 'length': 210 if ship == 'Meridian' else 1}")
        ),
        "one-call-one-answer",
    ),
    "an answer without arguments": (
        lambda: changed(
            distractors=(tool('def berths():\n    return ["B-22", "B-17"]\n', "List berths that are taken."),)
        ),
        "empty-calls-fail",
    ),
    "a call that answers another sub-task too": (
        lambda: recoded("find_berth", FIND_BERTH.replace("table[ship]}", "table[ship], 'next': 'B-17'}")),
        "wrong-arguments-fail",
    ),
    "a distractor that answers": (
        lambda: changed(
            distractors=(
                tool(SPARE.replace("spare_length", "difference"), "a - b", longer="integer", shorter="integer"),
            )
        ),
        "distractors-silent",
    ),
    "an answer in an error": (
        lambda: recoded(
            "find_berth", FIND_BERTH.replace("no ship of that name", "no such ship; known berths are B-22 and B-17")
        ),
        "errors-silent",
    ),
    "a sub-task that no call solves alone": (
        lambda: changed(limits=harbour_arena().limits.model_copy(update={"calls": 4})),
        "oracle-scores-one",
    ),
}


@pytest.mark.parametrize(("damage", "check"), DAMAGE.values(), ids=DAMAGE.keys())
def test_damage_is_caught_by_the_check_that_is_meant_for_it(damage: Callable[[], Arena], check: str) -> None:
    with pytest.raises(Rejected) as caught:
        asyncio.run(certify(damage()))
    assert caught.value.reason == check, caught.value.sentence
