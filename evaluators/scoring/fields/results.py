"""What one row comes to: the places that match, and a light result for everything else; and the lists that were looked into.

A match costs an append of its `Mark`; where every result is asked for, it is a result like the others. A result has no words and no
fractions: they are made when a line is written. The verdict, the counts by path, the items of lists, the outcomes with their reasons
are functions of the `RowResults`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct

from evaluators.model.rows import FieldStatus
from evaluators.scoring.fields.instance_paths import InstancePath, Unpaired
from evaluators.scoring.fields.rules import Explained, Judged
from evaluators.scoring.values.paths import ANY

if TYPE_CHECKING:
    from evaluators.scoring.fields.item_keys import ItemKeys
    from evaluators.scoring.fields.places import Mark, Place

NOT_MEASURED, MATCH, MISMATCH, OMISSION, HALLUCINATION, SKIPPED, ERROR, NOT_JUDGED = map(int, FieldStatus)
"""The numbers of the statuses: results have them in place of the statuses."""
STATUS: Final = tuple(FieldStatus)
IS_MEASURED: Final = (False, True, True, True, True, False, True, False)
"""By the number of a status."""
IS_WRONG: Final = (False, False, True, True, True, False, True, True)


class FieldResult(Struct, gc=False):
    """What became of one place of a row."""

    at: Place
    location: InstancePath
    """Where it stands: the whole way; of a listed field only the items that were gone into."""
    status: int
    expected: Any
    output: Any
    answers: tuple[Judged | Explained, ...] = ()
    """What each metric said, where they do not all say the same, or there is more to say of it."""
    known_to: Literal["outside", "elsewhere"] | None = None
    """Of a value that only the output has, and that the schema lacks at its place: `outside`, or `elsewhere` in another branch."""


class ListFound(Struct, gc=False):
    """A list that was looked into, or that has a result of its own. Lengths are those of `matched` and `found`."""

    at: Place
    location: InstancePath
    expected: Any
    """As it stands, and as it was compared."""
    output: Any
    first_match: int
    first: int
    last_match: int = 0
    last: int = 0
    matches: Sequence[int] = ()
    """How many matches there were after each expected item."""
    ends: Sequence[int] = ()
    """How many other results there were after each expected item."""
    pairs: Sequence[tuple[int, int]] = ()
    """The items that go together: (expected index, index in the output), as they were compared."""
    extra: Sequence[tuple[int, int, int, int, int]] = ()
    """The items that only the output has: index, then lengths before and after it."""
    crowded: bool = False
    """It was too long to compare each item with each."""
    keys: ItemKeys | None = None
    """The keys that were read to pair its items."""
    kept: tuple[Sequence[int], Sequence[int]] | None = None
    """Of lists that are sets, where the items stood that were compared."""


class RowResults(Struct, gc=False):
    """All results of one row."""

    matched: list[Mark]
    found: list[FieldResult]
    lists: list[ListFound]
    outside: list[tuple[Any, Any]]
    """The places that the expected side has and the schema lacks: the place above each, and the step."""


def shown_location(result: FieldResult) -> InstancePath:
    """Where a value stands. Of a listed field it is the path with the items that were gone into, each by the index in its own list;
    where the path has no `[*]`, the item of its value alone."""
    node = result.at.node
    if node.policy.one_result == "value":
        return result.location
    inside = [step.index if isinstance(step, Unpaired) else step for step in result.location]
    if inside and ANY not in node.path:
        return tuple(inside)
    known = node.path.count(ANY)
    steps = iter(inside[:known])
    return (*(next(steps) if step is ANY else step for step in node.path), *inside[known:])
