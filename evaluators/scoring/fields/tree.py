"""The tree of what is compared. It follows the shape of the documents.

`fields:` of a suite, an x-eval schema and an evaluation_config schema are front ends that make the same tree. A node
with metrics is one unit, whatever its value; a node without them is looked into: an object key by key, an array item by
item, a choice by its best-fitting branch. What stands below a node may be made late, so that a schema may refer to
itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct, field

from evaluators.model.issues import Issue
from evaluators.scoring.comparators._comparator import Comparator
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.fields.rules import Ask, Together, key_transforms, reader_of_expected
from evaluators.scoring.values.paths import Path
from evaluators.scoring.values.transforms import Transform


class Policy(Struct, frozen=True):
    """How the places of a tree are read."""

    one_result: Literal["value", "line"]
    containers: Literal["results", "looked through"]
    """`looked through`: keys that the tree lacks are ignored."""
    every: Literal["item", "item or value"]
    """What `[*]` means."""
    one_sided: Literal["extra", "asked"]


SCHEMA: Final = Policy(one_result="value", containers="results", every="item", one_sided="extra")
FIELDS: Final = Policy(one_result="value", containers="results", every="item or value", one_sided="asked")
LISTED: Final = Policy(one_result="line", containers="looked through", every="item or value", one_sided="asked")

Kind: TypeAlias = Literal["leaf", "object", "array", "choice"]
SchemaPath: TypeAlias = tuple[Any, ...]
"""Keys, and `ANY` for the items of a list."""


class Metric(Struct, frozen=True):
    """One way in which a unit is compared, with its weight among the unit's others."""

    name: str
    """The word of the comparator, as reports print it."""
    comparator: Comparator
    rule: str
    """The comparator and its options, as a person reads them."""
    weight: Fraction = Fraction(1)
    fallback_for: str | None = None
    """The comparator that this one is a fallback for, where `fallback` named it."""


class Compound(Struct, frozen=True):
    """Keys of an object that are compared as one unit, at the object's own path."""

    fields: tuple[str, ...]
    metric: Metric


class Shape(Struct, frozen=True):
    """The declared shape of a value, for checks and reports. Scoring does not read it."""

    types: frozenset[str] = frozenset()
    """JSON types; empty when none is declared."""
    nullable: bool = False
    required: frozenset[str] = frozenset()
    """The keys that must stand in an object."""
    title: str | None = None
    description: str | None = None


class ListedField(Struct, frozen=True):
    """The line of `fields:` that a leaf is, where one result is a line."""

    number: int
    """Its place among the lines that are scored."""
    name: str
    together: Together | None = None
    """The keys of the object there that are compared as one value."""
    each: bool = False
    """An expected list is read item by item."""

    def line_reader(self, ask: Ask | None) -> Ask | None:
        """A function that gives the issue of a line's expected value. It asks `ask` about each value that is compared: each item of a list
        that is read item by item, each object of the keys that are compared together."""
        together, each = self.together, self.each
        if ask is None or (together is None and not each):
            return ask

        def read(value: Any) -> Issue | None:
            """The issue of the first compared value that cannot be read; None where all can."""
            values = value if each and isinstance(value, list) else (value,)
            compared = values if together is None else [picked for item in values if (picked := together.pick(item))]
            return next((issue for item in compared if (issue := ask(item)) is not None), None)

        return read


class PairCost(Struct, frozen=True):
    """How costly it is to compare two items."""

    slow: bool = False
    """Some comparator of theirs tells how alike two texts are, or is a function or a pattern of the user's."""
    deep: bool = False
    """Some list inside the items has items that are paired freely, too."""


class Below(Struct, frozen=True):
    """The nodes below one that is looked into."""

    keys: Mapping[str, FieldNode] = field(default_factory=dict)
    """The declared keys of an object, in the order in which results are listed."""
    others: FieldNode | None = None
    """What every key that is not declared is compared with; without it such a key is outside the schema."""
    items: FieldNode | None = None
    """Every item of an array."""
    branches: tuple[FieldNode, ...] = ()
    """The branches of a choice, each with the path of the choice itself."""
    reached: tuple[tuple[Path, FieldNode], ...] = ()
    """Of listed fields: nodes, each with the path that leads there from here, whatever is on the way."""
    whole: FieldNode | None = None
    """What a value of an array is compared with where a side has no list, or both have an empty one; None where it is not."""


