"""Counts of matches, mismatches, omissions and hallucinations, and the metrics that are made of them.

With M right, X wrong, O missing and H extra: accuracy = M/(M+X+H+O), precision = M/(M+X+H), recall = M/(M+X+O),
F1 = 2M/(2M+2X+H+O). A share of nothing is 0 where anything went wrong, such as the precision of an output that gave nothing
of what was expected; where there was nothing at all it is undefined.

Fields, items of lists, pairs of items and whole runs have the same formulas: they are here, and nowhere else.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal, NamedTuple, TypeAlias, assert_never

Ratio: TypeAlias = Literal["accuracy", "precision", "recall", "f1"]
"""A metric that is one sum divided by another."""
RATIOS: Final[tuple[Ratio, ...]] = ("accuracy", "precision", "recall", "f1")


class Confusion(NamedTuple):
    """Four counts."""

    right: int = 0
    wrong: int = 0
    """Errors of the output are among these."""
    missing: int = 0
    """Only the expected side has them."""
    extra: int = 0
    """Only the output has them."""

    @property
    def measured(self) -> int:
        """The number of values that were measured: the sum of all four counts."""
        return self.right + self.wrong + self.missing + self.extra

    def sums(self, metric: Ratio) -> tuple[int, int]:
        """The numerator and the denominator of a metric, as whole numbers."""
        in_output, expected = self.right + self.wrong + self.extra, self.right + self.wrong + self.missing
        match metric:
            case "accuracy":
                return self.right, expected + self.extra
            case "precision":
                return self.right, in_output
            case "recall":
                return self.right, expected
            case "f1":
                return 2 * self.right, in_output + expected
        assert_never(metric)

    def ratio(self, metric: Ratio) -> tuple[int, int]:
        """The numerator and the denominator of a metric. One that would divide by 0 has (0, measured), and is 0; where nothing was
        measured, that is (0, 0), and it is undefined."""
        part, whole = self.sums(metric)
        return part, whole or self.measured

    def as_fraction(self, metric: Ratio) -> Fraction | None:
        """The metric as an exact fraction; None where it is undefined."""
        part, whole = self.ratio(metric)
        return Fraction(part, whole) if whole else None

    def as_float(self, metric: Ratio) -> float | None:
        """The metric as the float that is nearest to it; None where it is undefined."""
        part, whole = self.ratio(metric)
        return part / whole if whole else None
