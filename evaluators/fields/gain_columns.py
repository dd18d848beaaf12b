"""What every pair of items of two lists is worth, found field by field instead of pair by pair.

Strategy: `weigher(item)` is made once for an item node. Over two lists it takes one column per field and side, and asks
once per column: a comparator of equality, or with a `key`, makes one key of each value, so that n + m values are looked at for n × m
pairs; one with `compare_columns` compares the columns itself; any other is asked about every pair of different values.
The matches of a pair and the fields of its two items are its worth: F1 is 2M / (fields of one + fields of the other).

It answers for items that are one unit, and for objects whose fields are units, when every item is an object with
declared fields. For anything else it gives None, and pairs are weighed one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias

from evaluators.comparators._comparator import Comparator, Matches
from evaluators.fields.gains import GainArrays, Worth, Worths, judged
from evaluators.fields.pair import Alike, Items
from evaluators.fields.readable import Ask, first_problem
from evaluators.fields.rules import Partial, answering_rule, guarded
from evaluators.fields.tree import FieldNode
from evaluators.issues import Blame, RowProblem
from evaluators.limits import still_time
from evaluators.model import Status
from evaluators.values.arrays import arrays_for
from evaluators.values.equality import same
from evaluators.values.pairing import identity
from evaluators.values.transforms import Transform, TransformError, chain

Weigher: TypeAlias = Callable[[Items, Items, bool], "Worths | Alike | None"]
"""Over two lists; True where they are too long to look at all pairs, and only an `Alike` will do."""
Keys: TypeAlias = Callable[[Sequence[Any]], "list[Hashable] | None"]
Column: TypeAlias = Callable[[Sequence[Any], Sequence[Any]], "Matches | None"]


def weigher(item: FieldNode) -> Weigher | None:
    """The function that gives the worth of all pairs of two lists; None for items that it cannot weigh."""
    if item.skip or item.required:
        return None
    if item.unit:
        column = _column(item)
        return None if column is None else _units(column, None if item.readers[0] is not None else _keys_of(item))
    below = item.below
    if item.kind != "object" or item.compound is not None or below.others is not None:
        return None
    columns: dict[str, Column] = {}
    for key, child in below.keys.items():
        if child.skip:
            continue
        column = _column(child) if child.unit and not child.required else None
        if column is None:
            return None
        columns[key] = column
    return _objects(columns, frozenset(below.keys)) if columns else None


def known_by_key(item: FieldNode) -> bool:
    """Whether items are one value each, and match when they share a key: long lists of them take no longer than reading."""
    return (
        item.unit and not item.skip and not item.required and len(item.metrics) == 1 and item.readers[0] is None
        and not item.metrics[0].comparator.costs and item.metrics[0].comparator.reads == "both" and _keys_of(item) is not None
    )  # fmt: skip


def transitive(item: FieldNode) -> bool:
    """Whether items are objects of units that match when their values are alike, and then in every pair.

    Two such items, with the same keys, differ by a distance: the number of fields that do not match.
    """
    below = item.below
    if item.kind != "object" or item.unit or item.skip or item.compound is not None or below.others is not None:
        return False
    return all(
        child.unit and not child.skip and not child.required and not child.transforms and len(child.metrics) == 1
        and child.metrics[0].comparator.reads == "both" and child.readers[0] is None and _keys_of(child) is not None
        for child in below.keys.values()
    )  # fmt: skip


def exact(item: FieldNode) -> bool:
    """Whether such items match as a whole only when they are equal."""
    return all(child.metrics[0].comparator.compile() is same for child in item.below.keys.values())


def _units(column: Column, keys: Keys | None) -> Weigher:
    def weigh(expected: Items, output: Items, too_many: bool = False) -> Worths | Alike | None:
        if keys is not None:
            ours, theirs = keys(expected), keys(output)
            if ours is not None and theirs is not None:
                return Alike(ours, theirs)
        if too_many:
            return None
        found = column(expected, output)
        if isinstance(found, list):
            return [[judged(hit) for hit in line] for line in found]
        return None if found is None else GainArrays(found.astype("int64"), 2)

    return weigh


def _objects(columns: dict[str, Column], declared: frozenset[str]) -> Weigher:
    def weigh(expected: Items, output: Items, too_many: bool = False) -> Worths | None:
        if too_many:
            return None
        for item in expected:
            if item.__class__ is not dict or not item:
                return None
        for item in output:
            if item.__class__ is not dict or not item or not item.keys() <= declared:
                return None
        ours, theirs = ([sum(key in item for key in columns) for item in side] for side in (expected, output))
        if 0 in ours or 0 in theirs:
            return None
        return _weighed(columns, expected, output, ours, theirs)

    return weigh


def _weighed(
    columns: dict[str, Column], expected: Items, output: Items, ours: list[int], theirs: list[int]
) -> Worths | None:
    numpy = arrays_for(len(expected), len(output))
    if numpy is None:
        matched: Any = [[0] * len(output) for _ in expected]
    else:
        matched = numpy.zeros((len(expected), len(output)), dtype=numpy.int64)
    for key, column in columns.items():
        still_time()
        rows = [row for row, item in enumerate(expected) if key in item]
        places = [place for place, item in enumerate(output) if key in item]
        if not rows or not places:
            continue
        found = column([expected[row][key] for row in rows], [output[place][key] for place in places])
        if found is None:
            return None
        if numpy is None:
            for row, line in zip(rows, found, strict=True):
                into = matched[row]
                for place, hit in zip(places, line, strict=True):
                    if hit:
                        into[place] += 1
        elif len(rows) == len(expected) and len(places) == len(output):
            matched += numpy.asarray(found)
        else:
            matched[numpy.ix_(rows, places)] += numpy.asarray(found)
    if numpy is None:
        return [
            [Worth(hits, one + other) for hits, other in zip(line, theirs, strict=True)]
            for line, one in zip(matched, ours, strict=True)
        ]
    return GainArrays(matched, numpy.add.outer(numpy.array(ours), numpy.array(theirs)))


def _column(node: FieldNode) -> Column | None:
    """How one field is compared, whole columns at once."""
    return column_of(node.metrics[0].comparator, node.transforms, node.readers[0]) if len(node.metrics) == 1 else None


def column_of(comparator: Comparator, transforms: Sequence[Transform], ask: Ask | None) -> Column | None:
    """How every value of one column is compared with every value of another.

    None for a comparator that costs or reads one side alone. The answer is None where pairs have to be asked one by one.
    """
    if comparator.costs or comparator.reads == "output":
        return None
    apply, keys = chain(transforms), _keys(comparator, transforms)
    rule = guarded(answering_rule(comparator, tuple(transforms)), ask)

    def by_pair(expected: Sequence[Any], output: Sequence[Any]) -> Matches | None:
        known: dict[tuple[Hashable, Hashable], bool] = {}
        theirs = [(identity(value), value) for value in output]
        found = []
        try:
            for value in expected:
                still_time()
                one, line = identity(value), []
                for other, actual in theirs:
                    hit = known.get((one, other))
                    if hit is None:
                        judged = rule(value, actual)
                        hit = (judged.status if isinstance(judged, Partial) else judged) is Status.MATCH
                        known[one, other] = hit
                    line.append(hit)
                found.append(line)
        except RowProblem as error:
            if error.issue.blame is Blame.ENVIRONMENT:  # how items pair must not depend on the machine
                raise
            return None
        return found

    def column(expected: Sequence[Any], output: Sequence[Any]) -> Matches | None:
        if ask is not None and first_problem(ask, expected) is not None:
            return None
        if keys is not None:
            ours, theirs = keys(expected), keys(output)
            return by_pair(expected, output) if ours is None or theirs is None else _equal_keys(ours, theirs)
        changed, other = expected, output
        if apply is not None:
            try:
                changed, other = [*map(apply, expected)], [*map(apply, output)]
            except (TransformError, RowProblem):
                return by_pair(expected, output)
        found = comparator.compare_columns(changed, other)
        return by_pair(expected, output) if found is None else found

    return column


def _keys(comparator: Comparator, transforms: Sequence[Transform]) -> Keys | None:
    """What makes one key of each value, so that values match exactly when their keys are equal; None without such keys."""
    apply = chain(transforms)
    key = identity if comparator.compile() is same else comparator.key()
    if key is None:
        return None

    def keys(values: Sequence[Any]) -> list[Hashable] | None:
        try:
            return [*map(key, values if apply is None else map(apply, values))]
        except (TransformError, RowProblem, RecursionError):
            return None

    return keys


def _keys_of(node: FieldNode) -> Keys | None:
    return _keys(node.metrics[0].comparator, node.transforms)


def _equal_keys(ours: list[Hashable], theirs: list[Hashable]) -> Matches:
    numpy = arrays_for(len(ours), len(theirs))
    if numpy is None:
        return [[one == other for other in theirs] for one in ours]
    numbers: dict[Hashable, int] = {}
    rows, columns = (numpy.array([numbers.setdefault(key, len(numbers)) for key in side]) for side in (ours, theirs))
    return rows[:, None] == columns
