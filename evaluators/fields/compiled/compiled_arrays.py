"""Arrays that are looked into, compiled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from evaluators.fields.align import Align
from evaluators.fields.compiled.coding import Coding
from evaluators.fields.compiled.unlike import bare, unlike
from evaluators.fields.compiled.walker import CONTAINERS, Codes, CompiledUnit, NotCompiled, One, Walker
from evaluators.fields.events import Credit, Event, Items
from evaluators.fields.gains import Worth, Worths, judged
from evaluators.fields.marks import leaves_of_node
from evaluators.fields.pair import Alike, pair_items
from evaluators.fields.scored import list_score
from evaluators.fields.tree import FieldNode
from evaluators.issues import Blame, RowProblem
from evaluators.model import MISSING, Status
from evaluators.values.equality import same

Weigh: TypeAlias = Callable[[list[Any], list[Any], bool], "Worths | Alike | None"]
"""The worth of all pairs at once (True: without looking at all of them); None where the items must be weighed pair by pair."""
Plan: TypeAlias = tuple[tuple[int, Any], ...]
Chosen: TypeAlias = tuple[list[tuple[int, int]], list[Codes] | None]
"""Pairs, with the codes of each where weighing them has made these already."""


class ArrayWalker:
    """An array that is compared item by item: what `Walker` asks of a node, each in its own method.

    How its items are paired is decided once, here: `paired` is the method that does it.
    """

    __slots__ = (
        "best_in_order", "code", "coding", "item", "measured", "node", "pair", "paired", "same_keys", "score_item",
        "shape", "summed", "unit", "whole",
    )  # fmt: skip

    def __init__(
        self,
        coding: Coding,
        node: FieldNode,
        item: Walker,
        unit: CompiledUnit | None,
        weigh: Weigh | None,
        inside: bool,
        transitive: bool = False,
        exact: bool = False,
    ) -> None:
        """`unit` is the item where that is compared as one value; `transitive` and `exact` are said of items by `columns`."""
        align = node.align
        freely = align.how == "hungarian" and align.at_least is None and transitive
        self.coding, self.node, self.item, self.unit, self.shape = coding, node, item, unit, item.shape
        self.whole, self.measured = coding.whole_match, coding.measured
        self.code = {status: coding.static(node, status, inside) for status in Status}
        self.summed = _summary(coding, node, inside)
        self.pair = _pairing(coding, align, item, weigh, node)
        self.same_keys = keys_in_order(align)
        self.best_in_order = in_list_order(item, exact) if freely else None
        self.score_item = self.scored if item.shape is None else self.plain
        if align.how != "ordered":
            self.paired = self.aligned
        else:
            self.paired = self.units_in_order if unit is not None and not unit.always else self.in_order

    def walker(self) -> Walker:
        """The functions of the node."""
        return Walker(self.both, self.lost, self.extra, self.equal, list, self.full)

    def full(self, expected: list[Any], output: list[Any], out: Codes) -> None:
        """Two lists with something in each."""
        begin, before = len(out), self.coding.unmeasured_items
        matched, paired = self.paired(expected, output, out)
        if self.counts(out, begin, before):
            out.append(self.summed(matched, len(expected) - matched, len(output) - matched, paired))

    def counts(self, out: Codes, begin: int, before: int) -> bool:
        """Whether anything was measured in the array. Raises NotCompiled where that is so of some items only."""
        found = self.measured(out, begin)
        if found and self.coding.unmeasured_items != before:
            raise NotCompiled
        self.coding.unmeasured_items = before
        return found

    def one_side(self, items: list[Any], out: Codes, walk: One) -> None:
        """Appends the codes of items that one side lacks."""
        for each in items:
            start = len(out)
            walk(each, out)
            if self.unit is None and not self.measured(out, start):
                self.coding.unmeasured_items += 1

    def both(self, expected: Any, output: Any, out: Codes) -> None:
        """Two sides at the same place, either of which may be MISSING."""
        code, summed = self.code, self.summed
        if expected.__class__ is list and output.__class__ is list and (expected or output):
            if expected and output:
                self.full(expected, output, out)
            elif expected:
                self.lost(expected, out)
            else:
                bare(self.coding, output, out, None, self.extra)
        elif expected.__class__ is list and expected and output is not None and output is not MISSING:
            before = self.coding.unmeasured_items
            self.one_side(expected, out, self.item.lost)
            out.append(code[Status.HALLUCINATION])
            if self.coding.unmeasured_items != before:
                raise NotCompiled
            out.append(summed(0, len(expected), 0, 0))
        elif found := unlike(self.coding, expected, output, out, code, list, self.lost, self.extra):
            out.append(summed(0, 0, 0, 0, right=found == code[Status.MATCH]))

    def equal(self, value: Any, out: Codes) -> None:
        """A value that equals its counterpart."""
        if value.__class__ is not list or not value:
            out.append(self.code[Status.MATCH])
            out.append(self.summed(0, 0, 0, 0, right=True))
            return
        matched, begin, before, item, whole = 0, len(out), self.coding.unmeasured_items, self.item, self.whole
        for each in value:
            start = len(out)
            item.equal(each, out)
            matched += whole(out, start)
        if self.counts(out, begin, before):
            out.append(self.summed(matched, len(value) - matched, len(value) - matched, len(value)))

    def lost(self, value: Any, out: Codes) -> None:
        """What only the expected side has."""
        if value.__class__ is not list or not value:
            out.append(self.code[Status.OMISSION])
            out.append(self.summed(0, 0, 0, 0))
            return
        begin, before = len(out), self.coding.unmeasured_items
        self.one_side(value, out, self.item.lost)
        if self.counts(out, begin, before):
            out.append(self.summed(0, len(value), 0, 0))

    def extra(self, value: Any, out: Codes) -> None:
        """What only the output has."""
        begin, before, spurious = len(out), self.coding.unmeasured_items, 0
        if value.__class__ is list and value:
            spurious = len(value)
            self.one_side(value, out, self.item.extra)
        elif value.__class__ is dict and value:
            self.coding.invented(self.node.path, value, out)
        else:
            out.append(self.code[Status.HALLUCINATION])
        if self.counts(out, begin, before):
            out.append(self.summed(0, 0, spurious, 0))

    # How items are paired. Each gives how many pairs match as a whole, and how many there are.

    def units_in_order(self, expected: list[Any], output: list[Any], out: Codes) -> tuple[int, int]:
        """Items that are compared as one value, in list order."""
        match, omission, hallucination, judge, *_ = self.unit  # type: ignore[misc]  # chosen only where there is one
        codes = [
            match
            if value == actual and value.__class__ is actual.__class__ and value.__class__ not in CONTAINERS
            else judge(value, actual)
            for value, actual in zip(expected, output, strict=False)
        ]
        matched, paired = sum([code > 0 for code in codes]), len(codes)
        out += codes
        out += [omission] * (len(expected) - paired)
        out += [hallucination] * (len(output) - paired)
        return matched, paired

    def in_order(self, expected: list[Any], output: list[Any], out: Codes) -> tuple[int, int]:
        """Items in list order."""
        matched, score_item = 0, self.score_item
        for one, other in zip(expected, output, strict=False):
            matched += score_item(one, other, out)
        self.one_side(expected[len(output) :], out, self.item.lost)
        if len(output) > len(expected):
            self.surplus(output[len(expected) :], expected, out)
        return matched, min(len(expected), len(output))

    def aligned(self, expected: list[Any], output: list[Any], out: Codes) -> tuple[int, int]:
        """Items that are paired by an alignment."""
        if self.same_keys is not None and self.same_keys(expected, output):
            return self.in_order(expected, output, out)
        at_once = self.best_in_order(expected, output) if self.best_in_order is not None else None
        if at_once is not None:
            for each in at_once:
                out += each
            return sum([min(each) > 0 for each in at_once]), len(at_once)
        pairs, codes = self.pair(expected, output)
        if codes is None and len(pairs) == len(expected) == len(output) and all(row == place for row, place in pairs):
            return self.in_order(expected, output, out)
        return self.by_pairs(pairs, codes, expected, output, out), len(pairs)

    def by_pairs(
        self,
        pairs: list[tuple[int, int]],
        codes: list[Codes] | None,
        expected: list[Any],
        output: list[Any],
        out: Codes,
    ) -> int:
        """Appends the codes of pairs and of what either list has left over. How many of the pairs match as a whole."""
        matched = 0
        for place, (row, column) in enumerate(pairs):
            if codes is None:
                matched += self.score_item(expected[row], output[column], out)
            else:
                start = len(out)
                out += codes[place]
                matched += self.whole(out, start)
        if len(pairs) < len(expected):
            rows = {row for row, _ in pairs}
            self.one_side([value for row, value in enumerate(expected) if row not in rows], out, self.item.lost)
        if len(pairs) < len(output):
            columns = {column for _, column in pairs}
            self.surplus([value for column, value in enumerate(output) if column not in columns], expected, out)
        return matched

    # Items

    def scored(self, one: Any, other: Any, out: Codes) -> int:
        """Appends the codes of a pair of items. Whether the pair matches as a whole."""
        start, item = len(out), self.item
        if one is other:
            item.equal(one, out)
        elif one.__class__ is other.__class__ is item.kind and one and other:
            item.full(one, other, out)  # type: ignore[misc]  # a walker with a kind has it
        else:
            item.both(one, other, out)
        return self.whole(out, start)

    def plain(self, one: Any, other: Any, out: Codes) -> int:
        """The same, for items that are objects of units: those of one shape are compared here and now."""
        if one.__class__ is dict and other.__class__ is dict and one and other:
            names = tuple(one)
            if tuple(other) == names:
                known = self.shape(names)  # type: ignore[misc]  # asked only where there is one
                if known is not None and not known.inner:
                    codes = _compared(known.plan, one, other)
                    out += codes
                    return int(min(codes) > 0)
        return self.scored(one, other, out)

    def surplus(self, values: list[Any], expected: list[Any], out: Codes) -> None:
        """Appends the codes of items of the output that have no partner.

        Keys that the schema lacks and some expected item has are not made up there. Raises NotCompiled where there may be
        such.
        """
        start, coding = len(out), self.coding
        self.one_side(values, out, self.item.extra)
        if not coding.invented_codes.isdisjoint(out[start:]):
            probe: Codes = []
            for value in expected:
                self.item.lost(value, probe)
            if not coding.unscored_codes.isdisjoint(probe):
                raise NotCompiled


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


def _pairing(
    coding: Coding, align: Align, item: Walker, weigh: Weigh | None, node: FieldNode
) -> Callable[[list[Any], list[Any]], Chosen]:
    """Which items go together."""
    items = node.below.items
    leaves = leaves_of_node(items) if items is not None else None

    def pair(expected: list[Any], output: list[Any]) -> Chosen:
        scored: dict[tuple[int, int], tuple[Codes, RowProblem | None]] = {}

        def worth(row: int, column: int) -> Worth:
            codes: Codes = []
            before, coding.problem = coding.problem, None
            item.both(expected[row], output[column], codes)
            met, coding.problem = coding.problem, before
            if met is not None and met.issue.blame is Blame.ENVIRONMENT:  # how items pair must not depend on the machine
                raise met
            scored[row, column] = codes, met
            found = coding.worth(codes)
            return judged(same(expected[row], output[column])) if found is None else found

        table = partial(weigh, expected, output) if weigh is not None else None
        pairs = pair_items(align, expected, output, worth, table, cost=node.pairing_cost, leaves_of=leaves).pairs
        if not all(each in scored for each in pairs):
            return pairs, None
        for each in pairs:
            coding.problem = coding.problem or scored[each][1]
        return pairs, [scored[each][0] for each in pairs]

    return pair
