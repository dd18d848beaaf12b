"""Whole columns are compared as pairs are: for every comparator that knows a quicker way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.comparators._comparator import COMPARATORS, Comparator
from evaluators.model import Outcome
from evaluators.settings import build

TEXTS = st.sampled_from(
    ["", "a", "A", "á", "abcde", "abcdX", "abXXX", " abcde", "ABCDE", "straße", "STRASSE", "ab", "b a"]
)
NUMBERS = st.sampled_from([0, 0.0, 1, 1.0, 1.1, 1.01, 0.9, 0.99, 100, 101, -1, 1e16, 10**16 + 1, 10**200, 1.0005, 1e-9])
OTHERS = st.sampled_from([None, True, False, [], {}, ["a"], ["A"], {"k": "á"}, {"k": "a"}, "1"])
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "normalized": ("normalized", {}),
    "normalized, accents": ("normalized", {"accents": "keep", "whitespace": "keep"}),
    "string_case_insensitive": ("string_case_insensitive", {}),
    "fuzzy": ("fuzzy", {}),
    "fuzzy, partly": ("fuzzy", {"partial": True, "at_least": 0.6, "case": "ignore"}),
    "fuzzy, anything": ("fuzzy", {"at_least": 0.0}),
    "string_fuzzy": ("string_fuzzy", {}),
    "numeric": ("numeric", {}),
    "numeric, abs": ("numeric", {"tolerance": {"abs": 0.01}}),
    "numeric, rel": ("numeric", {"tolerance": {"rel": 0.1}}),
    "numeric, both": ("numeric", {"tolerance": {"rel": 0.1, "abs": 0.5}}),
    "number_tolerance": ("number_tolerance", {}),
}


def made(name: str) -> Comparator:
    word, options = CASES[name]
    return build(COMPARATORS.find(word), options, noun=word)


def by_pairs(comparator: Comparator, expected: Sequence[Any], output: Sequence[Any]) -> list[list[bool]]:
    compare = comparator.compile()

    def hit(one: Any, other: Any) -> bool:
        found = compare(one, other)
        return found.passed if isinstance(found, Outcome) else found

    return [[hit(one, other) for other in output] for one in expected]


def by_columns(comparator: Comparator, expected: Sequence[Any], output: Sequence[Any]) -> list[list[bool]] | None:
    key = comparator.key()
    if key is not None:
        return [[key(one) == key(other) for other in output] for one in expected]
    found = comparator.compare_columns(expected, output)
    return found if found is None or isinstance(found, list) else found.tolist()


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_columns_are_compared_as_pairs_are(name: str, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([TEXTS, NUMBERS, TEXTS | NUMBERS | OTHERS]))
    expected, output = (
        data.draw(st.lists(kind, min_size=1, max_size=6)),
        data.draw(st.lists(kind, min_size=1, max_size=6)),
    )
    comparator = made(name)
    for times in (1, 20):  # short, and long enough for arrays
        found = by_columns(comparator, expected * times, output * times)
        assert found is None or found == by_pairs(comparator, expected * times, output * times)


@pytest.mark.parametrize("name", CASES)
def test_long_columns_of_one_kind_are_compared_at_once(name: str) -> None:
    kind: list[Any] = [1.0, 2.5] if "numeric" in name or "number" in name else ["a", "b"]
    found = by_columns(made(name), kind * 30, kind * 30)
    assert (found is None) is (name == "numeric")
