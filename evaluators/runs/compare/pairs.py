"""The sides of a comparison with their rows in memory, and the rows of two of them, paired by id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from evaluators.model.rows import Result
from evaluators.runs.reader import Run
from evaluators.runs.record_lines import RowLine
from evaluators.runs.result import RunResult

RowResult: TypeAlias = Result | None
"""What a run says of a row; None where it does not have the row."""
RowPair: TypeAlias = tuple[RowLine | None, RowLine | None]
"""One row in the base and in the new run. One of them is None where only the other run has the row."""


class SideRows(Struct):
    """The rows of one run, or of one of its variants."""

    lines: list[RowLine] = []
    verdicts: Mapping[str, list[Result]] = {}
    """What the codes of each evaluator stand for, in the order of the codes of a line."""

    def results(self, evaluator: str) -> Callable[[RowLine | None], RowResult]:
        """A function that gives the result of an evaluator for a row."""
        place, known = list(self.verdicts).index(evaluator), self.verdicts[evaluator]
        return lambda line: None if line is None else known[line.codes[place]]


class Side(Struct, frozen=True):
    """One run."""

    label: str
    """What reports call it: its folder or its file."""
    result: RunResult
    fields: Mapping[str, tuple[str, ...]]
    """The listed fields of each evaluator, in the order of the suite."""
    rows: Mapping[str | None, SideRows]
    """By variant; under None for a run without variants."""
    record: Run | None = None
    variant: str | None = None
    """The variant, where the side is one of its run."""
    has_rows: bool = True
    """False of a run that has metrics alone: its rows are empty."""

    @property
    def variants(self) -> tuple[str, ...]:
        """The names of the variants."""
        return tuple(name for name in self.rows if name is not None)


def side_of(run: Run, label: str) -> Side:
    """The side of a run, with all its rows read into memory. Raises Problems (config) where its files are damaged."""
    fields = {evaluator.name: evaluator.fields for evaluator in run.facts.evaluators}
    names = dict.fromkeys(stats.name for stats in run.result.evaluators)
    rows = {}
    for variant in run.each_variant:
        verdicts = run.verdicts(variant)
        rows[variant] = SideRows(list(run.row_lines(variant, verdicts)), dict(zip(fields, verdicts, strict=True)))
    return Side(label, run.result, {name: fields[name] for name in names}, rows, run)


def side_of_metrics(run: Run, label: str) -> Side:
    """The side of a run that has metrics alone: its rows are empty."""
    fields = {evaluator.name: evaluator.fields for evaluator in run.facts.evaluators}
    return Side(label, run.result, fields, {variant: SideRows() for variant in run.each_variant}, has_rows=False)


class Pairs(NamedTuple):
    """The rows of two runs."""

    base: SideRows
    new: SideRows
    both: list[tuple[RowLine, RowLine]]
    """The rows that both have, in the order of the new run."""
    base_only: list[RowLine]
    new_only: list[RowLine]
    other_question: list[RowLine]
    """Rows of the new run whose cells beside the output differ."""
    repeated: int

    def rows(self) -> Iterator[RowPair]:
        """Every row: those that both runs have, then those of the base alone, then those of the new run alone."""
        yield from self.both
        yield from ((line, None) for line in self.base_only)
        yield from ((None, line) for line in self.new_only)

    def verdicts(self, evaluator: str) -> Iterator[tuple[RowResult, RowResult]]:
        """The results of every row in both runs, in the order of `rows`."""
        was, now = self.base.results(evaluator), self.new.results(evaluator)
        return ((was(before), now(after)) for before, after in self.rows())

    @property
    def by_place(self) -> bool:
        """The rows of neither run have ids, so that they are paired by their places."""
        lines = [*self.base.lines, *self.new.lines]
        return bool(lines) and all(line.id in ("", str(line.row)) for line in lines)

    def of_one_question(self) -> Pairs:
        """The pairs without the rows that ask something else in the new run."""
        other = {line.row for line in self.other_question}
        return self._replace(both=[pair for pair in self.both if pair[1].row not in other])

    def apart_from(self, ids: Collection[str]) -> Pairs:
        """The pairs without the rows of these ids that ask something else in the new run."""
        aside = {line.row for line in self.other_question if line.id in ids}
        both = [pair for pair in self.both if pair[1].row not in aside]
        return self._replace(both=both, other_question=[line for line in self.other_question if line.row not in aside])


def pair_rows(base: SideRows, new: SideRows) -> Pairs:
    """Pairs the rows of two runs by id. Rows that share an id are paired in their order.

    Rows without ids have the number of their row, and a table with a head counts from 2 where other files count from 1: such
    rows are paired by their place.
    """
    old_keys, keys = row_keys(new if _is_counted_with_head(base.lines, new.lines) else base), row_keys(new)
    waiting = dict(zip(old_keys, base.lines, strict=True))
    pairs: list[tuple[RowLine | None, RowLine]] = [
        (waiting.pop(key, None), line) for key, line in zip(keys, new.lines, strict=True)
    ]
    both = [(was, now) for was, now in pairs if was is not None]
    other = [now for was, now in both if was.checksum and now.checksum and was.checksum != now.checksum]
    new_only = [now for was, now in pairs if was is None]
    return Pairs(base, new, both, list(waiting.values()), new_only, other, sum(again > 0 for _, again in keys))


def _is_counted_with_head(base: list[RowLine], new: list[RowLine]) -> bool:
    """Whether two runs have as many rows without ids, and one counts the head of the table, so that all its row numbers are one
    higher."""
    if len(base) != len(new) or not base or abs(base[0].row - new[0].row) != 1:
        return False
    shift = new[0].row - base[0].row
    return all(
        now.row - was.row == shift and was.id == str(was.row) and now.id == str(now.row)
        for was, now in zip(base, new, strict=True)
    )


def row_keys(rows: SideRows) -> list[tuple[str, int]]:
    """For each row its id, and how many rows of that id came before it: with these keys rows that share an id are told apart."""
    seen: Counter[str] = Counter()
    keys = []
    for line in rows.lines:
        keys.append((line.id, seen[line.id]))
        seen[line.id] += 1
    return keys
