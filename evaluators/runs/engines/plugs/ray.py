"""`ray`: the workers of a Ray cluster. A split is one task, which takes one processor."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from typing import Any, ClassVar, Final

from evaluators.runs.engines.engine import Crew
from evaluators.runs.engines.remote import Answer, Cluster, ClusterEngine, Shipped

_CONNECT_SECONDS: Final = 10


class Ray(ClusterEngine):
    """Scores on the workers of a Ray cluster: `address: HOST:6379`, or `auto` for the one that runs on this machine."""

    packages: ClassVar[tuple[str, ...]] = ("ray",)

    @contextmanager
    def crew(self) -> Iterator[Crew]:
        """Connects to the cluster, or starts one, and yields its workers; both end with the block, unless the program was connected before.
        Raises Problems (environment) when no cluster answers, or it has no processor."""
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        import ray

        if ray.is_initialized():  # a cluster that the program is connected to already is the program's own
            yield _RayCluster(self, ray)
            return
        own = {} if self.address is not None else {"num_cpus": self.workers, "include_dashboard": False}
        try:
            _check_listening(self.address)
            with _keep_signal_handlers():
                ray.init(address=self.address or "local", log_to_driver=False, logging_level="ERROR", **own)
        except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            raise self.no_cluster_problem(
                error, "Ray cluster", "`ray start --head` starts one, and says its address"
            ) from error
        try:
            yield _RayCluster(self, ray)
        finally:
            with _keep_signal_handlers():
                ray.shutdown()


def _check_listening(address: str | None) -> None:
    """Checks that a server listens at the address; raises OSError where none does: Ray would try for some minutes."""
    host, _, port = (address or "").rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_SECONDS).close()


@contextmanager
def _keep_signal_handlers() -> Iterator[None]:
    """Puts the handlers of Ctrl-C and SIGTERM back after the block: Ray takes them over when it starts."""
    here = (signal.SIGINT, signal.SIGTERM) if current_thread() is main_thread() else ()
    before = {number: signal.getsignal(number) for number in here}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _RayCluster(Cluster):
    """Ray does a task again whose worker is lost, three times unless it is set up in another way."""

    kind = "Ray"

    def __init__(self, settings: Ray, ray: Any) -> None:
        self._ray, self._run_shipped = ray, ray.remote(num_cpus=1)(_run_shipped)
        super().__init__(settings, ray.cloudpickle)

    def workers(self) -> int:
        """How many processors the machines of the cluster have that are alive."""
        return sum(int(node["Resources"].get("CPU", 0)) for node in self._ray.nodes() if node["Alive"])

    def share(self, shipped: Shipped) -> Any:
        return self._ray.put(shipped)

    def submit(self, shared: Any, task: Any) -> Any:
        return self._run_shipped.remote(shared, task)

    def finished_calls(self, calls: list[Any], seconds: float) -> list[Any]:
        return list(self._ray.wait(calls, timeout=seconds)[0])

    def answer(self, call: Any) -> Answer | None:
        """How the task ended; None where its worker or its machine was lost, or had no memory left."""
        lost = self._ray.exceptions
        try:
            answer: Answer = self._ray.get(call)
        except (lost.WorkerCrashedError, lost.NodeDiedError, lost.OutOfMemoryError, lost.ObjectLostError):
            return None
        return answer

    def cancel(self, calls: list[Any]) -> None:
        for call in calls:
            with suppress(self._ray.exceptions.RayError, ValueError):
                self._ray.cancel(call, force=True)


def _run_shipped(shipped: Shipped, task: Any) -> Answer:
    return shipped(task)
