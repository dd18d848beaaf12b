"""What is empty in whole documents is counted as it is told place by place: for one row, for many, and by groups of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.scoring.fields.empty_values import EmptyCounts, InRow
from evaluators.scoring.fields.open_rows import OpenCheck
from evaluators.scoring.fields.open_tree import OpenTree
from tests.reference.documents import pairs
from tests.reference.empty_leaves import by_field
from tests.scoring.fields.test_open_walk import DOCUMENTS, TREES, tree_of

Counted = dict[str, dict[InRow, int]]


def agrees(tree: OpenTree, documents: Sequence[tuple[Any, Any]]) -> None:
    rows = OpenCheck(tree, 1.0).begin(*zip(*documents, strict=True))
    groups = {row: "ab"[row % 2] for row in range(len(documents))}
    together, apart = EmptyCounts(), EmptyCounts()
    found = rows.empty_values(range(len(documents)), ())
    together.take(found)
    apart.take(found, groups)
    told = [by_field(tree, *each) for each in documents]
    assert without_zeros(together) == counted({"": told})
    assert without_zeros(apart) == counted({group: told[at::2] for at, group in enumerate("ab")})
    rows.release()


def without_zeros(counts: EmptyCounts) -> dict[str, Counted]:
    found = {
        group: {name: +Counter(values) for name, values in fields.items()} for group, fields in counts.by_group().items()
    }
    return {group: {name: values for name, values in fields.items() if values} for group, fields in found.items()}


def counted(told: dict[str, list[dict[str, InRow]]]) -> dict[str, Counted]:
    found: dict[str, Counted] = {}
    for group, rows in told.items():
        for row in rows:
            for name, value in row.items():
                values = found.setdefault(group, {}).setdefault(name, Counter())
                values[value] += any(value) or name == ""
    return {group: {name: +values for name, values in fields.items() if +values} for group, fields in found.items()}


@pytest.mark.parametrize(
    ("settings", "expected", "output"), [row[1:] for row in DOCUMENTS], ids=[row[0] for row in DOCUMENTS]
)
def test_documents_of_every_kind(settings: dict[str, Any], expected: Any, output: Any) -> None:
    agrees(tree_of(settings), [(expected, output)] * 7)
    if isinstance(expected, dict) and isinstance(output, dict):
        agrees(tree_of(settings), [(expected, output), (output, expected), (expected, expected)])


@given(st.lists(pairs(), min_size=1, max_size=4), TREES)
def test_drawn_documents(rows: list[tuple[Any, Any]], tree: OpenTree) -> None:
    agrees(tree, [*rows, *rows, *rows])
