"""Ctrl-C and SIGTERM: the first one asks a run to stop where it can stop well, the second one ends it at once."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType


def _say_now(text: str) -> None:
    """Writes to standard error past its buffer: a signal may come while something is on its way into it."""
    with suppress(OSError, ValueError, AttributeError):
        os.write(sys.stderr.fileno(), text.encode())


class Interrupts:
    """Whether the run was asked to stop."""

    asked = False
    at_once = False
    """The next Ctrl-C or SIGTERM raises KeyboardInterrupt, also when it is the first one: no rows are under way."""

    def __call__(self) -> bool:
        return self.asked


@contextmanager
def interruptible() -> Iterator[Interrupts]:
    """Says whether the run was asked to stop. The second Ctrl-C or SIGTERM raises KeyboardInterrupt."""
    interrupts = Interrupts()

    def ask(_number: int, _frame: FrameType | None) -> None:
        if interrupts.asked or interrupts.at_once:
            raise KeyboardInterrupt
        interrupts.asked = True
        _say_now("\nStopping after the rows that are under way. Ctrl-C again ends the run at once.\n")

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield interrupts
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
