"""Policies that bound the scale: one that says nothing, one that guesses, one that repeats a recording."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from astra.errors import PolicyFailed
from astra.model import Message, Tool, ToolCall, canonical_json, seeded
from astra.rollout.policies.base import turns_taken

_WORDS = ("alpha", "north", "blue", "7", "2026-01-01", "Riverside", "A-1", "main")


class EmptyPolicy:
    """Issues no call at all."""

    name = "empty"

    async def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        return Message(role="assistant", content="I don't know.")


class RandomPolicy:
    """A random tool with arguments drawn from its schema, for a few turns."""

    name = "random"

    def __init__(self, seed: str | int, turns: int = 6) -> None:
        self._seed = seed
        self._turns = turns

    async def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        turn = turns_taken(messages)
        if turn >= self._turns or not tools:
            return Message(role="assistant", content="I don't know.")
        rng = seeded(self._seed, "random-policy", turn)
        tool = rng.choice(tools)
        arguments = {name: _drawn(rng, schema) for name, schema in tool.properties.items()}
        return Message(
            role="assistant", tool_calls=(ToolCall(id="", name=tool.name, arguments=canonical_json(arguments)),)
        )


def _drawn(rng: random.Random, schema: Any, depth: int = 0) -> Any:
    """Some value of a schema; it may break finer limits, as a guess does."""
    if not isinstance(schema, dict):
        return rng.choice(_WORDS)
    for key in ("enum", "examples"):
        if schema.get(key):
            return rng.choice(schema[key])
    kind = schema.get("type", "string")
    if isinstance(kind, list):
        kind = kind[0]
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "integer":
        return rng.randint(0, 100)
    if kind == "number":
        return round(rng.uniform(0, 100), 2)
    if kind == "array" and depth < 3:
        return [_drawn(rng, schema.get("items") or {}, depth + 1)]
    if kind == "object" and depth < 3:
        return {name: _drawn(rng, part, depth + 1) for name, part in schema.get("properties", {}).items()}
    return rng.choice(_WORDS)


class ReplayPolicy:
    """Says again what a recorded policy said."""

    name = "replay"

    def __init__(self, recording: Sequence[Message]) -> None:
        self._spoken = [message for message in recording if message.role == "assistant"]

    async def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        turn = turns_taken(messages)
        if turn >= len(self._spoken):
            raise PolicyFailed(f"the recording has {len(self._spoken)} assistant messages, and one more was asked for")
        return self._spoken[turn]
