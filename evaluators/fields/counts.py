"""The figures of scored documents, as exact fractions.

A figure without a denominator is None only where nothing was there to score. It is 0 where anything went wrong; where all
that was there is right and weighs nothing, it is 1.

Precision, recall and F1 are over statuses: a unit that several metrics compare counts once. The mean score is over
results, with their weights. The totals of extract-bench are over *entries*: what stands outside of arrays, and each
outermost array as a whole.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from evaluators.fields.instance_paths import places_above
from evaluators.fields.scored import ArrayResult, Scored
from evaluators.model import FieldResult, Status
from evaluators.value_class import NamedTuple
from evaluators.values.confusion import Confusion
from evaluators.values.numbers import written

FIGURES: Final = ("precision", "recall", "f1", "mean_score", "overall_score", "field_score", "overall_pass_rate")
"""The figures of a row, in the order of `row_figures`."""
MEASURED: Final = frozenset((Status.MATCH, Status.MISMATCH, Status.OMISSION, Status.HALLUCINATION, Status.ERROR))
NOTHING: Final = Fraction(0)
WHOLE: Final = Fraction(1)
_PLAIN: Final = {0.0: NOTHING, 1.0: WHOLE}


class Tallied(NamedTuple):
    """How many units came to each status. Errors that the output caused are mismatches."""

    match: int = 0
    mismatch: int = 0
    omission: int = 0
    hallucination: int = 0

    @property
    def wrong(self) -> int:
        """What is not a match."""
        return self.mismatch + self.omission + self.hallucination

    @property
    def measured(self) -> int:
        """Everything that was measured."""
        return self.match + self.wrong

    @property
    def precision(self) -> Fraction | None:
        """Matches among what the output gave."""
        return Confusion(*self).exact("precision")

    @property
    def recall(self) -> Fraction | None:
        """Matches among what was expected."""
        return Confusion(*self).exact("recall")

    @property
    def f1(self) -> Fraction | None:
        """Precision and recall in one figure."""
        return Confusion(*self).exact("f1")

    def settled(self, figure: Fraction | None) -> Fraction | None:
        """A figure of these results: one that has nothing to divide by is undefined only where nothing was measured."""
        if figure is not None or not self.measured:
            return figure
        return NOTHING if self.wrong else WHOLE


class Entry(NamedTuple):
    """One thing that the totals of extract-bench count."""

    score: Fraction
    passed: bool
    weight: Fraction
    """Its weight in the field score."""
    items: int = 1
    """How many times as much it weighs in the overall score."""


def tallied(statuses: Iterable[tuple[Hashable | None, Status]]) -> Tallied:
    """The counts of results. Those with the same key are metrics of one unit; a key of None stands alone."""
    units: dict[Hashable, list[Status]] = {}
    for number, (key, status) in enumerate(statuses):
        units.setdefault((number,) if key is None else (key, "unit"), []).append(status)
    counts = [0] * len(Status)
    for each in units.values():
        counts[each[0] if len(each) == 1 else of_unit(each)] += 1
    return Tallied(
        counts[Status.MATCH],
        counts[Status.MISMATCH] + counts[Status.ERROR],
        counts[Status.OMISSION],
        counts[Status.HALLUCINATION],
    )


def of_unit(statuses: Iterable[Status]) -> Status:
    """The status of a unit with several metrics: a match when every one of them that measured something matches."""
    kinds = set(statuses)
    for first in (Status.FAULT, Status.ERROR):
        if first in kinds:
            return first
    kinds &= MEASURED
    if not kinds:
        return Status.SKIPPED
    return kinds.pop() if len(kinds) == 1 else Status.MISMATCH


def counted(results: Iterable[FieldResult]) -> Tallied:
    """The counts of the results of one row."""
    return tallied((result.path if "metric" in result.details else None, result.status) for result in results)


def share(result: FieldResult) -> Fraction:
    """What a measured result earned of its weight, exactly."""
    ratio = result.details.get("ratio")
    if isinstance(ratio, tuple):
        return Fraction(*ratio)
    return _exact(result.score or 0.0)


def mean_score(results: Iterable[FieldResult]) -> Fraction | None:
    """The weighted mean of the scores of all measured results."""
    return _mean([(share(result), _exact(result.weight)) for result in results if result.status in MEASURED])


def entries(scored: Scored) -> list[Entry]:
    """What the totals of extract-bench count: an outermost array once, and every measured result outside of arrays.

    A key that the schema lacks is no entry.
    """
    found = [
        Entry(array.score, array.passed, array.weight, max(1, array.matched + array.missing))
        for array in outermost(scored)
    ]
    within = {array.path: array for array in scored.arrays}
    found += [
        Entry(share(result), result.status is Status.MATCH, _exact(result.weight))
        for result in scored.fields
        if result.status in MEASURED and is_entry(result, within)
    ]
    return found


def is_entry(result: FieldResult, arrays: Mapping[str, ArrayResult]) -> bool:
    """Whether the totals count a result for itself: the schema knows it, and none of these arrays, by path, says it."""
    if result.details.get("outside"):
        return False
    return not any(place in arrays and arrays[place].says(result) for place in places_above(result.path))


def surplus_items(scored: Scored) -> int:
    """The items of outermost arrays that only the output has, where any are expected: an array of nothing else scores 0."""
    return sum(array.surplus for array in outermost(scored) if array.matched + array.missing)


def outermost(scored: Scored) -> list[ArrayResult]:
    """The arrays that stand in no other one."""
    paths = {array.path for array in scored.arrays}
    return [
        array
        for array in scored.arrays
        if not any(place in paths and place != array.path for place in places_above(array.path))
    ]


def overall_score(found: Sequence[Entry]) -> Fraction | None:
    """The mean over entries, in which an array weighs as much as it has expected items."""
    return _mean([(entry.score, entry.weight * entry.items) for entry in found])


def field_score(found: Sequence[Entry]) -> Fraction | None:
    """The mean over entries, in which an array weighs as much as any field."""
    return _mean([(entry.score, entry.weight) for entry in found])


def overall_pass_rate(found: Sequence[Entry]) -> Fraction | None:
    """The share of entries that pass."""
    return _share(sum(entry.passed for entry in found), len(found))


def row_figures(scored: Scored) -> tuple[tuple[int, int], ...]:
    """One exact fraction for each of FIGURES; (0, 0) where it is undefined, and everywhere in a row without a score."""
    if scored.problem is not None:
        return ((0, 0),) * len(FIGURES)
    counts, found = counted(scored.fields), entries(scored)
    figures = (
        counts.precision, counts.recall, counts.f1,
        mean_score(scored.fields), overall_score(found), field_score(found), overall_pass_rate(found),
    )  # fmt: skip
    return tuple((0, 0) if figure is None else figure.as_integer_ratio() for figure in map(counts.settled, figures))


def _mean(weighted: Sequence[tuple[Fraction, Fraction]]) -> Fraction | None:
    """The weighted mean of (score, weight). Added up in whole numbers, one sum per denominator: few ever differ."""
    earned: dict[int, int] = {}
    whole: dict[int, int] = {}
    for score, weight in weighted:
        num, den = weight.numerator, weight.denominator
        whole[den] = whole.get(den, 0) + num
        den *= score.denominator
        earned[den] = earned.get(den, 0) + num * score.numerator
    total = _summed(whole)
    return _summed(earned) / total if total else None


def _summed(sums: Mapping[int, int]) -> Fraction:
    return sum((Fraction(num, den) for den, num in sums.items()), Fraction(0))


def _exact(number: float) -> Fraction:
    """The number as it is written. Almost all are 0 or 1."""
    found = _PLAIN.get(number)
    return written(number) if found is None else found


def _share(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None
