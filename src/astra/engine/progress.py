"""What a person sees while a stage runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn


class Reporter(Protocol):
    """Is told of each stage and of each item's outcome."""

    note: Callable[[str], str] | None

    def started(self, stage: str, total: int) -> None: ...

    def advanced(self, stage: str, *, rejected: bool) -> None: ...

    def finished(self, stage: str, seconds: float) -> None: ...


class Silent:
    """Says nothing."""

    note: Callable[[str], str] | None = None

    def started(self, stage: str, total: int) -> None: ...

    def advanced(self, stage: str, *, rejected: bool) -> None: ...

    def finished(self, stage: str, seconds: float) -> None: ...


class Bars:
    """A bar a stage: in, out, rejected, rate, time left. Where there is no terminal, a line a finished stage.

    `note` gives what else is to be shown of a stage: what it has spent, for one.
    """

    def __init__(self, console: Console) -> None:
        self.note: Callable[[str], str] | None = None
        self._console = console
        self._progress = Progress(
            TextColumn("{task.description:<11}"),
            BarColumn(bar_width=10),
            TextColumn("{task.fields[counts]}"),
            TimeRemainingColumn(compact=True, elapsed_when_finished=True),
            console=console,
            disable=not console.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}
        self._counts: dict[str, tuple[int, int, int]] = {}  # total, out, rejected

    def __enter__(self) -> Bars:
        self._progress.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._progress.stop()

    def started(self, stage: str, total: int) -> None:
        self._counts[stage] = (total, 0, 0)
        self._tasks[stage] = self._progress.add_task(stage, total=total, counts=self._line(stage, None))

    def advanced(self, stage: str, *, rejected: bool) -> None:
        total, out, fallen = self._counts[stage]
        self._counts[stage] = (total, out + (not rejected), fallen + rejected)
        task = self._tasks[stage]
        speed = self._progress.tasks[task].speed
        self._progress.update(task, advance=1, counts=self._line(stage, speed))

    def finished(self, stage: str, seconds: float) -> None:
        total, out, fallen = self._counts[stage]
        line = self._line(stage, (out + fallen) / seconds if seconds > 0 else None)
        self._progress.update(self._tasks[stage], total=max(total, 1), completed=max(total, 1), counts=line)
        if not self._console.is_terminal:
            self._console.print(f"{stage:<11} {line} {seconds:6.1f} s", highlight=False)

    def _line(self, stage: str, rate: float | None) -> str:
        total, out, fallen = self._counts[stage]
        pace = f"{rate:,.0f}/s" if rate else ""
        note = self.note(stage) if self.note is not None else ""
        return f"in {total:>6,}  out {out:>6,}  rejected {fallen:>5,} {pace:>8} {note}".rstrip()
