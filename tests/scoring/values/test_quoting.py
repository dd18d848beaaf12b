"""What a reason says of values that look alike."""

from __future__ import annotations

import pytest

from evaluators.reports.display import visible
from evaluators.scoring.values.differences import difference_text
from evaluators.scoring.values.quoting import quote


@pytest.mark.parametrize(
    ("actual", "shown"),
    [
        ("androidx:\u200bcore", '"androidx:\\u200bcore"'),
        ("a\u200eb", '"a\\u200eb"'),
        ("\ufeffab", '"\\ufeffab"'),
        ("a\u00adb", '"a\\u00adb"'),
        ("a\U000e0041b", '"a\\udb40\\udc41b"'),
        ("Müller", '"Müller"'),
        ("\U0001f468\u200d\U0001f469", '"\U0001f468\u200d\U0001f469"'),
        ("a\u00a0b", '"a\u00a0b"'),
    ],
)
def test_a_character_that_cannot_be_seen_is_an_escape(actual: str, shown: str) -> None:
    assert quote(actual) == shown


@pytest.mark.parametrize(
    "actual", ["androidx:\u200bcore", "\ufeffandroidx:core", "android\u00adx:core", "androidx:core\u200e"]
)
def test_that_only_such_characters_differ_is_said(actual: str) -> None:
    assert difference_text("androidx:core", actual).endswith(
        ' differs from "androidx:core"; only invisible characters differ'
    )


def test_that_only_the_form_of_accents_differs_is_said() -> None:
    assert "only how their letters are stored differs" in difference_text("Müller", "Mu\u0308ller")


def test_other_differences_are_said_as_they_are() -> None:
    assert difference_text("ab", "a\u200bc") == '"a\\u200bc" differs from "ab"'
    assert difference_text("é", "e") == '"e" differs from "é"'


def test_a_cell_of_a_terminal_shows_them_too() -> None:
    assert visible("a\u200bb\u00ad") == "a\\u200bb\\xad"
