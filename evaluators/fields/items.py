"""Fields under `[*]`: the items of two lists are paired once, on all their listed leaves.

A list node says where a list stands, how its items are aligned, and which leaves and inner lists its items have. Walking
it over two documents gives, for each listed leaf, the pairs of values to compare. A leaf that is missing on both sides
of a pair says nothing; a leaf that one side lacks keeps its place with MISSING on that side. Where a literal key with
dots may be meant, the output follows the reading of the expected side.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from functools import cached_property
from typing import Any, Final, TypeAlias

from evaluators.fields.align import Align
from evaluators.fields.gains import NOTHING_ALIKE, GainArrays, Worth, judged
from evaluators.fields.leaf_columns import LeafColumn, PlainLeaf, leaf_worths
from evaluators.fields.lines import FieldLine
from evaluators.fields.marks import ValueKey, leaves_of_list
from evaluators.fields.pair import pair_items
from evaluators.fields.pairing_limit import PairCost
from evaluators.limits import still_time
from evaluators.model import MISSING
from evaluators.value_class import NamedTuple, dataclass, field
from evaluators.values.confusion import Confusion
from evaluators.values.equality import same
from evaluators.values.pairing import Pairs
from evaluators.values.paths import ANY, Path

Side: TypeAlias = Any  # JSON or MISSING
Matches: TypeAlias = Sequence[Callable[[Side, Side], bool]]
"""Whether the values of a leaf match, by the number of the leaf: what alignment counts as gain."""
LeafColumns: TypeAlias = Sequence[LeafColumn | None]
"""The same for whole columns of values, by the number of the leaf; empty where every pair is to be asked about."""
Found: TypeAlias = bool | None
"""Whether two values match; None where only one side has a value."""


WHOLE_ITEM: Final = Path(())


class Place(NamedTuple):
    """One pair of values of one leaf."""

    expected: Side
    actual: Side
    location: tuple[str | int, ...]


class Leaf(NamedTuple):
    """One listed leaf of an item. `align` pairs the items of the leaf's own value, where both sides have a list."""

    number: int
    path: Path
    align: Align | None = None
    slow: bool = False
    """Its comparator is one that pairing asks seldom."""


class Matching(NamedTuple):
    """Whether two values match: cheaply, by asking whoever costs, and cheaply for whole columns of values at once.

    `keys`: what values share exactly when they match, by the number of the leaf.
    """

    cheaply: Matches
    asking: Matches | None = None
    columns: LeafColumns = ()
    keys: Sequence[ValueKey | None] = ()


@dataclass
class ListNode:
    """One list of a tree of listed fields."""

    head: Path
    align: Align
    leaves: list[Leaf] = field(default_factory=list)
    lists: list[ListNode] = field(default_factory=list)

    @property
    def numbers(self) -> set[int]:
        """The numbers of the leaves of the list and of the lists inside it."""
        return {leaf.number for leaf in self.leaves}.union(*(inner.numbers for inner in self.lists))

    @cached_property
    def plain(self) -> bool:
        """Its items have fields of one value only, in the order in which they were listed."""
        return not self.lists and all(leaf.path.definite and leaf.align is None for leaf in self.leaves)

    @cached_property
    def cost(self) -> PairCost:
        """What it takes to compare two items of the list."""
        inner = [each.cost for each in self.lists]
        slow = any(leaf.slow for leaf in self.leaves) or any(each.slow for each in inner)
        deep = any(each.deep for each in inner) or any(each.align.free for each in self.lists)
        return PairCost(slow, deep or any(leaf.align is not None and leaf.align.free for leaf in self.leaves))


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


def places(
    node: ListNode,
    expected: Side,
    output: Side,
    matches: Matches,
    asking: Matches | None = None,
    columns: LeafColumns = (),
    keys: Sequence[ValueKey | None] = (),
) -> dict[int, list[Place]]:
    """The pairs of values of every leaf below a list, expected items first, in order.

    `asking` may ask a judge: about the items that are left over, of lists whose alignment wants it. With `columns` and `keys`
    long lists are paired sooner, and not otherwise.
    """
    found: dict[int, list[Place]] = {}
    _collect(node, expected, output, Matching(matches, asking, columns, keys), (), found)
    return found


