"""Places of bytes, as texts: patterns of them, and what may be there.

In a pattern `*`, `?` and `[…]` stand for a part of one step, `**` for any number of steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["file", "folder", "stream"]
"""A stream, such as a named pipe, can be read once, and only from its beginning."""

PACKAGES: Final = {
    "s3": "s3fs>=2026", "gs": "gcsfs>=2026", "abfs": "adlfs>=2026", "http": "aiohttp", "https": "aiohttp",
}  # fmt: skip
"""The stores elsewhere, by the word before `://`, and what pip installs for each."""
WILDCARDS: Final = frozenset("*?[")


class StoreFault(OSError):
    """A store did not give or take a file, and trying again will not help, or did not."""


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
