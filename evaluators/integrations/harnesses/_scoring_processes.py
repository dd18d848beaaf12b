"""Processes that score what requests ask, each of which can be ended.

Strategy. A request is scored in a process that scores nothing else meanwhile, and the thread that waits for it has a clock. A process
that takes longer than it may is ended, and the next request starts another one. Processes are started anew ("spawn"): a service has
threads, and to fork those is not safe. What a program has registered goes along, as far as another process can import it. A process
whose service is gone ends by itself.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import pickle
import shutil
import signal
import tempfile
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from evaluators.api.loading import load_shipped
from evaluators.api.suite import Suite
from evaluators.integrations.harnesses._host_rows import Places
from evaluators.integrations.harnesses._scorer import SuiteScorer
from evaluators.integrations.harnesses._webhook import answer_to
from evaluators.model.issues import Blame, Issue, Problems, problem
from evaluators.model.registry import plugs_in_place, registered_plugs
from evaluators.runs.asking_run import asks_anybody
from evaluators.runs.job import ShippedSuite
from evaluators.scoring.comparators._functions import FunctionComparator, remaking_call
from evaluators.scoring.judges.asking import asking_with
from evaluators.scoring.judges.session import Session, session_in
from evaluators.scoring.values.json_text import to_text
from evaluators.scoring.values.transforms import registered_transforms, transforms_in_place

Reply: TypeAlias = tuple[int, bytes]
"""A status of HTTP and the body as it is sent."""

_GRACE_SECONDS: Final = 5.0
"""How much later than its service a process ends itself: in case that nobody is there to end it."""


class ProcessLost(Exception):
    """Raised where a process ended before it had answered. Its argument is the exit code."""


class Equipment(NamedTuple):
    """The data that each process needs to score; all processes have the same."""

    suites: Mapping[str, ShippedSuite]
    columns: Places
    plugs: Mapping[str, Mapping[str, type[Any]]]
    transforms: Mapping[str, Any]
    asking: Mapping[str, str]
    """The files that the processes share while they ask, by suite: budgets hold for all of them together."""


class ScoringProcesses:
    """A pool of processes, as many as there are requests at once. Threads may share it."""

    def __init__(self, suites: Mapping[str, Suite], columns: Places) -> None:
        """Nothing is started yet. Raises Problems (config) where what a program has registered cannot be sent to another process."""
        asking = [name for name, suite in suites.items() if asks_anybody(suite)]
        self._asking = {name: f"session-{number}.sqlite" for number, name in enumerate(asking)}
        shipped = {name: suite.for_workers() for name, suite in suites.items()}
        self._equipment = _pickle_equipment(
            Equipment(shipped, columns, registered_plugs(), registered_transforms(), self._asking)
        )
        self._lock = threading.Lock()
        self._folder: Path | None = None
        self._idle: list[_Process] = []
        self._every: set[_Process] = set()
        self.closed = False
        """Nothing is scored until the next `start`."""
        weakref.finalize(self, _end_all, self._every).atexit = False  # they are daemons, which end with the program

    def start(self) -> None:
        """Starts a process, unless one is there already; also after `close`. Raises Problems with what keeps it from scoring."""
        with self._lock:
            self.closed = False
        with self._own_process():
            pass

    def answer(self, name: str, raw: bytes, seconds: float) -> Reply:
        """The reply to a request to the suite of that name.

        Raises TimeoutError when it took longer than so many seconds, ProcessLost when the process ended over it, and Problems when no
        process can be started. Then the process is gone.
        """
        with self._own_process() as process:
            return process.answer(name, raw, seconds)

    def close(self) -> None:
        """Ends all processes, whatever they are at."""
        with self._lock:
            self.closed = True
            self._idle.clear()
        _end_all(self._every)

    @contextmanager
    def _own_process(self) -> Iterator[_Process]:
        """A process for this caller alone. It is ended where its use raises."""
        process = self._take_idle() or self._start_process()
        try:
            yield process
        except BaseException:
            self._end_process(process)
            raise
        with self._lock:
            self._idle.append(process)  # one that was ended meanwhile is found to be so when it is taken

    def _take_idle(self) -> _Process | None:
        """An idle process that is still alive; None where there is none. Dead ones are cleared away."""
        while True:
            with self._lock:
                process = self._idle.pop() if self._idle else None
            if process is None or process.is_alive:
                return process
            self._end_process(process)

    def _start_process(self) -> _Process:
        """Starts a process, adds it to those of the service, and gives it when it is ready to score. The first one, where suites ask a
        judge, also makes the folder that processes share. Raises Problems when the service is closed or the process cannot start, and then
        ends it."""
        with self._lock:
            if self.closed:
                raise problem("service-closed", "the service is closed, so nothing is scored any more")
            if self._folder is None and self._asking:
                self._folder = Path(tempfile.mkdtemp(prefix="evaluators-serve-"))
                weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            process = _Process(self._equipment, self._folder)
            self._every.add(process)
        try:
            process.wait_until_ready()
        except BaseException:
            self._end_process(process)
            raise
        return process

    def _end_process(self, process: _Process) -> None:
        """Ends a process and forgets it, and releases the questions that it was asking a judge, so that no other process waits for them."""
        process.end()
        self._every.discard(process)
        files = [self._folder / name for name in self._asking.values()] if self._folder is not None else []
        for file in files:
            if file.exists():  # nobody is to wait for what it was asking
                session = Session(file)
                session.release_process(process.number)
                session.close()


class _Process:
    """A process, as its service sees it."""

    def __init__(self, equipment: bytes, folder: Path | None) -> None:
        """Starts the process. `equipment` are the pickled suites and what is registered; `folder` is for what processes share, and None
        where no suite asks a judge."""
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        # a process of the service alone: it is ended, at the latest, when the program exits
        self._process = context.Process(
            target=_run_worker, args=(theirs, equipment, folder), name="evaluators-serve", daemon=True
        )
        self._process.start()
        self.number = self._process.pid or 0
        theirs.close()

    @property
    def is_alive(self) -> bool:
        """Whether the process can be given work."""
        return self._process.is_alive()

    def wait_until_ready(self) -> None:
        """Waits until the process has read the suites. Raises Problems with what kept it from that."""
        try:
            issues: tuple[Issue, ...] = self._connection.recv()
        except (EOFError, OSError):
            self.end()
            message = f"the process that scores ended at its start, with exit code {self._process.exitcode}"
            hint = 'a program starts a service under `if __name__ == "__main__":`; what went wrong was printed'
            raise Problems([Issue("no-process", Blame.ENVIRONMENT, message, hint=hint)]) from None
        if issues:
            raise Problems(issues)

    def answer(self, name: str, raw: bytes, seconds: float) -> Reply:
        """The reply to a request to the suite of that name. Raises TimeoutError where it takes longer than so many seconds, and ProcessLost
        where the process ended over it."""
        try:
            self._connection.send((name, raw, seconds))
            if not self._connection.poll(seconds):
                raise TimeoutError
            reply: Reply = self._connection.recv()
        except TimeoutError:
            raise
        except (EOFError, OSError):
            self.end()
            raise ProcessLost(self._process.exitcode) from None
        return reply

    def end(self) -> None:
        """Ends the process, whatever it is at, and waits until it is gone."""
        self._process.kill()
        self._process.join()


def _end_all(processes: set[_Process]) -> None:
    """Ends all processes and empties the set."""
    for process in list(processes):
        process.end()
    processes.clear()


class _Pickler(pickle.Pickler):
    """Sends comparators that are functions by what they are made of: their classes are in no module."""

    def reducer_override(self, given: Any) -> Any:
        """How a comparator that is made of a function is pickled: as the call that makes it again, since its class is in no
        module. NotImplemented leaves everything else to pickle."""
        if isinstance(given, type) and issubclass(given, FunctionComparator) and given is not FunctionComparator:
            return remaking_call(given)
        return NotImplemented


def _pickle_equipment(equipment: Equipment) -> bytes:
    """The equipment as bytes for a process. Raises Problems (config) where something registered cannot be imported there."""
    written = io.BytesIO()
    try:
        _Pickler(written).dump(equipment)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        hint = "write functions and classes at the top level of a module that can be imported"
        message = f"what the program has registered cannot be sent to the process that scores: {error}"
        raise problem("cannot-be-sent", message, hint=hint) from error
    return written.getvalue()


def _run_worker(service: Connection, equipment: bytes, folder: Path | None) -> None:
    """The loop of a process: it answers requests until it is ended. `folder` is for what processes share.

    Ctrl-C is the business of the service.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_service, daemon=True, name="service-watch").start()
    with suppress(EOFError, OSError):  # the service is gone
        try:
            own: Equipment = pickle.loads(equipment)
            with plugs_in_place(own.plugs), transforms_in_place(own.transforms):
                _answer_requests(service, own, folder)
        except Problems as error:
            service.send(error.issues)


