"""What the results of a row are counted as: its signature, and the events, the lists and the empty values that this stands for.

Rows with the same signature come to the same, so that all of it is made once for them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Final, NamedTuple, TypeAlias

from evaluators.model.rows import FieldStatus
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
    added,
    empties,
    repeated,
)
from evaluators.scoring.fields.events import Credit, Event, Items
from evaluators.scoring.fields.places import EMPTY_KINDS, SKIP, UNIT, Mark, Place
from evaluators.scoring.fields.results import (
    IS_MEASURED,
    IS_WRONG,
    MATCH,
    STATUS,
    ListFound,
    RowResults,
)
from evaluators.scoring.fields.rules import Explained, Judged, Partial, status_of
from evaluators.scoring.fields.scored import list_score
from evaluators.scoring.fields.tree import FieldNode, nodes
from evaluators.scoring.values.paths import Path

_NOT_WRONG: Final = bytes(status for status in range(8) if not IS_WRONG[status])
_NOT_COUNTED: Final = bytes(status for status in range(8) if not (IS_WRONG[status] or IS_MEASURED[status]))
_NOT_MEASURED: Final = bytes(status for status in range(8) if not IS_MEASURED[status])
Counted: TypeAlias = tuple[Place, int, int, object]
"""A result, as it counts: its place, its status, what is empty (see `emptiness`), and something of its own where a metric said more."""
EITHER: Final = 4
"""Some right answers are empty and some are not, and so is the output."""


def emptiness(place: Place, e: Any, o: Any, absent: Sequence[Any]) -> int:
    """1 where the expected value is empty, 2 where the output's is, added up."""
    if place.as_result and e.__class__ is list and e:
        some = len(empties(e, absent))
        if 0 < some < len(e):
            return EITHER
        return (some > 0) + 2 * bool(empties((o,), absent))
    if absent:
        return bool(empties((e,), absent)) + 2 * bool(empties((o,), absent))
    return (not e and e.__class__ in EMPTY_KINDS) + 2 * (not o and o.__class__ in EMPTY_KINDS)


class Signature(NamedTuple):
    """What a row comes to: its matches, its other results, its lists, and places that the schema lacks."""

    matched: tuple[Mark, ...]
    found: tuple[Counted, ...]
    lists: tuple[tuple[Place, Items, bool], ...]
    outside: tuple[tuple[FieldNode, Any], ...]


def signature_of(results: RowResults, absent: Sequence[Any] = ()) -> Signature:
    """The signature of a row. Results with answers of their own have to be counted one by one."""
    plain = not absent
    found = [
        (
            one.at,
            one.status,
            0
            if plain and one.expected and one.output and not one.at.as_result
            else emptiness(one.at, one.expected, one.output, absent),
            object() if one.answers else None,
        )
        for one in results.found
    ]
    lists = []
    if results.lists:
        codes = bytes([each[1] for each in found])
        for each in results.lists:
            items = items_of(each, codes)
            if items is not None:
                lists.append((each.at, *items))
    return Signature(tuple(results.matched), tuple(found), tuple(lists), tuple(results.outside))


def items_of(listed: ListFound, codes: bytes) -> tuple[Items, bool] | None:
    """How the items of a list count, and whether both sides are alike without any; `codes` are the statuses of all results of its row.
    None where nothing in it was measured. An item in which nothing was measured does not count."""
    size, matches, first, last = len(listed.matches), listed.matches, listed.first, listed.last
    if first == last and not listed.extra and len(listed.pairs) == size and size:  # nothing but matches
        before = listed.first_match
        if before < matches[0] and listed.last_match == matches[-1] and (size == 1 or len({*matches}) == size):
            return Items(size, 0, 0, size), False
    if listed.last_match == listed.first_match and not codes[first:last].translate(None, _NOT_MEASURED):
        return None
    aside: set[int] = set()
    wrong: set[int] = set()
    had = listed.first_match
    for row, (has, last) in enumerate(zip(matches, listed.ends, strict=True)):
        here = codes[first:last]
        if (has == had and MATCH not in here) or here.translate(None, _NOT_WRONG):
            wrong.add(row)
            if has == had and not here.translate(None, _NOT_COUNTED):
                aside.add(row)
        had, first = has, last
    aside_too = sum([m == n and not codes[a:b].translate(None, _NOT_COUNTED) for _, m, a, n, b in listed.extra])
    pairs = listed.pairs
    if aside:
        pairs = [pair for pair in pairs if pair[0] not in aside]
    matched = sum([row not in wrong for row, _ in pairs]) if wrong else len(pairs)
    expected = size - len(aside)
    output = len(pairs) + len(listed.extra) - aside_too
    alike = not expected and not output and (listed.last_match > had or MATCH in codes[first : listed.last])
    return Items(matched, expected - matched, output - matched, len(pairs)), alike


