"""Every row with one code for each evaluator, as JSON lines: `rows.jsonl`. What the codes stand for is in `codes.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator

from evaluators.reports.format import LinesFormat
from evaluators.runs.reader import Run
from evaluators.scoring.values.json_text import compact


class Rows(LinesFormat):
    """One line per row: its number, id, checksum, slices and codes."""

    suffixes = (".rows.jsonl",)
    file = "rows.jsonl"

    def lines(self, run: Run, variant: str | None) -> Iterator[str]:
        """The rows in order."""
        return (compact(line).decode() for line in run.row_lines(variant, run.verdicts(variant)))
