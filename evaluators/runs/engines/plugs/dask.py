"""`dask`: the workers of a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Event
from typing import Any, ClassVar, Final

from evaluators.runs.engines.engine import Crew
from evaluators.runs.engines.remote import Answer, Cluster, ClusterEngine, Shipped

_CONNECT_SECONDS: Final = 10
_START: Final = "`dask scheduler` starts one, and says its address"
_PRELOAD: Final = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
"""Ctrl-C is the driver's business, also for workers that it has started itself."""


class Dask(ClusterEngine):
    """Scores on the workers of a Dask cluster: `address: tcp://HOST:8786` is that of its scheduler."""

    packages: ClassVar[tuple[str, ...]] = ("distributed",)

    @contextmanager
    def crew(self) -> Iterator[Crew]:
        """Connects to the cluster, or starts one, and yields its workers; both end with the block. Raises Problems (environment) when no
        scheduler answers, or it has no workers."""
        import distributed

        with ExitStack() as stack:
            address = self.address
            if address is None:
                address = stack.enter_context(_own_cluster(self.workers)).scheduler_address
            try:
                client = distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
            except (OSError, ValueError) as error:
                raise self.no_cluster_problem(error, "Dask scheduler", _START) from error
            stack.callback(client.close)
            yield _DaskCluster(self, client)


@contextmanager
def _own_cluster(workers: int | None) -> Iterator[Any]:
    """Starts a cluster on this machine, with one process for each worker and nothing that others can reach, yields it, and stops it."""
    import logging

    from distributed import LocalCluster

    count = workers or len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else [0] * (os.cpu_count() or 1))
    with LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0", memory_limit=0,
        silence_logs=logging.CRITICAL, preload=[_PRELOAD],
    ) as cluster:  # fmt: skip
        yield cluster


class _DaskCluster(Cluster):
    """The scheduler does a task again whose worker is lost, as often as its `allowed-failures` says."""

    kind = "Dask"

    def __init__(self, settings: Dask, client: Any) -> None:
        import cloudpickle

        self._client, self._news = client, Event()
        super().__init__(settings, cloudpickle)

    def workers(self) -> int:
        try:
            return len(self._client.nthreads())
        except (OSError, ValueError) as error:
            raise self._settings.no_cluster_problem(error, "Dask scheduler", _START) from error

    def submit(self, shared: Shipped, task: Any) -> Any:
        """Sends the task to a worker, and returns its future. `finished_calls` wakes up when it ends."""
        future = self._client.submit(shared, task, pure=False)
        future.add_done_callback(lambda _: self._news.set())
        return future

    def finished_calls(self, calls: list[Any], seconds: float) -> list[Any]:
        """The calls that have ended. Waits up to so many seconds for news of any."""
        self._news.wait(seconds)
        self._news.clear()
        return [call for call in calls if call.done()]

    def answer(self, call: Any) -> Answer | None:
        """How the task ended; None where its worker was killed, the task was cancelled, or its result did not come in time."""
        import distributed

        try:
            answer: Answer = call.result(timeout=self._settings.wait_seconds)
        except (distributed.KilledWorker, distributed.CancelledError, distributed.TimeoutError):
            return None
        return answer

    def cancel(self, calls: list[Any]) -> None:
        if calls:
            self._client.cancel(calls, force=True)
