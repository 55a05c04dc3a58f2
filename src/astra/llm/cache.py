"""Answers that were paid for, by what was asked: an identical question is never paid for twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from astra.errors import BadInput
from astra.llm.spending import Usage

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY,
    stage TEXT NOT NULL,
    answer TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cost REAL NOT NULL
) WITHOUT ROWID;
"""


class AnswerCache:
    """One SQLite file. Several processes may share it.

    Raises:
        BadInput: the file is no such cache.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path, timeout=30.0, isolation_level=None)
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise BadInput(f"{path} can't be used as a cache of answers ({error})") from error

    def close(self) -> None:
        self._connection.close()

    def get(self, key: str) -> str | None:
        """The answer's JSON, if it was paid for."""
        row = self._connection.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        return row[0] if row is not None else None

    def put(self, key: str, answer: str, *, stage: str, usage: Usage, cost: float) -> None:
        """Keep an answer; the first one to a question stays."""
        self._connection.execute(
            "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?)",
            (key, stage, answer, usage.prompt_tokens, usage.completion_tokens, cost),
        )

    def payments(self) -> Iterator[tuple[str, Usage, float]]:
        """(stage, usage, cost) of every answer."""
        rows = self._connection.execute("SELECT stage, prompt_tokens, completion_tokens, cost FROM answers")
        for stage, prompt, completion, cost in rows:
            yield stage, Usage(prompt_tokens=prompt, completion_tokens=completion), cost