MOST_NODES: Final = 10_000
"""Of a schema that refers to itself so many places are looked at."""
NOTHING_BELOW: Final = Below()
UNDECLARED: Final = Shape()
ORDERED: Final = Align()
_BRANCHES_DEEP: Final = 8
"""How many lists and choices are looked through for the first keys of a document: a schema may refer to itself."""


class FieldNode(Struct, frozen=True, eq=False, dict=True):
    """One place of the tree, with how it is compared."""

    path: SchemaPath
    kind: Kind = "leaf"
    metrics: tuple[Metric, ...] = ()
    """How a unit is compared. A leaf has at least one unless it is skipped; an object or an array that has some is one
    unit."""
    transforms: tuple[Transform, ...] = ()
    """What is done to both values of a unit first, left to right."""
    align: Align = ORDERED
    """How the items of an array are paired."""
    compound: Compound | None = None
    weight: Fraction = Fraction(1)
    required: bool = False
    """Absent on both sides is an omission."""
    skip: bool = False
    """The node and everything below it is left out."""
    fallback_for: str | None = None
    """The comparator of a whole list that the alignment is a fallback for, where `fallback` named it."""
    shape: Shape = UNDECLARED
    make: Callable[[], Below] | None = None
    """Makes what stands below, when it is first asked for."""
    policy: Policy = SCHEMA
    line: ListedField | None = None
    listed: int | None = None
    """Of a tree of `fields:` the place of its line, or of the first one below, among the lines."""
    origin: object = None
    """The part of a schema that the node was made from. Nodes of one origin, in different places, compare alike."""

    @cached_property
    def below(self) -> Below:
        """The nodes below, made once."""
        return self.make() if self.make is not None else NOTHING_BELOW

    @cached_property
    def answers_comparator(self) -> Comparator | None:
        """The comparator of the place, where it reads right answers, or a pattern, in a column; None for any other."""
        comparator = self.metrics[0].comparator if self.metrics and not self.skip else None
        return comparator if comparator is not None and comparator.answers_column is not None else None

    @cached_property
    def list_comparator(self) -> Comparator | None:
        """The comparator of the place, where its expected value is a list of right answers; None for any other."""
        comparator = self.metrics[0].comparator if len(self.metrics) == 1 and not self.skip else None
        return comparator if comparator is not None and comparator.lists_answers else None

    @cached_property
    def lists_answers(self) -> bool:
        """Whether the expected value may be a list of right answers."""
        return any(metric.comparator.lists_answers for metric in self.metrics)

    @cached_property
    def readers(self) -> tuple[Ask | None, ...]:
        """For each metric, a function that gives the issue of an expected value which it cannot read; None where it can read any."""
        readers = tuple(reader_of_expected(metric.comparator, self.transforms) for metric in self.metrics)
        return readers if self.line is None else tuple(map(self.line.line_reader, readers))

    @cached_property
    def compound_node(self) -> FieldNode:
        """A leaf at the object's own path that compares the keys of the compound as one value. The transforms of each key are done first,
        then those of the object."""
        keys, metrics = ((), ()) if self.compound is None else (self.compound.fields, (self.compound.metric,))
        below = self.below.keys
        transforms = (*key_transforms({key: below[key].transforms for key in keys if key in below}), *self.transforms)
        return FieldNode(self.path, "leaf", metrics, transforms, weight=self.weight, listed=self.listed)

    @cached_property
    def pairing_cost(self) -> PairCost:
        """How costly it is to compare two items of this array: read from the nodes below."""
        inside = [node for node in nodes(self, once=True) if node is not self]
        metrics = (metric.comparator for node in inside for metric in node.all_metrics)
        slow = any(each.slow and not each.costs for each in metrics)
        return PairCost(slow, any(node.kind == "array" and node.align.free for node in inside))

    @cached_property
    def needed_in_output(self) -> bool:
        """Whether the output must have it, whatever the expected side has: its comparator, or that of a key below, reads the output
        alone."""
        if self.policy.one_sided == "extra" or self.skip:
            return False
        if self.unit:
            return any(metric.comparator.reads == "output" for metric in self.metrics)
        return self.kind == "object" and any(child.needed_in_output for child in self.below.keys.values())

    @cached_property
    def has_answers_below(self) -> bool:
        """Whether the comparator of one of its keys reads right answers in a column."""
        answers = (child.answers_comparator for child in self.below.keys.values())
        return self.kind == "object" and any(answer is not None and answer.reads == "both" for answer in answers)

    @cached_property
    def as_object(self) -> FieldNode | None:
        """This list read as an object, for rows that have two objects at its place: `[*]` then stands for the values of any key. None for
        what is no list or is compared as a unit, and where `[*]` means the items of lists alone."""
        if self.kind != "array" or self.unit or self.policy.every == "item":
            return None
        return FieldNode(
            self.path,
            "object",
            weight=self.weight,
            policy=self.policy,
            make=lambda: Below(others=self.below.items),
            listed=self.listed,
        )

    @property
    def all_metrics(self) -> tuple[Metric, ...]:
        """The metrics of the node, that of its compound included."""
        return self.metrics if self.compound is None else (*self.metrics, self.compound.metric)

    def first_keys(self) -> frozenset[str]:
        """The keys at the top of a document that this is the root of; for an array, those of its items; for a choice, those of all its
        branches. Lists and choices inside each other are followed a few levels deep."""
        columns: set[str] = set()
        waiting, deep = [self], 0
        while waiting and deep < _BRANCHES_DEEP:
            columns.update(key for node in waiting if node.kind == "object" for key in node.below.keys)
            columns.update(key for node in waiting if node.compound for key in node.compound.fields)
            below = [node.below for node in waiting if node.kind in ("array", "choice")]
            waiting = [node for child in below for node in (child.items, *child.branches) if node is not None]
            deep += 1
        return frozenset(columns)

    @cached_property
    def unit(self) -> bool:
        """Whether it is compared as one value."""
        return self.kind == "leaf" or bool(self.metrics)

    @cached_property
    def name(self) -> str:
        """The path as people read it: `items[*].name`."""
        return Path(self.path).canonical if self.line is None else self.line.name


