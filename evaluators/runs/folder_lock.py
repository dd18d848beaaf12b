"""The lock of a run folder: whether the program that fills it is still there.

The system lets go of it when the program ends, however it ends. Worker processes that were forked hold it a moment longer.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, TypeAlias

from evaluators.model.issues import Blame, Issue

LOCK: Final = "lock"
_TRIES: Final = 60
_PAUSE_SECONDS: Final = 0.05
_HELD: Final = frozenset((errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK))
Holding: TypeAlias = Literal["mine", "others", "unknown"]
"""`unknown`: this file system has no locks, or the folder is somebody else's."""


class FolderLock:
    """The lock of one folder."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / LOCK
        self._descriptor: int | None = None

    def take(self, patiently: bool = False) -> Holding:
        """Takes the lock and returns its holder. `patiently` waits some seconds for others: workers end a moment after their run.

        Raises OSError where the folder cannot be written.
        """
        for again in range(_TRIES if patiently else 1):
            if again:
                time.sleep(_PAUSE_SECONDS)
            descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
            held = _try_lock(descriptor)
            if held != "others" and _is_still_at(descriptor, self._file):
                self._descriptor = descriptor
                return held
            os.close(descriptor)
        return "others"

    def release(self, ended: bool = False) -> None:
        """Releases the lock, if it is held. The file is deleted where the run has `ended`; else it stays, as its time says when the run
        was begun."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
            if ended:
                with suppress(OSError):
                    os.unlink(self._file)


def lock_state(folder: Path) -> Holding:
    """The state of a folder's lock: `others` while another process works in it, `mine` where nobody does, `unknown` where it cannot be
    tried. A lock that is taken to find out is released again."""
    lock = FolderLock(folder)
    try:
        os.lstat(folder / LOCK)
        return lock.take()
    except FileNotFoundError:
        return "mine"
    except OSError:  # somebody else's folder
        return "unknown"
    finally:
        lock.release()


def delete_stale_lock(folder: Path) -> None:
    """Deletes the file of a lock that no process holds: a finished run that was killed at its very end has left it."""
    if os.path.lexists(folder / LOCK):
        lock = FolderLock(folder)
        with suppress(OSError):
            lock.release(ended=lock.take() == "mine")


def run_going_issue(folder: Path, held: Holding) -> Issue:
    """The issue (environment) of a run whose folder another process holds; or may hold, where `held` is not `others`."""
    if held == "others":
        message = "this run is still going: another process works in its folder"
        return Issue("run-going", Blame.ENVIRONMENT, message, str(folder), "wait for its end, or stop that process")
    message = "it cannot be told whether this run is still going: the file system has no locks"
    return Issue("run-going", Blame.ENVIRONMENT, message, str(folder), "copy the folder to a local disk")


def _try_lock(descriptor: int) -> Holding:
    """Tries to lock the open file, without waiting: `mine`, `others` where another process holds it, `unknown` where the system cannot
    say."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return "others" if error.errno in _HELD else "unknown"
    return "mine"


def _is_still_at(descriptor: int, file: Path) -> bool:
    """Whether the open file is still at its path: the process that held its lock before may have deleted it."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(file))
    except OSError:
        return False
