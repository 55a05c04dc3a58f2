"""Fixtures that every room's tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real inputs beside the checkout; its tests are skipped where it is not there."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("the folder of real inputs ('shared', beside the checkout) is not here")
    return folder


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """With ASTRA_NO_SKIPS set, as in CI, a skipped test is a failure: nothing goes untested unnoticed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("ASTRA_NO_SKIPS") and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
