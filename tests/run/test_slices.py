"""Slices come to the same figures however the rows are cut, also when a column has more values than are shown."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.model import MISSING, Result, RowStatus
from evaluators.run.exact_sums import plus
from evaluators.run.groups import OTHER_VALUES, cell_text, limit_slices
from evaluators.run.tally import Ledger, SliceCounts, Tally

YES, NO = Result(RowStatus.SCORED, True, 1, 1), Result(RowStatus.SCORED, False, 0, 1)
MOST = 3
ROWS = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.booleans()), max_size=40)


def sliced(rows: list[tuple[str, bool]], cuts: list[int], chunk: int) -> dict[str, list[Tally]]:
    whole: dict[str, list[Tally]] = {}
    places = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    for start, end in pairwise(places):
        ledger = Ledger(0)
        counts = SliceCounts([ledger], [()], MOST)
        for at in range(start, end, chunk):
            part = rows[at : min(at + chunk, end)]
            codes = ledger.codes([YES if passed else NO for _, passed in part])
            counts.add([text for text, _ in part], [codes], [[]])
        plus(whole, counts.tallies())
        limit_slices(whole, MOST)
    return whole


@given(ROWS, st.lists(st.integers(0, 40), max_size=5), st.integers(1, 9))
def test_the_first_values_have_their_own_figures_and_the_rest_shares_one(
    rows: list[tuple[str, bool]], cuts: list[int], chunk: int
) -> None:
    first = sorted({text for text, _ in rows})[:MOST]
    expected: dict[str, Counter[bool]] = defaultdict(Counter)
    for text, passed in rows:
        expected[text if text in first else OTHER_VALUES][passed] += 1
    found = {value: tallies[0] for value, tallies in sliced(rows, cuts, chunk).items()}
    assert {value: (tally.scored, tally.passed) for value, tally in found.items()} == {
        value: (counts.total(), counts[True]) for value, counts in expected.items()
    }


@pytest.mark.parametrize(
    ("cell", "text"),
    [("a", "a"), ("", ""), (MISSING, ""), (None, ""), (True, "true"), (1, "1"), (1.5, "1.5"), ([1], "[1]"), ("é", "é")],
)
def test_a_cell_is_a_slice_under_its_text(cell: Any, text: str) -> None:
    assert cell_text(cell) == text
