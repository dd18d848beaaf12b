"""The sides of a comparison with their rows in memory as columns, and the rows of two of them, paired by id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from evaluators.model import Result
from evaluators.run.record import RunRecord
from evaluators.run.result import RunResult

Said: TypeAlias = Result | None
"""What a run says of a row; None where it does not have the row."""


class SideRows(Struct):
    """The rows of one run, or of one of its variants, as columns."""

    numbers: list[int] = []
    ids: list[str] = []
    given: list[str] = []
    """Checksums of what rows give beside the output; empty texts where they are not known."""
    clusters: list[str] = []
    """What rows belong to; empty without clusters."""
    said: Mapping[str, list[Result]] = {}


class Side(Struct, frozen=True):
    """One run."""

    label: str
    """What reports call it: its folder or its file."""
    result: RunResult
    fields: Mapping[str, tuple[str, ...]]
    """The listed fields of each evaluator, in the order of the suite."""
    rows: Mapping[str | None, SideRows]
    """By variant; under None for a run without variants."""

    @property
    def variants(self) -> tuple[str, ...]:
        """The names of the variants."""
        return tuple(name for name in self.rows if name is not None)


def side_of(run: RunRecord, label: str) -> Side:
    """A run with its rows. Raises Problems (config) where its files are damaged."""
    fields = {one.name: one.fields for one in run.facts.evaluators}
    names = dict.fromkeys(stats.name for stats in run.result.evaluators)
    rows = {variant: _rows(run, variant) for variant in run.variants}
    return Side(label, run.result, {name: fields[name] for name in names}, rows)


def _rows(run: RunRecord, variant: str | None) -> SideRows:
    verdicts = run.verdicts(variant)
    lines = list(run.row_lines(variant, verdicts))
    codes = zip(*(line.codes for line in lines), strict=True) if lines else [()] * len(verdicts)
    names = [one.name for one in run.facts.evaluators]
    return SideRows(
        [line.row for line in lines],
        [line.id for line in lines],
        [line.checksum or "" for line in lines],
        [line.cluster for line in lines if line.cluster is not None],
        {name: [known[code] for code in column] for name, known, column in zip(names, verdicts, codes, strict=True)},
    )


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
