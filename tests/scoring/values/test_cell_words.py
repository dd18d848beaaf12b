"""Words of a suite, and the cells that read as them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.scoring.values.cell_words import fits, nearly_fits, spell_boolean, word_of
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.json_text import to_text


@pytest.mark.parametrize(
    ("word", "fitting", "near", "other"),
    [
        (True, ["true", "TRUE", "True", " tRue ", True], [], ["false", "1", 1, "yes", "", None, [True]]),
        (False, ["false", "FALSE", "False", False], [], ["0", 0, "no", "", None]),
        (2, ["2", "2.0", "2.00", "2e0", "20e-1", " 2 ", 2, 2.0], ["02", "+2", "２"], ["2.1", "two", "2,0", True, ""]),
        (2.5, ["2.5", "2.50", "25e-1", 2.5], ["02.5"], ["2", "2,5"]),
        (0.1, ["0.1", "0.10", "1e-1"], [], ["0.1000000000000000055511151231257827", ".1"]),
        (0, ["0", "0.0", "-0", 0, 0.0], ["00"], ["", False, "false", None]),
        (10**400, [str(10**400), "1e400"], [], ["1e399", "inf"]),
        (float("nan"), [], [], ["x", ""]),
        ("a", ["a"], ["A", " a", "a ", "ａ"], ["b", "", None]),
        ("true", ["true"], ["TRUE", True, "true "], [1, "1"]),
        ("2", ["2"], [2, 2.0, "2.0", "02"], ["3", True]),
        ("two words", ["two words"], ["Two  Words", "two\u00a0words"], ["two-words"]),
        (None, ["", None], [], [" ", "null", 0, False]),
    ],
)
def test_what_fits_a_word_and_what_nearly_does(word: Any, fitting: list[Any], near: list[Any], other: list[Any]) -> None:
    for cells, wanted in ((fitting, (True, False)), (near, (False, True)), (other, (False, False))):
        for cell in cells:
            assert (fits(word, cell), nearly_fits(word, cell)) == wanted, cell


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()


@given(SCALARS, SCALARS)
def test_cells_of_json_fit_where_they_are_equal(word: Any, cell: Any) -> None:
    if not isinstance(cell, str):
        assert fits(word, cell) is json_equal(word, cell)
    elif isinstance(word, str):
        assert fits(word, cell) is (word == cell)


@given(st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_word_fits_the_text_that_it_is_written_as(word: Any) -> None:
    assert fits(word, to_text(word))
    assert fits(word, str(word))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("true", True), ("TRUE", True), ("False", False), ("2", 2), ("2.0", 2), ("-2.5", -2.5), ("0", 0), ("1.10", "1.10"),
        ("1E5", "1E5"), ("007", "007"), ("+5", "+5"), (".5", ".5"), ("", ""), ("a", "a"),
        ("0.1000000000000000055511151", "0.1000000000000000055511151"),
    ],
)  # fmt: skip
def test_what_a_word_of_a_command_says(text: str, word: Any) -> None:
    assert word_of(text) == word
    assert type(word_of(text)) is type(word)


@given(st.text())
def test_only_booleans_have_another_spelling(text: str) -> None:
    assert spell_boolean(text) == (text.lower() if text.lower() in ("true", "false") and text.isascii() else text)
    assert [spell_boolean(one) for one in ("TRUE", "True", "fALSE", "true ", "T")] == [
        "true",
        "true",
        "false",
        "true ",
        "T",
    ]
