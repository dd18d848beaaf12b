"""The line with a caret."""

from __future__ import annotations

import pytest

from evaluators.suites.excerpt import with_caret


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
