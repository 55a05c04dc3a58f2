"""Fixtures that every room's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real inputs beside the checkout; its tests are skipped where it is not there."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("the folder of real inputs ('shared', beside the checkout) is not here")
    return folder
