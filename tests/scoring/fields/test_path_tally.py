"""Counts by path: beyond the cap the last paths share one line, however the rows are divided."""

from __future__ import annotations

from random import Random

import pytest

from evaluators.model.rows import FieldStatus
from evaluators.scoring.fields.row_checks import OVERFLOW, SURPLUS, SURPLUS_VALUES, PathTally
from evaluators.scoring.values.paths import ANY

NAMES = [("a", ANY, f"k{number:02}") for number in range(40)]


@pytest.mark.parametrize("chunk", [1, 3, 7, 400])
def test_the_first_paths_are_counted_apart_whatever_the_chunks(chunk: int) -> None:
    tally, rows = PathTally(cap=5), [name for name in NAMES for _ in range(10)]
    Random(chunk).shuffle(rows)
    for begin in range(0, len(rows), chunk):
        for name in rows[begin : begin + chunk]:
            tally.add([name], FieldStatus.MATCH.number, 1)
        tally.trim()
    found = tally.counts()
    assert {path: found[path][0] for path in list(found)[1:6]} == {f"a[*].k0{number}": 10 for number in range(5)}
    assert sum(counts[0] for counts in found.values()) == 400
    assert len(found) <= 11


def test_values_in_extra_items_are_counted_with_the_paths_that_share_a_line() -> None:
    tally = PathTally(cap=1)
    tally.surplus_items, tally.surplus_rows = 3, 1
    for name in NAMES[:3]:
        tally.add([name], SURPLUS, 1)
    tally.trim()
    assert tally.counts() == {OVERFLOW: (0, 0, 0, 2), "a[*].k00": (0, 0, 0, 1)}
    assert tally.details()[OVERFLOW, SURPLUS_VALUES, 1] == 2
