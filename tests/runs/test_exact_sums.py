"""Sums of fractions are the same for any split, exact for small denominators, and never grow with the rows."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.rows import Result, RowStatus
from evaluators.runs.exact_sums import EXACT, UNITS, summand
from evaluators.runs.intervals import mean_of
from evaluators.runs.tally import Tally

DENOMINATORS = (
    st.integers(1, 12) | st.integers(EXACT - 2, EXACT + 2) | st.integers(1, 2**200) | st.sampled_from([2**52, 3 * 2**80])
)


@st.composite
def figures(draw: st.DrawFn) -> tuple[int, int]:
    den = draw(DENOMINATORS)
    return draw(st.integers(0, den)), den


def partial_fields(random: Random) -> tuple[int, int]:
    """The score of a row with eight fields, each with the credit of a text that is close to another."""
    dens = [random.randint(5, 60) for _ in range(8)]
    whole = prod(dens)
    found = Fraction(sum(random.randint(0, den) * (whole // den) for den in dens), 8 * whole)
    return found.numerator, found.denominator


def test_a_tally_does_not_grow_with_the_denominators_of_its_rows() -> None:
    random = Random(3)
    tally, exact = Tally(), Fraction(0)
    for _ in range(2_000):
        num, den = partial_fields(random)
        exact += Fraction(num, den)
        verdict = Result(RowStatus.SCORED, False, num, den, metrics=((num, den),))
        tally.add(verdict)
    for sums in (tally.sums, tally.powers, tally.metrics[0].sums):
        large = [den for den in sums if den > EXACT]
        assert large == [UNITS]
        assert len(sums) < 200
    assert mean_of(tally.sums, 2_000) == float(exact / 2_000)


@given(figures())
def test_a_figure_keeps_its_value_to_half_a_unit_and_small_denominators_exactly(figure: tuple[int, int]) -> None:
    num, den = figure
    found, over = summand(num, den)
    assert abs(Fraction(found, over) - Fraction(num, den)) <= Fraction(1, 2 * UNITS)
    assert 0 <= found <= over
    if den <= EXACT:
        assert (found, over) == figure
    else:
        assert over == UNITS


@pytest.mark.parametrize(
    ("num", "den", "rounded"),
    [(1, 2 * UNITS, 0), (3, 2 * UNITS, 2), (5, 2 * UNITS, 2), (7, 4 * UNITS, 2), (5, 4 * UNITS, 1), (7, 8 * UNITS, 1)],
)
def test_a_figure_halfway_between_two_is_rounded_to_the_even_one(num: int, den: int, rounded: int) -> None:
    assert summand(num, den) == (rounded, UNITS)
