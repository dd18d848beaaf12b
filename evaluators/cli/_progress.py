"""How far a run, or the sending of one, has come: rich's progress on a terminal, which is gone when it is over."""

from __future__ import annotations

import sys
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final, Self, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress

    from evaluators.scoring.judges.session import AskingProgress

_EVERY_SECONDS: Final = 0.1
_EVERY_LINE_SECONDS: Final = 10.0
_BAR: Final = 24


def _progress(stream: TextIO) -> Progress:
    """A progress bar on a stream, with a text and the estimated time left. It is drawn by explicit calls and by no thread, because runs
    fork."""
    from rich.console import Console  # most runs show nothing: they are short, or nobody looks
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    class KeepsCursor(Console):
        def show_cursor(self, show: bool = True) -> bool:
            """Does nothing, in place of hiding the cursor: it would stay hidden if the run were killed."""
            return False

    description, left = TextColumn("{task.description}", markup=False), TimeRemainingColumn(compact=True)
    drawn = Progress(
        BarColumn(_BAR), description, left, console=KeepsCursor(file=stream), auto_refresh=False, transient=True,
        redirect_stdout=False, redirect_stderr=False,
    )  # fmt: skip
    drawn.add_task("")
    return drawn


class _Drawing:
    """A drawing on a stream that can be erased."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._drawn: Progress | None = None

    def _draw(self, text: str, done: int, total: float | None) -> None:
        """Draws the text and the bar at once; the first call makes the bar. Without a `total` it shows no share."""
        if self._drawn is None:
            self._drawn = _progress(self._stream)
        self._drawn.start()
        self._drawn.update(self._drawn.task_ids[0], description=text, completed=done, total=total or None, refresh=True)

    def clear(self) -> None:
        """Takes the line away."""
        if self._drawn is not None:
            self._drawn.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()


class ProgressLine(_Drawing):
    """Rows so far, rows a second and, as soon as it can be estimated, how much time is left."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._started = self._shown = monotonic()
        self._rows = 0
        self._total: float | None = None
        self._asking = ""
        self._drawing = Lock()

    def __call__(self, rows: int, share: float | None) -> None:
        """Adds `rows` finished rows and draws the line. `share`, where known, is how much of the input is finished, from 0 to 1."""
        self._rows += rows
        if share:
            self._total = self._rows / share
        self._show()

    def show_asking(self, asking: AskingProgress) -> None:
        """Draws the line with how far the asking of judges is."""
        self._asking = asking_text(asking)
        self._show()

    def _show(self) -> None:
        """Draws how many rows are done, unless that was done less than `_EVERY_SECONDS` ago."""
        now = monotonic()
        if now - self._shown >= _EVERY_SECONDS:
            with self._drawing:
                self._shown = now
                self._draw(rows_text(self._rows, now - self._started) + self._asking, self._rows, self._total)


class SendingProgress(_Drawing):
    """How far the sending to a tracker has come: one line of a terminal, and elsewhere a line every ten seconds."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._on_a_screen = stream.isatty()
        self._tracker = ""
        self._shown = 0.0

    def __call__(self, tracker: str, done: int, total: int) -> None:
        """Shows how many rows of `total` a tracker has, unless that was shown just before."""
        now = monotonic()
        every = _EVERY_SECONDS if self._on_a_screen else _EVERY_LINE_SECONDS
        if tracker == self._tracker and now - self._shown < every:
            return
        self._tracker, self._shown = tracker, now
        text = f"sending to {tracker}" + (f": {done:,} of {total:,} rows" if total else "")
        if self._on_a_screen:
            self._draw(text, done, total)
        else:
            self._stream.write(f"{text}\n")
            self._stream.flush()


def rows_text(rows: int, seconds: float) -> str:
    """A text on how many rows are finished, and how many a second."""
    return f"{rows:,} rows, {rows / seconds if seconds > 0 else 0.0:,.0f} rows/s"


def asking_text(asking: AskingProgress) -> str:
    """A text on how far the asking of judges is, to stand behind that on the rows; empty before the first question."""
    if not (asking.sent or asking.cached):
        return ""
    return f"  judge: {asking.sent:,} asked, {asking.cached:,} cached, {asking.failed:,} failed"


def sending_progress() -> SendingProgress | None:
    """A callback that shows the progress of sending on standard error; None where that is closed."""
    return SendingProgress(sys.stderr) if sys.stderr is not None else None


def progress_line() -> ProgressLine | None:
    """A progress line on standard error; None where that is no terminal."""
    return ProgressLine(sys.stderr) if sys.stderr is not None and sys.stderr.isatty() else None
