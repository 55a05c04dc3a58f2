"""Validating values against schemas that strangers wrote: in bounded time, whatever their patterns are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import regex
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from astra.model.base import JsonObject

PATTERN_SECONDS = 0.05  # for one search


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern is found in a text. One that can't be compiled, or takes too long, is not."""
    try:
        return regex.search(pattern, text, timeout=PATTERN_SECONDS) is not None
    except (regex.error, TimeoutError, RecursionError, OverflowError):
        return False


def _pattern(validator: Any, pattern: str, instance: Any, schema: JsonObject) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not matches(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: JsonObject, instance: Any, schema: JsonObject
) -> Iterator[ValidationError]:
    for pattern, part in patterns.items():
        for name, value in instance.items() if isinstance(instance, dict) else ():
            if matches(pattern, name):
                yield from validator.descend(value, part, path=name, schema_path=pattern)


def _additional_properties(
    validator: Any, allowed: Any, instance: Any, schema: JsonObject
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    patterns = schema.get("patternProperties", {})
    for name in instance:
        if name in schema.get("properties", {}) or any(matches(pattern, name) for pattern in patterns):
            continue
        if allowed is False:
            yield ValidationError(f"unexpected {name!r}")
        else:
            yield from validator.descend(instance[name], allowed, path=name)


SchemaValidator: type[Draft202012Validator] = extend(
    Draft202012Validator,
    {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
    },
)
"""JSON Schema of draft 2020-12 with patterns that are searched for in bounded time."""
