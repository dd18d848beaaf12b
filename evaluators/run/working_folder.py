"""What a run leaves that did not come to its end: the hidden folder in which it was made (`evaluators.run.run_folder`).

What is read here is data, whoever wrote it.
"""

from __future__ import annotations

import errno
import json
import os
import re
import sys
import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct, field

from evaluators.issues import Blame, Issue
from evaluators.run.store import RUN_JSON, free_places
from evaluators.run.unchanged import FileMark
from evaluators.values.files import NoSmallFile, is_own_file, read_small

UNFINISHED_JSON: Final = "unfinished.json"
FORMAT: Final = 9
"""The version of what splits leave: it goes up with every change of `SplitResult`. What another version left is refused, with the command
that makes it again."""
IN_WORK: Final = "run"
REPLACED: Final = "run.old"
_NAME: Final = re.compile(r"\.(.+)\.[0-9a-f]{8}\.partial", re.DOTALL)
_ABOUT: Final = (
    "A run that is not finished. `evaluators run SUITE --name NAME --resume` goes on with it; "
    "`evaluators runs --clean` removes it."
)
LOCK: Final = "lock"
_TRIES: Final = 60
_PAUSE_SECONDS: Final = 0.05
_MOST_BYTES: Final = 16 * 1024 * 1024


Holding: TypeAlias = Literal["mine", "others", "unknown"]
"""`unknown`: this file system has no locks, or the folder is somebody else's."""


class RunIdentity(Struct, frozen=True):
    """What two attempts at a run must have in common, so that the splits of one are those of the other."""

    suite_fingerprint: str
    columns: Mapping[str, str]
    versions: Mapping[str, str]
    options: Mapping[str, str] = field(default_factory=dict)
    """What else decides what is written of a row, by the words that messages have for it."""
    meaning: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The settings of the suite, as checksums: see `evaluators.run.settings_fingerprint`."""

    @property
    def key(self) -> str:
        """A checksum of all of it, which checkpoints carry."""
        text = json.dumps(msgspec.to_builtins(self), sort_keys=True)
        return sha256(text.encode()).hexdigest()[:16]


class SplitCount(Struct, frozen=True):
    """How far a variant is."""

    finished: int
    splits: int


class UnfinishedRun(Struct, frozen=True, kw_only=True):
    """What `unfinished.json` says."""

    about: str = _ABOUT
    format: int = FORMAT
    name: str
    asked: str | None = None
    """The name that was asked for, which may have been taken; None where nobody asked for one."""
    started: str
    suite: str
    test_set: str
    data_fingerprint: str | None = None
    """None until the files have been read to their end."""
    splits: dict[str, SplitCount] = field(default_factory=dict)
    """By variant; "" where there are none. A variant that has not begun is not among them."""
    files: tuple[dict[str, tuple[FileMark, ...]], ...] = ()
    """The states in which the files of each variant were met; all of them the same data."""
    identity: RunIdentity

    @property
    def finished(self) -> int:
        """How many splits are finished."""
        return sum(count.finished for count in self.splits.values())

    @property
    def splits_known(self) -> str:
        """How many there are, as messages say it; of the variants that have begun."""
        every = sum(count.splits for count in self.splits.values())
        return f"{every:,} part{'' if every == 1 else 's'}"


class FolderLock:
    """The lock of one folder: whether whoever works in it is still there.

    The system lets go of it when the program ends, however it ends. Worker processes that were forked hold it too, so that nobody takes
    over a folder in which one of them still writes.
    """

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


class LeftFolder(NamedTuple):
    """A working folder that was found."""

    place: Path
    name: str
    """The name of its run."""
    holding: Holding
    """`others` while the run goes, `unknown` where that cannot be told."""
    unfinished: UnfinishedRun | None
    """None where it does not say what it holds: nobody can go on with it."""

    @property
    def whole(self) -> bool:
        """The run has been scored to its end, and did not come to its place."""
        return self.holding == "mine" and _is_run(self.place / IN_WORK)

    @property
    def finished(self) -> int:
        """How many splits are finished, as far as it is noted."""
        return self.unfinished.finished if self.unfinished is not None else 0


def left_folders(results: Path) -> list[LeftFolder]:
    """The working folders of a folder of results, sorted by name."""
    try:
        places = [place for place in sorted(results.iterdir()) if _NAME.fullmatch(place.name)]
    except OSError:
        return []
    return [found for place in places if (found := left_folder(place)) is not None]


def left_folder(path: Path) -> LeftFolder | None:
    """The working folder that a stopped run left at a path; None where there is none."""
    named = _NAME.fullmatch(path.name)
    if named is None or path.is_symlink() or not path.is_dir():
        return None
    return LeftFolder(path, named[1], holding(path), read_unfinished(path))


def clean(left: LeftFolder) -> tuple[bool, Path | None]:
    """Removes what a run left, and says whether that is gone. A run that is whole goes to its place first, which is given as well.

    Nothing is done where the run goes on, that cannot be told, or the folder is somebody else's.
    """
    lock = FolderLock(left.place)
    try:
        if lock.take() != "mine":
            return False, None
        kept = put_back(left)
    except OSError:
        return False, None
    finally:
        lock.release()
    remove_folder(left.place)
    return not left.place.exists(), kept


def put_back(left: LeftFolder) -> Path | None:
    """Puts a run that is whole to its place, and gives that: one that could not be moved, or the one that was about to be replaced when
    its program ended. None where there is none. Raises OSError."""
    new, old = left.place / IN_WORK, left.place / REPLACED
    if left.whole:
        place = _moved(new, left.place.parent / left.name)
        remove_folder(old)
        return place
    return _moved(old, left.place.parent / left.name) if new.is_dir() and _is_run(old) else None


def _moved(folder: Path, asked: Path) -> Path:
    """Puts a folder to the first free place of its name."""
    for place in free_places(asked):
        try:
            os.rename(folder, place)
        except OSError:
            if not os.path.lexists(place):
                raise
        else:
            return place
    raise AssertionError  # there is always a next place


def _is_run(folder: Path) -> bool:
    return not folder.is_symlink() and is_own_file(folder / RUN_JSON)


def read_unfinished(path: Path) -> UnfinishedRun | None:
    """The record of the unfinished run in a working folder; None where there is none that can be read."""
    try:
        found = msgspec.convert(_said(path), UnfinishedRun)
    except msgspec.ValidationError:
        return None
    return found if found.format == FORMAT else None


def other_format(path: Path) -> int | None:
    """The version of what a working folder holds, where it is not the one of this program; None where it says none."""
    known = found.get("format") if isinstance(found := _said(path), dict) else None
    return known if isinstance(known, int) and known != FORMAT else None


def _said(path: Path) -> Any:
    file = path / UNFINISHED_JSON
    try:
        return json.loads(read_small(file, _MOST_BYTES)) if is_own_file(file) else None
    except (OSError, NoSmallFile, ValueError, RecursionError):
        return None


def run_going(path: Path, held: Holding) -> Issue:
    """The issue of a run whose working folder another process holds, or may hold."""
    if held == "others":
        message = "this run is still going: another process works in its folder"
        return Issue("run-going", Blame.ENVIRONMENT, message, str(path), "wait for its end, or stop that process")
    message = "it cannot be told whether this run is still going: the file system has no locks"
    return Issue("run-going", Blame.ENVIRONMENT, message, str(path), "copy the folder to a local disk")


def remove_folder(folder: Path) -> None:
    """Takes a folder away, as far as the system lets it go."""
    from shutil import rmtree  # brings every kind of archive along

    rmtree(folder, ignore_errors=True)
