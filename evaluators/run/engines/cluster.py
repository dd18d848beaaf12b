"""What all engines for clusters share: what is sent, what is done with a lost worker, how a run is stopped, when to give up.

A cluster carries bytes: a call goes out, an answer comes back, or the call is lost with its worker. Who retries is decided
here, not by the cluster, so that it is the same everywhere, and so that it can be counted.
"""

from __future__ import annotations

import os
import pickle
import sys
import uuid
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from time import monotonic
from types import ModuleType
from typing import Any, ClassVar, Final, NamedTuple

from pydantic import Field

from evaluators.issues import Blame, Issue, Problems
from evaluators.registry import registered_plugs
from evaluators.run.engines.engine import Answer, Engine, Lost, RemoteCrew, Result, Task, never
from evaluators.run.engines.on_worker import Equipment, own_versions
from evaluators.values.transforms import registered_transforms

GUIDE: Final = "docs/integrations/clusters.md"
_HERE: Final = ("auto", "local")
"""Words for a cluster of this machine."""
_LOOK_SECONDS: Final = 0.1
"""How often the driver looks whether it was asked to stop, and whether workers are lost."""
_OF_FILES: Final = "evaluators_file_"
"""How the modules of plug files are called: see `evaluators.register_file`."""


class ClusterEngine(Engine):
    """The settings that all clusters have."""

    address: str | None = Field(None, min_length=1)
    """Where the cluster is. Without it, one is started on this machine for the run, and stopped after it."""
    retries: int = Field(2, ge=0, strict=True)
    """How often a split is scored once more when its worker is lost."""
    wait_seconds: int = Field(30, ge=1, strict=True)
    """How long the run waits for a worker when the cluster has none."""

    def addresses(self) -> tuple[str, ...]:
        """Where the cluster is: `tcp://` stands before an address that names no scheme."""
        if self.address is None or self.address in _HERE:
            return ()
        return (self.address if "://" in self.address else f"tcp://{self.address}",)


class Call(NamedTuple):
    """What is asked of a worker, as bytes: see `on_worker.perform`."""

    run_id: str
    versions: tuple[str, ...]
    equipment: bytes
    task: bytes


