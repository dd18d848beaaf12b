"""How near two numbers are, in the decimals that people write.

Strategy: floats answer at once unless the difference is within rounding of the limit; then exact fractions of the
written decimals decide, so that 1.1 is within 0.1 of 1.0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from typing import Self, TypeAlias

from pydantic import Field, StrictBool, model_validator

from evaluators.model.settings import Settings
from evaluators.scoring.values.numbers import Number, exact_number

Limits: TypeAlias = tuple[float | None, float | None, bool]
"""The greatest difference from the expected number, the greatest as a part of it, and whether one of the two is enough, which is said
of two alone. Otherwise those that there are must hold; where there are none, no difference is allowed."""


class Tolerance(Settings):
    """The largest difference allowed between a number and the expected one."""

    abs: float | None = Field(None, ge=0, strict=True, allow_inf_nan=False)
    """The greatest difference."""
    rel: float | None = Field(None, ge=0, strict=True, allow_inf_nan=False)
    """The greatest difference as a part of the expected number: 0.01 is one hundredth of it. With `abs` too, both must
    hold, unless `either` is true. Of an expected 0 there is no part: there `abs` alone decides, and without `abs` only 0
    matches."""
    either: StrictBool = False
    """`true`: of `abs` and `rel`, one is enough, as for Python's `math.isclose`. That takes `rel` of the greater of the two
    numbers; here it stays a part of the expected one."""

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        """Refuses a tolerance without a limit, and `either` without both limits."""
        if self.abs is None and self.rel is None:
            raise ValueError("tolerance needs abs or rel\nhint: write tolerance: {abs: 0.01}")
        if self.either and (self.abs is None or self.rel is None):
            limit = f"abs: {self.abs:g}" if self.rel is None else f"rel: {self.rel:g}"
            both = f"{limit}, rel: 0.01" if self.rel is None else f"abs: 0.01, {limit}"
            hint = f"write tolerance: {{{both}, either: true}}, or {{{limit}}} alone"
            raise ValueError(f"either: true needs abs and rel, of which one is enough\nhint: {hint}")
        return self


def limits_of(tolerance: Tolerance | None) -> Limits:
    """The limits of a tolerance; without one, no difference is allowed."""
    return (None, None, False) if tolerance is None else (tolerance.abs, tolerance.rel, tolerance.either)


def closeness(limits: Limits) -> Callable[[Number, Number], bool]:
    """A function `close(expected, actual)`: whether two numbers are within the limits. Fast, as floats decide nearly every pair."""
    limit_abs, limit_rel, either = limits
    if limit_abs is None is limit_rel:
        return lambda expected, actual: expected == actual
    combine = max if either else min

    def close(expected: Number, actual: Number) -> bool:
        """Whether two numbers are within the tolerance: by floats where that is certain, else exactly."""
        try:
            gap = abs(float(actual - expected))
            # the greatest gap allowed, and how much floats may be wrong by
            room = math.inf if limit_abs is None else limit_abs
            if limit_rel is not None and (expected or limit_abs is None):
                room = combine(room, limit_rel * abs(float(expected)))
            slack = 1e-15 * (abs(float(actual)) + abs(float(expected)) + room) + 1e-300
        except OverflowError:
            return _exactly_close(expected, actual, limits)
        if gap + slack < room:
            return True
        return False if gap - slack > room else _exactly_close(expected, actual, limits)

    return close


def _exactly_close(expected: Number, actual: Number, limits: Limits) -> bool:
    """Whether two numbers are within the tolerance, by exact fractions: slow, and right to the last digit."""
    if not (_is_finite(expected) and _is_finite(actual)):
        return expected == actual  # infinity is near nothing, and NaN not even itself
    return abs(exact_number(actual) - exact_number(expected)) <= exact_room(limits, expected)


def exact_room(limits: Limits, expected: Number) -> Fraction:
    """The greatest difference allowed from the expected number, exactly."""
    limit_abs, limit_rel, either = limits
    allowed = [] if limit_abs is None else [exact_number(limit_abs)]
    if limit_rel is not None and (expected or not allowed):  # of an expected 0 there is no part
        allowed.append(exact_number(limit_rel) * abs(exact_number(expected)))
    return (max if either else min)(allowed, default=Fraction(0))


def exact_gap(expected: Number, actual: Number) -> Fraction | None:
    """The exact difference of two numbers; None where one of them is infinite or NaN."""
    if not (_is_finite(expected) and _is_finite(actual)):
        return None
    # two numbers that are written alike may differ by less than a decimal shows: the float 0.1 is not a tenth
    return abs(exact_number(actual) - exact_number(expected)) or abs(Fraction(actual) - Fraction(expected))


def gap_text(expected: Number, actual: Number) -> str:
    """The distance of two numbers, as people write it."""
    gap = exact_gap(expected, actual)
    return "more than any number" if gap is None else decimal_text(gap)


def allowed_text(limits: Limits, expected: Number) -> str:
    """The largest difference allowed from the expected number, as people write it."""
    return "0" if not _is_finite(expected) else decimal_text(exact_room(limits, expected))


def _is_finite(number: Number) -> bool:
    """Whether a number is neither infinite nor NaN."""
    return isinstance(number, int | Fraction) or math.isfinite(number)


def decimal_text(number: Fraction | Decimal) -> str:
    """A number as people write it, rounded to 20 digits."""
    with localcontext(prec=20, Emax=MAX_EMAX, Emin=MIN_EMIN):
        spelt = +number if isinstance(number, Decimal) else Decimal(number.numerator) / Decimal(number.denominator)
        spelt = spelt.normalize()
    return format(spelt, "f") if -12 < spelt.adjusted() < 20 else str(spelt)
