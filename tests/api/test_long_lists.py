"""Lists that are too long to compare each item with each: what is paired, and where it is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import loads
from evaluators.model.limits import LIST_CELLS
from evaluators.runs.result import RunResult
from evaluators.scoring.fields.pairing import Worth, count_cells, is_crowded
from evaluators.scoring.fields.reading import read_align
from evaluators.scoring.fields.tree import PairCost
from tests.kit import write_rows
from tests.scoring.fields.paired import pair_items

SUITE = """
evaluators:
  - %s:
      name: orders
      fields:
        items: {align: %s}
        items[*].name: {fuzzy: {at_least: 0.5}}
        items[*].qty: numeric
"""
FAMILIES = pytest.mark.parametrize("family", ["json_multi_field_match", "schema_match"])


def items(count: int, start: int = 0) -> list[dict[str, Any]]:
    return [{"name": f"thing {number}", "qty": number} for number in range(start, start + count)]


def run(text: str, tmp_path: Path, *rows: tuple[Any, Any]) -> RunResult:
    path = tmp_path / "rows.jsonl"
    written = [{"expected": json.dumps({"items": one}), "output": json.dumps({"items": other})} for one, other in rows]
    write_rows(path, written)
    return loads(text).run(path).result


def test_cells_are_items_times_items_times_the_values_of_an_item() -> None:
    assert count_cells(PairCost(), items(10), items(20)) == 10 * 20 * 2
    assert count_cells(PairCost(slow=True), items(10), items(20)) == 10 * 20 * 2 * 20
    assert count_cells(PairCost(), [{"tags": [1, 2, 3]}], [1]) == (3 + 1) // 2
    assert count_cells(PairCost(deep=True), [{"tags": [1, 2, 3]}], [1]) == (3 + 9 + 1) // 2
    assert count_cells(PairCost(slow=True), ["a" * 1000], ["b"]) == (6 + 1) // 2 * 20


def test_a_thousand_items_with_cheap_comparators_are_compared_each_with_each() -> None:
    four = [{"a": 1, "b": 2, "c": "x", "d": None}] * 1000
    assert count_cells(PairCost(), four, four) == LIST_CELLS
    assert not is_crowded(PairCost(), four, four)
    assert is_crowded(PairCost(), four, [*four, 1])
    assert is_crowded(PairCost(slow=True), items(500), items(500))


def test_the_work_is_counted_and_no_more_pairs_are_weighed_than_the_lists_have_items() -> None:
    asked = []

    def weigh(row: int, column: int) -> Worth:
        asked.append((row, column))
        return Worth(1, 4)

    align = read_align({"hungarian": {"cells": 1000}})
    ours, theirs = items(100), [*items(40), *items(60, 500)]
    found = pair_items(align, ours, theirs[::-1], weigh)
    assert len(asked) == 60
    assert found.crowded
    assert len(found.pairs) == 100
    assert sum(ours[row] == theirs[::-1][column] for row, column in found.pairs) == 40


@FAMILIES
@pytest.mark.parametrize("how", ["hungarian", "any_order"])
def test_equal_items_are_paired_first_and_the_run_says_in_which_rows(family: str, how: str, tmp_path: Path) -> None:
    long = items(30)
    rows = [
        (long, long[::-1]),
        (items(3), items(3)[::-1]),
        (long, long),
        (long, [*long[:0:-1], {"name": "x", "qty": -1}]),
    ]
    found = run(SUITE % (family, f"{{{how}: {{cells: 5000}}}}"), tmp_path, *rows)
    (warning,) = found.warnings
    assert str(warning.message) == '"orders": "items" has too many items to compare each with each, in 2 rows (rows 1, 4)'
    assert warning.where == "suite.yaml:6:24"
    assert f"{how}: {{cells: NUMBER}}" in warning.hint
    (stats,) = found.evaluators
    assert [(one.what, one.rows, one.first_rows) for one in stats.keys] == [("too_long", 2, (1, 4))]
    assert not run(SUITE % (family, how), tmp_path, *rows).warnings


@FAMILIES
def test_the_row_says_it(family: str) -> None:
    long = items(30)
    row = {"expected": {"items": long}, "output": {"items": [*long[:0:-1], {"name": "x", "qty": -1}]}}
    found = loads(SUITE % (family, "{hungarian: {cells: 5000}}")).evaluate(row)["orders"]
    said = json.dumps([found.reason, found.details], default=repr)
    assert "too many items to compare each with each: equal ones were paired first, the others in list order" in said


def test_a_limit_is_a_whole_number() -> None:
    with pytest.raises(Exception, match="cells must be a whole number above 0; found the number 0"):
        loads(SUITE % ("schema_match", "{any_order: {cells: 0}}"))
