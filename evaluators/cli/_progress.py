"""How far a run has come, on one line of a terminal that is written over."""

from __future__ import annotations

import sys
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from evaluators.judges.session import AskingProgress

_EVERY_SECONDS: Final = 0.1
_EVERY_LINE_SECONDS: Final = 10.0
_BAR: Final = 24
_CLEAR: Final = "\r\x1b[K"


class ProgressLine:
    """Rows so far, rows a second and, as soon as it can be estimated, how much time is left."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._started = self._shown = monotonic()
        self._rows = 0
        self._total: float | None = None
        self._asking = ""
        self._writing = Lock()

    def __call__(self, rows: int, share: float | None) -> None:
        """Some rows are finished; `share` of the input is finished, where that is known."""
        self._rows += rows
        if share:
            self._total = self._rows / share
        self._show()

    def asked(self, asking: AskingProgress) -> None:
        """So far the asking of judges is."""
        self._asking = asking_text(asking)
        self._show()

    def _show(self) -> None:
        now = monotonic()
        if now - self._shown >= _EVERY_SECONDS:
            with self._writing:
                self._shown = now
                self._stream.write(_CLEAR + progress_text(self._rows, self._total, now - self._started) + self._asking)
                self._stream.flush()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Takes the line away."""
        self._stream.write(_CLEAR)
        self._stream.flush()


class SendingProgress:
    """How far the sending to a tracker has come: one line of a terminal, and elsewhere a line every ten seconds."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._on_a_screen = stream.isatty()
        self._tracker = ""
        self._shown = 0.0

    def __call__(self, tracker: str, done: int, total: int) -> None:
        """So many rows are there."""
        now = monotonic()
        if tracker == self._tracker and now - self._shown < (
            _EVERY_SECONDS if self._on_a_screen else _EVERY_LINE_SECONDS
        ):
            return
        self._tracker, self._shown = tracker, now
        said = f"sending to {tracker}" + (f": {done:,} of {total:,} rows" if total else "")
        self._stream.write(_CLEAR + said if self._on_a_screen else f"{said}\n")
        self._stream.flush()

    def end(self) -> None:
        """Takes the line away."""
        if self._on_a_screen and self._tracker:
            self._stream.write(_CLEAR)
            self._stream.flush()


def progress_text(rows: int, total: float | None, seconds: float) -> str:
    """The line: a bar and the time left where the total can be estimated, and the rate."""
    rate = rows / seconds if seconds > 0 else 0.0
    said = f"{rows:,} rows, {rate:,.0f} rows/s"
    if not total:
        return said
    share = min(1.0, rows / total)
    filled = round(share * _BAR)
    left = f", {_time_text(max(0.0, total - rows) / rate)} left" if rate else ""
    return f"{'█' * filled}{'░' * (_BAR - filled)} {share:4.0%}  {said}{left}"


def asking_text(asking: AskingProgress) -> str:
    """How far the asking is, to stand behind the rows; nothing before the first question."""
    if not (asking.sent or asking.cached):
        return ""
    return f"  judge: {asking.sent:,} asked, {asking.cached:,} cached, {asking.failed:,} failed"


def _time_text(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def sending_progress() -> SendingProgress | None:
    """What shows on standard error how far a sending has come, where that is open."""
    return SendingProgress(sys.stderr) if sys.stderr is not None else None


def progress_line() -> ProgressLine | None:
    """A progress line on standard error, when that is a terminal."""
    return ProgressLine(sys.stderr) if sys.stderr is not None and sys.stderr.isatty() else None
