"""The lists of a row that are too long to compare each of their items with each: see `pairing_limit`.

Documents are looked at, and not what became of them, so that rows are counted the same however they are scored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from evaluators.fields.align import Align
from evaluators.fields.lines import FieldLine
from evaluators.fields.metrics import places
from evaluators.fields.pairing_limit import PairCost, crowded
from evaluators.fields.tree import FieldNode
from evaluators.fields.unit_rules import item_key
from evaluators.model import MISSING
from evaluators.values.equality import same
from evaluators.values.paths import ANY, Path


class FreeList(NamedTuple):
    """A list whose items may be paired in any order, and what comparing two of them takes."""

    path: Path
    align: Align
    cost: PairCost


def free_lists_of_lines(lines: Sequence[FieldLine]) -> Iterator[FreeList]:
    """The lists that lines of `fields:` pair freely."""
    for line in lines:
        if line.align is not None and line.align.free:
            yield FreeList(line.path, line.align, _cost(line, lines))


def _cost(line: FieldLine, lines: Iterable[FieldLine]) -> PairCost:
    if line.comparator is not None:
        return PairCost(asked_slowly(line))
    start = (*line.path.steps, ANY)
    inside = [each for each in lines if each.path.query is None and each.path.steps[: len(start)] == start]
    deep = any(each.align is not None and each.align.free for each in inside)
    return PairCost(any(map(asked_slowly, inside)), deep)


def free_lists_of_tree(root: FieldNode) -> Iterator[FreeList]:
    """The lists that a schema pairs freely, without those whose items are one value that is known by a key."""
    for node in places(root):
        items = node.below.items if node.kind == "array" and not node.unit and not node.skip else None
        if items is not None and node.align.free and items.once(item_key) is None:
            yield FreeList(Path(node.path), node.align, node.pairing_cost)


def asked_slowly(line: FieldLine) -> bool:
    """Whether pairing asks a slow comparator about the values of a line. One that costs is not asked."""
    return line.comparator is not None and line.comparator.slow and not line.comparator.costs


def long_lists(lists: Iterable[FreeList], expected: Any, output: Any) -> list[tuple[Path, Align, int]]:
    """The lists of two documents that are too long, with the expected items of the longest.

    Of a list inside of items, the longest of either side are looked at.
    """
    found = []
    for path, align, cost in lists:
        ours, theirs = _longest(path, expected), _longest(path, output)
        if crowded(cost, ours, theirs, align.cells) and not same(ours, theirs):
            found.append((path, align, len(ours)))
    return found


def _longest(path: Path, document: Any) -> Sequence[Any]:
    """The longest list at a place, or among all places that a path leads to."""
    value = path.get(document) if document is not MISSING else MISSING
    if path.query is not None or value.__class__ is not list:
        return value if isinstance(value, list) else ()
    if path.definite:
        return list(value)
    return max((each for each in value if isinstance(each, list)), key=len, default=())
