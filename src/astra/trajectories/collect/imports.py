"""The import stage alone: one file of tool documents, everything in it accounted for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from astra.model import Noun, Rejection, ServerDocument, ToolServer
from astra.trajectories.collect.files import read_server_documents
from astra.trajectories.collect.servers import ServerFilter, normalise_server


class Imported(Noun):
    """What became of a file's documents."""

    documents: int  # servers that could be read
    tools: int  # tool documents in them
    servers: tuple[ToolServer, ...]
    rejections: tuple[Rejection, ...]

    def counts(self) -> list[dict[str, Any]]:
        """In, out and rejected by reason of the stages documents, tools and servers."""
        kept = {
            "documents": self.documents,
            "tools": sum(len(s.tools) for s in self.servers),
            "servers": len(self.servers),
        }
        return [_count(stage, out, [r for r in self.rejections if r.stage == stage]) for stage, out in kept.items()]


def import_tools(path: Path, *, min_tools: int = 3) -> Imported:
    """Normalise a file of tool documents.

    Raises:
        BadInput: the file can't be read, or there is nothing in it.
    """
    servers: list[ToolServer] = []
    rejections: list[Rejection] = []
    documents = tools = 0
    for entry in read_server_documents(path):
        if isinstance(entry, ServerDocument):
            documents += 1
            tools += len(entry.documents)
            collected = normalise_server(entry, ServerFilter(min_tools=min_tools))
            servers += [collected.server] if collected.server is not None else []
            rejections += collected.rejections
        else:
            rejections.append(entry)
    return Imported(documents=documents, tools=tools, servers=tuple(servers), rejections=tuple(rejections))


def _count(stage: str, out: int, rejections: Sequence[Rejection]) -> dict[str, Any]:
    reasons = Counter(rejection.reason for rejection in rejections)
    return {"stage": stage, "in": out + len(rejections), "out": out, "rejected": dict(sorted(reasons.items()))}
