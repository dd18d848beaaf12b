"""What cannot be in the `run.json` of a run, whatever its rows were: a run folder may come from a stranger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from evaluators.run.result import EvaluatorStats, Interval, RunResult
from evaluators.value_class import field_names

_SHARES: Final = (
    "mean", "pass_rate", "micro_precision", "micro_recall", "micro_f1", "precision", "recall", "f1", "accuracy", "mean_score",
)  # fmt: skip
_INTERVALS: Final = ("pass_rate_ci", "mean_ci")
_WITHIN: Final = ("unreadable", "blocked", "empty_expected", "outputs_without_values")
"""Rows that are among the scored ones."""
_EXIT_CODES: Final = (0, 1, 2, 3, 4, 70, 130)


def impossible(result: RunResult) -> Iterator[str]:
    """What is wrong, each with its place in the file, as in `evaluators.0.mean: 5 is not between 0 and 1`."""
    yield from _counts("", result)
    if result.exit_code not in _EXIT_CODES:
        yield f"exit_code: {result.exit_code} is none of {', '.join(map(str, _EXIT_CODES))}"
    for key in ("evaluators", "slices"):
        for place, stats in enumerate(getattr(result, key)):
            yield from _of_stats(f"{key}.{place}.", stats)
    for key in ("measures", "confusion_matrices", "gates"):
        for place, each in enumerate(getattr(result, key)):
            yield from _counts(f"{key}.{place}.", each)


def _of_stats(where: str, stats: EvaluatorStats) -> Iterator[str]:
    yield from _counts(where, stats)
    yield from _shares(where, stats)
    parts = stats.scored + stats.skipped + stats.not_measured + stats.invalid + stats.unjudged + stats.bugs
    if parts != stats.rows:
        yield f"{where}rows: {stats.rows:,}, and the rows of each kind come to {parts:,}"
    if stats.passed + stats.failed > stats.scored:
        yield f"{where}passed: {stats.passed:,} and {stats.failed:,} failed, of {stats.scored:,} scored rows"
    for name in _WITHIN:
        if getattr(stats, name) > stats.scored:
            yield f"{where}{name}: {getattr(stats, name):,} of {stats.scored:,} scored rows"
    for place, field in enumerate(stats.fields):
        yield from _counts(f"{where}fields.{place}.counts.", field.counts)
        yield from _shares(f"{where}fields.{place}.", field)


def _counts(where: str, value: Any) -> Iterator[str]:
    """Whole numbers that are negative: everything that is counted is counted from 0 on."""
    for name in field_names(value):
        number = getattr(value, name)
        if type(number) is int and number < 0:
            yield f"{where}{name}: {number:,} is less than 0"


def _shares(where: str, value: Any) -> Iterator[str]:
    """Figures and intervals that are no share."""
    for name in field_names(value):
        found = getattr(value, name)
        if name in _SHARES and found is not None and not 0 <= found <= 1:
            yield f"{where}{name}: {found:g} is not between 0 and 1"
        if name in _INTERVALS and isinstance(found, Interval) and not 0 <= found.low <= found.high <= 1:
            yield f"{where}{name}: from {found.low:g} to {found.high:g} is no interval between 0 and 1"
