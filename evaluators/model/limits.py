"""How much a row, and a run, may cost; and the time of the row at hand.

Strategy: a loop that hostile input can make long asks `still_time()` now and then, and raises with it where the time of the row
has run out. Whoever scores rows says where each of them begins (`clock.fresh = True`). The clock is read when the first such loop
asks for it, so that rows without long loops cost nothing. What counts is the processor time of the thread: a machine
that is busy with something else takes nothing from a row, and waiting for a judge is no work.

WorkLimits and clock belong to a thread: a program may score rows in several. Outside of a row there is all the time in the world.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from typing import Final

from msgspec import Struct

from evaluators.model.issues import Blame, Issue

ROW_SECONDS: Final = 1_800.0
"""Far more than any ordinary row takes, so that metrics do not depend on the machine."""
TEXT_LENGTH: Final = 100_000
LIST_CELLS: Final = 4_000_000
PATH_STEPS: Final = 10_000_000
DEPTH: Final = 200
"""Objects and lists inside each other. Recursion of four frames a level ends before Python's own limit, which is left alone."""
ASKED_EVERY: Final = 64
"""The clock is read at one in so many of the steps that `tick` counts."""

_ROW, _RUN = "row-out-of-time", "run-out-of-time"


class WorkLimits(Struct, frozen=True):
    """The limits of the work on a row, as `limits` of a suite sets them. A row over one of them but `depth` is unjudged."""

    row_seconds: float = ROW_SECONDS
    """Seconds of processor time that one evaluator may spend on one row."""
    run_seconds: float | None = None
    """Seconds from the beginning of a run, after which the remaining rows are unjudged; None sets no end."""
    text_length: int = TEXT_LENGTH
    """Characters of each of two texts of which the letters that differ are counted."""
    list_cells: int = LIST_CELLS
    """What two lists may come to, and still have each item compared with each; an alignment's `cells` go first."""
    path_steps: int = PATH_STEPS
    """Values that one JSONPath query may look at in one document."""
    depth: int = DEPTH
    """Objects and lists inside each other in one document; a deeper output is unreadable, a deeper expected document invalid."""


class OutOfTime(BaseException):
    """The time of the row at hand has run out.

    No `except Exception` on its way takes it for the answer of one field: only who scores rows does, and the row has no score.
    """

    def __init__(self, issue: Issue) -> None:
        self.issue = issue
        super().__init__(str(issue))


class RowClock:
    """The limits that hold in a thread, and the time of the row at hand."""

    __slots__ = ("_ends", "fresh", "limits", "steps", "until")

    def __init__(self) -> None:
        self.limits = WorkLimits()
        self.until = inf
        """The end of the run, as `time.time` counts; rows that are slow look at it, too."""
        self.fresh = False
        """Another row, or another evaluator of a row, has begun since the clock was looked at."""
        self._ends = inf
        self.steps = 0
        """How many small steps were counted in this thread."""

    def rest(self) -> None:
        """Marks that no row is being scored, so that no time is measured."""
        self.fresh, self._ends = False, inf

    def still_time(self) -> None:
        """Raises OutOfTime where the time of the row at hand, or of the run, has run out. The first call for a row only starts
        its time."""
        if self.fresh:
            self.fresh, self._ends = False, time.thread_time() + self.limits.row_seconds
        elif self._ends != inf and time.thread_time() > self._ends:
            raise OutOfTime(row_out_of_time(self.limits.row_seconds))
        if self.until != inf and self._ends != inf and time.time() > self.until:
            raise OutOfTime(run_out_of_time(self.limits.run_seconds))

    def tick(self) -> None:
        """Checks the time as `still_time` does, but reads the clock only now and then: for loops of small steps."""
        self.steps += 1
        if not self.steps % ASKED_EVERY:
            self.still_time()


class _Here(threading.local):
    """The clock of each thread."""

    def __init__(self) -> None:
        self.clock = RowClock()


_here: Final = _Here()


def row_clock() -> RowClock:
    """The clock of this thread. A long loop keeps it, and asks `tick` or `still_time`."""
    return _here.clock


def still_time() -> None:
    """Raises OutOfTime where the time of the row at hand, or of the run, has run out."""
    _here.clock.still_time()


def limits_here() -> WorkLimits:
    """The limits that hold in this thread."""
    return _here.clock.limits


@contextmanager
def limits_in_force(limits: WorkLimits, until: float | None = None) -> Iterator[RowClock]:
    """Within the `with` block `limits` hold in this thread, and work stops at `until` (as `time.time` counts), or when the run
    under way ends.

    Gives the thread's clock; afterwards the clock is as it was before.
    """
    clock = _here.clock
    before = clock.limits, clock.until, clock.fresh, clock._ends
    clock.limits = limits
    clock.rest()
    if until is not None:
        clock.until = until
    try:
        yield clock
    finally:
        clock.limits, clock.until, clock.fresh, clock._ends = before


def row_out_of_time(seconds: float) -> Issue:
    """The issue of a row that took too long."""
    message = f"the row took more than {seconds:g} s, so it was stopped; it has no score"
    hint = "limits: {row_seconds: NUMBER} sets another limit; shorter lists and texts, or a key_field, take less time"
    return Issue(_ROW, Blame.ENVIRONMENT, message, hint=hint)


def run_out_of_time(seconds: float | None) -> Issue:
    """The issue of rows that a run had no time for."""
    message = f"the run took more than {seconds or 0:g} s, so this row was not judged"
    return Issue(_RUN, Blame.ENVIRONMENT, message, hint="limits: {run_seconds: NUMBER} sets another limit")
