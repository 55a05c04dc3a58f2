"""The episode loop: policy, calls, observations, until something ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from astra.errors import InfrastructureFailed, PolicyFailed, RunStopped
from astra.model import EpisodeLimits, Message, Observation, Rollout, StopReason
from astra.rollout.environments.base import Environment
from astra.rollout.policies.base import Policy

Outcome = Literal["scored", "unscored", "invalid"]
StopRule = Callable[[Sequence[Message], Sequence[Observation]], bool]
User = Callable[[Sequence[Message]], Awaitable[str | None]]
"""Says what the user says to the policy's last message; None: nothing more."""


class _RuleBroken(Exception):
    """The policy did what no chat allows."""


@dataclass
class _Episode:
    """What has happened so far; it outlives a loop that breaks down."""

    messages: list[Message]
    observations: list[Observation] = field(default_factory=list)
    size: int = 0  # bytes of the conversation
    calls: int = 0

    def add(self, message: Message) -> None:
        self.messages.append(message)
        self.size += len((message.content or "").encode()) + sum(len(c.arguments.encode()) for c in message.tool_calls)


async def run_episode(
    policy: Policy,
    environment: Environment,
    opening: Sequence[Message],
    *,
    limits: EpisodeLimits,
    stop_when: StopRule | None = None,
    user: User | None = None,
    user_turns: int = 0,
) -> Rollout:
    """One policy in one environment, to the end.

    Every call gets an id of its own, `call-1`, `call-2`, .... The calls of one turn are answered in their order. A
    turn that would pass the limit of calls is answered up to the limit, and the rest is refused by the episode's end.

    Args:
        opening: system and user messages.
        stop_when: ends the episode once it holds for the messages and observations so far.
        user: is heard when the policy issues no call, up to `user_turns` times.
    """
    episode = _Episode([])
    for message in opening:
        episode.add(message)
    outcome: Outcome = "scored"
    why = ""
    try:
        async with asyncio.timeout(limits.seconds):
            stop = await _loop(policy, environment, episode, limits, stop_when, user, user_turns)
    except TimeoutError:
        stop, outcome, why = StopReason.TIME_LIMIT, "unscored", f"{limits.seconds:g} s were up"
    except InfrastructureFailed as error:
        stop, outcome, why = StopReason.INFRASTRUCTURE, "unscored", f"{error.code}: {error}"
    except _RuleBroken as error:
        stop, outcome, why = StopReason.INVALID, "invalid", str(error)
    return Rollout(
        environment=environment.name,
        policy=policy.name,
        messages=tuple(episode.messages),
        observations=tuple(episode.observations),
        stop=stop,
        outcome=outcome,
        why=why,
    )


async def _loop(
    policy: Policy,
    environment: Environment,
    episode: _Episode,
    limits: EpisodeLimits,
    stop_when: StopRule | None,
    user: User | None,
    user_turns: int,
) -> StopReason:
    for _ in range(limits.turns):
        message = _numbered(await _acted(policy, episode, environment), episode.calls)
        episode.add(message)
        if not message.tool_calls:
            reply = await user(episode.messages) if user is not None and user_turns else None
            if reply is None:
                return StopReason.FINISHED
            user_turns -= 1
            episode.add(Message(role="user", content=reply))
        for call in message.tool_calls:
            if episode.calls == limits.calls:
                return StopReason.CALL_LIMIT
            episode.calls += 1
            observation = await environment.call(call)
            episode.observations.append(observation)
            episode.add(Message(role="tool", content=observation.content, tool_call_id=call.id))
        if stop_when is not None and stop_when(episode.messages, episode.observations):
            return StopReason.ALL_SOLVED
        if episode.size // 4 >= limits.tokens:
            return StopReason.TOKEN_LIMIT
    return StopReason.TURN_LIMIT


async def _acted(policy: Policy, episode: _Episode, environment: Environment) -> Message:
    try:
        return await policy.act(episode.messages, environment.tools)
    except (InfrastructureFailed, RunStopped):
        raise
    except Exception as error:
        raise PolicyFailed(f"{type(error).__name__}: {error}") from error


def _numbered(message: Message, issued: int) -> Message:
    if message.role != "assistant":
        raise _RuleBroken(f"the policy answered as {message.role!r}, not as 'assistant'")
    spoken = [message.content or "", *(part for call in message.tool_calls for part in (call.name, call.arguments))]
    if any(not _is_unicode(text) for text in spoken):
        raise _RuleBroken("the policy's message holds half a character")
    calls = tuple(
        call.model_copy(update={"id": f"call-{issued + number}"})
        for number, call in enumerate(message.tool_calls, start=1)
    )
    return message.model_copy(update={"tool_calls": calls})


def _is_unicode(text: str) -> bool:
    """False for text with lone surrogates, which no chat can carry."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
