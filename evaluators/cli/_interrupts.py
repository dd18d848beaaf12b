"""Ctrl-C and SIGTERM: the first one asks a run to stop where it can stop well, the second one ends it at once."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType


def _say_now(text: str) -> None:
    """Writes to standard error past its buffer: a signal may come while something is on its way into it."""
    with suppress(OSError, ValueError, AttributeError):
        os.write(sys.stderr.fileno(), text.encode())


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """A function that says whether the run was asked to stop. The second Ctrl-C or SIGTERM raises KeyboardInterrupt."""
    asked = False

    def ask(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        _say_now("\nStopping after the rows that are under way. Ctrl-C again ends the run at once.\n")

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
