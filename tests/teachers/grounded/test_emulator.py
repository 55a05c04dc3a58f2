"""The emulated server: coherent within a session, typed as its documents say, the same for the same seed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from astra.model import Tool, ToolServer
from astra.teachers.grounded.emulator import answer_call
from astra.teachers.questions import AnswerCall, CallAnswer, PastCall


def tool(name: str, output: dict[str, Any] | None = None, **parameters: str) -> Tool:
    schema = {"type": "object", "properties": {k: {"type": t} for k, t in parameters.items()}, "required": []}
    return Tool(name=name, description=f"{name} does what it says.", parameters=schema, output=output)


BERTH = {
    "type": "object",
    "properties": {
        "berthId": {"type": "string"},
        "berthName": {"type": "string"},
        "lengthMetres": {"type": "integer", "minimum": 10, "maximum": 400},
        "state": {"type": "string", "enum": ["FREE", "TAKEN"]},
    },
    "required": ["berthId", "berthName"],
}
TYPED = ToolServer(
    id="typed",
    name="Harbour",
    origin="file",
    tools=(
        tool(
            "CreateBerth",
            {"type": "object", "properties": {"berth": BERTH}},
            berthName="string",
            lengthMetres="integer",
        ),
        tool("GetBerth", {"type": "object", "properties": {"berth": BERTH}}, berthId="string"),
        tool("ListBerths", {"type": "object", "properties": {"berths": {"type": "array", "items": BERTH}}}),
        tool(
            "UpdateBerth", {"type": "object", "properties": {"berth": BERTH}}, berthId="string", lengthMetres="integer"
        ),
        tool("DeleteBerth", {"type": "object", "properties": {}}, berthId="string"),
    ),
)
UNTYPED = ToolServer(
    id="untyped",
    name="Log",
    origin="registry",
    tools=(
        tool("create_note", text="string"),
        tool("get_note", note_id="string"),
        tool("list_notes"),
        tool("delete_note", note_id="string"),
    ),
)


class Session:
    def __init__(self, server: ToolServer, seed: str = "s") -> None:
        self.server, self.seed, self.history = server, seed, ()

    history: tuple[PastCall, ...]

    def call(self, name: str, **arguments: Any) -> CallAnswer:
        called = self.server.tool(name)
        assert called is not None
        question = AnswerCall(
            server=self.server, tool=called, arguments=arguments, history=self.history, seed=self.seed
        )
        answer = answer_call(question)
        if answer.error is None:
            self.history = (*self.history, PastCall(tool=name, arguments=arguments, result=answer.result))
        return answer


def test_what_was_created_can_be_read_and_is_listed() -> None:
    session = Session(TYPED)
    made = session.call("CreateBerth", berthName="north", lengthMetres=120).result["berth"]
    assert (made["berthName"], made["lengthMetres"]) == ("north", 120)
    assert session.call("GetBerth", berthId=made["berthId"]).result["berth"] == made
    assert made in session.call("ListBerths").result["berths"]


def test_what_is_listed_can_be_read_and_stays_the_same() -> None:
    session = Session(TYPED)
    listed = session.call("ListBerths").result["berths"]
    assert len({berth["berthId"] for berth in listed}) == len(listed) >= 2
    for berth in listed:
        assert session.call("GetBerth", berthId=berth["berthId"]).result["berth"]["berthName"] == berth["berthName"]
    assert session.call("ListBerths").result["berths"] == listed


def test_a_change_is_seen_afterwards() -> None:
    session = Session(TYPED)
    berth = session.call("ListBerths").result["berths"][0]["berthId"]
    session.call("UpdateBerth", berthId=berth, lengthMetres=333)
    assert session.call("GetBerth", berthId=berth).result["berth"]["lengthMetres"] == 333


@pytest.mark.parametrize(
    ("server", "remove", "read", "listing", "key"),
    [
        (TYPED, "DeleteBerth", "GetBerth", "ListBerths", "berthId"),
        (UNTYPED, "delete_note", "get_note", "list_notes", "note_id"),
    ],
)
def test_what_was_deleted_is_gone(server: ToolServer, remove: str, read: str, listing: str, key: str) -> None:
    session = Session(server)
    records = next(value for value in session.call(listing).result.values() if isinstance(value, list))
    gone = records[0][key]
    assert session.call(remove, **{key: gone}).error is None
    assert f"no {'berth' if key == 'berthId' else 'note'} {gone!r}" in (session.call(read, **{key: gone}).error or "")
    assert gone not in str(session.call(listing).result)


def test_without_an_output_schema_a_record_carries_its_identifier() -> None:
    session = Session(UNTYPED)
    made = session.call("create_note", text="Fog until noon.").result
    assert made["text"] == "Fog until noon."
    assert session.call("get_note", note_id=made["note_id"]).result["text"] == "Fog until noon."


def test_what_the_user_says_is_there_is_there() -> None:
    assert Session(TYPED).call("GetBerth", berthId="berth-77").result["berth"]["berthId"] == "berth-77"


CALLS = st.lists(
    st.sampled_from(
        [
            ("CreateBerth", {"berthName": "north", "lengthMetres": 120}),
            ("GetBerth", {"berthId": "b1"}),
            ("ListBerths", {}),
            ("UpdateBerth", {"berthId": "b1", "lengthMetres": 50}),
            ("DeleteBerth", {"berthId": "b1"}),
        ]
    ),
    max_size=8,
)


@given(CALLS, st.text(max_size=5))
def test_answers_fit_their_schema_and_repeat_for_the_same_seed(calls: list[Any], seed: str) -> None:
    one, two = Session(TYPED, seed), Session(TYPED, seed)
    for name, arguments in calls:
        answer = one.call(name, **arguments)
        assert answer == two.call(name, **arguments)
        called = TYPED.tool(name)
        if answer.error is None and called is not None and called.output is not None:
            Draft202012Validator(called.output).validate(answer.result)
