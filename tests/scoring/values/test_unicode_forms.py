"""Normal forms of hostile text: the same as the standard library's, and marks are put in order before it sorts them."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal
from unicodedata import combining, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.scoring.values.text import SHORT, normal_form, order_marks

FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")
MARKS = "\u0301\u0323\u0345\u0344\u0f73\u0f71\u3099\uff9e\u05b0\U0001d165"


def descents(text: str) -> int:
    """How often a mark stands behind one that comes after it: what sorting by insertion is slow for."""
    return sum(combining(one) > combining(other) > 0 for one, other in pairwise(text))


@pytest.mark.parametrize("form", FORMS)
@given(st.lists(st.text("aé가ﬁ", max_size=3) | st.text(MARKS, min_size=60, max_size=300), max_size=12))
def test_a_normal_form_is_that_of_the_standard_library(
    form: Literal["NFC", "NFD", "NFKC", "NFKD"], pieces: list[str]
) -> None:
    text = "".join(pieces) + "z" * SHORT
    assert normal_form(form, text) == normalize(form, text)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("marks", ["\u0301\u0323", "\u0f73", "\u0344\u0323"])
def test_long_runs_come_in_order(form: Literal["NFC", "NFD", "NFKC", "NFKD"], marks: str) -> None:
    assert descents(order_marks(form, "a" + marks * 5_000)) == 0
    assert len(normal_form(form, "a" + marks * 100_000)) >= 100_000


@pytest.mark.parametrize("form", FORMS)
def test_a_long_text_has_the_normal_form_of_the_standard_library(form: Literal["NFC", "NFD", "NFKC", "NFKD"]) -> None:
    for text in ("é" + MARKS * 40, "e" + "\u0301\u0323" * 200 + "ﬁ" + MARKS[::-1] * 40 + "가"):
        assert normal_form(form, text + "z" * SHORT) == normalize(form, text + "z" * SHORT)
