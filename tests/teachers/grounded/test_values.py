"""Concrete values for schemas: each fits its schema, or there is none; in bounded time and space."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astra.model import seeded
from astra.teachers.grounded.values import example, fits

KINDS = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", ["string", "null"]])
BOUNDS = {"minimum": st.integers(-50, 50), "maximum": st.integers(-50, 50), "minLength": st.integers(0, 30)}
SCHEMAS = st.recursive(
    st.fixed_dictionaries({"type": KINDS}, optional=BOUNDS),
    lambda inner: (
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(st.text(max_size=8), inner, max_size=3)}
        )
        | st.fixed_dictionaries({"type": st.just("array"), "items": inner, "minItems": st.integers(0, 9)})
        | st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)})
    ),
    max_leaves=6,
)


@given(st.text(max_size=20), SCHEMAS)
def test_a_value_fits_its_schema_or_there_is_none(name: str, schema: dict[str, Any]) -> None:
    value = example(name, schema, seeded("test", name))
    assert value is None or fits(value, schema)
    assert value == example(name, schema, seeded("test", name))


@pytest.mark.parametrize(
    ("name", "schema", "start"),
    [
        ("fileSystemId", {"type": "string", "pattern": "^fs-[0-9a-f]{8}$"}, "fs-"),
        ("code", {"type": "string", "pattern": "^[A-Z0-9]{10}$"}, ""),
        ("userId", {"type": "string"}, "user-"),
        ("startDate", {"type": "string", "format": "date"}, "2026-"),
        ("queueUrl", {"type": "string"}, "https://"),
        ("region", {"type": "string", "enum": ["north", "south"]}, ""),
    ],
)
def test_values_look_like_what_their_name_says(name: str, schema: dict[str, Any], start: str) -> None:
    value = example(name, schema, seeded(name))
    assert isinstance(value, str) and value.startswith(start)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "minLength": 10**9},
        {"type": "array", "items": {"type": "string"}, "minItems": 10**9},
        {"type": "string", "pattern": "^(a+)+$", "minLength": 60},
        {"type": "string", "pattern": "^(?!)$"},
        {"type": "object"},
        {"enum": [None]},
        {"type": "integer", "minimum": 10**400},
        {"type": "number", "multipleOf": 1e-320},
        {"type": "integer", "minimum": 5, "maximum": 1},
    ],
)
def test_what_no_value_fits_has_none_and_takes_no_time(schema: dict[str, Any]) -> None:
    assert example("thing", schema, seeded(0)) is None
