"""The places of runs: the names that runs of one name get, and which of them are free."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

RUN_JSON: Final = "run.json"


def numbered(name: str) -> Iterator[str]:
    """The names that runs of one name get, one after the other: NAME, NAME-2, NAME-3 and so on."""
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def is_free(place: Path) -> bool:
    """Whether a run can be put at a place: nothing is there, or an empty folder."""
    if not os.path.lexists(place):
        return True
    try:
        return not place.is_symlink() and place.is_dir() and not any(place.iterdir())
    except OSError:  # somebody else's folder
        return False


def free_places(asked: Path) -> Iterator[Path]:
    """The free places for runs of a name, one after the other."""
    return filter(is_free, map(asked.with_name, numbered(asked.name)))
