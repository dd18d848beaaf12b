"""Values have one key exactly when they match: for every comparator that has keys."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.settings import build
from evaluators.scoring.comparators._comparator import COMPARATORS

TEXTS = st.sampled_from(["", "a", "A", "á", "abcde", " abcde", "ABCDE", "straße", "STRASSE", "ab", "b a"])
OTHERS = st.sampled_from([None, True, False, 1, 1.0, [], {}, ["a"], ["A"], {"k": "á"}, {"k": "a"}, "1"])
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "exact": ("exact", {}),
    "boolean": ("boolean", {}),
    "numeric": ("numeric", {}),
    "number_exact": ("number_exact", {}),
    "normalized": ("normalized", {}),
    "normalized, accents": ("normalized", {"accents": "keep", "whitespace": "keep"}),
    "string_case_insensitive": ("string_case_insensitive", {}),
}


@pytest.mark.parametrize("name", CASES)
@given(TEXTS | OTHERS, TEXTS | OTHERS)
def test_values_that_match_have_one_key(name: str, expected: Any, output: Any) -> None:
    word, options = CASES[name]
    comparator = build(COMPARATORS.find(word), options, noun=word)
    key = comparator.key()
    assert key is not None
    assert (key(expected) == key(output)) is comparator.compare(expected, output)
