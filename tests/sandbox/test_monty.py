"""Monty sessions: limits, isolation, errors as observations, workers that die."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import pytest

from astra.errors import BadInput, SandboxFailed
from astra.model import Failure
from astra.sandbox import MontySandbox, MontySession, SandboxLimits

T = TypeVar("T")
LIMITS = SandboxLimits(seconds=0.3, memory=8 * 2**20, output=2000, recursion=60)


@asynccontextmanager
async def opened(**code: str) -> AsyncIterator[MontySession]:
    async with MontySandbox(workers=2, limits=LIMITS) as sandbox, sandbox.session(code) as session:
        yield session


def in_session(use: Callable[[MontySession], Awaitable[T]], **code: str) -> T:
    async def body() -> T:
        async with opened(**code) as session:
            return await use(session)

    return asyncio.run(body())


COUNTER = "count = 0\ndef counter(step=1):\n    global count\n    count += step\n    return {'count': count}\n"


def test_a_call_returns_json() -> None:
    result = in_session(lambda s: s.call("pair", {"a": 1}), pair="def pair(a):\n    return {'pair': (a, None)}\n")
    assert result.ok
    assert result.value == {"pair": [1, None]}


@pytest.mark.parametrize(
    ("code", "arguments", "error"),
    [
        ("def f(a):\n    return 1 / a\n", {"a": 0}, "ZeroDivisionError: division by zero"),
        ("def f(a):\n    return a\n", {}, "TypeError: f() missing 1 required positional argument: 'a'"),
        ("def f(a):\n    return a\n", {"b": 1}, "TypeError: f()"),
        ("def f(a):\n    return a[\n", {"a": 1}, "SyntaxError"),
        ("def g(a):\n    return a\n", {"a": 1}, "NameError"),
        ("def f(a):\n    return float('nan')\n", {"a": 1}, "TypeError: the tool returned a float that JSON can't hold"),
        ("def f(a):\n    return {'error': 'unknown key'}\n", {"a": 1}, '{"error": "unknown key"}'),
        ("def f(a):\n    return open('/etc/passwd').read()\n", {"a": 1}, "PermissionError"),
        ("import os\ndef f(a):\n    return os.environ['PATH']\n", {"a": 1}, ""),
        ("import subprocess\ndef f(a):\n    return 1\n", {"a": 1}, "ModuleNotFoundError"),
    ],
)
def test_a_tools_error_comes_back_as_an_observation(code: str, arguments: dict[str, int], error: str) -> None:
    result = in_session(lambda s: s.call("f", arguments), f=code)
    assert result.failure is Failure.TOOL_ERROR
    assert result.error is not None and error in result.error


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "return 'a' * 10**9",
        "return [[0] * 1000 for _ in range(10**6)]",
        "return f()",
        "return 'a' * 5000",
        "print('a' * 5000)",
    ],
)
def test_a_limit_ends_the_call_and_the_session_lives_on_with_its_state(body: str) -> None:
    async def use(session: MontySession) -> list[object]:
        await session.call("counter", {"step": 5})
        broken = await session.call("f", {})
        after = await session.call("counter", {})
        return [broken.failure, after.value]

    assert in_session(use, f=f"def f():\n    {body}\n", counter=COUNTER) == [Failure.LIMIT, {"count": 6}]


def test_sessions_share_nothing() -> None:
    async def body() -> list[object]:
        async with MontySandbox(workers=1) as sandbox:
            seen = []
            for _ in range(3):
                async with sandbox.session({"counter": COUNTER}) as session:
                    seen.append((await session.call("counter", {})).value)
            return seen

    assert asyncio.run(body()) == [{"count": 1}] * 3


def test_clock_and_random_numbers_are_pinned() -> None:
    code = (
        "import random, time\nfrom datetime import datetime\n"
        "def f():\n    time.sleep(5)\n    return [random.random(), str(datetime.now()), time.time()]\n"
    )
    first, second = (in_session(lambda s: s.call("f", {}), f=code) for _ in range(2))
    assert first.ok
    assert first == second


def test_a_dead_worker_is_an_infrastructure_failure_and_is_replaced() -> None:
    async def body() -> object:
        async with MontySandbox(workers=1) as sandbox:
            with pytest.raises(SandboxFailed):
                async with sandbox.session({"counter": COUNTER}) as session:
                    await session.call("counter", {})
                    assert session._worker is not None and session._worker.worker_pid is not None
                    os.kill(session._worker.worker_pid, signal.SIGKILL)
                    await session.call("counter", {})
            async with sandbox.session({"counter": COUNTER}) as session:
                return (await session.call("counter", {})).value

    assert asyncio.run(body()) == {"count": 1}


@pytest.mark.parametrize("name", ["a-b", "f()", "class", "x; import os", ""])
def test_a_name_that_is_no_identifier_never_reaches_the_interpreter(name: str) -> None:
    with pytest.raises(BadInput, match="identifier"):
        in_session(lambda s: s.call(name, {}), **{name: "def f():\n    return 1\n"})