def _answer_requests(service: Connection, own: Equipment, folder: Path | None) -> None:
    """Answers one request after another, until the connection is cut; the first thing it sends is an empty tuple, which says that it is
    ready. `own` has the suites, and `folder` the files by which processes share what they ask. A request that takes longer than it may, and
    some seconds more, ends the process."""
    scorers = {
        name: SuiteScorer(load_shipped(suite), columns=own.columns, keep=False) for name, suite in own.suites.items()
    }
    sessions = {name: str(folder / file) for name, file in own.asking.items()} if folder is not None else {}
    service.send(())
    while True:
        name, raw, seconds = service.recv()
        with (
            _end_process_after(seconds + _GRACE_SECONDS),
            session_in(sessions.get(name)) as session,
            asking_with(session=session),
        ):
            status, body = answer_to(scorers[name], raw)
            reply = status, to_text(dict(body)).encode()
        service.send(reply)


@contextmanager
def _end_process_after(seconds: float) -> Iterator[None]:
    """A context that makes the system end this process when the block takes more than so many seconds, even if its parent has died. Where a
    system has no such timer, such as Windows, nothing is limited."""
    timer = getattr(signal, "setitimer", None)
    if timer is None:
        yield
        return
    timer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        timer(signal.ITIMER_REAL, 0)


def _end_with_service() -> None:
    """Waits for the service that started this process to end, and then ends this process at once."""
    service = multiprocessing.parent_process()
    if service is not None:
        service.join()
        os._exit(1)
