"""Where a result stands in the documents of one row: `items[0].name`, and `items[+2].name` for an item of the output alone.

An index is that of the expected item. An item that only the output has is counted in the output's own list, and a plus
says so. The whole document is `$`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

from evaluators.scoring.values.path_text import Step
from evaluators.scoring.values.paths import display


class Unpaired(Struct, frozen=True):
    """The step to an item of the output that no expected item is paired with."""

    index: int


InstancePath: TypeAlias = tuple[Step | Unpaired, ...]


@lru_cache(maxsize=20_000)
def spell_location(location: InstancePath) -> str:
    """A location as text: keys and indexes as people read them, `$` for the whole document."""
    text = ""
    for step in location:
        piece = f"[+{step.index}]" if isinstance(step, Unpaired) else display((step,))
        text += piece if not text or piece.startswith("[") else f".{piece}"
    return text or "$"


@lru_cache(maxsize=20_000)
def places_above(path: str) -> tuple[str, ...]:
    """Every place that a path in text leads through, itself last. A dot or bracket inside a quoted key is no step."""
    return tuple(_prefixes(path))


def is_in_items(path: str) -> bool:
    """Whether the path of a field, in text, leads through items of a list."""
    return "[*]" in path and any(place.endswith("[*]") for place in places_above(path))


def _prefixes(path: str) -> Iterator[str]:
    """The paths, as text, of the root, of each place on the way, and of the path itself, outermost first. A `.` or `[`
    inside a quoted key ends no step."""
    yield "$"
    quoted = escaped = False
    for at, char in enumerate(path):
        if quoted:
            quoted, escaped = escaped or char != '"', not escaped and char == "\\"
        elif char == '"':
            quoted = True
        elif char in ".[" and at:
            yield path[:at]
    if path != "$":
        yield path
