"""`dask`: the workers of a Dask cluster.

Each call is pinned to one worker, and each worker has one at a time: so it is known who had what when a worker is gone, and the
threads of a worker do not share a process that scores.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Event
from time import monotonic
from typing import Any, ClassVar, Final

from evaluators.issues import Blame, Issue, Problems
from evaluators.run.engines.cluster import Call, Cluster, ClusterEngine
from evaluators.run.engines.engine import Crew
from evaluators.run.engines.on_worker import perform, stop

_COUNT_SECONDS: Final = 0.5
"""How often the scheduler is asked which workers it has."""
_CONNECT_SECONDS: Final = 10
_PRELOAD: Final = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
"""Ctrl-C is the driver's business, also for workers that it has started itself."""


class Dask(ClusterEngine):
    """Scores on the workers of a Dask cluster: `address: tcp://HOST:8786` is that of its scheduler."""

    packages: ClassVar[tuple[str, ...]] = ("distributed",)

    @contextmanager
    def crew(self) -> Iterator[Crew]:
        """The workers of the cluster. Raises Problems (environment) when no scheduler answers, or it has no workers."""
        import distributed

        with ExitStack() as stack:
            address = self.address
            if address is None:
                address = stack.enter_context(_own_cluster(self.workers)).scheduler_address
            try:
                client = distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
            except (OSError, ValueError) as error:
                raise Problems([_no_scheduler(str(self.address), error)]) from error
            stack.callback(client.close)
            yield _DaskCluster(client, self)


@contextmanager
def _own_cluster(workers: int | None) -> Iterator[Any]:
    """A cluster on this machine, as long as the context: one process for each worker, and nothing that others can reach."""
    import logging

    from distributed import LocalCluster

    count = workers or len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else [0] * (os.cpu_count() or 1))
    with LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0", memory_limit=0,
        silence_logs=logging.CRITICAL, preload=[_PRELOAD],
    ) as cluster:  # fmt: skip
        yield cluster


class _DaskCluster(Cluster):
    kind = "Dask"

    def __init__(self, client: Any, settings: Dask) -> None:
        import cloudpickle

        self._client = client
        self._calls: dict[Any, str] = {}
        """The calls under way, each with the address of its worker."""
        self._known: frozenset[str] = frozenset()
        self._counted = float("-inf")
        self._news = Event()
        """Set when a call is done."""
        super().__init__(cloudpickle, settings)

    def workers(self) -> int:
        return len(self._there())

    def begin(self, call: Call) -> Any:
        free = sorted(self._there().difference(self._calls.values()))
        if not free:
            return None
        future = self._submit(call, free[0])
        future.add_done_callback(lambda _: self._news.set())
        self._calls[future] = free[0]
        return future

    def answers(self, seconds: float) -> Iterable[tuple[Any, bytes | None]]:
        self._news.wait(seconds)
        self._news.clear()
        there = self._there()
        found = [(future, _result(future)) for future in self._calls if future.done()]
        found += [(one, None) for one, at in self._calls.items() if not one.done() and at not in there]
        self.drop([one for one, answer in found if answer is None])
        for one, _ in found:
            self._calls.pop(one, None)
        return found

    def drop(self, calls: Iterable[Any]) -> None:
        dropped = list(calls)
        if dropped:
            self._client.cancel(dropped, force=True)

    def stop(self, call: Call) -> None:
        self._client.run(stop, call.run_id, on_error="ignore")

    def ask(self, call: Call) -> list[tuple[str, bytes | Exception]]:
        asked = {address: self._submit(call, address) for address in sorted(self._there())}
        return [(address, _said(future)) for address, future in asked.items()]

    def _submit(self, call: Call, address: str) -> Any:
        return self._client.submit(
            perform, call.versions, call.equipment, call.task, workers=[address], allow_other_workers=False, pure=False
        )

    def _there(self) -> frozenset[str]:
        if monotonic() - self._counted > _COUNT_SECONDS:
            try:
                self._known = frozenset(self._client.nthreads())
            except (OSError, ValueError) as error:
                raise Problems([_no_scheduler(str(self._client.scheduler), error)]) from error
            self._counted = monotonic()
        return self._known


def _result(future: Any) -> bytes | None:
    """The answer of a call that is done; None where the worker is gone. Raises what kept the worker from starting on it."""
    import distributed

    if future.status in ("cancelled", "lost"):
        return None
    try:
        answer: bytes = future.result(timeout=_CONNECT_SECONDS)
    except (distributed.KilledWorker, distributed.TimeoutError, distributed.CancelledError):
        return None
    return answer


def _said(future: Any) -> bytes | Exception:
    try:
        answer: bytes = future.result(timeout=6 * _CONNECT_SECONDS)
    except Exception as error:  # whatever it is, the worker cannot do what all of them must
        return error
    return answer


def _no_scheduler(address: str, error: Exception) -> Issue:
    message = f"no Dask scheduler answers: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
    return Issue("no-cluster", Blame.ENVIRONMENT, message, address, "`dask scheduler` starts one, and says its address")
