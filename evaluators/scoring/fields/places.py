"""The tree as a walk reads it: what each place is, in plain attributes. Compiled when a document first leads there, as a schema may
refer to itself."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cached_property
from types import NoneType
from typing import Any, Final, NamedTuple

from msgspec import Struct

from evaluators.model.issues import RowProblem
from evaluators.model.rows import Missing
from evaluators.scoring.fields.item_keys import ValueKey, item_key, key_reader, node_of_item, value_key
from evaluators.scoring.fields.presence import AbsentValues
from evaluators.scoring.fields.rules import (
    Ask,
    Rule,
    answering_rule,
    asks_equality,
    compile_together,
    stand_in_comparator,
)
from evaluators.scoring.fields.tree import FieldNode, Metric, distinct_branches
from evaluators.scoring.judges.judged_comparator import JudgedComparator, ListTotals
from evaluators.scoring.values.transforms import chain

SKIP, UNIT, CHOICE, THROUGH, EACH, OBJECT, ARRAY, LACKING = range(8)
"""The kinds of places: skipped; compared as one value; a choice of branches; of listed fields, paths that lead further or a list;
an object; a list; not in the schema."""
EMPTY_KINDS: Final = frozenset((str, list, dict, NoneType, Missing))
JOINED: Final = object()
AFTER: Final = float("inf")
Trail = tuple[float, ...]


class UnitRules(Struct, frozen=True):
    """How the values of a place are compared: for each of its metrics."""

    rules: tuple[Rule, ...]
    """For each metric. A comparator that costs has one that stands in for it while pairs are weighed."""
    readers: tuple[Ask | None, ...]
    unread: bool
    """There may be expected values that cannot be read."""
    costs: bool
    """Some comparator costs: a judge or an async function answers."""
    each: bool
    """Equal values are compared, too."""
    alone: bool
    """A value of the output is compared where the expected side has none."""
    exact: bool
    """There is one metric, and it is equality."""
    single: Rule | None
    """The rule, where there is one metric."""

    def problems(self, value: Any) -> list[RowProblem | None] | None:
        """For each metric, the problem of an expected value that it cannot read; None where all can read it."""
        issues = [None if ask is None else ask(value) for ask in self.readers]
        if all(issue is None for issue in issues):
            return None
        return [None if issue is None else RowProblem(issue) for issue in issues]


def compile_unit(node: FieldNode) -> UnitRules:
    """The rules by which a place that is one value is compared."""
    comparators = [metric.comparator for metric in node.metrics]
    rules = tuple(
        answering_rule(stand_in_comparator() if comparator.costs else comparator, node.transforms)
        for comparator in comparators
    )
    together = None if node.line is None else node.line.together
    if together is not None:
        rules = tuple(compile_together(together, rule) for rule in rules)
    one_sided = any(comparator.reads == "output" for comparator in comparators)
    equality = len(comparators) == 1 and not comparators[0].costs and asks_equality(comparators[0], node.transforms)
    return UnitRules(
        rules=rules,
        readers=node.readers,
        unread=any(ask is not None for ask in node.readers),
        costs=any(comparator.costs for comparator in comparators),
        # equal objects may have none of the keys that are compared together: then nothing is measured
        each=together is not None or not all(comparator.reflexive for comparator in comparators),
        alone=one_sided and node.policy.one_sided == "asked",
        exact=equality and together is None,
        single=rules[0] if len(rules) == 1 else None,
    )


class ShownMetric(Struct, frozen=True):
    """The words and numbers that all results of one metric of a place share."""

    metric: Metric
    weight: Fraction
    """The weight of the place, times that of the metric."""
    details: dict[str, object]
    transform: Callable[[Any], Any] | None
    ask: Ask | None
    """Gives the issue of an expected value that the metric cannot read."""
    totals: ListTotals | None
    """How a list counts of which the metric says which items match."""


def shown_metrics_of(node: FieldNode) -> tuple[ShownMetric, ...]:
    """For each metric of a place, the words and numbers that its results share."""
    shown = []
    for metric, ask in zip(node.metrics, node.readers, strict=True):
        details: dict[str, object] = {"metric": metric.name}
        if metric.comparator.batch:
            details["batch"] = True
        if metric.fallback_for is not None:
            details["stands_for"] = metric.fallback_for
        totals = metric.comparator.list_totals() if isinstance(metric.comparator, JudgedComparator) else None
        weight = node.weight if metric.weight == 1 else node.weight * metric.weight
        shown.append(ShownMetric(metric, weight, details, chain(node.transforms), ask, totals))
    return tuple(shown)


class Mark:
    """A match at a place. `empty` has 1 where the expected value is empty, and 2 where the output's is."""

    __slots__ = ("empty", "place")

    def __init__(self, place: Place, empty: int) -> None:
        self.place, self.empty = place, empty


