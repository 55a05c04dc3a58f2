"""Rollouts in arenas, scored."""

from __future__ import annotations

from collections.abc import Sequence

from astra.model import Arena, Message, Observation, Rollout
from astra.rollout.environments import open_arena
from astra.rollout.episode import run_episode
from astra.rollout.policies import Policy
from astra.rollout.reward import score_episode
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

    def all_solved(messages: Sequence[Message], observations: Sequence[Observation]) -> bool:
        return score_episode(arena, messages, observations).recall == 1.0

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
    return rollout.model_copy(update={"reward": score_episode(arena, rollout.messages, rollout.observations)})
