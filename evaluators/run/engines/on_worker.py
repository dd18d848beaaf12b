"""What a worker of a cluster does when it is called: look at versions, make itself ready, run, answer in bytes.

A call is bytes and its answer is bytes, so that no engine looks into either. Versions are compared before anything of a call is
unpacked. A worker process does one thing at a time, whoever asks: what a run sets up (the working folder, plugs of a program)
holds for the process.
"""

from __future__ import annotations

import os
import pickle
import platform
import re
import sys
import traceback
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from msgspec.structs import replace

from evaluators.issues import Blame, Issue, Problems
from evaluators.model import __version__
from evaluators.registry import plugs_in_place
from evaluators.run.engines.engine import RemoteCrew, look_there
from evaluators.run.job import Job, ShippedSuite
from evaluators.testsets.byte_source import ByteSource
from evaluators.values.transforms import transforms_in_place

if TYPE_CHECKING:
    from evaluators.api.suite import Suite


class Equipment(NamedTuple):
    """What a run brings along, the same for all its calls."""

    run_id: str
    folder: str
    """The working folder of the driver; a worker that has it goes there, so that relative places mean the same."""
    function: Callable[[Any], Any]
    plugs: dict[str, dict[str, type[Any]]]
    """What the driver's program has registered: plugs by name, by socket."""
    transforms: dict[str, Any]


Said: TypeAlias = Literal["done", "problems", "differs", "broken"]
"""How a call ended: well, with its result; with Problems, as issues; before it began, with the worker's other versions; in a way that
nobody had foreseen, with the error and its trace."""


_one_at_a_time: Final = Lock()
_stopped: Final[set[str]] = set()


def own_versions() -> tuple[str, str]:
    """What must be the same wherever a run computes: the version of Python, such as `3.12`, and that of this package."""
    return f"{sys.version_info.major}.{sys.version_info.minor}", __version__


def perform(versions: tuple[str, ...], equipment: bytes, task: bytes) -> bytes:
    """The answer to one call, as bytes: the name of this process, how the call ended, and what there is to say of it."""
    return pickle.dumps((f"{platform.node()} (process {os.getpid()})", *_answer(versions, equipment, task)))


@lru_cache(maxsize=1)
def _unpacked(equipment: bytes) -> Equipment:
    """Once for all calls of a run: classes of the driver's program are the same ones then."""
    found: Equipment = pickle.loads(equipment)
    return found


def stop(run_id: str) -> None:
    """From now on, the tasks of a run are asked to stop."""
    _stopped.add(run_id)


def _answer(versions: tuple[str, ...], equipment: bytes, task: bytes) -> tuple[Said, Any]:
    if (mine := own_versions()) != versions:
        return "differs", mine
    try:
        with _one_at_a_time:
            own = _unpacked(equipment)
            with _at_work(own):
                return "done", own.function(pickle.loads(task))
    except Problems as error:
        return "problems", error.issues
    except Exception as error:  # told to the driver, which says whose fault it is
        return "broken", (f"{type(error).__name__}: {error}", traceback.format_exc())


@contextmanager
def _at_work(equipment: Equipment) -> Iterator[None]:
    """This process as the driver is, for the time of a call."""
    look_there(lambda: equipment.run_id in _stopped)
    before = os.getcwd()
    with suppress(OSError):
        os.chdir(equipment.folder)
    try:
        with plugs_in_place(equipment.plugs), transforms_in_place(equipment.transforms):
            yield
    finally:
        os.chdir(before)


_VARIABLE: Final = re.compile(r"\$\{(\w+)")


Lacking: TypeAlias = tuple[list[str], bool, tuple[Issue, ...]]
"""What a worker lacks: the files of the test set that it does not see as the driver does; whether it does not see the file that workers
share while they ask a judge; what keeps it from reading the suite."""


def sent_suite(suite: Suite) -> ShippedSuite:
    """The suite for workers on other machines, with the variables that it takes from the environment, and no others."""
    shipped = replace(suite.shipped(), run_id=uuid.uuid4().hex)
    if suite.environment is not None:
        return shipped
    texts = [str(suite.given)] if suite.given is not None else [one.text for one in suite.config.source.documents]
    names = {name for text in texts for name in _VARIABLE.findall(text)}
    return replace(shipped, environment={name: value for name, value in os.environ.items() if name in names})


def check_workers(crew: RemoteCrew, jobs: Sequence[Job]) -> None:
    """Asks all workers. Raises Problems (environment) with what each of them lacks."""
    job = jobs[0]
    sources = tuple(dict.fromkeys(source for one in jobs for source in one.table.files))
    sizes = tuple((source, source.size) for source in sources)
    ask: Callable[[], Lacking] = partial(_lacking, job, sizes)
    issues: list[Issue] = []
    for worker, (unseen, asks_alone, found) in crew.ask_each(ask):
        message = f"the worker on {worker} does not see this file, or sees another one"
        hint = "put it where all workers see it under the same path, and run the command there"
        issues += [Issue("unseen-file", Blame.ENVIRONMENT, message, name, hint) for name in unseen]
        issues += [_unreadable(worker, issue) for issue in found]
        if asks_alone:
            message = f"the worker on {worker} is another machine, and a suite that asks a judge is scored on one machine"
            hint = "--engine processes scores it here"
            issues.append(Issue("worker-asks-alone", Blame.ENVIRONMENT, message, None, hint))
    if issues:
        raise Problems(issues)


def _lacking(job: Job, sizes: Sequence[tuple[ByteSource, int]]) -> Lacking:
    """What this process says, which is a worker."""
    unseen = [source.name for source, size in sizes if not _sees(source, size)]
    asks_alone = job.asking is not None and not os.path.exists(job.asking)
    try:
        job.suite.lines()
    except Problems as error:
        return unseen, asks_alone, error.issues
    return unseen, asks_alone, ()


def _sees(source: ByteSource, size: int) -> bool:
    try:
        return source.size == size
    except (OSError, Problems):
        return False


def _unreadable(worker: str, issue: Issue) -> Issue:
    message = f"the worker on {worker} cannot read the suite: {issue.message}"
    hint = (
        f"{issue.hint + '; ' if issue.hint else ''}what a worker needs to have is said in docs/integrations/clusters.md"
    )
    return replace(issue, code="worker-unfit", blame=Blame.ENVIRONMENT, message=message, hint=hint)
