"""Which items of two lists go together, as their alignment says.

    paired_freely(align, expected, output, ..., weigh)    # any_order, hungarian
    paired_by_key(align, expected, output, read)          # key_field

`weigh` says what pairing an expected item with one of the output's is worth: how many of their results match, and what
these are a share of. It is asked once at most for each pair of different items: equal ones share an answer. Items that are one
value each, whose comparator knows what values share exactly when they match, are
paired by that, and not weighed.

In long lists most items are right, and need not be weighed with each of the others. `leaves_of` (see `marks`) gives each item
a mark, which the two items of every complete pair share. Where one expected item alone and one of the output's alone have a
mark, or as many of both that are all equal, and these are a complete pair, they are paired first. That is exact: suppose
that a best pairing left one of these expected items without one of these of the output. Then one of these of the output
would be left without, too. Pair the two, and take out the pairs that they had: those are not complete, for their partners
have other marks. There is one complete pair more, and nothing outweighs that; so the pairing was not a best one. Which of
the equal ones go together decides nothing for the others; in list order they are nearest. What is left over is weighed and
paired as a list of its own. There, two items that have no value in common gain nothing, and are not weighed; nor are two
with different marks, where only complete pairs are wanted.

The answer has the pairs, sorted by expected item; what either list has left over; and, under `key_field`, which items
had no key or shared one. `any_order` makes complete pairs and no others: those with an F1 of 1. `hungarian` makes the
best pairing there is: as many complete pairs as can be, then the greatest sum of F1, then the fields that match, in their
order (see `gains`); pairs that have nothing in common, or whose F1 is below `at_least`, stay apart. Ties are settled as
`values.pairing` says. Equal lists are paired in order by whoever calls: nothing is weighed.

Lists that are too long to compare each item with each (see `gains`; `cells` raises it) have equal items paired
first. The rest pairs in list order, where such a pair is one that the alignment makes; the answer says so.

With `ask: leftover`, `hungarian` goes on where comparators that cost nothing left items over in both lists: `weigh` may then
ask a judge. It is asked about each expected item that is left over, with those of the output's that are most like it, `CANDIDATES`
at most: so the number of questions grows with the items that are left over, and not with the product of two lists.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from evaluators.model.issues import RowProblem
from evaluators.model.limits import still_time
from evaluators.model.rows import MISSING
from evaluators.scoring.fields.gains import FEW, NOTHING_ALIKE, WHOLE, PairCost, Worth, crowded, f1, gains
from evaluators.scoring.fields.marks import Leaves, LeavesOf, leaves_of_all
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.values.json_text import to_text
from evaluators.scoring.values.pairing import (
    Pairs,
    assign_gains,
    by_equality,
    by_key,
    identity,
    left_over,
    places,
    repeated,
    undisputed,
)
from evaluators.scoring.values.transforms import TransformError, chain

CANDIDATES: Final = 8
"""About so many items of the output a judge is asked, at most, for each expected item that is left over."""
CROWDED: Final = "too many items to compare each with each: equal ones were paired first, the others in list order"
Items: TypeAlias = Sequence[Any]
Absent: TypeAlias = Callable[[Any], bool] | None
"""Whether a value counts as absent; None where nothing does that is there."""
ItemKeys: TypeAlias = tuple[list[Hashable | None], list[Hashable | None]]
"""What identifies each item of two lists; None is an item without a key."""


class Paired(NamedTuple):
    """Which items go together. Every item of both lists is in one pair or left over."""

    pairs: Pairs
    lost: list[int]
    """The expected items that nothing was paired with."""
    extra: list[int]
    """The output's items that nothing was paired with."""
    crowded: bool = False
    """The lists were too long to compare each item with each."""
    in_order: bool = False
    """They go together in list order."""


def in_list_order(n: int, m: int) -> Paired:
    """The items of two lists of these lengths in list order."""
    return _in_order(n, m) if n <= _SHORT and m <= _SHORT else _in_order.__wrapped__(n, m)


@lru_cache(maxsize=1_000)
def _in_order(n: int, m: int) -> Paired:
    both = range(min(n, m))
    return Paired([*zip(both, both, strict=True)], [*range(m, n)], [*range(n, m)], False, True)


