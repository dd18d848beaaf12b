"""Rows twice as large: calls are counted, so that no clock decides.

What a call does within compiled code is not seen here: `python -m tests.tools.fuzz --growth` compares processor time.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Final

import pytest

from evaluators.api.suite import Suite
from tests.tools.fuzz.plug_shapes import plug_names, plug_shapes
from tests.tools.fuzz.shapes import SHAPES, Shape

MOST_CALLS: Final = 2.3
"""For each doubling of a shape, in calls."""


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
    assert 0.9 * small <= large <= MOST_CALLS * small


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, shape in SHAPES.items() if shape.beyond > 64])
def test_beyond_its_limit_a_shape_grows_no_faster_either(name: str) -> None:
    shape = SHAPES[name]
    suite = shape.suite()
    suite.evaluate(shape.row(3))
    small, large = (calls(suite, shape.row(size)) for size in (shape.beyond, 2 * shape.beyond))
    assert 0.9 * small <= large <= MOST_CALLS * small


def test_everything_that_a_suite_can_name_has_a_shape() -> None:
    without = [name for name in plug_names() if not any(f"{shape}:".startswith(f"{name}:") for shape in plug_shapes())]
    assert not without, "give them a shape in tests/tools/fuzz/plug_shapes.py"


@pytest.mark.parametrize("shape", [pytest.param(shape, id=name) for name, shape in plug_shapes().items()])
def test_a_shape_of_a_plug_can_be_scored(shape: Shape) -> None:
    found = shape.suite().evaluate(shape.row(3)).results.values()
    assert not any(one.issue is not None and one.issue.blame == "bug" for one in found)
