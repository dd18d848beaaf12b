"""Texts that are too long to count the letters that differ: the field has no score, and nothing is shortened."""

from __future__ import annotations

import pytest

from evaluators.api.loading import loads
from evaluators.model.issues import Blame
from evaluators.model.limits import TEXT_LENGTH
from evaluators.model.rows import Result, RowStatus

LONG = "ab" * (TEXT_LENGTH // 2 + 1)
FIELD = "evaluators: [{json_multi_field_match: {fields: {a: {fuzzy: {partial: %s}}}}}]"


def field(expected: str, output: str, partial: str = "false") -> Result:
    suite = loads(FIELD % partial)
    return suite.evaluate({"output": {"a": output}, "expected": {"a": expected}})["json_multi_field_match"]


@pytest.mark.parametrize("partial", ["false", "true"])
def test_a_field_with_long_texts_is_unjudged(partial: str) -> None:
    found = field(LONG, "c" + LONG, partial)
    assert found.status is RowStatus.UNJUDGED
    assert found.issue is not None
    assert (found.issue.code, found.issue.blame) == ("text-too-long", Blame.ENVIRONMENT)


def test_what_needs_no_counting_is_judged() -> None:
    assert field(LONG, LONG).status is RowStatus.SCORED
    assert field(LONG, LONG, "true").status is RowStatus.SCORED
    assert field("ab", LONG).score == 0.0


@pytest.mark.parametrize("name", ["levenshtein", "similarity: {method: characters}"])
def test_whole_texts(name: str) -> None:
    suite = loads(f"evaluators: [{{{name if ':' in name else name + ': {}'}}}]")
    (found,) = suite.evaluate({"output": LONG, "expected": "c" + LONG}).results.values()
    assert found.status is RowStatus.UNJUDGED
    (found,) = suite.evaluate({"output": LONG, "expected": LONG}).results.values()
    assert found.score is not None
    assert found.score == 1.0
