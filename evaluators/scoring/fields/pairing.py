"""Which items of two lists go together, as their alignment says.

    pair_freely(align, expected, output, ..., weigh)    # any_order, hungarian
    pair_by_key(align, expected, output, read)          # key_field

The answer has the pairs, sorted by expected item, and what either list has left over. `any_order` makes complete pairs and no others:
those in which every measured result is a match. `hungarian` makes the best pairing there is: the one with more complete pairs; then with
the greater sum of F1; then by its rank: the fields that match, in their order. Pairs that have nothing in common, or whose F1 is below
`at_least`, stay apart. Ties are settled as `values.pairing` says. Equal lists are paired in order by whoever calls: nothing is weighed.

`weigh` says what pairing two items is worth, once at most for each pair of different items: equal ones share an answer. Items that are one
value each, whose comparator knows what values share exactly when they match, are paired by that, and not weighed. `gains` writes what
pairs are worth as one whole number each, so that the pairing with the greatest sum is the best one. A unit of a level outweighs whatever
a pairing can gain at the levels below it: sums of F1 are whole over their common denominator, and a pairing has min(n, m) pairs at most.
Levels that tell no two pairs apart are left out, which keeps numbers small.

In long lists most items are right, and need not be weighed with each of the others. The two items of every complete pair have one
fingerprint (see `fingerprints`). Where one expected item alone and one of the output's alone have it, or as many of both that are all
equal, and these are a complete pair, they are paired first. That is exact: suppose that a best pairing left one of these expected items
without one of these of the output. Then one of these of the output would be left without, too. Pair the two, and take out the pairs that
they had: those are not complete, for their partners have other fingerprints. There is one complete pair more, and nothing outweighs that;
so the pairing was not a best one. Which of the equal ones go together decides nothing for the others; in list order they are nearest. What
is left over is weighed and paired as a list of its own. There, two items that have no value in common gain nothing, and are not weighed;
nor are two with different fingerprints, where only complete pairs are wanted.

Lists are too long to compare each item with each above a number of *cells*: one value of an item compared with one value of another. The
limit is that of lists of 1,000 items with four values each (`limits: {list_cells: …}` or `cells` of the alignment sets another). A
comparator that tells how alike two texts are counts `SLOW` times; a list inside an item counts each of its values with each, where its own
items are paired freely, too. Only the documents are counted, so that the answer is the same on every machine. Such lists have equal items
paired first. The rest pairs in list order, where such a pair is one that the alignment makes; the answer says so.

With `ask: leftover`, `hungarian` goes on where comparators that cost nothing left items over in both lists: `weigh` may then ask a judge
about each expected item that is left over, with those of the output's that are most like it, `CANDIDATES` at most. So the number of
questions grows with the items that are left over, and not with the product of two lists.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any, Final, NamedTuple, TypeAlias

from evaluators.model.issues import RowProblem
from evaluators.model.limits import limits_here, still_time
from evaluators.scoring.fields.fingerprints import Fingerprint, Fingerprinting, fingerprints
from evaluators.scoring.fields.item_keys import ItemKeys
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.fields.tree import PairCost
from evaluators.scoring.values.json_text import to_text
from evaluators.scoring.values.pairing import (
    Pairs,
    Table,
    assign_gains,
    indexes_by_value,
    lookup_key,
    pairs_by_equality,
    pairs_by_key,
    undisputed_pairs,
    unpaired_indexes,
)
from evaluators.scoring.values.transforms import TransformError

WHOLE: Final = Fraction(1)


class Worth(NamedTuple):
    """How much of two items matches: the F1 of the pair is 2 × matched / whole, as `Confusion` has it."""

    matched: int
    """Measured results that match."""
    whole: int
    """The results that both sides have, twice, and those that one side has; never 0."""
    rank: int = 0
    """What decides among pairings with the same sum of F1."""


COMPLETE: Final = Worth(1, 2)
NOTHING_ALIKE: Final = Worth(0, 2)


def worth_of_one_result(matches: bool) -> Worth:
    """The worth of two items that are compared as one value: all where it `matches`, else nothing."""
    return COMPLETE if matches else NOTHING_ALIKE


def gains(worths: Sequence[Sequence[Worth]], least: Fraction) -> Table:
    """One whole number for each pair, by rows, so that the best pairing has the greatest sum; 0 for a pair whose F1 is 0, or below
    `least`."""
    most = min(len(worths), len(worths[0]))
    numbers = _gain_of_each({worth for line in worths for worth in line}, least, most)
    return [[numbers[worth] for worth in line] for line in worths]


def _gain_of_each(worths: Iterable[Worth], least: Fraction, most: int) -> dict[Worth, int]:
    """A whole number for every worth, such that the best sum of numbers has most complete pairs, then most F1, then the
    highest ranks."""
    shares = {worth: f1(worth) for worth in worths}
    useful = {worth: share for worth, share in shares.items() if share and share >= least}
    unit = lcm(*(share.denominator for share in useful.values()))
    below = most * max((worth.rank for worth in useful), default=0) + 1
    gains = {worth: share.numerator * (unit // share.denominator) * below + worth.rank for worth, share in useful.items()}
    if any(share != WHOLE for share in useful.values()):
        bonus = most * max(gains.values()) + 1
        gains = {worth: value + bonus * (useful[worth] == WHOLE) for worth, value in gains.items()}
    return {worth: gains.get(worth, 0) for worth in shares}


def f1(worth: Worth) -> Fraction:
    """The F1 of a pair."""
    return _f1(worth.matched, worth.whole)


@lru_cache(maxsize=10_000)
def _f1(matched: int, whole: int) -> Fraction:
    """The F1 of so many matched values among `whole` values of both items. Equal ones are made once."""
    return Fraction(2 * matched, whole)


SLOW: Final = 20
"""How many cells one question to a slow comparator counts for."""
LONG: Final = 200
"""For a slow comparator, a text counts as one value for every so many characters."""
FEW: Final = 100
"""Up to this many pairs of items are always compared: that is fast, whatever the items are."""


def is_crowded(cost: PairCost, expected: Sequence[Any], output: Sequence[Any], limit: int | None = None) -> bool:
    """Whether two lists are too long to compare every item of one with every item of the other: more than `limit` cells, or than the limit
    in force."""
    rows, columns = len(expected), len(output)
    if rows * columns <= FEW:
        return False
    most = limits_here().list_cells if limit is None else limit
    if rows * columns > most:
        return True
    return count_cells(cost, expected, output) > most


def count_cells(cost: PairCost, expected: Sequence[Any], output: Sequence[Any]) -> int:
    """How much work it is to compare every item of one list with every item of the other: the number of pairs of single values, `SLOW`
    times as many where a comparator is slow."""
    ours, theirs = (sum(_value_count(item, cost) for item in side) for side in (expected, output))
    return (len(output) * ours + len(expected) * theirs) // 2 * (SLOW if cost.slow else 1)


def _value_count(item: Any, cost: PairCost) -> int:
    """How costly an item is to compare: the number of its values, at least 1. With `cost.deep` a list adds the square of its length, and
    with `cost.slow` a long text counts several times. There is no recursion, as documents may be nested deeply."""
    count, waiting = 0, [item]
    while waiting:
        value = waiting.pop()
        kind = value.__class__
        if kind is dict:
            waiting.extend(value.values())
        elif kind is list:
            if cost.deep:
                count += len(value) * len(value)
            waiting.extend(value)
        else:
            count += 1 + len(value) // LONG if cost.slow and kind is str else 1
    return count or 1


CANDIDATES: Final = 8
"""About so many items of the output a judge is asked, at most, for each expected item that is left over."""
CROWDED: Final = "too many items to compare each with each: equal ones were paired first, the others in list order"
Items: TypeAlias = Sequence[Any]


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
    """The pairing in list order of two lists with `n` expected items and `m` of the output. That of long lists is not cached."""
    return _in_order(n, m) if n <= _SHORT and m <= _SHORT else _in_order.__wrapped__(n, m)


@lru_cache(maxsize=1_000)
def _in_order(n: int, m: int) -> Paired:
    """The pairing in list order of two lists of these lengths. That of short lists is made once."""
    both = range(min(n, m))
    return Paired([*zip(both, both, strict=True)], [*range(m, n)], [*range(n, m)], False, True)


_SHORT: Final = 100


def pair_by_key(
    align: Align, expected: Items, output: Items, read: Callable[[Any], Hashable | None]
) -> tuple[Paired, ItemKeys | None]:
    """Pairs the items of two lists by their keys. `read` gives the key of an item (see `key_reader`). Returned are the pairing and the keys
    of both lists; None in place of the keys where a list is empty. Where all items have keys, and both lists the same ones in the
    same order, that order pairs them."""
    if not expected or not output:
        return in_list_order(len(expected), len(output)), None
    keys = [*map(read, expected)], [*map(read, output)]
    if None in keys[0] or keys[0] != keys[1]:
        return _pairing_by_key(align, *keys), keys
    return in_list_order(len(expected), len(output)), keys


Weigh: TypeAlias = Callable[[Sequence[tuple[int, int]], bool], Sequence[Worth]]
"""From pairs of items (expected index, index in the output) to what each is worth. True: comparators that cost are called, too."""
Rank: TypeAlias = Callable[[Sequence[tuple[int, int]]], Sequence[int]]
"""From pairs that were weighed to the rank of each, which decides among pairs of the same worth."""


def pair_freely(
    align: Align,
    expected: Items,
    output: Items,
    cost: PairCost,
    fingerprint_of: Fingerprinting,
    key_of: Callable[[Any], Hashable] | None,
    asks: bool,
    weigh: Weigh,
    rank: Rank | None = None,
) -> Paired:
    """Pairs the items of two lists that differ, in any order.

    `cost` says how costly it is to compare two items. `fingerprint_of` gives the fingerprint of an item. `key_of` gives what two items that
    are one value share exactly when they match; None where there is no such key. `weigh` and `rank` are asked about pairs. `asks`: items
    that are left over may be paired by comparators that cost, where the alignment wants it. In lists that are too long for that, equal
    items are paired, then the others in their order, where they fit well enough.
    """
    if key_of is not None:
        with suppress(TransformError, RowProblem, RecursionError):
            return _pairing(pairs_by_equality([*map(key_of, expected)], [*map(key_of, output)]), expected, output)
    ours, theirs = [lookup_key(item) for item in expected], [lookup_key(item) for item in output]
    if is_crowded(cost, expected, output, align.cells):
        pairs = pairs_by_equality(ours, theirs)
        rest = list(zip(*unpaired_indexes(pairs, len(ours), len(theirs)), strict=False))
        shares = map(f1, weigh(rest, False))
        fitting = [each for each, share in zip(rest, shares, strict=True) if share and share >= align.least_f1]
        return _pairing(sorted([*pairs, *fitting]), expected, output, crowded=True)
    pairs = _best_pairs(align, expected, output, ours, theirs, fingerprint_of, weigh, rank)
    if align.ask is not None and asks:
        pairs = _with_leftovers(align, pairs, expected, output, weigh, rank)
    return _pairing(pairs, expected, output)


def _best_pairs(
    align: Align,
    expected: Items,
    output: Items,
    ours: Sequence[Hashable],
    theirs: Sequence[Hashable],
    fingerprint_of: Fingerprinting,
    weigh: Weigh,
    rank: Rank | None,
) -> Pairs:
    """The best pairs, as indexes in both lists: first those that are in every best pairing, since both items are complete and alike, then
    the best ones among the other items. `ours` and `theirs` have the identity of each item; `rank` is asked only where the worths leave
    open which pairs are best. The others are parameters of `pair_freely`."""
    prints = fingerprints(fingerprint_of, expected, output) if len(ours) * len(theirs) > FEW else None
    pairs = Pairs()
    if prints is not None:
        likely = _likely_complete_groups(ours, theirs, *prints)
        worths = weigh([(rows[0], columns[0]) for rows, columns in likely], False)
        for (rows, columns), worth in zip(likely, worths, strict=True):
            if f1(worth) == WHOLE:
                pairs.extend(zip(rows, columns, strict=True))
    rows, columns = unpaired_indexes(pairs, len(ours), len(theirs))
    if not rows or not columns:
        return sorted(pairs)
    near: Sequence[Container[int]] = [range(len(columns))] * len(rows)
    if prints is not None:
        rest = [prints[0][row] for row in rows], [prints[1][column] for column in columns]
        if align.least_f1 == WHOLE:
            columns_of = indexes_by_value([each.keys for each in rest[1]])
            near = [set(columns_of.get(each.keys, ())) for each in rest[0]]
        else:
            near = _columns_in_common(*rest)
    our_rest, their_rest = [ours[row] for row in rows], [theirs[column] for column in columns]
    worth_of, table = _weigh_pairs(our_rest, their_rest, near, rows, columns, weigh)
    gained = gains(table(worth_of), align.least_f1)
    assigned = undisputed_pairs(gained)
    if assigned is None:
        if rank is not None:
            ranked = zip(worth_of.items(), rank([(rows[row], columns[column]) for row, column in worth_of]), strict=True)
            gained = gains(table({pair: worth._replace(rank=number) for (pair, worth), number in ranked}), align.least_f1)
        assigned = assign_gains(gained, rows, columns)
    return sorted([*pairs, *((rows[row], columns[column]) for row, column in assigned)])


def _weigh_pairs(
    ours: Sequence[Hashable],
    theirs: Sequence[Hashable],
    near: Sequence[Container[int]],
    rows: Sequence[int],
    columns: Sequence[int],
    weigh: Weigh,
) -> tuple[dict[tuple[int, int], Worth], Callable[[Mapping[tuple[int, int], Worth]], list[list[Worth]]]]:
    """Weighs the pairs of items that may gain something. Returned are their worths by (row, column), and a function that makes of such
    worths the table of all pairs.

    Equal items are weighed once: `ours` and `theirs` have the identity of each item. `near` has for each row the columns with which it may
    have something in common. `rows` and `columns` are the indexes of the items in the whole lists.
    """
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
    worth_of = dict(zip(wanted, worths, strict=True))

    def table(worths: Mapping[tuple[int, int], Worth]) -> list[list[Worth]]:
        """The worth of every pair, by rows: equal items share a line or a column, and pairs that were not weighed gain nothing."""
        line_of_row = {row: [worths.get((row, column), NOTHING_ALIKE) for column in first] for row in lines.values()}
        return [line_of_row[lines[item]] for item in ours]

    return worth_of, table


def _with_leftovers(align: Align, pairs: Pairs, expected: Items, output: Items, weigh: Weigh, rank: Rank | None) -> Pairs:
    """The pairs, with further ones that comparators which cost find among the items that are in none. Each of these expected items is
    weighed with the few items of the output whose text is most similar to its own."""
    rows, columns = unpaired_indexes(pairs, len(expected), len(output))
    if not rows or not columns:
        return pairs
    near = [set(most_similar(expected[row], [output[column] for column in columns], CANDIDATES)) for row in rows]
    wanted = [(row, place) for row, close in enumerate(near) for place in range(len(columns)) if place in close]
    worths = weigh([(rows[row], columns[place]) for row, place in wanted], True)
    if rank is not None:
        numbers = rank([(rows[row], columns[place]) for row, place in wanted])
        worths = [worth._replace(rank=number) for worth, number in zip(worths, numbers, strict=True)]
    worth_of = dict(zip(wanted, worths, strict=True))
    table = [[worth_of.get((row, place), NOTHING_ALIKE) for place in range(len(columns))] for row in range(len(rows))]
    assigned = assign_gains(gains(table, align.least_f1))
    return sorted([*pairs, *((rows[row], columns[column]) for row, column in assigned)])


def _likely_complete_groups(
    ours: Sequence[Hashable],
    theirs: Sequence[Hashable],
    our_prints: Sequence[Fingerprint],
    their_prints: Sequence[Fingerprint],
) -> list[tuple[list[int], list[int]]]:
    """Groups of items, as indexes on both sides, that probably make complete pairs: one item a side has a fingerprint
    alone, or equal items have it as often on both sides."""
    columns_of, groups = indexes_by_value([each.keys for each in their_prints]), []
    for shared, rows in indexes_by_value([each.keys for each in our_prints]).items():
        columns = columns_of.get(shared, [])
        equal = len({*(ours[row] for row in rows), *(theirs[column] for column in columns)}) == 1
        if len(rows) == len(columns) and (len(rows) == 1 or equal):
            groups.append((rows, columns))
    return groups


def _columns_in_common(ours: Sequence[Fingerprint], theirs: Sequence[Fingerprint]) -> list[set[int]]:
    """For each expected item, the indexes of the output's items that may share a match with it."""
    having: dict[Hashable, list[int]] = {}
    for column, each in enumerate(theirs):
        for value in each.values:
            having.setdefault(value, []).append(column)
    unknown = {column for column, each in enumerate(theirs) if not each.known}
    every = set(range(len(theirs)))
    return [unknown.union(*(having.get(value, ()) for value in each.values)) if each.known else every for each in ours]


