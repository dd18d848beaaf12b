"""Whole columns of values compared at once: every expected one with every one of the output.

Strategy: what is done to one value is done once for it, not once per pair; then texts go to rapidfuzz, and numbers to
numpy, as whole columns. Numbers too near the limit for floats to tell are compared one by one. A column of mixed kinds is
left to the comparison of pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

from evaluators.comparators._closeness import Limits, closeness
from evaluators.comparators._comparator import Matches
from evaluators.limits import still_time
from evaluators.values.arrays import arrays_for
from evaluators.values.edit_limit import SHORT, too_long
from evaluators.values.pairing import identity
from evaluators.values.text import Normalize

_LARGE = 1e150
"""No product of two numbers below it is too large for a float."""


def normalized_identity(normalize: Normalize) -> Callable[[Any], Hashable]:
    """What two values share exactly when they are equal with their texts normalised, at any depth."""

    def deep(value: Any) -> Any:
        kind = value.__class__
        if kind is str:
            return normalize(value)
        if kind is list:
            return [deep(inner) for inner in value]
        return {key: deep(inner) for key, inner in value.items()} if kind is dict else value

    return lambda value: normalize(value) if value.__class__ is str else identity(deep(value))


def near_texts(normalize: Normalize, at_least: float, expected: Sequence[Any], output: Sequence[Any]) -> Matches | None:
    """Which texts are alike enough. None for columns that are not all text."""
    if any(value.__class__ is not str for column in (expected, output) for value in column):
        return None
    from rapidfuzz.distance.Levenshtein import distance

    ours, theirs = [normalize(text) for text in expected], [normalize(text) for text in output]
    num, den = (1 - Fraction(str(at_least))).as_integer_ratio()
    longest = max(map(len, [*ours, *theirs]), default=0)
    if too_long(max(map(len, ours), default=0), max(map(len, theirs), default=0)):
        return None  # pair by pair, it is said which are too long
    allowed = [num * length // den for length in range(longest + 1)]
    numpy = arrays_for(len(ours), len(theirs)) if longest <= SHORT else None
    if numpy is None:
        found = []
        for a in ours:
            still_time()
            found.append([distance(a, b, score_cutoff=(most := allowed[max(len(a), len(b))])) <= most for b in theirs])
        return found
    from rapidfuzz.process import cdist

    edits = cdist(ours, theirs, scorer=distance, score_cutoff=allowed[-1], dtype=numpy.int32)
    most = numpy.array(allowed)  # a longer text never allows fewer edits, so the most of two is that of the longer one
    return edits <= numpy.maximum.outer(*(most[[*map(len, texts)]].astype(numpy.int32) for texts in (ours, theirs)))


def near_numbers(tolerance: Limits | None, expected: Sequence[Any], output: Sequence[Any]) -> Matches | None:
    """Which numbers are near enough. None for columns that are not all numbers, or too short for arrays."""
    numpy = arrays_for(len(expected), len(output))
    if numpy is None or tolerance is None:
        return None
    if any(value.__class__ is not int and value.__class__ is not float for side in (expected, output) for value in side):
        return None
    try:
        ours, theirs = numpy.array(expected, dtype=float)[:, None], numpy.array(output, dtype=float)
    except OverflowError:
        return None
    if not max(numpy.abs(ours).max(), numpy.abs(theirs).max()) < _LARGE:  # infinity and NaN too
        return None
    room = numpy.full(len(expected), math.inf if tolerance.abs is None else tolerance.abs)[:, None]
    if tolerance.rel is not None:
        part = tolerance.rel * numpy.abs(ours)
        room = numpy.where((ours != 0) | (tolerance.abs is None), numpy.minimum(room, part), room)
    gap = theirs - ours
    numpy.abs(gap, out=gap)
    # eight roundings at most; a number of the output that is larger than all this is not near in any case
    slack = 6e-15 * (numpy.abs(ours) + room) + 1e-300
    matches = gap < room - slack
    close = closeness(tolerance)
    for row, column in zip(*numpy.nonzero((gap <= room + slack) > matches), strict=True):
        one, other = expected[row], output[column]
        matches[row, column] = one == other or close(one, other)
    return matches
