"""Intervals against published tables and against other programs; the values of scipy are of version 1.16."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.runs.compare.significance import mcnemar, sign_flips
from evaluators.runs.exact_sums import plus
from evaluators.runs.intervals import (
    Z_95,
    Moments,
    RatioSums,
    abc_interval,
    detectable_pairs,
    detectable_runs,
    difference_interval,
    mean_interval,
    moments_of_clusters,
    moments_of_powers,
    moments_of_values,
    paired_rates,
    pairs_interval,
    share_interval,
    student_95,
    wilson,
)
from evaluators.runs.result import Interval

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
    found = abc_interval(moments, sqrt(moments.second / moments.units), Z_95)
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
    assert (round(found.low, 4), round(found.high, 4)) == (0.0569, 0.3404)


@given(st.tuples(*[st.integers(0, 40)] * 4).filter(any))
def test_paired_rates_hold_the_difference_and_are_mirrored_when_the_runs_are_swapped(counts: tuple[int, ...]) -> None:
    both, broken, fixed, neither = counts
    found, swapped = paired_rates(both, broken, fixed, neither), paired_rates(both, fixed, broken, neither)
    assert -1 <= found.low <= (fixed - broken) / sum(counts) <= found.high <= 1
    assert (swapped.low, swapped.high) == pytest.approx((-found.high, -found.low))


@given(VALUES)
def test_an_interval_holds_the_mean_and_stays_in_the_unit(values: dict[Fraction, int]) -> None:
    moments = known(moments_of_values(values))
    for found in (mean_interval(moments), share_interval(moments)):
        assert 0 <= found.low <= float(moments.mean) <= found.high <= 1
        assert found.low < found.high


@given(VALUES)
def test_an_interval_is_at_least_as_wide_as_students_and_the_bootstraps(values: dict[Fraction, int]) -> None:
    moments = known(moments_of_values(values))
    if not moments.second:
        return
    found, reach = mean_interval(moments, -9.0, 9.0), student_95(moments.units - 1) * moments.error
    ends = abc_interval(moments, moments.error, student_95(moments.units - 1))
    assert found.low <= max(-9.0, min(float(moments.mean) - reach, ends.low))
    assert found.high >= min(9.0, max(float(moments.mean) + reach, ends.high))


@given(VALUES)
def test_moments_are_the_same_from_values_powers_ratios_and_clusters_of_one_row(values: dict[Fraction, int]) -> None:
    count = sum(values.values())
    mean = sum((value * times for value, times in values.items()), Fraction(0)) / count
    central = [
        sum(((value - mean) ** power * times for value, times in values.items()), Fraction(0)) / count
        for power in (2, 3, 4)
    ]
    expected = Moments(count, mean, *central)
    assert moments_of_values(values) == expected
    assert moments_of_clusters([(1, value) for value, times in values.items() for _ in range(times)]) == expected
    scale = 232_792_560  # divided by every whole number up to 20
    powers = {
        scale: tuple(
            sum(int(value * scale) ** power * times for value, times in values.items()) for power in (1, 2, 3, 4)
        )
    }
    assert moments_of_powers(count, powers) == expected  # type: ignore[arg-type]  # four powers


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12))
def test_a_ratio_has_the_moments_of_its_deviations(rows: list[tuple[int, int]]) -> None:
    rows = [(part, part + more) for part, more in rows]
    sums = RatioSums()
    for part, whole in rows:
        sums.add(part, whole)
    defined = [(part, whole) for part, whole in rows if whole]
    if not defined:
        assert sums.moments() is None
        return
    ratio = Fraction(sum(part for part, _ in defined), sum(whole for _, whole in defined))
    size = Fraction(sum(whole for _, whole in defined), len(defined))
    deviations = [(part - ratio * whole) / size for part, whole in defined]
    powers = [sum((each**power for each in deviations), Fraction(0)) / len(defined) for power in (2, 3, 4)]
    assert sums.moments() == Moments(len(defined), ratio, *powers)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), max_size=12), st.integers(0, 12), st.integers(1, 4))
def test_sums_of_ratios_are_the_same_for_any_split(rows: list[tuple[int, int]], cut: int, times: int) -> None:
    def sums(some: list[tuple[int, int]]) -> RatioSums:
        found = RatioSums()
        for part, whole in some:
            found.add(part, part + whole, times)
        return found

    merged = sums(rows[:cut])
    plus(merged, sums(rows[cut:]))
    assert merged == sums(rows) == sums(rows[::-1])


def test_few_units_that_differ_leave_few_degrees_of_freedom() -> None:
    """5 of 30 pairs gained 0.5: 9 degrees in place of 29, by hand from m₄ / m₂² = 4.2 and 2 · 30 / 3.2 − 1 = 17.75."""
    moments = known(moments_of_values({Fraction(1, 2): 5, Fraction(0): 25}))
    assert moments.fourth / moments.second**2 == Fraction(21, 5)
    found = mean_interval(moments, -1.0, 1.0)
    assert found.low == pytest.approx(float(moments.mean) - student_95(17.75) * moments.error)


def test_scores_all_alike_have_an_interval_as_wide_as_what_nobody_saw_may_be() -> None:
    perfect = mean_interval(moments_of_values({Fraction(1): 40}))
    assert ends(perfect) == pytest.approx(ends(wilson(40, 40)))
    alike = mean_interval(moments_of_values({Fraction(4, 5): 40}))
    unseen = known_interval(wilson(0, 40)).high
    assert ends(alike) == pytest.approx((0.8 * (1 - unseen), 0.8 + 0.2 * unseen))


@pytest.mark.parametrize("units", [10, 12, 15, 20, 30, 40, 100, 300, 1_000])
def test_one_failure_more_never_lifts_the_lower_end(units: int) -> None:
    lows = [
        known_interval(share_interval(moments_of_values({Fraction(1): units - failed, Fraction(0): failed}))).low
        for failed in range(units)
    ]
    assert lows == sorted(lows, reverse=True)


@pytest.mark.parametrize("units", [2, 5, 30, 300])
def test_a_failure_never_lifts_the_lower_end_above_that_of_a_perfect_run(units: int) -> None:
    perfect = share_interval(moments_of_values({Fraction(1): units}))
    for score in (Fraction(0), Fraction(1, 2), Fraction(999, 1_000)):
        for failed in (1, units // 2):
            found = share_interval(moments_of_values({Fraction(1): units - failed, score: failed}))
            assert known_interval(found).low <= known_interval(perfect).low


def known_interval(found: Interval | None) -> Interval:
    assert found is not None
    return found


def ends(found: Interval | None) -> tuple[float, float]:
    return known_interval(found).low, known_interval(found).high


@given(st.dictionaries(st.fractions(-1, 1, max_denominator=9), st.integers(1, 12), min_size=1, max_size=6))
def test_an_interval_of_a_difference_holds_0_just_when_its_p_value_says_so(values: dict[Fraction, int]) -> None:
    moments, p = known(moments_of_values(values)), sign_flips(values)
    found = difference_interval(mean_interval(moments, -1.0, 1.0), p, float(moments.mean))
    assert (found.low <= 0 <= found.high) == (p >= 0.05)
    assert found.low <= float(moments.mean) <= found.high


@given(st.tuples(*[st.integers(0, 40)] * 4).filter(any))
def test_so_does_that_of_right_and_wrong(counts: tuple[int, ...]) -> None:
    both, broken, fixed, neither = counts
    p, difference = mcnemar(broken, fixed), (fixed - broken) / sum(counts)
    found = difference_interval(pairs_interval(both, broken, fixed, neither), p, difference)
    assert (found.low <= 0 <= found.high) == (p >= 0.05)
    assert found.low <= difference <= found.high


def test_an_interval_that_its_p_value_contradicts_ends_just_beyond_0() -> None:
    assert ends(difference_interval(Interval(-0.01, 0.3), 0.04, 0.1)) == (0.0001, 0.3)
    assert ends(difference_interval(Interval(-0.3, 0.01), 0.04, -0.1)) == (-0.3, -0.0001)
    assert ends(difference_interval(Interval(0.02, 0.3), 0.04, 0.1)) == (0.02, 0.3)
    assert difference_interval(None, 0.04, 0.1) is None


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


def test_nothing_has_no_interval() -> None:
    assert moments_of_values({}) is None
    assert moments_of_powers(0, {}) is None
    assert moments_of_clusters([(0, Fraction(0))]) is None
    assert mean_interval(None) is None
    assert share_interval(None) is None
    assert paired_rates(0, 0, 0, 0) is None
    assert pairs_interval(0, 0, 0, 0) is None


def test_the_detectable_difference_is_that_of_the_power_formula() -> None:
    """statsmodels 0.14, NormalIndPower: 100 units, α 0.05, power 0.8, in standard deviations."""
    spread = Fraction(99, 100)  # so that the variance with n − 1 is 1
    moments = Moments(100, Fraction(0), spread, Fraction(0), 3 * spread**2)
    assert detectable_pairs(moments) == pytest.approx(0.2801568334667266, rel=1e-5)
    assert detectable_runs(moments) == pytest.approx(0.39620357647695037, rel=1e-5)
    assert detectable_pairs(None) is None
    assert detectable_runs(moments_of_values({Fraction(1): 9})) is None


@pytest.mark.parametrize("rows", [12, 40, 150])
def test_ninety_four_of_a_hundred_intervals_hold_the_truth_at_least(rows: int) -> None:
    """A small piece of the tables of docs/contributing/interval-tables.md."""
    random, held, runs = Random(rows), 0, 1_000
    values = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1)]
    weights = [8, 7, 15, 25, 45]
    truth = sum(value * weight for value, weight in zip(values, weights, strict=True)) / 100
    for _ in range(runs):
        found = share_interval(moments_of_values(Counter(random.choices(values, weights, k=rows))))
        held += isinstance(found, Interval) and found.low <= truth <= found.high
    assert held / runs >= 0.94


@pytest.mark.parametrize("rows", [20, 100, 300])
def test_so_do_those_of_differences_when_98_of_100_pairs_are_unchanged(rows: int) -> None:
    random, held, runs = Random(rows), 0, 1_000
    for _ in range(runs):
        values = Counter(
            random.choices([Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 2)], [98, 1, 0.5, 0.5], k=rows)
        )
        found = mean_interval(moments_of_values(values), -1.0, 1.0)
        held += isinstance(found, Interval) and found.low <= 0.0075 <= found.high
    assert held / runs >= 0.94
