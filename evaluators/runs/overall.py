"""The overall score of a row: that of the evaluator called `overall`, or the mean of those that are no part of a composite; and the
evaluator that stands for a run where there is room for one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Final

from evaluators.model.rows import Result, RowStatus
from evaluators.runs.result import EvaluatorStats, RunResult

OVERALL: Final = "overall"
"""What the score of a whole row is called."""
_LEFT_OUT: Final = (RowStatus.SKIPPED, RowStatus.NOT_MEASURED)


def overall_names(names: Sequence[str], parts: Collection[str]) -> tuple[str, ...]:
    """The evaluators that the overall score is made of; `parts` are those that composites are made of."""
    return (OVERALL,) if OVERALL in names else tuple(name for name in names if name not in parts)


def overall_verdict(parts: Sequence[Result]) -> Result:
    """One verdict as it is; several as their mean, which passes when none of them fails. Where one is kept out, the whole is, too, with its
    status and issue.

    Those that are skipped or not measured are left out; where all are, the whole is skipped.
    """
    if len(parts) == 1:
        return parts[0]
    kept_out = next((part for part in parts if part.status.kept_out), None)
    if kept_out is not None:
        return Result(kept_out.status, issue=kept_out.issue)
    measured = [part for part in parts if part.status not in _LEFT_OUT]
    if not measured:
        return Result(RowStatus.SKIPPED)
    mean = sum((Fraction(part.num, part.den) for part in measured), Fraction()) / len(measured)
    passed = all(part.passed is not False for part in measured)
    return Result(RowStatus.SCORED, passed, mean.numerator, mean.denominator)


def main_evaluators(result: RunResult) -> list[EvaluatorStats]:
    """The statistics, one for each variant, of the evaluator that a sentence about the whole run speaks of: the one that compared the
    most values; of several alike, or where none compares values, the first. Empty for a run without evaluators."""
    if not result.evaluators:
        return []
    most = max(result.evaluators, key=_compared_values)
    return [stats for stats in result.evaluators if stats.name == most.name]


def _compared_values(stats: EvaluatorStats) -> int:
    """How many values of fields an evaluator compared; 0 for one without fields."""
    return stats.counts.n if stats.counts is not None else 0
