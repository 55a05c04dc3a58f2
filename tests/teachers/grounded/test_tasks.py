"""Requests in plain English and the plans behind them, and the policy that follows a plan."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from astra.errors import Rejected
from astra.model import (
    Chain,
    Edge,
    EpisodeLimits,
    Evidence,
    FromStep,
    FromTask,
    Message,
    Observation,
    Rollout,
    ServerLaunch,
    StopReason,
    Task,
    Tool,
    ToolCall,
    ToolServer,
)
from astra.rollout.environments import CallDesk
from astra.rollout.episode import run_episode
from astra.rollout.policies.plan import TRIES, PlanPolicy
from astra.teachers.grounded.tasks import write_task
from astra.teachers.questions import TaskDraft, WriteTask
from astra.trajectories.tasks import question_quality


def tool(name: str, **parameters: dict[str, Any]) -> Tool:
    schema = {"type": "object", "properties": parameters, "required": list(parameters)}
    return Tool(name=name, description=f"It can {name}.", parameters=schema)


TEXT = {"type": "string"}
SERVER = ToolServer(
    id="harbour",
    name="Harbour",
    origin="file",
    tools=(
        tool("list_ships", harbour=TEXT),
        tool("get_ship", ship_id=TEXT),
        tool("book_berth", ship_id=TEXT, nights={"type": "integer", "minimum": 1, "maximum": 9}),
        tool("impossible", code={"type": "string", "pattern": "^(?!)$"}),
    ),
)


def edge(source: str, target: str, parameter: str, field: str | None) -> Edge:
    evidence = Evidence(kind="typed-output", parameter=parameter, field=field, weight=1.0, why="test")
    return Edge(source=source, target=target, weight=1.0, evidence=(evidence,))


def drafted(*edges: Edge, server: ToolServer = SERVER, seed: str = "0") -> TaskDraft:
    tools = (edges[0].source, *(one.target for one in edges))
    chain = Chain(id="chain", server=server.id, tools=tools, edges=edges)
    return write_task(WriteTask(server=server, chain=chain, seed=seed))


LIST_TO_GET = edge("list_ships", "get_ship", "ship_id", "ships[].ship_id")
GET_TO_BOOK = edge("get_ship", "book_berth", "ship_id", "ship.ship_id")


def test_a_chain_becomes_a_request_that_states_its_values_and_carries_the_rest() -> None:
    draft = drafted(LIST_TO_GET, GET_TO_BOOK)
    first, second, third = (call.arguments for call in draft.plan)
    assert isinstance(first["harbour"], FromTask) and json.dumps(first["harbour"].value) in draft.request
    assert second["ship_id"] == FromStep(step=0, field="ships[].ship_id")
    assert third["ship_id"] == FromStep(step=1, field="ship.ship_id")
    assert isinstance(third["nights"], FromTask) and 1 <= third["nights"].value <= 9
    assert question_quality(draft).value == 1.0
    assert draft == drafted(LIST_TO_GET, GET_TO_BOOK)
    assert draft != drafted(LIST_TO_GET, GET_TO_BOOK, seed="1")


def test_values_that_a_live_server_knows_are_preferred() -> None:
    launch = ServerLaunch(command="x", values={"harbour": ("Oakum",), "book_berth.nights": (4,)})
    draft = drafted(LIST_TO_GET, GET_TO_BOOK, server=SERVER.model_copy(update={"launch": launch}))
    assert draft.plan[0].arguments["harbour"] == FromTask(value="Oakum")
    assert draft.plan[2].arguments["nights"] == FromTask(value=4)


def test_without_a_chain_a_few_tools_are_asked_for() -> None:
    usable = SERVER.model_copy(update={"tools": SERVER.tools[:3]})
    drafts = [write_task(WriteTask(server=usable, chain=None, seed=str(seed))) for seed in range(20)]
    assert {len(draft.plan) for draft in drafts} == {1, 2, 3}
    assert {draft.parallel for draft in drafts} == {True, False}


def test_a_schema_that_admits_nothing_is_a_rejection() -> None:
    with pytest.raises(Rejected, match=r"impossible\.code") as caught:
        drafted(edge("get_ship", "impossible", "other", None))
    assert caught.value.reason == "no-value"


def test_a_request_that_leaves_a_value_out_scores_low() -> None:
    draft = drafted(LIST_TO_GET)
    silent = draft.model_copy(update={"request": "Please do the usual thing with the ships of that harbour."})
    assert question_quality(silent).value == 0.0


class Scripted:
    """Answers each call with the next of its contents."""

    name = "scripted"
    tools = SERVER.tools

    def __init__(self, *contents: str) -> None:
        self.contents = list(contents)
        self.desk = CallDesk("scripted", self.tools)

    async def call(self, call: ToolCall) -> Observation:
        received = self.desk.receive(call)
        return received if isinstance(received, Observation) else self.desk.deliver(call, self.contents.pop(0))


def played(draft: TaskDraft, *contents: str) -> Rollout:
    task = Task(
        id="task", server="harbour", request=draft.request, tools=("a",), plan=draft.plan, origin="chain",
        parallel=draft.parallel,
    )  # fmt: skip
    opening = [Message(role="user", content=task.request)]
    return asyncio.run(run_episode(PlanPolicy(task), Scripted(*contents), opening, limits=EpisodeLimits()))


SHIPS = '{"ships": [{"ship_id": "S-7", "name": "Aurora"}, {"ship_id": "S-8"}]}'
TIMED_OUT = '{"error": "Request timed out after 30 seconds"}'


def arguments(rollout: Rollout) -> list[dict[str, Any]]:
    return [json.loads(call.arguments) for message in rollout.messages for call in message.tool_calls]


def test_the_policy_carries_values_over_and_reports_the_last_result() -> None:
    rollout = played(drafted(LIST_TO_GET), SHIPS, '{"name": "Aurora", "length": 84}')
    assert arguments(rollout)[1] == {"ship_id": "S-7"}
    assert rollout.stop is StopReason.FINISHED
    assert "Aurora" in (rollout.messages[-1].content or "") and "84" in (rollout.messages[-1].content or "")


def test_what_may_pass_is_tried_again_but_not_for_ever() -> None:
    rollout = played(drafted(LIST_TO_GET), TIMED_OUT, SHIPS, "{}")
    assert [set(one) for one in arguments(rollout)] == [{"harbour"}, {"harbour"}, {"ship_id"}]
    hopeless = played(drafted(LIST_TO_GET), *[TIMED_OUT] * 9)
    assert len(arguments(hopeless)) == TRIES
    assert "could not finish" in (hopeless.messages[-1].content or "")


def test_a_clear_error_ends_the_episode_with_an_honest_answer() -> None:
    rollout = played(drafted(LIST_TO_GET), '{"error": "no such harbour"}')
    assert len(arguments(rollout)) == 1
    assert "no such harbour" in (rollout.messages[-1].content or "")


def test_a_value_that_does_not_come_back_is_not_made_up() -> None:
    rollout = played(drafted(LIST_TO_GET), '{"ships": []}')
    assert len(arguments(rollout)) == 1
    assert "did not return" in (rollout.messages[-1].content or "")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Ship id: S-12\nName: Aurora", "S-12"),
        ('{"id": "S-13"}', "S-13"),
        ("Commit: 1bbf57379943b42ffdb1beff802b8645c897c759\nAuthor: x", "1bbf57379943b42ffdb1beff802b8645c897c759"),
        ("* main\n  night-watch\n  tide-tables", "night-watch"),
    ],
)
def test_values_are_found_in_plain_text(text: str, value: str) -> None:
    rollout = played(drafted(edge("list_ships", "get_ship", "ship_id", None)), text, "{}")
    assert arguments(rollout)[1] == {"ship_id": value}
