"""Questions of an episode: what does a tool answer, what does the user say, and how well was it done?"""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from astra.model.base import JsonObject, Noun
from astra.model.messages import Failure, Message
from astra.model.tools import Tool, ToolServer
from astra.teachers.questions.base import Question


class PastCall(Noun):
    """One earlier call of the session with what it returned."""

    tool: str
    arguments: JsonObject
    result: Any
    failure: Failure | None = None


class CallAnswer(Noun):
    """What the tool returns, or the error that it reports."""

    result: Any = None
    error: str | None = None


class AnswerCall(Question[CallAnswer]):
    """What does this tool, of a server known by its documents alone, answer after all that was called before?"""

    unread: ClassVar[Any] = {"server": {"tools": {"__all__": {"parameters", "output", "repairs"}}}}

    server: ToolServer
    tool: Tool
    arguments: JsonObject
    history: tuple[PastCall, ...]
    seed: str  # one a session
    summary: str | None = None  # of what was called before `history`


class CallSummary(Noun):
    """What a session's calls did and showed."""

    summary: str


class SummarizeCalls(Question[CallSummary]):
    """What must be remembered of these calls, so that later answers agree with them? Every value that was shown."""

    history: tuple[PastCall, ...]
    summary: str | None = None  # of what was called before


class UserTurn(Noun):
    """What the user says; None: nothing more to say."""

    reply: str | None = None


class SpeakAsUser(Question[UserTurn]):
    """What does the person who made this request say to the assistant's last message?"""

    request: str
    messages: tuple[Message, ...]


class QueryJudgement(Noun):
    """QU and QP (paper section 2.5); None where it can't be told."""

    why: str
    understanding: float | None = Field(
        None, ge=0, le=1, multiple_of=0.5
    )  # the first turn shows that the request was understood
    planning: float | None = Field(None, ge=0, le=1, multiple_of=0.5)  # its calls are the right ones to begin with


class JudgeQuery(Question[QueryJudgement]):
    """How well does the first assistant turn understand the request and begin to serve it?"""

    tools: tuple[str, ...]  # name and description of each tool at hand
    messages: tuple[Message, ...]  # the request and the first assistant turn
    evidence: tuple[str, ...] = ()
    seed: str


class RoundJudgement(Noun):
    """TCU and TCP of one round of calls."""

    why: str
    understanding: float | None = Field(None, ge=0, le=1)  # of what the tools have answered so far
    planning: float | None = Field(None, ge=0, le=1)  # of this round's calls, after those answers


class JudgeRound(Question[RoundJudgement]):
    """How well does the last assistant turn use what the tools have answered before it?"""

    tools: tuple[str, ...]
    messages: tuple[Message, ...]  # the history up to the round and its assistant turn; nothing that came after
    later: tuple[Message, ...] = ()  # what came after: for judging with hindsight, which is another measure
    evidence: tuple[str, ...] = ()
    seed: str


class CallJudgement(Noun):
    """Whether one call was worth making."""

    call_id: str
    necessary: bool
    why: str


class CallJudgements(Noun):
    """One a call."""

    calls: tuple[CallJudgement, ...]


class JudgeCalls(Question[CallJudgements]):
    """Which calls were necessary and not redundant? `evidence` is what rules found."""

    tools: tuple[str, ...]
    messages: tuple[Message, ...]
    evidence: tuple[str, ...] = ()
    seed: str


class AnswerJudgement(Noun):
    """FA's two halves."""

    why: str
    correctness: float | None = Field(None, ge=0, le=1)  # the final answer answers the request
    summary: float | None = Field(None, ge=0, le=1)  # and says truly what was done and found


class JudgeAnswer(Question[AnswerJudgement]):
    """How good is the final answer? `evidence` is what rules found."""

    messages: tuple[Message, ...]
    evidence: tuple[str, ...] = ()
    seed: str
