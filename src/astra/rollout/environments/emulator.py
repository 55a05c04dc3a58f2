"""A server that is known by its documents alone, played by a teacher."""

from __future__ import annotations

from astra.model import Failure, Observation, Tool, ToolCall, ToolServer, seeded
from astra.rollout.environments.base import CallDesk
from astra.teachers.questions import AnswerCall, PastCall, Teacher

FAILURE_RATE = 0.20  # paper section 2.4
_PASSING_FAILURES = (
    "Request timed out after 30 seconds",
    "Service temporarily unavailable, please try again",
    "Could not connect: the server is unreachable",
    "Connection reset by peer",
)


class Emulator:
    """Keeps the session's calls, so that what was made can be found again.

    Args:
        failure_rate: probability, 0..1, that a call fails for a reason that may pass.
        seed: of this session: its world and its failures.
    """

    def __init__(self, server: ToolServer, teacher: Teacher, *, seed: str, failure_rate: float = FAILURE_RATE) -> None:
        self.name = f"emulator:{server.id}"
        self.tools: tuple[Tool, ...] = server.tools
        self._server = server
        self._teacher = teacher
        self._seed = seed
        self._failure_rate = failure_rate
        self._desk = CallDesk(self.name, self.tools)
        self._history: list[PastCall] = []
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
        question = AnswerCall(
            server=self._server, tool=tool, arguments=arguments, history=tuple(self._history), seed=self._seed
        )
        answer = await self._teacher.answer(question)
        failure = Failure.TOOL_ERROR if answer.error is not None else None
        self._history.append(PastCall(tool=tool.called, arguments=arguments, result=answer.result, failure=failure))
        if answer.error is not None:
            return self._desk.refuse(call, Failure.TOOL_ERROR, answer.error)
        return self._desk.deliver(call, answer.result)
