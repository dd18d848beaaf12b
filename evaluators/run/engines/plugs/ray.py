"""`ray`: the workers of a Ray cluster.

Each call is one task that takes one processor and that Ray never repeats by itself. Tasks have no line to the driver, so a run that is
asked to stop leaves a name in the cluster, and tasks look for it now and then.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread, current_thread, main_thread
from time import monotonic
from typing import Any, ClassVar, Final

from evaluators.issues import Blame, Issue, Problems
from evaluators.run.engines.cluster import Call, Cluster, ClusterEngine
from evaluators.run.engines.engine import Crew
from evaluators.run.engines.on_worker import perform, stop

_COUNT_SECONDS: Final = 0.5
"""How often the cluster is asked which processors it has."""
_LOOK_SECONDS: Final = 0.3
"""How often a task looks whether its run is asked to stop."""
_ANSWER_SECONDS: Final = 60
_CONNECT_SECONDS: Final = 10
_NAMES: Final = "evaluators"
"""The namespace of the names that runs leave."""


class Ray(ClusterEngine):
    """Scores on the workers of a Ray cluster: `address: HOST:6379`, or `auto` for the one that runs on this machine."""

    packages: ClassVar[tuple[str, ...]] = ("ray",)

    @contextmanager
    def crew(self) -> Iterator[Crew]:
        """The workers of the cluster. Raises Problems (environment) when no cluster answers, or it has no processor."""
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        import ray

        if ray.is_initialized():  # a cluster that the program is connected to already is the program's own
            yield _RayCluster(ray, self)
            return
        try:
            _somebody_listens(self.address)
            with _own_signals():
                self._connect(ray)
        except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            raise Problems([_no_cluster(self.address, error)]) from error
        try:
            yield _RayCluster(ray, self)
        finally:
            with _own_signals():
                ray.shutdown()

    def _connect(self, ray: Any) -> None:
        quiet = {"log_to_driver": False, "logging_level": "ERROR", "namespace": _NAMES}
        if self.address is None:
            ray.init(address="local", num_cpus=self.workers, include_dashboard=False, **quiet)
        else:
            ray.init(address=self.address, **quiet)


def _somebody_listens(address: str | None) -> None:
    """Raises OSError where nobody does: Ray looks for some minutes before it says so."""
    host, _, port = (address or "").rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_SECONDS).close()


@contextmanager
def _own_signals() -> Iterator[None]:
    """Ctrl-C and SIGTERM stay the caller's business: Ray takes them over when it starts."""
    if current_thread() is not main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _RayCluster(Cluster):
    kind = "Ray"

    def __init__(self, ray: Any, settings: Ray) -> None:
        from ray import cloudpickle

        self._ray = ray
        self._perform: Any = ray.remote(max_retries=0, num_cpus=1)(_perform_on_ray)
        self._greet: Any = ray.remote(max_retries=0, num_cpus=0)(perform)
        self._calls: set[Any] = set()
        self._equipment: tuple[str, Any] = ("", None)
        """The run under way, and what its calls share: once in the cluster."""
        self._known = 0
        self._counted = float("-inf")
        self._stop_name: Any = None
        """Held as long as the run is asked to stop."""
        super().__init__(cloudpickle, settings)

    def workers(self) -> int:
        if monotonic() - self._counted > _COUNT_SECONDS:
            self._known = sum(int(node["Resources"].get("CPU", 0)) for node in self._nodes())
            self._counted = monotonic()
        return self._known

    def begin(self, call: Call) -> Any:
        if self._equipment[0] != call.run_id:
            self._equipment = call.run_id, self._ray.put(call.equipment)
        reference = self._perform.remote(call.versions, self._equipment[1], call.task, call.run_id)
        self._calls.add(reference)
        return reference

    def answers(self, seconds: float) -> Iterable[tuple[Any, bytes | None]]:
        if not self._calls:
            Event().wait(seconds)
            return []
        waiting = list(self._calls)
        done, _ = self._ray.wait(waiting, num_returns=1, timeout=seconds)
        if done:
            done, _ = self._ray.wait(waiting, num_returns=len(waiting), timeout=0)
        self._calls.difference_update(done)
        return [(reference, self._answer(reference)) for reference in done]

    def drop(self, calls: Iterable[Any]) -> None:
        for reference in list(calls):
            self._calls.discard(reference)
            with suppress(self._ray.exceptions.RayError, ValueError):
                self._ray.cancel(reference, force=True)

    def stop(self, call: Call) -> None:
        named = self._ray.remote(num_cpus=0)(_Name).options(name=call.run_id, namespace=_NAMES)
        self._stop_name = named.remote()

    def ask(self, call: Call) -> list[tuple[str, bytes | Exception]]:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        asked = {}
        for node in self._nodes():
            there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            reference = self._greet.options(scheduling_strategy=there).remote(call.versions, call.equipment, call.task)
            asked[reference] = str(node["NodeManagerAddress"])
        return [(name, self._said(reference)) for reference, name in asked.items()]

    def _answer(self, reference: Any) -> bytes | None:
        lost = self._ray.exceptions
        try:
            answer: bytes = self._ray.get(reference)
        except (lost.WorkerCrashedError, lost.NodeDiedError, lost.OutOfMemoryError, lost.ObjectLostError):
            return None
        return answer

    def _said(self, reference: Any) -> bytes | Exception:
        try:
            answer: bytes = self._ray.get(reference, timeout=_ANSWER_SECONDS)
        except Exception as error:  # whatever it is, the worker cannot do what all of them must
            return error
        return answer

    def _nodes(self) -> list[Any]:
        return [node for node in self._ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]


class _Name:
    """It is there under the name of a run: that is all it says."""


def _perform_on_ray(versions: tuple[str, ...], equipment: bytes, task: bytes, run_id: str) -> bytes:
    """One call, and somebody who looks beside it whether the run is asked to stop."""
    over = Event()
    Thread(target=_look, args=(run_id, over), daemon=True, name="evaluators-stop").start()
    try:
        return perform(versions, equipment, task)
    finally:
        over.set()


def _look(run_id: str, over: Event) -> None:
    import ray

    while not over.wait(_LOOK_SECONDS):
        try:
            ray.get_actor(run_id, namespace=_NAMES)
        except ValueError:  # nobody has left the name
            continue
        stop(run_id)
        return


def _no_cluster(address: str | None, error: Exception) -> Issue:
    said = str(error).strip().splitlines()
    message = f"no Ray cluster answers: {said[0] if said else type(error).__name__}"
    return Issue("no-cluster", Blame.ENVIRONMENT, message, address, "`ray start --head` starts one, and says its address")