_SHORT: Final = 100


def paired_by_key(
    align: Align, expected: Items, output: Items, read: Callable[[Any], Hashable | None]
) -> tuple[Paired, ItemKeys | None]:
    """Two lists, paired by a key, which `read` gives of an item (see `key_reader`); and the keys that were read."""
    if not expected or not output:
        return in_list_order(len(expected), len(output)), None
    keys = [*map(read, expected)], [*map(read, output)]
    if None in keys[0] or keys[0] != keys[1]:
        return _by_key(align, *keys), keys
    return in_list_order(len(expected), len(output)), keys


def notes_on(align: Align, expected: Items, output: Items, absent: Absent) -> list[str]:
    """What is worth saying of the keys of two lists: nothing when every item has a key of its own."""
    if align.how != "key_field":
        return []
    read = key_reader(align, absent)
    keys = [("expected", [*map(read, expected)]), ("output", [*map(read, output)])]
    counted = [(side.count(None), name, "without a key") for name, side in keys]
    counted += [(len(repeated(side)), name, "with the key of an earlier one") for name, side in keys]
    return [f"{count} {side} item{'s' if count > 1 else ''} {what}" for count, side, what in counted if count]


Weigh: TypeAlias = Callable[[Sequence[tuple[int, int]], bool], Sequence[Worth]]
"""Says what pairs of items are worth: (expected index, index in the output) of each. True: comparators that cost are asked, too."""


Rank: TypeAlias = Callable[[Sequence[tuple[int, int]]], Sequence[int]]
"""Says of pairs that were weighed what decides among those that are worth the same."""


def paired_freely(
    align: Align,
    expected: Items,
    output: Items,
    cost: PairCost,
    leaves_of: LeavesOf,
    key_of: Callable[[Any], Hashable] | None,
    asks: bool,
    weigh: Weigh,
    rank: Rank | None = None,
) -> Paired:
    """Pairs the items of two lists that differ, in any order.

    `key_of` gives what two items that are one value share exactly when they match. `asks`: items that are left over may be
    paired by comparators that cost, where the alignment wants it.
    """
    if key_of is not None:
        with suppress(TransformError, RowProblem, RecursionError):
            return _paired(by_equality([*map(key_of, expected)], [*map(key_of, output)]), expected, output)
    ours, theirs = [identity(item) for item in expected], [identity(item) for item in output]
    if crowded(cost, expected, output, align.cells):
        pairs = by_equality(ours, theirs)
        rest = list(zip(*left_over(pairs, len(ours), len(theirs)), strict=False))
        shares = map(f1, weigh(rest, False))
        fitting = [each for each, share in zip(rest, shares, strict=True) if share and share >= align.least_f1]
        return _paired(sorted([*pairs, *fitting]), expected, output, crowded=True)
    pairs = _surely_then_best(align, expected, output, ours, theirs, leaves_of, weigh, rank)
    if align.ask is not None and asks:
        pairs = _then_leftovers(align, pairs, expected, output, weigh, rank)
    return _paired(pairs, expected, output)


def _surely_then_best(
    align: Align,
    expected: Items,
    output: Items,
    ours: Sequence[Hashable],
    theirs: Sequence[Hashable],
    leaves_of: LeavesOf,
    weigh: Weigh,
    rank: Rank | None,
) -> Pairs:
    """The best pairing: the pairs that every best one has, then the best of what is left over."""
    leaves = leaves_of_all(leaves_of, expected, output) if len(ours) * len(theirs) > FEW else None
    pairs = Pairs()
    if leaves is not None:
        likely = _likely_complete(ours, theirs, *leaves)
        worths = weigh([(rows[0], columns[0]) for rows, columns in likely], False)
        for (rows, columns), worth in zip(likely, worths, strict=True):
            if f1(worth) == WHOLE:
                pairs.extend(zip(rows, columns, strict=True))
    rows, columns = left_over(pairs, len(ours), len(theirs))
    if not rows or not columns:
        return sorted(pairs)
    near: Sequence[Container[int]] = [range(len(columns))] * len(rows)
    if leaves is not None:
        rest = [leaves[0][row] for row in rows], [leaves[1][column] for column in columns]
        if align.least_f1 == WHOLE:
            columns_of = places([each.mark for each in rest[1]])
            near = [set(columns_of.get(each.mark, ())) for each in rest[0]]
        else:
            near = _value_in_common(*rest)
    our_rest, their_rest = [ours[row] for row in rows], [theirs[column] for column in columns]
    worth_of, table = _weighed(our_rest, their_rest, near, rows, columns, weigh)
    gained = gains(table(worth_of), align.least_f1)
    found = undisputed(gained)
    if found is None:
        if rank is not None:
            ranked = zip(worth_of.items(), rank([(rows[row], columns[column]) for row, column in worth_of]), strict=True)
            gained = gains(table({pair: worth._replace(rank=number) for (pair, worth), number in ranked}), align.least_f1)
        found = assign_gains(gained, rows, columns)
    return sorted([*pairs, *((rows[row], columns[column]) for row, column in found)])


