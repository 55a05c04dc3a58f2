"""Items that fell out."""

from __future__ import annotations

from astra.model.base import Noun


class Rejection(Noun):
    """An item that fell out: where, and why."""

    stage: str
    item: str  # id of the item
    reason: str  # kebab-case code, to count by
    sentence: str
    detail: str | None = None
