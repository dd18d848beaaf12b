"""How a command ends: Ctrl-C and SIGTERM, and what is printed, with the exit code, when something went wrong.

The first Ctrl-C asks a run to stop where it can stop well, the second one ends it at once.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

from evaluators.cli._printing import print_err, print_problems
from evaluators.model.issues import Blame, Issue, Problems
from evaluators.model.settings import NOTHING_FILLED, BadSettings, Filled
from evaluators.runs.exit_code import BUG, INTERRUPTED
from evaluators.runs.store import system_message


def report_error(error: BaseException, with_traceback: bool, filled: Filled | None = None) -> int:
    """Prints an error that ended a command to standard error, with texts that the environment `filled` in to suites masked. Returns the
    exit code."""
    filled = filled or NOTHING_FILLED
    if with_traceback:
        import traceback

        print_err(filled.masked_spelled("".join(traceback.format_exception(error))))
    if _is_interrupt(error):
        print_err("Interrupted.")
        return INTERRUPTED
    if isinstance(error, Problems):
        return print_problems([*map(filled.masked_issue, error.issues)])
    if isinstance(error, BadSettings):
        return print_problems(
            [Issue(detail.code, Blame.CONFIG, detail.message, hint=detail.hint) for detail in error.details]
        )
    if isinstance(error, OSError):
        return print_problems([filled.masked_issue(_refusal_issue(error))])
    print_err(filled.masked_spelled(_bug_text(error)))
    return BUG


def _is_interrupt(error: BaseException) -> bool:
    """Whether Ctrl-C is behind an error. While a class is made, Python puts an error of its own in front of that."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, KeyboardInterrupt):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _refusal_issue(error: OSError) -> Issue:
    """The issue (environment) for a file that the system did not let be read or written: neither suite nor program is to blame."""
    named = str(error.filename) if error.filename is not None else None
    what = "the file" if named else "a file"
    return Issue("refused", Blame.ENVIRONMENT, f"{what} cannot be read or written: {system_message(error)}", named)


def _bug_text(error: BaseException) -> str:
    """The text printed for an unexpected error: its type, the first line of its message, and what to send to the authors."""
    lines = str(error).strip().splitlines()
    what = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    return (
        f"This is a bug in evaluators, not in your files: {what}\n"
        "  hint: run the same command with --traceback, and send what it prints to the authors"
    )


_STOPPING: Final = b"\nStopping after the rows that are under way. Ctrl-C again ends the run at once.\n"


class Interrupts:
    """Whether the run was asked to stop."""

    asked = False
    at_once = False
    """The next Ctrl-C or SIGTERM raises KeyboardInterrupt, also when it is the first one: no rows are under way."""

    def __call__(self) -> bool:
        """Whether the run was asked to stop."""
        return self.asked


@contextmanager
def interruptible() -> Iterator[Interrupts]:
    """Handles Ctrl-C and SIGTERM inside a `with`: the first sets the flag that it gives, the second raises KeyboardInterrupt. The handlers
    from before are put back at the end."""
    interrupts = Interrupts()

    def ask(_number: int, _frame: FrameType | None) -> None:
        """Handles the signal: notes it and says so on standard error, or raises KeyboardInterrupt the second time, or the first time with
        `at_once`."""
        if interrupts.asked or interrupts.at_once:
            raise KeyboardInterrupt
        interrupts.asked = True
        with suppress(OSError, ValueError, AttributeError):  # past the buffer: something may be on its way into it
            os.write(sys.stderr.fileno(), _STOPPING)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield interrupts
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
