"""What tells the items of a list apart: a key that every item has, with another value in every item of a document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

_NAMED: Final = re.compile(
    r"(?:^|[_\W])(?:id|key|code|sku|no|nr|number|uuid|isbn|ean|line|index|pos|position)$", re.IGNORECASE
)
_NAMES: Final = re.compile(r"(?:^|[_\W])(?:name|title|label)$", re.IGNORECASE)
_ENOUGH_LISTS: Final = 3
_LONGEST: Final = 60


def key_of(lists: Sequence[Sequence[Any]]) -> str | None:
    """The best key of the items; None where there is none, or too little to go by.

    Lists with fewer than two items say nothing. A key with a telling name needs one list that has more, any other key three.
    """
    telling = [items for items in lists if len(items) > 1]
    every = [item for items in lists for item in items]
    if not telling or not all(isinstance(item, dict) for item in every):
        return None
    found: list[str] = [name for name in every[0] if _tells_apart(name, every, telling)]
    ranked = sorted(found, key=_rank)
    if not ranked or (_rank(ranked[0]) > 1 and len(telling) < _ENOUGH_LISTS):
        return None
    return ranked[0]


def _tells_apart(name: str, every: Sequence[dict[str, Any]], lists: Sequence[Sequence[dict[str, Any]]]) -> bool:
    values = [item.get(name) for item in every]
    texts = all(isinstance(value, str) and 0 < len(value) <= _LONGEST for value in values)
    numbers = all(isinstance(value, int) and not isinstance(value, bool) for value in values)
    if not texts and not (numbers and _NAMED.search(name)):
        return False
    return all(len({item[name] for item in items}) == len(items) for items in lists)


def _rank(name: str) -> int:
    return 0 if _NAMED.search(name) else 1 if _NAMES.search(name) else 2
