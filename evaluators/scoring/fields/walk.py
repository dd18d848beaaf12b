"""One walk through the documents of a chunk, place by place: what differs makes a finding, and everything else matches.

    walk = Walk(count)
    walk.go(root, of_rows(expected, outputs))

Every place of the tree meets one frame: the pairs of values that stand there in all the rows. Where a place is compared as one
value its frame becomes a *column*: each pair has one result for each metric, a match unless there is a *finding* for it. What
is looked into has results of its own only in the rows that the table in `compared_values` names. So results are counted by the lengths of
columns, less their findings; and a finding knows its frame, which gives its path and both values to whoever wants them.

What differs between the families of evaluators is in `policy`: listed fields look through containers, which have no results there.

A *choice* is scored by its best-fitting branch, among those of the kind that the expected value has: the one that lacks
the fewest of the expected keys, then one that can read more of the expected values, then one that measures something, then the
one with the best F1, then the one with the least that is wrong, then the first. Pairs of items are weighed by the same walk,
over the pairs of all lists of the chunk; nobody who costs is asked there, unless the suite wants it (`ask: leftover`).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from evaluators.model.limits import still_time
from evaluators.model.rows import MISSING, FieldStatus
from evaluators.scoring.comparators._comparator import Comparator
from evaluators.scoring.fields.absent_values import NONE_ABSENT, AbsentValues
from evaluators.scoring.fields.branches import Best, Fit, distinct, fitting_branches, knows
from evaluators.scoring.fields.compared_values import IN_PLACE, ComparedValues, content
from evaluators.scoring.fields.frame import Frame, InstancePath, Unpaired
from evaluators.scoring.fields.gains import Worth, judged
from evaluators.scoring.fields.item_frames import ItemFrames, against, aligned, each_once, in_order, values_of
from evaluators.scoring.fields.pair import AT_ONCE, Paired, Pairing, paired_by_key, paired_together, pairing
from evaluators.scoring.fields.reached import reached
from evaluators.scoring.fields.right_answers import with_answers, with_optional, with_own_pattern
from evaluators.scoring.fields.scored import MEASURED
from evaluators.scoring.fields.tree import FieldNode, SchemaPath
from evaluators.scoring.fields.unit_rules import compared_whole, first_keys
from evaluators.scoring.fields.walk_findings import (
    AFTER,
    HALLUCINATION,
    MATCH,
    MISMATCH,
    OMISSION,
    Counts,
    FieldColumn,
    Finding,
    More,
    Outside,
    WalkedLists,
    order_of,
)
from evaluators.scoring.fields.weighed import ONE, Place, Weighed, add_up, ranked
from evaluators.scoring.judges.asking import waiting
from evaluators.scoring.values.equality import same
from evaluators.scoring.values.paths import ANY

Lacking: TypeAlias = dict[SchemaPath, FieldNode]
"""Places that the schema lacks, by path: each is one node."""


class Visit(NamedTuple):
    """A place of the tree, and the pairs that stand there."""

    node: FieldNode
    frame: Frame
    inside: bool
    """In items of a list."""
    trail: tuple[int | None, ...]
    """For each step to the place, how many of its like come before it; None where the step itself says it."""
    siblings: tuple[FieldNode, ...] = ()
    """The branches of the choices that the node is a branch of."""


class Walk:
    """What becomes of the documents of a chunk."""

    def __init__(
        self,
        count: int,
        lacking: Lacking | None = None,
        *,
        weighing: bool = False,
        asking: bool = False,
        above: Walk | None = None,
        left_out: Mapping[int, Collection[int]] = MappingProxyType({}),
        cells: Sequence[Mapping[str, Any]] = (),
        absent: AbsentValues = NONE_ABSENT,
    ) -> None:
        self.count = count
        """How many rows there are."""
        self.weighing = weighing
        """Pairs are only weighed: nobody who costs is asked, unless `asking`."""
        self.asking = asking
        self.left_out = left_out
        """By the number of a listed field, the rows in which it is not looked at."""
        self.cells: Sequence[Mapping[str, Any]] = above.cells if above is not None else cells
        """By row, those in which comparators read right answers; none where no comparator does."""
        self.absent: AbsentValues = absent if above is None else above.absent
        """What is taken for missing. Of values that are compared as one, only while pairs are weighed: results say it themselves, later."""
        self.values = ComparedValues(weighing, asking)
        """What is compared as one value."""
        self.columns, self.findings = self.values.columns, self.values.findings
        self.single: list[tuple[Finding, bool]] = []
        """The results that stand in no column, and whether they stand in items of a list."""
        self.skipped: list[tuple[FieldNode, Frame]] = []
        self.outside: list[Outside] = []
        self.lists: list[WalkedLists] = []
        self.trails: dict[int, tuple[int | None, ...]] = {}
        self.lacking: Lacking = above.lacking if above is not None else {} if lacking is None else lacking
        self.chosen: dict[Hashable, Best] = {} if above is None else above.chosen
        """Which branch fits two values best."""
        self.paired: dict[Hashable, tuple[Paired, Any, Any]] = {} if above is None else above.paired
        """How two lists are paired whose items are in no order: lists inside of items are met again and again."""
        self.known: list[tuple[FieldNode, int, Counts, Fit]] = []
        """While pairs are weighed: what choices come to whose best branch is known."""
        self.choices: set[tuple[int | None, ...]] = set()
        """The trails of the choices that were met."""
        self._by_row: dict[int, list[Finding]] | None = None
        self._waiting: list[Visit] = []

    def go(self, root: FieldNode, frames: Iterable[Frame], trail: tuple[int | None, ...] = ()) -> Walk:
        """Goes through some frames, and asks what has to be asked. What is on a list is pending, until it is settled."""
        for frame in frames:
            self._later([Visit(root, frame, False, trail)])
            self._all(0)
        self.values.ask(self.order)
        if self.weighing or not waiting():
            self.values.settle()
        return self

    def found_in(self, row: int) -> Sequence[Finding]:
        """The results of one row that are no plain match. To be asked when everything was walked, and is settled."""
        if self._by_row is None:
            found = [one for one, _ in self.single]
            found += self.findings
            for node, frame, _, status, _ in self.columns:
                if status is not MATCH:
                    found += [Finding(row, status, node, frame, at) for at, row in enumerate(frame.rows)]
            self._by_row = {}
            for each in found:
                self._by_row.setdefault(each.row, []).append(each)
        return self._by_row.get(row, ())

    def _all(self, base: int) -> None:
        """Sees what waits beyond so many visits, and all below. It waits on a list, not on the stack: documents may be deep."""
        while len(self._waiting) > base:
            visit = self._waiting.pop()
            if visit.frame.rows:
                self._open(visit)

    def _later(self, visits: Sequence[Visit]) -> None:
        self._waiting += reversed(visits)

    def _open(self, visit: Visit) -> None:
        node, frame = visit.node, visit.frame
        self.trails[id(node)] = visit.trail
        if self.cells and node.of_answers is not None:
            frame = self._with_cells(node, node.of_answers, frame)
            visit = visit._replace(frame=frame)
        if node.of_list is not None:
            frame = with_optional(node.of_list, frame)
            visit = visit._replace(frame=frame)
        if self.absent.values and not node.skip and (self.weighing or not node.unit):
            frame = self._without_value(visit) if node.unit else self._without_contents(node, frame)
            visit = visit._replace(frame=frame)
        there = frame.there()
        if there is not frame and (node.required or node.demanded) and not node.skip:
            self._absent(visit)
        if not there.rows:
            return
        if node.skip:
            self.skipped.append((node, there))
        elif node.unit:
            self.values.add(node, there if not self.left_out else self._looked_at(node, there), visit.inside)
        elif node.kind == "choice":
            self._choice(visit._replace(frame=there))
        elif node.policy.containers == "looked through":
            look = self._each_item if node.kind == "array" else self._look_through
            look(visit._replace(frame=there))
        else:
            self._container(visit._replace(frame=there))

    def _looked_at(self, node: FieldNode, frame: Frame) -> Frame:
        """The pairs of a place in the rows in which its field is not left out."""
        left_out = () if node.line is None else self.left_out.get(node.line.number, ())
        return frame.part([at for at, row in enumerate(frame.rows) if row not in left_out]) if left_out else frame

    def _with_cells(self, node: FieldNode, comparator: Comparator, frame: Frame) -> Frame:
        """The pairs of a place with what the cells of their rows say, in the rows in which its field is not left out."""
        frame = self._looked_at(node, frame)
        if comparator.reads == "both":
            return with_answers(node, comparator, frame, self.cells)
        alone = node.policy.one_sided == "asked" and not self.weighing
        return with_own_pattern(comparator, frame, self.cells, alone, self.absent)

    def _without_value(self, visit: Visit) -> Frame:
        """The pairs of a place that is compared as one value, while they are weighed: without absent values."""
        node, frame = visit.node, visit.frame
        absent = node.once(self.absent.at)
        e, o = ([MISSING if absent(value) else value for value in side] for side in (frame.e, frame.o))
        if self.absent.both == "match" and not node.required:
            pairs = enumerate(zip(frame.e, frame.o, e, o, strict=True))
            both = [at for at, (a, b, c, d) in pairs if c is d is MISSING and not a is b is MISSING]
            self.columns.append(FieldColumn(node, frame.part(both), visit.inside, MATCH))
        return frame.part(range(len(frame.rows)), e, o)

    def _without_contents(self, node: FieldNode, frame: Frame) -> Frame:
        """The pairs of a place that is looked into, without absent values on both sides where nothing is to be said of them."""
        pairs = enumerate(zip(frame.e, frame.o, strict=True))
        both = [at for at, (a, b) in pairs if self.absent.has(a) and self.absent.has(b) and not a is b is MISSING]
        looked_for = node.required or node.demanded
        if not both or not (looked_for or (self.weighing and self.absent.both == "skip")):
            return frame
        e, o = [*frame.e], [*frame.o]
        for at in both:
            e[at] = o[at] = MISSING
        return frame.part(range(len(frame.rows)), e, o)

    def _absent(self, visit: Visit) -> None:
        """A required place that neither side has, or one that the output must have.

        A required container stands for the required places below it, and for itself where there are none.
        """
        node, frame, inside = visit.node, visit.frame, visit.inside
        pairs = enumerate(zip(frame.e, frame.o, strict=True))
        lost = frame.part([at for at, (a, b) in pairs if a is MISSING and b is MISSING])
        if node.unit:
            self.columns.append(FieldColumn(node, lost, inside, OMISSION))
            return
        below = node.below
        required = [
            (key, child)
            for key, child in below.keys.items()
            if (child.required or child.demanded) and node.kind != "choice"
        ]
        lists = below.items is not None and below.items.required and node.kind != "choice"
        if not required and not lists:
            for at in range(len(lost.rows)):
                self._own(node, OMISSION, lost, at, inside)
            return
        order = {key: index for index, key in enumerate(below.keys)}
        self._later(
            [Visit(child, lost.children([key])[key], inside, (*visit.trail, order[key])) for key, child in required]
        )
        if lists and below.items is not None:
            every = Frame(lost.e, lost.o, lost.rows, lost, None, ANY)
            self._later([Visit(below.items, every, True, (*visit.trail, None))])

    def _own(
        self, node: FieldNode, status: FieldStatus, frame: Frame, at: int, inside: bool, more: More | None = None
    ) -> None:
        self.single.append((Finding(frame.rows[at], status, node, frame, at, more), inside))

    def order(self, finding: Finding, location: InstancePath | None = None) -> tuple[tuple[float, str], ...]:
        """What results are sorted by, to stand in the order of the documents as the schema lists them. `location` is where it
        stands, for who knows it."""
        node, more = finding.node, finding.more
        if node.line is not None:
            return ((node.line.number, ""), *order_of((), finding.frame.items_above(finding.at)))
        below = more is not None and bool(more.below)
        place = order_of(self.trails[id(finding.known)], finding.location if location is None else location)
        if below or node.unit:
            return place
        return (*place, (AFTER, ""))

    # Containers

    def _look_through(self, visit: Visit) -> None:
        """Values without results of their own: what the paths below them lead to, whatever they are."""
        node, frame, inside, trail, _ = visit
        if len(frame.rows) > 1:
            frame.children(node.once(first_keys))
        lists = []
        for path, child in node.below.reached:
            there = reached(frame, path)
            if self.cells and child.of_answers is not None:
                there = self._with_cells(child, child.of_answers, there)
            if child.of_list is not None:
                there = with_optional(child.of_list, there, reached(frame, path.part(0, -1)) if path.steps else None)
            if not (inside and child.demanded):
                there = there.there()
            if there.rows and child.unit:
                self.values.add(child, there if not self.left_out else self._looked_at(child, there), inside)
            elif there.rows:
                lists.append(Visit(child, there, inside, trail))
        self._later(lists)

    def _each_item(self, visit: Visit) -> None:
        """The items of lists as they are paired, and the values of objects by key."""
        node, frame, inside, trail, _ = visit
        below = node.below
        if below.whole is not None:
            pairs = list(enumerate(zip(frame.e, frame.o, strict=True)))
            lists = {at for at, (a, b) in pairs if a.__class__ is b.__class__ is list and (a or b)}
            rest = frame.part([at for at, _ in pairs if at not in lists])
            self.lists.append(WalkedLists(node, rest, rest, None, [None] * len(rest.rows), inside))
            self._later([Visit(below.whole, rest, inside, trail)])
            frame = frame.part(sorted(lists))
        if below.items is None:
            return
        items = [values_of(frame.of_kind(dict))] if dict in frame.kinds or dict in frame.others else []
        if list in frame.kinds or list in frame.others:
            whole = frame.of_kind(list)
            compared, found = self._items(node, below.items, whole)
            self.lists.append(WalkedLists(node, compared, whole, found, [None] * len(whole.rows), inside))
            items = [found.pairs, found.surplus, *items]
        self._later([Visit(below.items, each, True, trail) for each in items])

    def _container(self, visit: Visit) -> None:
        """Objects, or lists, that are looked into: what stands below them, or their own results."""
        kind = dict if visit.node.kind == "object" else list
        frame, objects = visit.frame, visit.node.as_object
        if objects is not None and dict in frame.kinds and dict in frame.others:
            pairs = enumerate(zip(frame.e, frame.o, strict=True))
            found = {at for at, (a, b) in pairs if a.__class__ is b.__class__ is dict} - self._lacks_a_side(frame)
            self._later([visit._replace(node=objects, frame=frame.part(sorted(found)))])
            frame = frame.part([at for at in range(len(frame.rows)) if at not in found])
            visit = visit._replace(frame=frame)
        full, odd = frame.full(kind)
        if not (lacking := self._lacks_a_side(frame)).issubset(odd):
            odd = sorted(lacking.union(odd))
            full = frame.part(sorted({*range(len(frame.rows))}.difference(odd)))
        if full.rows:
            self._inside(visit._replace(frame=full), full, [None] * len(full.rows))
        if odd:
            self._unlike(visit, kind, odd)

    def _lacks_a_side(self, frame: Frame) -> set[int]:
        """The pairs of which a side counts as absent."""
        if not self.absent.values:
            return set()
        pairs = enumerate(zip(frame.e, frame.o, strict=True))
        return {at for at, (a, b) in pairs if self.absent.has(a) or self.absent.has(b)}

    def _unlike(self, visit: Visit, kind: type, places: Sequence[int]) -> None:
        """Pairs of which a side has no contents of the kind."""
        node, frame, inside = visit.node, visit.frame, visit.inside
        lost: dict[int, FieldStatus | None] = {}
        extra: list[int] = []
        extra_or_one: list[int] = []
        own: dict[int, FieldStatus | None] = {}
        # a key of two empty objects may have to be there all the same
        root, absent = kind is dict and not frame.where(places[0]), self.absent.has
        opens = root or node.demanded or (self.cells and node.has_answers_below)
        for at in places:
            a, b = frame.e[at], frame.o[at]
            ours, theirs = ("missing" if absent(one) else content(kind, one) for one in (a, b))
            counts, status = IN_PLACE[ours, theirs]
            if counts == "extra" or (opens and ours == theirs == "empty") or (root and ours == theirs == "missing"):
                extra.append(at)
                continue
            if counts == "extra or one":
                extra_or_one.append(at)
                continue
            if counts == "compared":
                status = MATCH if same(a, b) else MISMATCH
            (lost if counts == "lost" else own)[at] = status
            if counts == "leaves":
                self._extra(node, frame, at, b, (), False, inside)
            elif status is not None:
                self._own(node, status, frame, at, inside)
        if own and kind is list:
            lists = frame.part(list(own))
            self.lists.append(WalkedLists(node, lists, lists, None, list(own.values()), inside))
        if lost:
            whole = frame.part(list(lost))
            part = frame.part(list(lost), list(whole.e), [kind()] * len(lost))
            self._inside(visit._replace(frame=part), whole, list(lost.values()))
        if extra:
            whole = frame.part(extra)
            part = frame.part(extra, [kind()] * len(extra), [kind() if absent(one) else one for one in whole.o])
            self._inside(visit._replace(frame=part), whole, [None] * len(extra))
        if extra_or_one:
            self._extra_or_one(visit, kind, extra_or_one)

    def _extra_or_one(self, visit: Visit, kind: type, places: list[int]) -> None:
        """The output has contents where the expected side has null: each value in them is extra.

        A place below which nothing was measured, because all of it is skipped, say, is one extra value itself.
        """
        frame = visit.frame
        whole = frame.part(places)
        part = frame.part(places, [kind()] * len(places), list(whole.o))
        own = list[FieldStatus | None]([None] * len(places))
        columns_before, single_before, known_before = len(self.columns), len(self.single), len(self.known)
        waiting_before = len(self._waiting)
        self._inside(visit._replace(frame=part), whole, own)
        self._all(waiting_before)
        columns = self.columns[columns_before:]
        if any(column.frame.rows is part.rows for column in columns):
            return  # this column has a value at each of the places
        single = [(each.frame, each.at) for each, _ in self.single[single_before:] if each.status in MEASURED]
        met = [(column.frame, place) for column in columns for place in range(len(column.frame.rows))]
        measured = {place for one, at in (*single, *met) for above, place in one.way(at) if above is part}
        rows = {row for _, row, counts, _ in self.known[known_before:] if sum(counts)}
        for place, row in enumerate(part.rows):
            if place not in measured and row not in rows:
                own[place] = HALLUCINATION
                self._own(visit.node, HALLUCINATION, whole, place, visit.inside)

    def _inside(self, visit: Visit, whole: Frame, own: list[FieldStatus | None]) -> None:
        """What stands below; `whole` has the values themselves where a side has no contents of the kind, `own` results of the places."""
        if visit.node.kind == "object":
            self._object(visit)
        else:
            self._list(visit, whole, own)

    def _object(self, visit: Visit) -> None:
        """The declared keys, compounds, then keys that are not declared."""
        node, frame, inside, trail, siblings = visit
        below = node.below
        taken: tuple[str, ...] = ()
        if node.compound is not None:
            taken = node.compound.fields
            self._compound(visit, taken)
        children = frame.children(below.keys)
        self._later([
            Visit(child, children[key], inside, (*trail, index))
            for index, (key, child) in enumerate(below.keys.items()) if key not in taken
        ])  # fmt: skip
        declared = len(below.keys)
        if (
            not taken
            and not frame.lacking
            and sum(map(len, frame.e)) == sum(map(len, frame.o)) == declared * len(frame.rows)
        ):
            return
        known = frozenset(below.keys).union(taken)
        pairs = enumerate(zip(frame.e, frame.o, strict=True))
        odd = [at for at, (a, b) in pairs if not (known.issuperset(a) and known.issuperset(b))]
        if not odd:
            return
        unknown = [(at, key) for at in odd for key in sorted((frame.e[at].keys() | frame.o[at].keys()) - known)]
        if below.others is not None:
            e, o = frame.e, frame.o
            strung = Frame(
                [e[at].get(key, MISSING) for at, key in unknown], [o[at].get(key, MISSING) for at, key in unknown],
                [frame.rows[at] for at, _ in unknown], frame, [at for at, _ in unknown], [key for _, key in unknown],
            )  # fmt: skip
            self._later([Visit(below.others, strung, inside, (*trail, None))])
            return
        for at, key in unknown:
            if key in frame.e[at] or against(frame, at).under(key):
                self.outside.append(Outside(frame.rows[at], node, frame, at, key))
            else:
                self._extra(node, frame, at, frame.o[at][key], (key,), knows(siblings, key), inside)

    def _compound(self, visit: Visit, names: Sequence[str]) -> None:
        node, frame = visit.node, visit.frame
        one, keys = node.compound_place, node.below.keys
        absent = {key: keys[key].once(self.absent.at) if key in keys else self.absent.has for key in names}
        e, o = (
            [{key: side[key] for key in names if not absent[key](side.get(key, MISSING))} or MISSING for side in sides]
            for sides in (frame.e, frame.o)
        )
        self.trails[id(one)] = visit.trail
        there = Frame(e, o, frame.rows, frame).there()
        if there.rows:
            self.values.add(one, there, visit.inside)

    def _extra(
        self, node: FieldNode, frame: Frame, at: int, value: Any, below: tuple[Any, ...], elsewhere: bool, inside: bool
    ) -> None:
        """Every leaf of what only the output has, and the schema lacks."""
        waiting: list[tuple[tuple[Any, ...], Any]] = [(below, value)]
        while waiting:
            steps, value = waiting.pop()
            absent = self.absent.has(value)
            if absent and self.weighing and self.absent.both == "skip":
                continue
            if isinstance(value, dict) and value and not absent:
                waiting += [((*steps, key), value[key]) for key in value]
            elif isinstance(value, list) and value and not absent:
                waiting += [((*steps, Unpaired(index)), inner) for index, inner in enumerate(value)]
            else:
                path = (*node.path, *(ANY if step.__class__ is Unpaired else step for step in steps))
                place = self.lacking.get(path) or self.lacking.setdefault(path, FieldNode(path))
                status = MATCH if absent and self.weighing else HALLUCINATION
                self._own(place, status, frame, at, inside, More((), steps, value, elsewhere, node))

    # Lists

    def _list(self, visit: Visit, whole: Frame, own: list[FieldStatus | None]) -> None:
        """The items as they are paired, then those that only the output has."""
        node, frame, inside, trail, _ = visit
        item = node.below.items
        if item is None:
            self.lists.append(WalkedLists(node, frame, whole, None, own, inside))
            self._undeclared_items(visit, own)
            return
        lists, items = self._items(node, item, frame)
        self.lists.append(WalkedLists(node, lists, whole, items, own, inside))
        below = (*trail, None)
        self._later([Visit(item, items.pairs, True, below), Visit(item, items.surplus, True, below)])

    def _undeclared_items(self, visit: Visit, own: list[FieldStatus | None]) -> None:
        """Items of lists whose items the schema does not know: not scored where the expected side has some."""
        node, frame = visit.node, visit.frame
        for at, (ours, theirs) in enumerate(zip(frame.e, frame.o, strict=True)):
            if ours or any(isinstance(one, list) and one for one in against(frame, at)):
                self.outside.append(Outside(frame.rows[at], node, frame, at, ANY))
                continue
            own[at] = HALLUCINATION if theirs else own[at]
            for column, value in enumerate(theirs):
                self._extra(node, frame, at, value, (Unpaired(column),), False, visit.inside)

    def _items(self, node: FieldNode, item: FieldNode, frame: Frame) -> tuple[Frame, ItemFrames]:
        """The lists of a frame as they are compared, and their items as they are paired; of lists that are sets, each item once."""
        kept = each_once(frame, item.once(compared_whole).once(self.absent.item_key_of)) if node.align.unique else None
        if kept is None:
            return frame, self._paired_items(node, item, frame)
        return kept.lists, kept.placed(self._paired_items(node, item, kept.lists))

    def _paired_items(self, node: FieldNode, item: FieldNode, frame: Frame) -> ItemFrames:
        """The items of all lists of a frame as they are paired. Equal documents, and most lists, are paired in list order."""
        align = node.align
        asks = align.ask is not None and not self.weighing
        key: Hashable = (align, id(item), asks) if align.free else align
        found: ItemFrames | None = frame.kept.get(key)
        if found is None:
            if align.how == "ordered" or frame.o is frame.e:
                found = in_order(frame)
            elif align.how == "key_field":
                paired, keys = paired_by_key(align, frame.e, frame.o, self.absent.if_any)
                found = aligned(frame, paired)._replace(keys=keys)
            else:
                found = aligned(frame, self._paired(node, item, frame, asks))
            frame.kept[key] = found
        return found

    def _paired(self, node: FieldNode, item: FieldNode, frame: Frame, asks: bool) -> dict[int, Paired]:
        """Which items of lists that differ go together. Pairs that have to be weighed are weighed for all lists at once."""
        found: dict[int, Paired] = {}
        running: dict[int, Pairing] = {}
        leaves, key = item.once(self.absent.leaves_of), item.once(self.absent.item_key_of)
        keys: dict[int, Hashable] = {}
        for at in frame.differing():
            ours, theirs = frame.e[at], frame.o[at]
            if not ours or not theirs:
                continue
            by_row = asks or self.cells
            keys[at] = (id(node.origin or node), id(ours), id(theirs), frame.row_of(at) if by_row else None)
            if keys[at] in self.paired:
                found[at] = self.paired[keys[at]][0]
            else:
                running[at] = pairing(node.align, ours, theirs, node.pairing_cost, leaves, key, asks)
        found |= paired_together(running, lambda pairs, asking: self.worths(item, frame, pairs, asking))
        self.paired |= {keys[at]: (one, frame.e[at], frame.o[at]) for at, one in found.items()}
        return found

    def worths(
        self, item: FieldNode, lists: Frame, pairs: Sequence[tuple[int, int, int]], asking: bool = False
    ) -> list[Worth]:
        """What pairing two items is worth: (position of their lists, expected index, index in the output) of each pair.

        A pair in which nothing is measured is complete when the items are equal; else they have nothing in common. What could not
        be compared is wrong here: a pair is not complete because of it. Pairs that are worth the same are ranked by the fields
        that match, in their order.
        """
        found: list[Weighed] = []
        for start in range(0, len(pairs), AT_ONCE):
            still_time()
            part = pairs[start : start + AT_ONCE]
            e, o = [lists.e[at][row] for at, row, _ in part], [lists.o[at][column] for at, _, column in part]
            frame = Frame(e, o, range(len(part)), lists, [at for at, _, _ in part], [row for _, row, _ in part])
            walk = Walk(len(part), weighing=True, asking=asking, above=self).go(item, [frame], (None,))
            found += [
                one if one.worth is not None else one._replace(worth=judged(same(a, b)))
                for a, b, one in zip(e, o, walk.counted(), strict=True)
            ]
            frame.drop()
        return ranked(lists, pairs, found)

    def counted(self) -> list[Weighed]:
        """The weighed results of each row, needed while pairs of list items are chosen."""
        columns = [(self._place(column.node), column) for column in self.columns]
        single = [
            (self._place(one.known) if one.status is MATCH else (), one.row, ONE[one.status]) for one, _ in self.single
        ]
        known = [(self._place(node), row, counts) for node, row, counts, _ in self.known]
        return add_up(self.count, columns, [*single, *known])

    def _place(self, node: FieldNode) -> Place:
        """Where a field stands among those of the item: as it is listed, or as the schema lists it. A choice is one field."""
        if node.line is not None:
            return (node.line.number,)
        if node.listed is not None:
            return (node.listed,)
        trail = self.trails[id(node)]
        end = next((end for end in range(len(trail)) if trail[:end] in self.choices), len(trail))
        return tuple(AFTER if step is None else step for step in trail[:end])

    # Choices

    def _choice(self, visit: Visit) -> None:
        """Every pair goes to the branch that fits it best."""
        node, frame = visit.node, visit.frame
        branches = distinct(node.below.branches)
        if not branches:
            return
        self.choices.add(visit.trail)
        siblings = (*visit.siblings, *node.below.branches)
        places: dict[int, list[int]] = {}
        open_: dict[int, list[int]] = {}
        keys: list[Hashable] = []
        for at, (a, b) in enumerate(zip(frame.e, frame.o, strict=True)):
            asks = frame.row_of(at) if self.asking or self.cells else None
            keys.append((id(node.origin or node), id(a), id(b), asks, id(against(frame, at))))
            if keys[at] not in self.chosen:
                fits = fitting_branches(branches, *(MISSING if self.absent.has(one) else one for one in (a, b)))
                if len(fits) > 1:
                    open_[at] = fits
                else:
                    places.setdefault(fits[0], []).append(at)
        if open_:
            self._fit(visit, branches, keys, open_)
        for at, key in enumerate(keys):
            if key in self.chosen:
                best = self.chosen[key]
                if self.weighing:
                    self.known.append((node, frame.rows[at], best.counts, best.fit))
                else:
                    places.setdefault(best.number, []).append(at)
        for number, chosen in sorted(places.items()):
            self._later([Visit(branches[number], frame.part(sorted(chosen)), visit.inside, visit.trail, siblings)])

    def _fit(
        self, visit: Visit, branches: Sequence[FieldNode], keys: Sequence[Hashable], fitting: Mapping[int, Sequence[int]]
    ) -> None:
        """Finds the best branch of some pairs."""
        frame = visit.frame
        best: dict[int, Best] = {}
        for number, branch in enumerate(branches):
            here = [at for at, fits in fitting.items() if number in fits]
            if not here:
                continue
            part = Frame([frame.e[at] for at in here], [frame.o[at] for at in here], range(len(here)), frame, here)
            walk = Walk(len(here), weighing=True, asking=self.asking, above=self).go(branch, [part], visit.trail)
            part.drop()
            for at, counts, fit in zip(here, *walk.fits(), strict=True):
                if at not in best or fit > best[at].fit:
                    best[at] = Best(number, counts, fit, (frame.e[at], frame.o[at], against(frame, at)))
        self.chosen |= {keys[at]: found for at, found in best.items()}

    def fits(self) -> tuple[list[Counts], list[Fit]]:
        """The counts of each row, and how well its documents fit the schema of this walk."""
        outside, unreadable = [0] * self.count, [self.values.broken[row] for row in range(self.count)]
        for each in self.outside:
            outside[each.row] += 1
        for _, row, _, fit in self.known:
            outside[row] -= fit.outside
            unreadable[row] -= fit.unreadable
        counted = [one.counts for one in self.counted()]
        return counted, [Fit.of(*each) for each in zip(counted, outside, unreadable, strict=True)]
