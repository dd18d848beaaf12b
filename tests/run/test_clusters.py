"""Clusters: exact sums, the same whatever the pieces, also beyond the cap."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.model import Result, RowStatus
from evaluators.run import groups as module
from evaluators.run.exact_sums import plus
from evaluators.run.groups import ClusterSum, cell_texts, cluster_sums, limited_clusters

VERDICTS = [
    Result(RowStatus.SCORED, True, 1, 1),
    Result(RowStatus.SCORED, False, 1, 3),
    Result(RowStatus.UNREADABLE, False, 0, 1),
    Result(RowStatus.INVALID, None, 0, 0),
]
ROWS = st.lists(st.tuples(st.text("abcdefgh", max_size=2), st.integers(0, 3)), max_size=30)


def counted(rows: list[tuple[str, int]]) -> dict[str, ClusterSum]:
    return cluster_sums(Counter(rows), VERDICTS)


@pytest.mark.parametrize("most", [3, 20_000])
def test_pieces_come_to_what_all_rows_come_to(most: int) -> None:
    @given(ROWS, st.integers(0, 30), st.integers(0, 30))
    def same(rows: list[tuple[str, int]], one: int, other: int) -> None:
        low, high = sorted((min(one, len(rows)), min(other, len(rows))))
        merged = counted(rows[:low])
        for piece in (rows[high:], rows[low:high]):
            merged = limited_clusters(plus(merged, counted(piece)))
        assert merged == counted(rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_CLUSTERS", most)
        same()


def test_a_cluster_counts_its_scored_rows() -> None:
    found = counted([("a", 0), ("a", 1), ("a", 2), ("a", 3), ("b", 1)])
    assert (found["a"].rows, found["a"].passed, found["a"].total) == (3, 1, Fraction(4, 3))
    assert found["b"].total == Fraction(1, 3)


def test_a_cell_that_is_no_text_names_a_cluster_too() -> None:
    assert cell_texts(["a", 7, None, True]) == ["a", "7", "", "true"]
