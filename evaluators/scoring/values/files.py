"""Reading a file that a suite names, and nothing else that may be at its place.

A pipe would never end, a device holds what it likes, and a file of a gigabyte is no suite. What is read on behalf of somebody
else, such as the suite in a run folder, can be kept inside a folder.

Each function through which a file is opened notes it, so that nothing is written over it. What a suite or a run names is noted as a
function that lists it, which is called when something is about to be written: much of it is opened late, or by another process.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

MOST_BYTES: Final = 32 * 1024 * 1024
"""The largest suite, and the largest schema."""

_OF_THE_SYSTEM: Final = ("/proc/", "/sys/", "/dev/")
_IN_MEMORY: Final = "/dev/shm/"
"""An ordinary folder for files, in memory."""

Listing: TypeAlias = Callable[[], Iterable[str]]


class NoSmallFile(ValueError):
    """A place that is not read. The text is the end of a sentence about it: `is a folder`."""


class ReadFiles:
    """The places that one job reads: paths of this machine, and addresses."""

    def __init__(self) -> None:
        self._noted: dict[str, None] = {}
        self._listings: list[Listing] = []

    def note(self, place: str) -> None:
        """Notes a place that is read."""
        self._noted[_absolute_place(place)] = None

    def note_listing(self, listing: Listing) -> None:
        """Notes a function that will give further places when it is called."""
        self._listings.append(listing)

    def __iter__(self) -> Iterator[str]:
        """All places, each once. Listings that were noted are called first, and dropped."""
        while self._listings:
            listing = self._listings.pop()
            for place in listing():
                self.note(place)
        yield from tuple(self._noted)

    def has(self, place: str) -> bool:
        """Whether a path is one of these files under any name: a link, another spelling of the same path."""
        if "://" in place:
            return place in tuple(self)
        with suppress(OSError, ValueError):
            there = _identity(os.path.realpath(place))  # what is not there is written over nothing
            return any(_identity_or_none(path) == there for path in self)
        return False


class FileAccess(Struct, frozen=True):
    """Which files may be read at present, and what is kept of those that are."""

    folders: tuple[Path, ...] = ()
    """No file outside of these folders is read; empty for no such limit."""
    contents: dict[str, bytes] | None = None
    """The bytes of each file by its path, where each is read once."""
    notes: ReadFiles | None = None
    """The files that the job reads."""


_ANY_FILE: Final = FileAccess()
# ambient: validators of settings, references of schemas and readers of tables open files, and pydantic and jsonschema call most of them
_access: ContextVar[FileAccess] = ContextVar("file_access", default=_ANY_FILE)


@contextmanager
def _changed_access(**changes: Any) -> Iterator[None]:
    """Within the `with` block, the given attributes of the `FileAccess` in force are changed."""
    token = _access.set(replace(_access.get(), **changes))
    try:
        yield
    finally:
        _access.reset(token)


@contextmanager
def reading_inside(*folders: Path) -> Iterator[None]:
    """Within the `with` block, no file outside of these folders is read, whatever the files in them name."""
    with _changed_access(folders=tuple(folder.resolve() for folder in folders)):
        yield


@contextmanager
def reading_once(files: dict[str, bytes]) -> Iterator[None]:
    """Within the `with` block, each file is read once, and put into `files` by its path; those that are in it are not read from disk."""
    with _changed_access(contents=files):
        yield


@contextmanager
def noting_reads() -> Iterator[None]:
    """Within the `with` block, the files that are read are noted, for `is_read` and `files_read_in`. A block inside another one shares its
    notes."""
    if _access.get().notes is not None:
        yield
        return
    with _changed_access(notes=ReadFiles()):
        yield


# Reading


def read_small(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file of at most `most` bytes, which is noted as read. Inside `reading_once` its contents are kept, and not
    read again. Raises OSError where there is no file, and NoSmallFile for a larger one, for what is no regular file, and for a file
    outside of the folders that may be read."""
    _check_inside(path)
    note_read(path)
    contents = _access.get().contents
    if contents is not None and str(path) in contents:
        return contents[str(path)]
    _check_regular(path)
    with open(path, "rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise NoSmallFile(f"is larger than {most // 1024**2} MiB, which is the most that is read")
    if contents is not None:
        contents[str(path)] = data
    return data


def check_openable(path: Path) -> None:
    """Notes a file that something else is about to open. Raises OSError where there is none, and NoSmallFile for what is not read."""
    _check_inside(path)
    note_read(path)
    _check_regular(path)


def is_outside(path: Path) -> bool:
    """Whether a file may not be read here: see `reading_inside`."""
    folders = _access.get().folders
    return bool(folders) and not any(path.resolve().is_relative_to(folder) for folder in folders)


def _check_inside(path: Path) -> None:
    """Raises NoSmallFile for a file outside of the folders that may be read."""
    if is_outside(path):
        raise NoSmallFile("is outside of the folder that may be read, so it is not opened")


def _check_regular(path: Path) -> None:
    """Raises NoSmallFile for a folder, a pipe, a device and a file that the system makes; OSError where there is nothing."""
    if not stat.S_ISREG(mode := os.stat(path).st_mode):
        raise NoSmallFile(_why_no_file(mode))
    if is_system_file(path):
        raise NoSmallFile("tells of the system, and only a file of yours is read")


def _why_no_file(mode: int) -> str:
    """The end of a sentence about a place that is no regular file, by the mode that the system gives it."""
    if stat.S_ISDIR(mode):
        return "is a folder"
    if stat.S_ISFIFO(mode):
        return "is a pipe, and only a file can be read"
    return "is a device, and only a file can be read"


def is_system_file(path: str | Path) -> bool:
    """Whether a file is made by the system, as the variables and the memory of programs are, and kept on no disk."""
    real = os.path.realpath(path)
    return real.startswith(_OF_THE_SYSTEM) and not real.startswith(_IN_MEMORY)


def is_own_file(path: Path) -> bool:
    """Whether a regular file itself is at a place, and no link that leads elsewhere."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


# Notes of what is read


def note_read(place: str | Path) -> None:
    """Notes that the job reads a file of this machine, or an address."""
    if (notes := _access.get().notes) is not None:
        notes.note(str(place))


def note_listing(listing: Listing) -> None:
    """Notes that the job reads what the function `listing` will give when it is called."""
    if (notes := _access.get().notes) is not None:
        notes.note_listing(listing)


def is_read(place: str | Path) -> bool:
    """Whether the job reads the file at a place."""
    notes = _access.get().notes
    return notes is not None and notes.has(str(place))


def files_read_in(folder: Path) -> list[str]:
    """The files in a folder, and in the folders in it, that were noted as read by the job that is under way; none outside of a job."""
    notes, top = _access.get().notes, os.path.realpath(folder)
    if notes is None:
        return []
    return [file for file in notes if "://" not in file and Path(os.path.realpath(file)).is_relative_to(top)]


def _absolute_place(place: str) -> str:
    """A path from the root on, so that one file is noted once; an address as it is."""
    return place if "://" in place else os.path.abspath(place)


def _identity(path: str) -> tuple[int, int]:
    """The device and the number of a file, the same for every name of it. Raises OSError where it is not there."""
    status = os.stat(path)
    return status.st_dev, status.st_ino


def _identity_or_none(path: str) -> tuple[int, int] | None:
    """The device and the number of a file; None where it is not there."""
    with suppress(OSError, ValueError):
        return _identity(path)
    return None
