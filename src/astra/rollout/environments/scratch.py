"""Working folders for live servers: made for one episode, the same each time, gone afterwards."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from astra.errors import ServerFailed

REPOSITORY = "harbour-log"
"""Name of the throwaway repository in a `git` scratch folder."""

_COMMITS: tuple[tuple[str, str, dict[str, str]], ...] = (
    (
        "2026-03-01T08:00:00+00:00",
        "Start the harbour log",
        {"README.md": "# Harbour log\n\nWhat happens at the piers.\n", "log/march.md": "1 March: calm, no arrivals.\n"},
    ),
    (
        "2026-03-04T17:20:00+00:00",
        "Add the berths",
        {"berths.csv": "berth,length_m,free\n1,40,yes\n2,55,no\n3,80,yes\n"},
    ),
    (
        "2026-03-09T06:45:00+00:00",
        "Log the night ferry",
        {"log/march.md": "1 March: calm, no arrivals.\n9 March: night ferry at berth 3.\n"},
    ),
)
_BRANCHES = {"tide-tables": "HEAD", "night-watch": "HEAD~1"}
_UNSTAGED = {"berths.csv": "berth,length_m,free\n1,40,no\n2,55,no\n3,80,yes\n", "notes.md": "Ask about berth 4.\n"}
_STAGED = {"log/april.md": "1 April: fog until noon.\n"}
_GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "TZ": "UTC", "LC_ALL": "C"}


@contextmanager
def prepared(kind: Literal["empty", "git"]) -> Iterator[Path]:
    """A fresh folder with what the server is to find in it.

    Raises:
        ServerFailed: `git` is wanted and not installed.
    """
    with tempfile.TemporaryDirectory(prefix="astra-") as name:
        folder = Path(name).resolve()
        if kind == "git":
            _make_repository(folder / REPOSITORY)
        yield folder


def _make_repository(repository: Path) -> None:
    repository.mkdir()
    _git(repository, "init", "--quiet", "--initial-branch=main")
    for name, value in (("user.name", "Ines Okafor"), ("user.email", "ines.okafor@example.org"), ("gc.auto", "0")):
        _git(repository, "config", name, value)
    for date, message, files in _COMMITS:
        _write(repository, files)
        _git(repository, "add", "--all")
        _git(repository, "commit", "--quiet", "--message", message, date=date)
    for branch, start in _BRANCHES.items():
        _git(repository, "branch", branch, start)
    _write(repository, _STAGED)
    _git(repository, "add", "--all")
    _write(repository, _UNSTAGED)


def _write(repository: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = repository / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _git(repository: Path, *arguments: str, date: str | None = None) -> None:
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(repository), **_GIT}
    if date is not None:
        environment |= {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    try:
        subprocess.run(["git", *arguments], cwd=repository, env=environment, check=True, capture_output=True)
    except FileNotFoundError:
        raise ServerFailed("git is not installed, and a repository is wanted for this server") from None
    except subprocess.CalledProcessError as error:
        raise ServerFailed(f"git {arguments[0]} failed: {error.stderr.decode(errors='replace').strip()}") from error
