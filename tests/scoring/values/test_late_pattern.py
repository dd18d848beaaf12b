"""Patterns that are compiled when they are first used find what patterns find."""

from __future__ import annotations

import re

from evaluators.scoring.values.late_pattern import late_pattern


def test_a_late_pattern_finds_what_the_pattern_finds() -> None:
    pattern = late_pattern("[a-z]+", re.IGNORECASE)
    assert pattern.findall("One, two") == ["One", "two"]
    assert pattern.fullmatch("Two") is not None
