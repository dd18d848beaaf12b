"""The rows of two runs, paired by id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from evaluators.compare.sides import Said, SideRows


class RowPair(NamedTuple):
    """One row: its place in the base and in the new run. One of them is None where only the other run has the row."""

    before: int | None
    after: int | None


class Pairs(NamedTuple):
    """The rows of two runs."""

    base: SideRows
    new: SideRows
    both: list[RowPair]
    """The rows that both have, in the order of the new run."""
    base_only: list[int]
    """Places in the base."""
    new_only: list[int]
    """Places in the new run."""
    other_question: list[int]
    """Places in the new run of rows whose cells beside the output differ."""
    repeated: int

    @property
    def total(self) -> int:
        """The rows of both runs together, each once."""
        return len(self.both) + len(self.base_only) + len(self.new_only)

    def rows(self) -> Iterator[RowPair]:
        """Every row: those that both runs have, then those of the base alone, then those of the new run alone."""
        yield from self.both
        yield from (RowPair(place, None) for place in self.base_only)
        yield from (RowPair(None, place) for place in self.new_only)

    def verdicts(self, evaluator: str) -> Iterator[tuple[Said, Said]]:
        """What both runs say of every row, in the order of `rows`."""
        was, now = self.base.said.get(evaluator, ()), self.new.said.get(evaluator, ())
        for before, after in self.rows():
            yield None if before is None else was[before], None if after is None else now[after]

    def clusters(self) -> list[str]:
        """What every row belongs to, in the order of `rows`; empty without clusters."""
        if not self.new.clusters:
            return []
        old, new = self.base.clusters, self.new.clusters
        return [new[after] if after is not None else old[before or 0] if old else "" for before, after in self.rows()]

    def named(self, row: RowPair) -> tuple[str, int]:
        """The id and the number of a row, in the new run where it is there."""
        rows, place = (self.new, row.after) if row.after is not None else (self.base, row.before)
        return (rows.ids[place], rows.numbers[place]) if place is not None else ("", 0)

    def of_one_question(self) -> Pairs:
        """The same without the rows that ask something else in the new run."""
        other = set(self.other_question)
        return self._replace(both=[row for row in self.both if row.after not in other])


def paired(base: SideRows, new: SideRows) -> Pairs:
    """The rows of two runs by id. Rows that share an id are paired in their order.

    Rows without ids have the number of their row, and a table with a head counts from 2 where other files count from 1: such
    rows are paired by their place.
    """
    old_keys = row_keys(new if _numbered_otherwise(base, new) else base)
    waiting = {key: place for place, key in enumerate(old_keys)}
    both: list[RowPair] = []
    new_only: list[int] = []
    other: list[int] = []
    keys = row_keys(new)
    for place, key in enumerate(keys):
        partner = waiting.pop(key, None)
        if partner is None:
            new_only.append(place)
            continue
        both.append(RowPair(partner, place))
        was, now = base.given[partner], new.given[place]
        if was and now and was != now:
            other.append(place)
    return Pairs(base, new, both, list(waiting.values()), new_only, other, sum(again > 0 for _, again in keys))


def _numbered_otherwise(base: SideRows, new: SideRows) -> bool:
    """Both count their rows, one of them its head too, and they are as many."""
    if len(base.numbers) != len(new.numbers) or not base.numbers or abs(base.numbers[0] - new.numbers[0]) != 1:
        return False
    shift = new.numbers[0] - base.numbers[0]
    return all(
        now - was == shift and old == str(was) and fresh == str(now)
        for was, now, old, fresh in zip(base.numbers, new.numbers, base.ids, new.ids, strict=True)
    )


def row_keys(rows: SideRows) -> list[tuple[str, int]]:
    """The id of each row, and how many rows of that id were before it."""
    seen: dict[str, int] = defaultdict(int)
    found = []
    for one in rows.ids:
        found.append((one, seen[one]))
        seen[one] += 1
    return found
