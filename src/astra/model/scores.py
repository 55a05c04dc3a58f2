"""A judgement is scored, abstained or failed; what is unscored is never a number."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from astra.model.base import Noun


class Score(Noun):
    """One judgement with its reason."""

    status: Literal["scored", "abstained", "failed"]
    value: float | None = None  # 0..1 if scored, else None
    why: str = ""
    votes: tuple[float | None, ...] = ()  # of several judges, one each; None: no vote

    @model_validator(mode="after")
    def _value_only_if_scored(self) -> Score:
        if (self.status == "scored") != (self.value is not None):
            raise ValueError("a score has a value if, and only if, its status is 'scored'")
        if self.value is not None and not 0.0 <= self.value <= 1.0:
            raise ValueError(f"a score lies in 0..1, not {self.value}")
        return self

    @property
    def spread(self) -> float | None:
        """How far the votes lie apart; None with fewer than two."""
        given = [vote for vote in self.votes if vote is not None]
        return round(max(given) - min(given), 6) if len(given) > 1 else None


def scored(value: float, why: str = "") -> Score:
    return Score(status="scored", value=round(value, 6), why=why)


def abstained(why: str) -> Score:
    return Score(status="abstained", why=why)


def failed(why: str) -> Score:
    return Score(status="failed", why=why)


class Scores(Noun):
    """Named scores, their mean over what was scored, and how much that was."""

    parts: dict[str, Score]

    @property
    def mean(self) -> float | None:
        """Arithmetic mean of the scored parts; None if there are none."""
        values = [part.value for part in self.parts.values() if part.value is not None]
        return round(sum(values) / len(values), 6) if values else None

    @property
    def coverage(self) -> float:
        """Share of the parts that were scored, 0..1."""
        return sum(part.status == "scored" for part in self.parts.values()) / len(self.parts) if self.parts else 0.0
