"""Every form of tool document becomes the same kind of tool, or a rejection that says why."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from astra.errors import Rejected
from astra.model import Tool
from astra.trajectories.collect import normalise_tool
from astra.trajectories.collect.names import LEGAL

ABOUT = "Find free berths in a harbour between two dates."
SCHEMA = {"type": "object", "properties": {"harbour": {"type": "string"}}, "required": ["harbour"]}


@pytest.mark.parametrize(
    "document",
    [
        {"name": "find_berths", "description": ABOUT, "inputSchema": SCHEMA},
        {"name": "find_berths", "description": ABOUT, "input_schema": SCHEMA},
        {"type": "function", "function": {"name": "find_berths", "description": ABOUT, "parameters": SCHEMA}},
        {"type": "function", "name": "find_berths", "description": ABOUT, "parameters": SCHEMA},
        {"toolSpec": {"name": "find_berths", "description": ABOUT, "inputSchema": {"json": SCHEMA}}},
        {"name": "find_berths", "description": ABOUT, "parameters": SCHEMA},
        {"name": "find_berths", "description": ABOUT, "parameters": json.dumps(SCHEMA)},
        {"name": "find_berths", "description": ABOUT, "parameters": {"harbour": {"type": "str", "required": True}}},
        {
            "name": "find_berths",
            "description": ABOUT,
            "parameters": [{"name": "harbour", "type": "String", "required": "true"}],
        },
        json.dumps({"name": "find_berths", "description": ABOUT, "inputSchema": SCHEMA}),
    ],
    ids=["mcp", "anthropic", "openai", "responses", "bedrock", "bare", "json-text", "property-map", "list", "text"],
)
def test_every_form_gives_the_same_tool(document: object) -> None:
    assert normalise_tool(document) == Tool(name="find_berths", description=ABOUT, parameters=SCHEMA)


def test_an_output_schema_is_kept_and_one_that_says_nothing_is_not() -> None:
    output = {"type": "object", "properties": {"berths": {"type": "array", "items": {"type": "string"}}}}
    assert normalise_tool({"name": "a", "description": ABOUT, "outputSchema": output}).output == output
    assert normalise_tool({"name": "a", "description": ABOUT, "outputSchema": {"$schema": "x"}}).output is None


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (None, "not-a-tool"),
        ([], "not-a-tool"),
        ("no json", "not-json"),
        ({"description": ABOUT}, "no-name"),
        ({"name": " ", "description": ABOUT}, "no-name"),
        ({"name": "find_berths"}, "no-description"),
        ({"name": "find_berths", "description": "Description not available"}, "no-description"),
        ({"name": "find_berths", "description": "find_berths"}, "no-description"),
        ({"name": "find_berths", "description": "Find berths."}, "unclear-description"),
        ({"name": "find_berths", "description": ABOUT, "deprecated": True}, "deprecated"),
        ({"name": "find_berths", "description": ABOUT, "parameters": "{no json"}, "not-json"),
        ({"name": "find_berths", "description": ABOUT, "parameters": 7}, "parameters-not-object"),
    ],
)
def test_what_is_no_usable_tool_is_rejected_with_its_reason(document: object, reason: str) -> None:
    with pytest.raises(Rejected) as rejected:
        normalise_tool(document)
    assert rejected.value.reason == reason
    assert rejected.value.sentence.endswith(".")


def test_a_document_nested_without_end_is_rejected() -> None:
    nested: list[Any] = []
    for _ in range(20_000):
        nested = [nested]
    circle: dict[str, Any] = {"name": "a", "description": ABOUT}
    circle["parameters"] = circle
    for document in ({"name": "a", "description": ABOUT, "default": nested}, circle):
        with pytest.raises(Rejected, match=r"levels deep|written as JSON"):
            normalise_tool(document)


def test_words_of_a_registry_page_are_no_parameters() -> None:
    words = ["delete_berth", "Delete", "harbour", "Add", "True", "berth_id"]
    tool = normalise_tool(
        {
            "name": "delete_berth",
            "description": "Delete a berth and tell the master of the harbour.",
            "parameters": [{"name": word, "type": "string", "required": False} for word in words],
        }
    )
    assert list(tool.properties) == ["harbour", "berth_id"]
    assert len(tool.repairs) == 4


def _an_object_without_parameters(tool: Tool) -> bool:
    return tool.parameters == {"type": "object", "properties": {}}


ODD: dict[str, Callable[[Tool], bool] | str] = {
    "schema-keyword-only": _an_object_without_parameters,
    "object-without-properties": _an_object_without_parameters,
    "not-an-object": "parameters-not-object",
    "array-at-top": "parameters-not-object",
    "top-level-anyOf": lambda tool: set(tool.properties) == {"imo", "ship_name", "flag"} and tool.required == (),
    "zod-optional": lambda tool: tool.properties["note"] == {"type": "string"} and tool.required == ("text",),
    "empty-additionalProperties": _an_object_without_parameters,
    "list-style-parameters": lambda tool: (
        set(tool.properties) == {"register_no", "units"}
        and tool.required == ("register_no",)
        and tool.properties["units"] == {"type": "string", "default": "m"}
    ),
    "json-in-a-string": lambda tool: tool.required == ("length_m", "nights"),
    "nullable-type-list": lambda tool: tool.properties["since"]["type"] == ["string", "null"],
    "defs-and-refs": lambda tool: tool.properties["ship"]["properties"]["length_m"] == {"type": "number"},
    "recursive-ref": lambda tool: (
        tool.properties["hold"]["properties"]["label"] == {"type": "string"}
        and "$ref" not in json.dumps(tool.parameters)
    ),
    "required-unknown": lambda tool: tool.required == ("channel",) and any("'operator'" in r for r in tool.repairs),
    "array-without-items": lambda tool: tool.properties["tags"] == {"type": "array", "items": {}},
    "name-with-odd-characters": lambda tool: tool.name != tool.called and "泊位" in tool.called,
    "markup-as-description": "no-description",
}


def test_each_odd_tool_seen_in_public_comes_out_as_it_should(shared: Path) -> None:
    cases = [json.loads(line) for line in (shared / "cases" / "odd_tools.jsonl").read_text("utf-8").splitlines()]
    assert {case["id"] for case in cases} == set(ODD)
    for case in cases:
        expected = ODD[case["id"]]
        assert case["expect"].startswith("rejected") == isinstance(expected, str)
        if isinstance(expected, str):
            with pytest.raises(Rejected) as rejected:
                normalise_tool(case["document"])
            assert rejected.value.reason == expected, case["id"]
        else:
            tool = normalise_tool(case["document"])
            assert expected(tool), (case["id"], tool)
            assert LEGAL.fullmatch(tool.name)
            Draft202012Validator.check_schema(tool.parameters)


NAMES = st.sampled_from(["type", "properties", "required", "$ref", "items", "enum", "name", "description", "x", "y"])
WORDS = st.sampled_from(
    ["object", "string", "array", "list[str]", "int", "any", "true", "#", "#/$defs/x", "#/properties/y", "[", ABOUT, ""]
)
KEYS = st.sampled_from(
    "type properties required $ref $defs items prefixItems enum anyOf oneOf allOf not nullable default pattern minimum "
    "exclusiveMinimum minLength additionalProperties patternProperties const optional description x y".split()
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats() | WORDS | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | NAMES, inner, max_size=5),
    max_leaves=25,
)


def assert_tool_or_rejection(document: object) -> None:
    try:
        tool = normalise_tool(document)
    except Rejected as rejected:
        assert rejected.reason
        assert rejected.sentence
        return
    assert LEGAL.fullmatch(tool.name)
    assert tool.parameters["type"] == "object"
    assert set(tool.required) <= set(tool.properties)
    assert not {"anyOf", "oneOf", "allOf", "enum", "not", "$ref"} & set(tool.parameters)
    Draft202012Validator.check_schema(tool.parameters)
    assert Tool.model_validate_json(tool.model_dump_json()) == tool
    again = normalise_tool(tool.document())
    assert (again.name, again.description, again.parameters) == (tool.name, tool.description, tool.parameters)


@given(VALUES)
@settings(max_examples=250, deadline=None)
def test_any_json_becomes_a_tool_or_a_rejection(document: object) -> None:
    assert_tool_or_rejection(document)


@given(name=st.text(min_size=1), description=st.text() | st.just(ABOUT), parameters=VALUES)
@settings(max_examples=250, deadline=None)
def test_any_name_and_text_become_a_tool_or_a_rejection(name: str, description: str, parameters: object) -> None:
    assert_tool_or_rejection({"name": name, "description": description, "parameters": parameters})


@given(parameters=st.dictionaries(KEYS, VALUES, max_size=6), output=VALUES)
@settings(max_examples=500, deadline=None)
def test_any_schema_is_cleaned_or_rejected_and_cleaning_twice_changes_nothing(
    parameters: object, output: object
) -> None:
    assert_tool_or_rejection({"name": "tool", "description": ABOUT, "parameters": parameters, "outputSchema": output})
