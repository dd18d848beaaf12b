"""What is found wrong at once is what the whole scoring finds wrong."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings

from evaluators.fields.score import score_document, wrong_results
from evaluators.fields.settle import WRONG
from evaluators.fields.tree import FieldNode
from tests.fields.random_trees import pairs


@settings(max_examples=150, deadline=None)
@given(pairs())
def test_the_wrong_results_are_those_of_the_whole_row(drawn: tuple[FieldNode, Any, Any]) -> None:
    root, expected, output = drawn
    whole = [result for result in score_document(root, expected, output).fields if result.status in WRONG]
    assert wrong_results(root, expected, output) == whole
