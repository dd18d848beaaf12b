"""Waiting for an async answer from ordinary code, inside a running event loop and outside one.

One thread with a loop of its own runs every coroutine, so that a client that keeps connections open can be used again.
It starts when it is first needed, and anew in a forked process.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Awaitable, Callable, Sequence
from inspect import isawaitable
from typing import Any


class _Worker:
    """A thread that runs an event loop."""

    def __init__(self) -> None:
        import asyncio  # half of the start-up of a small run, and for async functions only

        self.process = os.getpid()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="evaluators-awaiting", daemon=True)
        self.thread.start()

    def result_of(self, awaitable: Awaitable[Any]) -> Any:
        """The result of an awaitable, which runs in the event loop of the thread. Raises what it raises."""
        import asyncio

        future = asyncio.run_coroutine_threadsafe(_as_coroutine(awaitable), self.loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """Ends the event loop and waits for the thread."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


_shared: list[_Worker] = []
_starting = threading.Lock()


def result_of(awaitable: Awaitable[Any]) -> Any:
    """The result of an awaitable, from code that is not async: it runs in the worker thread, and is waited for. Raises what it
    raises."""
    worker = _worker()
    if threading.current_thread() is not worker.thread:
        return worker.result_of(awaitable)
    alone = _Worker()  # the loop cannot wait for itself
    try:
        return alone.result_of(awaitable)
    finally:
        alone.stop()


def await_result(returned: Any) -> Any:
    """The value that a function returned; where that is an awaitable, as of an async function, the result of it."""
    return result_of(returned) if isawaitable(returned) else returned


def results_of(calls: Sequence[Callable[[], Awaitable[Any]]], at_once: int) -> list[Any]:
    """The results of several calls of async functions, in their order; at most `at_once` of them run at the same time.

    Each call is made when its turn comes. An exception that one raises is its result.
    """
    return list(result_of(_gather(calls, at_once)))


async def _gather(calls: Sequence[Callable[[], Awaitable[Any]]], at_once: int) -> list[Any]:
    """The results of async calls in their order, at most `at_once` of which run at a time; an exception is the result of its call."""
    import asyncio

    free_slots = asyncio.Semaphore(max(1, at_once))

    async def result_of_call(call: Callable[[], Awaitable[Any]]) -> Any:
        """The result of one call, or the exception that it raised."""
        async with free_slots:
            try:
                return await call()
            except Exception as error:  # whatever a caller's function raises is its answer, and costs no other one
                return error

    return list(await asyncio.gather(*map(result_of_call, calls)))


def stop_worker() -> None:
    """Ends the thread that awaits, which starts again when it is needed: a process should have one thread when it forks."""
    with _starting:
        if _shared and _shared[0].process == os.getpid() and threading.current_thread() is not _shared[0].thread:
            _shared.pop().stop()


def _worker() -> _Worker:
    """The worker thread of this process, with its event loop. It is started at the first call, and anew after a fork."""
    with _starting:
        if not _shared or _shared[0].process != os.getpid():
            _shared[:] = [_Worker()]
        return _shared[0]


async def _as_coroutine(awaitable: Awaitable[Any]) -> Any:
    """A coroutine for any awaitable: asyncio runs nothing else from another thread."""
    return await awaitable
