"""The events that a row counts: of its results, or of its outcomes where post-processors or judges change these; and its empty values.

Rows with the same signature count the same, so that all of it is made once for them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Final, NamedTuple, TypeAlias

from evaluators.model.rows import FieldStatus, Outcome
from evaluators.scoring.fields.empty_values import (
    ALL_FIELDS,
    EMPTY,
    FILLED,
    LEFT_OUT,
    MADE_UP,
    NOTHING,
    EmptyValues,
    Field,
    InRow,
    add_rows,
    multiply_row,
)
from evaluators.scoring.fields.outcomes import (
    MEASURED,
    ListOutcome,
    Scored,
    is_entry,
    list_score,
    outermost_lists,
    share,
    unit_status,
)
from evaluators.scoring.fields.places import SKIP, UNIT, Place
from evaluators.scoring.fields.results import IS_MEASURED, MATCH, STATUS, Items, RowResults, Signature
from evaluators.scoring.fields.rules import Explained, Judged, Partial, status_of
from evaluators.scoring.fields.tree import FieldNode, nodes
from evaluators.scoring.values.numbers import exact_number
from evaluators.scoring.values.paths import Path

Number: TypeAlias = "int | Fraction"


class Credit(NamedTuple):
    """The credit of one metric: `num / den` of its weight, and whether that passes."""

    weight: Number
    num: int
    den: int
    passed: bool


class Event(NamedTuple):
    """An event at a place of the schema, such as a match."""

    path: str
    status: FieldStatus
    credits: tuple[Credit, ...] = ()
    """One per metric that was measured. The weights are whole numbers on one scale for the whole schema."""
    entry: bool = False
    """It is counted in the overall score and the field score."""
    items: Items | None = None
    """Of a list as a whole: how its items count. Such an event is no result."""
    outside: bool = False
    """The expected side has a key that the schema lacks. Not a result."""
    lacking: bool = False
    """The schema lacks the place."""


class Events:
    """The events of results, made once for each kind. `surplus_counts`: items that only the output has lower the score of a list."""

    def __init__(self, root: FieldNode, surplus_counts: bool) -> None:
        """Finds the scale of the weights in the tree of `root`."""
        weights = {node.weight for node in nodes(root, once=True)}
        weights |= {node.weight * metric.weight for node in nodes(root, once=True) for metric in node.metrics}
        self.scale = lcm(*{weight.denominator for weight in weights})
        """The number that makes all weights whole."""
        self.surplus_counts = surplus_counts
        self.known: dict[Hashable, Event] = {}
        """By place and status, or by a list with its items."""

    def of(self, signature: Signature, results: RowResults) -> list[Event]:
        """The events of a row: one per result, per list and per place outside the schema. Those that rows have in common are made once, and
        remembered in `known`."""
        events = []
        known = self.known
        for mark in signature.matched:
            event = known.get(mark.place)
            if event is None:
                event = known[mark.place] = self._result_event(mark.place, MATCH, ())
            events.append(event)
        for field in results.fields:
            if field.answers:
                events.append(self._result_event(field.at, field.status, field.answers))
                continue
            key = field.at, field.status, field.known_to is None
            event = known.get(key)
            if event is None:
                made = (
                    self._result_event(field.at, field.status, ())
                    if field.known_to is None
                    else self._extra_event(field.at.node)
                )
                event = known[key] = made
            events.append(event)
        for place, items, alike in signature.lists:
            listed = place, items, alike
            event = known.get(listed)
            if event is None:
                event = known[listed] = self._list_event(place, items, alike)
            events.append(event)
        for node, step in signature.outside:
            events.append(Event(Path((*node.path, step)).canonical, FieldStatus.NOT_MEASURED, outside=True, lacking=True))
        return events

    def _list_event(self, place: Place, items: Items, alike: bool) -> Event:
        """The event of a list as a whole. `alike`: both sides have no items, and match."""
        share = list_score(items.matched, items.missed, items.surplus if self.surplus_counts else 0, alike)
        weight = self._weight(place.node.weight)
        credits = () if place.inside else (Credit(weight, share.numerator, share.denominator, share == 1),)
        return Event(place.node.name, FieldStatus.NOT_MEASURED, credits, not place.inside, items)

    def _result_event(self, place: Place, status: int, answers: Sequence[Judged | Explained]) -> Event:
        """The event of a result, with what each metric gave; without `answers` all metrics say what its status says."""
        node = place.node
        if place.kind == SKIP:
            return Event(node.name, FieldStatus.SKIPPED)
        entry = not place.inside and (node.kind != "array" or node.unit)
        weights = [self._weight(node.weight * metric.weight) for metric in node.metrics] or [self._weight(node.weight)]
        judged = [
            judged_value.judged if isinstance(judged_value, Explained) else judged_value for judged_value in answers
        ] or [STATUS[status]] * len(weights)
        credits = []
        for weight, judged_value in zip(weights, judged, strict=True):
            answer = status_of(judged_value)
            if IS_MEASURED[answer.number]:
                share = (
                    Fraction(judged_value.num, judged_value.den)
                    if isinstance(judged_value, Partial)
                    else int(answer is FieldStatus.MATCH)
                )
                credits.append(Credit(weight, share.numerator, share.denominator, answer is FieldStatus.MATCH))
        return Event(node.name, STATUS[status], tuple(credits), entry)

    def _extra_event(self, node: FieldNode) -> Event:
        """The event of a value that only the output has where the schema lacks the place."""
        return Event(
            Path(node.path).canonical, FieldStatus.HALLUCINATION, (Credit(self.scale, 0, 1, False),), lacking=True
        )

    def _weight(self, weight: Fraction) -> int | Fraction:
        """A weight on the one scale of all weights: a whole number, but for places that a schema which refers to itself leads to late."""
        scaled = weight * self.scale
        return scaled.numerator if scaled.denominator == 1 else scaled


def events_of(scored: Scored) -> list[Event]:
    """The events of a row, from its outcomes: one per unit, per array and per place outside the schema. The metrics of one value are one
    unit. A list that a judge compares as a whole has an event for each item, too."""
    events = [Event(path, FieldStatus.NOT_MEASURED, outside=True) for path in scored.outside]
    outer, within = {array.path for array in outermost_lists(scored)}, {array.path: array for array in scored.arrays}
    # weights as whole numbers: all are multiplied by one common denominator
    exact = {weight: exact_number(weight) for weight in {result.weight for result in scored.fields}}
    scale = lcm(*(weight.denominator for weight in exact.values()), *{array.weight[1] for array in scored.arrays})
    scaled = {weight: int(number * scale) for weight, number in exact.items()}
    for array in scored.arrays:
        items = Items(array.matched, array.missing, array.extra, array.paired)
        score, entry = array.score, array.path in outer
        whole: tuple[Credit, ...] = ()
        if entry:
            whole = (
                Credit(array.weight[0] * scale // array.weight[1], score.numerator, score.denominator, array.passed),
            )
        events.append(Event(array.field, FieldStatus.NOT_MEASURED, whole, entry, items))
    units: dict[object, list[Outcome]] = {}
    for number, result in enumerate(scored.fields):
        judged = within.get(result.path)
        if judged is not None and judged.comparator is not None and judged.covers(result):
            events += _judged_list_events(judged, result, _outcome_credit(result, scaled))
        else:
            units.setdefault(result.path if "metric" in result.details else number, []).append(result)
    for results in units.values():
        statuses = [result.status for result in results]
        status = statuses[0] if len(statuses) == 1 else unit_status(statuses)
        measured = [result for result in results if result.status in MEASURED]
        credits = tuple(_outcome_credit(result, scaled) for result in measured)
        events.append(Event(results[0].place, status, credits, all(is_entry(result, within) for result in measured)))
    return events


def _judged_list_events(array: ListOutcome, result: Outcome, credit: Credit) -> list[Event]:
    """The events of a list that a judge compares as a whole: its credit once, and a status for each item.

    Where the output has no list, that is one hallucination beside the expected items, which are missing: as in any aligned list.
    """
    unlike = result.status is FieldStatus.MISMATCH and "matched" not in result.details
    items = array.matched + array.missing + array.extra
    if result.status is FieldStatus.ERROR or not items or (unlike and not array.missing):
        return [Event(result.place, result.status, (credit,))]
    extra = 1 if unlike else array.extra
    counted = zip(
        (FieldStatus.MATCH, FieldStatus.OMISSION, FieldStatus.HALLUCINATION),
        (array.matched, array.missing, extra),
        strict=True,
    )
    whole = Event(result.place, FieldStatus.NOT_MEASURED, (credit,))
    return [whole, *(Event(result.place, status) for status, count in counted for _ in range(count))]


def _outcome_credit(result: Outcome, scaled: Mapping[float, int]) -> Credit:
    """The credit of an outcome. `scaled` has the whole number of parts of each weight."""
    part = share(result)
    return Credit(scaled[result.weight], part.numerator, part.denominator, result.status is FieldStatus.MATCH)


_VALUES: Final = (FILLED, MADE_UP, LEFT_OUT, EMPTY, NOTHING)
"""How one value counts, by its emptiness (see `emptiness`)."""
Changes: TypeAlias = Sequence[tuple[InRow, tuple[Field, ...], int]]
"""(the values that each of some fields has in a row, these fields, 1; −1 takes them off)."""


def empties_of(signature: Signature, fields: Iterable[str]) -> Changes:
    """How the empty values of a row differ from those of a row in which both sides have a value of each of the `fields`.

    So a row in which nothing is empty has few changes. `fields` are those with one value in each row. A change is (the counts of a row,
    the fields that have them, 1 where the row is to be counted with them or -1 where it is not). The last one is that of all fields
    together.
    """
    values: dict[Field, InRow] = {}
    """Of fields with several values, or with one that is empty."""
    filled: set[Field] = set()
    """Fields with one value, which is empty on neither side."""
    counted = [(mark.place, mark.empty) for mark in signature.matched]
    counted += [(place, empty) for place, _, empty, _ in signature.fields]
    for place, empty in counted:
        if place.kind != UNIT:
            continue
        name, value = place.node.name, _VALUES[empty]
        if name in values:
            values[name] = add_rows(values[name], value)
        elif value is FILLED and not place.inside and name not in filled:
            filled.add(name)
        else:
            values[name] = add_rows(FILLED, value) if name in filled else value
            filled.discard(name)
    unlike = [name for name in fields if name not in filled]
    for absent in unlike:
        values.setdefault(absent, EMPTY)  # neither side has it
    whole = multiply_row(FILLED, len(filled))
    by_value: dict[InRow, list[Field]] = {}
    for field, value in values.items():
        whole = add_rows(whole, value)
        by_value.setdefault(value, []).append(field)
    changes: list[tuple[InRow, tuple[Field, ...], int]] = [(value, tuple(names), 1) for value, names in by_value.items()]
    if unlike:
        changes.append((FILLED, tuple(unlike), -1))
    if further := tuple(filled.difference(fields)):
        changes.append((FILLED, further, 1))
    return [*changes, (whole, (ALL_FIELDS,), 1)]


def empty_values_of(rows: Iterable[tuple[int, Changes]], fields: Sequence[str]) -> EmptyValues:
    """The empty values of rows by field, from how each row differs from one in which both sides have every value."""
    by_changes: dict[int, tuple[Changes, list[int]]] = {}
    for row, changes in rows:
        known = by_changes.get(id(changes))
        if known is None:
            known = by_changes[id(changes)] = changes, []
        known[1].append(row)
    together: dict[tuple[InRow, tuple[Field, ...], int], list[int]] = {}
    every: list[int] = []
    for changes, numbers in by_changes.values():
        every += numbers
        for change in changes:
            if change in together:
                together[change] += numbers
            else:
                together[change] = [*numbers]
    empty_values = EmptyValues([(FILLED, tuple(fields), every, 1)] if fields else [])
    empty_values.found += [(value, names, numbers, sign) for (value, names, sign), numbers in together.items()]
    return empty_values
