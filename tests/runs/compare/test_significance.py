"""Tests of significance against scipy 1.16 and statsmodels 0.14."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.runs.compare import significance
from evaluators.runs.compare.significance import holm, mcnemar, sign_flips

DIFFERENCES = st.lists(st.fractions(-1, 1, max_denominator=6), min_size=1, max_size=7)


@pytest.mark.parametrize(
    ("broken", "fixed", "p"),
    [
        (2, 12, 0.012939453125), (0, 6, 0.03125), (59, 121, 4.4344492637551645e-06), (10, 10, 1.0), (0, 0, 1.0),
        (4, 5, 1.0), (1_000, 1_100, 0.03072070786424249), (150, 86, 3.7159361395713866e-05),
    ],
)  # fmt: skip
def test_the_test_of_rates_is_the_exact_one(broken: int, fixed: int, p: float) -> None:
    """scipy.stats.binomtest(broken, broken + fixed, 0.5); statsmodels' mcnemar(exact=True) says the same of 2 and 12."""
    assert mcnemar(broken, fixed) == pytest.approx(p, rel=1e-9)
    assert mcnemar(fixed, broken) == mcnemar(broken, fixed)


def test_a_million_rows_are_no_trouble() -> None:
    assert 0 < mcnemar(499_000, 501_000) < 0.05
    assert mcnemar(0, 1_000_000) == 0.0


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        (["1/2", "1/2", "1/4", "-1/4", "1", "3/4", "-1/2", "1/4"], 0.1640625),
        (["1/3", "2/3", "-1/3", "1", "1", "1/2", "-1/2", "1/4", "1/4", "1/2"], 0.056640625),
    ],
)
def test_the_test_of_scores_counts_every_outcome(differences: list[str], p: float) -> None:
    """scipy.stats.permutation_test(permutation_type="samples", n_resamples=inf)."""
    assert sign_flips(Counter(map(Fraction, differences))) == p


@given(DIFFERENCES)
def test_the_count_is_that_of_trying_all_signs(differences: list[Fraction]) -> None:
    total = abs(sum(differences, Fraction(0)))
    outcomes = [
        abs(sum((sign * each for sign, each in zip(signs, differences, strict=True)), Fraction(0)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    expected = sum(outcome >= total for outcome in outcomes) / len(outcomes)
    assert sign_flips(Counter(differences)) == pytest.approx(expected)


@given(DIFFERENCES)
def test_a_test_does_not_know_which_run_is_which(differences: list[Fraction]) -> None:
    assert sign_flips(Counter(differences)) == sign_flips(Counter(-each for each in differences))


def test_outcomes_that_are_drawn_are_the_same_every_time_and_near_the_counted_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    differences = {Fraction(1, 2): 30, Fraction(-1, 2): 14, Fraction(1, 3): 22, Fraction(-1, 3): 25, Fraction(0): 100}
    counted = sign_flips(differences)
    monkeypatch.setattr(significance, "MOST_WORK", 0)
    drawn = sign_flips(differences)
    assert drawn == sign_flips(dict(reversed(differences.items())))
    assert drawn == pytest.approx(counted, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("spread", [1e-6, 2e-3, 1.0])
@pytest.mark.parametrize(("count", "most"), [(20, 0.075), (60, 0.075), (400, 0.075)])
def test_differences_of_any_spread_are_told_apart_as_seldom_as_chance_allows(
    spread: float, count: int, most: float
) -> None:
    """A small piece of the tables of docs/contributing/interval-tables.md: about 5 of 100, in 200 pairs of runs that are equally good."""
    random, called, runs = Random(7), 0, 200
    for _ in range(runs):
        called += sign_flips(Counter(Fraction(random.gauss(0, spread)) for _ in range(count))) < 0.05
    assert 0.02 <= called / runs <= most


@pytest.mark.parametrize("size", [Fraction(1, 1_000), Fraction(1, 10**9), Fraction(1, 3)])
def test_the_unit_in_which_differences_are_measured_does_not_matter(size: Fraction) -> None:
    random = Random(11)
    differences = Counter(Fraction(random.randint(-400, 600), 997) for _ in range(300))
    small = {difference * size: count for difference, count in differences.items()}
    assert sign_flips(small) == pytest.approx(sign_flips(differences), abs=1e-9)


@given(st.lists(st.floats(-1, 1).filter(lambda x: abs(x) > 1e-3), min_size=2, max_size=9))
def test_sizes_without_a_common_step_are_tried_in_two_halves(values: list[float]) -> None:
    outcomes = [
        abs(sum(sign * abs(each) for sign, each in zip(signs, values, strict=True)))
        for signs in product((1, -1), repeat=len(values))
    ]
    total = abs(sum(values))
    expected = sum(outcome >= total * (1 - 1e-12) for outcome in outcomes) / len(outcomes)
    if total > 1e-6:
        assert significance._p_by_trying([abs(each) for each in values], total) == pytest.approx(expected)


def test_the_sum_of_the_smaller_ones_of_many_differences_is_as_good_as_normal(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(5)
    differences = Counter(Fraction(random.gauss(0.05, 1)) for _ in range(2_000))
    some = sign_flips(differences)
    monkeypatch.setattr(significance, "MOST_DRAWN", 10_000)
    assert some == pytest.approx(sign_flips(differences), abs=0.01)


@pytest.mark.slow
def test_a_hundred_thousand_different_differences_are_no_trouble() -> None:
    random = Random(1)
    differences = {Fraction(random.gauss(0.01, 1)): 1 for _ in range(100_000)}
    assert 0 < sign_flips(differences) < 0.05


def test_no_difference_is_no_evidence() -> None:
    assert sign_flips({Fraction(0): 12}) == 1.0
    assert sign_flips({}) == 1.0


def test_many_tests_are_corrected_as_holm_does() -> None:
    """statsmodels.stats.multitest.multipletests(method="holm")."""
    assert holm([0.01, 0.04, 0.03, 0.005, 0.2]) == pytest.approx([0.04, 0.09, 0.09, 0.025, 0.2])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=12))
def test_a_correction_never_helps_and_keeps_the_order(p_values: list[float]) -> None:
    corrected = holm(p_values)
    assert all(before <= after <= 1 for before, after in zip(p_values, corrected, strict=True))
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    assert [corrected[place] for place in order] == sorted(corrected)
