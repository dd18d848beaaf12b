"""The sums per field as a table for spreadsheets and plots: `field_summary.csv`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TextIO

from evaluators.reports.csv_cells import Value, spelling_of, write_csv
from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.run.reader import Run
from evaluators.run.result import ArrayStats, EvaluatorStats, FieldStats

HEAD: Final = (
    "variant", "slice_column", "slice_value", "evaluator", "field", "n", "match", "mismatch", "omission",
    "hallucination", "error", "skipped", "not_measured", "not_judged", "accuracy", "precision", "recall", "f1",
    "mean_score", "items_matched", "items_missing", "items_extra", "items_precision", "items_recall", "items_f1",
    "invented_rate", "expected_empty", "left_empty_rate", "expected_filled",
)  # fmt: skip


class FieldSums(Format):
    """One line per field of every evaluator, variant and slice."""

    file = "field_summary.csv"

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """The table, with exact metrics; an undefined one is an empty cell."""
        write_csv(stream, (HEAD, *_rows((*run.result.evaluators, *run.result.slices))), spelling_of(run))


def _rows(metrics: Iterable[EvaluatorStats]) -> Iterable[tuple[Value, ...]]:
    for stats in metrics:
        column, value = stats.slice or ("", "")
        for field in stats.fields:
            yield stats.variant or "", column.removeprefix("row."), value, stats.name, *_cells(field)


def _cells(field: FieldStats) -> tuple[Value, ...]:
    counts = field.counts
    sums = (
        counts.n, counts.match, counts.mismatch, counts.omission, counts.hallucination, counts.error,
        counts.skipped, counts.not_measured, counts.not_judged,
    )  # fmt: skip
    metrics = (field.accuracy, field.precision, field.recall, field.f1, field.mean_score)
    empty = (field.invented_rate, field.expected_empty, field.left_empty_rate, field.expected_filled)
    return field.path, *sums, *metrics, *_item_cells(field.array), *empty


def _item_cells(array: ArrayStats | None) -> tuple[Value, ...]:
    if array is None:
        return ("",) * 6
    return array.matched, array.missing, array.extra, array.precision, array.recall, array.f1
