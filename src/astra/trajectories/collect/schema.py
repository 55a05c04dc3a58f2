"""Any JSON Schema as found, made one that stands on its own: valid draft 2020-12, no `$ref`, bounded in size.

Every change that alters meaning is noted in `repairs`. Cleaning what is clean changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from astra.model import JsonObject
from astra.trajectories.collect.text import clean
from astra.trajectories.collect.types import JSON_TYPES, parse_type

_MAX_DEPTH = 12
_MAX_NODES = 1500  # subschemas in one schema, references expanded
_MAX_NESTING = 2  # times that a reference is expanded inside itself
_MAX_REFS = 40  # references followed one inside the other
_DESCRIPTION_LIMIT = 500  # characters

_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_ARMS = ("anyOf", "oneOf", "allOf")
_UNIONS = ("anyOf", "oneOf")
_CONDITIONS = ("if", "dependencies", "dependentRequired", "dependentSchemas")
_FLAGS = ("uniqueItems", "deprecated", "readOnly", "writeOnly")


class Cleaner:
    """Cleans the schemas of one document. `repairs` collects what was changed, a phrase each."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._nodes = 0
        self.repairs: list[str] = []

    def clean(self, schema: object, depth: int = 0, refs: tuple[str, ...] = ()) -> JsonObject:
        """The schema, cleaned; `{}` (any value) for what is no schema."""
        raw, refs = self._resolved(schema, refs)
        if raw is None:
            return {}
        self._nodes += 1 + (len(raw["enum"]) // 16 if isinstance(raw.get("enum"), list) else 0)
        if depth > _MAX_DEPTH or self._nodes > _MAX_NODES or _too_nested(refs):
            self._note("a part that was too deep or too large was made a plain value")
            return _plain_value(raw)
        out = self._typed(raw)
        self._copy_assertions(raw, out)
        self._clean_object(raw, out, depth, refs)
        self._clean_array(raw, out, depth, refs)
        self._clean_arms(raw, out, depth, refs)
        if "type" not in out and ("properties" in out or "items" in out):
            out["type"] = "object" if "properties" in out else "array"
        self.keep_known_required(out)
        self._copy_annotations(raw, out)
        if any(key in raw for key in _CONDITIONS):
            self._note("conditions between properties were dropped")
        if raw.get("nullable") is True:
            _allow_null(out)
        return out

    def _note(self, repair: str) -> None:
        if repair not in self.repairs:
            self.repairs.append(repair)

    def _resolved(self, schema: object, refs: tuple[str, ...]) -> tuple[JsonObject | None, tuple[str, ...]]:
        """The schema with its `$ref` replaced by what it points to; keywords beside the `$ref` win."""
        while True:
            if isinstance(schema, str):
                schema = parse_type(schema)
            if not isinstance(schema, dict):
                return ({"not": {}} if schema is False else None), refs
            ref = schema.get("$ref")
            if not isinstance(ref, str):
                return schema, refs
            refs = (*refs, ref)
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            target = self._target(ref)
            if not isinstance(target, dict):
                if target is not True:
                    self._note(f"reference {ref[:80]!r} leads nowhere")
                return beside, refs
            if _too_nested(refs):
                return {**{key: value for key, value in target.items() if key != "$ref"}, **beside}, refs
            schema = {**target, **beside}

    def _target(self, ref: str) -> object:
        if ref != "#" and not ref.startswith("#/"):
            return None
        node: object = self._root
        for step in ref[1:].split("/")[1:]:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(node, dict):
                node = node.get(key)
            elif isinstance(node, list) and key.isascii() and key.isdigit() and len(key) < 7 and int(key) < len(node):
                node = node[int(key)]
            else:
                return None
        return node

    def _typed(self, raw: JsonObject) -> JsonObject:
        named = raw.get("type")
        if named is None or named == [] or isinstance(named, dict):  # a dict: a schema in the place of a type's name
            return {}
        names = named if isinstance(named, list) else [named]
        if names and all(isinstance(name, str) and name in JSON_TYPES for name in names):
            return {"type": _one_or_list(names)}
        parsed = parse_type("|".join(name if isinstance(name, str) else "null" for name in names))
        if parsed is None:
            self._note(f"type {str(named)[:40]!r} is unknown, so any value is allowed")
            return {}
        return _copied(parsed)

    def _copy_annotations(self, raw: JsonObject, out: JsonObject) -> None:
        if isinstance(raw.get("description"), str) and (text := clean(raw["description"], limit=_DESCRIPTION_LIMIT)):
            out["description"] = text
        for key in ("default", "const"):
            if key in raw:
                out[key] = raw[key]
        if isinstance(raw.get("examples"), list) and raw["examples"]:
            out["examples"] = raw["examples"]

    def _copy_assertions(self, raw: JsonObject, out: JsonObject) -> None:
        if isinstance(raw.get("enum"), list) and raw["enum"]:
            out["enum"] = raw["enum"]
        if isinstance(raw.get("format"), str):
            out["format"] = raw["format"]
        if isinstance(raw.get("pattern"), str):
            if compiles(raw["pattern"]):
                out["pattern"] = raw["pattern"]
            else:
                self._note("a pattern that is no regular expression was dropped")
        for key in _COUNTS:
            if _is_number(raw.get(key)) and raw[key] >= 0 and raw[key] == int(raw[key]):
                out[key] = int(raw[key])
        for key in _BOUNDS:
            if _is_number(raw.get(key)):
                out[key] = raw[key]
        for exclusive, inclusive in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if raw.get(exclusive) is True and inclusive in out:  # draft 4
                out[exclusive] = out.pop(inclusive)
        if _is_number(raw.get("multipleOf")) and raw["multipleOf"] > 0:
            out["multipleOf"] = raw["multipleOf"]
        for key in _FLAGS:
            if isinstance(raw.get(key), bool):
                out[key] = raw[key]

    def _clean_object(self, raw: JsonObject, out: JsonObject, depth: int, refs: tuple[str, ...]) -> None:
        properties = raw.get("properties")
        required = _required_names(raw.get("required"))
        if isinstance(properties, dict):
            cleaned: JsonObject = {}
            for name, schema in properties.items():
                cleaned[name] = self.clean(schema, depth + 1, refs)
                if _marks_optional(schema):
                    required = [other for other in required if other != name]
                elif _marks_required(schema) and name not in required:
                    required.append(name)
            out["properties"] = cleaned
        if required:
            out["required"] = required
        if isinstance(raw.get("additionalProperties"), bool):
            out["additionalProperties"] = raw["additionalProperties"]
        elif isinstance(raw.get("additionalProperties"), dict):
            values = self.clean(raw["additionalProperties"], depth + 1, refs)
            if values:  # {} allows any value, which is the default
                out["additionalProperties"] = values
        if isinstance(raw.get("patternProperties"), dict):
            patterns = {key: value for key, value in raw["patternProperties"].items() if compiles(key)}
            out["patternProperties"] = {key: self.clean(value, depth + 1, refs) for key, value in patterns.items()}
        if isinstance(raw.get("propertyNames"), dict):
            out["propertyNames"] = self.clean(raw["propertyNames"], depth + 1, refs)

    def keep_known_required(self, out: JsonObject) -> None:
        """Drop from `required` what is no property, unless an arm may hold it."""
        if not _is_object(out) or any(key in out for key in _ARMS):
            return
        known = []
        for name in out.pop("required", ()):
            if name in out.get("properties", {}):
                known.append(name)
            else:
                self._note(f"required names {name[:80]!r}, which is no property")
        if known:
            out["required"] = known

    def _clean_array(self, raw: JsonObject, out: JsonObject, depth: int, refs: tuple[str, ...]) -> None:
        items = raw.get("items")
        prefix = items if isinstance(items, list) else raw.get("prefixItems")
        if isinstance(prefix, list) and prefix:
            out["prefixItems"] = [self.clean(item, depth + 1, refs) for item in prefix]
        if isinstance(items, dict | str):
            out["items"] = self.clean(items, depth + 1, refs)
        elif items is False:
            out["items"] = False
        elif "array" in _types(out):
            out.setdefault("items", {})
        if isinstance(raw.get("contains"), dict):
            out["contains"] = self.clean(raw["contains"], depth + 1, refs)

    def _clean_arms(self, raw: JsonObject, out: JsonObject, depth: int, refs: tuple[str, ...]) -> None:
        if isinstance(raw.get("not"), dict):
            out["not"] = self.clean(raw["not"], depth + 1, refs)
        for key in _ARMS:
            if not isinstance(raw.get(key), list):
                continue
            arms: list[JsonObject] = []
            for arm in raw[key]:
                if _is_nothing(arm) and key in _UNIONS:  # how zod says "or left out"
                    continue
                cleaned = self.clean(arm, depth + 1, refs)
                if cleaned not in arms:
                    arms.append(cleaned)
            if len(arms) == 1 and not (set(arms[0]) & set(out)) - {"type"}:
                out.update(arms[0])
            elif arms and not (key in _UNIONS and {} in arms):
                out[key] = arms


@lru_cache(maxsize=4096)
def compiles(pattern: str) -> bool:
    """True if Python can compile the regular expression."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def _too_nested(refs: tuple[str, ...]) -> bool:
    return bool(refs) and (refs.count(refs[-1]) > _MAX_NESTING or len(refs) > _MAX_REFS)


def _plain_value(raw: JsonObject) -> JsonObject:
    kind = raw.get("type")
    if not (isinstance(kind, str) and kind in JSON_TYPES):
        kind = "object" if isinstance(raw.get("properties"), dict) else None
    if kind == "array":
        return {"type": "array", "items": {}}
    return {"type": kind} if kind else {}


def _copied(schema: JsonObject) -> JsonObject:
    return {key: (_copied(value) if isinstance(value, dict) else value) for key, value in schema.items()}


def _one_or_list(names: list[str]) -> str | list[str]:
    unique = list(dict.fromkeys(names))
    return unique[0] if len(unique) == 1 else unique


def _types(schema: JsonObject) -> tuple[str, ...]:
    kind = schema.get("type")
    return (kind,) if isinstance(kind, str) else tuple(kind or ())


def _is_object(schema: JsonObject) -> bool:
    return "object" in _types(schema)


def _is_nothing(arm: object) -> bool:
    return arm is False or (isinstance(arm, dict) and arm.get("not") == {} and not set(arm) - {"not", "description"})


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value and abs(value) < 1e300


def _required_names(required: object) -> list[str]:
    if isinstance(required, str) and required.lower() not in ("true", "false"):
        return [required]
    names: Iterable[Any] = required if isinstance(required, list) else ()
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))


def _marks_required(schema: object) -> bool:
    """Draft 3 and many registries: `required` inside the property itself."""
    flag = schema.get("required") if isinstance(schema, dict) else None
    return flag is True or (isinstance(flag, str) and flag.lower() == "true")


def _marks_optional(schema: object) -> bool:
    if not isinstance(schema, dict):
        return False
    arms = [arm for key in _UNIONS if isinstance(schema.get(key), list) for arm in schema[key]]
    return schema.get("optional") is True or any(_is_nothing(arm) for arm in arms)


def _allow_null(schema: JsonObject) -> None:
    """OpenAPI's `nullable`, as JSON Schema says it."""
    if "type" in schema:
        schema["type"] = _one_or_list([*_types(schema), "null"])
        if "enum" in schema and None not in schema["enum"]:
            schema["enum"] = [*schema["enum"], None]
    elif "anyOf" in schema and {"type": "null"} not in schema["anyOf"]:
        schema["anyOf"] = [*schema["anyOf"], {"type": "null"}]