class Place:
    """A node of the tree, compiled for walks: plain attributes, and the places below, which are made when a document leads there."""

    def __init__(
        self,
        node: FieldNode,
        absent: AbsentValues,
        trail: Trail = (),
        inside: bool = False,
        choices: tuple[int, ...] = (),
        siblings: tuple[FieldNode, ...] = (),
        kind: int | None = None,
    ) -> None:
        """Compiles a node. `absent` are the values that count as absent. `kind` is given for places that the schema lacks alone; else it is
        that of the node."""
        self.node, self.absent, self.trail = node, absent, trail
        """`trail` has the positions of the keys that lead here; AFTER for items, and for keys that are not declared."""
        self.inside, self.choices, self.siblings = inside, choices, siblings
        """In items of a list; how much of the trail leads to each choice on the way; the branches of these choices."""
        self.kind = _kind(node) if kind is None else kind
        self.marks = Mark(self, 0), Mark(self, 1), Mark(self, 2), Mark(self, 3)
        self.full, self.bare = self.marks[0], self.marks[3]
        self.needed = not node.skip and (node.required or node.needed_in_output)
        self.how = compile_unit(node) if self.kind == UNIT else None
        self.as_result = node.lists_answers
        """Its matches are results: the values count."""
        self.needs_preparing = (
            node.answers_comparator is not None
            or node.list_comparator is not None
            or bool(absent.values and not node.skip)
        )
        """Values are changed before they are compared: right answers of a cell, absent values."""
        how = self.how
        self.quick = how is not None and not (how.unread or how.each or self.needs_preparing or self.as_result)
        """Equal values match, and nothing is to be asked of them."""
        self.exact = self.quick and how is not None and how.exact
        """Scalars that differ are a mismatch, too, and nothing is to be asked of them."""
        self.ordered, self.unique = node.align.how == "ordered", node.align.unique
        self.looked_into = self.kind in (OBJECT, ARRAY) and not self.needs_preparing
        self.ranks: dict[Place, Trail] = {}

    def _under(self, node: FieldNode, step: float, inside: bool | None = None) -> Place:
        """The place of a node below this one; `step` is its position among the keys, or AFTER. `inside` says whether it
        stands in items of a list."""
        return Place(
            node, self.absent, (*self.trail, step), self.inside if inside is None else inside, self.choices, self.siblings
        )

    @cached_property
    def steps(self) -> tuple[tuple[str, Mark | None, Place], ...]:
        """(key, mark, place) of each declared key of an object, without those of a compound. The mark is that of a match, or None where
        equal values may not match."""
        taken = self.node.compound.fields if self.node.compound is not None else ()
        placed = [
            (key, self._under(node, index))
            for index, (key, node) in enumerate(self.node.below.keys.items())
            if key not in taken
        ]
        return tuple((key, place.full if place.quick else None, place) for key, place in placed)

    @cached_property
    def steps_of_every(self) -> tuple[tuple[str, Mark | None, Place], ...]:
        """The `steps` with None for every mark, for walks in which matches are results."""
        return tuple((key, None, place) for key, _, place in self.steps)

    @cached_property
    def needed_steps(self) -> tuple[tuple[str, Place], ...]:
        """The declared keys that the output must have, each with its place."""
        return tuple((key, place) for key, _, place in self.steps if place.needed)

    @cached_property
    def others(self) -> Place | None:
        """The place of every key that is not declared; None where such keys are outside the schema."""
        node = self.node.below.others
        return None if node is None else self._under(node, AFTER)

    @cached_property
    def items(self) -> Place | None:
        """The place of the items of a list; None where they are not described."""
        node = self.node.below.items
        return None if node is None else self._under(node, AFTER, True)

    @cached_property
    def whole(self) -> Place | None:
        """The place by which a list of listed fields is compared as one value, where a side has no list; None where it
        is not."""
        node = self.node.below.whole
        return None if node is None else Place(node, self.absent, self.trail, self.inside, self.choices)

    @cached_property
    def branches(self) -> tuple[Place, ...]:
        """The branches of a choice, those that are the same schema once."""
        choices, every = (*self.choices, len(self.trail)), self.node.below.branches
        siblings = (*self.siblings, *every)
        return tuple(
            Place(node, self.absent, self.trail, self.inside, choices, siblings) for node in distinct_branches(every)
        )

    @cached_property
    def as_object(self) -> Place | None:
        """The place for two objects where `[*]` also means the values of an object; None where it does not."""
        node = self.node.as_object
        return None if node is None else Place(node, self.absent, self.trail, self.inside, self.choices, self.siblings)

    @cached_property
    def compound(self) -> Place:
        """The place of the keys that are compared as one value: a unit at the object's own path."""
        return Place(self.node.compound_node, self.absent, self.trail, self.inside, self.choices)

    @cached_property
    def compound_absent(self) -> dict[str, Callable[[Any], bool]]:
        """By each key that is compared together, a function that says whether a value of it counts as absent."""
        keys, together = self.node.below.keys, self.node.compound
        names = together.fields if together is not None else ()
        return {key: self.absent.test_at(keys[key]) if key in keys else self.absent.has for key in names}

    @cached_property
    def reached(self) -> tuple[ReachedPlace, ...]:
        """The places of listed fields that paths lead to from here, each with what reads its values in two documents."""
        reached = []
        for path, node in self.node.below.reached:
            around, place = _reader(path.part(0, -1)) if path.steps else None, self._under(node, AFTER)
            mark = place.full if place.quick else None
            reached.append(ReachedPlace(*_keys_of(path), mark, _reader(path), around, place))
        return tuple(reached)

    @cached_property
    def unjoined_places(self) -> tuple[tuple[Callable[[Any], Any], Place], ...]:
        """The places that paths lead to from here, each with the function that reads its value; JOINED where a key that
        contains dots may be meant."""
        paths = (path for path, _ in self.node.below.reached)
        return tuple((path.unjoined_getter(JOINED), to.place) for path, to in zip(paths, self.reached, strict=True))

    @cached_property
    def value_keys(self) -> list[tuple[Hashable, ValueKey | None]]:
        """For each metric, (what stands for this place and the metric, a function that gives two values the same key exactly when the
        metric finds them alike); None where there is no such function."""
        node = self.node
        if node.line is not None and node.line.together is not None:
            return [(self, None)]
        keys = [value_key(metric.comparator, node.transforms) for metric in node.metrics]
        return [(self if len(keys) == 1 else (self, number), key) for number, key in enumerate(keys)]

    @cached_property
    def item_key(self) -> ValueKey | None:
        """Where this is the place of items that are one value each, a function that gives two items the same key exactly when they match;
        else None, also where there is no such key."""
        return item_key(self.node, self.absent)

    @cached_property
    def set_key(self) -> ValueKey | None:
        """A function that gives the key of an item, by the one value that listed fields compare of it; None where there is none."""
        return item_key(node_of_item(self.node), self.absent)

    @cached_property
    def key_of(self) -> Callable[[Any], Hashable | None]:
        """The function that reads the key of an item of this list."""
        return key_reader(self.node.align, self.absent.if_any)

    @cached_property
    def shown_metrics(self) -> tuple[ShownMetric, ...]:
        """For each metric, the words and numbers that results of this place share."""
        return shown_metrics_of(self.node)

    @cached_property
    def absent_at(self) -> Any:
        """The function that says whether a value here counts as absent."""
        return self.absent.test_at(self.node)

    def rank(self, place: Place) -> Trail:
        """The sort key of a place among the fields of this item, remembered: its position in the lines, or in the schema. A choice is one
        field."""
        rank = self.ranks.get(place)
        if rank is None:
            node, start = place.node, len(self.trail)
            if node.line is not None:
                rank = (node.line.number,)
            elif node.listed is not None:
                rank = (node.listed,)
            else:
                rank = place.trail[start : next((end for end in place.choices if end >= start), None)]
            self.ranks[place] = rank
        return rank


