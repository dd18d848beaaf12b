"""Metrics as text, the same in gates, reports and messages.

Rounding never claims more than the metric does: only a perfect score prints as 1.0000, only an empty one as 0.0000, and a
metric that misses a limit never prints as the limit.

How much of a test set a metric speaks of is said here, too. Rows are *kept out* when the data or the environment kept them from being
measured: they are invalid, unjudged, or a fault of the program. Rows that the suite leaves out (skipped) and rows in which nothing
was there (not measured) are not.
"""

from __future__ import annotations

from math import floor, log10
from typing import Final, NamedTuple

from evaluators.runs.result import EvaluatorStats, FieldStats, Interval, NumericColumnStats

UNDEFINED: Final = "–"
"""Stands where a metric has no value."""
USUAL: Final = 0.95
"""The share of the rows that a metric must rest on, unless the suite says otherwise."""


def score_text(value: float | None) -> str:
    """A score or ratio with four decimals: `0.9333`."""
    return UNDEFINED if value is None else _decimals_text(value, 4)


def mean_interval_text(interval: Interval | None) -> str:
    """An interval of a score or a rate: `[0.8814, 0.9640]`."""
    return UNDEFINED if interval is None else f"[{score_text(interval.low)}, {score_text(interval.high)}]"


def signed_text(value: float | None) -> str:
    """A difference with its sign: `+0.0625`."""
    if value is None:
        return UNDEFINED
    return "0" if value == 0 else f"{'-' if value < 0 else '+'}{score_text(abs(value))}"


def difference_interval_text(interval: Interval | None) -> str:
    """An interval of a difference: `[-0.0417, +0.1250]`."""
    return UNDEFINED if interval is None else f"[{signed_text(interval.low)}, {signed_text(interval.high)}]"


def p_value_text(p: float | None) -> str:
    """A p-value as text: `0.0312`, `<0.0001`."""
    if p is None:
        return UNDEFINED
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def beside_limit(value: float, limit: float) -> str:
    """A score with as many decimals as it takes to tell it from the limit it is compared with."""
    for decimals in range(4, 17):
        text = _decimals_text(value, decimals)
        if value == limit or (float(text) != limit and (float(text) < limit) == (value < limit)):
            return text
    return repr(value)


def quantity_text(value: float | None, digits: int = 4) -> str:
    """A number of any size with so many significant digits, whole numbers in full: `0.01235`, `1,204`, `48,201.5`; `UNDEFINED` for None."""
    if value is None:
        return UNDEFINED
    if value == 0:
        return "0"
    whole = len(str(int(abs(value))))
    decimals = max(0, digits - whole) if abs(value) >= 1 else digits - 1 - floor(log10(abs(value)))
    text = f"{value:,.{min(decimals, 40)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def quantity_interval_text(interval: Interval | None) -> str:
    """An interval of a mean of any size."""
    return UNDEFINED if interval is None else f"[{quantity_text(interval.low)}, {quantity_text(interval.high)}]"


def beside_quantity(value: float, limit: float) -> str:
    """A number with as many digits as it takes to tell it from the limit it is compared with."""
    for digits in range(4, 18):
        text = quantity_text(value, digits)
        shown = float(text.replace(",", ""))
        if value == limit or (shown != limit and (shown < limit) == (value < limit)):
            return text
    return repr(value)


def limit_text(limit: float) -> str:
    """A limit as people write it: `0.95`, `1`."""
    return str(int(limit)) if limit.is_integer() else repr(limit)


def with_variant(name: str, variant: str | None) -> str:
    """A name, with a variant in brackets."""
    return f"{name} ({variant})" if variant else name


def full_name(stats: EvaluatorStats | NumericColumnStats) -> str:
    """The name of an evaluator or a measure, with its variant in brackets."""
    return with_variant(stats.name, stats.variant)


def rows_text(count: int) -> str:
    """A number of rows: `1 row`, `12 rows`."""
    return count_text(count, "row")


def count_text(count: int, noun: str) -> str:
    """A number and its noun: `1 gate`, `1,204 gates`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def more_text(count: int, noun: str) -> str:
    """How many more there are, with the verb that follows: `1 more row is`, `12 more rows are`."""
    return f"{count_text(count, f'more {noun}')} {'is' if count == 1 else 'are'}"


def _decimals_text(value: float, decimals: int) -> str:
    """The number with that many decimals; one below 1 is never written as 1, and one above 0 never as 0."""
    text = f"{value:.{decimals}f}"
    step = 10.0**-decimals
    if value < 1 and float(text) >= 1:
        return f"{1 - step:.{decimals}f}"
    if value > 0 and float(text) == 0:
        return f"{step:.{decimals}f}"
    return text


class Coverage(NamedTuple):
    """How many rows (or items of a field) were measured, and how many were kept out."""

    measured: int
    kept_out: int
    noun: str = "row"

    @property
    def total(self) -> int:
        """How many rows or values should have been measured."""
        return self.measured + self.kept_out

    @property
    def share(self) -> float:
        """The share that was measured, from 0 to 1; 1 where there is nothing to measure."""
        return self.measured / self.total if self.total else 1.0

    def short_of(self, coverage: float) -> bool:
        """Whether a smaller share was measured than a gate asks for. A share that is just the one that is asked for is not short of it:
        both are rounded to the same number."""
        return self.share < coverage

    @property
    def of_text(self) -> str:
        """What was measured of how much: `5 of 40 rows`."""
        return f"{self.measured:,} of {count_text(self.total, self.noun)}"

    @property
    def sentence(self) -> str:
        """A clause that says how little was measured: `only 5 of 40 rows were measured`."""
        return f"only {self.of_text} {'was' if self.measured == 1 else 'were'} measured"


def coverage_of(stats: EvaluatorStats, field: FieldStats | None = None) -> Coverage:
    """The share of rows that the metrics of an evaluator, or of one of its fields, cover.

    A field is measured in rows that have no score because of another field. It loses the rows of which nothing could be
    read, and what could not be measured in the field itself; the smaller of the two shares comes back.
    """
    if field is None:
        return Coverage(stats.scored, stats.kept_out)
    rows = Coverage(
        stats.rows - stats.skipped - stats.not_measured - stats.rows_without_fields, stats.rows_without_fields
    )
    own = Coverage(field.counts.n, field.counts.not_judged, "value")
    return min(rows, own, key=lambda each: each.share)


def best_mean(mean: float, rows: int, kept_out: int) -> float:
    """The mean if every row that was kept out were perfect."""
    return (mean * rows + kept_out) / (rows + kept_out)


def worst_mean(mean: float, rows: int, kept_out: int) -> float:
    """The mean if every row that was kept out scored 0."""
    return mean * rows / (rows + kept_out)
