"""Rows as a table for spreadsheets: `rows.csv` of a run, which is written as its rows are read, and the rows that changed between two."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Final

from evaluators.issues import problem
from evaluators.reports.csv_cells import write_csv
from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.run.result import RunResult

if TYPE_CHECKING:
    from evaluators.compare.comparison import ChangedRow, RunComparison

CHANGED: Final = (
    "variant", "row", "id", "change", "broken", "fixed", "lost", "gained", "settled", "field_changes", "reasons",
)  # fmt: skip
"""The columns of the rows that changed from one run to another."""


class Csv(Format):
    """One line per row."""

    words = ("csv",)

    def render(self, result: RunResult, options: Options) -> str:
        """Nothing can be listed from the figures alone. Raises Problems (config)."""
        raise problem("needs-rows", "rows.csv lists rows, and only a run has them", hint="run the suite again")

    def compared(self, comparison: RunComparison) -> str:
        """The rows that changed, one line each: what became of them, and by which evaluators."""
        stream = StringIO(newline="")
        write_csv(stream, (CHANGED, *map(_changed_cells, comparison.changed)))
        return stream.getvalue()


def _changed_cells(one: ChangedRow) -> tuple[str, ...]:
    evaluators = map(", ".join, (one.broken, one.fixed, one.lost, one.gained, one.settled))
    reasons = ", ".join(f"{name}: {reason}" for name, reason in one.reasons.items())
    return one.variant or "", str(one.number), one.id, one.change, *evaluators, ", ".join(one.fields), reasons
