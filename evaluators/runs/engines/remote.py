"""The workers of a cluster as a `map`: what is sent to them, how long the run waits for one, and what is said when they are lost.

Who does a task again whose worker is gone is the cluster's own business.
"""

from __future__ import annotations

import os
import pickle
import platform
import sys
import traceback
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from threading import Event, Lock
from time import monotonic
from types import ModuleType
from typing import Any, ClassVar, Final, Literal, TypeAlias

from pydantic import Field

from evaluators.model.issues import Blame, Issue, Problems
from evaluators.model.registry import plugs_in_place, registered_plugs
from evaluators.model.rows import __version__
from evaluators.runs.engines.engine import Engine, Lost, Result, Stopped, Task, UnderWay, never, worker_lost_issue
from evaluators.scoring.values.transforms import registered_transforms, transforms_in_place

_LOOK_SECONDS: Final = 0.1
"""How often the driver looks whether it was asked to stop, and whether workers are there."""
_OF_FILES: Final = "evaluators_file_"
"""How the modules of plug files are called: see `evaluators.register_file`."""
_one_at_a_time: Final = Lock()
"""A worker process scores one split at a time, however many threads it has: its folder and its plugs are those of the process."""
_MORE: Final = "give the workers more memory, or score these rows alone to see what they do"
Answer: TypeAlias = tuple[Literal["done", "problems", "broken"], Any]
"""How a task ended: with its result; with Problems, as issues; in a way that nobody had foreseen, with the error and its trace."""


class ClusterEngine(Engine):
    """The settings that all clusters have."""

    address: str | None = Field(None, min_length=1)
    """Where the cluster is. Without it, one is started on this machine for the run, and stopped after it."""
    wait_seconds: int = Field(30, ge=1, strict=True)
    """How long the run waits for a worker when the cluster has none."""

    def addresses(self) -> tuple[str, ...]:
        """The addresses of the cluster: `tcp://` stands before one that names no scheme."""
        if self.address in (None, "auto", "local"):
            return ()
        return (self.address if "://" in self.address else f"tcp://{self.address}",)

    def no_cluster_problem(self, error: Exception, what: str, hint: str) -> Problems:
        """The problem (environment) that no cluster answers at the address. `error` is what connecting raised, `what` would
        have answered, and `hint` says what to do."""
        message = (str(error).strip().splitlines() or [type(error).__name__])[0]
        return Problems([Issue("no-cluster", Blame.ENVIRONMENT, f"no {what} answers: {message}", self.address, hint)])


class Cluster:
    """The workers of a cluster that is connected. What each kind of cluster does in its own way is below `map`."""

    kind: ClassVar[str]
    """What messages call it."""

    def __init__(self, settings: ClusterEngine, pickles: ModuleType) -> None:
        """`pickles` is what pickles functions of a program by value. Raises Problems (environment) where no worker comes."""
        self._settings, self._pickles = settings, pickles
        since, pause = monotonic(), Event()
        while not self.workers():
            if monotonic() - since > settings.wait_seconds:
                raise Problems([self._no_worker_issue()])
            pause.wait(_LOOK_SECONDS)

    @property
    def parallel(self) -> int:
        """How many tasks run at the same time."""
        return min(max(1, self.workers()), self._settings.workers or sys.maxsize)

    def map(
        self, run: Callable[[Task, Stopped], Result], tasks: Iterable[Task], stopped: Stopped = never
    ) -> Iterator[Result | Lost[Task]]:
        """Yields the result of each task, in any order. A task whose worker is gone comes as `Lost`; where no worker has been there for
        `wait_seconds`, one task comes as `Lost` and the work ends. Once the run is asked to stop, nobody waits for the tasks under way:
        they are cancelled."""
        shared, under_way, since = self.share(Shipped(self._pickles, run)), UnderWay(tasks), monotonic()
        try:
            while not stopped():
                under_way.begin(partial(self.submit, shared), self.parallel)
                if not under_way.calls:
                    return
                for call in self.finished_calls(list(under_way.calls), _LOOK_SECONDS):
                    answer, task = self._answer(call), under_way.end(call)
                    if answer is not None:
                        yield _result_of(answer)
                    else:
                        yield Lost(task, worker_lost_issue(_MORE) if self.workers() else self._no_worker_issue())
                if self.workers():
                    since = monotonic()
                elif monotonic() - since > self._settings.wait_seconds:
                    yield Lost(under_way.end(next(iter(under_way.calls))), self._no_worker_issue())
                    return
        finally:
            self.cancel(list(under_way.calls))

    def _answer(self, call: Any) -> Answer | None:
        """How the task of the call ended; None where its worker was lost. Raises Problems (environment) where the worker could not
        begin."""
        try:
            return self.answer(call)
        except Exception as error:  # whatever it is, the worker could not begin
            raise Problems([_unfit_issue("a worker", error)]) from error

    def _no_worker_issue(self) -> Issue:
        """The issue (environment) that the cluster had no worker for as long as the run waits."""
        message = f"the {self.kind} cluster had no worker for {self._settings.wait_seconds} seconds"
        hint = "start workers, or let the run wait longer: wait_seconds in the settings of the engine"
        return Issue("no-worker", Blame.ENVIRONMENT, message, self._settings.address, hint)

    def workers(self) -> int:
        """How many tasks it can work on at the same time. Raises Problems (environment) when the cluster is gone."""
        raise NotImplementedError  # the contract: each cluster has its own way

    def share(self, shipped: Shipped) -> Any:
        """The job in the form that `submit` takes; a cluster may send it ahead of the tasks."""
        return shipped

    def submit(self, shared: Any, task: Any) -> Hashable:
        """Sends a task to a worker and returns a handle to wait for."""
        raise NotImplementedError  # the contract: each cluster has its own way

    def finished_calls(self, calls: list[Any], seconds: float) -> Iterable[Any]:
        """The calls that have ended. Waits up to so many seconds for the first."""
        raise NotImplementedError  # the contract: each cluster has its own way

    def answer(self, call: Any) -> Answer | None:
        """How a task ended; None where its worker was lost, and those that took it over."""
        raise NotImplementedError  # the contract: each cluster has its own way

    def cancel(self, calls: list[Any]) -> None:
        """Cancels calls whose answers are not needed any more."""
        raise NotImplementedError  # the contract: each cluster has its own way


