"""Listed fields are scored fast as they are explained, on documents that differ in every way documents differ."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.builtin._evaluator import Evaluator, settle
from evaluators.builtin.json_multi_field_match import JsonMultiFieldMatch
from evaluators.model import Verdict
from tests.reference.documents import pairs

FIELDS = ["a", "b", "c", "a.b", "a.b.c", "$.b.c", "/a/0", "b.a", "b[0].a", "c.a", "c.b", "b[-1]", "a[*].b", "$.c[*]", "é"]


def agree(evaluator: Evaluator, check: Any, expected: Any, output: Any) -> Verdict:
    verdict: Verdict = check(expected, output)
    assert verdict == settle(evaluator, evaluator.explain(expected, output))
    return verdict


@given(
    pairs(),
    st.lists(st.sampled_from(FIELDS), min_size=1, max_size=8, unique=True),
    st.sampled_from(["exact", "normalized", {"numeric": {"tolerance": {"abs": 1}}}, {"fuzzy": {"threshold": 0.5}}]),
    st.sampled_from(["not_measured", "match"]),
)
@settings(max_examples=300, deadline=None)
def test_listed_fields_are_scored_as_they_are_explained(
    pair: tuple[Any, Any], fields: list[str], comparator: Any, both_missing: str
) -> None:
    written = {name: comparator if number % 2 else "exact" for number, name in enumerate(fields)}
    try:
        evaluator = JsonMultiFieldMatch.model_validate({"fields": written, "both_missing": both_missing})
    except ValueError:  # the same place twice, or below another one
        return
    check = evaluator.compile()
    for _ in range(2):
        agree(evaluator, check, *pair)
    agree(evaluator, check, pair[1], pair[0])