class Events:
    """The events of results, made once for each kind. `surplus_counts`: items that only the output has lower the score of a list."""

    def __init__(self, root: FieldNode, surplus_counts: bool) -> None:
        weights = {node.weight for node in nodes(root, once=True)}
        weights |= {node.weight * metric.weight for node in nodes(root, once=True) for metric in node.metrics}
        self.scale = lcm(*{weight.denominator for weight in weights})
        """What makes weights whole numbers."""
        self.surplus_counts = surplus_counts
        self._known: dict[Hashable, Event] = {}

    def __len__(self) -> int:
        return len(self._known)

    def of(self, signature: Signature, results: RowResults) -> list[Event]:
        """What a row counts: an event per result, per list and per place outside the schema."""
        found = []
        known = self._known
        for mark in signature.matched:
            event = known.get(mark.place)
            if event is None:
                event = known[mark.place] = self._result(mark.place, MATCH, ())
            found.append(event)
        for one in results.found:
            if one.answers:
                found.append(self._result(one.at, one.status, one.answers))
                continue
            key = one.at, one.status, one.known_to is None
            event = known.get(key)
            if event is None:
                made = self._result(one.at, one.status, ()) if one.known_to is None else self._extra(one.at.node)
                event = known[key] = made
            found.append(event)
        for place, items, alike in signature.lists:
            listed = place, items, alike
            event = known.get(listed)
            if event is None:
                event = known[listed] = self._items(place, items, alike)
            found.append(event)
        for node, step in signature.outside:
            found.append(Event(Path((*node.path, step)).canonical, FieldStatus.NOT_MEASURED, outside=True, lacking=True))
        return found

    def _items(self, place: Place, items: Items, alike: bool) -> Event:
        share = list_score(items.matched, items.missed, items.surplus if self.surplus_counts else 0, alike)
        weight = self._weight(place.node.weight)
        credits = () if place.inside else (Credit(weight, share.numerator, share.denominator, share == 1),)
        return Event(place.node.name, FieldStatus.NOT_MEASURED, credits, not place.inside, items)

    def _result(self, place: Place, status: int, answers: Sequence[Judged | Explained]) -> Event:
        node = place.node
        if place.kind == SKIP:
            return Event(node.name, FieldStatus.SKIPPED)
        entry = not place.inside and (node.kind != "array" or node.unit)
        weights = [self._weight(node.weight * metric.weight) for metric in node.metrics] or [self._weight(node.weight)]
        said = [_judged(one) for one in answers] or [STATUS[status]] * len(weights)
        credits = [
            _credit(weight, one) for weight, one in zip(weights, said, strict=True) if IS_MEASURED[status_of(one).number]
        ]
        return Event(node.name, STATUS[status], tuple(credits), entry)

    def _extra(self, node: FieldNode) -> Event:
        return Event(
            Path(node.path).canonical, FieldStatus.HALLUCINATION, (Credit(self.scale, 0, 1, False),), lacking=True
        )

    def _weight(self, weight: Fraction) -> int | Fraction:
        """A weight, a whole number but at places that a schema which refers to itself leads to late."""
        scaled = weight * self.scale
        return scaled.numerator if scaled.denominator == 1 else scaled


def _judged(answer: Judged | Explained) -> Judged:
    return answer.judged if isinstance(answer, Explained) else answer


def _credit(weight: int | Fraction, found: Judged) -> Credit:
    if isinstance(found, Partial):
        share = Fraction(found.num, found.den)
        return Credit(weight, share.numerator, share.denominator, found.status is FieldStatus.MATCH)
    return Credit(weight, int(found is FieldStatus.MATCH), 1, found is FieldStatus.MATCH)


_VALUES: Final = (FILLED, MADE_UP, LEFT_OUT, EMPTY, NOTHING)
"""What one value comes to, by its emptiness."""
Changes: TypeAlias = Sequence[tuple[InRow, tuple[Field, ...], int]]
"""(what each of some fields comes to, these fields, 1 or −1)."""


def empties_of(signature: Signature, fields: Iterable[str]) -> Changes:
    """How the values of a row differ from one in which each of the `fields`, which have one value in each row, is there on both sides."""
    mine: dict[Field, InRow] = {}
    plain: set[Field] = set()
    counted = [(mark.place, mark.empty) for mark in signature.matched]
    counted += [(place, empty) for place, _, empty, _ in signature.found]
    for place, empty in counted:
        if place.kind != UNIT:
            continue
        name, value = place.node.name, _VALUES[empty]
        if name in mine:
            mine[name] = added(mine[name], value)
        elif value is FILLED and not place.inside and name not in plain:
            plain.add(name)
        else:
            mine[name] = added(FILLED, value) if name in plain else value
            plain.discard(name)
    whole = repeated(FILLED, len(plain))
    usual, lacking = list[Field](), list[Field]()
    for name in fields:
        if name not in plain:
            usual.append(name)
            if name not in mine:
                lacking.append(name)
    mine |= dict.fromkeys(lacking, EMPTY)
    beside = tuple(plain.difference(fields))
    found: dict[InRow, list[Field]] = {}
    for each, value in mine.items():
        whole = added(whole, value)
        found.setdefault(value, []).append(each)
    changes: list[tuple[InRow, tuple[Field, ...], int]] = [(value, tuple(names), 1) for value, names in found.items()]
    if usual:
        changes.append((FILLED, tuple(usual), -1))
    if beside:
        changes.append((FILLED, beside, 1))
    return [*changes, (whole, (ALL_FIELDS,), 1)]


def empty_values_of(rows: Iterable[tuple[int, Changes]], fields: Sequence[str]) -> EmptyValues:
    """What the fields of rows come to, from how each differs from one in which everything is there."""
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
    made = EmptyValues([(FILLED, tuple(fields), every, 1)] if fields else [])
    made.found += [(value, names, numbers, sign) for (value, names, sign), numbers in together.items()]
    return made
