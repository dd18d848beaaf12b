"""What is known of one field beside its status, the same whichever way the field was listed."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.builtin._evaluator import BUILTIN
from evaluators.settings import build

NOTE = {"compare": "fuzzy", "transforms": ["lowercase"]}


def details(kind: str, expected: Any, output: Any) -> dict[str, Any]:
    one = build(BUILTIN.find(kind), {"fields": {"note": NOTE}})
    (found,) = one.explain({"note": expected}, {"note": output}).fields
    return {name: value for name, value in found.details.items() if name != "metric"}


@pytest.mark.parametrize("kind", ["json_multi_field_match", "schema_match"])
@pytest.mark.parametrize(
    ("expected", "output", "found"),
    [
        ("Zürich", "Bern", {"code": "mismatch", "compared_expected": "zürich", "compared_actual": "bern"}),
        ("zürich", "bern", {"code": "mismatch"}),
        ("Zürich", None, {"code": "extracted_null", "compared_expected": "zürich"}),
    ],
)
def test_a_wrong_field_says_why_and_what_was_compared(kind: str, expected: Any, output: Any, found: Any) -> None:
    assert details(kind, expected, output) == found


def test_a_field_that_is_right_says_nothing_more() -> None:
    assert details("json_multi_field_match", "Bern", "bern") == {}
