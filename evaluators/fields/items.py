"""Fields under `[*]`: the items of two lists are paired once, on all their listed leaves, for all the rows of a frame.

A list node says where a list stands, how its items are aligned, and which leaves and inner lists its items have. `items` goes
from a frame to the frame of the items of such a list, `reached` to that of the values at a path, and `leaf_frames` gives the
frame of every listed leaf. A leaf that is missing on both sides of a pair says nothing; a leaf that one side lacks keeps its
place with MISSING on that side. Where a literal key with dots may be meant, the output follows the reading of the expected side.

Items that go together in any order are weighed: a frame of pairs of items of all the lists is looked into as the documents are,
and for each leaf `Hits` says of its pairs of values whether they match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, repeat
from operator import contains, itemgetter
from typing import Any, Final, TypeAlias

from evaluators.fields.align import Align
from evaluators.fields.frame import Frame, in_order
from evaluators.fields.gains import Worth, judged
from evaluators.fields.lines import FieldLine
from evaluators.fields.marks import ValueKey, leaves_of_list
from evaluators.fields.pair import AT_ONCE, Paired, paired_by_key, paired_together, pairing
from evaluators.fields.pairing_limit import PairCost
from evaluators.limits import still_time
from evaluators.model import MISSING
from evaluators.value_class import NamedTuple, dataclass, field
from evaluators.values.equality import same
from evaluators.values.paths import ANY, Path, joined_keys, key_of

Hits: TypeAlias = Callable[[Frame], Sequence[int]]
"""What pairing counts of each pair of values of a leaf: RIGHT, WRONG, LONE or NOTHING."""
Tally: TypeAlias = tuple[int, int, int]
"""How many values of a leaf match, do not match, and have one side alone."""
Both: TypeAlias = tuple[Sequence[Any], Sequence[Any], Sequence[Any]]
"""The steps to some items, None where it is the same place, and both sides of each."""
NOTHING, RIGHT, WRONG, LONE = range(4)
TALLIES: Final[Sequence[Tally]] = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
WHOLE_ITEM: Final = Path(())


class Leaf(NamedTuple):
    """One listed leaf of an item. `own` pairs the items of the leaf's own value, where both sides have a list."""

    number: int
    path: Path
    own: ListNode | None = None
    slow: bool = False
    """Its comparator is one that pairing asks seldom."""


class Matching(NamedTuple):
    """How the values of leaves are compared where items are paired, by the number of the leaf."""

    cheaply: Sequence[Hits]
    asking: Sequence[Hits] = ()
    """The same by asking whoever costs; empty where nobody is asked."""
    keys: Sequence[ValueKey | None] = ()
    """What values share exactly when they match."""


@dataclass
class ListNode:
    """One list of a tree of listed fields."""

    head: Path
    align: Align
    leaves: list[Leaf] = field(default_factory=list)
    lists: list[ListNode] = field(default_factory=list)

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the leaves of the list and of the lists inside it."""
        return tuple(
            sorted([leaf.number for leaf in self.leaves] + [one for inner in self.lists for one in inner.numbers])
        )

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys of items that leaves and lists begin with: they are read together."""
        return first_keys([*(leaf.path for leaf in self.leaves), *(inner.head for inner in self.lists)])

    @cached_property
    def cost(self) -> PairCost:
        """What it takes to compare two items of the list."""
        inner = [each.cost for each in self.lists]
        slow = any(leaf.slow for leaf in self.leaves) or any(each.slow for each in inner)
        deep = any(each.deep for each in inner) or any(each.align.free for each in self.lists)
        return PairCost(slow, deep or any(leaf.own is not None and leaf.own.align.free for leaf in self.leaves))


