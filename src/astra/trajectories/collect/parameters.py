"""A tool's parameters: whatever form they have, one object schema with nothing but properties at its top."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator, SchemaError

from astra.errors import Rejected
from astra.model import JsonObject, canonical_json
from astra.model.words import identifier_words
from astra.trajectories.collect.json_values import read_json
from astra.trajectories.collect.schema import Cleaner

_TOP = ("type", "properties", "required", "additionalProperties", "patternProperties", "description")
_PAGE_WORDS = {
    *("Add", "Item", "True", "False", "FastMCP"),  # buttons
    *("a", "an", "the", "to", "for", "of", "in", "and", "or", "all", "new", "existing", "available", "with"),
}


def clean_parameters(raw: object, name: str, description: str) -> tuple[JsonObject, list[str]]:
    """The parameters as an object schema, and what was repaired. `name` and `description` are the tool's.

    Raises:
        Rejected: `not-json`, `parameters-not-object`, `schema-invalid`.
    """
    if isinstance(raw, str) and raw.strip():
        raw = read_json(raw, f"What stands for the parameters of {name!r}")
    repairs: list[str] = []
    if isinstance(raw, list):
        raw = _from_list(raw, name, description, repairs)
    elif _is_property_map(raw):
        raw = {"type": "object", "properties": raw}
    if raw is None or raw == "":
        raw = {}
    if not isinstance(raw, dict):
        raise Rejected("parameters-not-object", f"The parameters of {name!r} are no object.", json.dumps(raw)[:500])
    cleaner = Cleaner(raw)
    schema = _folded(cleaner.clean(raw), name)
    cleaner.keep_known_required(schema)
    check(schema)
    return schema, [*repairs, *cleaner.repairs]


def clean_output(raw: object) -> JsonObject | None:
    """The schema of a tool's result, cleaned; None if it says nothing."""
    if not isinstance(raw, dict):
        return None
    schema = Cleaner(raw).clean(raw)
    check(schema)
    return schema if set(schema) - {"description"} else None


def _is_property_map(raw: object) -> bool:
    """True for `{"city": {"type": "string"}, ...}`: properties without the object around them."""
    if not isinstance(raw, dict) or not raw:
        return False
    return all(isinstance(value, dict) and _is_typed(value) for value in raw.values())


def _is_typed(schema: JsonObject) -> bool:
    if isinstance(schema.get("type"), str | list) or isinstance(schema.get("$ref"), str):
        return True
    return any(isinstance(schema.get(key), list) for key in ("anyOf", "oneOf", "allOf", "enum"))


def _from_list(items: list[Any], name: str, description: str, repairs: list[str]) -> JsonObject:
    """A registry's list of parameters as an object schema."""
    properties: JsonObject = {}
    for item in items:
        entry = {"name": item} if isinstance(item, str) else item
        title = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(title, str) or not title.strip():
            repairs.append("a parameter without a name was dropped")
        elif title in properties:
            repairs.append(f"a second parameter {title[:80]!r} was dropped")
        elif not entry.get("description") and _is_page_text(title, name, description):
            repairs.append(f"parameter {title[:80]!r} is text of the registry's page and was dropped")
        else:
            nested = entry.get("schema")
            beside = {key: value for key, value in entry.items() if key not in ("name", "schema")}
            properties[title] = {**nested, **beside} if isinstance(nested, dict) else beside
    return {"type": "object", "properties": properties}


def _is_page_text(parameter: str, tool: str, description: str) -> bool:
    """True if a crawler took a word of the page, a button or the tool's own name for a parameter."""
    if parameter == tool or parameter in _PAGE_WORDS:
        return True
    if not (parameter.isalpha() and (parameter.istitle() or parameter.isupper())):
        return False
    return parameter.lower() in identifier_words(tool) or parameter in description.split()


