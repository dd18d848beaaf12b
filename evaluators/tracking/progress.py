"""How far the sending of a run has come: trackers tell it, and whoever started the sending may show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Protocol, TypeVar

Entry = TypeVar("Entry")


class Sending(Protocol):
    """What is told how far the sending to a tracker has come."""

    def __call__(self, tracker: str, done: int, total: int) -> None:
        """`done` of `total` rows are there; both are 0 where the rows are not sent one by one, or not yet."""


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