def most_similar(item: Any, others: Items, most: int) -> list[int]:
    """The indexes of the items among `others` that share most words and parts of words with an item, `most` of them at
    most; of equally similar ones the first."""
    if len(others) <= most:
        return [*range(len(others))]
    wanted = _trigrams(item)
    shares = [
        (-2 * len(wanted & parts) / (len(wanted) + len(parts) or 1), place)
        for place, parts in enumerate(map(_trigrams, others))
    ]
    return sorted(place for _, place in sorted(shares)[:most])


def _trigrams(item: Any) -> set[str]:
    """The runs of three letters in the JSON text of an item."""
    text = f"  {to_text(item).lower()} "
    return {text[start : start + 3] for start in range(len(text) - 2)}


def _pairing_by_key(align: Align, ours: Sequence[Hashable | None], theirs: Sequence[Hashable | None]) -> Paired:
    """The pairing of two lists whose items have these keys; None is an item without a key."""
    pairs = pairs_by_key(ours, theirs)
    if align.keyless == "ordered":
        keyless = ([index for index, key in enumerate(side) if key is None] for side in (ours, theirs))
        pairs = sorted([*pairs, *zip(*keyless, strict=False)])
    return _pairing(pairs, ours, theirs)


def _pairing(pairs: Pairs, expected: Items, output: Items, crowded: bool = False) -> Paired:
    """The pairing that has these pairs, with the items of both lists that are in none."""
    return Paired(pairs, *unpaired_indexes(pairs, len(expected), len(output)), crowded)