def pair_values(
    align: Align,
    expected: Side,
    output: Side,
    matches: Callable[[Side, Side], bool],
    asking: Callable[[Side, Side], bool] | None = None,
    slow: bool = False,
    column: LeafColumn | None = None,
) -> list[Place]:
    """The pairs of items of two whole lists, aligned; the two values themselves when one of them is no list."""
    if not isinstance(expected, list) or not isinstance(output, list):
        return [Place(expected, output, ())]

    def weigh(row: int, column: int) -> Worth:
        return judged(matches(expected[row], output[column]))

    def weigh_asking(row: int, column: int) -> Worth:
        return judged(asking is not None and asking(expected[row], output[column]))

    def table(too_many: bool) -> GainArrays | None:
        return (
            None if too_many or column is None else leaf_worths([PlainLeaf(WHOLE_ITEM, column)], expected, output, False)
        )

    ask = weigh_asking if asking is not None else None
    pairs = pair_items(align, expected, output, weigh, table, ask, PairCost(slow)).pairs
    return [Place(one, other, (index,)) for index, one, other in _with_rest(pairs, expected, output)]


def asked_slowly(line: FieldLine) -> bool:
    """Whether pairing asks a slow comparator about the values of a line. One that costs is not asked."""
    return line.comparator is not None and line.comparator.slow and not line.comparator.costs


def _place_line(
    roots: list[ListNode], known: dict[tuple[Any, ...], ListNode], aligned: dict[Any, Any], number: int, line: FieldLine
) -> None:
    steps, start, siblings = line.path.steps, 0, roots
    while ANY in steps[start:]:
        cut = steps.index(ANY, start)
        array = steps[:cut]
        if array not in known:
            known[array] = ListNode(line.path.part(start, cut), aligned.get(array) or Align())
            siblings.append(known[array])
        siblings, start = known[array].lists, cut + 1
    known[array].leaves.append(Leaf(number, line.path.part(start), line.align, asked_slowly(line)))


def _collect(
    node: ListNode,
    expected: Side,
    output: Side,
    matching: Matching,
    location: tuple[str | int, ...],
    found: dict[int, list[Place]],
) -> None:
    inside = (*location, *_plain(node.head))
    for step, one, other in _paired_items(node, *node.head.get_pair(expected, output), matching):
        _collect_item(node, one, other, matching, (*inside, step), found)


def _collect_item(
    node: ListNode,
    one: Side,
    other: Side,
    matching: Matching,
    location: tuple[str | int, ...],
    found: dict[int, list[Place]],
) -> None:
    for leaf in node.leaves:
        value, actual = leaf.path.get_pair(one, other)
        if value is not MISSING or actual is not MISSING:
            found.setdefault(leaf.number, []).extend(_leaf_places(leaf, value, actual, matching, location))
    for inner in node.lists:
        _collect(inner, one, other, matching, location, found)


def _leaf_places(
    leaf: Leaf, value: Side, actual: Side, matching: Matching, location: tuple[str | int, ...]
) -> list[Place]:
    inside = (*location, *_plain(leaf.path))
    if leaf.align is None or not isinstance(value, list) or not isinstance(actual, list) or not (value or actual):
        return [Place(value, actual, inside)]
    asking = matching.asking[leaf.number] if matching.asking is not None else None
    column = matching.columns[leaf.number] if matching.columns else None
    paired = pair_values(leaf.align, value, actual, matching.cheaply[leaf.number], asking, leaf.slow, column)
    return [Place(place.expected, place.actual, (*inside, *place.location)) for place in paired]


def _paired_items(node: ListNode, expected: Side, output: Side, matching: Matching) -> list[tuple[str | int, Side, Side]]:
    """The items of two lists, paired as the node says; of two objects, the values by key. What is no container has none.

    The items of a list never pair with the values of an object.
    """
    if isinstance(expected, list) and isinstance(output, list):
        return [*_with_rest(_pairs(node, expected, output, matching), expected, output)]
    ours, theirs = _values(expected), _values(output)
    if isinstance(expected, dict) and isinstance(output, dict):
        return [(key, ours.get(key, MISSING), theirs.get(key, MISSING)) for key in sorted({*expected, *output})]
    return [
        *((step, value, MISSING) for step, value in ours.items()),
        *((step, MISSING, value) for step, value in theirs.items()),
    ]


