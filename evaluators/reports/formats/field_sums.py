"""The sums per field as a table for spreadsheets and plots: `field_summary.csv`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TextIO

from evaluators.reports.csv_cells import Value, spelling_of, write_csv
from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.runs.metric_table import FIELD_METRICS
from evaluators.runs.reader import Run
from evaluators.runs.result import EvaluatorStats

HEAD: Final = (
    "variant", "slice_column", "slice_value", "evaluator", "field", *(metric.name for metric in FIELD_METRICS),
)  # fmt: skip


class FieldSums(Format):
    """One line per field of every evaluator, variant and slice."""

    file = "field_summary.csv"

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """Writes the table as CSV, with exact metrics; an undefined one is an empty cell."""
        write_csv(stream, (HEAD, *_rows((*run.result.evaluators, *run.result.slices))), spelling_of(run))


def _rows(evaluators: Iterable[EvaluatorStats]) -> Iterable[tuple[Value, ...]]:
    """A row for each field of each evaluator, behind its variant, slice and evaluator; cells are empty without a variant or slice."""
    for stats in evaluators:
        column, value = stats.slice or ("", "")
        about = (stats.variant or "", column.removeprefix("row."), value, stats.name)
        yield from ((*about, field.path, *(metric.value(field) for metric in FIELD_METRICS)) for field in stats.fields)
