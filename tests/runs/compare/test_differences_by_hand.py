"""Differences between two runs, worked out with pencil and paper."""

from __future__ import annotations

from fractions import Fraction

import pytest

from evaluators.runs.compare import paired_differences
from evaluators.runs.compare.changes import RowMeasure, field_right, field_state
from evaluators.runs.compare.paired_differences import _deviations
from evaluators.runs.compare.pairs import SideRows, pair_rows
from evaluators.runs.compare.variant_ranking import _mean_interval
from evaluators.runs.intervals import moments_of_clusters, moments_of_values, share_interval, wilson
from tests.runs.compare.sides import made_rows, said

Unit = tuple[Fraction, int, Fraction, int]


def unit(was: int | Fraction, of_was: int, now: int | Fraction, of_now: int) -> Unit:
    return Fraction(was), of_was, Fraction(now), of_now


def test_rows_of_one_value_deviate_by_what_they_changed() -> None:
    """2 right in both runs, 5 wrong in both, 3 fixed, 1 broken."""
    units = {unit(1, 1, 1, 1): 2, unit(0, 1, 0, 1): 5, unit(0, 1, 1, 1): 3, unit(1, 1, 0, 1): 1}
    assert _deviations(units) == {Fraction(0): 7, Fraction(1): 3, Fraction(-1): 1}
    assert paired_differences.tested_differences(units) == {Fraction(0): 7, Fraction(1): 3, Fraction(-1): 1}


def test_rows_of_several_values_deviate_by_their_share_of_the_whole() -> None:
    """Base 3 of 4, new 2 of 4, over two rows: 1 of 1 and 2 of 3 before, 0 of 1 and 2 of 3 after.

    The first row deviates by -1/4 + (0 - 1/2) × 2/4 - (1 - 3/4) × 2/4 = -5/8, the second by -1/4 + 1/4 + 1/8 = 1/8.
    """
    units = {unit(1, 1, 0, 1): 1, unit(2, 3, 2, 3): 1}
    assert _deviations(units) == {Fraction(-5, 8): 1, Fraction(1, 8): 1}


def test_what_one_run_measured_more_is_held_against_both_together() -> None:
    """1 of 1 before and 3 of 4 after: the figure of both together is 4/5, and 3 more were measured: 3 - 1 - 12/5."""
    assert paired_differences.tested_differences({unit(1, 1, 3, 4): 1}) == {Fraction(-2, 5): 1}


@pytest.mark.parametrize(
    ("standing", "status", "right"),
    [
        ("scored", "match", True),
        ("scored", "mismatch", False),
        ("scored", "omission", False),
        ("scored", "hallucination", False),
        ("scored", "error", False),
        ("unreadable", "error", False),
        ("unjudged", "error", None),
        ("unjudged", "match", True),
        ("scored", "skipped", None),
        ("scored", "not_measured", None),
    ],
)
def test_an_error_is_wrong_where_the_row_has_a_score(standing: str, status: str, right: bool | None) -> None:
    one = said(standing, 0.5 if standing == "scored" else None, False, ("match", status))
    assert field_right(one, 1) is right
    assert field_state(one, 2) is None


def ranked(*earned: Fraction | int) -> list[tuple[tuple[str, int], RowMeasure]]:
    return [((str(place), 0), RowMeasure(Fraction(one), 1, one == 1)) for place, one in enumerate(earned)]


def test_the_interval_of_a_variant_is_that_of_its_scores() -> None:
    assert _mean_interval(ranked(1, 1, 0), {}) == wilson(2, 3)
    half = Fraction(1, 2)
    assert _mean_interval(ranked(1, half, half), {}) == share_interval(moments_of_values({Fraction(1): 1, half: 2}))


def test_the_interval_of_a_variant_in_clusters_is_that_of_their_sums() -> None:
    clusters = {("0", 0): "a", ("1", 0): "a", ("2", 0): "b"}
    found = _mean_interval(ranked(1, Fraction(1, 2), 0), clusters)
    assert found == share_interval(moments_of_clusters([(2, Fraction(3, 2)), (1, Fraction(0))]))


def numbered(first: int, count: int) -> SideRows:
    """Rows without ids: each has its number in place of one."""
    numbers = list(range(first, first + count))
    return made_rows(numbers, [str(one) for one in numbers], [""] * count)


@pytest.mark.parametrize(
    ("base", "new", "pairs"),
    [
        (numbered(2, 3), numbered(1, 3), [(0, 0), (1, 1), (2, 2)]),
        (numbered(1, 3), numbered(2, 3), [(0, 0), (1, 1), (2, 2)]),
        (numbered(1, 3), numbered(3, 3), [(2, 0)]),  # no head makes a difference of two
        (numbered(2, 3), numbered(1, 2), [(0, 1)]),
        (numbered(1, 3), numbered(1, 3), [(0, 0), (1, 1), (2, 2)]),
    ],
)
def test_rows_that_are_counted_with_the_head_are_paired_by_place(
    base: SideRows, new: SideRows, pairs: list[tuple[int, int]]
) -> None:
    places = [(base.lines.index(was), new.lines.index(now)) for was, now in pair_rows(base, new).both]
    assert places == pairs
