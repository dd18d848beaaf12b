"""Counts by path for whole documents. Paths have `[*]` for every index, and grow with the documents up to a cap.

Beyond it the first in alphabetical order are counted apart, and all others together, under a name that says so. Which ones these
are depends on nothing but the paths, so that rows counted in parts come to what all rows count at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, SupportsIndex, TypeAlias

from evaluators.fields.path_details import OVERFLOW, SURPLUS_ITEMS, SURPLUS_ROWS, SURPLUS_VALUES, Detail
from evaluators.values.paths import display

Name: TypeAlias = tuple[Any, ...]
"""A place, with `ANY` for every index."""
Counts: TypeAlias = tuple[int, int, int, int]
"""Match, mismatch, omission, hallucination."""

PATH_CAP: Final = 20_000
"""Paths that one check counts apart. Far fewer are reported; so many make the figures the same for any split."""
SURPLUS: Final = 0
"""In place of a status: only the output has the item that a value stands in."""


class PathTally:
    """The counts of one evaluator, by path."""

    def __init__(self, cap: int = PATH_CAP) -> None:
        self._cap = cap
        self._paths: dict[Name, list[int]] = {}
        """How often each status was met, by its number. Items that only the output has are counted apart, at `SURPLUS`."""
        self._overflow = [0, 0, 0, 0, 0]
        self._last: str | None = None
        """The last path that is counted apart, once there were too many."""
        self.surplus_items = self.surplus_rows = 0

    def add(self, names: Sequence[Name], status: SupportsIndex, times: int) -> None:
        """Counts leaves of some places that have a status, or `SURPLUS`: so many of each place."""
        for name in names:
            counts = self._paths.get(name)
            if counts is None:
                if self._last is not None and display(name) > self._last:
                    counts = self._overflow
                else:
                    counts = self._paths[name] = [0, 0, 0, 0, 0]
            counts[status] += times

    def trim(self) -> None:
        """Counts together what is beyond the cap. To be called between chunks, now and then."""
        if len(self._paths) <= 2 * self._cap:
            return
        order = sorted((display(name), name) for name in self._paths)
        self._last = order[self._cap - 1][0]
        for _, name in order[self._cap :]:
            self._overflow = [a + b for a, b in zip(self._overflow, self._paths.pop(name), strict=True)]

    def counts(self) -> dict[str, Counts]:
        """(match, mismatch, omission, hallucination) by path, sorted by path."""
        spelled = sorted(self._spelled())
        return {path: (a, b, c, d + surplus) for path, (surplus, a, b, c, d) in spelled if any((surplus, a, b, c, d))}

    def details(self) -> dict[Detail, int]:
        """The items that only the output has, in how many rows, and their values by path."""
        if not self.surplus_rows:
            return {}
        found = {("", SURPLUS_ITEMS, 1): self.surplus_items, ("", SURPLUS_ROWS, 1): self.surplus_rows}
        return found | {(path, SURPLUS_VALUES, 1): counts[SURPLUS] for path, counts in self._spelled() if counts[SURPLUS]}

    def _spelled(self) -> Iterator[tuple[str, list[int]]]:
        yield OVERFLOW, self._overflow
        for name, counts in self._paths.items():
            yield display(name), counts