def list_trees(lines: Sequence[FieldLine]) -> list[ListNode]:
    """The trees of the lines with `[*]`. A leaf is known by the number of its line."""
    aligned = {line.path.steps: line.align for line in lines if line.align is not None}
    roots: list[ListNode] = []
    known: dict[tuple[Any, ...], ListNode] = {}
    for number, line in enumerate(lines):
        if line.skip or line.comparator is None or line.path.query is not None or ANY not in line.path.steps:
            continue
        steps, start, siblings = line.path.steps, 0, roots
        while ANY in steps[start:]:
            cut = steps.index(ANY, start)
            array = steps[:cut]
            if array not in known:
                known[array] = ListNode(line.path.part(start, cut), aligned.get(array) or Align())
                siblings.append(known[array])
            siblings, start = known[array].lists, cut + 1
        known[array].leaves.append(leaf_of(line, number, line.path.part(start)))
    return roots


def first_keys(paths: Iterable[Path]) -> tuple[str, ...]:
    """The keys that some paths begin with, each once."""
    return tuple(dict.fromkeys(step for path in paths for step in path.steps[:1] if isinstance(step, str)))


def leaf_of(line: FieldLine, number: int, path: Path) -> Leaf:
    """The leaf that a line is at a path of its own."""
    own = None if line.align is None else own_list(line, number, line.align)
    return Leaf(number, path, own, asked_slowly(line))


def own_list(line: FieldLine, number: int, align: Align) -> ListNode:
    """The list that the value of a line is: its items are compared one by one."""
    return ListNode(WHOLE_ITEM, align, [Leaf(number, WHOLE_ITEM, None, asked_slowly(line))])


def asked_slowly(line: FieldLine) -> bool:
    """Whether pairing asks a slow comparator about the values of a line. One that costs is not asked."""
    return line.comparator is not None and line.comparator.slow and not line.comparator.costs


# From frame to frame


def reached(frame: Frame, path: Path) -> Frame:
    """The pairs of values at a definite path: of each pair what `Path.get_pair` gives."""
    levels, here = joined_keys(path.steps, path.joins), frame
    for step, level in zip(path.steps, levels, strict=True):
        if any(_has_key(here, key) for key, _ in level):
            return _read_apart(frame, path)
        if isinstance(step, str):
            here = here.children([step])[step]
        elif isinstance(step, int):
            here = _indexed(here, step)
    return here


def _has_key(frame: Frame, key: str) -> bool:
    """Whether some object of a frame has a key with dots."""
    known: bool | None = frame.kept.get((key,))
    if known is None:
        sides = ((frame.kinds, frame.e), (frame.others, frame.o))
        known = frame.kept[key,] = any(
            True in map(contains, [one for one in side if one.__class__ is dict] if len(kinds) > 1 else side, repeat(key))
            for kinds, side in sides
            if dict in kinds
        )
    return known


def _read_apart(frame: Frame, path: Path) -> Frame:
    """The pairs of values at a path where literal keys with dots may be meant, read one by one."""
    found: Frame | None = frame.kept.get((path.steps, path.joins))
    if found is None:
        read = path.pair_getter()
        pairs = [read(a, b) for a, b in zip(frame.e, frame.o, strict=True)]
        found = Frame([a for a, _ in pairs], [b for _, b in pairs], frame.rows, frame)
        frame.kept[path.steps, path.joins] = found
    return found


def _indexed(frame: Frame, index: int) -> Frame:
    """The items of lists at an index; of objects the values under its digits."""
    found: Frame | None = frame.kept.get(index)
    if found is None:
        ours = _items_at(index, frame.e, frame.kinds)
        theirs = ours if frame.o is frame.e else _items_at(index, frame.o, frame.others)
        found = frame.kept[index] = Frame(ours, theirs, frame.rows, frame)
    return found


def _items_at(index: int, values: Sequence[Any], kinds: set[type]) -> list[Any]:
    if kinds == {list}:
        with suppress(IndexError):
            return [*map(itemgetter(index), values)]
    key = key_of(index)
    return [
        (value[index] if -len(value) <= index < len(value) else MISSING) if value.__class__ is list
        else value.get(key, MISSING) if value.__class__ is dict else MISSING
        for value in values
    ]  # fmt: skip


def leaf_frames(node: ListNode, frame: Frame, matching: Matching) -> Iterator[tuple[Leaf, Frame]]:
    """The frame of each leaf below a list, whatever its values are."""
    yield from _inside(node, items(node, frame, matching), matching)


