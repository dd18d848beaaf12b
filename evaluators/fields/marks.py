"""What two items must share to be a complete pair, read from each item alone: its mark.

    mark(node, item)            of an item of a schema
    leaf_mark(node, keys, item) of an item of a list whose fields are listed

Two items whose marks differ have a result that is not a match. Two that share a mark may be anything. So long lists need not
be weighed pair by pair to find the items that are right (see `pair`). A value has a mark where its comparator says what values
share exactly when they match; anything else, and whatever may come to no result at all, is `BLANK`. Keys that are not
declared are not looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from evaluators.comparators._comparator import Comparator
from evaluators.issues import RowProblem
from evaluators.model import MISSING
from evaluators.values.equality import same
from evaluators.values.pairing import identity
from evaluators.values.paths import Path
from evaluators.values.transforms import Transform, TransformError, chain

if TYPE_CHECKING:
    from evaluators.fields.items import ListNode
    from evaluators.fields.tree import FieldNode

ValueKey: TypeAlias = Callable[[Any], Hashable]
BLANK: Final = ()
CONTAINER: Final = {"object": dict, "array": list}


def marks_by(
    of: Callable[[Any], Hashable], expected: Sequence[Any], output: Sequence[Any]
) -> tuple[list[Hashable], list[Hashable]] | None:
    """The marks of the items of two lists; None where one cannot be told."""
    try:
        return [*map(of, expected)], [*map(of, output)]
    except (TransformError, RowProblem, RecursionError):
        return None


def value_key(comparator: Comparator, transforms: Sequence[Transform]) -> ValueKey | None:
    """What values share exactly when they match; None where no such thing is known. The key may raise as transforms do."""
    if comparator.costs or comparator.reads != "both":
        return None
    key, apply = identity if comparator.compile() is same else comparator.key(), chain(transforms)
    if key is None or apply is None:
        return key
    return lambda value: key(apply(value))


def mark(node: FieldNode, value: Any) -> Hashable:
    """The mark of what one side has at a node."""
    if node.skip or value is MISSING:
        return BLANK
    if node.unit:
        return tuple(key(value) for key in node.once(_unit_keys))
    kind = CONTAINER.get(node.kind)
    if kind is None or value is None:
        return BLANK
    if value.__class__ is not kind:  # it matches its like alone
        return (identity(value),)
    below = node.below
    if kind is dict:
        taken = node.compound.fields if node.compound is not None else ()
        return _together(mark(child, value.get(key, MISSING)) for key, child in below.keys.items() if key not in taken)
    if below.items is None:
        return BLANK
    return _of_items([mark(below.items, item) for item in value], node.align.how == "ordered")


def leaf_mark(node: ListNode, keys: Sequence[ValueKey | None], item: Any) -> Hashable:
    """The mark of an item of a list by its listed fields. `keys`: that of each leaf, by its number."""
    found = [_leaf(_read(leaf.path, item), keys[leaf.number], leaf.align) for leaf in node.leaves]
    return _together([*found, *(_inner(inner, keys, _read(inner.head, item)) for inner in node.lists)])


def _read(path: Path, item: Any) -> Any:
    """The value at a path; MISSING too where several may be meant, or the other side decides which."""
    return path.unjoined_getter(MISSING)(item) if path.definite else MISSING


def _leaf(value: Any, key: ValueKey | None, align: object) -> Hashable:
    return BLANK if key is None or align is not None or value is MISSING else (key(value),)


def _inner(node: ListNode, keys: Sequence[ValueKey | None], value: Any) -> Hashable:
    if value.__class__ is dict:
        value = [*value.values()]
    return _of_items([leaf_mark(node, keys, item) for item in value], False) if value.__class__ is list else BLANK


def _unit_keys(node: FieldNode) -> list[ValueKey]:
    found = [value_key(metric.comparator, node.transforms) for metric in node.metrics]
    return [key for key in found if key is not None]


def _together(marks: Iterable[Hashable]) -> Hashable:
    found = tuple(marks)
    return found if any(each != BLANK for each in found) else BLANK


def _of_items(marks: Sequence[Hashable], ordered: bool) -> Hashable:
    """Items without a mark may be left over and come to nothing: they are not counted."""
    found = [each for each in marks if each != BLANK]
    return tuple(found) if ordered or not found else frozenset(Counter(found).items())