def _kind(node: FieldNode) -> int:
    """The kind of a node's place: SKIP, UNIT, CHOICE, THROUGH, EACH, OBJECT or ARRAY."""
    if node.skip:
        return SKIP
    if node.unit:
        return UNIT
    if node.kind == "choice":
        return CHOICE
    if node.policy.containers == "looked through":
        return EACH if node.kind == "array" else THROUGH
    return OBJECT if node.kind == "object" else ARRAY


class ReachedPlace(NamedTuple):
    """A place that a path leads to, with what reads it in the two documents. A path of one or two plain keys is read by its keys."""

    key: str | None
    """The first key; None for a path that is read by `read` alone."""
    below: str | None
    """The second key."""
    joined: str | None
    """The one key with a dot that may stand for both (`a.b`)."""
    mark: Mark | None
    """The mark of a match that needs no more than equality."""
    read: Any
    """A function from two values to their two values at the path."""
    read_around: Any
    """The same for the values around those; None for a path without steps."""
    place: Place


def _keys_of(path: Any) -> tuple[str | None, str | None, str | None]:
    """The one or two keys of a path, and the one key with a dot that may stand for both (`a.b`); None, None, None for any other path."""
    steps = path.steps
    if path.query is not None or not 0 < len(steps) < 3 or not all(isinstance(step, str) for step in steps):
        return None, None, None
    return steps[0], steps[1] if len(steps) == 2 else None, ".".join(steps) if any(path.joins) else None


def _reader(path: Any) -> Any:
    """A function from two documents to their two values at a path; for a query, to the lists of its hits."""
    if path.query is not None:
        return lambda e, o: (_hits(path, e), _hits(path, o))
    if not path.steps:
        return lambda e, o: (e, o)
    return path.pair_getter()


def _hits(path: Any, document: Any) -> list[Any]:
    """Everything a query hits; an empty list where it hits nothing."""
    value = path.get(document) if document.__class__ is not Missing else None
    return value if isinstance(value, list) else []