def _inside(node: ListNode, frame: Frame, matching: Matching) -> Iterator[tuple[Leaf, Frame]]:
    """The same, of a frame of its items."""
    frame.children(node.keys)
    for leaf in node.leaves:
        yield leaf, reached(frame, leaf.path)
    for inner in node.lists:
        yield from leaf_frames(inner, frame, matching)


def values(leaf: Leaf, frame: Frame, matching: Matching) -> Frame:
    """The pairs of values that are compared, of the frame of a leaf: of two lists that are aligned, the items."""
    if leaf.own is None or list not in frame.kinds or list not in frame.others:
        return frame
    return _strung(frame, _paired(leaf.own, frame, matching), _items_or_values)


def items(node: ListNode, frame: Frame, matching: Matching) -> Frame:
    """The items of a list, paired as the node says; of two objects the values by key. What is no container has none.

    Of each list the expected items are in order, with their partners; then comes what only the output has. The items of a list never
    pair with the values of an object.
    """
    lists = reached(frame, node.head)
    key = id(node), bool(matching.asking), id(matching.cheaply)
    found: Frame | None = lists.kept.get(key)
    if found is None:
        found = lists.kept[key] = _strung(lists, _paired(node, lists, matching), _items)
    return found


def _strung(frame: Frame, paired: Mapping[int, Paired], both: Callable[..., Both]) -> Frame:
    """The items of the containers of a frame in one. `both` gives those of one pair."""
    e, o = frame.e, frame.o
    alike = not paired and frame.kinds == {list} == frame.others and (both is _items or all(e))
    if alike and (o is e or list(map(len, e)) == list(map(len, o))):
        return in_order(frame).pairs
    each = [both(a, b, paired.get(at)) for at, (a, b) in enumerate(zip(e, o, strict=True))]
    sizes = [len(steps) for steps, _, _ in each]
    strings = [list(chain.from_iterable(part)) for part in zip(*each, strict=True)] if each else [[], [], []]
    owners = list(chain.from_iterable(map(repeat, range(len(e)), sizes)))
    rows = list(chain.from_iterable(map(repeat, frame.rows, sizes)))
    return Frame(strings[1], strings[2], rows, frame, owners, strings[0])


def _items_or_values(one: Any, other: Any, paired: Paired | None) -> Both:
    """The items of two lists, or the two values as they are."""
    if one.__class__ is other.__class__ is list and (one or other):
        return _items(one, other, paired)
    return (None,), (one,), (other,)


def _items(one: Any, other: Any, paired: Paired | None) -> Both:
    """The items of two containers."""
    if one.__class__ is list and other.__class__ is list:
        n, m = len(one), len(other)
        if paired is None:
            return range(max(n, m)), [*one, *repeat(MISSING, m - n)], [*other, *repeat(MISSING, n - m)]
        partner, extra = dict(paired.pairs), paired.extra
        theirs = [other[partner[row]] if row in partner else MISSING for row in range(n)]
        alone = [other[column] for column in extra]
        return [*range(n), *extra], [*one, *repeat(MISSING, len(extra))], [*theirs, *alone]
    if one.__class__ is dict and other.__class__ is dict:
        keys = sorted({*one, *other})
        return keys, [one.get(key, MISSING) for key in keys], [other.get(key, MISSING) for key in keys]
    ours, theirs_by_step = _by_step(one), _by_step(other)
    return (
        [*ours, *theirs_by_step], [*ours.values(), *repeat(MISSING, len(theirs_by_step))],
        [*repeat(MISSING, len(ours)), *theirs_by_step.values()],
    )  # fmt: skip


def _by_step(value: Any) -> dict[Any, Any]:
    """The items of a list or the values of an object, by index or by key in order."""
    if value.__class__ is list:
        return dict(enumerate(value))
    return {key: value[key] for key in sorted(value)} if value.__class__ is dict else {}


# Which items go together


