"""Schemas as found become schemas that stand on their own."""

from __future__ import annotations

import time
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from astra.model import canonical_json
from astra.trajectories.collect.parameters import clean_parameters
from astra.trajectories.collect.types import parse_type


def cleaned(schema: object) -> dict[str, Any]:
    parameters, _ = clean_parameters(schema, "tool", "Does something.")
    Draft202012Validator.check_schema(parameters)
    return parameters


def one(schema: object) -> dict[str, Any]:
    """A single property, cleaned."""
    return cleaned({"type": "object", "properties": {"p": schema}})["properties"]["p"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("spelt", "meant"),
    [
        ("str", {"type": "string"}),
        ("String", {"type": "string"}),
        ("Number", {"type": "number"}),
        ("int", {"type": "integer"}),
        ("float", {"type": "number"}),
        ("bool", {"type": "boolean"}),
        ("dict", {"type": "object"}),
        ("list", {"type": "array", "items": {}}),
        ("array[string]", {"type": "array", "items": {"type": "string"}}),
        ("List<int>", {"type": "array", "items": {"type": "integer"}}),
        ("string[]", {"type": "array", "items": {"type": "string"}}),
        ("Optional[str]", {"type": ["string", "null"]}),
        ("string | null", {"type": ["string", "null"]}),
        ("any", {}),
        ("datetime", {"type": "string", "format": "date-time"}),
        ("Dict[str, int]", {"type": "object"}),
        ("a sailor's knot", None),
    ],
)
def test_types_are_read_however_they_are_spelt(spelt: str, meant: dict[str, Any] | None) -> None:
    assert parse_type(spelt) == meant
    assert one({"type": spelt}) == (meant or {})


def test_parameters_named_like_keywords_are_names() -> None:
    names = ["type", "$ref", "required", "properties", "items", "enum", "anyOf", "description", "nullable"]
    properties = {name: {"type": "string", "description": name} for name in names}
    schema = {"type": "object", "properties": properties, "required": names}
    assert cleaned(schema) == schema


def test_nullable_becomes_a_type_list_and_keeps_its_enum() -> None:
    assert one({"type": "string", "nullable": True}) == {"type": ["string", "null"]}
    assert one({"type": "string", "enum": ["a"], "nullable": True})["enum"] == ["a", None]


def test_unions_enums_defaults_and_bounds_are_kept() -> None:
    schema = {
        "anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}],
        "default": None,
        "description": "How many.",
    }
    assert one(schema) == schema
    assert one({"oneOf": [{"type": "string"}, {"type": "integer"}]})["oneOf"][1] == {"type": "integer"}


def test_draft_3_and_draft_4_spellings_are_brought_up_to_date() -> None:
    properties = {"a": {"type": "integer", "required": True}, "b": {"minimum": 1, "exclusiveMinimum": True}}
    schema = cleaned({"properties": properties})
    assert schema["required"] == ["a"]
    assert schema["properties"]["b"] == {"exclusiveMinimum": 1}


def test_definitions_are_found_wherever_they_stand() -> None:
    for key in ("$defs", "definitions", "components"):
        schema = {key: {"A b/c": {"type": "string"}}, "properties": {"p": {"$ref": f"#/{key}/A%20b~1c", "title": "P"}}}
        assert cleaned(schema)["properties"]["p"] == {"type": "string"}


def test_a_reference_into_nothing_allows_anything_and_is_noted() -> None:
    parameters, repairs = clean_parameters({"properties": {"p": {"$ref": "#/$defs/Gone"}}}, "tool", "")
    assert parameters["properties"] == {"p": {}}
    assert repairs == ["reference '#/$defs/Gone' leads nowhere"]


@pytest.mark.parametrize("ref", ["other.json#/a", "#anchor", "https://example.org/schema"])
def test_references_out_of_the_document_are_not_followed(ref: str) -> None:
    assert one({"$ref": ref, "description": "Kept."}) == {"description": "Kept."}


@pytest.mark.parametrize("ref", ["#", "#/$defs/a", "#/properties/p"])
def test_references_in_a_circle_end(ref: str) -> None:
    circle = {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "properties": {"p": {"$ref": ref}}}
    assert "$ref" not in canonical_json(cleaned(circle))


def test_references_that_double_at_each_step_stay_small() -> None:
    levels = 40
    defs: dict[str, Any] = {
        f"l{n}": {"type": "object", "properties": {side: {"$ref": f"#/$defs/l{n + 1}"} for side in ("a", "b")}}
        for n in range(levels)
    }
    defs[f"l{levels}"] = {"type": "string"}
    start = time.perf_counter()
    schema = cleaned({"$defs": defs, "properties": {"p": {"$ref": "#/$defs/l0"}}})
    assert len(canonical_json(schema)) < 200_000
    assert time.perf_counter() - start < 5
    assert cleaned(schema) == schema


def test_alternatives_at_the_top_become_one_object() -> None:
    arms = [
        {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "string"}}, "required": ["kind", "x"]},
        {"type": "object", "properties": {"kind": {"const": "b"}, "x": {"type": "integer"}}, "required": ["kind"]},
    ]
    assert cleaned({"oneOf": arms}) == {
        "type": "object",
        "properties": {"kind": {"enum": ["a", "b"]}, "x": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
        "required": ["kind"],
    }
    assert cleaned({"allOf": arms})["required"] == ["kind", "x"]


def test_a_pattern_that_does_not_compile_is_dropped() -> None:
    assert one({"type": "string", "pattern": r"^\p{L}+$"}) == {"type": "string"}
    assert one({"type": "string", "pattern": "^a+$"})["pattern"] == "^a+$"
