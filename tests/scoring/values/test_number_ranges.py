"""Ranges in text: whatever the spelling, a range has the limits that were written."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.settings import build
from evaluators.scoring.comparators.numeric import Numeric
from evaluators.scoring.values.number_ranges import NumberRange, range_in, range_of
from evaluators.scoring.values.numbers import Parse, reader

NUMBERS = st.decimals(-(10**6), 10**6, places=2)
BETWEEN = st.sampled_from(["-", " - ", "–", "..", "...", "…", " to ", " ~ ", "−"])


@given(NUMBERS, NUMBERS, NUMBERS, BETWEEN)
def test_a_number_is_within_a_range_exactly_when_it_is(low: Decimal, high: Decimal, number: Decimal, mark: str) -> None:
    low, high = min(low, high), max(low, high)
    compare = build(Numeric, {"between": "expected", "parse": True}).compare
    assert compare(f"{low}{mark}{high}", str(number)) is (low <= number <= high)
    assert compare([str(low), str(high)], str(number)) is (low <= number <= high)
    assert compare(f">= {low}", str(number)) is (number >= low)
    assert compare(f"<{high}", str(number)) is (number < high)


@given(NUMBERS, st.decimals(0, 10, places=2), st.decimals(0, 20, places=2))
def test_a_tolerance_goes_beyond_both_limits_alike(limit: Decimal, tolerance: Decimal, gap: Decimal) -> None:
    compare = build(Numeric, {"between": "expected", "parse": True, "tolerance": {"abs": float(tolerance)}}).compare
    within = gap <= tolerance
    assert compare([str(limit), None], str(limit - gap)) is within
    assert compare([None, str(limit)], str(limit + gap)) is within


@given(st.text(max_size=40))
def test_any_text_is_a_range_or_is_none(text: str) -> None:
    found = range_in(text, reader(Parse(thousands=",", currency=True, percent=True)))
    assert found is None or found.low is None or found.high is None or found.low <= found.high


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("5-10 %", NumberRange(0.05, 0.1)), ("5%-10%", NumberRange(0.05, 0.1)), ("$5-$10", NumberRange(5, 10)),
        ("1,000 to 2,000 EUR", NumberRange(1000, 2000)), ("(5)-5", NumberRange(-5, 5)), ("1e2-1e3", NumberRange(100.0, 1000.0)),
        ("=> 5", NumberRange(5, None)), ("=< 5", NumberRange(None, 5)), ("> 5", NumberRange(5, None, True)),
        ("1.5..2", NumberRange(1.5, 2)),
        ("10-", NumberRange(-10, -10)), ("1 to", None), ("to 5", None), ("2024-05-31", None), ("20-10", None), (">", None), ("", None),
    ],
)  # fmt: skip
def test_spellings(text: str, found: NumberRange | None) -> None:
    assert range_in(text, reader(Parse(thousands=",", currency=True, percent=True))) == found


@pytest.mark.parametrize(
    "value", [[], [1], [1, 2, 3], [None, None], ["", None], [2, 1], ["x", 2], True, [True, 2], {"low": 1}, None]
)
def test_other_values_are_no_range(value: object) -> None:
    assert range_of(value, reader(Parse())) is None


def test_limits_are_exact() -> None:
    found = range_of("0.1-0.12345678901234567891", reader(Parse()))
    assert found == NumberRange(0.1, Fraction("0.12345678901234567891"))
