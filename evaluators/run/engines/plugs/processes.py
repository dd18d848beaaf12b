"""`processes`: worker processes on this machine."""

from __future__ import annotations

import gc
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess

from evaluators.issues import Blame, Issue, Problems
from evaluators.judges.awaiting import rest
from evaluators.run.engines.engine import Engine, Result, Task


class Processes(Engine):
    """Scores in `workers` processes. One task waits at most, so that tasks start with what earlier results tell them."""

    def map(self, run: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        waiting, others = iter(tasks), multiprocessing.active_children()
        with ProcessPoolExecutor(self.workers, mp_context=_context(), initializer=_start) as pool:
            running: set[Future[Result]] = set()
            try:
                while True:
                    while len(running) < self.workers + 1 and (task := next(waiting, None)) is not None:
                        running.add(pool.submit(run, task))
                    if not running:
                        return
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
            except BrokenProcessPool as error:
                raise Problems([_lost()]) from error
            except BaseException:  # also a second Ctrl-C: nobody wants the results of the tasks that are under way
                _end(worker for worker in multiprocessing.active_children() if worker not in others)
                raise
            finally:
                pool.shutdown(wait=False, cancel_futures=True)


def _context() -> BaseContext:
    """Forked workers start in milliseconds; where threads are running, forking them is not safe."""
    rest()
    forks = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if forks else "spawn")


def _end(workers: Iterable[BaseProcess]) -> None:
    for worker in workers:
        worker.terminate()


def _start() -> None:
    """Ctrl-C is the parent's business: it lets the running splits finish. Splits leave no cycles behind."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()


def _lost() -> Issue:
    return Issue(
        "worker-lost",
        Blame.ENVIRONMENT,
        "a worker process ended without a result; it may have run out of memory",
        hint="try fewer workers: --workers 1",
    )
