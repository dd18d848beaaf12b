"""Intervals against published tables and against other programs; the values of scipy are of version 1.16."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.runs.intervals import (
    Moments,
    abc,
    bootstrap,
    detectable_pairs,
    detectable_runs,
    moments_of_clusters,
    moments_of_powers,
    moments_of_values,
    paired_rates,
    student_95,
)
from evaluators.runs.result import Interval
from evaluators.runs.statistics import Z_95

SCORES = {Fraction(1): 20, Fraction(1, 2): 8, Fraction(1, 4): 4, Fraction(0): 3, Fraction(3, 4): 5}
DIFFERENCES = {
    Fraction(1, 2): 6, Fraction(-1, 4): 3, Fraction(1, 4): 5, Fraction(0): 20, Fraction(-1, 2): 1, Fraction(1): 2,
}  # fmt: skip
VALUES = st.dictionaries(st.fractions(0, 1, max_denominator=20), st.integers(1, 9), min_size=1, max_size=8)


def known(moments: Moments | None) -> Moments:
    assert moments is not None
    return moments


@pytest.mark.parametrize(
    ("values", "low", "high"), [(SCORES, 0.60625, 0.8125), (DIFFERENCES, 0.0472973, 0.25)], ids=["scores", "differences"]
)
def test_the_closed_form_is_what_resampling_finds(values: dict[Fraction, int], low: float, high: float) -> None:
    """scipy.stats.bootstrap(method="BCa", n_resamples=500_000); its ends move in steps of 1/160 and 1/148."""
    moments = known(moments_of_values(values))
    found = abc(moments, sqrt(moments.second / moments.units), Z_95)
    assert found.low == pytest.approx(low, abs=0.004)
    assert found.high == pytest.approx(high, abs=0.004)


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (5, 2.5706), (10, 2.2281), (30, 2.0423), (120, 1.9799)],
)
def test_the_quantiles_are_those_of_the_tables(freedom: int, quantile: float) -> None:
    """Abramowitz and Stegun 1964, table 26.10."""
    assert student_95(freedom) == pytest.approx(quantile, rel=0.0013)


def test_the_interval_of_paired_rates_is_the_published_one() -> None:
    """Newcombe 1998, Statistics in Medicine 17, table II: method 10 for 36, 12, 2, 0."""
    found = paired_rates(both=36, broken=2, fixed=12, neither=0)
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (0.0569, 0.3404)


@settings(max_examples=60, deadline=None)
@given(st.tuples(*[st.integers(0, 40)] * 4).filter(any))
def test_paired_rates_hold_the_difference_and_are_mirrored_when_the_runs_are_swapped(counts: tuple[int, ...]) -> None:
    both, broken, fixed, neither = counts
    found, swapped = paired_rates(both, broken, fixed, neither), paired_rates(both, fixed, broken, neither)
    assert found is not None
    assert swapped is not None
    assert -1 <= found.low <= (fixed - broken) / sum(counts) <= found.high <= 1
    assert (swapped.low, swapped.high) == pytest.approx((-found.high, -found.low))


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_a_bootstrap_interval_holds_the_mean_and_stays_in_the_unit(values: dict[Fraction, int]) -> None:
    moments = known(moments_of_values(values))
    found = bootstrap(moments)
    if len(values) == 1:
        assert found is None
    else:
        assert found is not None
        assert 0 <= found.low <= float(moments.mean) <= found.high <= 1


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_moments_are_the_same_from_values_powers_and_clusters_of_one_row(values: dict[Fraction, int]) -> None:
    powers: dict[int, tuple[int, int, int]] = {}
    for value, count in values.items():
        one, two, three = powers.get(value.denominator, (0, 0, 0))
        num = value.numerator
        powers[value.denominator] = one + num * count, two + num**2 * count, three + num**3 * count
    expected = moments_of_values(values)
    assert moments_of_powers(sum(values.values()), powers) == expected
    assert moments_of_clusters([(1, value) for value, count in values.items() for _ in range(count)]) == expected


def test_clusters_have_the_standard_error_of_the_ratio_estimator() -> None:
    """statsmodels 0.14: OLS on a constant, cov_type="cluster", without its correction for few clusters."""
    rows = [(0, 1), (0, 1), (0, 0), (1, 1), (1, 1), (2, 1), (3, 0), (3, 0), (3, 1), (4, 0), (4, 1), (5, 1)]
    sums: dict[int, tuple[int, Fraction]] = {}
    for cluster, score in rows:
        count, total = sums.get(cluster, (0, Fraction(0)))
        sums[cluster] = count + 1, total + score
    moments = known(moments_of_clusters(sums.values()))
    assert moments.units == 6
    assert float(moments.mean) == pytest.approx(0.66666667)
    assert sqrt(moments.second / moments.units) == pytest.approx(0.11111111)


def test_clusters_of_rows_that_go_together_have_a_wider_interval() -> None:
    alone, together = (
        moments_of_values({Fraction(1): 60, Fraction(0): 40}),
        moments_of_clusters([(10, Fraction(10))] * 6 + [(10, Fraction(0))] * 4),
    )
    narrow, wide = bootstrap(alone), bootstrap(together)
    assert narrow is not None
    assert wide is not None
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_nothing_and_one_row_have_no_interval() -> None:
    assert moments_of_values({}) is None
    assert moments_of_powers(0, {}) is None
    assert moments_of_clusters([(0, Fraction(0))]) is None
    assert bootstrap(None) is None
    assert bootstrap(moments_of_values({Fraction(1, 2): 1})) is None
    assert paired_rates(0, 0, 0, 0) is None


def test_the_detectable_difference_is_that_of_the_power_formula() -> None:
    """statsmodels 0.14, NormalIndPower: 100 units, α 0.05, power 0.8, in standard deviations."""
    spread = Fraction(99, 100)  # so that the variance with n − 1 is 1
    moments = Moments(100, Fraction(0), spread, Fraction(0))
    assert detectable_pairs(moments) == pytest.approx(0.2801568334667266, rel=1e-5)
    assert detectable_runs(moments) == pytest.approx(0.39620357647695037, rel=1e-5)
    assert detectable_pairs(None) is None
    assert detectable_runs(moments_of_values({Fraction(1): 9})) is None


@pytest.mark.parametrize(("rows", "least"), [(12, 0.89), (40, 0.92), (150, 0.93)])
def test_ninety_five_of_a_hundred_intervals_hold_the_truth_or_nearly_so(rows: int, least: float) -> None:
    random, held, runs = Random(rows), 0, 1_500
    values = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1)]
    weights = [8, 7, 15, 25, 45]
    truth = sum(value * weight for value, weight in zip(values, weights, strict=True)) / 100
    for _ in range(runs):
        found = bootstrap(moments_of_values(Counter(random.choices(values, weights, k=rows))))
        held += isinstance(found, Interval) and found.low <= truth <= found.high
    assert least <= held / runs <= 0.985
