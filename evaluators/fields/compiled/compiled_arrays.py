"""Arrays that are looked into, compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from evaluators.fields.align import Align, Alike, pair_items
from evaluators.fields.compiled.coding import Coding
from evaluators.fields.compiled.unlike import bare, unlike
from evaluators.fields.compiled.walker import CONTAINERS, Codes, CompiledUnit, NotCompiled, Walker
from evaluators.fields.events import Credit, Event, Items
from evaluators.fields.gains import Worth, Worths, judged
from evaluators.fields.scored import list_score
from evaluators.fields.tree import FieldNode
from evaluators.issues import RowProblem
from evaluators.model import MISSING, Status
from evaluators.values.equality import same

Weigh: TypeAlias = Callable[[list[Any], list[Any]], "Worths | Alike | None"]
"""The worth of all pairs at once; None where the items must be weighed pair by pair."""
Plan: TypeAlias = tuple[tuple[int, Any], ...]
Chosen: TypeAlias = tuple[list[tuple[int, int]], list[Codes] | None]
"""Pairs, with the codes of each where weighing them has made these already."""


def compile_array(
    coding: Coding,
    node: FieldNode,
    item: Walker,
    unit: CompiledUnit | None,
    weigh: Weigh | None,
    inside: bool,
    transitive: bool = False,
    exact: bool = False,
) -> Walker:
    """An array that is compared item by item.

    `unit` is the item where that is compared as one value. `transitive` and `exact` are said of items by `columns`.
    """
    code = {status: coding.static(node, status, inside) for status in Status}
    summed = _summary(coding, node, inside)
    pair = _pairing(coding, node.align, item, weigh)
    whole, measured = coding.whole_match, coding.measured
    in_order = node.align.how == "ordered"
    freely = node.align.how == "hungarian" and node.align.at_least is None and transitive
    settled = in_list_order(item, exact) if freely else None
    same_keys = keys_in_order(node.align)

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
                    codes = _compared(known.plan, one, other)
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
        if len(output) > len(expected):
            surplus(output[len(expected) :], expected, out)
        return matched

    def surplus(values: list[Any], expected: list[Any], out: Codes) -> None:
        """Appends the codes of items of the output that have no partner.

        Keys that the schema lacks and some expected item has are not made up there. Raises Rare where there may be such.
        """
        start = len(out)
        for value in values:
            item.extra(value, out)
        if not coding.invented_codes.isdisjoint(out[start:]):
            probe: Codes = []
            for value in expected:
                item.lost(value, probe)
            if not coding.unscored_codes.isdisjoint(probe):
                raise NotCompiled

    def aligned(expected: list[Any], output: list[Any], out: Codes) -> tuple[int, int]:
        if same_keys is not None and same_keys(expected, output):
            return items_in_order(expected, output, out), len(expected)
        at_once = settled(expected, output) if settled is not None else None
        if at_once is not None:
            for each in at_once:
                out += each
            return sum([min(each) > 0 for each in at_once]), len(at_once)
        pairs, codes = pair(expected, output)
        matched = 0
        if codes is None and len(pairs) == len(expected) == len(output) and all(row == place for row, place in pairs):
            return items_in_order(expected, output, out), len(pairs)
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
            surplus([value for column, value in enumerate(output) if column not in columns], expected, out)
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
                bare(coding, output, out, None, extra)
        elif expected.__class__ is list and expected and output is not None and output is not MISSING:
            for each in expected:
                item.lost(each, out)
            out.append(code[Status.HALLUCINATION])
            out.append(summed(0, len(expected), 0, 0))
        elif found := unlike(coding, expected, output, out, code, list, lost, extra):
            out.append(summed(0, 0, 0, 0, right=found == code[Status.MATCH]))

    return Walker(both, lost, extra, equal, list, full)


def keys_in_order(align: Align) -> Callable[[list[Any], list[Any]], bool] | None:
    """Whether the items of two lists have the same keys in the same order, where that is quick to see; None where not.

    Items are paired by key first come, first served, so they are then paired in list order.
    """
    name = align.keys[0].steps[0] if align.how == "key_field" and len(align.keys) == 1 and align.keys[0].steps else None
    if not isinstance(name, str) or align.transforms or len(align.keys[0].steps) > 1:
        return None

    def in_order(expected: list[Any], output: list[Any]) -> bool:
        try:
            keys = [item[name] for item in expected]
            return keys == [item[name] for item in output] and all(key.__class__ is str for key in keys)
        except (KeyError, TypeError):
            return False

    return in_order


def in_list_order(item: Walker, exact: bool) -> Callable[[list[Any], list[Any]], list[Codes] | None]:
    """The codes of the pairs in list order, where that is the best pairing for sure; None where it may not be.

    Items that have the same keys and are compared by equality differ by a distance. So items that are equal in their
    places may stay there: whatever takes one of them out loses as much elsewhere (the triangle inequality). One item
    that is left then stays as well, and two stay unless they are better off changed. Ties are for list order. The same
    holds for complete pairs, and for equal ones: so a complete pair must be equal, too, which it is where the comparators
    are `exact`.
    """

    def settled(expected: list[Any], output: list[Any]) -> list[Codes] | None:
        if len(expected) != len(output) or item.shape is None:
            return None
        first = expected[0]
        known = item.shape(tuple(first)) if first.__class__ is dict else None
        if known is None or known.inner or not known.plan:
            return None
        names, plan = tuple(first), known.plan
        every: list[Codes] = []
        wrong: list[int] = []
        for one, other in zip(expected, output, strict=True):
            if one.__class__ is not dict or other.__class__ is not dict or tuple(one) != names or tuple(other) != names:
                return None
            codes = _compared(plan, one, other)
            if min(codes) < 0:
                wrong.append(len(every))
                if len(wrong) > 2 or max(codes) < 0:
                    return None
            elif not exact and not same(one, other):
                return None
            every.append(codes)
        if len(wrong) == 2:
            a, b = wrong
            changed = [_compared(plan, expected[a], output[b]), _compared(plan, expected[b], output[a])]
            if _agreement(changed) > _agreement([every[a], every[b]]):
                return None
        return every

    return settled


def _compared(plan: Plan, one: dict[str, Any], other: dict[str, Any]) -> Codes:
    """The codes of two objects of one shape."""
    return [
        match
        if value == actual and value.__class__ is actual.__class__ and value.__class__ not in CONTAINERS
        else judge(value, actual)
        for (match, judge), value, actual in zip(plan, one.values(), other.values(), strict=True)
    ]


def _agreement(pairs: list[Codes]) -> tuple[int, int]:
    """How many pairs are complete, and how many results match in all."""
    return sum([min(codes) > 0 for codes in pairs]), sum([code > 0 for codes in pairs for code in codes])


def _units_in_order(unit: CompiledUnit, expected: list[Any], output: list[Any], out: Codes) -> int:
    """Appends the codes of items that are compared as one value each. How many of them match."""
    match, omission, hallucination, judge, *_ = unit
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
            surplus = spurious - paired + matched if coding.surplus_counts else 0
            share = list_score(matched, missed, surplus, right)
            credits = () if inside else (Credit(weight, share.numerator, share.denominator, share == 1),)
            items = Items(matched, missed, spurious, paired)
            found = known[key] = coding.of(Event(node.name, Status.NOT_MEASURED, credits, not inside, items))
        return found

    return summed


def _pairing(coding: Coding, align: Align, item: Walker, weigh: Weigh | None) -> Callable[[list[Any], list[Any]], Chosen]:
    """Which items go together."""

    def pair(expected: list[Any], output: list[Any]) -> Chosen:
        scored: dict[tuple[int, int], tuple[Codes, RowProblem | None]] = {}

        def worth(row: int, column: int) -> Worth:
            codes: Codes = []
            before, coding.problem = coding.problem, None
            item.both(expected[row], output[column], codes)
            scored[row, column] = codes, coding.problem
            coding.problem = before
            found = coding.worth(codes)
            return judged(same(expected[row], output[column])) if found is None else found

        def table() -> Worths | Alike:
            found = weigh(expected, output) if weigh is not None else None
            return found if found is not None else pairwise()

        def pairwise() -> list[list[Worth]]:
            columns = range(len(output))
            return [[worth(row, column) for column in columns] for row in range(len(expected))]

        pairs = pair_items(align, expected, output, worth, table if weigh is not None else None).pairs
        if not all(each in scored for each in pairs):
            return pairs, None
        for each in pairs:
            coding.problem = coding.problem or scored[each][1]
        return pairs, [scored[each][0] for each in pairs]

    return pair
