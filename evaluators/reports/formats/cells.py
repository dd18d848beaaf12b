"""The cells of rows as they were scored, as JSON lines: `cells.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator

from evaluators.reports.format import LinesFormat
from evaluators.runs.reader import Run
from evaluators.scoring.values.json_text import compact


class CellLines(LinesFormat):
    """One line per row, with its cells by column."""

    suffixes = (".cells.jsonl",)
    file = "cells.jsonl"
    shows_cells = True

    def lines(self, run: Run, variant: str | None) -> Iterator[str]:
        """The cells that the run kept, or those of the test set where that is as it was."""
        return (compact(line).decode() for line in run.cells(variant))
