"""What a model thinks, told apart from what it says."""

from __future__ import annotations

import re

_THOUGHT = re.compile(r"<(think|thinking|reasoning)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_LATE_END = re.compile(r"\A(.*?)</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)


def split_reasoning(text: str) -> tuple[str, str | None]:
    """(what is said, what was thought or None).

    A block that is never closed runs to the end; one whose opening stood in the prompt starts at the beginning.
    """
    thoughts = [match.group(2).strip() for match in _THOUGHT.finditer(text)]
    said = _THOUGHT.sub("", text)
    if (late := _LATE_END.match(said)) is not None:
        thoughts.insert(0, late.group(1).strip())
        said = said[late.end() :]
    thought = "\n\n".join(part for part in thoughts if part)
    return said.strip(), thought or None