def _paired(node: ListNode, frame: Frame, matching: Matching) -> dict[int, Paired]:
    """How the items of some lists are paired otherwise than in list order, by position."""
    align, e, o = node.align, frame.e, frame.o
    if align.how == "ordered" or list not in frame.kinds or list not in frame.others:
        return {}
    if align.how == "key_field":
        sides = ([one if one.__class__ is list else () for one in side] for side in (e, o))
        return paired_by_key(align, *sides)
    leaves, asks = leaves_of_list(node, matching.keys), bool(matching.asking)
    running = {
        at: pairing(align, e[at], o[at], node.cost, leaves, None, asks)
        for at in frame.differing()
        if e[at].__class__ is list and o[at].__class__ is list and e[at] and o[at]
    }
    return paired_together(running, lambda pairs, asking: _worths(node, frame, pairs, matching, asking))


def _worths(
    node: ListNode, lists: Frame, pairs: Sequence[tuple[int, int, int]], matching: Matching, asking: bool
) -> list[Worth]:
    """What pairing two items is worth: (position of their lists, expected index, index in the output) of each pair.

    Under `hungarian`, as many matches of the field listed first as can be decide among equals, then those of the next one: so the
    fields that match never hang on the order of the lists. Digits of one large number make the ranks.
    """
    e, o = lists.e, lists.o
    inner = Matching(matching.asking) if asking else Matching(matching.cheaply, (), matching.keys)
    counted: list[tuple[Worth, tuple[int, ...]]] = []
    for start in range(0, len(pairs), AT_ONCE):
        still_time()
        part = pairs[start : start + AT_ONCE]
        ours, theirs = [e[at][row] for at, row, _ in part], [o[at][column] for at, _, column in part]
        frame = Frame(ours, theirs, range(len(part)), lists, [at for at, _, _ in part])
        counted += _weighed(node, frame, inner)
        frame.drop()
    if asking or node.align.how != "hungarian":
        return [worth for worth, _ in counted]
    most: dict[int, int] = {}
    for (at, _, _), (_, right) in zip(pairs, counted, strict=True):
        most[at] = max(most.get(at, 0), sum(right))
    bases = {at: 1 + hits * min(len(e[at]), len(o[at])) for at, hits in most.items()}
    known: dict[tuple[int, tuple[Worth, tuple[int, ...]]], Worth] = {}
    found = []
    for (at, _, _), each in zip(pairs, counted, strict=True):
        key = bases[at], each
        if key not in known:
            rank = 0
            for hits in each[1]:
                rank = rank * bases[at] + hits
            known[key] = each[0]._replace(rank=rank)
        found.append(known[key])
    return found


def _weighed(node: ListNode, frame: Frame, matching: Matching) -> list[tuple[Worth, tuple[int, ...]]]:
    """The worth of pairs of items, and how many values of each leaf match.

    Where no listed leaf is there, a pair is complete when its items are equal.
    """
    columns: dict[int, Sequence[Any]] = {}
    for leaf, lists in _inside(node, frame, matching):
        hits = matching.cheaply[leaf.number]
        inside = values(leaf, lists, matching)
        if inside.rows is frame.rows:
            columns[leaf.number] = hits(inside)
            continue
        tallies = [[0, 0, 0] for _ in frame.rows]
        for row, hit in zip(inside.rows, hits(inside), strict=True):
            if hit:
                tallies[row][hit - 1] += 1
        columns[leaf.number] = [*map(tuple, tallies)]
    known: dict[tuple[Any, ...], tuple[Worth | None, tuple[int, ...]]] = {}
    found = []
    for at, each in enumerate(zip(*(columns[number] for number in node.numbers), strict=True)):
        if each not in known:
            tallies_of = [TALLIES[one] if one.__class__ is int else one for one in each]
            right, wrong, lone = map(sum, zip(*tallies_of, strict=True))
            whole = 2 * (right + wrong) + lone
            known[each] = Worth(right, whole) if whole else None, tuple(hits for hits, _, _ in tallies_of)
        worth, hits_of = known[each]
        found.append((judged(same(frame.e[at], frame.o[at])) if worth is None else worth, hits_of))
    return found
