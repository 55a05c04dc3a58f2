"""So many a minute, evenly."""

from __future__ import annotations

import asyncio
import time


class Pace:
    """Lets amounts through at a steady rate, first come first served, without a burst at the start.

    Args:
        per_minute: None lets everything through at once.
    """

    def __init__(self, per_minute: float | None) -> None:
        self._seconds_each = 60.0 / per_minute if per_minute else 0.0
        self._free_at = 0.0

    async def wait(self, amount: float = 1.0) -> None:
        """Return when `amount` may go."""
        if not self._seconds_each:
            return
        now = time.monotonic()
        start = max(now, self._free_at)
        self._free_at = start + amount * self._seconds_each
        await asyncio.sleep(start - now)

    def correct(self, amount: float) -> None:
        """Count `amount` more (or, if negative, less) than was waited for."""
        self._free_at += amount * self._seconds_each
