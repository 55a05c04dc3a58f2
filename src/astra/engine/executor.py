"""How a stage's items are worked on: here, on this machine's event loop, a bounded number at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import TypeVar

In = TypeVar("In")
Out = TypeVar("Out")


async def work_off(
    items: Iterable[In], work: Callable[[In], Awaitable[Out]], *, concurrency: int
) -> AsyncIterator[Out]:
    """Results as they come, at most `concurrency` items in work at a time; items are taken in order.

    Leaving the iterator early, by an error too, cancels what is in work.
    """
    queue = iter(items)
    running: set[asyncio.Future[Out]] = set()
    try:
        while True:
            while len(running) < concurrency and (item := next(queue, _END)) is not _END:
                running.add(asyncio.ensure_future(work(item)))  # type: ignore[arg-type]
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for future in sorted(done, key=_broke_down):  # what is finished is handed on before an error ends it all
                yield future.result()
    finally:
        for future in running:
            future.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def _broke_down(future: asyncio.Future[Out]) -> bool:
    return future.cancelled() or future.exception() is not None


_END = object()
