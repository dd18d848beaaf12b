"""What is printed where there is no terminal, and as Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluators.reports.markdown import with_code
from tests.kit import cli

SUITE = Path(__file__).parents[2] / "configs" / "gallery" / "classification" / "suite.yaml"


@pytest.mark.parametrize("columns", [60, 200])
@pytest.mark.parametrize("words", [["run", str(SUITE), "--no-results", "-v"], ["explain", "gates"], ["try", str(SUITE)]])
def test_columns_says_how_wide_the_output_is(words: list[str], columns: int) -> None:
    done = cli(*words, COLUMNS=str(columns))
    assert done.exit_code == 0
    assert "\x1b" not in done.stdout
    widest = max(map(len, done.stdout.splitlines()))
    assert widest <= columns
    if columns == 200 and words[0] == "run":
        assert widest > 100


@pytest.mark.parametrize("columns", ["", "wide", "0", "-5", "3"])
def test_columns_that_are_no_width_are_not_followed(columns: str) -> None:
    plain = cli("explain", "gates", COLUMNS=None)
    assert cli("explain", "gates", COLUMNS=columns).stdout == plain.stdout


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("write `pass_at: 0.5` there", "write `pass_at: 0.5` there"),
        ("*bold* and `a*b*c`", r"\*bold\* and `a*b*c`"),
        ("one ` alone", r"one \` alone"),
        ("a `pair` and ` one", r"a \`pair\` and \` one"),
        ("<b>`<b>`", r"\<b\>`<b>`"),
    ],
)
def test_what_is_between_back_ticks_is_code(text: str, shown: str) -> None:
    assert with_code(text) == shown
