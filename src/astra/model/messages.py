"""The OpenAI chat format, and what an episode leaves behind."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from astra.model.base import JsonObject, Noun
from astra.model.scores import Scores


class ToolCall(Noun):
    """A call as the policy issued it. `arguments` is raw text: it may be no JSON at all."""

    id: str
    name: str
    arguments: str

    def to_openai(self) -> JsonObject:
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}


class Message(Noun):
    """One message of a chat."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str | None = None
    reasoning: str | None = None  # what the model thought before it spoke; never part of what it said
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None

    def to_openai(self) -> JsonObject:
        message: JsonObject = {"role": self.role, "content": self.content}
        if self.reasoning is not None:
            message["reasoning_content"] = self.reasoning
        if self.tool_calls:
            message["tool_calls"] = [call.to_openai() for call in self.tool_calls]
        if self.tool_call_id is not None:
            message["tool_call_id"] = self.tool_call_id
        return message


class Failure(StrEnum):
    """Why a call did not succeed."""

    UNKNOWN_TOOL = "unknown-tool"  # no tool of that name in this episode
    MALFORMED = "malformed"  # the arguments are no JSON object
    BAD_ARGUMENTS = "bad-arguments"  # they don't fit the tool's schema
    TOOL_ERROR = "tool-error"  # the tool ran and reported an error
    TRANSIENT = "transient"  # time-out or unreachable: a retry may help
    LIMIT = "limit"  # the tool broke a limit of time, memory or output


class Observation(Noun):
    """What came back from one call, where it came from and whether the call succeeded."""

    call_id: str
    tool: str
    content: str  # what the policy sees
    result: Any = None  # the value itself, where it is structured
    failure: Failure | None = None
    source: str  # "arena:<id>", "emulator:<server>", "mcp:<server>": who answered

    @property
    def ok(self) -> bool:
        return self.failure is None


class StopReason(StrEnum):
    """Why an episode ended."""

    FINISHED = "finished"  # the policy issued no call
    TURN_LIMIT = "turn-limit"  # the limit of assistant turns was reached
    CALL_LIMIT = "call-limit"  # one more call would have passed the limit of calls
    TOKEN_LIMIT = "token-limit"  # the conversation reached its limit of tokens
    TIME_LIMIT = "time-limit"  # the episode's wall-clock time was up
    ALL_SOLVED = "all-solved"  # every sub-task is solved; only where that option is on
    INFRASTRUCTURE = "infrastructure"  # a worker, server or policy gave way: the episode is unscored
    INVALID = "invalid"  # policy or arena broke the rules of the loop itself


class EpisodeLimits(Noun):
    """How far an episode may go."""

    turns: int = 32  # assistant messages
    calls: int = 64
    tokens: int = 32_768  # of the whole conversation, estimated as UTF-8 bytes / 4
    seconds: float = 90.0  # wall clock; an episode that reaches it is unscored, for a clock says nothing of a policy


class Trajectory(Noun):
    """One episode of road 1: messages, tools, where each observation came from, why it stopped, its scores."""

    id: str
    task: str
    server: str
    sample: int = 0  # which of several tries at its task
    messages: tuple[Message, ...]
    tools: tuple[JsonObject, ...]  # OpenAI tool documents that the policy saw
    observations: tuple[Observation, ...]
    stop: StopReason
    scores: Scores | None = None
    hindsight: Scores | None = None  # the same rounds judged knowing what came after: another measure, never a reward

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(call for message in self.messages for call in message.tool_calls)
