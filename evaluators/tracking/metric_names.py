"""The one way in which fields, evaluators and slices become names of metrics.

Platforms refuse `[`, `*`, `$` and more in names. So a name holds letters, digits, `_`, `-` and single spaces, parts of a path
are joined by `.`, and `/` stands between what a metric is about. Two different paths never get the same name:

- `[*]` is `.each` and `[3]` is `.item-3`: `items[*].price` becomes `items.each.price`.
- Any other character of a key is written by its number: `net.price` as one key becomes `net_-2e_price`. So is the first character
  of a key that is called like a word of this list (`each`, `item-3`, `as-pointer`, `as-path`), and a `_` before a `-`.
- An empty key is `_-_`.
- A JSON Pointer begins with `as-pointer.`; a path that is not written as reports spell it, a query among them, with `as-path.`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Final

from evaluators.values.path_text import ANY, BadPath, Step, display, read_dots

_RESERVED: Final = re.compile(r"each|item--?[0-9]+|as-pointer|as-path")
_EMPTY: Final = "_-_"


def segment(text: str) -> str:
    """One part of a name: a key, or what an evaluator, a variant, a column or a value is called."""
    if not text:
        return _EMPTY
    reserved = _RESERVED.fullmatch(text) is not None
    return "".join(
        letter if _plain(text, place) and not (reserved and place == 0) else f"_-{ord(letter):x}_"
        for place, letter in enumerate(text)
    )


def field_name(path: str) -> str:
    """The name of a field, from its path as results spell it."""
    if path.startswith("/"):
        return _joined("as-pointer", path[1:].split("/"))
    steps = _steps(path)
    return _joined("as-path", path.split(".")) if steps is None else ".".join(map(_step, steps))


def fitted(name: str, most: int) -> str:
    """The name in at most `most` characters: one that is longer ends in `_-cut-` and a checksum of the whole.

    No name that is short enough as it is ends like that, because `_-` is always followed by a number.
    """
    if len(name) <= most:
        return name
    mark = f"_-cut-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
    return name[: most - len(mark)] + mark


def _plain(text: str, place: int) -> bool:
    letter = text[place]
    if letter == "_":
        return text[place + 1 : place + 2] != "-"
    if letter == " ":
        return 0 < place < len(text) - 1
    return letter.isalnum() or letter == "-"


def _steps(path: str) -> tuple[Step, ...] | None:
    """The steps of a path that is spelt as reports spell it; None for any other text."""
    try:
        steps, _ = read_dots(path)
    except BadPath:
        return None
    return steps if steps and display(steps) == path else None


def _step(step: Step) -> str:
    if step is ANY:
        return "each"
    return segment(step) if isinstance(step, str) else f"item-{step}"


def _joined(word: str, parts: Iterable[str]) -> str:
    return ".".join([word, *map(segment, parts)])