def _found(node: ListNode, one: Side, other: Side, matches: Matches) -> dict[int, list[Found]]:
    """What became of the values of two items, by listed leaf."""
    found: dict[int, list[Place]] = {}
    _collect_item(node, one, other, Matching(matches), (), found)
    return {
        number: [
            None
            if place.expected is MISSING or place.actual is MISSING
            else matches[number](place.expected, place.actual)
            for place in each
        ]
        for number, each in found.items()
    }


def _pairs(node: ListNode, ours: list[Any], theirs: list[Any], matching: Matching) -> Pairs:
    cheaply, asking, by_column, keys = matching
    hungarian = node.align.how == "hungarian"
    plain = bool(by_column) and node.plain
    leaves = [PlainLeaf(leaf.path, by_column[leaf.number]) for leaf in node.leaves] if plain else []

    def results(row: int, column: int) -> dict[int, list[Found]]:
        return _found(node, ours[row], theirs[column], cheaply)

    def weigh(row: int, column: int) -> Worth:
        return _worth(results(row, column), ours[row], theirs[column])

    def weigh_asking(row: int, column: int) -> Worth:
        return _worth(_found(node, ours[row], theirs[column], asking or cheaply), ours[row], theirs[column])

    def table(too_many: bool) -> GainArrays | None:
        return leaf_worths(leaves, ours, theirs, hungarian) if leaves and not too_many else None

    def ranked(rows: Sequence[int], columns: Sequence[int], near: Sequence[Container[int]]) -> list[list[Worth]]:
        table = []
        for row, close in zip(rows, near, strict=True):
            still_time()
            table.append({at: results(row, column) for at, column in enumerate(columns) if at in close})
        counted = [
            [{number: hits.count(True) for number, hits in each.items()} for each in line.values()] for line in table
        ]
        worths = [[NOTHING_ALIKE] * len(columns) for _ in rows]
        for row, line, into, ranks in zip(rows, table, worths, _ranks(counted), strict=True):
            for (at, each), rank in zip(line.items(), ranks, strict=True):
                into[at] = _worth(each, ours[row], theirs[columns[at]])._replace(rank=rank)
        return worths

    ask = weigh_asking if asking is not None else None
    leaves_of = leaves_of_list(node, keys) if keys else None
    part = ranked if hungarian else None
    return pair_items(node.align, ours, theirs, weigh, table, ask, node.cost, leaves_of, part).pairs


def _worth(found: dict[int, list[Found]], one: Side, other: Side) -> Worth:
    """What a pair of items is worth. Where no listed leaf is there, it is complete when the items are equal."""
    hits = [hit for each in found.values() for hit in each]
    if not hits:
        return judged(same(one, other))
    counts = Confusion(right=hits.count(True), wrong=hits.count(False), missing=hits.count(None))
    return Worth(counts.right, counts.of_both)


def _ranks(table: list[list[dict[int, int]]]) -> list[list[int]]:
    """What decides among equals: as many matches of the field listed first as can be, then of the next one.

    So the fields that match never hang on the order of the lists. Digits of one large number make the ranks.
    """
    numbers = sorted({number for line in table for each in line for number in each})
    base = 1 + sum(max((sum(each.values()) for each in line), default=0) for line in table)
    digits = {number: base**rank for rank, number in enumerate(reversed(numbers))}
    return [[sum(count * digits[number] for number, count in each.items()) for each in line] for line in table]


def _with_rest(pairs: Pairs, ours: Sequence[Any], theirs: Sequence[Any]) -> list[tuple[int, Side, Side]]:
    """Every item of both lists: the expected ones in order with their partners, then what only the output has."""
    partner = dict(pairs)
    taken = set(partner.values())
    listed: list[tuple[int, Side, Side]] = [
        (row, item, theirs[partner[row]] if row in partner else MISSING) for row, item in enumerate(ours)
    ]
    listed.extend((column, MISSING, item) for column, item in enumerate(theirs) if column not in taken)
    return listed


def _values(value: Side) -> dict[Any, Side]:
    """The items of a list or the values of an object, by index or by key in order."""
    if isinstance(value, list):
        return dict(enumerate(value))
    return {key: value[key] for key in sorted(value)} if isinstance(value, dict) else {}


def _plain(path: Path) -> tuple[str | int, ...]:
    return tuple(step for step in path.steps if isinstance(step, (str, int)))
