"""Who follows a run: what he is told of it, and how he stops it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from evaluators.runs.engines.engine import never
from evaluators.runs.preparing import Prepared
from evaluators.scoring.judges.session import AskingProgress

Progress: TypeAlias = Callable[[int, float | None], None]
"""Told of rows that were finished since the last time and, where it is known, which share of the input is finished."""


def _do_nothing(*_: object) -> None:
    """Does nothing, for a run that no caller follows."""


class Observer(Struct, frozen=True):
    """The callbacks that follow a run. Without anything given, nobody does."""

    stopped: Callable[[], bool] = never
    """Asked now and then: from a yes on, the run ends where it can end well."""
    progress: Progress = _do_nothing
    before_asking: Callable[[Prepared], None] = _do_nothing
    """Called before the first question of a run that may ask somebody."""
    asked: Callable[[AskingProgress], None] | None = None
    """Told now and then how far the asking of judges is."""
    before_sending: Callable[[Any], None] = _do_nothing
    """Called with the finished run before it is sent to its trackers."""
    sending: Callable[[str, int, int], None] | None = None
    """Told how far the sending has come: to which tracker, and how many of how many rows are there."""

    def of_part(self, place: int, parts: int) -> Observer:
        """The observer of the part with index `place` of so many `parts` of a run; it reports progress as that of the whole run."""

        def progress(rows: int, share: float | None) -> None:
            self.progress(rows, None if share is None else (place + share) / parts)

        return replace(self, progress=progress)
