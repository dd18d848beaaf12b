"""How far the sending of a run has come: trackers tell it, and whoever started the sending may show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeAlias, TypeVar

Entry = TypeVar("Entry")


Sending: TypeAlias = Callable[[str, int, int], None]
"""What is told to which tracker a run is sent, and how many of how many rows are there; 0 of 0 where rows are not sent one by one."""

_TOLD: Final[ContextVar[Callable[[int, int], None]]] = ContextVar("evaluators_sending", default=lambda done, total: None)


@contextmanager
def telling(sending: Sending, tracker: str) -> Iterator[None]:
    """While the context lasts, what `sent` and `counted` are told goes to `sending`, as being about this tracker."""
    token = _TOLD.set(lambda done, total: sending(tracker, done, total))
    try:
        yield
    finally:
        _TOLD.reset(token)


def sent(done: int, total: int) -> None:
    """Tells that so many rows of all that are sent one by one are there."""
    _TOLD.get()(done, total)


def counted(entries: Iterable[Entry], total: int | None = None) -> Iterator[Entry]:
    """The entries, each told as sent when the next one is asked for."""
    if total is None:
        assert isinstance(entries, Sized)
        total = len(entries)
    done = 0
    for entry in entries:
        sent(done, total)
        yield entry
        done += 1
    sent(done, total)
