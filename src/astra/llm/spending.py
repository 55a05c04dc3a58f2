"""What a run has asked and paid, by stage, and the cap on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from astra.errors import SpendingCapReached
from astra.model.base import Noun


class Usage(Noun):
    """Tokens of one answer, as the server counts them (estimated where it does not)."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


class SpendingCap(Noun):
    """Where a run stops; None: nowhere. What is in flight by then is still paid for, and kept."""

    cost: float | None = None  # money, in the currency of the prices
    tokens: int | None = None  # prompt and answer


@dataclass
class Tally:
    """Sums of one stage."""

    asked: int = 0  # answers that were paid for
    cached: int = 0  # answers that were there already
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


class Spending:
    """Tallies by stage. `stage` is set by who executes stages, one at a time."""

    def __init__(self, cap: SpendingCap | None = None) -> None:
        self.stage = ""
        self._cap = cap or SpendingCap()
        self.tallies: dict[str, Tally] = {}

    @property
    def tally(self) -> Tally:
        """Of the present stage."""
        return self.tallies.setdefault(self.stage, Tally())

    def paid(self, usage: Usage, cost: float, *, stage: str | None = None) -> None:
        tally = self.tallies.setdefault(self.stage if stage is None else stage, Tally())
        tally.asked += 1
        tally.prompt_tokens += usage.prompt_tokens
        tally.completion_tokens += usage.completion_tokens
        tally.cost += cost

    def found(self) -> None:
        self.tally.cached += 1

    def note(self, stage: str) -> str:
        """Tokens and money of a stage, in a few words; nothing if nothing was asked."""
        tally = self.tallies.get(stage)
        if tally is None or not (tally.asked or tally.cached):
            return ""
        cost = f" {tally.cost:.2f}" if tally.cost else ""
        return f"{tally.tokens / 1000:,.0f}k tokens{cost}"

    def check(self) -> None:
        """Raises: SpendingCapReached: nothing more may be paid for."""
        total = summed(self.tallies.values())
        if self._cap.tokens is not None and total.tokens >= self._cap.tokens:
            raise SpendingCapReached(
                f"{total.tokens:,} tokens were used of at most {self._cap.tokens:,} (--max-tokens)"
            )
        if self._cap.cost is not None and total.cost >= self._cap.cost:
            raise SpendingCapReached(f"{total.cost:.4f} was spent of at most {self._cap.cost:.4f} (--max-cost)")


def summed(tallies: Iterable[Tally]) -> Tally:
    total = Tally()
    for tally in tallies:
        total.asked += tally.asked
        total.cached += tally.cached
        total.prompt_tokens += tally.prompt_tokens
        total.completion_tokens += tally.completion_tokens
        total.cost += tally.cost
    return total