class Cluster(RemoteCrew):
    """The workers of a cluster that is connected, with what each kind of cluster does in its own way."""

    kind: ClassVar[str]
    """What messages call it."""

    def __init__(self, pickles: ModuleType, settings: ClusterEngine) -> None:
        """`pickles` is what pickles functions of a program by value: `cloudpickle`, or what the cluster brings along in its place."""
        self._pickles = pickles
        self._settings = settings
        from threading import Event

        since, pause = monotonic(), Event()
        while not self.workers():
            if monotonic() - since > settings.wait_seconds:
                raise Problems([self._no_worker()])
            pause.wait(_LOOK_SECONDS)

    def workers(self) -> int:
        """How many calls it can work on at the same time."""
        raise NotImplementedError  # the contract: each cluster has its own way

    def begin(self, call: Call) -> Hashable | None:
        """A call on its way, as something to wait for; None where no worker is free."""
        raise NotImplementedError  # the contract: each cluster has its own way

    def answers(self, seconds: float) -> Iterable[tuple[Any, bytes | None]]:
        """The calls that have an answer by now; None is one that was lost. Waits so long for the first.

        Raises Problems (environment) when the cluster is gone.
        """
        raise NotImplementedError  # the contract: each cluster has its own way

    def drop(self, calls: Iterable[Any]) -> None:
        """Nobody wants the answers of these."""
        raise NotImplementedError  # the contract: each cluster has its own way

    def stop(self, call: Call) -> None:
        """The tasks of the call's run are asked to stop where they can end well."""
        raise NotImplementedError  # the contract: each cluster has its own way

    def ask(self, call: Call) -> list[tuple[str, bytes | Exception]]:
        """The answer of each worker to the same call, or what kept it from answering, by the worker's name."""
        raise NotImplementedError  # the contract: each cluster has its own way

    @property
    def parallel(self) -> int:
        """How many tasks run at the same time."""
        return min(self.workers(), self._settings.workers or sys.maxsize)

    def ask_each(self, function: Callable[[], Answer]) -> Sequence[tuple[str, Answer]]:
        """What a function says on each worker, by the worker's name.

        Raises Problems (environment) for workers with other versions, and for those that lack what the run needs.
        """
        found: list[tuple[str, Answer]] = []
        issues: list[Issue] = []
        call = call_for(self._pickles, partial(_call_alone, function))
        for name, answer in self.ask(call._replace(task=pickle.dumps(None))):
            if isinstance(answer, Exception):
                issues.append(_cannot(name, f"{type(answer).__name__}: {answer}"))
                continue
            try:
                found.append(_opened(answer))
            except Problems as error:
                issues += error.issues
            except BrokenTask as error:
                issues.append(_cannot(name, str(error)))
        if issues:
            raise Problems(issues)
        return found

    def map(
        self, run: Callable[[Task], Result], tasks: Iterable[Task], stopped: Callable[[], bool] = never
    ) -> Iterator[Result | Lost[Task]]:
        """The result of each task, in any order. A task whose worker was lost is done again, `retries` times at most."""
        call, waiting, settings = call_for(self._pickles, run), iter(tasks), self._settings
        again: deque[tuple[Task, int]] = deque()  # each with how often it was begun
        running: dict[Any, tuple[Task, int]] = {}
        told, since = False, monotonic()
        try:
            while True:
                if not told and stopped():
                    self.stop(call)
                    told = True
                    again.clear()
                # one call waits, so that no worker does
                while len(running) <= (settings.workers or self.workers()):
                    one = again.popleft() if again else next(((task, 1) for task in waiting), None)
                    if one is None:
                        break
                    handle = self.begin(call._replace(task=pickle.dumps(one[0])))
                    if handle is None:
                        again.appendleft(one)
                        break
                    running[handle] = one
                if not running and not again:
                    return
                for handle, answer in self.answers(_LOOK_SECONDS):
                    task, times = running.pop(handle)
                    if answer is not None:
                        yield _opened(answer)[1]
                    elif told:
                        continue
                    elif times > settings.retries:
                        yield Lost(task, _lost(times))
                    else:
                        yield Lost(task)
                        again.append((task, times + 1))
                if running or self.workers():
                    since = monotonic()
                elif told:
                    return
                elif monotonic() - since > settings.wait_seconds:
                    yield Lost(again.popleft()[0], self._no_worker())
                    return
        finally:
            self.drop(running)

    def _no_worker(self) -> Issue:
        message = f"the {self.kind} cluster had no worker for {self._settings.wait_seconds} seconds"
        hint = "start workers, or let the run wait longer: wait_seconds in the settings of the engine"
        return Issue("no-worker", Blame.ENVIRONMENT, message, self._settings.address, hint)


class BrokenTask(RuntimeError):
    """A task raised something unforeseen on its worker. The worker's traceback is a note of it."""


def call_for(pickles: ModuleType, function: Callable[[Any], Any]) -> Call:
    """A call of a function, without its task. Functions and plugs of the program itself go along by value."""
    for module in [one for name, one in sys.modules.items() if name.startswith(_OF_FILES)]:
        pickles.register_pickle_by_value(module)
    run_id = uuid.uuid4().hex
    equipment = Equipment(run_id, os.getcwd(), function, registered_plugs(), registered_transforms())
    return Call(run_id, own_versions(), pickles.dumps(equipment), b"")


def _call_alone(function: Callable[[], Answer], _task: object) -> Answer:
    return function()


def _opened(answer: bytes) -> tuple[str, Any]:
    """The worker and its result. Raises Problems where the worker did, or has other versions; else what went wrong there."""
    worker, said, found = pickle.loads(answer)
    match said:
        case "done":
            return worker, found
        case "problems":
            raise Problems(found)
        case "differs":
            theirs, own = (f"Python {python} with evaluators {version}" for python, version in (found, own_versions()))
            message = f"the worker on {worker} has {theirs}, and this process has {own}"
            hint = "install the same versions on all workers"
            raise Problems([Issue("worker-versions", Blame.ENVIRONMENT, message, None, hint)])
        case "broken":
            error, trace = found
            broken = BrokenTask(f"{error} (on {worker})")
            broken.add_note(trace)
            raise broken
    raise TypeError(f"an answer of a kind that nobody knows: {said}")


def _cannot(worker: str, said: str) -> Issue:
    message = f"the worker {worker} cannot take part in the run: {said}"
    hint = f"what a worker needs to have is said in {GUIDE}"
    return Issue("worker-unfit", Blame.ENVIRONMENT, message, None, hint)


def _lost(times: int) -> Issue:
    message = f"each of {times} workers that scored these rows ended without a result; it may have run out of memory"
    hint = "give the workers more memory, or score these rows alone to see what they do"
    return Issue("worker-lost", Blame.ENVIRONMENT, message, None, hint)
