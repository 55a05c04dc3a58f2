"""Rollouts in arenas, scored."""

from __future__ import annotations

from collections.abc import Sequence

from astra.model import Arena, Message, Observation, Rollout, ToolCall
from astra.rollout.environments import open_arena
from astra.rollout.episode import run_episode
from astra.rollout.policies import Policy
from astra.rollout.reward import score_calls
from astra.sandbox import MontySandbox

_SYSTEM = "Answer the question with the tools at hand. Call a tool for every fact you need, and no more than needed."


def opening(arena: Arena) -> tuple[Message, ...]:
    """The messages that an episode in this arena starts with."""
    return (Message(role="system", content=_SYSTEM), Message(role="user", content=arena.question))


async def rollout_arena(
    policy: Policy, arena: Arena, sandbox: MontySandbox, *, stop_when_solved: bool = False
) -> Rollout:
    """One policy in one arena, to the end, with its reward where the episode counts.

    Args:
        stop_when_solved: end as soon as every sub-task is solved (off by default, as in the paper).
    """

    def all_solved(observations: Sequence[Observation]) -> bool:
        calls = tuple(ToolCall(id=seen.call_id, name=seen.tool, arguments="{}") for seen in observations)
        return score_calls(arena, calls, observations).recall == 1.0

    async with open_arena(arena, sandbox) as environment:
        rollout = await run_episode(
            policy,
            environment,
            opening(arena),
            limits=arena.limits,
            stop_when=all_solved if stop_when_solved else None,
        )
    if rollout.outcome != "scored":
        return rollout
    calls = tuple(call for message in rollout.messages for call in message.tool_calls)
    return rollout.model_copy(update={"reward": score_calls(arena, calls, rollout.observations)})
