"""The files that a job reads, so that nothing is written over them.

Each door through which a file is opened notes it here. What a suite or a run names is noted as a function that lists it, which is
asked when something is about to be written: much of it is opened late, or by another process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TypeAlias

Listing: TypeAlias = Callable[[], Iterable[str]]


class ReadFiles:
    """The places that one job reads: paths of this machine, and addresses."""

    def __init__(self) -> None:
        self._noted: dict[str, None] = {}
        self._listings: list[Listing] = []

    def note(self, place: str) -> None:
        """Notes a place that is read."""
        self._noted[_whole(place)] = None

    def note_listing(self, listing: Listing) -> None:
        """Notes what lists further places, when it is asked."""
        self._listings.append(listing)

    def __iter__(self) -> Iterator[str]:
        while self._listings:
            listing = self._listings.pop()
            for place in listing():
                self.note(place)
        yield from tuple(self._noted)

    def has(self, place: str) -> bool:
        """Whether a place is one of them, whatever it is called: a link, another spelling of the same path."""
        if "://" in place:
            return place in tuple(self)
        with suppress(OSError, ValueError):
            there = _identity(os.path.realpath(place))  # what is not there is written over nothing
            return any(_identity_or_none(one) == there for one in self)
        return False


_job: ContextVar[ReadFiles | None] = ContextVar("read_files", default=None)


@contextmanager
def noting_reads() -> Iterator[None]:
    """Inside, what is read is noted; a job within another one shares its notes."""
    if _job.get() is not None:
        yield
        return
    token = _job.set(ReadFiles())
    try:
        yield
    finally:
        _job.reset(token)


def note_read(place: str | Path) -> None:
    """Notes that the job reads a file of this machine, or an address."""
    if (job := _job.get()) is not None:
        job.note(str(place))


def note_listed(listing: Listing) -> None:
    """Notes that the job reads what a function will list."""
    if (job := _job.get()) is not None:
        job.note_listing(listing)


def is_read(place: str | Path) -> bool:
    """Whether the job reads the file at a place."""
    job = _job.get()
    return job is not None and job.has(str(place))


def read_inside(folder: Path) -> list[str]:
    """The files that the job reads in a folder, and in the folders in it."""
    job, top = _job.get(), os.path.realpath(folder)
    if job is None:
        return []
    return [one for one in job if "://" not in one and Path(os.path.realpath(one)).is_relative_to(top)]


def _whole(place: str) -> str:
    return place if "://" in place else os.path.abspath(place)


def _identity(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_dev, status.st_ino


def _identity_or_none(path: str) -> tuple[int, int] | None:
    with suppress(OSError, ValueError):
        return _identity(path)
    return None
