"""The line with a caret."""

from __future__ import annotations

import pytest

from evaluators.suite.excerpt import WIDTH, with_caret


@pytest.mark.parametrize(
    ("line", "column", "caret"),
    [
        ("a: b", 3, "   ^"),
        ("\ta: b", 4, "\t   ^"),
        ("中文: b", 4, "      ^"),
        ("e\u0301: b", 4, "   ^"),
        ("a", 9, " ^"),
        ("a: \x01b", 4, "    ^"),
    ],
)
def test_the_caret_is_below_its_character(line: str, column: int, caret: str) -> None:
    assert with_caret(line, column).split("\n")[1] == caret


def test_what_cannot_be_seen_is_shown() -> None:
    assert with_caret("a\x00\ud800b", 3) == "a\ufffd\ufffdb\n   ^"


@pytest.mark.parametrize("column", [0, 60, 500, 990, 1000])
def test_a_long_line_is_cut_around_the_caret(column: int) -> None:
    line = "".join(chr(97 + i % 26) for i in range(1000))
    shown, caret = with_caret(line, column).split("\n")
    assert len(shown) <= WIDTH + 2
    assert column == 1000 or shown[len(caret) - 1] == line[column]
