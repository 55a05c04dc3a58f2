"""Checks that read the arena without running it."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Callable

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from astra.model import Answer, Arena, Check, SubTask, mentions
from astra.model.matching import leaves, offered, reveals, same, typed
from astra.model.schemas import SchemaValidator
from astra.model.words import singular

StaticCheck = Callable[[Arena], Check]

_BUILTINS = frozenset(dir(builtins))

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
    """No two tools share a name."""
    counts = Counter(entry.tool.name for entry in arena.all_tools)
    if twice := [name for name, count in counts.items() if count > 1]:
        return _failed("names-unique", f"two tools are named {twice[0]}: one is lost when they are looked up by name")
    return _passed("names-unique", f"{len(counts)} names")


def code_keeps_to_itself(arena: Arena) -> Check:
    """In one session all tools share a namespace: no tool binds a name of another, hides a builtin, or reaches out.

    A name that a tool neither binds nor imports, and that is no builtin, would be another tool's.
    """
    owner: dict[str, tuple[str, str]] = {}  # name -> (tool, import statement or nothing)
    for entry in arena.all_tools:
        shared, bound, used = _names(entry.code)
        for name, origin in sorted(shared.items()):
            other, same_origin = owner.get(name, (None, origin))
            if other is not None and (not origin or origin != same_origin):
                return _failed("code-keeps-to-itself", f"{other} and {entry.tool.name} both define {name}")
            if name in _BUILTINS:
                return _failed("code-keeps-to-itself", f"{entry.tool.name} hides the builtin {name}")
            owner[name] = (entry.tool.name, origin)
        if foreign := sorted(used - bound - _BUILTINS):
            return _failed("code-keeps-to-itself", f"{entry.tool.name} uses {foreign[0]}, which it does not define")
    return _passed("code-keeps-to-itself", f"{len(owner)} shared names, each of one tool")


def tools_used(arena: Arena) -> Check:
    """Each tool in scope answers some sub-task; what answers none is a distractor."""
    called = {task.tool for task in arena.sub_tasks}
    if idle := [entry.tool.name for entry in arena.tools if entry.tool.name not in called]:
        return _failed("tools-used", f"no sub-task calls {idle[0]}")
    return _passed("tools-used", f"{len(arena.tools)} tools")


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
        if mentions(arena.question, task.answer) or reveals([arena.question], task.answer):
            return _failed("question-silent", f"the answer of sub-task {task.id} stands in the question")
    return _passed("question-silent", f"{len(arena.sub_tasks)} answers looked for")


def documents_silent(arena: Arena) -> Check:
    """No tool document shows a sub-task's answer, in whatever spelling, in names neither."""
    for entry in arena.all_tools:
        document = [entry.tool.document(), entry.tool.output]
        for task in arena.sub_tasks:
            if reveals(document, task.answer):
                return _failed(
                    "documents-silent", f"the answer of sub-task {task.id} stands in the document of {entry.tool.name}"
                )
    return _passed("documents-silent", f"{len(arena.all_tools)} documents")


def answer_follows(arena: Arena) -> Check:
    """The main answer is what the last sub-tasks give, every sub-task leads to it, and no answer is blank."""
    parents = {parent for task in arena.sub_tasks for parent in task.depends_on}
    last = [task for task in arena.sub_tasks if task.id not in parents]
    parts = str(arena.answer).split("; ") if len(last) > 1 else [arena.answer]
    for task in arena.sub_tasks:
        if not str(task.answer).strip():
            return _failed("answer-follows", f"the answer of sub-task {task.id} is blank")
    for task in last:
        if not any(same(typed(part), typed(task.answer)) for part in parts):
            return _failed("answer-follows", f"nothing needs the answer of sub-task {task.id}")
    if len(parts) != len(last):
        return _failed("answer-follows", f"the main answer has {len(parts)} parts, of {len(last)} last sub-tasks")
    if arena.hops < len(arena.sub_tasks) or not arena.runners:
        return _failed("answer-follows", f"{arena.hops} hops of {len(arena.sub_tasks)} sub-tasks in {arena.runners}")
    return _passed("answer-follows", f"{len(last)} sub-tasks give the main answer")


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
                or (isinstance(value, int | float) and not isinstance(value, bool) and value in told)
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
    code_keeps_to_itself,
    tools_used,
    question_silent,
    documents_silent,
    dependencies_flow,
    arguments_known,
    answer_follows,
)


def _passed(check: str, evidence: str) -> Check:
    return Check(id=check, passed=True, evidence=evidence)


def _failed(check: str, evidence: str) -> Check:
    return Check(id=check, passed=False, evidence=evidence)


def _among(answer: Answer, task: SubTask) -> bool:
    return any(same(typed(leaf), typed(answer)) for leaf in leaves(task.arguments))


def _names(code: str) -> tuple[dict[str, str], set[str], set[str]]:
    """Names that a tool's code binds in the shared namespace, each with the import that binds it or nothing; names
    that it binds anywhere; names that it uses."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return {}, set(), set()  # `code_matches_document` says so
    shared: dict[str, str] = {}
    bound: set[str] = set()
    used: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            shared.update(dict.fromkeys(node.names, ""))
        elif isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
        else:
            bound.update(_declared(node))
    pending: list[ast.AST] = list(tree.body)
    while pending:  # all that is outside of functions and classes
        node = pending.pop()
        shared.update(_declared(node))
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            shared[node.id] = ""
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))
    return shared, bound | set(shared), used


def _declared(node: ast.AST) -> dict[str, str]:
    """Names that a definition or an import binds where it stands; of an import, with what it imports."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name: ""}
    if isinstance(node, ast.Import):
        return {alias.asname or alias.name.split(".")[0]: f"import {alias.name}" for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        return {alias.asname or alias.name: f"from {node.module} import {alias.name}" for alias in node.names}
    return {}
