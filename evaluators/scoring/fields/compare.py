"""One walk through the two documents of a row, place by place, in document order.

    walk = Walk(lacking)
    results = walk.row(root, expected, output)    # for each row
    walk.ask()                                    # what is on a list is pending, until it is settled
    walk.settle()

A match costs an append of its mark; where `every` result is asked for, it is a result like the others.

What stands in place of what is one table (`presence.py`).

A key that the schema lacks: where the expected side has it, it is not scored and is named once; where only the output has
it, it is a hallucination per leaf. In an item of the output without a partner, the expected side is all expected items of its
list. A skipped place is one skipped result where either side has something. Absent on both sides is nothing, unless the place is
required: then it is an omission. A *compound* compares some keys of an object as one unit, at the object's own place.

What an evaluator takes for absent (see `presence`) is as good as missing. On both sides it is one result, a match until
`reclassify_nulls` has said what it is.


What differs between the families of evaluators is in `policy`: listed fields look through containers, which have no results there.

A *choice* is scored by its best-fitting branch, among those of the kind that the expected value has: the one that lacks
the fewest of the expected keys, then one that can read more of the expected values, then one that measures something, then the
one with the best F1, then the one with the least that is wrong, then the first. Pairs of items are weighed by the same walk, into
lists that are thrown away; nobody who costs is asked there, unless the suite wants it (`ask: leftover`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from evaluators.model.limits import still_time
from evaluators.model.rows import MISSING
from evaluators.scoring.fields.branches import Best, Fit, fitting_branches, knows
from evaluators.scoring.fields.fingerprints import fingerprint
from evaluators.scoring.fields.instance_paths import InstancePath, Unpaired
from evaluators.scoring.fields.item_keys import as_sets
from evaluators.scoring.fields.pairing import Paired, Worth, in_list_order, judged, paired_by_key, paired_freely
from evaluators.scoring.fields.places import ARRAY, CHOICE, EACH, LACKING, OBJECT, SKIP, THROUGH, UNIT, Place
from evaluators.scoring.fields.presence import IN_PLACE, content, own_pattern, with_answers
from evaluators.scoring.fields.results import (
    HALLUCINATION,
    IS_MEASURED,
    MATCH,
    MISMATCH,
    OMISSION,
    SKIPPED,
    FieldResult,
    ListFound,
    RowResults,
)
from evaluators.scoring.fields.tree import FieldNode, SchemaPath
from evaluators.scoring.fields.units import Units
from evaluators.scoring.values.equality import same
from evaluators.scoring.values.paths import ANY

_SCALARS: Final = frozenset((str, int, float, bool, type(None)))
_NUMBERS: Final = frozenset((int, float, bool))
_COUNTED: Final = (5, 0, 1, 2, 3, 5, 1, 4)
"""By the number of a status, what it is counted as while pairs are weighed."""
Lacking: TypeAlias = dict[tuple[SchemaPath, bool], Place]
"""Places that the schema lacks, by path, and whether they stand in items of a list: each is one."""


class Others(tuple[Any, ...]):
    """The expected values that an item without a partner is held against; many items share them."""

    known: dict[str, Others]

    def under(self, key: str) -> Others:
        """What the values have under a key, where they are objects that have it. It is looked up once."""
        if not self:
            return self
        if "known" not in self.__dict__:
            self.known = {}
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = Others(other[key] for other in self if isinstance(other, dict) and key in other)
        return found


NOBODY: Final = Others()


class Beside(NamedTuple):
    """What is beside the two values where they are not simply what both documents have."""

    others: Others = NOBODY
    """What the expected items have here, in an item of the output without a partner."""
    alone: bool = False
    """In an item of the output without a partner."""
    ours: bool = True
    """The expected document has the containers that lead here."""
    theirs: bool = True
    """So has the output."""

    def under(self, key: str) -> Beside:
        return self._replace(others=self.others.under(key)) if self.others else self


BOTH: Final = Beside()


class Walk(Units):
    """The walk through the documents of rows, or through pairs of items that are weighed."""

    def __init__(
        self,
        lacking: Lacking | None = None,
        *,
        every: bool = True,
        weighing: bool = False,
        asking: bool = False,
        above: Walk | None = None,
    ) -> None:
        super().__init__(every, weighing, asking, 0 if above is None else above.number)
        self.cells: Mapping[str, Any] | None = None if above is None else above.cells
        """Those in which comparators read right answers; None where no comparator does."""
        self.left_out: Collection[int] = ()
        """The numbers of the listed fields that are not looked at in this row."""
        self.lacking: Lacking = above.lacking if above is not None else {} if lacking is None else lacking
        self.chosen: dict[Hashable, Best] = {} if above is None else above.chosen
        """Which branch fits two values best."""
        self.paired: dict[Hashable, tuple[Paired, Any, Any]] = {} if above is None else above.paired
        """How two lists are paired whose items are in no order: lists inside of items are met again and again."""
        self._afresh()

    def _afresh(self) -> None:
        self.matched, self.found = [], []
        self.lists: list[ListFound] = []
        self.outside: list[tuple[FieldNode, Any]] = []
        self.known: list[tuple[Place, Best]] = []
        """While pairs are weighed: what choices come to whose best branch is known."""
        self.broken = 0
        self.answers: dict[int, int] = {}
        """How many right answers of a cell were compared, by place."""

    def row(
        self,
        root: Place,
        expected: Any,
        output: Any,
        number: int = 0,
        cells: Mapping[str, Any] | None = None,
        left_out: Collection[int] = (),
    ) -> RowResults:
        """The results of two documents. What has to be asked is pending."""
        self._afresh()
        self.documents = expected, output
        self.number, self.cells, self.left_out = number, cells, left_out
        if self.chosen or self.paired:
            self.chosen, self.paired = {}, {}
        if (
            root.kind == OBJECT
            and expected
            and output
            and expected.__class__ is output.__class__ is dict
            and not root.odd
        ):
            self._object(root, expected, output, (), BOTH)
        else:
            self._open(root, expected, output, (), BOTH)
        return RowResults(self.matched, self.found, self.lists, self.outside)

    # Places

    def _open(self, place: Place, e: Any, o: Any, at: InstancePath, beside: Beside) -> None:
        """Sees a place, and all below it."""
        kind = place.kind
        if place.odd:
            e, o = self._changed(place, e, o, beside)
        if e is MISSING and o is MISSING:
            if place.needed:
                self._absent(place, at, beside)
        elif kind == UNIT:
            if not (self.left_out and self._is_left_out(place)):
                self._unit(place, e, o, at)
        elif kind == OBJECT:
            if e and o and e.__class__ is o.__class__ is dict and not (place.odd and self._lacks_a_side(place, e, o)):
                self._object(place, e, o, at, beside)
            else:
                self._unlike(place, dict, e, o, at, beside)
        elif kind == ARRAY:
            self._array(place, e, o, at, beside)
        elif kind == SKIP:
            self.found.append(FieldResult(place, at, SKIPPED, e, o))
        elif kind == CHOICE:
            self._choice(place, e, o, at, beside)
        elif kind == THROUGH:
            self._look_through(place, e, o, at, beside)
        else:
            self._each_item(place, e, o, at, beside)

    def _is_left_out(self, place: Place) -> bool:
        return place.node.line is not None and place.node.line.number in self.left_out

    def _changed(self, place: Place, e: Any, o: Any, beside: Beside) -> tuple[Any, Any]:
        """The two values as they are looked at: with the right answers of the row, with what stands for an output that may lack it, and
        without absent values. What is compared as one value has these taken out only while it is weighed: results say it themselves."""
        node, absent = place.node, place.absent
        answering = node.of_answers
        if answering is not None and self.cells is not None and not self._is_left_out(place):
            if answering.reads == "both":
                beyond = beside.alone or not (beside.ours or node.policy.containers == "looked through")
                if e is not MISSING or not beyond:
                    e = with_answers(answering, e, self.cells, self.answers, id(place))
            else:
                pattern = own_pattern(answering, self.cells)
                asked = node.policy.one_sided == "asked" and not self.weighing
                e = pattern if o is not MISSING and (asked or not absent.has(e)) else e
        if node.of_list is not None and o is MISSING and e is not MISSING and beside.theirs and place.trail:
            o = node.of_list.in_place_of_nothing(e)
        if not absent.values or node.skip or (e is MISSING and o is MISSING):
            return e, o
        if place.kind == UNIT:
            if self.weighing:
                a, b = (MISSING if place.absent_at(one) else one for one in (e, o))
                if a is b is MISSING and absent.both == "match" and not node.required:
                    self._match(place, e, o, ())
                return a, b
        elif absent.has(e) and absent.has(o) and (place.needed or (self.weighing and absent.both == "skip")):
            return MISSING, MISSING
        return e, o

    def _lacks_a_side(self, place: Place, e: Any, o: Any) -> bool:
        return bool(place.absent.values) and (place.absent.has(e) or place.absent.has(o))

    def _absent(self, place: Place, at: InstancePath, beside: Beside) -> None:
        """A required place that neither side has, or one that the output must have.

        A required container stands for the required places below it, and for itself where there are none.
        """
        node, items = place.node, None
        required: Sequence[tuple[str, Place]] = ()
        if place.kind in (OBJECT, THROUGH, ARRAY, EACH):
            required = place.needed_steps
            items = place.items if node.below.items is not None and node.below.items.required else None
        if not required and items is None:
            self._own(place, OMISSION, MISSING, MISSING, at)
        for key, child in required:
            self._open(child, MISSING, MISSING, (*at, key), beside.under(key))
        if items is not None:
            self._open(items, MISSING, MISSING, (*at, ANY), beside)

    # Containers

    def _look_through(self, place: Place, e: Any, o: Any, at: InstancePath, beside: Beside) -> None:
        """Values without results of their own: what the paths below them lead to, whatever they are."""
        plain = not (self.every or self.left_out)
        objects = e.__class__ is dict and o.__class__ is dict
        append = self.matched.append
        for key, below, joined, mark, read, around, child in place.reached:
            if key is None or not objects:
                a, b = read(e, o)
            elif below is None:
                a, b = e.get(key, MISSING), o.get(key, MISSING)
            else:
                a, b = e.get(key), o.get(key)
                if a.__class__ is dict and b.__class__ is dict and joined not in e and joined not in o:
                    a, b = a.get(below, MISSING), b.get(below, MISSING)
                else:
                    a, b = read(e, o)
            if plain and mark is not None and a == b:
                kind = a.__class__
                if kind is str or (kind is b.__class__ and kind in _SCALARS):
                    append(mark if a or kind in _NUMBERS else child.bare)
                    continue
            here = beside
            if child.odd:
                if around is not None:
                    near = around(e, o)[1]
                    here = beside._replace(
                        theirs=beside.theirs and isinstance(o, dict | list) and isinstance(near, dict | list)
                    )
                elif not place.inside:
                    here = beside._replace(theirs=False)
            elif a is MISSING and b is MISSING and not (place.inside and child.needed):
                continue
            if child.odd:
                a, b = self._changed(child, a, b, here)
                if a is MISSING and b is MISSING and not (place.inside and child.needed):
                    continue
                if child.kind == UNIT and not (a is MISSING and b is MISSING):
                    if not (self.left_out and self._is_left_out(child)):
                        self._unit(child, a, b, at)
                    continue
            self._open(child, a, b, at, beside)

    def _each_item(self, place: Place, e: Any, o: Any, at: InstancePath, beside: Beside) -> None:
        """The items of lists as they are paired, and the values of objects by key."""
        whole, items = place.whole, place.items
        if whole is not None and not (e.__class__ is o.__class__ is list and (e or o)):
            self._list_found(place, e, o, at)
            self._open(whole, e, o, at, beside)
            return
        if items is None:
            return
        if e.__class__ is dict:  # its values stand before the items that only the output has
            self._each_value(items, e, o, at, beside)
        if e.__class__ is list or o.__class__ is list:
            ours, theirs = (one if one.__class__ is list else [] for one in (e, o))
            inner = beside if isinstance(o, dict | list) else beside._replace(theirs=False)
            self._items(place, items, ours, theirs, self._list_found(place, ours, theirs, at), at, inner)
        if o.__class__ is dict and e.__class__ is not dict:
            self._each_value(items, e, o, at, beside)

    def _each_value(self, item: Place, e: Any, o: Any, at: InstancePath, beside: Beside) -> None:
        """The values of objects, those of each by key in order."""
        ours, theirs = (one if one.__class__ is dict else {} for one in (e, o))
        inner = beside if isinstance(o, dict | list) else beside._replace(theirs=False)
        for key in sorted({*ours, *theirs}):
            self._open(item, ours.get(key, MISSING), theirs.get(key, MISSING), (*at, key), inner.under(key))

    def _list_found(self, place: Place, e: Any, o: Any, at: InstancePath) -> ListFound:
        found = ListFound(place, at, e, o, first := len(self.matched), last := len(self.found), first, last)
        self.lists.append(found)
        return found

    def _array(self, place: Place, e: Any, o: Any, at: InstancePath, beside: Beside) -> None:
        if e.__class__ is o.__class__ is dict and place.as_object is not None and not self._lacks_a_side(place, e, o):
            self._open(place.as_object, e, o, at, beside)
            return
        listed = self._list_found(place, e, o, at)
        if e and o and e.__class__ is o.__class__ is list and not (place.odd and self._lacks_a_side(place, e, o)):
            self._inside(place, e, o, at, beside, listed)
        else:
            self._unlike(place, list, e, o, at, beside, listed)
            listed.last_match, listed.last = len(self.matched), len(self.found)

    def _inside(
        self, place: Place, e: Any, o: Any, at: InstancePath, beside: Beside, listed: ListFound | None = None
    ) -> None:
        """What stands below an object or a list."""
        if listed is None:
            self._object(place, e, o, at, beside)
        elif place.items is not None:
            self._items(place, place.items, e, o, listed, at, beside)
        else:
            self._undeclared_items(place, e, o, listed, at, beside)

    def _unlike(
        self, place: Place, kind: type, e: Any, o: Any, at: InstancePath, beside: Beside, listed: ListFound | None = None
    ) -> None:
        """Two values of which a side has no contents of the kind."""
        node, absent = place.node, place.absent.has if place.absent.values else None
        ours = "missing" if absent is not None and absent(e) else content(kind, e)
        theirs = "missing" if absent is not None and absent(o) else content(kind, o)
        counts, status = IN_PLACE[ours, theirs]
        # a key of two empty objects may have to be there all the same
        root = kind is dict and not at and not self.weighing
        opens = root or node.demanded or (self.cells is not None and node.has_answers_below)
        if counts == "extra" or (opens and ours == theirs == "empty") or (root and ours == theirs == "missing"):
            inner = beside._replace(ours=beside.ours and isinstance(e, dict | list))
            self._inside(place, kind(), o if theirs != "missing" and o.__class__ is kind else kind(), at, inner, listed)
        elif counts == "extra or one":
            before, matched, known = len(self.found), len(self.matched), len(self.known)
            self._inside(place, kind(), o, at, beside._replace(ours=False), listed)
            measured = len(self.matched) > matched or any(IS_MEASURED[one.status] for one in self.found[before:])
            if not measured and not any(sum(best.counts) for _, best in self.known[known:]):
                self._own(place, HALLUCINATION, e, o, at)
        elif counts == "lost":
            inner = beside if isinstance(o, dict | list) else beside._replace(theirs=False)
            self._inside(place, e, kind(), at, inner, listed)
            if status is not None:
                self._own(place, status.number, e, o, at)
        elif counts == "leaves":
            self._extra(place, o, at, (), None)
        else:
            number = (MATCH if same(e, o) else MISMATCH) if status is None else status.number
            self._own(place, number, e, o, at)

    def _object(self, place: Place, e: Any, o: Any, at: InstancePath, beside: Beside) -> None:
        """Compounds, the declared keys, then keys that are not declared."""
        node, steps = place.node, place.steps_of_every if self.every else place.steps
        if node.compound is not None:
            self._compound(place, e, o, at)
        append = self.matched.append
        unknown = len(e) + len(o) - 2 * len(steps)
        for key, mark, child in steps:
            try:
                a, b = e[key], o[key]
            except KeyError:
                a, b = e.get(key, MISSING), o.get(key, MISSING)
                unknown += 2 if a is b is MISSING else 1
                if a is b is MISSING and not (child.needed or child.odd):
                    continue
            if mark is not None and a == b:
                kind = a.__class__
                if kind is str or (kind is b.__class__ and kind in _SCALARS):
                    append(mark if a or kind in _NUMBERS else child.bare)
                    continue
            elif child.looked_into and a and b:
                kind = a.__class__
                if kind is b.__class__:
                    if kind is dict and child.kind == OBJECT:
                        self._object(child, a, b, (*at, key), beside if beside is BOTH else beside.under(key))
                        continue
                    if kind is list and child.items is not None and child.kind == ARRAY:
                        here = (*at, key)
                        below = beside if beside is BOTH else beside.under(key)
                        self._items(child, child.items, a, b, self._list_found(child, a, b, here), here, below)
                        continue
            if child.kind == UNIT and not child.odd and not a is b is MISSING:
                self._unit(child, a, b, (*at, key))
            else:
                self._open(child, a, b, (*at, key), beside if beside is BOTH else beside.under(key))
        if unknown:
            self._unknown(place, e, o, at, beside)

    def _unknown(self, place: Place, e: Any, o: Any, at: InstancePath, beside: Beside) -> None:
        """The keys of an object that are not declared."""
        node, others = place.node, place.others
        keys, taken = node.below.keys, node.compound.fields if node.compound is not None else ()
        for key in sorted(key for key in {*e, *o} if key not in keys and key not in taken):
            if others is not None:
                self._open(others, e.get(key, MISSING), o.get(key, MISSING), (*at, key), beside.under(key))
            elif key in e or beside.others.under(key):
                self.outside.append((node, key))
            else:
                self._extra(place, o[key], at, (key,), place.siblings)

    def _compound(self, place: Place, e: Any, o: Any, at: InstancePath) -> None:
        """The keys of an object that are compared as one value, at the object's own place: those that are not absent."""
        absent = place.compound_absent
        a, b = (
            {key: side[key] for key in absent if not absent[key](side.get(key, MISSING))} or MISSING for side in (e, o)
        )
        if a is not MISSING or b is not MISSING:
            self._unit(place.compound, a, b, at)

    def _extra(
        self, place: Place, value: Any, at: InstancePath, steps: tuple[Any, ...], siblings: tuple[FieldNode, ...] | None
    ) -> None:
        """Every leaf of what only the output has, and the schema lacks. `siblings` are the branches that may know its first key."""
        known_to: Literal["elsewhere", "outside"] = "elsewhere" if siblings and knows(siblings, steps[0]) else "outside"
        has, both = place.absent.has if place.absent.values else None, place.absent.both
        waiting: list[tuple[tuple[Any, ...], Any]] = [(steps, value)]
        while waiting:
            steps, value = waiting.pop()
            absent = has is not None and has(value)
            if absent and self.weighing and both == "skip":
                continue
            if value and not absent and value.__class__ is dict:
                waiting += [((*steps, key), value[key]) for key in sorted(value, reverse=True)]
            elif value and not absent and value.__class__ is list:
                waiting += [((*steps, Unpaired(index)), value[index]) for index in reversed(range(len(value)))]
            else:
                path = (*place.node.path, *(ANY if step.__class__ is Unpaired else step for step in steps))
                key = path, place.inside
                lacking = self.lacking.get(key)
                if lacking is None:
                    lacking = self.lacking[key] = Place(
                        FieldNode(path), place.absent, place.trail, place.inside, place.choices, kind=LACKING
                    )
                if absent and self.weighing:
                    self.matched.append(lacking.full)
                else:
                    self.found.append(FieldResult(lacking, (*at, *steps), HALLUCINATION, MISSING, value, (), known_to))

    # Lists

    def _undeclared_items(
        self, place: Place, e: Any, o: Any, listed: ListFound, at: InstancePath, beside: Beside
    ) -> None:
        """Items of lists whose items the schema does not know: not scored where the expected side has some."""
        if e or any(isinstance(one, list) and one for one in beside.others):
            self.outside.append((place.node, ANY))
        else:
            extra = []
            for column, value in enumerate(o):
                matched, found = len(self.matched), len(self.found)
                self._extra(place, value, at, (Unpaired(column),), None)
                extra.append((column, matched, found, len(self.matched), len(self.found)))
            listed.extra = extra
        listed.last_match, listed.last = len(self.matched), len(self.found)

    def _items(
        self, place: Place, item: Place, e: Any, o: Any, listed: ListFound, at: InstancePath, beside: Beside
    ) -> None:
        """The items as they are paired, then those that only the output has. Equal documents are paired in list order."""
        matched, found = self.matched, self.found
        ours: Sequence[int] = range(len(e))
        theirs: Sequence[int] = range(len(o))
        if place.unique:
            kept = as_sets(e, o, item.set_key)
            if kept is not None:
                listed.kept = ours, theirs = kept
                e, o = [e[index] for index in ours], [o[index] for index in theirs]
        if place.ordered:
            paired = in_list_order(len(e), len(o))
        else:
            paired, listed.keys = self._paired(place, item, e, o, at)
        listed.pairs, listed.crowded = paired.pairs, paired.crowded
        partners = o
        if not paired.in_order or len(o) < len(e):
            partners = [MISSING] * len(e)
            for row, column in paired.pairs:
                partners[row] = o[column]
        matches: list[int] = []
        ends: list[int] = []
        below = BOTH if beside.theirs and beside.ours else Beside(ours=beside.ours, theirs=beside.theirs)
        quick = item.full if item.quick and not self.every else None
        objects, one = item.looked_into and item.kind == OBJECT, item.kind == UNIT and not item.odd and not self.left_out
        for row, a in enumerate(e):
            b = partners[row]
            kind = a.__class__
            if quick is not None and kind is b.__class__ and kind in _SCALARS and a == b:
                matched.append(quick if a or kind in _NUMBERS else item.bare)
            elif objects and kind is dict and b.__class__ is dict and a and b:
                self._object(item, a, b, (*at, ours[row]), below)
            elif one and not (a is MISSING and b is MISSING):
                self._unit(item, a, b, (*at, ours[row]))
            else:
                self._open(item, a, b, (*at, ours[row]), below)
            matches.append(len(matched))
            ends.append(len(found))
        listed.matches, listed.ends = matches, ends
        if paired.extra:
            others = Others((*e, *(one for other in beside.others if isinstance(other, list) for one in other)))
            below = Beside(others, True, False, beside.theirs)
            extra = []
            for column in paired.extra:
                before, first = len(matched), len(found)
                self._open(item, MISSING, o[column], (*at, Unpaired(theirs[column])), below)
                extra.append((column, before, first, len(matched), len(found)))
            listed.extra = extra
        listed.last_match, listed.last = len(matched), len(found)

    def _paired(self, place: Place, item: Place, e: Any, o: Any, at: InstancePath) -> tuple[Paired, Any]:
        """Which items of two lists go together that are not simply in order."""
        align = place.node.align
        if align.how == "key_field":
            paired, keys = paired_by_key(align, e, o, place.key_of)
            if not paired.in_order and not self.weighing and same(e, o) and same(*self.documents):
                paired = in_list_order(len(e), len(o))  # documents that are equal as a whole match
            return paired, keys
        if not e or not o or same(e, o):
            return in_list_order(len(e), len(o)), None
        asks = align.ask is not None and not self.weighing
        key = (id(place.node.origin or place.node), id(e), id(o), asks)
        known = self.paired.get(key)
        if known is None:
            hits, shortest = dict[tuple[int, int], list[Place]](), min(len(e), len(o))
            found = paired_freely(
                align, e, o, place.node.pairing_cost, lambda value: fingerprint(item, value), item.item_key,
                asks, lambda pairs, asking: self.worths(item, e, o, pairs, hits, at if asking else None),
                lambda pairs: ranks(item, hits, pairs, shortest),
            )  # fmt: skip
            known = self.paired[key] = found, e, o
        return known[0], None

    def worths(
        self,
        item: Place,
        e: Sequence[Any],
        o: Sequence[Any],
        pairs: Sequence[tuple[int, int]],
        hits: Hits,
        asking: InstancePath | None = None,
    ) -> list[Worth]:
        """What pairing two items is worth: (expected index, index in the output) of each pair. What matches is added to `hits`. Comparators
        that cost are asked where the list stands at a place that is `asking`.

        A pair in which nothing is measured is complete when the items are equal; else they have nothing in common. What could not
        be compared is wrong here: a pair is not complete because of it.
        """
        walk = Walk(weighing=True, every=False, above=self)
        walks: list[Walk] = []
        weighed: list[tuple[list[int], list[Place]]] = []
        objects = item.kind == OBJECT and not item.odd
        for number, (row, column) in enumerate(pairs):
            if not number % 1_000:
                still_time()
            if asking is not None:  # all pairs ask before any answer is taken
                walks.append(walk := Walk(weighing=True, every=False, asking=True, above=self))
                walk._open(item, e[row], o[column], (*asking, row), BOTH)
                walk.ask()
            else:
                walk.matched, walk.found, walk.lists, walk.known = [], [], [], []
                a, b = e[row], o[column]
                if objects and a and b and a.__class__ is b.__class__ is dict:
                    walk._object(item, a, b, (), BOTH)
                else:
                    walk._open(item, a, b, (), BOTH)
                weighed.append(walk.weighed())
        for each in walks:
            each.settle()
            weighed.append(each.weighed())
        found: list[Worth] = []
        for (row, column), ((right, wrong, lost, extra, faults, _), places) in zip(pairs, weighed, strict=True):
            whole = 2 * (right + wrong + faults) + lost + extra
            found.append(Worth(right, whole) if whole else judged(same(e[row], o[column])))
            hits[row, column] = places
        return found

    def weighed(self) -> tuple[list[int], list[Place]]:
        """What a pair of items comes to: its counts, and the place of every match."""
        counts, hits = [len(self.matched), 0, 0, 0, 0, 0], [mark.place for mark in self.matched]
        for one in self.found:
            counts[_COUNTED[one.status]] += 1
            if one.status == MATCH:
                hits.append(one.at)
        for place, best in self.known:
            for index, count in enumerate(best.counts):
                counts[index] += count
            hits += [place] * best.counts[0]
        return counts, hits

    # Choices

    def _choice(self, place: Place, e: Any, o: Any, at: InstancePath, beside: Beside) -> None:
        """Two values go to the branch that fits them best."""
        branches, absent = place.branches, place.absent.has
        if not branches:
            return
        key = (id(place.node.origin or place.node), id(e), id(o), self.asking, id(beside.others))
        best = self.chosen.get(key)
        if best is None:
            fits = fitting_branches([one.node for one in branches], *(MISSING if absent(one) else one for one in (e, o)))
            if len(fits) == 1:
                self._open(branches[fits[0]], e, o, at, beside)
                return
            best = self._fit(branches, fits, e, o, at, beside)
            if self.weighing:  # it is met again
                self.chosen[key] = best
        if self.weighing:
            self.known.append((place, best))
        else:
            self._open(branches[best.number], e, o, at, beside)

    def _fit(
        self, branches: Sequence[Place], fits: Sequence[int], e: Any, o: Any, at: InstancePath, beside: Beside
    ) -> Best:
        """The best branch of two values."""
        best: Best | None = None
        for number in fits:
            walk = Walk(weighing=True, every=False, asking=self.asking, above=self)
            walk._open(branches[number], e, o, at, beside)
            walk.ask()
            walk.settle()
            (right, wrong, lost, extra, faults, _), _ = walk.weighed()
            outside = len(walk.outside) - sum(one.fit.outside for _, one in walk.known)
            unreadable = walk.broken - sum(one.fit.unreadable for _, one in walk.known)
            fit = Fit.of((right, wrong, lost, extra, faults), outside, unreadable)
            if best is None or fit > best.fit:
                best = Best(number, (right, wrong, lost, extra, faults), fit, (e, o, beside.others))
        if best is None:
            raise TypeError("a choice without branches")
        return best


Hits: TypeAlias = dict[tuple[int, int], list[Place]]
"""The places of the matches of pairs of items: (expected index, index in the output)."""


def ranks(item: Place, hits: Hits, pairs: Sequence[tuple[int, int]], shortest: int) -> list[int]:
    """What decides among pairs of the same worth: as many matches of the first field as can be, then those of the next one. So the
    fields that match never hang on the order of the lists.

    The digits of one number make the rank, one for each place that matches anywhere; sums of ranks carry nothing over. The
    limit of lists (`list_cells`) counts the values of items, and so bounds the digits of all pairs together.
    """
    counted = [Counter(map(item.rank, hits[pair])) for pair in pairs]
    places = sorted({place for one in counted for place in one}, reverse=True)
    base = 1 + max((max(one.values(), default=0) for one in counted), default=0) * shortest
    units = {place: base**digit for digit, place in enumerate(places)}
    return [sum([units[place] * matches for place, matches in one.items()]) for one in counted]
