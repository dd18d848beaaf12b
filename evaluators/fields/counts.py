"""What the results of one row are counted as.

A unit that several metrics compare counts once. The totals of extract-bench are over *entries*: what stands outside of arrays,
and each outermost array as a whole. The metrics that are made of these are in `events`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

from evaluators.fields.frame import places_above
from evaluators.fields.scored import ListOutcome, Scored
from evaluators.model import FieldStatus, Outcome
from evaluators.values.numbers import written

MEASURED: Final = frozenset(
    (FieldStatus.MATCH, FieldStatus.MISMATCH, FieldStatus.OMISSION, FieldStatus.HALLUCINATION, FieldStatus.ERROR)
)
_PLAIN: Final = {0.0: Fraction(0), 1.0: Fraction(1)}


def of_unit(statuses: Iterable[FieldStatus]) -> FieldStatus:
    """The status of a unit with several metrics: a match when every one of them that measured something matches."""
    kinds = set(statuses)
    for first in (FieldStatus.NOT_JUDGED, FieldStatus.ERROR):
        if first in kinds:
            return first
    kinds &= MEASURED
    if not kinds:
        return FieldStatus.SKIPPED
    return kinds.pop() if len(kinds) == 1 else FieldStatus.MISMATCH


def together(statuses: Iterable[FieldStatus]) -> FieldStatus:
    """The status of several values of one field: a match when every one of them matches, else the kind of what does not."""
    kinds = {*statuses} - {FieldStatus.NOT_MEASURED}
    for first in (FieldStatus.NOT_JUDGED, FieldStatus.ERROR):
        if first in kinds:
            return first
    if len(kinds) > 1:
        kinds -= {FieldStatus.MATCH, FieldStatus.SKIPPED}
    return FieldStatus.NOT_MEASURED if not kinds else kinds.pop() if len(kinds) == 1 else FieldStatus.MISMATCH


def share(result: Outcome) -> Fraction:
    """What a measured result earned of its weight, exactly."""
    ratio = result.details.get("ratio")
    if isinstance(ratio, tuple):
        return Fraction(*ratio)
    return _exact(result.score or 0.0)


def is_entry(result: Outcome, arrays: Mapping[str, ListOutcome]) -> bool:
    """Whether a result is an entry of its own in the totals.

    The result of a key that the schema lacks is none, nor is a part of what one of these arrays, by path, says.
    """
    if result.details.get("outside"):
        return False
    return not any(place in arrays and arrays[place].says(result) for place in places_above(result.path))


def outermost(scored: Scored) -> list[ListOutcome]:
    """The arrays that stand in no other one."""
    paths = {array.path for array in scored.arrays}
    return [
        array
        for array in scored.arrays
        if not any(place in paths and place != array.path for place in places_above(array.path))
    ]


def _exact(number: float) -> Fraction:
    """The number as it is written. Almost all are 0 or 1."""
    found = _PLAIN.get(number)
    return written(number) if found is None else found