def _folded(schema: JsonObject, name: str) -> JsonObject:
    """One object in place of unions and conjunctions at the top, where providers allow none."""
    if "type" in schema and "object" not in _listed(schema["type"]):
        raise Rejected("parameters-not-object", f"The parameters of {name!r} are no object but {schema['type']}.")
    folded: JsonObject = {key: schema[key] for key in _TOP if key in schema}
    folded["type"] = "object"
    folded.setdefault("properties", {})
    for arm in schema.get("allOf", ()):
        _merge(folded, _folded(arm, name))
    for key in ("anyOf", "oneOf"):
        arms = [arm for arm in schema.get(key, ()) if "object" in _listed(arm.get("type", "object"))]
        if not arms and schema.get(key) and not folded["properties"]:
            raise Rejected("parameters-not-object", f"No alternative of the parameters of {name!r} is an object.")
        parts = [_folded(arm, name) for arm in arms]
        needed = [part.get("required", []) for part in parts]
        for part in parts:
            _merge(folded, {**part, "required": [n for n in part.get("required", ()) if all(n in r for r in needed)]})
    return folded


def _merge(into: JsonObject, part: JsonObject) -> None:
    """Add another object's properties; a property that both have may be what either says."""
    properties = dict(into["properties"])
    for name, schema in part["properties"].items():
        properties[name] = _either(properties[name], schema) if name in properties else schema
    into["properties"] = properties
    if required := list(dict.fromkeys([*into.get("required", ()), *part.get("required", ())])):
        into["required"] = required
    for key in ("additionalProperties", "patternProperties", "description"):
        if key in part:
            into.setdefault(key, part[key])
    if into.get("additionalProperties") is False:  # said of one arm alone
        del into["additionalProperties"]


def _either(left: JsonObject, right: JsonObject) -> JsonObject:
    if left == right:
        return left
    values = [_values(left), _values(right)]
    if values[0] and values[1]:  # a discriminator
        merged = {key: value for key, value in left.items() if key not in ("const", "enum", "default")}
        return {**merged, "enum": [*values[0], *(value for value in values[1] if value not in values[0])]}
    arms = [*(left["anyOf"] if set(left) == {"anyOf"} else [left])]
    return {"anyOf": arms if right in arms else [*arms, right]}


def _values(schema: JsonObject) -> list[Any]:
    return [schema["const"]] if "const" in schema else list(schema.get("enum", ()))


def _listed(kind: str | list[str]) -> list[str]:
    return [kind] if isinstance(kind, str) else kind


def check(schema: JsonObject) -> None:
    """Validate a cleaned schema against the draft 2020-12 metaschema.

    A schema is valid if each node is, taken alone, and nodes of one shape recur by the thousand, so each shape is
    handed to `jsonschema` once.

    Raises:
        Rejected: `schema-invalid`.
    """
    if message := _fault(canonical_json(_shape(schema))):
        raise Rejected("schema-invalid", f"The schema is not valid: {message}", canonical_json(schema)[:2000])
    for child in _children(schema):
        check(child)


@lru_cache(maxsize=65536)
def _fault(shape: str) -> str | None:
    try:
        Draft202012Validator.check_schema(json.loads(shape))
    except SchemaError as error:
        return str(error.message)[:200]
    return None


def _shape(schema: JsonObject) -> JsonObject:
    """The node with its children, and the values that may be anything, blanked out."""
    shape: JsonObject = {}
    for key, value in schema.items():
        if key in ("default", "const", "examples", "description"):
            continue
        if key == "properties":
            shape[key] = {"name": True} if value else {}
        elif key == "patternProperties":
            shape[key] = dict.fromkeys(value, True)
        elif key in ("items", "additionalProperties", "propertyNames", "contains", "not"):
            shape[key] = True
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            shape[key] = [True] * min(len(value), 1)
        elif key == "required" and len(set(value)) == len(value):
            shape[key] = value[:1] and ["name"]
        elif key == "enum":
            shape[key] = value[:0]
        elif key == "pattern":  # the cleaner keeps only those that compile
            shape[key] = "x"
        elif isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            shape[key] = 1
        else:
            shape[key] = value
    return shape


def _children(schema: JsonObject) -> list[JsonObject]:
    children: list[Any] = []
    for key, value in schema.items():
        if key in ("properties", "patternProperties"):
            children.extend(value.values())
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            children.extend(value)
        elif key in ("items", "additionalProperties", "propertyNames", "contains", "not"):
            children.append(value)
    return [child for child in children if isinstance(child, dict)]
