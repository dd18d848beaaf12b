"""Values in YAML's one-line spelling read back as what they were."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.api.loading import loads
from evaluators.suite import source
from evaluators.values.flow import flow

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
    assert source.loads("value: " + flow(value), environment={}).data["value"] == value


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
    ],
)
def test_quotes_stand_where_they_are_needed(value: object, text: str) -> None:
    assert flow(value) == text


def test_a_line_made_of_it_is_a_suite() -> None:
    assert loads(f"evaluators: [{{length: {flow({'min': 1, 'max': 5})}}}]").lines[0].type == "length"
