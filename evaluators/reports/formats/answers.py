"""What was asked of judges and other paid comparators, and answered, as JSON lines: `answers.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator

from evaluators.reports.format import LinesFormat
from evaluators.runs.reader import Run


class Answers(LinesFormat):
    """One line per question; `judge: {recorded: {file: answers.jsonl}}` plays them back."""

    suffixes = (".answers.jsonl",)
    file = "answers.jsonl"

    def lines(self, run: Run, variant: str | None) -> Iterator[str]:
        """The answers in the order in which they were given, each as the run kept it.

        They are read too, so that a damaged one raises Problems.
        """
        return (text for text, _ in zip(run.lines("answers", variant), run.answers(variant), strict=True))
