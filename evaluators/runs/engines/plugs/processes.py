"""`processes`: worker processes on this machine.

Ctrl-C and SIGTERM are the parent's business: workers look at a byte that they share with it, and end their splits between two
chunks. A worker whose parent is gone ends by itself.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Final

from evaluators.runs.engines.engine import Engine, Lost, Result, Stopped, Task, UnderWay, never, worker_lost_issue
from evaluators.scoring.comparators._awaiting import stop_worker

_LOOK_SECONDS: Final = 0.1
"""How often the parent looks whether it was asked to stop, and a worker whether its parent is there."""


class Processes(Engine):
    """Scores in worker processes on this machine. A split whose worker is lost is scored once more, alone."""

    def map(
        self, run: Callable[[Task, Stopped], Result], tasks: Iterable[Task], stopped: Stopped = never
    ) -> Iterator[Result | Lost[Task]]:
        """The results as they come. Tasks under way when a worker dies are given as lost, and begun again one by one in a process of their
        own; one that is lost there, too, comes with the issue."""
        waiting = iter(tasks)
        while True:
            lost: list[Task] = []
            for result in _in_pool(self.parallel, run, waiting, stopped):
                if isinstance(result, Lost):
                    lost.append(result.task)
                yield result
            if not lost:
                return
            for task in lost:
                for result in () if stopped() else _in_pool(1, run, iter([task]), stopped):
                    yield (
                        Lost(task, worker_lost_issue("try fewer workers: --workers 1"))
                        if isinstance(result, Lost)
                        else result
                    )


def _in_pool(
    workers: int, run: Callable[[Task, Stopped], Result], waiting: Iterator[Task], stopped: Stopped
) -> Iterator[Result | Lost[Task]]:
    """Runs the tasks of `waiting` in a pool of worker processes, and yields their results in any order. Once a worker is lost, no more
    tasks are begun; those that were under way come last, as `Lost`.

    Once `stopped()` is true, `run` is told so in every worker and ends its task early; that no further tasks come is for `waiting` to see
    to. An error ends the workers.
    """
    context, others = _process_context(), multiprocessing.active_children()
    stop = context.RawValue("b", 0)
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_init_worker, initargs=(stop, os.getpid())) as pool:
        under_way, lost = UnderWay(waiting), list[Task]()
        try:
            while True:
                if not lost:
                    under_way.begin(lambda task: _submit_task(pool, run, task), workers)
                if not under_way.calls:
                    break
                stop.value = stopped()
                for future in wait(under_way.calls, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED).done:
                    task = under_way.end(future)
                    if isinstance(future.exception(), BrokenProcessPool):
                        lost.append(task)
                    else:
                        yield future.result()
        except BaseException:  # also a second Ctrl-C: nobody wants the results of the tasks that are under way
            for worker in {*multiprocessing.active_children()}.difference(others):
                worker.terminate()
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    yield from map(Lost, lost)


def _submit_task(pool: ProcessPoolExecutor, run: Callable[[Task, Stopped], Result], task: Task) -> Future[Result]:
    """Submits a task to the pool. Where the pool is broken already, the future has failed with that error, as if its worker had died."""
    try:
        return pool.submit(_run_in_worker, run, task)
    except BrokenProcessPool as error:
        lost: Future[Result] = Future()
        lost.set_exception(error)
        return lost


def _process_context() -> Any:
    """How worker processes are started: forked, which takes milliseconds, or spawned where that is not safe, because threads are
    running. The thread that awaits async functions is stopped first."""
    stop_worker()
    forks = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if forks else "spawn")


class _Shared:
    """The state that a worker process shares with its parent."""

    stop: Any = None
    """A byte that is 1 once the run is asked to stop."""


def _run_in_worker(run: Callable[[Task, Stopped], Result], task: Task) -> Result:
    """Runs a task in a worker process, with the function that says whether this process was asked to stop."""
    return run(task, _asked_to_stop)


def _asked_to_stop() -> bool:
    """Whether the parent has asked this worker process to stop."""
    return bool(_Shared.stop.value)


def _init_worker(stop: Any, parent: int) -> None:
    """Runs first in every worker process: ignores Ctrl-C, which the parent answers through the shared byte `stop`, and starts a thread
    that ends the process once its `parent` is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _Shared.stop = stop
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True, name="parent-watch").start()


def _end_with_parent(parent: int) -> None:
    """Ends this process when its parent is gone."""
    if os.name != "nt":
        pause = threading.Event()
        while os.getppid() == parent:
            pause.wait(_LOOK_SECONDS)
    elif (there := multiprocessing.parent_process()) is not None:
        there.join()
    os._exit(1)
