"""Patterns of places: `*`, `?` and `[…]` stand for a part of one step, `**` for any number of steps."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final

WILDCARDS: Final = frozenset("*?[")


def has_wildcards(text: str) -> bool:
    """Whether a place, or a step of one, holds a character that stands for others."""
    return not WILDCARDS.isdisjoint(text)


def stood_for(pattern: Sequence[str], path: Sequence[str]) -> list[str] | None:
    """The steps of the path that the wildcards of the pattern stand for; None where the two do not fit."""
    if not pattern or not path:
        return [] if not path and all(step == "**" for step in pattern) else None
    step, rest = pattern[0], pattern[1:]
    if step == "**":
        tried = (
            [*path[:count], *found]
            for count in range(len(path) + 1)
            if (found := stood_for(rest, path[count:])) is not None
        )
        return next(tried, None)
    fixed = not has_wildcards(step)
    if not (step == path[0] if fixed else fnmatchcase(path[0], step)):
        return None
    found = stood_for(rest, path[1:])
    return found if found is None or fixed else [path[0], *found]
