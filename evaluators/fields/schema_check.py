"""The check of a schema: (expected, output) → verdict, with tallies by path of the schema.

Rows that come to the same codes share one verdict and are counted together. What is remembered is bounded by the number of
codes; beyond it everything is added up and the numbering starts afresh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from math import gcd
from typing import Any, Final

from msgspec.structs import replace

from evaluators.fields.coding import Coding, Signature
from evaluators.fields.events import Event, events_of, row_counts, row_metrics, row_statuses, row_values, totals
from evaluators.fields.explained import problems_of
from evaluators.fields.path_check import SURPLUS_ITEMS, SURPLUS_ROWS, Detail, RowsCheck, ScoredRow, ScoredRows
from evaluators.fields.row_events import row_events
from evaluators.fields.schema_rows import SchemaRows, verdict_of
from evaluators.fields.schema_scoring import SchemaScoring
from evaluators.fields.scored import Scored
from evaluators.fields.tree import SchemaPath
from evaluators.fields.walk import Lacking
from evaluators.issues import RowProblem
from evaluators.judges.asking import asking_about
from evaluators.model import Result

MOST_REMEMBERED: Final = 1_000_000
"""Events of different rows that are remembered between two additions."""
MOST_EVENTS: Final = 50_000
"""Different events that are numbered between two additions: keys that nobody foresaw must not fill the memory."""


class SchemaCheck(RowsCheck[SchemaRows]):
    """Scores rows by a schema, many at once: (expected, output) → verdict. An unreadable output is MISSING."""

    def __init__(self, scoring: SchemaScoring) -> None:
        self._scoring = scoring
        self._places = places_of(scoring.row_fields)
        self._watched: dict[str, int] = {}
        self._paths: dict[str, list[int]] = {}
        self._details: dict[Detail, int] = {}
        self._spelled: dict[SchemaPath, str] = {}
        """Places that the schema lacks, which are counted apart: for good, so that they stay few."""
        self._afresh()

    def counted(self) -> SchemaCheck:
        return self

    def begin(self, *columns: Sequence[Any]) -> SchemaRows:
        expected, outputs = columns
        return SchemaRows(self._scoring, expected, outputs, self._lacking)

    def settled(self, rows: SchemaRows) -> list[ScoredRow]:
        return self.ready(rows)()

    def ready(self, rows: SchemaRows) -> Callable[[], list[ScoredRow]]:
        """Settles some rows, and gives what counts them. Where one of them raises, they are released."""
        try:
            rows.settle()
            if self._scoring.by_results or rows.walk is None:
                found = [rows.scored(at) for at in range(len(rows))]
                return lambda: _of_rows(rows, list(map(self._counted, found)))
            problems, signatures = problems_of(rows.walk), row_events(rows.walk, self._coding)
        except BaseException:
            rows.release()
            raise
        return lambda: _of_rows(rows, self._numbered(signatures, problems))

    def _counted(self, scored: Scored) -> Result:
        """The verdict of a row with all its results, which are counted one by one."""
        events = events_of(scored)
        self._add([(events, 1)])
        metrics = row_metrics(events)
        if scored.problem is None:
            add_surplus(metrics.surplus, 1, self._details)
        lowest = [(num // common, den // common) for num, den in metrics.metrics for common in (gcd(num, den) or 1,)]
        metrics = metrics._replace(metrics=tuple(lowest))
        return _by_field(verdict_of(metrics, self._scoring, scored.problem), events, self._places, self._watched)

    def _numbered(self, signatures: Sequence[Signature], problems: Mapping[int, RowProblem]) -> list[Result]:
        found = [self._met(signature, problems.get(row)) for row, signature in enumerate(signatures)]
        if self._remembered > MOST_REMEMBERED or len(self._coding) > MOST_EVENTS:
            self._settle()
            self._afresh()
        return found

    def watching(self, paths: Sequence[str]) -> SchemaCheck:
        self._watched = places_of(paths)
        return self

    def counts(self) -> dict[str, tuple[int, int, int, int]]:
        """(match, mismatch, omission, hallucination) by path of the schema, sorted by path."""
        self._settle()
        return {path: (found[0], found[1], found[2], found[3]) for path, found in sorted(self._paths.items())}

    def details(self) -> Mapping[Detail, int]:
        """How many results of each path were skipped, faults and so on; how many items were paired."""
        self._settle()
        return dict(self._details)

    def _afresh(self) -> None:
        """Starts the numbering of events afresh."""
        self._coding = Coding(self._scoring.root, self._scoring.surplus_counts, self._spelled)
        self._lacking: Lacking = {}
        self._remembered = 0
        self._known: dict[Signature, list[Any]] = {}
        """By what became of a row: its verdict, how many such rows there were, and their surplus items."""

    def _met(self, signature: Signature, problem: RowProblem | None) -> Result:
        """The verdict of a row. Rows with equal outcomes share one verdict, and are counted together."""
        if problem is not None:  # a row without a score; its other results still count by path
            events = self._coding.of(signature)
            self._add([(events, 1)])
            return _by_field(verdict_of(row_metrics(events), self._scoring, problem), events, self._places, self._watched)
        known = self._known.get(signature)
        if known is None:
            events = self._coding.of(signature)
            metrics = row_metrics(events)
            verdict = _by_field(verdict_of(metrics, self._scoring), events, self._places, self._watched)
            known = self._known[signature] = [verdict, 0, metrics.surplus]
            self._remembered += 1 + len(signature[0]) + len(signature[1])
        known[1] += 1
        found: Result = known[0]
        return found

    def _settle(self) -> None:
        """Adds up what was counted since the last time."""
        self._add((self._coding.of(signature), count) for signature, (_, count, _) in self._known.items() if count)
        for known in self._known.values():
            add_surplus(known[2], known[1], self._details)
            known[1] = 0

    def _add(self, rows: Iterable[tuple[Iterable[Event], int]]) -> None:
        add_totals(totals(rows), self._paths, self._details)


def _of_rows(rows: SchemaRows, verdicts: Sequence[Result]) -> list[ScoredRow]:
    rows.verdicts = verdicts
    return [ScoredRow(verdict, rows, at) for at, verdict in enumerate(verdicts)]


class PartedRows(ScoredRows):
    """Rows that several schemas score, each some of them."""

    def __init__(self) -> None:
        self.parts: list[tuple[SchemaCheck, list[int], SchemaRows]] = []
        """The rows of each schema, and their numbers."""

    @property
    def pairs_by_asking(self) -> bool:
        return any(rows.pairs_by_asking for _, _, rows in self.parts)

    def release(self) -> None:
        for _, _, rows in self.parts:
            rows.release()


class ColumnCheck(RowsCheck[PartedRows]):
    """Scores rows whose schema stands in a cell: (expected, output, *cells), one check for each schema."""

    def __init__(self, scoring: Callable[..., SchemaScoring]) -> None:
        self._scoring = scoring
        self._watched: Sequence[str] = ()
        self._checks: dict[int, tuple[SchemaScoring, SchemaCheck]] = {}

    def counted(self) -> ColumnCheck:
        return self

    def alone(self, *values: Any) -> ScoredRow:
        expected, output, *cells = values
        return self._check(self._scoring(*cells)).alone(expected, output)

    def begin(self, *columns: Sequence[Any]) -> PartedRows:
        expected, outputs, *cells = columns
        given: Iterable[tuple[Any, ...]] = zip(*cells, strict=True) if cells else repeat((), len(expected))
        checks = [self._check(self._scoring(*each)) for each in given]
        rows = PartedRows()
        try:
            for check in {id(one): one for one in checks}.values():
                numbers = [row for row, one in enumerate(checks) if one is check]
                with asking_about(numbers):
                    part = check.begin([expected[row] for row in numbers], [outputs[row] for row in numbers])
                rows.parts.append((check, numbers, part))
        except BaseException:
            rows.release()
            raise
        return rows

    def settled(self, rows: PartedRows) -> list[ScoredRow]:
        try:
            ready = [(numbers, check.ready(part)) for check, numbers, part in rows.parts]
        except BaseException:
            rows.release()
            raise
        found: dict[int, ScoredRow] = {}
        for numbers, counted in ready:  # all are settled by now, so that nothing is counted where one breaks
            found |= zip(numbers, counted(), strict=True)
        return [found[row] for row in range(len(found))]

    def looked_at(self, *values: Any) -> ScoredRows:
        """One row, scored by the schema that its cells name, and not counted. Whoever calls it releases it."""
        expected, output, *cells = values
        return self._check(self._scoring(*cells)).looked_at(expected, output)

    def _check(self, scoring: SchemaScoring) -> SchemaCheck:
        known = self._checks.get(id(scoring))
        if known is None:
            known = self._checks[id(scoring)] = (scoring, SchemaCheck(scoring).watching(self._watched))
        return known[1]

    def watching(self, paths: Sequence[str]) -> ColumnCheck:
        self._watched = paths
        return self

    def counts(self) -> dict[str, tuple[int, int, int, int]]:
        """The counts by path of all the schemas together."""
        paths: dict[str, list[int]] = {}
        for _, check in self._checks.values():
            add_totals((check.counts(), {}), paths, {})
        return {path: (found[0], found[1], found[2], found[3]) for path, found in sorted(paths.items())}

    def details(self) -> Mapping[Detail, int]:
        """What is counted beside the statuses."""
        details: dict[Detail, int] = {}
        for _, check in self._checks.values():
            add_totals(({}, check.details()), {}, details)
        return details


def add_totals(
    found: tuple[Mapping[str, Sequence[int]], Mapping[Detail, int]],
    paths: dict[str, list[int]],
    details: dict[Detail, int],
) -> None:
    """Adds counts by path, and what is counted beside them, to what was counted before."""
    for path, counts in found[0].items():
        mine = paths.setdefault(path, [0, 0, 0, 0])
        for index, count in enumerate(counts):
            mine[index] += count
    for key, count in found[1].items():
        details[key] = details.get(key, 0) + count


def add_surplus(items: int, rows: int, details: dict[Detail, int]) -> None:
    """Counts so many items that only the output has in each of some rows."""
    if items and rows:
        for kind, count in ((SURPLUS_ITEMS, items * rows), (SURPLUS_ROWS, rows)):
            details["", kind, 1] = details.get(("", kind, 1), 0) + count


def _by_field(verdict: Result, events: Sequence[Event], places: Mapping[str, int], watched: Mapping[str, int]) -> Result:
    """The verdict with what became of each field."""
    if places:
        verdict = replace(verdict, statuses=row_statuses(events, places), values=row_values(events, places))
    return replace(verdict, watched=row_counts(events, watched)) if watched else verdict


def places_of(fields: Sequence[str]) -> dict[str, int]:
    """The place of each field whose status every row has."""
    return {name: index for index, name in enumerate(fields)}
