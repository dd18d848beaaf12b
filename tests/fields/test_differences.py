"""Differences in words."""

from __future__ import annotations

from typing import Any

from evaluators.builtin.json_diff_match import JsonDiffMatch
from evaluators.fields.settle import MOST, TOO_DEEP, in_words
from evaluators.limits import DEPTH


def test_each_difference_is_a_sentence() -> None:
    assert in_words({"a": 1, "b": 2}, {"a": 2}) == (
        "a: 2 in place of 1",
        "b: 2 is missing",
    )


def test_many_differences_are_cut_short_with_their_number() -> None:
    found = in_words({str(key): 0 for key in range(50)}, {str(key): 1 for key in range(50)})
    assert len(found) == MOST + 1
    assert found[-1] == f"and {50 - MOST} more"


def test_deep_documents_are_scored_without_words() -> None:
    def deep(value: Any, depth: int) -> Any:
        for _ in range(depth - 1):
            value = [value]
        return {"a": value}

    assert JsonDiffMatch().score(deep(1, DEPTH), deep(2, DEPTH)).score == 0.0
    assert in_words(deep(1, 295), deep(2, 295)) == (TOO_DEEP,)
