"""The ledger: what became of every item of every stage, written as it happens.

One SQLite file a run. An outcome that was recorded is never worked out again, so a run that was stopped at any moment,
by `kill -9` too, goes on where it was.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from astra.errors import BadInput

_SCHEMA = """
CREATE TABLE IF NOT EXISTS outcomes (
    stage TEXT NOT NULL,
    position INTEGER NOT NULL,
    key TEXT NOT NULL,
    product TEXT,
    rejection TEXT,
    PRIMARY KEY (stage, position),
    CHECK ((product IS NULL) <> (rejection IS NULL))
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seconds (stage TEXT PRIMARY KEY, spent REAL NOT NULL);
"""


@dataclass(frozen=True)
class Outcome:
    """What became of one item: the JSON of its product or of its rejection, never both."""

    position: int  # among the stage's items
    key: str  # digest of the item, so that an item that has changed is worked on again
    product: str | None
    rejection: str | None


class Ledger:
    """Outcomes by stage and position. Not for use by two processes at once: the file is locked while it is open.

    Raises:
        BadInput: another process has the ledger open, or the file is no ledger.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path, timeout=1.0)
        try:
            self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise BadInput(
                f"{path} can't be used ({error}): is another run at work in this folder, or is it no ledger of ASTRA?"
            ) from error

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *exc: object) -> None:
        self._connection.close()

    def outcomes(self, stage: str) -> dict[int, Outcome]:
        """What is on record for a stage, by position."""
        rows = self._connection.execute(
            "SELECT position, key, product, rejection FROM outcomes WHERE stage = ? ORDER BY position", (stage,)
        )
        return {row[0]: Outcome(*row) for row in rows}

    def record(self, stage: str, outcomes: Iterable[Outcome]) -> None:
        """Write outcomes down, all or none."""
        with self._connection:
            self._connection.executemany(
                "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?)",
                [(stage, o.position, o.key, o.product, o.rejection) for o in outcomes],
            )

    def trim(self, stage: str, count: int) -> None:
        """Forget outcomes beyond the stage's `count` items: an earlier, longer list left them."""
        with self._connection:
            self._connection.execute("DELETE FROM outcomes WHERE stage = ? AND position >= ?", (stage, count))

    def spend(self, stage: str, seconds: float) -> float:
        """Add to the time spent on a stage, over all the starts of the run; returns the sum."""
        with self._connection:
            self._connection.execute(
                "INSERT INTO seconds VALUES (?, ?) ON CONFLICT (stage) DO UPDATE SET spent = spent + excluded.spent",
                (stage, seconds),
            )
        row = self._connection.execute("SELECT spent FROM seconds WHERE stage = ?", (stage,)).fetchone()
        return float(row[0])
