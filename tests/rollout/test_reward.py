"""The F1 reward: what is credited, what is counted, what can never happen."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astra.model import Failure, Message, Observation, Reward, ToolCall
from astra.rollout.reward import score_episode
from harbour import harbour_arena

ARENA = harbour_arena()
RIGHT = [(task.tool, task.arguments, {"value": task.answer}) for task in ARENA.sub_tasks]
WRONG = [("find_berth", {"ship": "Kestrel"}, {"berth": "B-04"}), ("nowhere", {}, {"value": 70})]


def scored(*calls: tuple[str, Any, Any], failures: tuple[int, ...] = (), unanswered: tuple[int, ...] = ()) -> Reward:
    """The reward of an episode that issued these calls: (tool, arguments, result) each."""
    issued = [ToolCall(id=f"c{i}", name=name, arguments=json.dumps(args)) for i, (name, args, _) in enumerate(calls)]
    seen = [
        Observation(
            call_id=f"c{i}",
            tool=name,
            content=json.dumps(result),
            result=result,
            failure=Failure.TOOL_ERROR if i in failures else None,
            source="test",
        )
        for i, (name, _, result) in enumerate(calls)
        if i not in unanswered
    ]
    return score_episode(ARENA, [Message(role="assistant", tool_calls=(call,)) for call in issued], seen)


def test_gold_calls_score_one() -> None:
    reward = scored(*RIGHT)
    assert (reward.recall, reward.precision, reward.f1) == (1.0, 1.0, 1.0)


def test_no_call_scores_zero() -> None:
    assert (scored().recall, scored().precision, scored().f1) == (0.0, 0.0, 0.0)


def test_a_useless_call_costs_precision() -> None:
    reward = scored(*RIGHT, *WRONG)
    assert (reward.recall, reward.precision) == (1.0, 5 / 7)
    assert reward.f1 == pytest.approx(2 * (5 / 7) / (1 + 5 / 7))


def test_the_same_call_again_is_counted_and_credited_once() -> None:
    assert scored(RIGHT[0], RIGHT[0]).solved == (1,)
    assert scored(RIGHT[0], RIGHT[0]).precision == 0.5


def test_a_failed_call_solves_nothing_even_if_it_shows_the_answer() -> None:
    assert scored(RIGHT[0], failures=(0,)).solved == ()


def test_a_call_that_was_never_answered_counts() -> None:
    assert scored(RIGHT[0], RIGHT[1], unanswered=(1,)).precision == 0.5


def test_the_answer_from_another_tool_is_no_credit() -> None:
    assert scored(("berth_length", {"berth": "B-22"}, {"value": "B-22"})).solved == ()


def test_a_substring_is_no_answer() -> None:
    assert scored(("spare_length", {"longer": 1, "shorter": 2}, {"value": 1970})).solved == ()


TABLE = {"Meridian": "B-22", "Aurora": "B-17"}


def test_one_call_is_credited_with_one_sub_task_unless_its_arguments_name_several() -> None:
    assert len(scored(("find_berth", {}, TABLE)).solved) == 1
    batch = scored(("find_berth", {"ship": ["Meridian", "Aurora"]}, TABLE))
    assert batch.solved == (1, 2)
    assert batch.precision == 1.0


def test_credit_is_shared_out_so_that_most_is_solved() -> None:
    """The first call could take either sub-task, the second only one."""
    reward = scored(("find_berth", {}, TABLE), ("find_berth", {"ship": "Meridian"}, {"berth": "B-22"}))
    assert reward.solved == (1, 2)


CALLS = st.lists(st.sampled_from([*RIGHT, *WRONG, ("find_berth", {}, TABLE)]), max_size=9)


@given(CALLS, st.randoms(use_true_random=False))
def test_rewards_keep_their_bounds_and_order_does_not_matter(calls: list[Any], random: Any) -> None:
    reward = scored(*calls)
    for value in (reward.recall, reward.precision, reward.f1):
        assert 0.0 <= value <= 1.0
    assert reward.calls == len(calls)
    assert len({task for tasks in reward.credit.values() for task in tasks}) == len(reward.solved)
    shuffled = random.sample(calls, len(calls))
    assert len(scored(*shuffled).solved) == len(reward.solved)


@given(CALLS)
def test_a_useless_call_more_never_pays(calls: list[Any]) -> None:
    assert scored(*calls, WRONG[1]).f1 <= scored(*calls).f1
