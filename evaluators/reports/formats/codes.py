"""What the codes of rows stand for, as JSON lines: `codes.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator

from evaluators.reports.format import LinesFormat
from evaluators.runs.reader import Run
from evaluators.runs.record_lines import code_lines


class Codes(LinesFormat):
    """One line per distinct verdict of an evaluator: its exact score, and a letter for each field."""

    suffixes = (".codes.jsonl",)
    file = "codes.jsonl"

    def lines(self, run: Run, variant: str | None) -> Iterator[str]:
        """The verdicts of each evaluator, in the order of their codes."""
        names = [evaluator.name for evaluator in run.facts.evaluators]
        return (line.decode() for line in code_lines(names, run.verdicts(variant)))
