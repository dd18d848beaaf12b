"""How much of a test set a figure speaks of, and what the rest could still do to it.

Rows are *kept out* when the data or the environment kept them from being measured: they are invalid, unjudged, or a fault
of the program. Rows that the suite leaves out (skipped) and rows in which nothing was there (not measured) are not.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from evaluators.run.figures import counted, percent_text, rows_text
from evaluators.run.result import EvaluatorStats, FieldStats

USUAL: Final = 0.95
"""The share of the rows that a figure must rest on, unless the suite says otherwise."""


class Reach(NamedTuple):
    """How many rows (or items of a field) were measured, and how many were kept out."""

    measured: int
    kept_out: int
    noun: str = "row"

    @property
    def whole(self) -> int:
        """All that should have been measured."""
        return self.measured + self.kept_out

    @property
    def share(self) -> float:
        """The part that was measured; 1 of nothing."""
        return self.measured / self.whole if self.whole else 1.0

    def short_of(self, coverage: float) -> bool:
        """Whether less was measured than a gate asks for. A rounding of `coverage` never decides."""
        return self.share < coverage

    @property
    def of(self) -> str:
        """`5 of 40 rows`."""
        return f"{self.measured:,} of {counted(self.whole, self.noun)}"

    @property
    def told(self) -> str:
        """`only 5 of 40 rows were measured (12.5 %)`."""
        return f"only {self.of} {'was' if self.measured == 1 else 'were'} measured ({percent_text(self.share)})"


def reach(stats: EvaluatorStats, field: FieldStats | None = None) -> Reach:
    """What the figures of an evaluator, or of one of its fields, rest on.

    A field is measured in rows that have no score because of another field. It loses the rows of which nothing could be
    read, and what could not be measured in the field itself; what is told is the larger of the two losses.
    """
    if field is None:
        return Reach(stats.scored, stats.kept_out)
    rows = Reach(stats.rows - stats.skipped - stats.not_measured - stats.rows_without_fields, stats.rows_without_fields)
    own = Reach(field.counts.n, field.counts.not_judged, "value")
    return min(rows, own, key=lambda each: each.share)


def best_mean(mean: float, rows: int, kept_out: int) -> float:
    """The mean if every row that was kept out were perfect."""
    return (mean * rows + kept_out) / (rows + kept_out)


def worst_mean(mean: float, rows: int, kept_out: int) -> float:
    """The mean if every row that was kept out scored 0."""
    return mean * rows / (rows + kept_out)


def unseen_by_precision(stats: EvaluatorStats) -> str:
    """The rows that pooled precision does not see, in words; empty without any."""
    count = stats.outputs_without_values
    gave = "has an output that gave" if count == 1 else "have an output that gave"
    return f"{rows_text(count)} of {stats.scored:,} {gave} nothing, which precision does not see" if count else ""
