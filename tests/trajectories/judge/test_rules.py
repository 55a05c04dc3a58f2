"""The seven scores by rule: what each rewards, what it marks down, and that nothing unscored passes as perfect."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from astra.errors import Rejected
from astra.exports.sft import sft_row
from astra.model import (
    Failure,
    FromStep,
    FromTask,
    Message,
    Observation,
    PlannedCall,
    Scores,
    StopReason,
    Task,
    ToolCall,
    Trajectory,
    abstained,
    scored,
)
from astra.trajectories.judge import JudgeConfig, accept, judge, score_by_rule


def document(name: str, *parameters: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {p: {"type": "string"} for p in parameters}, "required": list(parameters)}
    return {"type": "function", "function": {"name": name, "description": "Does it.", "parameters": schema}}


TOOLS = (document("find_ship", "name"), document("get_berth", "ship_id"), document("weather", "place"))
TASK = Task(
    id="task-1",
    server="harbour",
    request='Please find ship with name "Meridian". Then get berth with the ship id from the result.',
    tools=("find_ship", "get_berth"),
    plan=(
        PlannedCall(tool="find_ship", arguments={"name": FromTask(value="Meridian")}),
        PlannedCall(tool="get_berth", arguments={"ship_id": FromStep(step=0, field="ship_id")}),
    ),
    origin="chain",
)
FIND = ("find_ship", {"name": "Meridian"}, {"ship_id": "S-4021"}, None)
BERTH = ("get_berth", {"ship_id": "S-4021"}, {"berth": "B-22", "length": 210}, None)
TIMED_OUT = ("find_ship", {"name": "Meridian"}, None, Failure.TRANSIENT)
REFUSED = ("find_ship", {"name": "Meridian"}, None, Failure.TOOL_ERROR)
Turn = tuple[str, Any, Any, Failure | None]


def trajectory(*turns: Turn, answer: str | None = "The berth is B-22.") -> Trajectory:
    """An episode with one call a turn: (tool, arguments, result, failure) each."""
    messages = [Message(role="system", content="Help."), Message(role="user", content=TASK.request)]
    observations = []
    for number, (tool, arguments, result, failure) in enumerate(turns, start=1):
        call = ToolCall(id=f"call-{number}", name=tool, arguments=json.dumps(arguments))
        content = json.dumps(result) if failure is None else '{"error": "it failed"}'
        messages.append(Message(role="assistant", tool_calls=(call,)))
        messages.append(Message(role="tool", content=content, tool_call_id=call.id))
        observations.append(
            Observation(call_id=call.id, tool=tool, content=content, result=result, failure=failure, source="test")
        )
    if answer is not None:
        messages.append(Message(role="assistant", content=answer))
    return Trajectory(
        id="t",
        task=TASK.id,
        server="harbour",
        messages=tuple(messages),
        tools=TOOLS,
        observations=tuple(observations),
        stop=StopReason.FINISHED,
    )


def values(*turns: Turn, answer: str | None = "The berth is B-22.") -> dict[str, float | None]:
    scores = score_by_rule(TASK, trajectory(*turns, answer=answer))
    return {name: part.value for name, part in scores.parts.items()}


PERFECT = {
    "query_understanding": None,
    "query_planning": 1.0,
    "tool_response_understanding": None,
    "tool_response_planning": 1.0,
    "tool_call_status": 1.0,
    "conciseness": 1.0,
    "final_answer": 1.0,
}


def test_a_faultless_episode_is_perfect_where_a_rule_can_tell() -> None:
    assert values(FIND, BERTH) == PERFECT


def test_understanding_abstains_and_is_left_out_of_the_mean() -> None:
    scores = score_by_rule(TASK, trajectory(FIND, BERTH))
    assert scores.parts["query_understanding"].status == "abstained"
    assert (scores.mean, round(scores.coverage, 3)) == (1.0, round(5 / 7, 3))


def test_retrying_what_may_pass_costs_status_alone() -> None:
    assert values(TIMED_OUT, FIND, BERTH) == PERFECT | {"tool_call_status": pytest.approx(2 / 3, abs=1e-5)}


@pytest.mark.parametrize(
    ("turns", "part", "value"),
    [
        ([REFUSED, REFUSED, FIND, BERTH], "conciseness", 0.5),  # both later tries repeat a clear error
        ([FIND, FIND, BERTH], "conciseness", 2 / 3),  # reads again what is known
        ([FIND, ("weather", {"place": "Meridian"}, {"sky": "grey"}, None), BERTH], "conciseness", 2 / 3),
        ([FIND, ("get_berth", {"ship_id": "S-9"}, {"berth": "B-1"}, None), BERTH], "conciseness", 2 / 3),
        ([("sail", {}, None, Failure.UNKNOWN_TOOL), FIND, BERTH], "conciseness", 2 / 3),
        ([("find_ship", {}, None, Failure.BAD_ARGUMENTS), FIND, BERTH], "conciseness", 2 / 3),
        ([BERTH, FIND], "query_planning", 0.0),  # a ship id that no one has named yet
        ([("weather", {"place": "Meridian"}, {}, None)], "query_planning", 0.0),
        ([FIND, ("get_berth", {"ship_id": "S-9"}, {"berth": "B-1"}, None)], "tool_response_planning", 0.0),
        ([], "query_planning", 0.0),
        ([], "tool_call_status", 0.0),
    ],
)
def test_a_fault_costs_the_score_that_is_about_it(turns: list[Turn], part: str, value: float) -> None:
    assert values(*turns)[part] == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize(
    ("turns", "answer", "value"),
    [
        ([FIND, BERTH], "The berth is B-22, 210 metres long.", 1.0),
        ([FIND, BERTH], "The berth is B-23.", 0.0),  # states nothing that came back, and what no one said
        ([FIND, BERTH], "It went well.", 0.5),
        ([FIND, BERTH], "The berth is B-22, see https://example.org/b22.", 0.75),
        ([FIND, BERTH], None, 0.0),
        ([FIND], "The berth is B-22.", 0.0),
        ([REFUSED], 'I could not finish: find_ship failed with: {"error": "it failed"}', 0.75),
    ],
)
def test_the_final_answer_must_state_what_came_back_and_nothing_else(
    turns: list[Turn], answer: str | None, value: float
) -> None:
    assert values(*turns, answer=answer)["final_answer"] == pytest.approx(value, abs=1e-5)


def judged(*turns: Turn, answer: str | None = "The berth is B-22.", **config: float) -> Trajectory:
    settings = JudgeConfig.model_validate(config)
    return accept(asyncio.run(judge(TASK, trajectory(*turns, answer=answer), None, settings)), settings)


def test_a_low_mean_is_a_rejection_with_its_parts() -> None:
    with pytest.raises(Rejected, match="final_answer") as caught:
        judged(REFUSED, REFUSED, answer="The berth is B-22.")
    assert caught.value.reason == "score-too-low"


def test_giving_up_without_cause_is_a_rejection_whatever_the_mean() -> None:
    with pytest.raises(Rejected, match="never succeeded") as caught:
        judged(FIND, answer="I could not finish: step 1 did not return a value.", min_mean=0.5)
    assert caught.value.reason == "final-answer-too-low"


def test_too_little_scored_is_a_rejection_not_a_perfect_score() -> None:
    with pytest.raises(Rejected) as caught:
        judged(FIND, BERTH, min_coverage=0.9)
    assert caught.value.reason == "coverage-too-low"


def test_scores_that_all_abstain_have_no_mean() -> None:
    assert Scores(parts={"a": abstained("no rule")}).mean is None
    with pytest.raises(ValueError, match="a score lies in"):
        scored(1.5)


def test_an_sft_row_carries_tools_reward_and_provenance() -> None:
    row = sft_row(judged(TIMED_OUT, FIND, BERTH))
    assert [message["role"] for message in row.messages][:3] == ["system", "user", "assistant"]
    assert row.messages[2]["tool_calls"][0]["function"]["name"] == "find_ship"
    assert row.tools == TOOLS
    assert [call["failure"] for call in row.provenance] == ["transient", None, None]
    with pytest.raises(ValueError, match="unscored"):
        sft_row(trajectory(FIND, BERTH))
