"""The values of an item that a result may be a match by, read from each item alone: so that few pairs need to be weighed.

A value is known by its place and a key, where its comparator says what values share exactly when they match. In a complete pair both
items have the same ones, each as often: their *fingerprint*. Two items that share none have no match in common, unless one has a value
without a key. Keys that are not declared are not looked at. Where a schema has a container, and an item has null there, or nothing
that is compared, it may match its like: two items may share that, but it is in no fingerprint.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias

from msgspec import Struct, field

from evaluators.model.issues import RowProblem
from evaluators.model.rows import MISSING
from evaluators.scoring.fields.places import CHOICE, EACH, JOINED, SKIP, THROUGH, UNIT, Place
from evaluators.scoring.values.pairing import (
    lookup_key,
)
from evaluators.scoring.values.transforms import TransformError


class Fingerprint(Struct, frozen=True):
    """The facts about an item that are known before it is weighed."""

    keys: Hashable
    """The same in both items of every complete pair: the keys of its values, each with how often it occurs."""
    values: frozenset[Hashable]
    """Two items that have a match in common share one of them, where all values of both are known."""
    known: bool
    """Each of its values has a key."""


Fingerprinting: TypeAlias = Callable[[Any], Fingerprint]


def fingerprints(
    fingerprint_of: Fingerprinting, expected: Sequence[Any], output: Sequence[Any]
) -> tuple[list[Fingerprint], list[Fingerprint]] | None:
    """The fingerprints of the items of two lists, made by `fingerprint_of`; None where a transform cannot change a
    value of one."""
    try:
        return [*map(fingerprint_of, expected)], [*map(fingerprint_of, output)]
    except (TransformError, RowProblem, RecursionError):
        return None


def fingerprint(place: Place, item: Any) -> Fingerprint:
    """The fingerprint of one item of a list; `place` is that of the items."""
    collected = _Values()
    _collect(place, item, collected)
    # two items without anything that is compared are a complete pair when they are equal
    values = frozenset(collected.keyed).union(collected.bare) or frozenset([None])
    return Fingerprint(frozenset(Counter(collected.keyed).items()), values, collected.known)


class _Values(Struct):
    """The values of an item, each as its place with its key."""

    keyed: list[Hashable] = field(default_factory=list)
    bare: list[Hashable] = field(default_factory=list)
    """Containers in which nothing is compared: they may match their like, and are in no fingerprint."""
    known: bool = True


def _collect(place: Place, value: Any, values: _Values) -> None:
    """Adds to `values` the value at a place, or all values below it. A value that counts as absent is not added."""
    node = place.node
    if value is MISSING or place.kind == SKIP:
        return
    if place.absent.values and place.absent_at(value):
        # where both sides are absent it may be a match
        values.known = values.known and place.absent.both == "skip"
    elif place.kind == UNIT:
        for owner, key in place.value_keys:
            if key is None:
                values.known = False
            else:
                values.keyed.append((owner, key(value)))
    elif place.kind in (THROUGH, EACH):
        _collect_at_paths(place, value, values)
    elif place.kind == CHOICE:
        values.known = False
    elif value.__class__ is dict and place.as_object is not None:
        _collect(place.as_object, value, values)
    elif value is not None and value.__class__ is not (dict if node.kind == "object" else list):
        values.keyed.append((place, lookup_key(value)))  # it matches its like alone
    else:
        before = len(values.keyed), values.known
        _collect_inside(place, value or (), values)
        if before == (len(values.keyed), values.known):  # nothing inside is compared: then it is as good as empty
            values.bare.append(place)


def _collect_inside(place: Place, value: Any, values: _Values) -> None:
    """Adds to `values` those inside an object or a list. The item is not `known` where something inside has no key: an undeclared key that
    counts, a field compared together with others, or items that the tree has no place for."""
    node = place.node
    if value.__class__ is dict:
        for key, _, child in place.steps:
            _collect(child, value.get(key, MISSING), values)
        together = node.compound.fields if node.compound is not None else ()
        undeclared = place.others is not None and not value.keys() <= node.below.keys.keys()
        if undeclared or any(key in value for key in together):
            values.known = False
    elif place.items is not None:
        for item in value:
            _collect(place.items, item, values)
    elif value:
        values.known = False


def _collect_at_paths(place: Place, value: Any, values: _Values) -> None:
    """Adds the values that the paths of listed fields lead to. The objects and lists on the way have none of their own."""
    if place.kind == THROUGH:
        for read, child in place.unjoined_places:
            inner = read(value)
            if inner is JOINED:
                values.known = False
            else:
                _collect(child, inner, values)
    elif place.whole is not None:
        values.known = False
    elif place.items is not None and isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            _collect(place.items, item, values)
