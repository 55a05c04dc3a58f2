"""A server that is known by its documents alone, played by a teacher."""

from __future__ import annotations

from astra.errors import Rejected
from astra.model import Failure, JsonObject, Observation, Tool, ToolCall, ToolServer, canonical_json, seeded
from astra.rollout.environments.base import CallDesk
from astra.teachers.questions import AnswerCall, CallAnswer, PastCall, SummarizeCalls, Teacher

FAILURE_RATE = 0.20  # paper section 2.4
HISTORY_TOKENS = 6000  # of a session's calls, at four bytes each, beyond which the older half is summed up
_PASSING_FAILURES = (
    "Request timed out after 30 seconds",
    "504 Gateway Timeout: the upstream server did not respond in time",
    "503 Service Unavailable: temporarily unavailable, please try again",
    "Could not connect: the server is unreachable",
    "Connection reset by peer",
    "429 Too Many Requests: retry after 2 seconds",
)


class Emulator:
    """Keeps the session's calls, so that what was made can be found again.

    Args:
        failure_rate: probability, 0..1, that a call fails for a reason that may pass.
        seed: of this session: its world and its failures.
        history_tokens: a longer history is summed up by the teacher, never cut; one that can't, sees all of it.
    """

    def __init__(
        self,
        server: ToolServer,
        teacher: Teacher,
        *,
        seed: str,
        failure_rate: float = FAILURE_RATE,
        history_tokens: int = HISTORY_TOKENS,
    ) -> None:
        self.name = f"emulator:{server.id}"
        self.tools: tuple[Tool, ...] = server.tools
        self._server = server
        self._teacher = teacher
        self._seed = seed
        self._failure_rate = failure_rate
        self._history_tokens = history_tokens
        self._desk = CallDesk(self.name, self.tools)
        self._history: list[PastCall] = []
        self._summary: str | None = None
        self._received = 0

    async def call(self, call: ToolCall) -> Observation:
        self._received += 1
        received = self._desk.receive(call)
        if isinstance(received, Observation):
            return received
        tool, arguments = received
        rng = seeded(self._seed, "failures", self._received)
        if rng.random() < self._failure_rate:
            self._history.append(
                PastCall(tool=tool.called, arguments=arguments, result=None, failure=Failure.TRANSIENT)
            )
            return self._desk.refuse(call, Failure.TRANSIENT, rng.choice(_PASSING_FAILURES))
        answer = await self._answered(tool, arguments)
        failure = Failure.TOOL_ERROR if answer.error is not None else None
        self._history.append(PastCall(tool=tool.called, arguments=arguments, result=answer.result, failure=failure))
        if answer.error is not None:
            return self._desk.refuse(call, Failure.TOOL_ERROR, answer.error)
        return self._desk.deliver(call, answer.result)

    async def _answered(self, tool: Tool, arguments: JsonObject) -> CallAnswer:
        await self._summed_up()
        return await self._teacher.answer(
            AnswerCall(
                server=self._server,
                tool=tool,
                arguments=arguments,
                history=tuple(self._history),
                seed=self._seed,
                summary=self._summary,
            )
        )

    async def _summed_up(self) -> None:
        """Put the older half of a history that has grown too long into the summary."""
        size = len(canonical_json([past.model_dump(mode="json") for past in self._history]).encode()) // 4
        if size <= self._history_tokens or len(self._history) < 2:
            return
        older = self._history[: len(self._history) // 2]
        try:
            answer = await self._teacher.answer(SummarizeCalls(history=tuple(older), summary=self._summary))
        except Rejected as error:
            if error.reason != "no-answer":
                raise
            return
        self._summary = answer.summary
        del self._history[: len(older)]
