"""Every field of every row as a table: `fields.csv`, with the columns of extract-bench's reports behind the row's id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TextIO

from evaluators.model.rows import MISSING
from evaluators.reports.csv_cells import Value, spelling_of, write_csv
from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.reports.outcomes import evaluator_of, full_path, outcomes_of, rows_by_schema
from evaluators.reports.rows import FieldView
from evaluators.runs.reader import Run
from evaluators.runs.result import EvaluatorStats
from evaluators.scoring.values.json_text import to_text

HEAD: Final = (
    "row", "path", "normalized_path", "metric_id", "score", "passed", "gold_value", "extracted_value", "reasoning",
    "matched", "missed_gold", "spurious_pred", "precision", "recall", "f1",
)  # fmt: skip
_NO_ARRAY: Final = ("",) * 6


class FieldsTable(Format):
    """One line per row and field outcome; a list has a line of its own before those of its items."""

    suffixes = (".fields.csv",)
    file = "fields.csv"
    each = "evaluator"

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """Writes the table as CSV. What is absent is an empty cell, null is `null`; scores are exact."""
        write_csv(stream, _lines(run, evaluator_of(run, options)), spelling_of(run))


def _lines(run: Run, stats: EvaluatorStats) -> Iterator[Iterable[Value]]:
    """The head, and a line for each outcome of each row of an evaluator that scores by a schema."""
    yield HEAD
    for row, _, outcomes in rows_by_schema(run, stats):
        for view in outcomes_of(outcomes) if outcomes is not None else ():
            yield row.name, *_cells(view)


def _cells(view: FieldView) -> tuple[Value, ...]:
    """The cells of a field behind the row's id; those for items are empty where it is no list."""
    items: tuple[Value, ...] = _NO_ARRAY
    if (array := view.array) is not None:
        ratios = [None if ratio is None else float(ratio) for ratio in (array.precision, array.recall, array.f1)]
        items = (array.matched, array.missing, array.extra, *ratios)
    return (
        full_path(view.path or ""), view.path or "", view.outcomes[0].metric, view.score,
        bool(view.passed), _value(view.expected), _value(view.actual), view.reason or "", *items,
    )  # fmt: skip


def _value(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is MISSING else to_text(value)  # type: ignore[arg-type]  # documents are JSON
