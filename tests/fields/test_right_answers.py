"""Several right answers in an expected document: the list reaches the comparator as one value, everywhere."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators import load
from evaluators.comparators._comparator import COMPARATORS
from evaluators.settings import build

ANSWERS = {"one_of": {"answers": "expected"}}
IN_ITEMS = {"type": "object", "properties": {"a": {"type": "string", "x-eval-compare": ANSWERS}}}
WAYS: dict[str, dict[str, Any]] = {
    "fields": {"fields": {"items": {"align": "any_order"}, "items[*].a": ANSWERS}},
    "a schema": {
        "schema": {
            "type": "object",
            "properties": {
                "items": {"type": "array", "items": IN_ITEMS, "x-eval-align": {"match_by": "any_order"}}
            },
        }
    },
}  # fmt: skip
VALUES = st.sampled_from(["a", "A", "b", "", 1, 1.0, True, None, ["a"], ["a", "b"], {"a": "b"}])


@given(st.lists(VALUES, min_size=1, max_size=4), VALUES, st.sampled_from(["keep", "ignore"]))
def test_a_list_of_answers_is_worth_its_best_answer(answers: list[Any], output: Any, case: str) -> None:
    listed = build(COMPARATORS.find("one_of"), {"answers": "expected", "case": case})
    alone = build(COMPARATORS.find("normalized"), {"case": case})
    assert listed.answer(answers, output).score == max(alone.answer(one, output).score for one in answers)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("output", "right"),
    [
        ([{"a": "z"}, {"a": "y"}], 2),
        ([{"a": ["x", "y"]}, {"a": ["z"]}], 0),
        ([{"a": "x"}, {"a": "x"}], 1),
    ],
)  # fmt: skip
def test_items_are_paired_by_any_of_their_answers(way: str, output: list[Any], right: int) -> None:
    suite = load({"evaluators": [{"schema_match": {"name": "s", **WAYS[way]}}]})
    expected = {"items": [{"a": ["x", "y"]}, {"a": ["z"]}]}
    fields = suite.evaluate({"expected": expected, "output": {"items": output}})["s"].fields
    assert [field.status.word for field in fields].count("match") == right


@pytest.mark.parametrize("output", [[], "x"])
def test_an_empty_list_of_answers_is_a_fault_of_the_test_set(output: object) -> None:
    suite = load({"evaluators": [{"schema_match": {"name": "s", "fields": {"a": ANSWERS}}}]})
    found = suite.evaluate({"expected": {"a": []}, "output": {"a": output}})["s"]
    assert found.score is None
    assert found.issue is not None
    assert (found.issue.code, found.issue.blame.value) == ("expected-unreadable", "testset")
