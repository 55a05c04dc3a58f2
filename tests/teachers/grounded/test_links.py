"""Who can feed whom: right links on real services, none of the silly ones."""

from __future__ import annotations

import time
from typing import Any

import pytest

from astra.llm.embed import WordLlamaEmbedder
from astra.model import Edge, JsonObject, Tool, ToolServer
from astra.teachers.grounded.concepts import concept
from astra.teachers.grounded.links import link_tools
from astra.trajectories.collect import botocore_servers, normalise_server


def tool(name: str, description: str, output: JsonObject | None = None, **parameters: str) -> Tool:
    """A tool whose parameters are strings; one described as "?" may be left out."""
    properties: dict[str, Any] = {}
    for parameter, text in parameters.items():
        properties[parameter] = {"type": "string", **({"description": text} if text.strip("?") else {})}
    required = [parameter for parameter, text in parameters.items() if not text.startswith("?")]
    return Tool(
        name=name,
        description=description,
        parameters={"type": "object", "properties": properties, "required": required},
        output=output,
    )


def links(*tools: Tool, embed: bool = False) -> dict[tuple[str, str], Edge]:
    server = ToolServer(id="s", name="S", origin="file", tools=tools)
    edges = link_tools(server, WordLlamaEmbedder() if embed else None).edges
    return {(edge.source, edge.target): edge for edge in edges}


def service(name: str, **options: Any) -> dict[tuple[str, str], Edge]:
    (document,) = botocore_servers([name], **options)
    server = normalise_server(document).server
    assert server is not None
    return {(edge.source, edge.target): edge for edge in link_tools(server).edges}


GIT = (
    tool("git_status", "Shows the working tree status", repo_path=""),
    tool("git_commit", "Records changes to the repository", repo_path="", message=""),
    tool("git_log", "Shows the commit logs", repo_path="", max_count="?"),
    tool("git_create_branch", "Creates a new branch from an optional base branch", repo_path="", branch_name=""),
    tool("git_checkout", "Switches branches", repo_path="", branch_name=""),
    tool("git_show", "Shows the contents of a commit", repo_path="", revision=""),
    tool("git_branch", "List Git branches", repo_path="", branch_type=""),
)


def test_tools_that_return_text_are_linked_by_what_they_do() -> None:
    found = links(*GIT)
    assert set(found) == {
        ("git_log", "git_show"),
        ("git_branch", "git_checkout"),
        ("git_create_branch", "git_checkout"),
    }
    assert found["git_log", "git_show"].evidence[0].parameter == "revision"
    assert found["git_create_branch", "git_checkout"].evidence[0].kind == "shared-entity"
    assert all(evidence.field is None for edge in found.values() for evidence in edge.evidence)


def test_time_tools_are_linked_by_their_typed_outputs() -> None:
    zone = {"type": "object", "properties": {"timezone": {"type": "string"}, "datetime": {"type": "string"}}}
    both = {"type": "object", "properties": {"source": zone, "target": zone}}
    found = links(
        tool("get_current_time", "Get current time in a specific timezone", zone, timezone=""),
        tool("convert_time", "Convert time between timezones", both, source_timezone="", time="", target_timezone=""),
    )
    fields = {(e.parameter, e.field) for e in found["get_current_time", "convert_time"].evidence}
    assert fields == {("source_timezone", "timezone"), ("target_timezone", "timezone")}
    assert found["convert_time", "get_current_time"].evidence[0].field == "source.timezone"


@pytest.mark.parametrize(
    ("name", "source", "target", "parameter", "field"),
    [
        ("dynamodb", "ListTables", "DescribeTable", "TableName", "TableNames[]"),
        ("dynamodb", "CreateBackup", "RestoreTableFromBackup", "BackupArn", "BackupDetails.BackupArn"),
        ("sqs", "CreateQueue", "SendMessage", "QueueUrl", "QueueUrl"),
        ("sqs", "ReceiveMessage", "DeleteMessage", "ReceiptHandle", "Messages[].ReceiptHandle"),
        ("location", "ListMaps", "DescribeMap", "MapName", "Entries[].MapName"),
        ("codecommit", "ListBranches", "DeleteBranch", "branchName", "branches[]"),
    ],
)
def test_services_link_lists_and_makers_to_users(
    name: str, source: str, target: str, parameter: str, field: str
) -> None:
    evidence = service(name)[source, target].evidence[0]
    assert (evidence.kind, evidence.parameter, evidence.field) == ("typed-output", parameter, field)
    assert source in evidence.why
    assert parameter in evidence.why


@pytest.mark.parametrize("name", ["dynamodb", "sqs", "codecommit", "lambda", "iam"])
def test_page_marks_tags_and_things_yet_to_be_made_are_fed_by_nothing(name: str) -> None:
    for edge in service(name).values():
        assert edge.source != edge.target
        assert edge.weight > 0
        for evidence in edge.evidence:
            lowered = evidence.parameter.lower()
            assert not any(word in lowered for word in ("token", "marker", "tags", "maxresults", "exclusivestart")), (
                evidence
            )
            if edge.target.startswith("Create"):
                assert evidence.parameter != f"{edge.target.removeprefix('Create')}Name"


def test_what_was_deleted_feeds_nothing() -> None:
    assert not [edge for source, edge in service("dynamodb").items() if source[0].startswith("Delete")]


def test_a_required_parameter_weighs_more_than_one_that_may_be_left_out() -> None:
    found = links(
        tool("list_ships", "List all ships in the harbour"),
        tool("move_ship", "Move a ship to another berth", ship_id=""),
        tool("log_entry", "Write into the harbour's log", text="", ship_id="?"),
    )
    assert found["list_ships", "move_ship"].weight > found["list_ships", "log_entry"].weight


def test_types_must_fit() -> None:
    numbers = {"type": "object", "properties": {"ship_id": {"type": "integer"}}}
    assert not links(
        tool("create_ship", "Enter a ship into the register", numbers, title=""),
        tool("move_ship", "Move a ship to another berth", ship_id=""),
    )


def test_embeddings_add_weight_but_never_an_edge() -> None:
    plain, seconded = links(*GIT), links(*GIT, embed=True)
    assert set(plain) == set(seconded)
    assert all(seconded[pair].weight >= plain[pair].weight for pair in plain)
    assert any(evidence.kind == "embedding" for edge in seconded.values() for evidence in edge.evidence)


def test_a_service_of_eight_hundred_operations_takes_seconds_and_the_same_edges_each_time() -> None:
    (document,) = botocore_servers(["ec2"])
    server = normalise_server(document).server
    assert server is not None
    start = time.perf_counter()
    edges = link_tools(server).edges
    assert time.perf_counter() - start < 10
    assert edges == link_tools(server).edges
    assert len(edges) <= 24 * len(server.tools)
    assert ("RunInstances", "StopInstances") in {(edge.source, edge.target) for edge in edges}


def test_names_of_one_thing_are_one_concept() -> None:
    assert concept("TableNames", ()) == concept("table_name", ()) == concept("name", ("table",)) == ("table",)
    assert concept("DBInstanceIdentifier", ()) == ("database", "instance", "id")
    assert concept("repoId", ()) == concept("id", ("repository",)) == ("repository", "id")
    assert [concept(name, ()) for name in ("id", "name", "NextToken", "status", "Tags", "DryRun", "limit")] == [
        None
    ] * 7
