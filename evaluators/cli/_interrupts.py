"""Ctrl-C: the first one asks a run to stop where it can stop well, the second one ends it at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from evaluators.cli._printing import tell


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """A function that says whether the run was asked to stop. The second Ctrl-C raises KeyboardInterrupt."""
    asked = False

    def ask(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        tell("\nStopping after the rows that are under way. Ctrl-C again ends the run at once.")

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, before)
