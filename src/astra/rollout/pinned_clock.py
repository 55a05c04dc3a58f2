"""Runs a Python module, as `python -m` does, with the clock standing still.

    python -m astra.rollout.pinned_clock MODULE [ARGUMENT ...]

A live server started this way is the real server; but what it says of the time, and what it stamps, is the same in
every run, so that the same seed gives the same bytes.
"""

from __future__ import annotations

import runpy
import sys
from datetime import UTC, datetime

import time_machine

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("usage: python -m astra.rollout.pinned_clock MODULE [ARGUMENT ...]")
    sys.argv = sys.argv[1:]
    with time_machine.travel(NOW, tick=False):
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
