"""Episodes: every way in which one can end, and what it leaves behind."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence

import pytest

from astra.errors import PolicyFailed
from astra.model import EpisodeLimits, Failure, Message, Rollout, StopReason, Tool, ToolCall
from astra.rollout.arenas import opening, rollout_arena
from astra.rollout.environments import open_arena
from astra.rollout.episode import run_episode
from astra.rollout.policies import ArenaOracle, EmptyPolicy, Policy, RandomPolicy, ReplayPolicy
from astra.sandbox import MontySandbox
from harbour import harbour_arena

ARENA = harbour_arena()


class Scripted:
    """Says its lines, then nothing more."""

    name = "scripted"

    def __init__(self, *turns: Message) -> None:
        self.turns = list(turns)

    async def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        return self.turns.pop(0) if self.turns else Message(role="assistant", content="done")


def calling(*calls: tuple[str, str]) -> Message:
    return Message(
        role="assistant", tool_calls=tuple(ToolCall(id="mine", name=name, arguments=args) for name, args in calls)
    )


SHIP = ("find_berth", '{"ship": "Meridian"}')


def played(policy: Policy, *, stop_when_solved: bool = False, **limits: float) -> Rollout:
    async def run() -> Rollout:
        arena = ARENA.model_copy(update={"limits": EpisodeLimits.model_validate(limits)})
        async with MontySandbox(workers=1) as sandbox:
            return await rollout_arena(policy, arena, sandbox, stop_when_solved=stop_when_solved)

    return asyncio.run(run())


def reward_of(rollout: Rollout) -> tuple[float, int]:
    assert rollout.outcome == "scored" and rollout.reward is not None
    return rollout.reward.f1, rollout.reward.calls


def test_the_oracle_solves_everything_level_by_level() -> None:
    rollout = played(ArenaOracle(ARENA))
    assert reward_of(rollout) == (1.0, 5)
    assert rollout.stop is StopReason.FINISHED
    assert [len(m.tool_calls) for m in rollout.messages if m.role == "assistant"] == [2, 2, 1, 0]
    assert rollout.messages[-1].content == "70"


def test_the_empty_policy_scores_zero() -> None:
    assert reward_of(played(EmptyPolicy())) == (0.0, 0)


def test_the_random_policy_is_the_same_for_the_same_seed() -> None:
    assert played(RandomPolicy(3)) == played(RandomPolicy(3))
    assert played(RandomPolicy(3)) != played(RandomPolicy(4))


def test_a_replayed_episode_repeats_itself() -> None:
    first = played(ArenaOracle(ARENA))
    again = played(ReplayPolicy(first.messages))
    assert (again.messages, again.observations, again.reward) == (first.messages, first.observations, first.reward)


def test_every_call_and_answer_has_an_id_of_its_own() -> None:
    rollout = played(Scripted(calling(SHIP, SHIP), calling(SHIP)))
    assert [o.call_id for o in rollout.observations] == ["call-1", "call-2", "call-3"]
    assert [m.tool_call_id for m in rollout.messages if m.role == "tool"] == ["call-1", "call-2", "call-3"]


@pytest.mark.parametrize(
    ("call", "failure", "content"),
    [
        (("find_ship", "{}"), Failure.UNKNOWN_TOOL, "Unknown tool: find_ship"),
        (("find_berth", "{ship"), Failure.MALFORMED, "not valid JSON"),
        (("find_berth", "[1]"), Failure.MALFORMED, "must be a JSON object"),
        (("find_berth", '{"ship": 5}'), Failure.BAD_ARGUMENTS, "is not of type"),
        (("find_berth", "{}"), Failure.BAD_ARGUMENTS, "required"),
        (("find_berth", '{"ship": "Meridian", "fast": 1}'), Failure.BAD_ARGUMENTS, "unexpected argument 'fast'"),
        (("find_berth", '{"ship": "Nobody"}'), Failure.TOOL_ERROR, "no ship of that name"),
        (("find_berth", "[" * 100_000), Failure.MALFORMED, "not valid JSON"),
    ],
)
def test_a_bad_call_is_answered_and_counted(call: tuple[str, str], failure: Failure, content: str) -> None:
    rollout = played(Scripted(calling(call)), tokens=10**6)
    assert rollout.observations[0].failure is failure
    assert content in rollout.observations[0].content
    assert reward_of(rollout) == (0.0, 1)


@pytest.mark.parametrize(
    ("limits", "stop", "answered"),
    [
        ({"turns": 2}, StopReason.TURN_LIMIT, 4),
        ({"calls": 3}, StopReason.CALL_LIMIT, 3),
        ({"tokens": 60}, StopReason.TOKEN_LIMIT, 2),
    ],
)
def test_a_limit_ends_the_episode(limits: dict[str, int], stop: StopReason, answered: int) -> None:
    rollout = played(Scripted(*[calling(SHIP, SHIP)] * 9), **limits)
    assert (rollout.stop, len(rollout.observations), rollout.outcome) == (stop, answered, "scored")


def test_an_episode_can_end_when_all_is_solved() -> None:
    oracle = played(ArenaOracle(ARENA), stop_when_solved=True)
    assert oracle.stop is StopReason.ALL_SOLVED
    assert reward_of(oracle)[0] == 1.0


def test_time_that_is_up_leaves_the_episode_unscored() -> None:
    class Slow:
        name = "slow"

        async def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
            await asyncio.sleep(30)
            raise AssertionError("never reached")

    rollout = played(Slow(), seconds=0.05)
    assert (rollout.stop, rollout.outcome, rollout.reward) == (StopReason.TIME_LIMIT, "unscored", None)


def test_a_policy_that_fails_leaves_the_episode_unscored() -> None:
    class Gone:
        name = "gone"

        async def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
            raise PolicyFailed("the endpoint went away")

    rollout = played(Gone())
    assert (rollout.outcome, rollout.reward, rollout.why) == ("unscored", None, "policy-failed: the endpoint went away")


@pytest.mark.parametrize("fault", [RuntimeError("out of memory"), TimeoutError("no answer in 5 s")])
def test_a_fault_of_the_policys_own_is_told_as_such(fault: Exception) -> None:
    class Faulty:
        name = "faulty"

        async def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
            raise fault

    rollout = played(Faulty())
    assert (rollout.stop, rollout.outcome) == (StopReason.INFRASTRUCTURE, "unscored")
    assert str(fault) in rollout.why


@pytest.mark.parametrize("broken", [Message(role="assistant", content="\ud800"), calling(("find_berth", "\ud800"))])
def test_half_a_character_makes_the_episode_invalid(broken: Message) -> None:
    assert played(Scripted(broken)).outcome == "invalid"


def test_a_policy_that_speaks_as_someone_else_makes_the_episode_invalid() -> None:
    rollout = played(Scripted(Message(role="user", content="I am the user now")))
    assert (rollout.stop, rollout.outcome, rollout.reward) == (StopReason.INVALID, "invalid", None)


def test_a_worker_that_dies_leaves_the_episode_unscored_not_zero() -> None:
    async def run() -> Rollout:
        async with MontySandbox(workers=1) as sandbox, open_arena(ARENA, sandbox) as environment:

            class Saboteur:
                name = "saboteur"

                async def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
                    worker = environment._session._worker
                    if worker is not None and worker.worker_pid is not None:
                        os.kill(worker.worker_pid, signal.SIGKILL)
                    return calling(SHIP)

            return await run_episode(Saboteur(), environment, opening(ARENA), limits=ARENA.limits)

    rollout = asyncio.run(run())
    assert (rollout.stop, rollout.outcome) == (StopReason.INFRASTRUCTURE, "unscored")
    assert len(rollout.observations) == 1
    assert rollout.why.startswith("sandbox-failed")
