"""Patterns: read before the first row, searched with a time limit."""

from __future__ import annotations

import pytest

from evaluators.model.issues import Blame, RowProblem
from evaluators.scoring.values.patterns import matcher, replace_all


def test_search_finds_a_part_and_full_wants_the_whole_text() -> None:
    assert matcher("b+", "search", 1.0)("abba")
    assert not matcher("b+", "full", 1.0)("abba")
    assert matcher("b+", "full", 1.0)("bb")
    assert not matcher("b+", "full", 1.0)("bb\n")


def test_running_out_of_time_is_no_answer() -> None:
    slow = matcher("(a|aa)+$", "search", 0.001)
    with pytest.raises(RowProblem) as caught:
        slow("a" * 60 + "b")
    assert caught.value.issue.blame is Blame.ENVIRONMENT
    assert caught.value.issue.code == "regex-timeout"


@pytest.mark.parametrize("pattern", ["(?i)(a)", "(?x) (a) # first", "^(a)", "(a)|(b)", "(?i:(a))b"])
def test_a_replacement_is_checked_against_the_groups_of_its_pattern(pattern: str) -> None:
    replace_all(pattern, r"<\1>", 1.0)
    with pytest.raises(ValueError, match="malformed replacement"):
        replace_all(pattern, r"\7", 1.0)
