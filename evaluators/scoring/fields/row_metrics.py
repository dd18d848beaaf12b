"""The metrics of a row, and the counts by path over many rows, made of the events of rows.

Precision, recall and F1 are over statuses: a unit that several metrics compare counts once. The mean score is over results,
with their weights. The totals of extract-bench are over entries (see `outcomes`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import lcm
from typing import Final, NamedTuple, TypeAlias

from evaluators.model.rows import FieldStatus
from evaluators.scoring.fields.events import Event, Number
from evaluators.scoring.fields.outcomes import MEASURED, WRONG, joint_status
from evaluators.scoring.fields.row_checks import (
    CREDIT,
    ERRORS,
    EVALUATED,
    FAULTS,
    MATCHED,
    MISSED,
    OUTSIDE,
    PAIRED,
    PASSED,
    SKIPPED,
    SPURIOUS,
    Detail,
)
from evaluators.scoring.values.confusion import Confusion

METRICS: Final = (
    "mean_precision", "mean_recall", "mean_f1", "mean_field_score", "overall_score", "field_score", "overall_pass_rate",
)  # fmt: skip
"""The metrics of a row, by the names that their means have."""
UNDEFINED: Final = (0, 0)
ZERO: Final = (0, 1)
WHOLE: Final = (1, 1)
Ratio = tuple[int, int]
Counts = tuple[int, int, int, int]
Share: TypeAlias = tuple[Number, int, int]
"""A weight, and the fraction of it that was earned: (weight, num, den)."""
Totals: TypeAlias = "Counter[tuple[str, str | int, int]]"
"""Counts by path: those of each status, by its place among four, and a `Detail` for all else."""


class RowMetrics(NamedTuple):
    """The metrics of one row: counts of results, and one exact fraction for each of METRICS."""

    counts: Counts
    metrics: tuple[Ratio, ...]
    surplus: int = 0
    """The items of outermost lists that only the output has, where any are expected: a list of nothing else scores 0."""
    required_failed: bool = False
    """A required place was measured, and does not match."""


def row_metrics(events: Iterable[Event], required: Collection[str] = ()) -> RowMetrics:
    """The metrics of the events of one row. `required` are the places that have to match.

    A metric that has nothing to divide by is undefined only where nothing was measured; it is 0 where anything went wrong, and
    else 1. Where all that was measured weighs 0, nothing counts: then it is undefined, or 0 where a required place does not match.

    Precision, recall and F1 are over statuses, errors among the mismatches (see `Confusion`); the two totals are as
    extract-bench defines them: the overall score weighs an array by its expected items, at least one, the field score does
    not. Items too many are counted where some are expected; a list that expects none scores 0 as it is.
    """
    statuses: list[FieldStatus] = []
    shares, entry_shares, item_shares = list[Share](), list[Share](), list[Share]()
    passed = entries = surplus = results = 0
    earned: Number = 0
    whole: Number = 0
    entries_earned: Number = 0
    entries_whole: Number = 0
    failed = False
    for path, status, credits, entry, items, outside, _ in events:
        if outside:
            continue
        if path in required:
            failed |= status in WRONG or (items is not None and bool(items.missed or items.spurious))
        if items is None:
            results += len(credits)
            statuses.append(status)
            if len(credits) == 1 and credits[0][2] == 1:  # almost all are: one metric, all or nothing
                weight, num, _, good = credits[0]
                whole += weight
                earned += weight * num
                if entry:
                    entries_whole += weight
                    entries_earned += weight * num
                    passed += good
                    entries += 1
                continue
            shares += [(weight, num, den) for weight, num, den, _ in credits]
        if entry:
            times = 1
            if items is not None:
                expected = items.matched + items.missed
                times = max(1, expected)
                surplus += items.surplus if expected else 0
            for weight, num, den, good in credits:
                entry_shares.append((weight, num, den))
                item_shares.append((weight * times, num, den))
                passed += good
                entries += 1
    mean_field_score = weighted_mean(shares, earned, whole)
    overall_score = weighted_mean(item_shares, entries_earned, entries_whole)
    field_score = weighted_mean(entry_shares, entries_earned, entries_whole)
    counted = _counts(statuses)
    counts = Confusion(*counted)
    of_results = (counts.sums("precision"), counts.sums("recall"), counts.sums("f1"), mean_field_score)
    of_entries = (overall_score, field_score, (passed, entries))
    otherwise = ZERO if counts.measured > counts.right else WHOLE if counts.right else UNDEFINED
    if results and not mean_field_score[1]:
        otherwise = ZERO if failed else UNDEFINED
        of_results = (UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED)
    if entries and not field_score[1]:
        of_entries = (UNDEFINED, UNDEFINED, UNDEFINED)
    metrics = tuple([each if each[1] else otherwise for each in (*of_results, *of_entries)])
    return RowMetrics(counted, metrics, surplus, failed)


def row_fields(events: Iterable[Event], places: Mapping[str, int]) -> tuple[bytes, tuple[int, ...]]:
    """(statuses, counts) of the fields of a row. `statuses` has a byte for each field, the number of the status of all its values together:
    a match when every one of them matches. `counts` has three numbers for each field with several measured values, one after the other:
    its place, and how many of them are right and measured. Of any other field the status says as much.

    `places` numbers the fields from 0; what is not among them is left out.
    """
    values, counted = list[int](), list[int]()
    for index, statuses in enumerate(_statuses_by_field(events, places)):
        if len(statuses) < 2:
            counted.append(statuses[0].number if statuses else FieldStatus.NOT_MEASURED.number)
            continue
        counted.append(joint_status(statuses).number)
        measured = sum([status in MEASURED for status in statuses])
        if measured > 1:
            values += index, sum([status is FieldStatus.MATCH for status in statuses]), measured
    return bytes(counted), tuple(values)


def row_counts(events: Iterable[Event], places: Mapping[str, int]) -> tuple[Counts, ...]:
    """(match, mismatch, omission, hallucination) of each field of one row; `places` numbers the fields from 0."""
    return tuple(map(_counts, _statuses_by_field(events, places)))


def _statuses_by_field(events: Iterable[Event], places: Mapping[str, int]) -> list[list[FieldStatus]]:
    """For each field, in the order of its number in `places`, the statuses of its results."""
    statuses: list[list[FieldStatus]] = [[] for _ in places]
    for event in events:
        place = places.get(event.path)
        if place is not None and event.items is None and not event.outside:
            statuses[place].append(event.status)
    return statuses


def _counts(statuses: Sequence[FieldStatus]) -> Counts:
    """(match, mismatch, omission, hallucination) of some statuses; an error is a mismatch."""
    counts = [0, 0, 0, 0]
    for place in map(_PLACES.get, statuses):
        if place is not None:
            counts[place] += 1
    right, wrong, lost, extra = counts
    return right, wrong, lost, extra


def weighted_mean(shares: Sequence[Share], earned: Number = 0, whole: Number = 0) -> Ratio:
    """The weighted mean of some shares as (numerator, denominator), exactly; the denominator is 0 where all weights are 0. Beside the
    shares, `earned` of the weight `whole` was earned by what earns all or nothing."""
    common = lcm(*[den for _, _, den in shares]) if shares else 1
    num = earned * common + sum([weight * num * (common // den) for weight, num, den in shares])
    den = (whole + sum([weight for weight, _, _ in shares])) * common
    # weights of places that a schema which refers to itself leads to late may be parts of a whole number
    parts = 1 if num.denominator == den.denominator == 1 else lcm(num.denominator, den.denominator)
    return int(num * parts), int(den * parts)


def add_totals(totals: Totals, rows: Iterable[tuple[Iterable[Event], int]]) -> None:
    """Adds to `totals` the counts by path of rows. `rows` has the events of rows that are alike, each with how many rows that are.

    A place outside the schema counts once in a row.
    """
    times: dict[Event, int] = {}
    for events, count in rows:
        outside: set[Event] = set()
        for event in events:
            if event.outside:
                outside.add(event)
            else:
                times[event] = times.get(event, 0) + count
        for event in outside:
            times[event] = times.get(event, 0) + count
    for event, count in times.items():
        place = _PLACES.get(event.status)
        if place is not None and event.items is None and not event.outside:
            totals[event.path, place, 1] += count
        for key, each in _details(event):
            totals[key] += each * count


_PLACES: Final[Mapping[FieldStatus, int]] = {
    FieldStatus.MATCH: 0, FieldStatus.MISMATCH: 1, FieldStatus.ERROR: 1, FieldStatus.OMISSION: 2, FieldStatus.HALLUCINATION: 3,
}  # fmt: skip
_KINDS: Final[Mapping[FieldStatus, str]] = {
    FieldStatus.ERROR: ERRORS,
    FieldStatus.NOT_JUDGED: FAULTS,
    FieldStatus.SKIPPED: SKIPPED,
}


def _details(event: Event) -> Iterable[tuple[Detail, int]]:
    """Yields (key, count) of what an event adds to the counts by path, beside its status. Under CREDIT that is by how much its credits
    differ from what the status alone is worth: 1 for a match, else 0."""
    if event.outside:
        yield (event.path, OUTSIDE, 1), 1
        return
    if event.entry and event.credits:
        yield (event.path, EVALUATED, 1), len(event.credits)
        if passed := sum([credit.passed for credit in event.credits]):
            yield (event.path, PASSED, 1), passed
    if event.items is not None:
        for kind, count in zip((MATCHED, MISSED, SPURIOUS, PAIRED), event.items, strict=True):
            if count:
                yield (event.path, kind, 1), count
        return
    if event.status in _KINDS:
        yield (event.path, _KINDS[event.status], 1), 1
    if event.status is FieldStatus.NOT_MEASURED:
        return  # a list whose items are counted one by one
    num, den = weighted_mean([credit[:3] for credit in event.credits])
    if den and event.status is FieldStatus.MATCH:
        num -= den
    if den and num:
        yield (event.path, CREDIT, den), num
