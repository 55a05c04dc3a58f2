"""Calls that should not work: gold calls with a value changed, empty calls, gold values put to other tools."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from astra.model import Arena, JsonObject, SubTask, Tool, ToolCode, canonical_json, seeded
from astra.model.matching import offered, same, typed

Path = tuple[str | int, ...]
_OPTION_LITERALS = 12  # strings of its code that each option is tried with
_OWN_VALUES = 24  # of a distractor's code and document
_OTHERS = 64  # values that each argument is changed to: all that a small table offers, a sample of a large one


def changed_calls(arena: Arena, task: SubTask) -> Iterator[tuple[Path, JsonObject]]:
    """The gold call of a sub-task with a value changed, an argument left out, or a wrong value and an argument more.

    Values come from the tool's own code, where a table's other rows stand, from the arena's other gold calls, and
    from far away. A number is moved far, for a threshold moved by a hair may rightly change nothing.
    """
    code = next(entry.code for entry in arena.tools if entry.tool.name == task.tool)
    literals = _literals(code)
    elsewhere = [value for other in arena.sub_tasks if other.id != task.id for _, value in _scalars(other.arguments)]
    rng = seeded(arena.id, "changed-calls", task.id)
    for path, value in _scalars(task.arguments):
        pool = list(dict.fromkeys(other for other in (*elsewhere, *literals) if _differs(other, value)))
        for other in (*rng.sample(pool, min(_OTHERS, len(pool))), *_far(value)):
            yield path, _replaced(task.arguments, path, other)
    for name in task.arguments:
        yield (name,), {key: value for key, value in task.arguments.items() if key != name}
    tool = next(entry.tool for entry in arena.tools if entry.tool.name == task.tool)
    options = {
        name: (*_samples(schema), *[other for other in literals if isinstance(other, str)][:_OPTION_LITERALS])
        for name, schema in tool.properties.items()
        if name not in task.arguments
    }
    everything = {name: values[0] for name, values in options.items()}
    for path, value in [*_scalars(task.arguments)][:1]:
        wrong = _replaced(task.arguments, path, _far(value)[0])
        yield path, {**wrong, **everything}
        for name, values in options.items():
            for option in values:
                yield path, {**wrong, name: option}
    yield from (((name,), {**task.arguments, name: option}) for name, values in options.items() for option in values)


def takes_a_value(task: SubTask) -> bool:
    """Whether the gold call has a value that can be wrong."""
    return any(str(value).strip() for _, value in _scalars(task.arguments))


def borrowed_calls(arena: Arena, distractor: ToolCode) -> Iterator[JsonObject]:
    """Calls of a distractor: with the values of this arena's gold calls as far as their types fit, in both orders, and
    with what stands in its own code and document."""
    yield {}
    for task in arena.sub_tasks:
        values = [value for _, value in _scalars(task.arguments)]
        for order in (values, values[::-1]) if len(values) > 1 else (values,):
            if (arguments := _fitted(distractor.tool, order)) is not None:
                yield arguments
    offered_values = [*offered(distractor.tool.parameters), *_literals(distractor.code)]
    for value in list(dict.fromkeys(offered_values))[:_OWN_VALUES]:
        for name in distractor.tool.properties:
            rest = {other: value for other in distractor.tool.required if other != name}
            yield {**rest, name: value}


def _fitted(tool: Tool, values: list[Any]) -> JsonObject | None:
    """The tool's parameters filled, in order, with the values whose types fit; None if a required one stays empty."""
    left = list(values)
    arguments: JsonObject = {}
    for name, schema in tool.properties.items():
        kinds = schema.get("type", "string")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        fit = next((value for value in left if _kind(value) & set(kinds)), None)
        if fit is not None:
            arguments[name] = fit
            left.remove(fit)
        elif name in tool.required:
            return None
    return arguments or None


def _kind(value: Any) -> set[str]:
    if isinstance(value, bool):
        return {"boolean"}
    if isinstance(value, int):
        return {"integer", "number"}
    return {"number"} if isinstance(value, float) else {"string"}


def _scalars(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _scalars(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _scalars(part, (*path, index))
    elif value is not None:
        yield path, value


def _replaced(value: Any, path: Path, new: Any) -> Any:
    if not path:
        return new
    if isinstance(value, dict):
        return {key: _replaced(part, path[1:], new) if key == path[0] else part for key, part in value.items()}
    return [_replaced(part, path[1:], new) if index == path[0] else part for index, part in enumerate(value)]


def _differs(other: Any, value: Any) -> bool:
    """Of the same kind, but another value: in letters, case and spaces make no difference."""
    return bool(_kind(other) & _kind(value)) and not same(typed(other), typed(value))


def _far(value: Any) -> tuple[Any, ...]:
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int | float):
        return (value * 2 + 7, -(value + 3), value * 10 + 13)
    middle = len(value) // 2
    parts = (value[:1], value[:-1], value[1:], value[1 : middle + 2], value[middle:]) if len(value) > 2 else ()
    return (f"no-such-{value}", "zz", "7", "", *(part for part in parts if part.strip()))


def _samples(schema: Any) -> tuple[Any, ...]:
    """Values for a parameter that the gold call leaves out: all that its schema names, and some of each type."""
    named = tuple(offered(schema))
    written = canonical_json(schema)
    lists: tuple[Any, ...] = tuple([value] for value in named) if '"array"' in written else ()
    parts = schema.get("properties", {}) if isinstance(schema, dict) else {}
    objects: tuple[Any, ...] = ({name: _samples(part)[0] for name, part in parts.items()},) if parts else ()
    return (*objects, *lists, *named, 1, 0, 100, "all", "*", "")


def _literals(code: str) -> list[Any]:
    """The scalars written in a tool's code: keys and cells of its table among them."""
    return [
        node.value
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float) and len(str(node.value)) <= 80
    ]
