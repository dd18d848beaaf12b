"""Fields under `[*]`: the items of two lists are paired once, on all their listed leaves.

A list node says where a list stands, how its items are aligned, and which leaves and inner lists its items have. Walking
it over two documents gives, for each listed leaf, the pairs of values to compare. A leaf that is missing on both sides
of a pair says nothing; a leaf that one side lacks keeps its place with MISSING on that side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evaluators.fields.lines import Align, FieldLine
from evaluators.model import JSON, MISSING, Missing
from evaluators.values.equality import same
from evaluators.values.pairing import Pairs, best, by_key, in_order
from evaluators.values.paths import ANY, Path

Side = Any  # JSON or MISSING
Matches = Callable[[int, Side, Side], bool]
"""Whether the values of one leaf (by its number) match: what alignment counts as gain."""


class Place(NamedTuple):
    """One pair of values of one leaf."""

    expected: Side
    actual: Side
    location: tuple[str | int, ...]


@dataclass(slots=True)
class ListNode:
    """One list of a tree of listed fields."""

    head: Path
    align: Align
    leaves: list[tuple[int, Path]] = field(default_factory=list)
    lists: list[ListNode] = field(default_factory=list)


def list_trees(lines: Sequence[FieldLine]) -> list[ListNode]:
    """The trees of the lines with `[*]`. A leaf is known by the number of its line."""
    aligned = {line.path.steps: line.align for line in lines if line.align is not None}
    roots: list[ListNode] = []
    known: dict[tuple[Any, ...], ListNode] = {}
    for number, line in enumerate(lines):
        if line.skip or line.comparator is None or line.path.query is not None or ANY not in line.path.steps:
            continue
        _place_line(roots, known, aligned, number, line)
    return roots


def places(node: ListNode, expected: Side, output: Side, matches: Matches) -> dict[int, list[Place]]:
    """The pairs of values of every leaf below a list, expected items first, in order."""
    found: dict[int, list[Place]] = {}
    _collect(node, expected, output, matches, (), found)
    return found


def pair_values(align: Align, expected: Side, output: Side, matches: Callable[[Side, Side], bool]) -> list[Place]:
    """The pairs of items of two whole lists, aligned; the two values themselves when one of them is no list."""
    if not isinstance(expected, list) or not isinstance(output, list):
        return [Place(expected, output, ())]
    pairs = _pairs(align, expected, output, lambda one, other: int(matches(one, other)))
    return [Place(one, other, (index,)) for index, one, other in _with_rest(pairs, expected, output)]


def _place_line(
    roots: list[ListNode], known: dict[tuple[Any, ...], ListNode], aligned: dict[Any, Any], number: int, line: FieldLine
) -> None:
    steps, start, siblings = line.path.steps, 0, roots
    while ANY in steps[start:]:
        cut = steps.index(ANY, start)
        array = steps[:cut]
        if array not in known:
            known[array] = ListNode(Path(steps[start:cut]), aligned.get(array) or Align())
            siblings.append(known[array])
        siblings, start = known[array].lists, cut + 1
    known[array].leaves.append((number, Path(steps[start:])))


def _collect(
    node: ListNode,
    expected: Side,
    output: Side,
    matches: Matches,
    location: tuple[str | int, ...],
    found: dict[int, list[Place]],
) -> None:
    ours, theirs = _items(node.head.get(expected)), _items(node.head.get(output))
    inside = (*location, *(step for step in node.head.steps if step is not ANY))
    if isinstance(ours, dict) or isinstance(theirs, dict):
        ours, theirs = _values_by_key(ours), _values_by_key(theirs)
        keys = sorted({*ours, *theirs})
        pairs: list[tuple[Any, Side, Side]] = [(key, ours.get(key, MISSING), theirs.get(key, MISSING)) for key in keys]
    else:
        paired = _pairs(node.align, ours, theirs, lambda one, other: _gain(node, one, other, matches))
        pairs = [*_with_rest(paired, ours, theirs)]
    for step, one, other in pairs:
        for number, path in node.leaves:
            value, actual = path.get(one), path.get(other)
            if value is not MISSING or actual is not MISSING:
                found.setdefault(number, []).append(Place(value, actual, (*inside, step, *path.steps)))  # type: ignore[arg-type]  # ANY ends a list node, so no leaf holds it
        for inner in node.lists:
            _collect(inner, one, other, matches, (*inside, step), found)


def _gain(node: ListNode, one: Side, other: Side, matches: Matches) -> int:
    """How many listed leaves match, or under any_order whether all that are there do."""
    found: dict[int, list[Place]] = {}
    for number, path in node.leaves:
        value, actual = path.get(one), path.get(other)
        if value is not MISSING or actual is not MISSING:
            found.setdefault(number, []).append(Place(value, actual, ()))
    for inner in node.lists:
        _collect(inner, one, other, matches, (), found)
    verdicts = [
        place.expected is not MISSING and place.actual is not MISSING and matches(number, place.expected, place.actual)
        for number, list_of_places in found.items()
        for place in list_of_places
    ]
    if node.align.how == "any_order":
        return int(all(verdicts)) if verdicts else int(same(one, other))
    return sum(verdicts)


def _pairs(align: Align, ours: list[Any], theirs: list[Any], gain: Callable[[Any, Any], int]) -> Pairs:
    if align.how == "ordered":
        return in_order(len(ours), len(theirs))
    if align.how == "key_field":
        return by_key([_key(align, item) for item in ours], [_key(align, item) for item in theirs])
    if len(ours) == len(theirs) and all(map(same, ours, theirs)):
        return in_order(len(ours), len(theirs))
    return best(len(ours), len(theirs), lambda row, column: gain(ours[row], theirs[column]))


def _key(align: Align, item: JSON) -> str:
    """What identifies an item, spelled so that equal keys are equal texts; items without one share a spelling."""
    value = align.key.get(item) if align.key else MISSING
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"{type(value).__name__}:{value!r}"


def _with_rest(pairs: Pairs, ours: Sequence[Any], theirs: Sequence[Any]) -> list[tuple[int, Side, Side]]:
    """Every item of both lists: the expected ones in order with their partners, then what only the output has."""
    partner = dict(pairs)
    taken = set(partner.values())
    listed: list[tuple[int, Side, Side]] = [
        (row, item, theirs[partner[row]] if row in partner else MISSING) for row, item in enumerate(ours)
    ]
    listed.extend((column, MISSING, item) for column, item in enumerate(theirs) if column not in taken)
    return listed


def _items(value: JSON | Missing) -> list[Any] | dict[str, Any]:
    return value if isinstance(value, (list, dict)) else []


def _values_by_key(value: list[Any] | dict[str, Any]) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
