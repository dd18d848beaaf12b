"""The checksum of what a row gives beside the output."""

from __future__ import annotations

from evaluators.model import MISSING
from evaluators.running.suite import load
from evaluators.runs.given import checksums, output_columns


def test_rows_that_give_the_same_have_the_same_checksum() -> None:
    one, other, third = checksums([["a", "a", "b"], [{"x": 1}, {"x": 1}, {"x": 1}]], 3)
    assert one == other != third


def test_cells_do_not_run_into_each_other() -> None:
    assert checksums([["ab"], ["c"]], 1) != checksums([["a"], ["bc"]], 1)


def test_text_null_and_nothing_are_told_apart() -> None:
    assert len(set(checksums([["null", None, MISSING, "", 1, "1"]], 6))) == 6


def test_no_columns_and_odd_characters_are_fine() -> None:
    assert checksums([], 2) == [0, 0]
    assert len(checksums([["\ud83d"]], 1)) == 1


def test_every_column_of_an_output_is_known() -> None:
    suite = load({"evaluators": ["exact_match", {"length": {"max": 3, "output": "draft"}}]})
    assert output_columns(suite.lines, {"output": "answer", "expected": "label"}) == {"answer", "draft"}
