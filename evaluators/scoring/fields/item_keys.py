"""What identifies an item of a list, and what two values share exactly when they match."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

from evaluators.model.issues import RowProblem
from evaluators.model.rows import MISSING
from evaluators.scoring.comparators._comparator import Comparator
from evaluators.scoring.fields.presence import AbsentValues
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.values.pairing import (
    lookup_key,
    repeated_indexes,
)
from evaluators.scoring.values.transforms import Transform, TransformError, chain

ValueKey: TypeAlias = Callable[[Any], Hashable]
Items: TypeAlias = Sequence[Any]
_ABSENT: Final = "absent"


def value_key(comparator: Comparator, transforms: Sequence[Transform]) -> ValueKey | None:
    """A function from a value to a key; two values share it exactly when the comparator finds that they match, after
    the transforms. None where the comparator has no such key. The function raises as transforms do."""
    if comparator.costs or comparator.reads != "both":
        return None
    key, apply = comparator.key(), chain(transforms)
    if key is None or apply is None:
        return key
    return lambda value: key(apply(value))


def item_key(node: FieldNode, absent: AbsentValues) -> ValueKey | None:
    """A function from an item that is one value to a key that two items share exactly when they match; None where there is none. Absent
    items share one key."""
    if not node.unit or node.skip or node.required or len(node.metrics) != 1 or node.readers[0] is not None:
        return None
    key = value_key(node.metrics[0].comparator, node.transforms)
    if key is None or not absent.values:
        return key
    is_absent = absent.test_at(node)
    return lambda value: _ABSENT if is_absent(value) else (key(value),)


def node_of_item(item: FieldNode) -> FieldNode:
    """The node whose comparator compares an item as one value, where listed fields name the whole item (`tags[*]`);
    otherwise the node of the item."""
    reached = item.below.reached if not item.unit else ()
    return reached[0][1] if len(reached) == 1 and not reached[0][0].steps and reached[0][0].query is None else item


Absent: TypeAlias = Callable[[Any], bool] | None
"""Whether a value counts as absent; None where nothing does that is there."""
ItemKeys: TypeAlias = tuple[list[Hashable | None], list[Hashable | None]]
"""What identifies each item of two lists; None is an item without a key."""


def key_notes(align: Align, expected: Items, output: Items, absent: Absent) -> list[str]:
    """Remarks on the keys of two lists that a `key_field` pairs: how many items lack one, or have that of another item."""
    read = key_reader(align, absent)
    keys = [("expected", [*map(read, expected)]), ("output", [*map(read, output)])]
    counted = [(side.count(None), name, "without a key") for name, side in keys]
    counted += [(len(repeated_indexes(side)), name, "with the key of an earlier one") for name, side in keys]
    return [f"{count} {side} item{'s' if count > 1 else ''} {fault}" for count, side, fault in counted if count]


def key_reader(align: Align, absent: Absent = None) -> Callable[[Any], Hashable | None]:
    """A function from an item to its key: None where it lacks every part of it. A part that counts as `absent`, once transformed, is
    lacking.

    A part that the transforms cannot change, such as a number among texts, stays as it is.
    """
    paths, change = align.keys, chain(align.transforms)
    if len(paths) == 1 and change is None and len(paths[0].steps) == 1 and paths[0].steps[0].__class__ is str:
        name, path = paths[0].steps[0], paths[0]

        def read_text(item: Any) -> Hashable | None:
            """The key of an item by one key of objects, None where it is lacking. A text is its own key, and other values are wrapped in a
            tuple."""
            value = item.get(name, MISSING) if item.__class__ is dict else path.get(item)
            if value.__class__ is str and absent is None:
                return value
            if value is MISSING or (absent is not None and absent(value)):
                return None
            return str(value) if value.__class__ is str else (lookup_key(value),)

        return read_text

    def read(item: Any) -> Hashable | None:
        """The key of an item: a tuple with each part, None where all are lacking."""
        values = [path.get(item) for path in paths]
        if change is not None:
            values = [value if value is MISSING else _transform_or_keep(change, value) for value in values]
        if absent is not None:
            values = [MISSING if absent(value) else value for value in values]
        return None if all(value is MISSING for value in values) else tuple(map(lookup_key, values))

    return read


def _transform_or_keep(change: Callable[[Any], Any], value: Any) -> Any:
    """The value after the transforms in `change`; the value itself where they cannot change it."""
    try:
        return change(value)
    except TransformError:
        return value


def first_positions(
    expected: Items, output: Items, key_of: Callable[[Any], Hashable] | None
) -> tuple[list[int], list[int]] | None:
    """The positions of the first of each kind of items, in two lists that are sets; None where neither list has an item twice.

    Two items are the same where they share a key, if there is `key_of` and it takes all items of both lists, and where they are equal.
    """
    keys = _keys_or_identities(expected, output, key_of)
    ours, theirs = _positions_of_first(keys[: len(expected)]), _positions_of_first(keys[len(expected) :])
    return None if len(ours) == len(expected) and len(theirs) == len(output) else (ours, theirs)


def _keys_or_identities(expected: Items, output: Items, key_of: Callable[[Any], Hashable] | None) -> list[Hashable]:
    """For each item of both lists, expected ones first, a key that two items share when they are the same: by `key_of`
    where it can read all of them, otherwise by equality."""
    if key_of is not None:
        with suppress(TransformError, RowProblem, RecursionError):
            return [*map(key_of, expected), *map(key_of, output)]
    return [*map(lookup_key, expected), *map(lookup_key, output)]


def _positions_of_first(keys: Sequence[Hashable]) -> list[int]:
    """The position of the first item with each key."""
    first: dict[Hashable, int] = {}
    for place, key in enumerate(keys):
        first.setdefault(key, place)
    return [*first.values()]
