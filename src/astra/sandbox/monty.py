"""Tool code in Monty: a Python interpreter in Rust, in worker processes without files, network or processes.

A session belongs to one episode and holds one worker while it is open. Its clock stands still, its random numbers
are seeded, and sleeping returns at once, so the same calls give the same results.
"""

from __future__ import annotations

import asyncio
import json
import keyword
import os
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import pydantic_monty as monty

from astra.errors import BadInput, SandboxFailed
from astra.model import Failure, JsonObject, Noun

T = TypeVar("T")
_ARGUMENTS = "astra_call_arguments"
_EPOCH = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class SandboxLimits:
    """What one call may use."""

    seconds: float = 2.0
    memory: int = 64 * 2**20  # bytes of heap in the worker
    output: int = 64 * 2**10  # characters of JSON that a call may return, and bytes that it may print
    recursion: int = 200  # depth of Python calls


class CallResult(Noun):
    """What a tool gave: a JSON value, or an error for the policy to read."""

    value: Any = None
    error: str | None = None
    failure: Failure | None = None

    @property
    def ok(self) -> bool:
        return self.failure is None


class MontySandbox:
    """A pool of Monty workers; use as an async context manager.

    Args:
        workers: sessions that can be open at once; a further one waits. Default: the machine's cores, at least 2.
        limits: what each call may use.
        clock: the instant that the tools see; it stands still.
        random_seed: what `random` is seeded with in every session.
    """

    def __init__(
        self,
        *,
        workers: int | None = None,
        limits: SandboxLimits | None = None,
        clock: datetime = _EPOCH,
        random_seed: int = 0,
    ) -> None:
        self.limits = limits or SandboxLimits()
        count = workers or max(2, os.cpu_count() or 1)
        self._pool = monty.Monty(max_processes=count, request_timeout=self.limits.seconds + 10.0)
        self._policy: monty.OSPolicy = {"datetime": clock, "random_start": {"seed": random_seed}, "sleep": "zero"}
        # Monty's own asyncio pool can abort the interpreter at exit (1 in 40 measured with 1.4.0), for its threads call
        # into Python; so its blocking pool is called from threads of ours. A session needs one thread at a time.
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="sandbox")
        self._places = asyncio.Semaphore(count)

    async def __aenter__(self) -> MontySandbox:
        try:
            await self.in_thread(self._pool.__enter__)
        except (OSError, RuntimeError, monty.MontyError) as error:
            raise SandboxFailed(f"no Monty worker could be started: {error}") from error
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.in_thread(lambda: self._pool.__exit__(None, None, None))
        self._threads.shutdown()

    @asynccontextmanager
    async def session(self, code: Mapping[str, str]) -> AsyncIterator[MontySession]:
        """A fresh world in which tools can be called; nothing of it is left when it closes.

        Args:
            code: tool name -> Python source that defines a function of that name.

        Raises:
            BadInput: a name can't be a Python function's.
        """
        for name in code:
            if not name.isidentifier() or keyword.iskeyword(name) or name == _ARGUMENTS:
                raise BadInput(f"tool {name!r} can't run: its name must be a Python identifier")
        async with self._places:
            session = MontySession(self, code)
            try:
                yield session
            finally:
                await session.close()

    def checkout(self) -> monty.MontySession:
        return self._pool.checkout(
            limits={
                "max_feed_duration_secs": self.limits.seconds,
                "max_memory": self.limits.memory,
                "max_recursion_depth": self.limits.recursion,
            },
            os_policy=self._policy,
            assert_message_annotations=False,
        )

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Run something that blocks; it is waited for to the end even if the caller is cancelled."""
        running = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait([running])
            raise


class MontySession:
    """One episode's own world. Tools are loaded on their first call and keep their state until the session ends."""

    def __init__(self, sandbox: MontySandbox, code: Mapping[str, str]) -> None:
        self._sandbox = sandbox
        self._code = code
        self._worker: monty.MontySession | None = None
        self._loaded: set[str] = set()
        self._history: list[tuple[str, JsonObject]] = []  # calls to repeat when a worker has to be given up

    async def call(self, name: str, arguments: JsonObject) -> CallResult:
        """Call a tool.

        Raises:
            KeyError: the session has no such tool.
            SandboxFailed: the worker died. The session is lost; the pool has already replaced the worker.
        """
        return await self._sandbox.in_thread(lambda: self._call(name, arguments))

    async def close(self) -> None:
        """Hand the worker back."""
        if self._worker is not None:
            await self._sandbox.in_thread(self._give_up_worker)

    def _call(self, name: str, arguments: JsonObject) -> CallResult:
        code = self._code[name]
        try:
            worker = self._ready_worker()
            if name not in self._loaded:
                self._feed(worker, code)
                self._loaded.add(name)
            value = self._feed(worker, f"{name}(**{_ARGUMENTS})", arguments)
        except monty.MontyCrashedError as error:
            if not error.timed_out:
                raise SandboxFailed(f"the worker died while {name!r} ran") from error
            self._give_up_worker()
            return self._over_limit(f"TimeoutError: the call took longer than {self._sandbox.limits.seconds:g} s")
        except (monty.MontyRuntimeError, monty.MontySyntaxError, monty.MontyConversionError) as error:
            return self._failed(error)
        self._history.append((name, arguments))
        return self._returned(value)

    def _ready_worker(self) -> monty.MontySession:
        if self._worker is None:
            worker = self._sandbox.checkout()
            try:
                worker.__enter__()
            except (OSError, monty.MontyCrashedError) as error:
                raise SandboxFailed(f"no worker could be had: {error}") from error
            self._worker = worker
            for name, arguments in self._history:
                if name not in self._loaded:
                    self._feed(worker, self._code[name])
                    self._loaded.add(name)
                self._feed(worker, f"{name}(**{_ARGUMENTS})", arguments)
        return self._worker

    def _feed(self, worker: monty.MontySession, source: str, arguments: JsonObject | None = None) -> Any:
        printed = monty.CollectString(max_bytes=self._sandbox.limits.output)
        inputs = None if arguments is None else {_ARGUMENTS: arguments}
        return worker.feed_run(source, inputs=inputs, print_callback=printed)

    def _give_up_worker(self) -> None:
        """A time or memory limit leaves the heap in an unknown state: start over from the calls that went well."""
        if self._worker is not None:
            self._worker.__exit__(None, None, None)
        self._worker = None
        self._loaded.clear()

    def _failed(self, error: monty.MontyError) -> CallResult:
        kind, message = type(error.exception()).__name__, str(error.exception())
        limits = self._sandbox.limits
        if kind == "TimeoutError" and "time limit exceeded" in message:
            self._give_up_worker()
            return self._over_limit(f"TimeoutError: the call took longer than {limits.seconds:g} s")
        if kind == "MemoryError":
            self._give_up_worker()
            return self._over_limit("MemoryError: the call needed more memory, or printed more, than it may")
        if kind == "RecursionError":
            return self._over_limit("RecursionError: maximum recursion depth exceeded")
        return CallResult(error=f"{kind}: {message}"[: limits.output], failure=Failure.TOOL_ERROR)

    def _returned(self, value: Any) -> CallResult:
        try:
            text = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            return CallResult(
                error=f"TypeError: the tool returned a {type(value).__name__} that JSON can't hold",
                failure=Failure.TOOL_ERROR,
            )
        if len(text) > self._sandbox.limits.output:
            return self._over_limit(f"the result is longer than {self._sandbox.limits.output} characters")
        value = json.loads(text)
        if reports_error(value):
            return CallResult(value=value, error=json.dumps(value, ensure_ascii=False), failure=Failure.TOOL_ERROR)
        return CallResult(value=value)

    @staticmethod
    def _over_limit(error: str) -> CallResult:
        return CallResult(error=error, failure=Failure.LIMIT)


def reports_error(value: Any) -> bool:
    """Whether a returned value is an error by the usual conventions: an `error` entry, or a status that says so."""
    return isinstance(value, dict) and (bool(value.get("error")) or value.get("status") == "error")