def nodes(
    root: FieldNode, once: bool = False, ends: Callable[[FieldNode], bool] = lambda _: False
) -> Iterator[FieldNode]:
    """Yields the nodes of a tree, nearest first, MOST_NODES at most: a schema that refers to itself repeats itself.

    `once`: of nodes with the same origin, which are compared alike, only the nearest. `ends` says below which nodes nothing is wanted.
    """
    pending, seen = deque([root]), set[int]()
    for _ in range(MOST_NODES):
        if not pending:
            return
        node = pending.popleft()
        if once and id(node.origin or node) in seen:
            continue
        seen.add(id(node.origin or node))
        yield node
        if not node.unit and not node.skip and not ends(node):
            below = node.below
            pending += [*below.keys.values(), *below.branches, *(child for _, child in below.reached)]
            pending += [child for child in (below.others, below.items, below.whole) if child is not None]


def distinct_branches(branches: Sequence[FieldNode]) -> Sequence[FieldNode]:
    """The branches of a choice; of those that were made from the same part of a schema, only the first."""
    nodes_by_id: dict[int, FieldNode] = {}
    for branch in branches:
        nodes_by_id.setdefault(id(branch.origin or branch), branch)
    return tuple(nodes_by_id.values())


def knows(branches: Iterable[FieldNode], key: str) -> bool:
    """Whether some branch of a choice, or of a choice inside it, has a key."""
    waiting, seen = [*branches], set[int]()
    while waiting:
        branch = waiting.pop()
        if id(branch.origin or branch) in seen:
            continue
        seen.add(id(branch.origin or branch))
        if key in branch.below.keys:
            return True
        waiting.extend(branch.below.branches)
    return False
