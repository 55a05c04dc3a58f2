"""The many ways in which documents spell a type, as JSON Schema."""

from __future__ import annotations

import re
from functools import lru_cache

from astra.model import JsonObject

JSON_TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")

_SPELLINGS: tuple[tuple[str, JsonObject], ...] = (
    ("string str text char varchar password binary bytes blob file", {"type": "string"}),
    ("integer int int32 int64 long short bigint uint uint32", {"type": "integer"}),
    ("number float double decimal numeric float32 float64 num", {"type": "number"}),
    ("boolean bool", {"type": "boolean"}),
    ("object dict map mapping hash json struct record obj", {"type": "object"}),
    ("array list tuple set sequence iterable", {"type": "array", "items": {}}),
    ("null none nil nonetype void", {"type": "null"}),
    ("date", {"type": "string", "format": "date"}),
    ("datetime date-time timestamp", {"type": "string", "format": "date-time"}),
    ("uuid guid", {"type": "string", "format": "uuid"}),
    ("url uri", {"type": "string", "format": "uri"}),
    ("email", {"type": "string", "format": "email"}),
    ("any mixed unknown *", {}),
)
_ALIASES = {name: schema for names, schema in _SPELLINGS for name in names.split()}
_GENERIC = re.compile(r"(?:typing\.)?(\w+)\s*[\[<(](.*)[\])>]", re.DOTALL)
_LONGEST = 200  # a type longer than this is prose


@lru_cache(maxsize=4096)
def parse_type(text: str) -> JsonObject | None:
    """The schema that a type's name stands for: `str`, `array[string]`, `Optional[int]`, `string | null`, `float[]`.

    None if it names no known type. The result is shared: copy before changing it.
    """
    name = text.strip().lower()
    if len(name) > _LONGEST:
        return None
    if name in _ALIASES:
        return _ALIASES[name]
    if name.endswith("[]"):
        return _array_of(name[:-2])
    if generic := _GENERIC.fullmatch(name):
        return _generic(generic[1], generic[2])
    for separator in ("|", " or ", ","):
        if separator in name:
            return _one_of([part for part in name.split(separator) if part.strip()])
    return None


def _generic(outer: str, inner: str) -> JsonObject | None:
    if outer in ("optional", "nullable"):
        return _one_of([inner, "null"])
    if outer == "union":
        return parse_type(inner.replace(",", "|"))
    base = _ALIASES.get(outer)
    if base is None:
        return None
    return _array_of(inner) if base.get("type") == "array" else base


def _array_of(inner: str) -> JsonObject:
    return {"type": "array", "items": parse_type(inner) or {}}


def _one_of(parts: list[str]) -> JsonObject | None:
    schemas = [parse_type(part) for part in parts]
    if not schemas or any(schema is None for schema in schemas):
        return None
    known: list[JsonObject] = []
    for schema in schemas:
        if schema is not None and schema not in known:
            known.append(schema)
    if {} in known:
        return {}
    if len(known) == 1:
        return known[0]
    if all(set(schema) == {"type"} and isinstance(schema["type"], str) for schema in known):
        return {"type": [schema["type"] for schema in known]}
    return {"anyOf": known}
