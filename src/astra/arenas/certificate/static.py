"""Checks that read the arena without running it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from astra.model import Answer, Arena, Check, SubTask, holds, mentions
from astra.model.matching import leaves, offered, same, typed
from astra.model.schemas import SchemaValidator
from astra.model.words import singular

StaticCheck = Callable[[Arena], Check]

# What a reader of the question knows without being told: numbers in words, and how many of this make one of that.
_UNITS = {
    "half": (2, 0.5), "quarter": (4, 0.25), "both": (2,), "pair": (2,), "twice": (2,), "double": (2,), "triple": (3,),
    "third": (3,), "fourth": (4,), "fifth": (5,), "sixth": (6,), "seventh": (7,), "eighth": (8,), "tenth": (10,),
    "dozen": (12,), "score": (20,), "hundred": (100,), "thousand": (1000,), "percent": (100,), "%": (100,),
    "cent": (100,), "minute": (60,), "hour": (60, 24), "day": (24, 7), "week": (7, 52), "fortnight": (14,),
    "month": (12, 30), "year": (12, 52, 365), "metre": (100,), "meter": (100,), "kilometre": (1000,),
    "kilometer": (1000,), "kilogram": (1000,), "litre": (1000,), "liter": (1000,),
}  # fmt: skip
_COUNTING = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_TENS = "thirty forty fifty sixty seventy eighty ninety".split()
_SPELLED: dict[str, tuple[float, ...]] = {
    **_UNITS,
    **{word: (number,) for number, word in enumerate(_COUNTING)},
    **{word: (number,) for number, word in zip(range(30, 100, 10), _TENS, strict=True)},
}


def schemas_valid(arena: Arena) -> Check:
    """Every document's schema is a valid JSON Schema of an object, and every gold call fits its tool's."""
    for entry in arena.all_tools:
        try:
            Draft202012Validator.check_schema(entry.tool.parameters)
        except SchemaError as error:
            return _failed("schemas-valid", f"{entry.tool.name}: {error.message}")
        if entry.tool.parameters.get("type") != "object":
            return _failed("schemas-valid", f"{entry.tool.name}: its parameters are no object")
    documents = {entry.tool.name: entry.tool for entry in arena.tools}
    for task in arena.sub_tasks:
        tool = documents.get(task.tool)
        if tool is None:
            return _failed("schemas-valid", f"sub-task {task.id} calls {task.tool}, which is not among the tools")
        misfit = next(SchemaValidator(tool.parameters).iter_errors(task.arguments), None)
        if misfit is not None:
            return _failed("schemas-valid", f"gold call of sub-task {task.id}: {misfit.message}")
    return _passed("schemas-valid", f"{len(arena.all_tools)} documents, {len(arena.sub_tasks)} gold calls")


def names_unique(arena: Arena) -> Check:
    """No two tools share a name, and no name that one tool's code defines is defined by another's."""
    counts = Counter(entry.tool.name for entry in arena.all_tools)
    if twice := [name for name, count in counts.items() if count > 1]:
        return _failed("names-unique", f"two tools are named {twice[0]}: one is lost when they are looked up by name")
    owner: dict[str, str] = {}
    for entry in arena.all_tools:
        for name in _defined(entry.code):
            if name in owner:
                return _failed("names-unique", f"{owner[name]} and {entry.tool.name} both define {name}")
            owner[name] = entry.tool.name
    return _passed("names-unique", f"{len(counts)} names")


def code_matches_document(arena: Arena) -> Check:
    """Each tool's code parses and defines a function of its name whose parameters are the document's."""
    for entry in arena.all_tools:
        name = entry.tool.name
        try:
            tree = ast.parse(entry.code)
        except (SyntaxError, ValueError, RecursionError) as error:
            return _failed("code-matches-document", f"{name}: {error}")
        function = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name), None)
        if function is None:
            return _failed("code-matches-document", f"{name}: its code defines no function of that name")
        arguments = [a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
        if function.args.kwarg is None and set(arguments) != set(entry.tool.properties):
            return _failed(
                "code-matches-document",
                f"{name}: the code takes {sorted(arguments)}, the document says {sorted(entry.tool.properties)}",
            )
    return _passed("code-matches-document", f"{len(arena.all_tools)} functions")


def question_silent(arena: Arena) -> Check:
    """The question states no sub-task's answer."""
    for task in arena.sub_tasks:
        if mentions(arena.question, task.answer):
            return _failed("question-silent", f"the answer of sub-task {task.id} stands in the question")
    return _passed("question-silent", f"{len(arena.sub_tasks)} answers looked for")


def documents_silent(arena: Arena) -> Check:
    """No tool document states a sub-task's answer."""
    for entry in arena.all_tools:
        document = [entry.tool.document(), entry.tool.output]
        for task in arena.sub_tasks:
            if holds(document, task.answer):
                return _failed(
                    "documents-silent", f"the answer of sub-task {task.id} stands in the document of {entry.tool.name}"
                )
    return _passed("documents-silent", f"{len(arena.all_tools)} documents")


def dependencies_flow(arena: Arena) -> Check:
    """Each parent comes before its child, and its answer is among the values of the child's gold call."""
    answers: dict[int, Answer] = {}
    edges = 0
    for task in arena.sub_tasks:
        for parent in task.depends_on:
            if parent not in answers:
                return _failed(
                    "dependencies-flow", f"sub-task {task.id} depends on {parent}, which does not precede it"
                )
            if not _among(answers[parent], task):
                return _failed("dependencies-flow", f"the answer of {parent} is not in the gold call of {task.id}")
            edges += 1
        answers[task.id] = task.answer
    return _passed("dependencies-flow", f"{edges} dependencies")


def arguments_known(arena: Arena) -> Check:
    """Every value of a gold call can be known: from the question, a parent's answer, or the tool's own document."""
    answers = {task.id: task.answer for task in arena.sub_tasks}
    documents = {entry.tool.name: entry.tool for entry in arena.tools}
    told = [
        float(value)
        for word in re.findall(r"[a-z]+|%", arena.question.casefold())
        for value in _SPELLED.get(word, _SPELLED.get(singular(word), ()))
    ]
    seen = 0
    for task in arena.sub_tasks:
        on_offer = list(offered(documents[task.tool].parameters)) if task.tool in documents else []
        parents = [answers[parent] for parent in task.depends_on if parent in answers]
        for leaf in leaves(task.arguments):
            seen += 1
            value = typed(leaf)
            known = (
                mentions(arena.question, leaf)
                or any(same(value, typed(source)) for source in (*parents, *on_offer))
                or (isinstance(value, float) and value in told)
            )
            if not known:
                return _failed(
                    "arguments-known", f"nothing tells a policy the value {leaf!r} that sub-task {task.id} needs"
                )
    return _passed("arguments-known", f"{seen} values")


STATIC_CHECKS: tuple[StaticCheck, ...] = (
    schemas_valid,
    names_unique,
    code_matches_document,
    question_silent,
    documents_silent,
    dependencies_flow,
    arguments_known,
)


def _passed(check: str, evidence: str) -> Check:
    return Check(id=check, passed=True, evidence=evidence)


def _failed(check: str, evidence: str) -> Check:
    return Check(id=check, passed=False, evidence=evidence)


def _among(answer: Answer, task: SubTask) -> bool:
    return any(same(typed(leaf), typed(answer)) for leaf in leaves(task.arguments))


def _defined(code: str) -> list[str]:
    """Names that a tool's code binds at top level, imports left out; none if it does not parse."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError):
        return []
    names: list[str] = []
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.extend(part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))
    return sorted(set(names))
