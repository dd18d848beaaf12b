"""Values in YAML's one-line spelling read back as what they were."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.scoring.values.quoting import flow_text, key_text
from evaluators.suites import source

CHARACTERS = st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"])
TEXTS = st.text(CHARACTERS, max_size=8).filter(lambda text: "${" not in text)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab. :-", min_size=1, max_size=4), inner, max_size=3)
    ),
)


@given(VALUES)
def test_a_value_reads_back(value: Any) -> None:
    assert source.loads("value: " + flow_text(value), environment={}).data["value"] == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ("address.city", "address.city"),
        ("yes", '"yes"'),
        ("12:30", '"12:30"'),
        ("", '""'),
        ({"a": [1, True, None]}, "{a: [1, true, null]}"),
        ("$.items[0]", '"$.items[0]"'),
        ("été", '"été"'),
        ("a\tb", r'"a\tb"'),
        ("a\u200bb", r'"a\u200bb"'),
        ("a\U000e0001b", r'"a\U000e0001b"'),
    ],
)
def test_quotes_stand_where_they_are_needed(value: object, text: str) -> None:
    assert flow_text(value) == text


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("total", "total"),
        ("$.lines[*].sku[0]", "$.lines[*].sku[0]"),
        ("Straße", "Straße"),
        ("yes", '"yes"'),
        ("Null", '"Null"'),
        ("two words", '"two words"'),
        ("a\u200b", r'"a\u200b"'),
    ],
)
def test_a_key_stands_bare_where_yaml_reads_it_as_text(key: str, text: str) -> None:
    assert key_text(key) == text
