"""What the scoring of one row's documents comes to: a result per unit, a summary per array, what was not scored, and the counts.

A unit that several metrics compare counts once. The totals of extract-bench are over *entries*: what stands outside of arrays,
and each outermost array as a whole. The metrics that are made of these are in `events`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

import msgspec
from msgspec import Struct

from evaluators.model.issues import RowProblem
from evaluators.model.rows import MISSING, Count, FieldStatus, Outcome, Positive
from evaluators.scoring.fields.instance_paths import places_above
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.values.confusion import Confusion
from evaluators.scoring.values.numbers import written

ONE: Final = (1, 1)
"""The usual weight. It is one object, as what is written leaves out what is the default itself."""


class ListOutcome(Struct, frozen=True, omit_defaults=True):
    """What became of the items of one list: what a run records of it.

    An item is *matched* when it is paired and everything that was measured in the pair matches; a pair that is not
    matched is one missing and one extra item.
    """

    path: str = msgspec.field(name="array")
    field: str
    """The list's place in the schema."""
    align: str
    """How its items were paired."""
    code: str
    """The reason code of the list as a whole."""
    matched: Count
    missing: Count
    extra: Count
    paired: Count
    pairs: tuple[tuple[int, int], ...]
    """The items that match, each by its index in the expected list and in the output's."""
    weight: tuple[Count, Positive] = ONE
    """An exact fraction."""
    alike: bool = False
    """No items are measured, and the place itself is right: both lists are empty but for what is skipped, both are null, or both
    are the same text."""
    extra_items: bool = False
    """Items that only the output has lower the score."""
    comparator: str | None = None
    """The metric that says of the whole list which items match, and has a result at the same path; None where items are compared."""
    pass_at: tuple[Count, Positive] = ONE
    """The score from which on it passes."""
    unmeasured: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    """The items in which nothing was measured, by their indexes in the expected list and in the output's. They are not counted."""
    notes: tuple[str, ...] = ()
    """What is worth saying of the keys that pair its items: items without one, or with that of another item."""
    expected: Any = MISSING
    actual: Any = MISSING
    row: Count = 0
    evaluator: str = ""
    """Both are said where it was recorded."""

    @property
    def surplus(self) -> int:
        """Items of the output without a partner."""
        return self.extra - (self.paired - self.matched)

    @property
    def score(self) -> Fraction:
        """The share of expected items that match; without expected items 1 where the sides are alike, else 0.

        Where the surplus counts, it is the share of the expected items and the surplus ones together.
        """
        return list_score(self.matched, self.missing, self.surplus if self.extra_items else 0, self.alike)

    @property
    def passed(self) -> bool:
        """The score is enough. It is 1 where every expected item matches, and where the surplus counts there is none."""
        return self.score >= Fraction(*self.pass_at)

    def says(self, result: Outcome) -> bool:
        """Whether a result at its own path, or below, is part of what it says: all but that of another metric of the list."""
        return self.comparator is None or result.path != self.path or result.details.get("metric") == self.comparator

    @property
    def items(self) -> Confusion:
        """The items as counts: a pair that does not match is one missing and one extra."""
        return Confusion(self.matched, 0, self.missing, self.extra)

    @property
    def precision(self) -> Fraction | None:
        """Matched among the items of the output; 0 where there are none, and some are missed."""
        return self.items.exact("precision")

    @property
    def recall(self) -> Fraction | None:
        """Matched among the expected items; 0 where there are none, and some are made up."""
        return self.items.exact("recall")

    @property
    def f1(self) -> Fraction | None:
        """Precision and recall in one metric."""
        return self.items.exact("f1")


class Scored(Struct, frozen=True):
    """The documents of one row, scored."""

    fields: tuple[Outcome, ...] = ()
    arrays: tuple[ListOutcome, ...] = ()
    """Every list in which something was measured, outer ones before inner ones."""
    outside: tuple[str, ...] = ()
    """The places that the expected side has and the schema lacks, each once. They are not scored."""
    problem: RowProblem | None = None
    """Why the row has no score: the first result that something else than the output kept from being measured."""


class Documents(Struct, frozen=True):
    """Every result of one row, beside the tree that scored it."""

    root: FieldNode
    scored: Scored


def list_score(matched: int, missed: int, surplus: int, alike: bool) -> Fraction:
    """The score of a list in the totals, `matched / (matched + missed + surplus)`; without items 1 where both sides are alike."""
    whole = matched + missed + surplus
    return Fraction(matched, whole) if whole else Fraction(int(alike))


def ratio_of(share: Fraction) -> tuple[int, int]:
    """An exact fraction as lists have it."""
    return ONE if share == 1 else share.as_integer_ratio()


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
