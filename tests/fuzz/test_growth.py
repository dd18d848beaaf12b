"""Hostile shapes, twice as large: the work is counted, so that no clock decides. In seconds: `python -m tests.tools.fuzz --growth`."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from evaluators.api.suite import Suite
from tests.tools.fuzz.growth import MOST_GROWTH, SHAPES


def calls(suite: Suite, row: dict[str, Any]) -> int:
    """How many functions are called for a row, ours and those of others, compiled ones included."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        suite.evaluate(row)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", [name for name, shape in SHAPES.items() if not shape.limit])
def test_twice_the_size_takes_no_more_than_that(name: str) -> None:
    shape = SHAPES[name]
    suite = shape.suite()
    suite.evaluate(shape.row(3))  # what is compiled once
    small, large = (calls(suite, shape.row(size)) for size in (150, 300))
    assert 0.9 * small <= large <= MOST_GROWTH * small


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, shape in SHAPES.items() if shape.beyond > 64])
def test_beyond_its_limit_a_shape_grows_no_faster_either(name: str) -> None:
    shape = SHAPES[name]
    suite = shape.suite()
    suite.evaluate(shape.row(3))
    small, large = (calls(suite, shape.row(size)) for size in (shape.beyond, 2 * shape.beyond))
    assert 0.9 * small <= large <= MOST_GROWTH * small
