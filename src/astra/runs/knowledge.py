"""The knowledge of a run, read before anything else is done: a file that can't be used is said so at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from astra.arenas.knowledge import packaged_problems, read_problems, read_table
from astra.arenas.packaged import packaged_tables
from astra.model import Rejection, SolvedProblem, Table
from astra.runs.config import Inputs


@dataclass(frozen=True)
class Knowledge:
    """Tables, solved problems, and the lines that are none."""

    tables: tuple[Table, ...]
    problems: tuple[SolvedProblem, ...]
    unread: tuple[Rejection, ...]


def read_knowledge(inputs: Inputs) -> Knowledge:
    """What the settings name.

    Raises:
        BadInput: a file can't be read as what it should be.
    """
    tables: list[Table] = []
    for name in inputs.tables:
        tables += packaged_tables() if name == "packaged" else [read_table(Path(name))]
    read: list[SolvedProblem | Rejection] = []
    for name in inputs.traces:
        read += packaged_problems() if name == "packaged" else read_problems(Path(name))
    return Knowledge(
        tables=tuple(tables),
        problems=tuple(entry for entry in read if isinstance(entry, SolvedProblem)),
        unread=tuple(entry for entry in read if isinstance(entry, Rejection)),
    )
