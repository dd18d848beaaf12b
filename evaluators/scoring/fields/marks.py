"""The values of an item that a result may be a match by, read from each item alone: so that few pairs need to be weighed.

    leaves_of_node(node)(item)

A value is known by its place in the tree and a key, where its comparator says what values share exactly when they match. In a
complete pair both items have the same ones, each as often: their *mark*. Two items that share none have no match in common,
unless one has a value without a key. Keys that are not declared are not looked at. Where a schema has a container, and an
item has null there, or nothing that is compared, it may match its like: two items may share that, but it is in no mark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from msgspec import Struct, field

from evaluators.model.issues import RowProblem
from evaluators.model.rows import MISSING
from evaluators.scoring.comparators._comparator import Comparator
from evaluators.scoring.values.pairing import identity
from evaluators.scoring.values.transforms import Transform, TransformError, chain

if TYPE_CHECKING:
    from evaluators.scoring.fields.tree import FieldNode

ValueKey: TypeAlias = Callable[[Any], Hashable]
CONTAINER: Final = {"object": dict, "array": list}
_JOINED: Final = object()


class Absence(Protocol):
    """Which values count as absent, as `AbsentValues` has it."""

    @property
    def both(self) -> Literal["skip", "match"]:
        """The result of a place that is absent on both sides."""

    def at(self, node: FieldNode) -> Callable[[Any], bool]:
        """Whether a value at a place counts as absent."""


class Leaves(Struct, frozen=True):
    """What is to know of an item before it is weighed."""

    mark: Hashable
    """What it shares with the other item of every complete pair."""
    values: frozenset[Hashable]
    """It shares one with every item with which it has a match in common, where all of both are known."""
    known: bool


LeavesOf: TypeAlias = Callable[[Any], Leaves]


class _Collected(Struct):
    absent: Absence | None = None
    keyed: list[Hashable] = field(default_factory=list)
    bare: list[Hashable] = field(default_factory=list)
    known: bool = True

    def leaves(self) -> Leaves:
        # two items without anything that is compared are a complete pair when they are equal
        values = frozenset(self.keyed).union(self.bare) or frozenset([None])
        return Leaves(frozenset(Counter(self.keyed).items()), values, self.known)


def leaves_of_all(
    of: LeavesOf, expected: Sequence[Any], output: Sequence[Any]
) -> tuple[list[Leaves], list[Leaves]] | None:
    """The leaves of each item of two lists; None where those of one cannot be told."""
    try:
        return [*map(of, expected)], [*map(of, output)]
    except (TransformError, RowProblem, RecursionError):
        return None


def value_key(comparator: Comparator, transforms: Sequence[Transform]) -> ValueKey | None:
    """What values share exactly when they match; None where no such thing is known. The key may raise as transforms do."""
    if comparator.costs or comparator.reads != "both":
        return None
    key, apply = comparator.key(), chain(transforms)
    if key is None or apply is None:
        return key
    return lambda value: key(apply(value))


def leaves_of_node(node: FieldNode, absent: Absence | None = None) -> LeavesOf:
    """What gives the leaves of an item. What counts as `absent` is in no mark."""

    def read(item: Any) -> Leaves:
        found = _Collected(absent)
        _collect(node, item, found)
        return found.leaves()

    return read


def _collect(node: FieldNode, value: Any, found: _Collected) -> None:
    if value is MISSING or node.skip:
        return
    if found.absent is not None and node.once(found.absent.at)(value):
        found.known = (
            found.known and found.absent.both == "skip"
        )  # it may match a place that is absent on the other side, too
        return
    kind = CONTAINER.get(node.kind)
    if node.unit:
        for place, key in node.once(_unit_keys):
            if key is None:
                found.known = False
            else:
                found.keyed.append((place, key(value)))
    elif node.policy.containers == "looked through":
        _collect_listed(node, value, found)
    elif kind is None:
        found.known = False
    elif value.__class__ is dict and node.as_object is not None:
        _collect(node.as_object, value, found)
    elif value is not None and value.__class__ is not kind:  # it matches its like alone
        found.keyed.append((id(node), identity(value)))
    else:
        before = len(found.keyed), found.known
        _collect_inside(node, value or (), found)
        if before == (len(found.keyed), found.known):  # what is inside may come to nothing: then it is as good as empty
            found.bare.append(id(node))


def _collect_inside(node: FieldNode, value: Any, found: _Collected) -> None:
    below = node.below
    if value.__class__ is dict:
        taken = node.compound.fields if node.compound is not None else ()
        for key, child in below.keys.items():
            if key not in taken:
                _collect(child, value.get(key, MISSING), found)
        if any(key in value for key in taken) or (below.others is not None and not value.keys() <= below.keys.keys()):
            found.known = False
    elif below.items is not None:
        for item in value:
            _collect(below.items, item, found)
    elif value:
        found.known = False


def _collect_listed(node: FieldNode, value: Any, found: _Collected) -> None:
    """Collects the keys of fields that are reached by paths: the objects and lists on the way have no keys of their own."""
    below = node.below
    if node.kind == "object":
        for getter, child in node.once(_getters):
            inner = getter(value)
            if inner is _JOINED:
                found.known = False
            else:
                _collect(child, inner, found)
    elif below.whole is not None:
        found.known = False
    elif below.items is not None and isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            _collect(below.items, item, found)


def _unit_keys(node: FieldNode) -> list[tuple[Hashable, ValueKey | None]]:
    """What values of a place share when they match, by metric, with what stands for the place."""
    if node.line is not None and node.line.together is not None:
        return [(id(node), None)]
    keys = [value_key(metric.comparator, node.transforms) for metric in node.metrics]
    return [(id(node) if len(keys) == 1 else (id(node), number), key) for number, key in enumerate(keys)]


def _getters(node: FieldNode) -> list[tuple[Callable[[Any], Any], FieldNode]]:
    """What reads each field that is reached from a place."""
    return [(path.unjoined_getter(_JOINED), child) for path, child in node.below.reached]
