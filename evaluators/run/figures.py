"""Figures as text, the same in gates, reports and messages.

Rounding never claims more than the figure does: only a perfect score prints as 1.0000, only an empty one as 0.0000, and a
figure that misses a limit never prints as the limit.
"""

from __future__ import annotations

from math import floor, log10
from typing import Final

from evaluators.run.result import Interval

UNDEFINED: Final = "–"
"""Stands where a figure has no value."""


def score_text(value: float | None) -> str:
    """A score or ratio with four decimals: `0.9333`."""
    return UNDEFINED if value is None else _rounded(value, 1.0, 4)


def percent_text(value: float | None) -> str:
    """A rate in percent with one decimal: `93.3 %`."""
    return UNDEFINED if value is None else f"{_rounded(100 * value, 100.0, 1)} %"


def interval_text(interval: Interval | None) -> str:
    """An interval of a rate, in percent: `[88.1, 96.4]`."""
    if interval is None:
        return UNDEFINED
    return f"[{_rounded(100 * interval.low, 100.0, 1)}, {_rounded(100 * interval.high, 100.0, 1)}]"


def mean_interval_text(interval: Interval | None) -> str:
    """An interval of a mean score: `[0.8814, 0.9640]`."""
    return UNDEFINED if interval is None else f"[{score_text(interval.low)}, {score_text(interval.high)}]"


def beside_limit(value: float, limit: float) -> str:
    """A score with as many decimals as it takes to tell it from the limit it is compared with."""
    for decimals in range(4, 17):
        text = _rounded(value, 1.0, decimals)
        if value == limit or (float(text) != limit and (float(text) < limit) == (value < limit)):
            return text
    return repr(value)


def quantity_text(value: float | None, digits: int = 4) -> str:
    """A number of any size with so many significant digits, whole numbers in full: `0.01235`, `1,204`, `48,201.5`."""
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


def rows_text(count: int) -> str:
    """`1 row`, `12 rows`."""
    return counted(count, "row")


def counted(count: int, noun: str) -> str:
    """A number and its noun: `1 gate`, `1,204 gates`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def more_text(count: int, noun: str) -> str:
    """`1 more row is`, `12 more rows are`."""
    return f"{counted(count, f'more {noun}')} {'is' if count == 1 else 'are'}"


def _rounded(value: float, top: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    step = 10.0**-decimals
    if value < top and float(text) >= top:
        return f"{top - step:.{decimals}f}"
    if value > 0 and float(text) == 0:
        return f"{step:.{decimals}f}"
    return text
