"""The check of a schema: (expected, output) → verdict, with tallies by path of the schema.

Rows with the same signature share one verdict and are counted together. What rows came to is remembered from one split to the next,
up to a bound; beyond it everything is added up and forgotten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from math import gcd
from threading import get_ident
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import RowProblem
from evaluators.model.rows import Result
from evaluators.scoring.fields.events import Changes, Event, Events, empties_of, events_of
from evaluators.scoring.fields.outcomes import Scored
from evaluators.scoring.fields.results import NOT_JUDGED, RowResults, Signature, signature_of
from evaluators.scoring.fields.row_checks import (
    OVERFLOW,
    SURPLUS_ITEMS,
    SURPLUS_ROWS,
    Counts,
    Detail,
    Rows,
    RowsCheck,
    ScoredRow,
    ScoredRows,
    places_of,
)
from evaluators.scoring.fields.row_metrics import RowMetrics, Totals, add_totals, row_counts, row_fields, row_metrics
from evaluators.scoring.fields.schema_rows import SchemaRows, verdict_of
from evaluators.scoring.fields.schema_scoring import SchemaScoring
from evaluators.scoring.fields.weighing import Lacking
from evaluators.scoring.fields.wording import row_problem, too_deep_problem
from evaluators.scoring.judges.asking import asking_about

MOST_REMEMBERED: Final = 1_000_000
"""Results of different rows that are remembered."""
MOST_EVENTS: Final = 50_000
"""Different events that are remembered: keys that nobody foresaw must not fill the memory."""
EXTRA_CAP: Final = 20_000
"""Places outside the schema that are counted apart."""


class _SchemaTotals(RowsCheck[Rows]):
    """The counts by path of a check by one schema, or by several."""

    def total(self) -> Totals:
        """The counts of all rows so far."""
        raise NotImplementedError  # the contract: of one schema, or of several

    def counts(self) -> dict[str, Counts]:
        """(match, mismatch, omission, hallucination) by path, sorted by path."""
        paths: dict[str, list[int]] = {}
        for (path, kind, _), count in self.total().items():
            if isinstance(kind, int):
                paths.setdefault(path, [0, 0, 0, 0])[kind] = count
        return {path: (a, b, c, d) for path, (a, b, c, d) in sorted(paths.items())}

    def details(self) -> Mapping[Detail, int]:
        """Counts beside those of the four statuses: by path, kind and denominator."""
        return {
            (path, kind, den): count
            for (path, kind, den), count in self.total().items()
            if isinstance(kind, str) and count
        }


class Known(Struct, frozen=True, eq=False):
    """The verdict and the counts of rows with the same signature."""

    verdict: Result
    events: Sequence[Event]
    surplus: int
    """Items that only the output has."""
    changes: Changes
    """Their empty values."""


class Remembered(Struct):
    """Verdicts and events by signature. They are kept while a process scores one split after the other."""

    events: Events
    rows: dict[Signature, Known] = {}
    lacking: Lacking = {}
    size: int = 0
    """How many results the rows have."""


class SchemaCheck(_SchemaTotals[SchemaRows]):
    """Scores rows by a schema, many at once: (expected, output, *cells of its `answer_columns`) → verdict. An unreadable output is
    MISSING."""

    def __init__(self, scoring: SchemaScoring) -> None:
        """A check that has counted no row yet. What rows came to is remembered by `scoring`."""
        super().__init__()
        self._scoring = scoring
        self._places = places_of(scoring.row_fields)
        self._total: Totals = Counter()
        self._apart: set[str] = set()
        """Places that the schema lacks, which are counted apart: for good, so that they stay few."""
        self._times: dict[Known, int] = {}
        """How many rows had each signature since they were last added up."""

    def begin(self, *columns: Sequence[Any]) -> SchemaRows:
        """Compares rows, given as columns: expected documents, outputs, and one for each of the `answer_columns`."""
        expected, outputs, *cells = columns
        names = self._scoring.answer_columns
        named = [dict(zip(names, each, strict=True)) for each in zip(*cells, strict=True)]
        return SchemaRows(self._scoring, expected, outputs, self._memory().lacking, named)

    def settle_rows(self, rows: SchemaRows) -> list[ScoredRow]:
        """The verdicts of the rows, settled and counted."""
        return self.count(rows, self.settle(rows))

    def settle(self, rows: SchemaRows) -> Sequence[Scored] | Sequence[Signature | None]:
        """Takes the answers that some rows wait for. Gives the outcomes of each row, where rows are counted by these; else its signature,
        None where its documents are nested too deeply. Where one of the rows raises, all are released."""
        try:
            rows.settle()
            if self._scoring.by_results:
                return [rows.outcomes_of(at) for at in range(len(rows))]
            return [None if result is None else signature_of(result) for result in rows.results]
        except BaseException:
            rows.release()
            raise

    def count(self, rows: SchemaRows, settled: Sequence[Scored] | Sequence[Signature | None]) -> list[ScoredRow]:
        """Counts rows that were settled, and gives their verdicts. Sets in `rows` the verdicts and the changes for the counts of empty
        values. Once too much is remembered, the rows so far are added up and the memory is cleared."""
        verdicts, changes, times, remembered = list[Result](), list[Changes](), self._times, self._memory()
        for results, row in zip(rows.results, settled, strict=True):
            if results is None or not isinstance(row, Signature):
                verdicts.append(
                    self._count_row(row if isinstance(row, Scored) else Scored((), problem=too_deep_problem()))
                )
                changes.append(())
                continue
            known = remembered.rows.get(row) or self._remember(remembered, row, results)
            times[known] = times.get(known, 0) + 1
            verdicts.append(known.verdict)
            changes.append(known.changes)
        if remembered.size > MOST_REMEMBERED or len(remembered.events.known) > MOST_EVENTS:
            self._add_up()
            self._scoring.memory.clear()
        rows.changes = () if self._scoring.by_results else changes
        rows.verdicts = verdicts
        return [ScoredRow(verdict, rows, at) for at, verdict in enumerate(verdicts)]

    def _count_row(self, scored: Scored) -> Result:
        """Adds a row to the counts by all its outcomes, one by one, and gives its verdict."""
        events = events_of(scored)
        self._add_events(events, 1)
        metrics = row_metrics(events, self._scoring.required_fields)
        if scored.problem is None:
            add_surplus(metrics.surplus, 1, self._total)
        # in lowest terms
        lowest = [(num // common, den // common) for num, den in metrics.metrics for common in (gcd(num, den) or 1,)]
        metrics = metrics._replace(metrics=tuple(lowest))
        return self._verdict(metrics, events, scored.problem)

    def _memory(self) -> Remembered:
        """The memory of verdicts and events by this schema in this thread, made where there is none. Checks that watch the same fields
        share it."""
        key, known = (get_ident(), *self._watched), self._scoring.memory
        if key not in known:
            known[key] = Remembered(Events(self._scoring.root, self._scoring.surplus_counts))
        remembered: Remembered = known[key]
        return remembered

    def total(self) -> Totals:
        """The counts by path of all rows so far."""
        self._add_up()
        return self._total

    def _remember(self, remembered: Remembered, signature: Signature, results: RowResults) -> Known:
        """The verdict and the events of a row whose signature is new. They are put into `remembered` where the signature says all
        of the row."""
        events = remembered.events.of(signature, results)
        changes = empties_of(signature, self._scoring.fields_outside_lists)
        metrics = row_metrics(events, self._scoring.required_fields)
        broken = any(status == NOT_JUDGED for _, status, _, _ in signature.fields)
        problem = row_problem(results) if broken else None
        verdict = self._verdict(metrics, events, problem)
        known = Known(verdict, events, 0 if problem is not None else metrics.surplus, changes)
        if not broken and not any(
            field.answers for field in results.fields
        ):  # else another row may differ in what its signature does not say
            remembered.rows[signature] = known
            remembered.size += 1 + len(signature.matched) + len(signature.fields)
        return known

    def _verdict(self, metrics: RowMetrics, events: Sequence[Event], problem: RowProblem | None = None) -> Result:
        """The verdict of a row, with the status of each field."""
        verdict = verdict_of(metrics, self._scoring, problem)
        if self._places:
            statuses, values = row_fields(events, self._places)
            verdict = replace(verdict, statuses=statuses, values=values)
        return replace(verdict, watched=row_counts(events, self._watched)) if self._watched else verdict

    def _add_events(self, events: Sequence[Event], times: int) -> None:
        """Counts the events of some rows that are alike."""
        add_totals(self._total, [(self._with_capped_places(events), times)])

    def _with_capped_places(self, events: Sequence[Event]) -> Sequence[Event]:
        """The events, in which places that the schema lacks share one name beyond the first `EXTRA_CAP`."""
        if not any(event.lacking for event in events):
            return events
        for event in events:
            if event.lacking and len(self._apart) < EXTRA_CAP:
                self._apart.add(event.path)
        return [
            event._replace(path=OVERFLOW) if event.lacking and event.path not in self._apart else event
            for event in events
        ]

    def _add_up(self) -> None:
        """Adds the rows that were met since the last time to the totals."""
        met, self._times = self._times, {}
        add_totals(self._total, ((self._with_capped_places(known.events), times) for known, times in met.items()))
        for known, times in met.items():
            add_surplus(known.surplus, times, self._total)


class PartedRows(ScoredRows):
    """Rows that several schemas score, each some of them."""

    def __init__(self) -> None:
        self.parts: list[tuple[SchemaCheck, list[int], SchemaRows]] = []
        """The rows of each schema, and their numbers."""

    @property
    def pairs_by_asking(self) -> bool:
        """Whether in some part answers of comparators that cost decide which items are paired."""
        return any(rows.pairs_by_asking for _, _, rows in self.parts)

    def release(self) -> None:
        """Frees the results of the rows of all parts."""
        for _, _, rows in self.parts:
            rows.release()


class ColumnCheck(_SchemaTotals[PartedRows]):
    """Scores rows whose schema stands in a cell: (expected, output, *cells), one check for each schema."""

    def __init__(self, scoring: Callable[..., SchemaScoring]) -> None:
        """`scoring` gives the way of scoring that the cells of a row name."""
        super().__init__()
        self._scoring = scoring
        self._checks: dict[int, tuple[SchemaScoring, SchemaCheck]] = {}

    def begin(self, *columns: Sequence[Any]) -> PartedRows:
        """Compares rows, those of each schema together. Columns are expected documents, outputs, and the cells that name the schema.
        Releases the rows where one raises."""
        expected, outputs, *cells = columns
        rows_cells: Iterable[tuple[Any, ...]] = zip(*cells, strict=True) if cells else repeat((), len(expected))
        checks = [self._check(self._scoring(*each)) for each in rows_cells]
        rows = PartedRows()
        try:
            for check in {id(check): check for check in checks}.values():
                numbers = [row for row, check_of_row in enumerate(checks) if check_of_row is check]
                with asking_about(numbers):
                    part = check.begin([expected[row] for row in numbers], [outputs[row] for row in numbers])
                rows.parts.append((check, numbers, part))
        except BaseException:
            rows.release()
            raise
        return rows

    def settle_rows(self, rows: PartedRows) -> list[ScoredRow]:
        """Settles and counts the rows of each schema, and gives their verdicts in the order of the rows. Where one raises, nothing is
        counted, and all are released."""
        try:
            settled = [check.settle(part) for check, _, part in rows.parts]
        except BaseException:
            rows.release()
            raise
        scored: dict[int, ScoredRow] = {}
        for (check, numbers, part), each in zip(rows.parts, settled, strict=True):  # nothing is counted where one breaks
            scored |= zip(numbers, check.count(part, each), strict=True)
        return [scored[row] for row in range(len(scored))]

    def row_to_explain(self, *values: Any) -> ScoredRows:
        """One row, scored by the schema that its cells name to be explained, and not counted. The caller releases it."""
        expected, output, *cells = values
        return self._check(self._scoring(*cells)).row_to_explain(expected, output)

    def _check(self, scoring: SchemaScoring) -> SchemaCheck:
        """The check by a scoring, made when it is first asked for. The scoring is kept with it, so that its id stays its own."""
        known = self._checks.get(id(scoring))
        if known is None:
            known = self._checks[id(scoring)] = (scoring, SchemaCheck(scoring).watch_fields(list(self._watched)))
        return known[1]

    def total(self) -> Totals:
        """The counts by path of all rows so far, of all schemas together."""
        totals: Totals = Counter()
        for _, check in self._checks.values():
            totals.update(check.total())
        return totals


def add_surplus(items: int, rows: int, totals: Totals) -> None:
    """Adds to `totals` so many `rows`, each with so many `items` that only the output has; nothing where either is 0."""
    if items and rows:
        totals["", SURPLUS_ITEMS, 1] += items * rows
        totals["", SURPLUS_ROWS, 1] += rows