class Shipped:
    """A function that works elsewhere as it does here, with what the driver's program has registered."""

    def __init__(self, pickles: ModuleType, function: Callable[[Any, Stopped], Any]) -> None:
        """Pickles the function with the registered plugs and transforms. The modules of plug files are pickled by value, as workers do not
        have them."""
        for module in [module_ for name, module_ in sys.modules.items() if name.startswith(_OF_FILES)]:
            pickles.register_pickle_by_value(module)
        self._versions, self._folder = _versions_text(), os.getcwd()
        self._body: bytes = pickles.dumps((function, registered_plugs(), registered_transforms()))

    def __call__(self, task: Any) -> Answer:
        """Runs the function on a task and returns how it ended: `done` with the result, `problems` with the issues, or `broken` with the
        words and the traceback of an error. Versions are compared before anything is unpacked; nothing is raised."""
        if (own := _versions_text()) != self._versions:
            message = (
                f"the worker on {_process_name()} has {own}, and the process that runs the suite has {self._versions}"
            )
            hint = "install the same versions on all workers"
            return "problems", [Issue("worker-versions", Blame.ENVIRONMENT, message, None, hint)]
        with _one_at_a_time, _in_working_folder(self._folder):
            try:
                function, plugs, transforms = _unpickle_once(self._body)
            except Exception as error:  # it needs something that only the driver has
                return "problems", [_unfit_issue(f"the worker on {_process_name()}", error)]
            try:
                with plugs_in_place(plugs), transforms_in_place(transforms):
                    return "done", function(task, never)
            except Problems as error:
                return "problems", error.issues
            except Exception as error:  # told to the driver, which says whose fault it is
                return "broken", (f"{type(error).__name__}: {error} (on {_process_name()})", traceback.format_exc())


def _result_of(answer: Answer) -> Any:
    """The result in a worker's answer. Raises Problems where the worker did, and RuntimeError with the worker's traceback for
    an error that nobody had foreseen."""
    how, value = answer
    if how == "done":
        return value
    if how == "problems":
        raise Problems(value)
    error = RuntimeError(value[0])
    error.add_note(value[1])
    raise error


@lru_cache(maxsize=1)
def _unpickle_once(body: bytes) -> Any:
    """The function and plugs that a driver pickled. The cache gives all tasks of a run the same object, so that a class of the
    driver's program is one class."""
    return pickle.loads(body)


def _versions_text() -> str:
    """The versions of Python and of this package, which the worker and the driver must share."""
    return f"Python {sys.version_info.major}.{sys.version_info.minor} with evaluators {__version__}"


def _process_name() -> str:
    """This machine and process, as messages name them."""
    return f"{platform.node()} (process {os.getpid()})"


@contextmanager
def _in_working_folder(folder: str) -> Iterator[None]:
    """Makes the driver's working folder that of this process for the `with` block, where the worker has such a folder: relative
    places then mean the same."""
    before = os.getcwd()
    with suppress(OSError):
        os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _unfit_issue(worker: str, error: Exception) -> Issue:
    """The issue (environment) of a worker that could not begin, with the last line of the error."""
    last = (str(error).strip().splitlines() or [""])[-1]
    message = f"{worker} cannot take part in the run: {type(error).__name__}: {last}"
    hint = "what a worker needs to have is said in docs/integrations/clusters.md"
    return Issue("worker-unfit", Blame.ENVIRONMENT, message, None, hint)
