"""One stage, whatever it does: every item that enters leaves as a product or as a rejection."""

from __future__ import annotations

import hashlib
import time
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from astra.engine.executor import work_off
from astra.engine.ledger import Ledger, Outcome
from astra.engine.progress import Reporter
from astra.errors import AstraError, InfrastructureFailed, Rejected, RunStopped
from astra.model import Rejection


class Item(Protocol):
    """Anything with a name that can be written as JSON."""

    @property
    def id(self) -> str: ...

    def model_dump_json(self) -> str: ...


In = TypeVar("In", bound=Item)
Out = TypeVar("Out", bound=BaseModel)


@dataclass(frozen=True)
class Stage(Generic[In, Out]):
    """A named step from items to products.

    `work` gives the item's product or raises `Rejected`. It depends on the item and on the run's settings alone:
    neither on other items nor on the order in which they are taken.

    Args:
        settings: what else the products depend on; items are worked on again when it has changed.
    """

    name: str
    work: Callable[[In], Awaitable[Out]]
    product: type[Out]
    concurrency: int = 16
    settings: str = ""


@dataclass
class StageReport:
    """What went in, what came out, what fell out and why. In = out + rejected."""

    name: str
    entered: int
    left: int
    rejected: dict[str, int] = field(default_factory=dict)  # reason -> count
    seconds: float = 0.0

    def check(self) -> None:
        """Raises: AstraError: an item was lost."""
        if self.entered != self.left + sum(self.rejected.values()):
            raise AstraError(f"stage {self.name}: {self.entered} in, but {self.left} out and {self.rejected} rejected")


@dataclass
class Executed(Generic[In, Out]):
    """A finished stage: items with their products, and rejections, in the order of the items."""

    kept: list[tuple[In, Out]]
    rejections: list[Rejection]
    report: StageReport

    @property
    def products(self) -> list[Out]:
        return [product for _, product in self.kept]


RETRIES = 1  # of an item whose infrastructure failed; then it is a rejection that says so
_BATCH = 64  # outcomes written at once
_INTERVAL = 0.5  # seconds after which they are written even if there are fewer


class StageRunner:
    """Runs stages against one ledger.

    Args:
        on_fault: is given the traceback of an error that no one foresaw. Its item becomes an `internal-error`.
    """

    def __init__(self, ledger: Ledger, reporter: Reporter, on_fault: Callable[[str], None]) -> None:
        self._ledger = ledger
        self._reporter = reporter
        self._on_fault = on_fault

    async def run(self, stage: Stage[In, Out], items: Sequence[In]) -> Executed[In, Out]:
        """Work on all items that have no outcome on record.

        What is handed on is read back from the record, so that a resumed run goes on with the very same values.

        Raises:
            RunStopped: the run can't go on now; what was worked out so far is on record.
        """
        started = time.monotonic()
        self._reporter.started(stage.name, len(items))
        known = self._ledger.outcomes(stage.name)
        keys = [_key(item, stage.settings) for item in items]
        to_do: list[int] = []
        for position, key in enumerate(keys):
            outcome = known.get(position)
            if outcome is None or outcome.key != key:
                to_do.append(position)
            else:
                self._reporter.advanced(stage.name, rejected=outcome.rejection is not None)
        await self._work(stage, items, keys, to_do)
        self._ledger.trim(stage.name, len(items))
        seconds = self._ledger.spend(stage.name, time.monotonic() - started)
        self._reporter.finished(stage.name, seconds)
        return self._collect(stage, items, seconds)

    async def _work(self, stage: Stage[In, Out], items: Sequence[In], keys: Sequence[str], to_do: list[int]) -> None:
        async def outcome_of(position: int) -> Outcome:
            product, rejection = await self._attempt(stage, items[position])
            return Outcome(
                position,
                keys[position],
                product.model_dump_json() if product is not None else None,
                rejection.model_dump_json() if rejection is not None else None,
            )

        batch: list[Outcome] = []
        written = time.monotonic()
        try:
            async for outcome in work_off(to_do, outcome_of, concurrency=stage.concurrency):
                batch.append(outcome)
                self._reporter.advanced(stage.name, rejected=outcome.rejection is not None)
                if len(batch) >= _BATCH or time.monotonic() - written > _INTERVAL:
                    self._ledger.record(stage.name, batch)
                    batch, written = [], time.monotonic()
        finally:
            self._ledger.record(stage.name, batch)

    async def _attempt(self, stage: Stage[In, Out], item: In) -> tuple[Out | None, Rejection | None]:
        """The one place where failures are told apart."""
        for attempt in range(RETRIES + 1):
            try:
                return await stage.work(item), None
            except Rejected as error:
                return None, Rejection(
                    stage=stage.name, item=item.id, reason=error.reason, sentence=error.sentence, detail=error.detail
                )
            except RunStopped:
                raise  # says nothing about the item: it stays undone
            except InfrastructureFailed as error:
                if attempt == RETRIES:
                    return None, _fallen(stage.name, item, error.code, str(error))
            except AstraError as error:
                return None, _fallen(stage.name, item, error.code, str(error))
            except Exception as error:  # noqa: BLE001 - an unforeseen fault costs its item, not the run; it is reported
                self._on_fault(f"{stage.name}: {item.id}\n{traceback.format_exc()}")
                return None, _fallen(stage.name, item, "internal-error", f"{type(error).__name__} (see errors.log)")
        raise AssertionError("unreachable")

    def _collect(self, stage: Stage[In, Out], items: Sequence[In], seconds: float) -> Executed[In, Out]:
        kept: list[tuple[In, Out]] = []
        rejections: list[Rejection] = []
        for outcome in self._ledger.outcomes(stage.name).values():
            if outcome.product is not None:
                kept.append((items[outcome.position], stage.product.model_validate_json(outcome.product)))
            elif outcome.rejection is not None:
                rejections.append(Rejection.model_validate_json(outcome.rejection))
        reasons = Counter(rejection.reason for rejection in rejections)
        report = StageReport(stage.name, len(items), len(kept), dict(sorted(reasons.items())), round(seconds, 3))
        report.check()
        return Executed(kept, rejections, report)


def _key(item: Item, settings: str) -> str:
    return hashlib.sha256(f"{settings}\n{item.model_dump_json()}".encode()).hexdigest()[:24]


def _fallen(stage: str, item: Item, reason: str, sentence: str) -> Rejection:
    return Rejection(stage=stage, item=item.id, reason=reason, sentence=sentence)
