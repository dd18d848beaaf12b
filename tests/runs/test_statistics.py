from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.runs.intervals import mean_of, wilson
from evaluators.runs.result import Counts, Interval
from tests.bounds import ratios


@pytest.mark.parametrize(
    ("passed", "scored", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_is_the_published_one(passed: int, scored: int, low: float, high: float) -> None:
    """Newcombe 1998, table I, method 3."""
    interval = wilson(passed, scored)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def test_the_ends_are_exact() -> None:
    none, every = wilson(0, 7), wilson(7, 7)
    assert none.low == 0.0
    assert every.high == 1.0


@given(st.integers(1, 10**7).flatmap(lambda scored: st.tuples(st.integers(0, scored), st.just(scored))))
def test_the_interval_holds_the_rate_and_stays_in_the_unit(pair: tuple[int, int]) -> None:
    interval = wilson(*pair)
    assert isinstance(interval, Interval)
    assert 0.0 <= interval.low <= pair[0] / pair[1] <= interval.high <= 1.0


@given(st.lists(st.fractions(0, 1, max_denominator=10**6), min_size=1, max_size=40))
def test_a_mean_is_the_nearest_float_to_the_exact_one(scores: list[Fraction]) -> None:
    sums: dict[int, int] = {}
    for score in scores:
        sums[score.denominator] = sums.get(score.denominator, 0) + score.numerator
    assert mean_of(sums, len(scores)) == float(sum(scores) / len(scores))


def test_the_four_figures_come_from_the_same_counts() -> None:
    found = ratios(Counts(match=6, mismatch=1, error=1, hallucination=2, omission=4, skipped=9, not_measured=9))
    assert found == (6 / 14, 6 / 10, 6 / 12, 12 / 22)


def test_a_figure_is_undefined_only_where_nothing_was_there_to_score() -> None:
    assert ratios(Counts(not_measured=3, skipped=2)) == (None, None, None, None)
    assert ratios(Counts(omission=3)) == (0.0, 0.0, 0.0, 0.0)
    assert ratios(Counts(hallucination=3)) == (0.0, 0.0, 0.0, 0.0)
