"""The results of one row: the places that match, a light result for everything else, and how lists were paired.

A match costs an append of its `Mark`; where every result is asked for, it is a result like the others. A result has no words and no
fractions: they are made when a line is written. The verdict, the counts by path, the items of lists, the outcomes with their reasons
are functions of the `RowResults`.

Rows with the same `Signature` come to the same: their events, verdict and empty values are made once (see `events`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from evaluators.model.rows import FieldStatus
from evaluators.scoring.fields.empty_values import empty_positions
from evaluators.scoring.fields.instance_paths import InstancePath, Unpaired
from evaluators.scoring.fields.item_keys import ItemKeys
from evaluators.scoring.fields.places import EMPTY_KINDS, Mark, Place
from evaluators.scoring.fields.rules import Explained, Judged
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.values.paths import ANY

NOT_MEASURED, MATCH, MISMATCH, OMISSION, HALLUCINATION, SKIPPED, ERROR, NOT_JUDGED = map(int, FieldStatus)
"""The numbers of the statuses: results have them in place of the statuses."""
STATUS: Final = tuple(FieldStatus)
IS_MEASURED: Final = (False, True, True, True, True, False, True, False)
"""By the number of a status."""
IS_WRONG: Final = (False, False, True, True, True, False, True, True)


class FieldResult(Struct, gc=False):
    """How two values of a place compare: a status, and what was compared."""

    at: Place
    location: InstancePath
    """The path in the document; of a listed field only the indexes of the items on the way."""
    status: int
    expected: Any
    output: Any
    answers: tuple[Judged | Explained, ...] = ()
    """The answer of each metric, where they differ, or where one has partial credit, a reason or a problem."""
    known_to: Literal["outside", "elsewhere"] | None = None
    """Of a value that only the output has where the schema lacks the place: `outside`, or `elsewhere` when another branch has it."""


class ListResult(Struct, gc=False):
    """A list of a row, with how its items were paired.

    Which results belong to which item is told by lengths: those of the row's `matched` for matches, of its `fields` for all others.
    """

    at: Place
    location: InstancePath
    expected: Any
    output: Any
    first_match: int
    first_field: int
    """The lengths before anything in the list was compared."""
    last_match: int = 0
    last_field: int = 0
    """The lengths after all of it was compared."""
    match_ends: Sequence[int] = ()
    """After each expected item, how many matches the row had."""
    field_ends: Sequence[int] = ()
    """After each expected item, how many other results the row had."""
    pairs: Sequence[tuple[int, int]] = ()
    """(expected index, index in the output) of items that go together. Of sets, indexes are those of the `unique` items."""
    extra: Sequence[tuple[int, int, int, int, int]] = ()
    """Items that only the output has: (index, matches and other results before it, matches and other results after it)."""
    crowded: bool = False
    """It was too long to compare each item with each."""
    keys: ItemKeys | None = None
    """The keys that were read to pair its items."""
    unique: tuple[Sequence[int], Sequence[int]] | None = None
    """Of lists that are sets: the positions of the items that were compared, on both sides."""


class RowResults(Struct, gc=False):
    """All results of one row, in document order."""

    matched: list[Mark]
    """Its matches; none where every result was asked for: then they are among the `fields`."""
    fields: list[FieldResult]
    lists: list[ListResult]
    outside: list[tuple[Any, Any]]
    """The places that the expected side has and the schema lacks: the place above each, and the step."""


def shown_location(result: FieldResult) -> InstancePath:
    """The path of a value in its document. Of a listed field, `[*]` is the index of the item in its own list; where the field has no `[*]`,
    it is the index alone of an item of its value."""
    node = result.at.node
    if node.policy.one_result == "value":
        return result.location
    inside = [step.index if isinstance(step, Unpaired) else step for step in result.location]
    if inside and ANY not in node.path:
        return tuple(inside)
    known = node.path.count(ANY)
    steps = iter(inside[:known])
    return (*(next(steps) if step is ANY else step for step in node.path), *inside[known:])


class Items(NamedTuple):
    """The items of one array of one row. A pair that does not match is one missed item and one spurious one."""

    matched: int
    """Pairs in which everything that was measured matches."""
    missed: int
    """Expected items without such a match."""
    spurious: int
    """Items of the output without such a match."""
    paired: int
    """All pairs, those that match and those that do not."""

    @property
    def surplus(self) -> int:
        """Items of the output without a partner.

        They are the spurious ones, less those that are one half of a pair that does not match.
        """
        return self.spurious - (self.paired - self.matched)


_NOT_WRONG: Final = bytes(status for status in range(8) if not IS_WRONG[status])
_NOT_COUNTED: Final = bytes(status for status in range(8) if not (IS_WRONG[status] or IS_MEASURED[status]))
_NOT_MEASURED: Final = bytes(status for status in range(8) if not IS_MEASURED[status])
Counted: TypeAlias = tuple[Place, int, int, object]
"""What of a result counts: its place, its status, its emptiness, and an object of its own where `answers` have to be counted, too."""
EITHER: Final = 4
"""Some right answers are empty and some are not, and so is the output."""


def emptiness(place: Place, e: Any, o: Any, absent: Sequence[Any]) -> int:
    """0 where neither value is empty, 1 where the expected one is, 2 where the output's is, 3 where both are; EITHER where only some of
    the right answers are. Values in `absent` are empty, too."""
    if place.as_result and e.__class__ is list and e:
        some = len(empty_positions(e, absent))
        if 0 < some < len(e):
            return EITHER
        return (some > 0) + 2 * bool(empty_positions((o,), absent))
    if absent:
        return bool(empty_positions((e,), absent)) + 2 * bool(empty_positions((o,), absent))
    return (not e and e.__class__ in EMPTY_KINDS) + 2 * (not o and o.__class__ in EMPTY_KINDS)


class Signature(NamedTuple):
    """The parts of a row that count: its matches, its other results, its lists, and places that the schema lacks."""

    matched: tuple[Mark, ...]
    fields: tuple[Counted, ...]
    lists: tuple[tuple[Place, Items, bool], ...]
    outside: tuple[tuple[FieldNode, Any], ...]


def signature_of(results: RowResults, absent: Sequence[Any] = ()) -> Signature:
    """The signature of a row. A result with `answers` makes it unlike that of any other row: such rows are counted on their own. Values
    equal to one in `absent` count as empty. Lists in which nothing was measured are left out."""
    plain = not absent
    counted = [
        (
            field.at,
            field.status,
            0
            if plain and field.expected and field.output and not field.at.as_result
            else emptiness(field.at, field.expected, field.output, absent),
            object() if field.answers else None,
        )
        for field in results.fields
    ]
    lists = []
    if results.lists:
        codes = bytes([each[1] for each in counted])
        for each in results.lists:
            items = items_of(each, codes)
            if items is not None:
                lists.append((each.at, *items))
    return Signature(tuple(results.matched), tuple(counted), tuple(lists), tuple(results.outside))


def items_of(listed: ListResult, codes: bytes) -> tuple[Items, bool] | None:
    """How the items of a list count, and whether both sides are alike without any; `codes` are the statuses of all results of its row.
    None where nothing in it was measured. An item in which nothing was measured does not count."""
    size, matches, first, last = len(listed.match_ends), listed.match_ends, listed.first_field, listed.last_field
    if first == last and not listed.extra and len(listed.pairs) == size and size:  # nothing but matches
        before = listed.first_match
        if before < matches[0] and listed.last_match == matches[-1] and (size == 1 or len({*matches}) == size):
            return Items(size, 0, 0, size), False
    if listed.last_match == listed.first_match and not codes[first:last].translate(None, _NOT_MEASURED):
        return None
    unmeasured: set[int] = set()
    wrong: set[int] = set()
    had = listed.first_match
    for row, (has, last) in enumerate(zip(matches, listed.field_ends, strict=True)):
        here = codes[first:last]
        if (has == had and MATCH not in here) or here.translate(None, _NOT_WRONG):
            wrong.add(row)
            if has == had and not here.translate(None, _NOT_COUNTED):
                unmeasured.add(row)
        had, first = has, last
    extra_unmeasured = sum([m == n and not codes[a:b].translate(None, _NOT_COUNTED) for _, m, a, n, b in listed.extra])
    pairs = listed.pairs
    if unmeasured:
        pairs = [pair for pair in pairs if pair[0] not in unmeasured]
    matched = sum([row not in wrong for row, _ in pairs]) if wrong else len(pairs)
    expected = size - len(unmeasured)
    output = len(pairs) + len(listed.extra) - extra_unmeasured
    alike = not expected and not output and (listed.last_match > had or MATCH in codes[first : listed.last_field])
    return Items(matched, expected - matched, output - matched, len(pairs)), alike