def _weighed(
    ours: Sequence[Hashable],
    theirs: Sequence[Hashable],
    near: Sequence[Container[int]],
    rows: Sequence[int],
    columns: Sequence[int],
    weigh: Weigh,
) -> tuple[dict[tuple[int, int], Worth], Callable[[Mapping[tuple[int, int], Worth]], list[list[Worth]]]]:
    """The worth of each pair of different items, and only of those that are near; and what makes of it a table of all pairs."""
    known: dict[Hashable, int] = {}
    first = [known.setdefault(item, column) for column, item in enumerate(theirs)]
    lines: dict[Hashable, int] = {}
    wanted: list[tuple[int, int]] = []
    for row, (item, close) in enumerate(zip(ours, near, strict=True)):
        if item not in lines:
            still_time()
            lines[item] = row
            wanted += [(row, column) for column in known.values() if column in close]
    worths = weigh([(rows[row], columns[column]) for row, column in wanted], False)
    asked = dict(zip(wanted, worths, strict=True))

    def table(worths: Mapping[tuple[int, int], Worth]) -> list[list[Worth]]:
        made = {row: [worths.get((row, column), NOTHING_ALIKE) for column in first] for row in lines.values()}
        return [made[lines[item]] for item in ours]

    return asked, table


def _then_leftovers(align: Align, pairs: Pairs, expected: Items, output: Items, weigh: Weigh, rank: Rank | None) -> Pairs:
    """The pairs, and those that comparators which cost find among the items that have none."""
    rows, columns = left_over(pairs, len(expected), len(output))
    if not rows or not columns:
        return pairs
    near = [set(most_like(expected[row], [output[column] for column in columns], CANDIDATES)) for row in rows]
    wanted = [(row, place) for row, close in enumerate(near) for place in range(len(columns)) if place in close]
    worths = weigh([(rows[row], columns[place]) for row, place in wanted], True)
    if rank is not None:
        numbers = rank([(rows[row], columns[place]) for row, place in wanted])
        worths = [worth._replace(rank=number) for worth, number in zip(worths, numbers, strict=True)]
    asked = dict(zip(wanted, worths, strict=True))
    table = [[asked.get((row, place), NOTHING_ALIKE) for place in range(len(columns))] for row in range(len(rows))]
    found = assign_gains(gains(table, align.least_f1))
    return sorted([*pairs, *((rows[row], columns[column]) for row, column in found)])


def _likely_complete(
    ours: Sequence[Hashable], theirs: Sequence[Hashable], our_leaves: Sequence[Leaves], their_leaves: Sequence[Leaves]
) -> list[tuple[list[int], list[int]]]:
    """Items whose mark no others have: one of both lists, or of items that equal each other as many on both sides."""
    columns_of, found = places([each.mark for each in their_leaves]), []
    for shared, rows in places([each.mark for each in our_leaves]).items():
        columns = columns_of.get(shared, [])
        equal = len({*(ours[row] for row in rows), *(theirs[column] for column in columns)}) == 1
        if len(rows) == len(columns) and (len(rows) == 1 or equal):
            found.append((rows, columns))
    return found


