"""Arrays that are looked into, compiled."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

from evaluators.fields.align import UNIT_GAIN, Align, key_reader, pair_items
from evaluators.fields.compiled.coding import Coding
from evaluators.fields.compiled.unlike import unlike
from evaluators.fields.compiled.walker import CONTAINERS, Codes, Unit, Walker
from evaluators.fields.events import Credit, Event, Items
from evaluators.fields.tree import FieldNode
from evaluators.issues import RowProblem
from evaluators.model import MISSING, Status
from evaluators.values.assignment import Table
from evaluators.values.equality import same

Weigh: TypeAlias = Callable[[list[Any], list[Any]], Table | None]
"""The gains of all pairs at once; None where the items must be weighed pair by pair."""
Chosen: TypeAlias = tuple[list[tuple[int, int]], list[Codes] | None]
"""Pairs, with the codes of each where weighing them has made these already."""


def compile_array(
    coding: Coding, node: FieldNode, item: Walker, unit: Unit | None, weigh: Weigh | None, inside: bool
) -> Walker:
    """An array that is compared item by item. `unit` is the item where that is compared as one value."""
    code = {status: coding.static(node, status, inside) for status in Status}
    summed = _summary(coding, node, inside)
    pair = _pairing(coding, node.align, item, weigh)
    whole, measured = coding.whole_match, coding.measured
    in_order = node.align.how == "ordered"

    def full(expected: list[Any], output: list[Any], out: Codes) -> None:
        begin = len(out)
        if in_order and unit is not None and not unit.always:
            matched = _units_in_order(unit, expected, output, out)
            paired = min(len(expected), len(output))
        elif in_order:
            matched, paired = items_in_order(expected, output, out), min(len(expected), len(output))
        else:
            matched, paired = aligned(expected, output, out)
        if measured(out, begin):
            out.append(summed(matched, len(expected) - matched, len(output) - matched, paired))

    def scored(one: Any, other: Any, out: Codes) -> int:
        """Appends the codes of a pair of items. Whether the pair matches as a whole."""
        start = len(out)
        if one is other:
            item.equal(one, out)
        elif one.__class__ is other.__class__ is item.kind and one and other:
            item.full(one, other, out)  # type: ignore[misc]  # a walker with a kind has it
        else:
            item.both(one, other, out)
        return whole(out, start, one, other)

    shape = item.shape

    def plain(one: Any, other: Any, out: Codes) -> int:
        """The same, for items that are objects of units: those of one shape are compared here and now."""
        if one.__class__ is dict and other.__class__ is dict and one and other:
            names = tuple(one)
            if tuple(other) == names:
                known = shape(names)  # type: ignore[misc]  # asked only where there is one
                if known is not None and not known.inner:
                    codes = [
                        match
                        if value == actual and value.__class__ is actual.__class__ and value.__class__ not in CONTAINERS
                        else judge(value, actual)
                        for (match, judge), value, actual in zip(known.plan, one.values(), other.values(), strict=True)
                    ]
                    out += codes
                    return int(min(codes) > 0)
        return scored(one, other, out)

    score_item = scored if shape is None else plain

    def items_in_order(expected: list[Any], output: list[Any], out: Codes) -> int:
        matched = 0
        for one, other in zip(expected, output, strict=False):
            matched += score_item(one, other, out)
        for value in expected[len(output) :]:
            item.lost(value, out)
        for value in output[len(expected) :]:
            item.extra(value, out)
        return matched

    def aligned(expected: list[Any], output: list[Any], out: Codes) -> tuple[int, int]:
        pairs, codes = pair(expected, output)
        matched = 0
        for place, (row, column) in enumerate(pairs):
            if codes is None:
                matched += score_item(expected[row], output[column], out)
            else:
                start = len(out)
                out += codes[place]
                matched += whole(out, start, expected[row], output[column])
        if len(pairs) < len(expected):
            rows = {row for row, _ in pairs}
            for row, value in enumerate(expected):
                if row not in rows:
                    item.lost(value, out)
        if len(pairs) < len(output):
            columns = {column for _, column in pairs}
            for column, value in enumerate(output):
                if column not in columns:
                    item.extra(value, out)
        return matched, len(pairs)

    def equal(value: Any, out: Codes) -> None:
        if value.__class__ is not list or not value:
            out.append(code[Status.MATCH])
            out.append(summed(0, 0, 0, 0, right=True))
            return
        matched, begin = 0, len(out)
        for each in value:
            start = len(out)
            item.equal(each, out)
            matched += whole(out, start, each, each)
        if measured(out, begin):
            out.append(summed(matched, len(value) - matched, len(value) - matched, len(value)))

    def lost(value: Any, out: Codes) -> None:
        if value.__class__ is not list or not value:
            out.append(code[Status.OMISSION])
            out.append(summed(0, 0, 0, 0))
            return
        begin = len(out)
        for each in value:
            item.lost(each, out)
        if measured(out, begin):
            out.append(summed(0, len(value), 0, 0))

    def extra(value: Any, out: Codes) -> None:
        begin, spurious = len(out), 0
        if value.__class__ is list and value:
            spurious = len(value)
            for each in value:
                item.extra(each, out)
        elif value.__class__ is dict and value:
            coding.invented(node.path, value, out)
        else:
            out.append(code[Status.HALLUCINATION])
        if measured(out, begin):
            out.append(summed(0, 0, spurious, 0))

    def both(expected: Any, output: Any, out: Codes) -> None:
        if expected.__class__ is list and output.__class__ is list and (expected or output):
            if expected and output:
                full(expected, output, out)
            elif expected:
                lost(expected, out)
            else:
                extra(output, out)
        elif expected.__class__ is list and expected and output is not None and output is not MISSING:
            for each in expected:
                item.lost(each, out)
            out.append(code[Status.HALLUCINATION])
            out.append(summed(0, len(expected), 0, 0))
        elif found := unlike(expected, output, out, code, list, lost, extra):
            out.append(summed(0, 0, 0, 0, right=found == code[Status.MATCH]))

    return Walker(both, lost, extra, equal, list, full)


def _units_in_order(unit: Unit, expected: list[Any], output: list[Any], out: Codes) -> int:
    """Appends the codes of items that are compared as one value each. How many of them match."""
    match, omission, hallucination, judge, _ = unit
    codes = [
        match
        if value == actual and value.__class__ is actual.__class__ and value.__class__ not in CONTAINERS
        else judge(value, actual)
        for value, actual in zip(expected, output, strict=False)
    ]
    out += codes
    out += [omission] * (len(expected) - len(output))
    out += [hallucination] * (len(output) - len(expected))
    return sum([code > 0 for code in codes])


def _summary(coding: Coding, node: FieldNode, inside: bool) -> Callable[..., int]:
    """The code of what became of an array as a whole."""
    known: dict[tuple[int, int, int, int, bool], int] = {}
    weight = coding.weight(node.weight)

    def summed(matched: int, missed: int, spurious: int, paired: int, right: bool = False) -> int:
        key = (matched, missed, spurious, paired, right)
        found = known.get(key)
        if found is None:
            share = Fraction(matched, matched + missed) if matched + missed else Fraction(int(right))
            credits = () if inside else (Credit(weight, share.numerator, share.denominator, share == 1),)
            items = Items(matched, missed, spurious, paired)
            found = known[key] = coding.of(Event(node.name, Status.NOT_MEASURED, credits, not inside, items))
        return found

    return summed


def _pairing(coding: Coding, align: Align, item: Walker, weigh: Weigh | None) -> Callable[[list[Any], list[Any]], Chosen]:
    """Which items go together."""
    key = key_reader(align) if align.how == "key_field" else None

    def pair(expected: list[Any], output: list[Any]) -> Chosen:
        if key is not None and len(expected) == len(output):
            keys = [key(item) for item in expected]
            if None not in keys and keys == [key(item) for item in output]:
                return [(row, row) for row in range(len(keys))], None
        scored: dict[tuple[int, int], tuple[Codes, RowProblem | None]] = {}

        def gain(row: int, column: int) -> int:
            codes: Codes = []
            before, coding.problem = coding.problem, None
            item.both(expected[row], output[column], codes)
            scored[row, column] = codes, coding.problem
            coding.problem = before
            found = coding.gain(codes)
            return UNIT_GAIN * same(expected[row], output[column]) if found is None else found

        def table() -> Table:
            found = weigh(expected, output) if weigh is not None else None
            return found if found is not None else pairwise()

        def pairwise() -> Table:
            columns = range(len(output))
            return [[gain(row, column) for column in columns] for row in range(len(expected))]

        pairs = pair_items(align, expected, output, gain, table if weigh is not None else None).pairs
        if not all(each in scored for each in pairs):
            return pairs, None
        for each in pairs:
            coding.problem = coding.problem or scored[each][1]
        return pairs, [scored[each][0] for each in pairs]

    return pair
