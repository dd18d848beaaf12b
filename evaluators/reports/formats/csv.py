"""The sums per field as a table for spreadsheets and plots: `field_summary.csv`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Final

from evaluators.reports.csv_cells import write_csv
from evaluators.reports.format import Format
from evaluators.reports.summary import Options
from evaluators.runs.result import EvaluatorStats, FieldStats, RunResult

HEAD: Final = (
    "variant", "slice_column", "slice_value", "evaluator", "field", "measured", "match", "mismatch", "omission",
    "hallucination", "error", "skipped", "not_measured", "fault", "accuracy", "precision", "recall", "f1",
)  # fmt: skip


class CsvTable(Format):
    """One line per field of every evaluator, variant and slice."""

    words = ("csv",)

    def render(self, result: RunResult, options: Options) -> str:
        """The table, with exact figures; an undefined one is an empty cell."""
        stream = StringIO(newline="")
        write_csv(stream, (HEAD, *_rows((*result.evaluators, *result.slices))))
        return stream.getvalue()

    def folder_files(self, result: RunResult, options: Options) -> Mapping[str, str]:
        """`field_summary.csv`."""
        return {"field_summary.csv": self.render(result, options)}


def _rows(figures: Iterable[EvaluatorStats]) -> Iterable[tuple[str, ...]]:
    for stats in figures:
        column, value = stats.slice or ("", "")
        for field in stats.fields:
            yield stats.variant or "", column.removeprefix("row."), value, stats.name, *_cells(field)


def _cells(field: FieldStats) -> tuple[str, ...]:
    counts = field.counts
    sums = (
        counts.measured, counts.match, counts.mismatch, counts.omission, counts.hallucination, counts.error,
        counts.skipped, counts.not_measured, counts.fault,
    )  # fmt: skip
    figures = (field.accuracy, field.precision, field.recall, field.f1)
    return field.path, *map(str, sums), *("" if figure is None else repr(figure) for figure in figures)
