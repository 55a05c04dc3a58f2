"""Reward of an episode in an arena, with its parts."""

from __future__ import annotations

from typing import Literal

from astra.model.base import Noun
from astra.model.messages import Message, Observation, StopReason


class Reward(Noun):
    """Paper Eq. 30-31: r = solved / total, p = solved / calls, f1 = 2pr / (p + r); 0 where undefined."""

    solved: tuple[int, ...]  # ids of solved sub-tasks
    total: int  # n, the sub-tasks
    calls: int  # c, every call issued, malformed ones and unknown tools included
    credit: dict[str, tuple[int, ...]]  # call id -> the sub-tasks that it solved

    @property
    def recall(self) -> float:
        return len(self.solved) / self.total if self.total else 0.0

    @property
    def precision(self) -> float:
        """Never above 1: a batch call may solve several sub-tasks at once."""
        return min(1.0, len(self.solved) / self.calls) if self.calls else 0.0

    @property
    def f1(self) -> float:
        p, r = self.precision, self.recall
        return 2 * p * r / (p + r) if p + r else 0.0


class Rollout(Noun):
    """One policy in one environment, to the end. An episode that broke down has no reward, not a zero."""

    environment: str
    policy: str
    messages: tuple[Message, ...]
    observations: tuple[Observation, ...]
    stop: StopReason
    outcome: Literal["scored", "unscored", "invalid"]
    why: str = ""  # of an unscored or invalid outcome
    reward: Reward | None = None  # where the environment is an arena and the outcome is scored
