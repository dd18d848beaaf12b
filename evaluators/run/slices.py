"""Counting by slice: the verdicts of rows that share a value of one column.

A column may have any number of values, and only some can have figures of their own: the first ones in alphabetical order.
A value that is among the first of the whole file is among the first of every piece of it that it occurs in, so that
pieces counted apart come to exactly what the whole file counts at once, whatever the pieces.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import Any, Final, TypeAlias, TypeVar

from evaluators.run.clusters import cell_text
from evaluators.run.exact_sums import plus
from evaluators.run.tally import Ledger, Tally

MOST_SLICES: Final = 1_000
"""Values of one column that have figures of their own; the rest shares one slice."""
OTHER_VALUES: Final = "(other values)"

SliceKey: TypeAlias = tuple[str, str]
"""(column, value)."""
Sliced = TypeVar("Sliced")


class SliceCounts:
    """The verdicts of one split, counted by the values of one column."""

    def __init__(self, ledgers: Sequence[Ledger], most: int = MOST_SLICES) -> None:
        self._ledgers = ledgers
        self._most = most
        self._counts: list[Counter[tuple[str, int]]] = [Counter() for _ in ledgers]
        self._values: set[str] = set()
        self._last: str | None = None  # values after this one are not among the first

    def add(self, cells: Sequence[Any], codes: Sequence[Sequence[int]]) -> None:
        """Some rows: their cells in the column, and the verdict numbers of each evaluator."""
        texts = [cell if cell.__class__ is str else cell_text(cell) for cell in cells]
        if self._last is not None:
            last = self._last
            texts = [text if text <= last else OTHER_VALUES for text in texts]
        self._values.update(texts)
        for counts, column in zip(self._counts, codes, strict=True):
            counts.update(zip(texts, column, strict=True))
        if len(self._values) > 2 * self._most:
            self._keep_first()

    def tallies(self) -> dict[str, list[Tally]]:
        """By value, one tally per evaluator."""
        self._keep_first()
        found: dict[str, list[Tally]] = defaultdict(lambda: [Tally.of(len(one.tally.statuses)) for one in self._ledgers])
        for place, (ledger, counts) in enumerate(zip(self._ledgers, self._counts, strict=True)):
            for (text, code), count in counts.items():
                found[text][place].add(ledger.verdicts[code], count, ledger.watch)
        return dict(found)

    def _keep_first(self) -> None:
        beyond = beyond_first(self._values, self._most)
        if not beyond:
            return
        self._values -= beyond
        self._last = max(self._values - {OTHER_VALUES})
        for place, counts in enumerate(self._counts):
            kept: Counter[tuple[str, int]] = Counter()
            for (text, code), count in counts.items():
                kept[OTHER_VALUES if text in beyond else text, code] += count
            self._counts[place] = kept


def limit_slices(slices: dict[str, Sliced], most: int = MOST_SLICES) -> None:
    """Leaves the first values of a column; what the others counted goes to the slice that says so."""
    if len(slices) > most:
        for value in sorted(beyond_first(slices.keys(), most)):
            plus(slices, {OTHER_VALUES: slices.pop(value)})


def by_slice(slices: Mapping[str, Mapping[str, Sliced]]) -> list[tuple[SliceKey, Sliced]]:
    """What each slice holds, by column and then by value."""
    return [((column, value), slices[column][value]) for column in sorted(slices) for value in sorted(slices[column])]


def beyond_first(values: Set[str], most: int) -> set[str]:
    """The values that are not among the first so many in alphabetical order."""
    own = values - {OTHER_VALUES}
    return set(sorted(own)[most:]) if len(own) > most else set()
