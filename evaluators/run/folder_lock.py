"""A file that the system holds for one program: whether whoever works in a folder is still there.

The system lets go of it when the program ends, however it ends. Worker processes that were forked hold it too, so that nobody takes
over a folder in which one of them still writes.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from pathlib import Path
from typing import Final, Literal, TypeAlias

LOCK: Final = "lock"
_TRIES: Final = 60
_PAUSE_SECONDS: Final = 0.05

Holding: TypeAlias = Literal["mine", "others", "unknown"]
"""`unknown`: this file system has no locks, or the folder is somebody else's."""


class FolderLock:
    """The lock of one folder."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / LOCK
        self._descriptor: int | None = None

    def take(self, patiently: bool = False) -> Holding:
        """Who holds the lock from now on. `patiently` waits some seconds for others: workers end a moment after their run.

        Raises OSError where the folder cannot be written.
        """
        descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        for again in range(_TRIES if patiently else 1):
            if again:
                time.sleep(_PAUSE_SECONDS)
            held = _locked(descriptor)
            if held != "others":
                break
        if held == "others":
            os.close(descriptor)
        else:
            self._descriptor = descriptor
        return held

    def release(self) -> None:
        """Lets go of it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def holding(folder: Path) -> Holding:
    """`others` while somebody works in a folder; it is nobody's afterwards."""
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


def _locked(descriptor: int) -> Holding:
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


_HELD: Final = frozenset((errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK))
