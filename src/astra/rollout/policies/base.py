"""What acts in an episode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from astra.model import Message, Tool


class Policy(Protocol):
    """Gives the next assistant message from the messages so far and the tools at hand."""

    name: str

    async def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        """The next assistant message; without tool calls it ends the episode.

        Raises:
            PolicyFailed: no message could be had.
        """
        ...


def turns_taken(messages: Sequence[Message]) -> int:
    """How often the policy has spoken."""
    return sum(message.role == "assistant" for message in messages)
