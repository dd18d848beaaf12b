"""A second scorer of schemas: two documents and a tree, by plain recursion, one result after the other.

    found = compare(root, expected, output)
    found.results, found.lists, found.outside

It is the oracle of `evaluators.scoring.fields.walk`, which goes through the documents of many rows at once, place by place. They share
the tree, the rules for two values, the table of what stands in place of what,
the worth of a pair of items, and how a table of gains is paired.

Left out: right answers in a column, comparators that cost, lists that are too long to compare each item with each, and listed
fields. Pairs of items are weighed one by one, each of them, with the same recursion. Values that count as absent are missing while
pairs are weighed; of results, only containers know them, and a result says later what its own values are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from evaluators.model.issues import RowProblem
from evaluators.model.rows import MISSING, FieldStatus
from evaluators.scoring.fields.instance_paths import InstancePath, Unpaired, spell_location
from evaluators.scoring.fields.item_keys import key_reader
from evaluators.scoring.fields.outcomes import MEASURED, unit_status
from evaluators.scoring.fields.pairing import Worth, gains, worth_of_one_result
from evaluators.scoring.fields.places import compile_unit
from evaluators.scoring.fields.presence import IN_PLACE, content
from evaluators.scoring.fields.rules import explained_problem, status_of
from evaluators.scoring.fields.tree import FieldNode, distinct_branches
from evaluators.scoring.fields.weighing import Fit, fitting_branches
from evaluators.scoring.values.confusion import Confusion
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.pairing import Pairs, assign_gains, pairs_by_key, unpaired_indexes
from evaluators.scoring.values.paths import ANY, Path
from evaluators.scoring.values.transforms import TransformError, chain

MATCH, MISMATCH, OMISSION, HALLUCINATION = (
    FieldStatus.MATCH,
    FieldStatus.MISMATCH,
    FieldStatus.OMISSION,
    FieldStatus.HALLUCINATION,
)
COUNTED: Final = MEASURED | {FieldStatus.NOT_JUDGED}
Rank: TypeAlias = tuple[float, ...]
"""Where a field stands among those of an item, as the schema lists them."""
LAST: Final = float("inf")


class Found(NamedTuple):
    """A result: of a place that several metrics compare, one for each."""

    location: InstancePath
    field: str
    metric: str | None
    status: FieldStatus
    expected: Any
    output: Any
    node: FieldNode


class Absent(NamedTuple):
    """What counts as absent, besides what is missing; on both sides of a place it is skipped, or a match."""

    values: tuple[Any, ...] = ()
    skip: bool = True

    def has(self, value: Any) -> bool:
        return value is MISSING or any(json_equal(value, one) for one in self.values)

    def at(self, node: FieldNode, value: Any) -> bool:
        """Whether a value of a place does, once it is transformed."""
        return value is MISSING or self.has(compared(node, value))


NONE_ABSENT: Final = Absent()


def compared(node: FieldNode, value: Any) -> Any:
    """What the transforms of a place make of a value; the value where they cannot."""
    change = chain(node.transforms) if node.unit else None
    try:
        return value if change is None or value is MISSING else change(value)
    except (TransformError, RowProblem):
        return value


class ListResult(NamedTuple):
    """How many items of a list match, are missing, are extra, and are paired; those in which nothing was measured do not count."""

    path: str
    matched: int
    missing: int
    extra: int
    paired: int


class Place(NamedTuple):
    """Where the walk stands."""

    node: FieldNode
    location: InstancePath = ()
    rank: Rank = ()
    others: tuple[Any, ...] = ()
    """In an item of the output without a partner: what the expected items of its list have here."""

    def key(self, key: str, node: FieldNode, rank: float) -> Place:
        others = tuple(one[key] for one in self.others if isinstance(one, dict) and key in one)
        return Place(node, (*self.location, key), (*self.rank, rank), others)

    def item(self, node: FieldNode, step: int | Unpaired, expected: Sequence[Any]) -> Place:
        others: tuple[Any, ...] = ()
        if isinstance(step, Unpaired):
            others = (*expected, *(item for one in self.others if isinstance(one, list) for item in one))
        return Place(node, (*self.location, step), (*self.rank, LAST), others)


class Comparison:
    """What became of two documents, or of two items."""

    def __init__(self, absent: Absent, weighing: bool = False) -> None:
        self.absent, self.weighing = absent, weighing
        self.results: list[Found] = []
        self.units: list[tuple[FieldStatus, Rank]] = []
        """The status of each place that counts once, and where its field stands."""
        self.pairs: list[tuple[InstancePath, Any, Any, Pairs]] = []
        """Each list that was gone into, or has a result of its own: both sides, and the items that go together."""
        self.outside: list[str] = []
        self.unreadable = 0
        """Answers that are none."""

    @property
    def lists(self) -> list[ListResult]:
        """The lists in which something was measured."""
        found = [self._counted(*each) for each in self.pairs]
        return [one for one in found if one is not None]

    def visit(self, place: Place, e: Any, o: Any) -> None:
        """Two values at one place; a side that is not there is MISSING."""
        node = place.node
        e, o = self._without_absent(place, e, o)
        if e is MISSING and o is MISSING:
            if node.required and not node.skip:
                self._absent(place)
        elif node.skip:
            self._add(place, None, FieldStatus.SKIPPED, e, o)
        elif node.unit:
            self._unit(place, e, o)
        elif node.kind == "choice":
            self._choice(place, e, o)
        else:
            self._container(place, e, o)

    def _without_absent(self, place: Place, e: Any, o: Any) -> tuple[Any, Any]:
        """Both sides as they are looked at. What counts as absent on both is nothing where a pair is weighed, or a match."""
        node, absent = place.node, self.absent
        if node.skip or (e is MISSING and o is MISSING) or (node.unit and not self.weighing):
            return e, o
        lacking = [absent.at(node, side) for side in (e, o)]
        if node.unit:
            if all(lacking) and not absent.skip and not node.required:
                self.units.append((MATCH, place.rank))
            return MISSING if lacking[0] else e, MISSING if lacking[1] else o
        nothing = all(lacking) and (node.required or (self.weighing and absent.skip))
        return (MISSING, MISSING) if nothing else (e, o)

    def _absent(self, place: Place) -> None:
        """A required place that neither side has: the required places below it, or itself where there are none."""
        node = place.node
        below = [] if node.unit else [(key, child) for key, child in node.below.keys.items() if child.required]
        items = None if node.unit else node.below.items
        ranks = {key: rank for rank, key in enumerate(node.below.keys)} if below else {}
        for key, child in below:
            self.visit(place.key(key, child, ranks[key]), MISSING, MISSING)
        if items is not None and items.required:
            self.visit(Place(items, (*place.location, ANY), (*place.rank, LAST)), MISSING, MISSING)
        elif node.unit:
            self._unit(place, MISSING, MISSING)
        elif not below:
            self._one(place, OMISSION, MISSING, MISSING)

    def _unit(self, place: Place, e: Any, o: Any) -> None:
        """A place that is compared as one value: presence, then each metric."""
        node, each = place.node, []
        for metric, rule, read in zip(node.metrics, compile_unit(node).rules, node.readers, strict=True):
            issue = None if read is None or e is MISSING else read(e)
            if issue is not None:
                status = explained_problem(RowProblem(issue)).status
            elif o is MISSING or e is MISSING:
                status = OMISSION if o is MISSING else HALLUCINATION
            else:
                try:
                    status = status_of(rule(e, o))
                except RowProblem as error:
                    status = explained_problem(error).status
            each.append(status)
            self.unreadable += status is FieldStatus.NOT_JUDGED
            self._add(place, metric.name, status, e, o)
        self.units.append((unit_status(each), place.rank))

    def _container(self, place: Place, e: Any, o: Any) -> None:
        kind: Any = dict if place.node.kind == "object" else list
        ours, theirs = ("missing" if self.absent.has(side) else content(kind, side) for side in (e, o))
        if ours == theirs == "full":
            self._inside(place, e, o)
            return
        counts, own = IN_PLACE[ours, theirs]
        if kind is dict and not place.location and ours == theirs and ours in ("empty", "missing"):
            counts = "extra"  # two empty documents: nothing is measured
        before, start = len(self.units), len(self.pairs)
        if counts == "lost":
            self._inside(place, e, kind())
        elif counts in ("extra", "extra or one"):
            self._inside(place, kind(), kind() if self.absent.has(o) else o)
            measured = any(status in COUNTED for status, _ in self.units[before:])
            own = HALLUCINATION if counts == "extra or one" and not measured else None
        elif counts == "leaves":
            self._extra(place, o)
            own = None
        elif counts == "compared":
            own = MATCH if json_equal(e, o) else MISMATCH
        if kind is list:  # as it is, whatever was gone into in its place
            self.pairs[start : start + 1] = [(place.location, e, o, self.pairs[start][3] if self.pairs[start:] else [])]
        if own is not None:
            self._one(place, own, e, o)

    def _choice(self, place: Place, e: Any, o: Any) -> None:
        """The branch that fits best has the results; among the fields of an item the choice is one."""
        branches = distinct_branches(place.node.below.branches)
        fits = {}
        seen = [MISSING if self.absent.has(side) else side for side in (e, o)]
        for number in fitting_branches(branches, *seen) if branches else ():
            found = fits[number] = Comparison(self.absent, True)
            found.visit(place._replace(node=branches[number]), e, o)
        if fits:
            best = Comparison(self.absent, self.weighing)
            best.visit(place._replace(node=branches[max(fits, key=lambda number: fits[number].fit())]), e, o)
            self.results += best.results
            self.units += [(status, place.rank) for status, _ in best.units]
            self.pairs += best.pairs
            self.outside += best.outside
            self.unreadable += best.unreadable

    def fit(self) -> Fit:
        """How well a branch fits."""
        counts = Counter(status for status, _ in self.units)
        wrong = counts[MISMATCH] + counts[FieldStatus.ERROR]
        each = counts[MATCH], wrong, counts[OMISSION], counts[HALLUCINATION], counts[FieldStatus.NOT_JUDGED]
        return Fit.of(each, len(self.outside), self.unreadable)

    def _inside(self, place: Place, e: Any, o: Any) -> None:
        if place.node.kind == "object":
            self._object(place, e, o)
        else:
            self._list(place, e, o)

    def _object(self, place: Place, e: dict[str, Any], o: dict[str, Any]) -> None:
        below, compound = place.node.below, place.node.compound
        taken = () if compound is None else compound.fields
        if compound is not None:
            known = {key: below.keys.get(key, place.node) for key in taken}
            ours, theirs = (
                {key: side[key] for key in taken if key in side and not self.absent.at(known[key], side[key])} or MISSING
                for side in (e, o)
            )
            self.visit(place._replace(node=place.node.compound_node), ours, theirs)
        for rank, (key, child) in enumerate(below.keys.items()):
            if key not in taken:
                self.visit(place.key(key, child, rank), e.get(key, MISSING), o.get(key, MISSING))
        for key in sorted((e.keys() | o.keys()) - {*below.keys, *taken}):
            here = place.key(key, below.others or place.node, LAST)
            if below.others is not None:
                self.visit(here, e.get(key, MISSING), o.get(key, MISSING))
            elif key in e or here.others:
                self.outside.append(Path((*place.node.path, key)).canonical)
            else:
                self._extra(place, o[key], key)

    def _extra(self, place: Place, value: Any, *steps: Any) -> None:
        """Every leaf of what only the output has, and the schema lacks."""
        absent = self.absent.has(value)
        if absent and self.weighing:
            self.units += [] if self.absent.skip else [(MATCH, place.rank)]
        elif isinstance(value, dict) and value and not absent:
            for key in sorted(value):
                self._extra(place, value[key], *steps, key)
        elif isinstance(value, list) and value and not absent:
            for index, inner in enumerate(value):
                self._extra(place, inner, *steps, Unpaired(index))
        else:
            field = Path((*place.node.path, *(ANY if isinstance(one, Unpaired) else one for one in steps))).canonical
            location = (*place.location, *steps)
            self.results.append(Found(location, field, None, HALLUCINATION, MISSING, value, place.node))
            self.units.append((HALLUCINATION, place.rank))

    def _list(self, place: Place, e: list[Any], o: list[Any]) -> None:
        item = place.node.below.items
        assert item is not None
        pairs = paired(place.node, item, e, o, self.absent)
        self.pairs.append((place.location, e, o, pairs))
        partner = dict(pairs)
        for row, value in enumerate(e):
            other = o[partner[row]] if row in partner else MISSING
            self.visit(place.item(item, row, e), value, other)
        for column in unpaired_indexes(pairs, len(e), len(o))[1]:
            self.visit(place.item(item, Unpaired(column), e), MISSING, o[column])

    def _one(self, place: Place, status: FieldStatus, e: Any, o: Any) -> None:
        """A result of a container itself."""
        self._add(place, None, status, e, o)
        self.units.append((status, place.rank))

    def _add(self, place: Place, metric: str | None, status: FieldStatus, e: Any, o: Any) -> None:
        self.results.append(Found(place.location, place.node.name, metric, status, e, o, place.node))

    def _counted(self, location: InstancePath, e: Any, o: Any, pairs: Pairs) -> ListResult | None:
        """The items of a list, counted from the results that stand in them."""
        below = [one for one in self.results if one.location[: len(location)] == location]
        if not any(one.status in MEASURED for one in below):
            return None
        by_item: dict[Any, list[FieldStatus]] = {}
        for one in below:
            if len(one.location) > len(location):
                by_item.setdefault(one.location[len(location)], []).append(one.status)
        inside = {step: found for step, found in by_item.items() if any(status in COUNTED for status in found)}
        expects = isinstance(e, list) or e in (MISSING, None, {}) or self.absent.has(e)
        rows, columns = len(e) if isinstance(e, list) else 0, len(o) if isinstance(o, list) and expects else 0
        expected = [row for row in range(rows) if row in inside]
        together = [pair for pair in pairs if pair[0] in inside]
        alone = [column for column in unpaired_indexes(pairs, rows, columns)[1] if Unpaired(column) in inside]
        matched = sum(all(status in (MATCH, FieldStatus.SKIPPED) for status in inside[row]) for row, _ in together)
        return ListResult(
            spell_location(location),
            matched,
            len(expected) - matched,
            len(together) + len(alone) - matched,
            len(together),
        )


def compare(root: FieldNode, expected: Any, output: Any, absent: Absent = NONE_ABSENT) -> Comparison:
    """What becomes of two documents. An unreadable output is MISSING."""
    found = Comparison(absent)
    found.visit(Place(root), expected, output)
    return found


def paired(node: FieldNode, item: FieldNode, e: list[Any], o: list[Any], absent: Absent = NONE_ABSENT) -> Pairs:
    """The items of two lists that go together, as the alignment says."""
    align, in_order = node.align, [(at, at) for at in range(min(len(e), len(o)))]
    if align.how == "ordered" or not e or not o or (align.free and json_equal(e, o)):
        return in_order
    if align.how == "key_field":
        read = key_reader(align, absent.has if absent.values else None)
        ours, theirs = [*map(read, e)], [*map(read, o)]
        keyless = zip(*([at for at, key in enumerate(side) if key is None] for side in (ours, theirs)), strict=False)
        return sorted([*pairs_by_key(ours, theirs), *(keyless if align.keyless == "ordered" else ())])
    table = [[weighed(item, a, b, absent) for b in o] for a in e]
    ranks = sorted({rank for line in table for _, hits in line for rank in hits}, reverse=True)
    most = max((times for line in table for _, hits in line for times in hits.values()), default=0)
    base = 1 + most * len(in_order)
    worths = [
        [
            worth._replace(rank=sum(base ** ranks.index(rank) * times for rank, times in hits.items()))
            for worth, hits in line
        ]
        for line in table
    ]
    return sorted(assign_gains(gains(worths, align.least_f1), range(len(e)), range(len(o))))


def weighed(item: FieldNode, e: Any, o: Any, absent: Absent) -> tuple[Worth, Counter[Rank]]:
    """What pairing two items is worth, and how often each field of theirs matches."""
    found = Comparison(absent, weighing=True)
    found.visit(Place(item, (0,), (LAST,)), e, o)
    counts = Counter(status for status, _ in found.units)
    wrong = counts[MISMATCH] + counts[FieldStatus.ERROR] + counts[FieldStatus.NOT_JUDGED]
    whole = Confusion(counts[MATCH], wrong, counts[OMISSION], counts[HALLUCINATION]).sums("f1")[1]
    hits = Counter(rank for status, rank in found.units if status is MATCH)
    alike = json_equal(e, o) or (item.unit and absent.at(item, e) and absent.at(item, o))
    return (Worth(counts[MATCH], whole) if whole else worth_of_one_result(alike)), hits


def settled(one: Found, absent: Absent) -> FieldStatus:
    """What a result is once its values are taken for missing where they count as absent."""
    node, status = one.node, one.status
    unread = any(read is not None and read(one.expected) is not None for read in node.readers) if one.metric else False
    if not absent.values or status is FieldStatus.SKIPPED or (status is FieldStatus.NOT_JUDGED and not unread):
        return status
    lacking = [absent.has(compared(node, side) if one.metric else side) for side in (one.expected, one.output)]
    if all(lacking):
        neither = one.expected is one.output is MISSING
        nothing = FieldStatus.SKIPPED if absent.skip else MATCH
        return status if neither else OMISSION if node.required and one.field == node.name else nothing
    if one.metric is None or MISSING in (one.expected, one.output) or (unread and not lacking[0]):
        return status
    return HALLUCINATION if lacking[0] else OMISSION if lacking[1] else status


def lines(found: Comparison) -> Iterator[tuple[object, ...]]:
    """The results, to be held against those of the engine."""
    for one in found.results:
        yield spell_location(one.location), *one[1:6]
