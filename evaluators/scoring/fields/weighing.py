"""Lists and choices: which items of two lists go together, and which branch of a choice fits two values best.

Pairs of items, and branches, are weighed by a walk of the same kind whose results are thrown away. Comparators that cost are not called
there, unless the suite wants it (`ask: leftover`).

A *choice* is scored by its best-fitting branch, among those of the kind that the expected value has: the one that lacks
the fewest of the expected keys, then one that can read more of the expected values, then one that measures something, then the
one with the best F1, then the one with the least that is wrong, then the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias

from msgspec import Struct

from evaluators.model.limits import still_time
from evaluators.model.rows import MISSING
from evaluators.scoring.fields.fingerprints import fingerprint
from evaluators.scoring.fields.instance_paths import InstancePath, Unpaired
from evaluators.scoring.fields.item_keys import first_positions
from evaluators.scoring.fields.pairing import (
    Paired,
    Worth,
    in_list_order,
    pair_by_key,
    pair_freely,
    worth_of_one_result,
)
from evaluators.scoring.fields.places import OBJECT, UNIT, Place
from evaluators.scoring.fields.results import MATCH, ListResult
from evaluators.scoring.fields.tree import FieldNode, SchemaPath, distinct_branches
from evaluators.scoring.fields.units import Units
from evaluators.scoring.values.confusion import Confusion
from evaluators.scoring.values.equality import json_equal

SCALARS: Final = frozenset((str, int, float, bool, type(None)))
NUMBERS: Final = frozenset((int, float, bool))
_COUNTED: Final = (5, 0, 1, 2, 3, 5, 1, 4)
"""By the number of a status, its place among the counts of a pair."""
Lacking: TypeAlias = dict[tuple[SchemaPath, bool], Place]
"""Places that the schema lacks, by path, and whether they stand in items of a list: each is one."""
Hits: TypeAlias = dict[tuple[int, int], list[Place]]
"""The places of the matches of pairs of items: (expected index, index in the output)."""
Counts: TypeAlias = tuple[int, int, int, int, int]
"""Matches, mismatches, omissions, hallucinations, and what could not be compared."""


class Candidates(tuple[Any, ...]):
    """The values of a list's expected items at one place: in an unpaired item, a key that none of them has is extra."""

    by_key: dict[str, Candidates]

    def under(self, key: str) -> Candidates:
        """The values under a key, of those that are objects and have it. Each key is looked up once."""
        if not self:
            return self
        if "by_key" not in self.__dict__:
            self.by_key = {}
        candidates = self.by_key.get(key)
        if candidates is None:
            candidates = self.by_key[key] = Candidates(
                other[key] for other in self if isinstance(other, dict) and key in other
            )
        return candidates


NO_CANDIDATES: Final = Candidates()


class Surroundings(NamedTuple):
    """The surroundings of two values whose parents are not on both sides."""

    candidates: Candidates = NO_CANDIDATES
    """In an item of the output without a partner: what the expected items have at its place."""
    unpaired: bool = False
    """In an item of the output without a partner."""
    in_expected: bool = True
    """The expected document has the containers that lead here."""
    in_output: bool = True
    """So has the output."""

    def under(self, key: str) -> Surroundings:
        """The surroundings of what two objects have under a key."""
        return self._replace(candidates=self.candidates.under(key)) if self.candidates else self


IN_BOTH: Final = Surroundings()


class Fit(NamedTuple):
    """How well a branch of a choice fits; the greater the better."""

    outside: int
    """Minus the keys of the expected side that the branch lacks. They come first: what a branch does not look at cannot
    be wrong in it."""
    unreadable: int
    """Minus the expected values that the branch cannot read. Both are the same for any output."""
    measured: bool
    """The branch measures something: a skipped one must not be the best for a wrong output, and hide it."""
    f1: Fraction
    wrong: int
    """Minus the mismatches, omissions and hallucinations."""

    @staticmethod
    def of(counts: Counts, outside: int, unreadable: int) -> Fit:
        """The fit of a branch with these counts. What makes a fit worse has a minus, so that the greatest fit is the best."""
        confusion = Confusion(*counts[:4])
        _, mismatches, omissions, hallucinations = counts[:4]
        wrong = mismatches + omissions + hallucinations
        return Fit(-outside, -unreadable, confusion.measured > 0, confusion.as_fraction("f1") or Fraction(0), -wrong)


class Best(Struct, frozen=True):
    """The branch that fits two values best."""

    number: int
    counts: Counts
    fit: Fit
    values: object
    """The values that it was chosen for: the choice is kept by their ids, which must not be used again."""


