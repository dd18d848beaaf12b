"""What became of fields, as JSON lines: `outcomes.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator

from evaluators.reports.format import LinesFormat
from evaluators.runs.reader import Run


class Outcomes(LinesFormat):
    """One line per field, list or row of which the run kept both values and the reason."""

    suffixes = (".outcomes.jsonl",)
    file = "outcomes.jsonl"

    def lines(self, run: Run, variant: str | None) -> Iterator[str]:
        """The outcomes in the order of rows, each as the run kept it.

        They are read too, so that a damaged one raises Problems.
        """
        return (text for text, _ in zip(run.lines("outcomes", variant), run.outcomes(variant), strict=True))
