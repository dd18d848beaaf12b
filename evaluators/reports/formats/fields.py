"""Every field of every row as a table: `fields.csv`, with the columns of extract-bench's reports behind the row's id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TextIO

from evaluators.fields.scored import ListOutcome
from evaluators.model import MISSING, Outcome
from evaluators.reports.csv_cells import exact, write_csv
from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.reports.outcomes import ReportPart, full_path, outcomes_of, part_of
from evaluators.run.reader import Run
from evaluators.values.json_text import to_text

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
        """The table. What is absent is an empty cell, null is `null`; scores are exact."""
        write_csv(stream, _lines(part_of(run, options)))


def _lines(part: ReportPart) -> Iterator[Iterable[str]]:
    yield HEAD
    for row, found in part.rows():
        if found is not None:
            for outcome, array, _ in outcomes_of(found):
                yield row.name, *_cells(outcome, array)


def _cells(outcome: Outcome, array: ListOutcome | None) -> tuple[str, ...]:
    items: tuple[str, ...] = _NO_ARRAY
    if array is not None:
        ratios = [None if one is None else float(one) for one in (array.precision, array.recall, array.f1)]
        items = (str(array.matched), str(array.missing), str(array.extra), *map(exact, ratios))
    return (
        full_path(outcome.path), outcome.path, outcome.metric, exact(outcome.score),
        "true" if outcome.passed else "false", _value(outcome.expected), _value(outcome.actual), outcome.reason or "", *items,
    )  # fmt: skip


def _value(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is MISSING else to_text(value)  # type: ignore[arg-type]  # documents are JSON
