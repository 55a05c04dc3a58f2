"""Rollouts of tasks: live where a server can be started, emulated where only its documents are known."""

from __future__ import annotations

from astra.errors import Rejected
from astra.model import EpisodeLimits, Message, Rollout, Task, Tool, ToolServer, Trajectory, content_id, seeded
from astra.rollout.environments.base import Environment
from astra.rollout.environments.emulator import FAILURE_RATE, Emulator
from astra.rollout.environments.live import LiveServers
from astra.rollout.episode import run_episode
from astra.rollout.policies.plan import PlanPolicy
from astra.teachers.questions import Teacher

_SYSTEM = "You are a helpful assistant with tools. Use them to do what the user asks, then say what came of it."
_MOST_TOOLS = 16  # documents that a policy is shown


async def roll_out(
    task: Task,
    server: ToolServer,
    teacher: Teacher,
    live: LiveServers,
    *,
    seed: int,
    failure_rate: float = FAILURE_RATE,
    limits: EpisodeLimits | None = None,
) -> Trajectory:
    """One episode of the oracle, as a trajectory without scores.

    Raises:
        Rejected: the episode is unscored or invalid; the sentence says why.
        ServerFailed: the live server can't be started.
    """
    shown = server.model_copy(update={"tools": _shown(task, server, seed)})
    if server.launch is not None:
        async with live.open(shown) as environment:
            rollout = await _episode(task, environment, limits)
    else:
        emulator = Emulator(shown, teacher, seed=f"{seed}/{task.id}", failure_rate=failure_rate)
        rollout = await _episode(task, emulator, limits)
    if rollout.outcome != "scored":
        raise Rejected(f"episode-{rollout.outcome}", rollout.why)
    return Trajectory(
        id=content_id("trajectory", [task.id, rollout.model_dump(mode="json")]),
        task=task.id,
        server=server.id,
        messages=rollout.messages,
        tools=tuple(tool.document() for tool in shown.tools),
        observations=rollout.observations,
        stop=rollout.stop,
    )


async def _episode(task: Task, environment: Environment, limits: EpisodeLimits | None) -> Rollout:
    opening = (Message(role="system", content=_SYSTEM), Message(role="user", content=task.request))
    return await run_episode(PlanPolicy(task), environment, opening, limits=limits or EpisodeLimits(tokens=65_536))


def _shown(task: Task, server: ToolServer, seed: int) -> tuple[Tool, ...]:
    """The targets and, of a large server, some of its other tools: in the server's order, which tells nothing."""
    others = [tool.name for tool in server.tools if tool.name not in task.tools]
    room = max(0, _MOST_TOOLS - len(set(task.tools)))
    if len(others) > room:
        others = seeded(seed, task.id, "shown-tools").sample(others, room)
    names = {*others, *task.tools}
    return tuple(tool for tool in server.tools if tool.name in names)
