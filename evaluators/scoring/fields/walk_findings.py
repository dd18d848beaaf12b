"""What a walk finds: columns of results, what stands in place of a plain match, and where it stands in its document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from msgspec import Struct

from evaluators.model.rows import MISSING, FieldStatus
from evaluators.scoring.fields.frame import Frame, InstancePath, Unpaired
from evaluators.scoring.fields.item_frames import ItemFrames
from evaluators.scoring.fields.rules import (
    Explained,
    Judged,
)
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.values.paths import ANY

MATCH, MISMATCH, OMISSION, HALLUCINATION = (
    FieldStatus.MATCH,
    FieldStatus.MISMATCH,
    FieldStatus.OMISSION,
    FieldStatus.HALLUCINATION,
)


SKIPPED, ERROR, NOT_JUDGED = FieldStatus.SKIPPED, FieldStatus.ERROR, FieldStatus.NOT_JUDGED


Counts: TypeAlias = tuple[int, int, int, int, int]
"""Matches, mismatches, omissions, hallucinations, and what could not be compared."""


class More(Struct, frozen=True):
    """What only some findings have."""

    answers: tuple[Judged | Explained, ...] = ()
    """What each metric said, where they do not all say the same, or there is more to say of it."""
    below: tuple[Any, ...] = ()
    """Steps below the place to what the schema lacks, and only the output has."""
    value: Any = MISSING
    """What the output has there."""
    elsewhere: bool = False
    """Another branch of the schema knows it."""
    above: FieldNode | None = None
    """The place of the schema above what it lacks."""


class Finding(NamedTuple):
    """A result that is no plain match, or that stands in no column."""

    row: int
    status: FieldStatus
    node: FieldNode
    frame: Frame
    at: int
    more: More | None = None

    @property
    def location(self) -> InstancePath:
        """The path of the finding in the documents."""
        place = self.frame.where(self.at)
        return place if self.more is None else (*place, *self.more.below)

    @property
    def known(self) -> FieldNode:
        """The place, or the one above it that the schema knows."""
        return self.more.above if self.more is not None and self.more.above is not None else self.node


class FieldColumn(NamedTuple):
    """What is compared as one value, with its frame: each pair has one result for each metric."""

    node: FieldNode
    frame: Frame
    inside: bool
    """It stands in items of a list."""
    status: FieldStatus = MATCH
    """What each result is that is no finding."""
    statuses: bytearray | None = None
    """While pairs are weighed, what each result is: then there are no findings."""


class WalkedLists(Struct, frozen=True):
    """The lists of a frame that were looked into, or had a result of their own."""

    node: FieldNode
    frame: Frame
    """Lists on both sides; an empty one where a side has something else."""
    whole: Frame
    """The same pairs as they are."""
    items: ItemFrames | None
    own: list[FieldStatus | None]
    """The result of each list itself; None where it has none."""
    inside: bool
    """They stand in items of another list."""


class Outside(Struct, frozen=True):
    """A place that the expected side has and the schema lacks."""

    row: int
    node: FieldNode
    """The place above it."""
    frame: Frame
    at: int
    step: Any


AFTER: Final = float("inf")
_FURTHER_KEYS: Final = 10**9
"""Where the keys stand that the schema does not list: after all that it lists, and after all items."""
_UNPAIRED_ITEMS: Final = 2 * 10**9
"""From here on stand the items that only the output has."""


def order_of(trail: Sequence[int | None], location: Sequence[Any]) -> tuple[tuple[float, str], ...]:
    """What a place is sorted by: declared keys as the schema lists them, then further keys by name; items in list
    order, then those that only the output has.

    `trail` has, for each step, the position of a declared key among those of its object; None for an item and a further
    key, which are sorted by themselves. So are the steps beyond its end.
    """
    found: list[tuple[float, str]] = []
    for index, step in enumerate(location):
        known = trail[index] if index < len(trail) else None
        if known is not None:
            found.append((known, ""))
        elif isinstance(step, Unpaired):
            found.append((_UNPAIRED_ITEMS + step.index, ""))
        elif isinstance(step, int):
            found.append((step, ""))
        else:
            found.append((_FURTHER_KEYS, str(step)))
    return tuple(found)


def place_of(node: FieldNode, frame: Frame, at: int) -> InstancePath:
    """Where a value stands. Of a listed field it is the path with the items that were gone into, each by the index in its own list;
    where the path has no `[*]`, the item of its value alone."""
    if node.policy.one_result == "value":
        return frame.where(at)
    inside = [step.index if isinstance(step, Unpaired) else step for step in frame.items_above(at)]
    if inside and ANY not in node.path:
        return tuple(inside)
    known = node.path.count(ANY)
    steps = iter(inside[:known])
    return (*(next(steps) if step is ANY else step for step in node.path), *inside[known:])
