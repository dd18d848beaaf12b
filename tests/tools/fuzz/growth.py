"""How much longer a row takes that is twice as large, in processor time within one process.

Twice the size takes at most `MOST_GROWTH` times as long, or a stated limit stops it.
"""

from __future__ import annotations

import gc
from math import inf, sqrt
from time import process_time
from typing import Any, Final, NamedTuple

from evaluators.api.suite import Suite
from tests.tools.fuzz.shapes import Shape

MOST_GROWTH: Final = 2.8
"""For each doubling of a shape, in time: less than the power 3/2 (2.83). A sort takes a little more than twice as long, and so does
what outgrows the memory that is near."""
ENOUGH_SECONDS: Final = 0.01
"""A time that tells something."""
LARGEST: Final = 1 << 18
MOST_CHARS: Final = 1 << 24
"""A text of more than twice as many is given back to the system each time, and taken anew: that takes more than the work on it."""
TURNS: Final = 5


HEAD: Final = f"{'shape':90} {'size':>9} {'seconds':>8} {'per doubling':>13}  bounded by"


class Growth(NamedTuple):
    """What was measured of one shape."""

    size: int
    seconds: float
    per_doubling: float | None
    """How many times as long twice the size takes, over two doublings; None where the largest takes no time that tells something."""
    limit: str
    """What bounds it: the code of an issue, or the limit beyond which it was measured."""


def measured(shape: Shape) -> Growth:
    """One shape, doubled until it takes long enough, and then twice more. The least time of some turns counts, and where it seems too
    much, the least of nine measurements at three sizes: other programs take from the memory that is near."""
    suite, size = shape.suite(), shape.beyond
    suite.evaluate(shape.row(3))  # what is compiled once
    gc.collect()
    while (enough := _warm(suite, shape.row(size)) >= ENOUGH_SECONDS) is False and size < LARGEST:
        size *= 2
    while size > shape.beyond and _chars(shape.row(4 * size)) > MOST_CHARS:
        size //= 2
    codes = [one.issue.code for one in suite.evaluate(shape.row(size)).results.values() if one.issue is not None]
    said = codes[0] if codes else shape.limit
    ratio, seconds = inf, 0.0
    for scale in (1, 2, 4) * 3:  # where a row outgrows the memory that is near, it takes a step, and not at each size
        small, large = shape.row(scale * size), shape.row(4 * scale * size)
        # one after the other, so that both meet the same other programs
        turns = [(_seconds(suite, small), _seconds(suite, large)) for _ in range(TURNS)]
        seconds = min(took for _, took in turns)
        ratio = min(ratio, sqrt(seconds / min(took for took, _ in turns)))
        if ratio <= MOST_GROWTH:
            break
    return Growth(4 * size, seconds, ratio if enough else None, said)


def _warm(suite: Suite, row: dict[str, Any]) -> float:
    return min(_seconds(suite, row) for _ in range(2))


def _chars(row: dict[str, Any]) -> int:
    return max(len(cell) for cell in row.values() if isinstance(cell, str))


def _seconds(suite: Suite, row: dict[str, Any]) -> float:
    gc.disable()
    before = process_time()
    suite.evaluate(row)
    seconds = process_time() - before
    gc.enable()
    return seconds


def growth_line(name: str, growth: Growth) -> str:
    """What was measured of a shape, as a line below `HEAD`."""
    ratio = "–" if growth.per_doubling is None else f"{growth.per_doubling:.2f}"
    return f"{name:90.90} {growth.size:>9,} {growth.seconds:>8.2f} {ratio:>13}  {growth.limit}"
