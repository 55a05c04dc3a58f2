"""Rollouts of tasks: live where a server can be started, emulated where only its documents are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from pydantic import Field

from astra.errors import Rejected
from astra.model import EpisodeLimits, Message, Noun, Rejection, Task, Tool, ToolServer, Trajectory, content_id, seeded
from astra.rollout.environments.emulator import FAILURE_RATE, HISTORY_TOKENS
from astra.rollout.environments.opened import Opener, ToolMode
from astra.rollout.episode import User, run_episode
from astra.rollout.policies.base import Policy
from astra.teachers.questions import SpeakAsUser, Teacher

_SYSTEM = "You are a helpful assistant with tools. Use them to do what the user asks, then say what came of it."

PolicyMaker = Callable[[Task, int], Policy]
"""The policy for a task and the number of the sample."""


class RolloutConfig(Noun):
    """How tasks are carried out."""

    policy: Literal["auto", "oracle", "model"] = "auto"  # auto: the model, if one is named; oracle: follows the plan
    tools: ToolMode = "auto"
    server_tools: dict[str, ToolMode] = Field(default_factory=dict)  # server id -> its own
    failure_rate: float = Field(default=FAILURE_RATE, ge=0, le=1)  # of emulated calls (paper section 2.4)
    history_tokens: int = Field(default=HISTORY_TOKENS, ge=1)  # of an emulated session, before it is summed up
    samples: int = Field(default=1, ge=1)  # tries at each task
    keep: Literal["best", "all"] = "best"  # of several samples, after judging
    temperature: float | None = Field(default=None, ge=0)  # of the policy; None: its endpoint's
    turns: int = Field(default=32, ge=1)  # assistant messages of an episode
    seconds: float = Field(default=90.0, gt=0)  # of an episode; with a model, 90 a turn are allowed
    shown_tools: int = Field(default=16, ge=1)  # documents that a policy is shown, at most
    user_turns: int = Field(default=0, ge=0)  # how often a simulated user may answer the policy


class RolloutRequest(Noun):
    """One try at a task: an item of the stage `rollouts`."""

    id: str  # "<task's id>/<sample>"
    task: Task
    sample: int


def rollout_requests(tasks: Iterable[Task], config: RolloutConfig) -> list[RolloutRequest]:
    """Every task, as often as it is to be tried."""
    return [
        RolloutRequest(id=f"{task.id}/{sample}", task=task, sample=sample)
        for task in tasks
        for sample in range(config.samples)
    ]


async def roll_out(
    request: RolloutRequest,
    server: ToolServer,
    policy: Policy,
    opener: Opener,
    config: RolloutConfig,
    *,
    seed: int,
    user: Teacher | None = None,
) -> Trajectory:
    """One episode, as a trajectory without scores.

    Raises:
        Rejected: the episode is unscored or invalid; the sentence says why.
        ServerFailed: the live server can't be started.
    """
    task = request.task
    shown = _shown(task, server, config.shown_tools, seed)
    opening = (Message(role="system", content=_SYSTEM), Message(role="user", content=task.request))
    limits = EpisodeLimits(turns=config.turns, tokens=65_536, seconds=config.seconds)
    async with opener.open(server, shown, seed=f"{seed}/{request.id}") as environment:
        rollout = await run_episode(
            policy,
            environment,
            opening,
            limits=limits,
            user=_user(task, user) if user is not None else None,
            user_turns=config.user_turns,
        )
    if rollout.outcome != "scored":
        raise Rejected(f"episode-{rollout.outcome}", rollout.why)
    return Trajectory(
        id=content_id("trajectory", [request.id, rollout.model_dump(mode="json")]),
        task=task.id,
        server=server.id,
        sample=request.sample,
        messages=rollout.messages,
        tools=tuple(tool.document() for tool in shown),
        observations=rollout.observations,
        stop=rollout.stop,
    )


def _user(task: Task, teacher: Teacher) -> User:
    async def speak(messages: Sequence[Message]) -> str | None:
        spoken = tuple(message for message in messages if message.role in ("user", "assistant") and message.content)
        return (await teacher.answer(SpeakAsUser(request=task.request, messages=spoken))).reply

    return speak


def _shown(task: Task, server: ToolServer, most: int, seed: int) -> tuple[Tool, ...]:
    """The targets and, of a large server, some of its other tools: in the server's order, which tells nothing."""
    others = [tool.name for tool in server.tools if tool.name not in task.tools]
    room = max(0, most - len(set(task.tools)))
    if len(others) > room:
        others = seeded(seed, task.id, "shown-tools").sample(others, room)
    names = {*others, *task.tools}
    return tuple(tool for tool in server.tools if tool.name in names)


def best_of(trajectories: Sequence[Trajectory]) -> tuple[list[Trajectory], list[Rejection]]:
    """The best try at each task, by the mean of its scores; the first of equals. The others, as rejections."""
    best: dict[str, Trajectory] = {}
    for trajectory in trajectories:
        present = best.get(trajectory.task)
        if present is None or _mean(trajectory) > _mean(present):
            best[trajectory.task] = trajectory
    kept = [trajectory for trajectory in trajectories if best[trajectory.task] is trajectory]
    fallen = [
        Rejection(
            stage="best-of",
            item=trajectory.id,
            reason="not-the-best",
            sentence=f"mean {_mean(trajectory):.3f}; the best try at {trajectory.task} has "
            f"{_mean(best[trajectory.task]):.3f}",
        )
        for trajectory in trajectories
        if best[trajectory.task] is not trajectory
    ]
    return kept, fallen


def _mean(trajectory: Trajectory) -> float:
    mean = trajectory.scores.mean if trajectory.scores is not None else None
    return -1.0 if mean is None else mean