def _value_in_common(ours: Sequence[Leaves], theirs: Sequence[Leaves]) -> list[set[int]]:
    """For each expected item, the places of the output's items that it may have a match in common with."""
    having: dict[Hashable, list[int]] = {}
    for column, each in enumerate(theirs):
        for value in each.values:
            having.setdefault(value, []).append(column)
    unknown = {column for column, each in enumerate(theirs) if not each.known}
    every = set(range(len(theirs)))
    return [unknown.union(*(having.get(value, ()) for value in each.values)) if each.known else every for each in ours]


def most_like(item: Any, others: Items, most: int) -> list[int]:
    """The places of the items that share most words and parts of words with one, `most` of them; of equal ones the first."""
    if len(others) <= most:
        return [*range(len(others))]
    wanted = _parts(item)
    shares = [
        (-2 * len(wanted & found) / (len(wanted) + len(found) or 1), place)
        for place, found in enumerate(map(_parts, others))
    ]
    return sorted(place for _, place in sorted(shares)[:most])


def _parts(item: Any) -> set[str]:
    """The runs of three letters of an item, keys and all."""
    text = f"  {to_text(item).lower()} "
    return {text[start : start + 3] for start in range(len(text) - 2)}


def _by_key(align: Align, ours: Sequence[Hashable | None], theirs: Sequence[Hashable | None]) -> Paired:
    """How two lists go together whose items have these keys."""
    pairs = by_key(ours, theirs)
    if align.keyless == "ordered":
        keyless = ([index for index, key in enumerate(side) if key is None] for side in (ours, theirs))
        pairs = sorted([*pairs, *zip(*keyless, strict=False)])
    return _paired(pairs, ours, theirs)


def key_reader(align: Align, absent: Absent = None) -> Callable[[Any], Hashable | None]:
    """What identifies an item: None where it lacks every part of its key. What is `absent`, once transformed, is lacking.

    A part that the transforms cannot change, such as a number among texts, stays as it is.
    """
    paths, change = align.keys, chain(align.transforms)
    if len(paths) == 1 and change is None and len(paths[0].steps) == 1 and paths[0].steps[0].__class__ is str:
        name, path = paths[0].steps[0], paths[0]

        def read_text(item: Any) -> Hashable | None:
            value = item.get(name, MISSING) if item.__class__ is dict else path.get(item)
            if value.__class__ is str and absent is None:
                return value
            if value is MISSING or (absent is not None and absent(value)):
                return None
            return str(value) if value.__class__ is str else (identity(value),)

        return read_text

    def read(item: Any) -> Hashable | None:
        values = [path.get(item) for path in paths]
        if change is not None:
            values = [value if value is MISSING else _changed(change, value) for value in values]
        if absent is not None:
            values = [MISSING if absent(value) else value for value in values]
        return None if all(value is MISSING for value in values) else tuple(map(identity, values))

    return read


def _changed(change: Callable[[Any], Any], value: Any) -> Any:
    try:
        return change(value)
    except TransformError:
        return value


def _paired(pairs: Pairs, expected: Items, output: Items, crowded: bool = False) -> Paired:
    return Paired(pairs, *left_over(pairs, len(expected), len(output)), crowded)


def as_sets(
    expected: Items, output: Items, key_of: Callable[[Any], Hashable] | None
) -> tuple[list[int], list[int]] | None:
    """Where the items of two lists stand that are no other's double; None where no list has an item twice.

    Two items are the same where they share a key, if there is `key_of` and it takes all items of both lists, and where they are equal.
    """
    keys = _keys_of(expected, output, key_of)
    ours, theirs = _first_places(keys[: len(expected)]), _first_places(keys[len(expected) :])
    return None if len(ours) == len(expected) and len(theirs) == len(output) else (ours, theirs)


def _keys_of(expected: Items, output: Items, key_of: Callable[[Any], Hashable] | None) -> list[Hashable]:
    """What items of two lists share that are the same."""
    if key_of is not None:
        with suppress(TransformError, RowProblem, RecursionError):
            return [*map(key_of, expected), *map(key_of, output)]
    return [*map(identity, expected), *map(identity, output)]


def _first_places(keys: Sequence[Hashable]) -> list[int]:
    """Where each key stands first."""
    first: dict[Hashable, int] = {}
    for place, key in enumerate(keys):
        first.setdefault(key, place)
    return [*first.values()]
