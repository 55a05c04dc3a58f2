"""Service models become tool documents with typed inputs and outputs."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from astra.errors import BadInput
from astra.trajectories.collect import botocore_servers, chosen_services, normalise_server


def test_a_service_becomes_a_server_with_plain_descriptions_and_typed_outputs() -> None:
    (document,) = botocore_servers(["dynamodb"])
    collected = normalise_server(document)
    assert collected.server is not None
    assert (collected.server.id, collected.server.domain) == ("botocore-dynamodb", "Databases")
    tool = collected.server.tool("CreateTable")
    assert tool is not None
    assert tool.description.startswith("The CreateTable operation adds a new table")
    assert tool.required == ("TableName",)
    assert tool.properties["BillingMode"]["enum"] == ["PROVISIONED", "PAY_PER_REQUEST"]
    assert tool.output is not None
    assert tool.output["properties"]["TableDescription"]["properties"]["TableArn"]["type"] == "string"


def test_shapes_that_hold_themselves_and_odd_patterns_give_valid_schemas() -> None:
    for document in botocore_servers(["ce", "wafv2", "lexv2-models"]):  # Expression holds Expressions
        collected = normalise_server(document)
        assert collected.server is not None
        for tool in collected.server.tools:
            assert "<p>" not in tool.description
            assert len(tool.description) <= 600
            for schema in (tool.parameters, tool.output or {}):
                Draft202012Validator.check_schema(schema)


def test_deprecated_operations_are_rejected_as_such() -> None:
    (document,) = botocore_servers(["cloudfront"])
    marked = [entry["name"] for entry in document.documents if isinstance(entry, dict) and entry.get("deprecated")]
    rejected = [r for r in normalise_server(document).rejections if r.reason == "deprecated"]
    assert len(rejected) == len(marked)


def test_a_drawn_part_is_the_same_for_the_same_seed_and_keeps_nouns_together() -> None:
    def names(seed: str) -> list[object]:
        (document,) = botocore_servers(["ec2"], max_tools=24, seed=seed)
        return [entry["name"] for entry in document.documents if isinstance(entry, dict)]

    assert names("1") == names("1") != names("2")
    assert len(names("1")) == 24
    assert chosen_services(5, seed="1") == chosen_services(5, seed="1") != chosen_services(5, seed="2")


def test_a_service_that_is_not_there_is_bad_input() -> None:
    with pytest.raises(BadInput, match="dynamodb"):
        list(botocore_servers(["dynamodbb"]))
