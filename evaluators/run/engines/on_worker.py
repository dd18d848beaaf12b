"""What a worker of a cluster does when it is called: look at versions, make itself ready, run, answer in bytes.

A call is bytes and its answer is bytes, so that no engine looks into either. Versions are compared before anything of a call is
unpacked. A worker process does one thing at a time, whoever asks: what a run sets up (the working folder, plugs of a program)
holds for the process.
"""

from __future__ import annotations

import os
import pickle
import platform
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from threading import Lock
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from evaluators.issues import Problems
from evaluators.model import __version__
from evaluators.registry import plugs_in_place
from evaluators.run.engines.engine import look_there
from evaluators.values.transforms import transforms_in_place


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