class Weighing(Units):
    """The part of a walk that goes through items of lists and branches of choices. `Walk` has the rest."""

    def __init__(
        self,
        lacking: Lacking | None = None,
        *,
        every: bool = True,
        weighing: bool = False,
        asking: bool = False,
        above: Weighing | None = None,
    ) -> None:
        """`lacking` is the memory of places that the schema lacks; `every`, `weighing` and `asking` are as `Units` has them. `above` is the
        walk for which this one weighs pairs or branches: they share their memory."""
        super().__init__(every, weighing, asking, 0 if above is None else above.number)
        self.cells: Mapping[str, Any] | None = None if above is None else above.cells
        """Those in which comparators read right answers; None where no comparator does."""
        self.left_out: Collection[int] = ()
        """The numbers of the listed fields that are not compared in this row."""
        self.documents: tuple[Any, Any] = MISSING, MISSING
        """The whole documents of the row."""
        self.lacking: Lacking = above.lacking if above is not None else {} if lacking is None else lacking
        self.chosen: dict[Hashable, Best] = {} if above is None else above.chosen
        """By choice and values: the branch that fits them best."""
        self.paired: dict[Hashable, tuple[Paired, Any, Any]] = {} if above is None else above.paired
        """By list and values: which items go together. Lists inside of items are met again and again while pairs are weighed."""
        self._clear()

    def _clear(self) -> None:
        """Forgets the results of the row before."""
        self.matched, self.fields = [], []
        self.lists: list[ListResult] = []
        self.outside: list[tuple[FieldNode, Any]] = []
        self.known: list[tuple[Place, Best]] = []
        """While pairs are weighed: the choices that were met, each with its best branch and the counts of that."""
        self.broken = 0
        self.answers: dict[int, int] = {}
        """How many right answers of a cell were compared, by place."""

    def _visit(self, place: Place, e: Any, o: Any, at: InstancePath, around: Surroundings) -> None:
        """Compares two values at a place, and all below it: see `Walk`."""
        raise NotImplementedError  # the walk is built on this: only it knows how to go on below

    def _compare_objects(self, place: Place, e: Any, o: Any, at: InstancePath, around: Surroundings) -> None:
        """Compares two objects key by key: see `Walk`."""
        raise NotImplementedError  # the walk is built on this: only it knows how to go on below

    def _new_weigher(self, asking: bool = False) -> Weighing:
        """A new walk that weighs pairs or branches for this one. It calls comparators that cost only where it is `asking`."""
        return type(self)(weighing=True, every=False, asking=asking, above=self)

    def _add_list(self, place: Place, e: Any, o: Any, at: InstancePath) -> ListResult:
        """Adds the result of a list, before anything in it is compared, and returns it to be filled in."""
        matches, others = len(self.matched), len(self.fields)
        list_result = ListResult(place, at, e, o, matches, others, matches, others)
        self.lists.append(list_result)
        return list_result

    def _compare_items(
        self, place: Place, item: Place, e: Any, o: Any, listed: ListResult, at: InstancePath, around: Surroundings
    ) -> None:
        """Compares the items of two lists as they are paired, then those that only the output has, and adds their results. `item` is the
        place of the items. Fills in `listed`, the result of the list."""
        matched, fields = self.matched, self.fields
        ours: Sequence[int] = range(len(e))
        theirs: Sequence[int] = range(len(o))
        if place.unique:
            sets = first_positions(e, o, item.set_key)
            if sets is not None:
                listed.unique = ours, theirs = sets
                e, o = [e[index] for index in ours], [o[index] for index in theirs]
        if place.ordered:
            paired = in_list_order(len(e), len(o))
        else:
            paired, listed.keys = self._pair(place, item, e, o, at)
        listed.pairs, listed.crowded = paired.pairs, paired.crowded
        partners = o
        if not paired.in_order or len(o) < len(e):
            partners = [MISSING] * len(e)
            for row, column in paired.pairs:
                partners[row] = o[column]
        matches: list[int] = []
        ends: list[int] = []
        below = (
            IN_BOTH
            if around.in_output and around.in_expected
            else Surroundings(in_expected=around.in_expected, in_output=around.in_output)
        )
        quick = item.full if item.quick and not self.every else None
        objects, single_values = (
            item.looked_into and item.kind == OBJECT,
            item.kind == UNIT and not item.needs_preparing and not self.left_out,
        )
        for row, a in enumerate(e):
            b = partners[row]
            kind = a.__class__
            if quick is not None and kind is b.__class__ and kind in SCALARS and a == b:
                matched.append(quick if a or kind in NUMBERS else item.bare)
            elif objects and kind is dict and b.__class__ is dict and a and b:
                self._compare_objects(item, a, b, (*at, ours[row]), below)
            elif single_values and not (a is MISSING and b is MISSING):
                self._compare_unit(item, a, b, (*at, ours[row]))
            else:
                self._visit(item, a, b, (*at, ours[row]), below)
            matches.append(len(matched))
            ends.append(len(fields))
        listed.match_ends, listed.field_ends = matches, ends
        if paired.extra:
            candidates = Candidates(
                (*e, *(item_ for other in around.candidates if isinstance(other, list) for item_ in other))
            )
            below = Surroundings(candidates, True, False, around.in_output)
            extra = []
            for column in paired.extra:
                before, first = len(matched), len(fields)
                self._visit(item, MISSING, o[column], (*at, Unpaired(theirs[column])), below)
                extra.append((column, before, first, len(matched), len(fields)))
            listed.extra = extra
        listed.last_match, listed.last_field = len(matched), len(fields)

    def _pair(self, place: Place, item: Place, e: Any, o: Any, at: InstancePath) -> tuple[Paired, Any]:
        """Pairs the items of two lists that are not simply in order, and gives the keys that were read, if any. Equal lists are paired in
        order. A pairing by comparison is remembered."""
        align = place.node.align
        if align.how == "key_field":
            paired, keys = pair_by_key(align, e, o, place.key_of)
            if not paired.in_order and not self.weighing and json_equal(e, o) and json_equal(*self.documents):
                paired = in_list_order(len(e), len(o))  # documents that are equal as a whole match
            return paired, keys
        if not e or not o or json_equal(e, o):
            return in_list_order(len(e), len(o)), None
        asks = align.ask is not None and not self.weighing
        key = (id(place.node.origin or place.node), id(e), id(o), asks)
        known = self.paired.get(key)
        if known is None:
            hits, shortest = dict[tuple[int, int], list[Place]](), min(len(e), len(o))
            pairing = pair_freely(
                align, e, o, place.node.pairing_cost, lambda value: fingerprint(item, value), item.item_key,
                asks, lambda pairs, asking: self.worths(item, e, o, pairs, hits, at if asking else None),
                lambda pairs: ranks(item, hits, pairs, shortest),
            )  # fmt: skip
            known = self.paired[key] = pairing, e, o
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
        """For each of the `pairs` (expected index, index in the output), what pairing the two items is worth; `item` is the place of the
        items. The places that match in a pair are put into `hits`. Comparators that cost are asked where `asking` has the path of the list.

        A pair in which nothing is measured is complete when the items are equal; else they have nothing in common. What could not
        be compared is wrong here: a pair is not complete because of it.
        """
        walk = self._new_weigher()
        walks: list[Weighing] = []
        weighed: list[tuple[list[int], list[Place]]] = []
        objects = item.kind == OBJECT and not item.needs_preparing
        for number, (row, column) in enumerate(pairs):
            if not number % 1_000:
                still_time()
            if asking is not None:  # all pairs ask before any answer is taken
                walks.append(walk := self._new_weigher(asking=True))
                walk._visit(item, e[row], o[column], (*asking, row), IN_BOTH)
                walk.ask()
            else:
                walk.matched, walk.fields, walk.lists, walk.known = [], [], [], []
                a, b = e[row], o[column]
                if objects and a and b and a.__class__ is b.__class__ is dict:
                    walk._compare_objects(item, a, b, (), IN_BOTH)
                else:
                    walk._visit(item, a, b, (), IN_BOTH)
                weighed.append(walk.counts())
        for each in walks:
            each.settle()
            weighed.append(each.counts())
        worths: list[Worth] = []
        for (row, column), ((right, wrong, lost, extra, faults, _), places) in zip(pairs, weighed, strict=True):
            whole = 2 * (right + wrong + faults) + lost + extra
            worths.append(Worth(right, whole) if whole else worth_of_one_result(json_equal(e[row], o[column])))
            hits[row, column] = places
        return worths

    def counts(self) -> tuple[list[int], list[Place]]:
        """The results of a pair of items as counts, by `_COUNTED`, and the place of every match."""
        counts, hits = [len(self.matched), 0, 0, 0, 0, 0], [mark.place for mark in self.matched]
        for field in self.fields:
            counts[_COUNTED[field.status]] += 1
            if field.status == MATCH:
                hits.append(field.at)
        for place, best in self.known:
            for index, count in enumerate(best.counts):
                counts[index] += count
            hits += [place] * best.counts[0]
        return counts, hits

    def _compare_choice(self, place: Place, e: Any, o: Any, at: InstancePath, around: Surroundings) -> None:
        """Compares two values by the branch of a choice that fits them best, and adds the results; while pairs are weighed, the counts of
        that branch are noted in `known` instead. `at` is the path of the place; `around` says which side has the objects and lists on
        the way."""
        branches, absent = place.branches, place.absent.has
        if not branches:
            return
        key = (id(place.node.origin or place.node), id(e), id(o), self.asking, id(around.candidates))
        best = self.chosen.get(key)
        if best is None:
            fits = fitting_branches(
                [branch.node for branch in branches], *(MISSING if absent(value) else value for value in (e, o))
            )
            if len(fits) == 1:
                self._visit(branches[fits[0]], e, o, at, around)
                return
            best = self._best_branch(branches, fits, e, o, at, around)
            if self.weighing:  # it is met again
                self.chosen[key] = best
        if self.weighing:
            self.known.append((place, best))
        else:
            self._visit(branches[best.number], e, o, at, around)

    def _best_branch(
        self, branches: Sequence[Place], fits: Sequence[int], e: Any, o: Any, at: InstancePath, around: Surroundings
    ) -> Best:
        """The branch that fits two values best, of those at the positions `fits`: a walk of its own compares them by each."""
        best: Best | None = None
        for number in fits:
            walk = self._new_weigher(self.asking)
            walk._visit(branches[number], e, o, at, around)
            walk.ask()
            walk.settle()
            (right, wrong, lost, extra, faults, _), _ = walk.counts()
            outside = len(walk.outside) - sum(branch_walk.fit.outside for _, branch_walk in walk.known)
            unreadable = walk.broken - sum(branch_walk.fit.unreadable for _, branch_walk in walk.known)
            fit = Fit.of((right, wrong, lost, extra, faults), outside, unreadable)
            if best is None or fit > best.fit:
                best = Best(number, (right, wrong, lost, extra, faults), fit, (e, o, around.candidates))
        if best is None:
            raise TypeError("a choice without branches")
        return best


