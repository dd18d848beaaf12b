"""Rows as a table for spreadsheets: `rows.csv` of a run, and the rows that changed between two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TextIO

from evaluators.reports.csv_cells import spelling_of, write_csv
from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.reports.rows import row_views
from evaluators.reports.rows_csv import write_rows
from evaluators.runs.reader import Run

if TYPE_CHECKING:
    from evaluators.runs.compare.comparison import ChangedRow, RunComparison

CHANGED: Final = (
    "variant", "row", "id", "change", "broken", "fixed", "lost", "gained", "settled", "field_changes", "reasons",
)  # fmt: skip
"""The columns of the rows that changed from one run to another."""


class Csv(Format):
    """One line per row."""

    suffixes = (".csv",)
    file = "rows.csv"
    each = "variant"
    shows_cells = True

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """Writes the rows as the test set has them, with the results of the evaluators beside them.

        It separates its cells and writes decimals as the test set does, and has a byte order mark where that has one: it goes back to the
        same spreadsheet.
        """
        facts = run.facts
        evaluators = [(evaluator.name, evaluator.fields) for evaluator in facts.evaluators]
        rows = row_views(run, (options.variant,))
        write_rows(stream, facts.header, evaluators, rows, spelling_of(run))

    def write_comparison(self, comparison: RunComparison, stream: TextIO) -> None:
        """Writes a line for each row that changed: how, and by which evaluators. Where rows are not paired, a line for each metric."""
        if comparison.unpaired:
            table = comparison.table
            lines = (["" if cell is None else str(cell) for cell in line.values()] for line in table)
            write_csv(stream, (tuple(table.columns), *lines))
            return
        write_csv(stream, (CHANGED, *map(_changed_cells, comparison.changed)))


def _changed_cells(row: ChangedRow) -> tuple[str, ...]:
    evaluators = map(", ".join, (row.broken, row.fixed, row.lost, row.gained, row.settled))
    reasons = ", ".join(f"{name}: {reason}" for name, reason in row.reasons.items())
    return row.variant or "", str(row.number), row.id, row.change, *evaluators, ", ".join(row.fields), reasons
