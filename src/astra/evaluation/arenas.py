"""One policy over many arenas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import fmean

from astra.engine.executor import work_off
from astra.errors import BadInput
from astra.model import Arena, Noun, Rollout
from astra.rollout.arenas import rollout_arena
from astra.rollout.policies import ArenaOracle, EmptyPolicy, Policy, RandomPolicy, ReplayPolicy
from astra.sandbox import MontySandbox


class Evaluation(Noun):
    """Means over the scored episodes; the others are counted, never averaged in as zeros."""

    policy: str
    episodes: int
    scored: int
    unscored: int
    invalid: int
    recall: float | None  # means, 0..1; None if no episode was scored
    precision: float | None
    f1: float | None
    calls: float | None  # mean calls of an episode
    stops: dict[str, int]  # stop reason -> episodes


async def evaluate(
    arenas: Sequence[Arena], policy_for: Callable[[Arena], Policy], *, concurrency: int = 8
) -> tuple[Evaluation, list[Rollout]]:
    """An episode in each arena; the rollouts come in the order of the arenas.

    Raises:
        BadInput: a tool's name can't be a Python function's.
    """
    rollouts: dict[int, Rollout] = {}
    async with MontySandbox() as sandbox:

        async def episode(place: int) -> tuple[int, Rollout]:
            arena = arenas[place]
            return place, await rollout_arena(policy_for(arena), arena, sandbox)

        async for place, rollout in work_off(range(len(arenas)), episode, concurrency=concurrency):
            rollouts[place] = rollout
    ordered = [rollouts[place] for place in sorted(rollouts)]
    return _evaluation(ordered), ordered


def policy_maker(name: str, *, seed: int = 0, recorded: Sequence[Rollout] = ()) -> Callable[[Arena], Policy]:
    """How to make the named policy for an arena.

    Args:
        recorded: the rollouts that "replay" repeats, each in the arena where it was recorded.

    Raises:
        BadInput: no policy has that name; or, when it is called, no rollout was recorded in that arena.
    """
    if name == "oracle":
        return ArenaOracle
    if name == "empty":
        return lambda arena: EmptyPolicy()
    if name == "random":
        return lambda arena: RandomPolicy(f"{seed}/{arena.id}")
    if name != "replay":
        raise BadInput(f"there is no policy {name!r}: use oracle, empty, random or replay")
    messages = {rollout.environment: rollout.messages for rollout in recorded}

    def replay(arena: Arena) -> Policy:
        if f"arena:{arena.id}" not in messages:
            raise BadInput(f"no rollout was recorded in arena {arena.id}: name a file of them with --recording")
        return ReplayPolicy(messages[f"arena:{arena.id}"])

    return replay


def _evaluation(rollouts: Sequence[Rollout]) -> Evaluation:
    rewards = [rollout.reward for rollout in rollouts if rollout.reward is not None]
    outcomes = Counter(rollout.outcome for rollout in rollouts)
    return Evaluation(
        policy=rollouts[0].policy if rollouts else "none",
        episodes=len(rollouts),
        scored=outcomes["scored"],
        unscored=outcomes["unscored"],
        invalid=outcomes["invalid"],
        recall=_mean([reward.recall for reward in rewards]),
        precision=_mean([reward.precision for reward in rewards]),
        f1=_mean([reward.f1 for reward in rewards]),
        calls=_mean([reward.calls for reward in rewards]),
        stops=dict(sorted(Counter(rollout.stop.value for rollout in rollouts).items())),
    )


def _mean(values: Sequence[float]) -> float | None:
    return round(fmean(values), 6) if values else None
