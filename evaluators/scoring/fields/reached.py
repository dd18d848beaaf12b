"""From a frame to the pairs of values at a path, as listed fields are looked for: whatever stands on the way.

Where a literal key with dots may be meant, the output follows the reading of the expected side. A query leads to a list: its hits.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import repeat
from operator import contains, itemgetter
from typing import Any

from evaluators.model.rows import MISSING
from evaluators.scoring.fields.frame import Frame
from evaluators.scoring.values.paths import Path, joined_keys, key_of


def reached(frame: Frame, path: Path) -> Frame:
    """The pairs of values at a definite path: of each pair what `Path.get_pair` gives; of a query the lists of its hits."""
    if not path.steps and path.query is None:
        return frame
    if path.query is not None or len(frame.rows) == 1:  # one row alone is read sooner so
        return _read_apart(frame, path)
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
    """The frame that `reached` gives, but the path is followed in each pair on its own: a key may contain dots in one pair only."""
    if path.query is not None:
        ours = [_hits(path, document) for document in frame.e]
        theirs = ours if frame.o is frame.e else [_hits(path, document) for document in frame.o]
        return Frame(ours, theirs, frame.rows, frame)
    read = path.pair_getter()
    pairs = [read(a, b) for a, b in zip(frame.e, frame.o, strict=True)]
    e = [a for a, _ in pairs]
    return Frame(e, e if frame.o is frame.e else [b for _, b in pairs], frame.rows, frame)


def _hits(path: Path, document: Any) -> list[Any]:
    """Everything a query hits; an empty list where it hits nothing."""
    found = path.get(document) if document is not MISSING else MISSING
    return found if isinstance(found, list) else []


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