def ranks(item: Place, hits: Hits, pairs: Sequence[tuple[int, int]], shortest: int) -> list[int]:
    """A number for each pair of items: among pairs of the same worth the higher one is taken. It puts matches of the first field before
    those of the next one, so that the fields that match never depend on the order of the lists.

    The digits of the number are the matches at each place that matches anywhere; sums of ranks carry nothing over. The limit of lists
    (`list_cells`) counts the values of items, and so bounds the digits of all pairs together.
    """
    counted = [Counter(map(item.rank, hits[pair])) for pair in pairs]
    places = sorted({place for counts in counted for place in counts}, reverse=True)
    base = 1 + max((max(counts.values(), default=0) for counts in counted), default=0) * shortest
    units = {place: base**digit for digit, place in enumerate(places)}
    return [sum([units[place] * matches for place, matches in counts.items()]) for counts in counted]


def fitting_branches(branches: Sequence[FieldNode], expected: Any, output: Any) -> list[int]:
    """The branches that are worth a closer look, by their numbers.

    Those of the kind that the expected value has (the output's, where nothing is expected), or all when there are none;
    and of these the ones that lack the fewest keys of an expected object.
    """
    value = output if expected is MISSING or expected is None else expected
    kind = {dict: "object", list: "array"}.get(value.__class__, "leaf")
    alike = [number for number, branch in enumerate(branches) if branch.kind in (kind, "choice")] or list(
        range(len(branches))
    )
    if len(alike) < 2 or not isinstance(expected, dict):
        return alike
    known: dict[int, int] = {}
    lacking = [_lacking_count(branches[number], expected, known) for number in alike]
    least = min(lacking)
    return [number for number, lacks in zip(alike, lacking, strict=True) if lacks == least]


def _lacking_count(branch: FieldNode, expected: Mapping[str, Any], known: dict[int, int]) -> int:
    """How many keys of an object a branch does not know; of a choice, its best branch. The answers for choices are
    remembered in `known`: many branches may lead to the same one."""
    if branch.unit or branch.skip:
        return 0
    if branch.kind != "choice":
        below = branch.below
        together = branch.compound.fields if branch.compound is not None else ()
        return 0 if below.others is not None else len(expected.keys() - below.keys.keys() - set(together))
    same_choice = id(branch.origin or branch)
    if same_choice not in known:
        inner = distinct_branches(branch.below.branches)
        known[same_choice] = min((_lacking_count(each, expected, known) for each in inner), default=len(expected))
    return known[same_choice]
