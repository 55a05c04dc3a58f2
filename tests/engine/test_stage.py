"""Stages against a ledger: nothing lost, nothing done twice, nothing different after a stop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astra.engine import Executed, Ledger, Silent, Stage, StageRunner
from astra.errors import BadInput, Rejected, SandboxFailed
from astra.model import Noun


class Number(Noun):
    id: str
    value: int


class Square(Noun):
    value: int


def numbers(*values: int) -> list[Number]:
    return [Number(id=f"n{position}", value=value) for position, value in enumerate(values)]


async def square(number: Number) -> Square:
    await asyncio.sleep(0.001 if number.value % 3 else 0)
    if number.value < 0:
        raise Rejected("negative", f"{number.value} is below zero")
    return Square(value=number.value**2)


def executed(
    ledger: Path, items: list[Number], work: Callable[[Number], object] = square, faults: list[str] | None = None
) -> Executed[Number, Square]:
    async def run() -> Executed[Number, Square]:
        with Ledger(ledger) as book:
            runner = StageRunner(book, Silent(), (faults if faults is not None else []).append)
            return await runner.run(Stage("square", work, Square, concurrency=4), items)  # type: ignore[arg-type]

    return asyncio.run(run())


@given(st.lists(st.integers(-5, 20), max_size=30), st.integers(0, 30))
def test_in_equals_out_plus_rejected_and_a_resumed_stage_gives_the_same(
    tmp_path_factory: pytest.TempPathFactory, values: list[int], stop_after: int
) -> None:
    folder = tmp_path_factory.mktemp("ledger")
    whole = executed(folder / "whole.sqlite", numbers(*values))
    assert [square.value for square in whole.products] == [value**2 for value in values if value >= 0]
    assert whole.report.entered == whole.report.left + sum(whole.report.rejected.values())

    done: list[int] = []

    async def until_stopped(number: Number) -> Square:
        if len(done) >= stop_after:
            raise KeyboardInterrupt
        done.append(number.value)
        return await square(number)

    with contextlib.suppress(KeyboardInterrupt):
        executed(folder / "stopped.sqlite", numbers(*values), until_stopped)
    resumed = executed(folder / "stopped.sqlite", numbers(*values))
    assert (resumed.products, resumed.rejections) == (whole.products, whole.rejections)


def test_what_is_on_record_is_not_done_again(tmp_path: Path) -> None:
    executed(tmp_path / "ledger.sqlite", numbers(1, 2, -3))

    async def never(number: Number) -> Square:
        raise AssertionError("worked on twice")

    assert [s.value for s in executed(tmp_path / "ledger.sqlite", numbers(1, 2, -3), never).products] == [1, 4]


def test_an_item_that_changed_is_done_again_and_a_shorter_list_leaves_nothing_behind(tmp_path: Path) -> None:
    executed(tmp_path / "ledger.sqlite", numbers(1, 2, 3))
    assert [s.value for s in executed(tmp_path / "ledger.sqlite", numbers(1, 5)).products] == [1, 25]


def test_an_unforeseen_error_costs_its_item_and_is_reported(tmp_path: Path) -> None:
    async def faulty(number: Number) -> Square:
        return Square(value=10 // number.value)

    faults: list[str] = []
    result = executed(tmp_path / "ledger.sqlite", numbers(5, 0, 2), faulty, faults)
    assert [s.value for s in result.products] == [2, 5]
    assert [r.reason for r in result.rejections] == ["internal-error"]
    assert "Traceback" not in result.rejections[0].sentence
    assert len(faults) == 1 and "ZeroDivisionError" in faults[0]


@pytest.mark.parametrize(("failures", "reasons"), [(1, []), (2, ["sandbox-failed"])])
def test_failed_infrastructure_is_tried_once_more(tmp_path: Path, failures: int, reasons: list[str]) -> None:
    tries: list[str] = []

    async def shaky(number: Number) -> Square:
        tries.append(number.id)
        if len(tries) <= failures:
            raise SandboxFailed("the worker died")
        return await square(number)

    result = executed(tmp_path / "ledger.sqlite", numbers(3), shaky)
    assert [r.reason for r in result.rejections] == reasons


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_stage import *
seen = []
async def killed(number):
    seen.append(number)
    if len(seen) == 150:
        os.kill(os.getpid(), signal.SIGKILL)
    return await square(number)
executed(Path(sys.argv[1]), numbers(*range(-50, 200)), killed)
"""


def test_a_killed_process_loses_at_most_the_last_batch(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.sqlite"
    here = str(Path(__file__).parent)
    ended = subprocess.run([sys.executable, "-c", KILLED, str(ledger), here], env=dict(os.environ), check=False)
    assert ended.returncode == -signal.SIGKILL
    with Ledger(ledger) as book:
        assert 64 <= len(book.outcomes("square")) < 150
    whole = executed(tmp_path / "whole.sqlite", numbers(*range(-50, 200)))
    assert executed(ledger, numbers(*range(-50, 200))).products == whole.products


def test_two_runs_in_one_folder_are_refused(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.sqlite"), pytest.raises(BadInput, match="another run"):
        Ledger(tmp_path / "ledger.sqlite")


def test_a_file_that_is_no_ledger_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").write_text("shopping list " * 100)
    with pytest.raises(BadInput, match=r"ledger\.sqlite"):
        Ledger(tmp_path / "ledger.sqlite")
