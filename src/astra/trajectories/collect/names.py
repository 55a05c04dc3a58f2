"""Names that OpenAI accepts."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence

from astra.model import Tool

LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_LONGEST = 64


def legal_name(original: str) -> str:
    """The nearest legal name; a name that is legal stays. What is lost in shortening is replaced by a digest."""
    if LEGAL.fullmatch(original):
        return original
    latin = unicodedata.normalize("NFKD", original).encode("ascii", "ignore").decode()
    name = re.sub(r"_{2,}", "_", re.sub(r"[^a-zA-Z0-9_-]+", "_", latin)).strip("_-")
    digest = hashlib.sha256(original.encode()).hexdigest()[:8]
    if not name:
        return f"tool_{digest}"
    if len(name) > _LONGEST:
        return f"{name[: _LONGEST - 9].rstrip('_-')}_{digest}"
    return name


def with_unique_names(tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """The same tools, later namesakes with a number behind their name."""
    taken: set[str] = set()
    named: list[Tool] = []
    for tool in tools:
        name, count = tool.name, 1
        while name in taken:
            count += 1
            tail = f"_{count}"
            name = tool.name[: _LONGEST - len(tail)] + tail
        taken.add(name)
        if name != tool.name:
            repairs = (*tool.repairs, f"name {tool.name!r} was taken in this server")
            tool = tool.model_copy(update={"name": name, "original_name": tool.called, "repairs": repairs})
        named.append(tool)
    return tuple(named)
