"""Hostile programs as tool code: each is contained, ends in bounded time, and the next call is right."""

from __future__ import annotations

import asyncio
import socket
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from astra.sandbox import CallResult, MontySandbox, SandboxLimits

PORT = 47611
SECRET = "hunter2-is-no-password"


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """What an escape over the network would reach."""
    with socket.create_server(("127.0.0.1", PORT), reuse_port=True) as server:
        server.setblocking(False)
        yield server


async def attacked(program: str) -> tuple[CallResult, CallResult]:
    """The result of the program as a tool's body, and of an honest call after it."""
    code = "def attack():\n" + textwrap.indent(program, "    ") + "\n    return 'ended'\n"
    honest = "def honest(a):\n    return {'sum': a + 1}\n"
    limits = SandboxLimits(seconds=0.4, memory=16 * 2**20)
    async with (
        asyncio.timeout(30),
        MontySandbox(workers=1, limits=limits) as sandbox,
        sandbox.session({"attack": code, "honest": honest}) as session,
    ):
        return await session.call("attack", {}), await session.call("honest", {"a": 1})


def test_every_attack_is_contained(shared: Path, listener: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", SECRET)
    programs = sorted((shared / "cases" / "attacks").glob("*.py"))
    assert len(programs) >= 20
    for program in programs:
        attack, honest = asyncio.run(attacked(program.read_text(encoding="utf-8")))
        assert SECRET not in str(attack), program.name
        assert "root:" not in str(attack), program.name
        assert honest.value == {"sum": 2}, program.name
    with pytest.raises(BlockingIOError):
        listener.accept()
