"""`processes`: worker processes on this machine.

Ctrl-C and SIGTERM are the parent's business: workers look at a byte that they share with it, and end their splits between two
chunks. A worker whose parent is gone ends by itself.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import BaseContext
from typing import Any, Final

from evaluators.comparators._awaiting import rest
from evaluators.issues import Blame, Issue
from evaluators.run.engines.engine import Engine, Lost, Result, Task, look_there, never

_LOOK_SECONDS: Final = 0.1
"""How often the parent looks whether it was asked to stop, and a worker whether its parent is there."""
_PARENT_DEATH_SIGNAL: Final = 1
"""PR_SET_PDEATHSIG of Linux's prctl."""

_LOST: Final = Issue(
    "worker-lost",
    Blame.ENVIRONMENT,
    "a worker process ended twice without a result; it may have run out of memory",
    hint="try fewer workers: --workers 1",
)


class Processes(Engine):
    """Scores in worker processes on this machine. A split whose worker is lost is scored once more, alone."""

    def map(
        self, run: Callable[[Task], Result], tasks: Iterable[Task], stopped: Callable[[], bool] = never
    ) -> Iterator[Result | Lost[Task]]:
        waiting = iter(tasks)
        while True:
            unfinished: list[Task] = []
            yield from _in_pool(self.parallel, run, waiting, stopped, unfinished)
            if not unfinished or stopped():
                return
            for task in unfinished:
                yield Lost(task)
                again: list[Task] = []
                yield from _in_pool(1, run, iter([task]), stopped, again)
                if again and not stopped():
                    yield Lost(task, _LOST)


def _in_pool(
    workers: int,
    run: Callable[[Task], Result],
    waiting: Iterator[Task],
    stopped: Callable[[], bool],
    unfinished: list[Task],
) -> Iterator[Result]:
    """The results of the tasks, up to the loss of a worker. Tasks that had been started then go to `unfinished`.

    One task waits at most, so that tasks start with what earlier results tell them.
    """
    context, others = _context(), multiprocessing.active_children()
    stop: Any = context.RawValue("b", 0)
    begin = (stop, os.getpid(), threading.current_thread() is threading.main_thread())
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_start, initargs=begin) as pool:
        running: dict[Future[Result], Task] = {}
        try:
            while True:
                while not unfinished and len(running) < workers + 1 and (task := next(waiting, None)) is not None:
                    try:
                        running[pool.submit(run, task)] = task
                    except BrokenProcessPool:
                        unfinished.append(task)
                if not running:
                    return
                done, _ = wait(running, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
                stop.value = stopped()
                for future in done:
                    task = running.pop(future)
                    if isinstance(future.exception(), BrokenProcessPool):
                        unfinished.append(task)
                    else:
                        yield future.result()
        except BaseException:  # also a second Ctrl-C: nobody wants the results of the tasks that are under way
            for worker in multiprocessing.active_children():
                if worker not in others:
                    worker.terminate()
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _context() -> BaseContext:
    """Forked workers start in milliseconds; where threads are running, forking them is not safe."""
    rest()
    forks = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if forks else "spawn")


def _start(stop: Any, parent: int, of_main_thread: bool) -> None:
    """Ctrl-C is the parent's business: it asks the running splits to stop. Splits leave no cycles behind."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    look_there(lambda: bool(stop.value))
    gc.disable()
    if sys.platform == "linux" and of_main_thread:
        _end_with_parent()
    threading.Thread(target=_watch, args=(parent,), daemon=True, name="parent-watch").start()


def _end_with_parent() -> None:
    """Linux ends this process as soon as the thread that started it is gone; the main thread goes last."""
    import ctypes  # needed in a worker only

    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def _watch(parent: int) -> None:
    """Ends this process when its parent is gone: where there is no signal for it, or it came before it could be asked for."""
    if os.name == "nt":
        there = multiprocessing.parent_process()
        if there is not None:
            there.join()
            os._exit(1)
        return
    pause = threading.Event()
    while os.getppid() == parent:
        pause.wait(_LOOK_SECONDS)
    os._exit(1)
