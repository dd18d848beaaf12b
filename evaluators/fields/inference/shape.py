"""What many documents have in common: at each place, the values that were met there and what stands below."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct

_MOST_KEYS: Final = 30
_RARE: Final = 0.1
_DEEPEST: Final = 30


class SeenPlace(Struct):
    """One place of the documents."""

    met: int = 0
    """How often something stands there, null included."""
    nulls: int = 0
    objects: int = 0
    lists: list[list[Any]] = []
    scalars: list[Any] = []
    keys: dict[str, SeenPlace] = {}
    items: SeenPlace | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """What kinds of values stand there, null aside."""
        found = [("objects", bool(self.objects)), ("lists", bool(self.lists)), ("single values", bool(self.scalars))]
        return tuple(name for name, is_there in found if is_there)

    @property
    def keyed_by_data(self) -> bool:
        """An object whose keys differ from document to document: they are data, and no names of fields."""
        if len(self.keys) <= _MOST_KEYS:
            return False
        return sum(child.met for child in self.keys.values()) < _RARE * len(self.keys) * self.objects


def shape_of(documents: Iterable[Any]) -> SeenPlace:
    """The shape of the documents."""
    root = SeenPlace()
    for document in documents:
        _add(root, document, 0)
    return root


def _add(node: SeenPlace, value: Any, depth: int) -> None:
    node.met += 1
    if value is None:
        node.nulls += 1
    elif isinstance(value, dict) and depth < _DEEPEST:
        node.objects += 1
        for key, inner in value.items():
            _add(node.keys.setdefault(key, SeenPlace()), inner, depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        node.lists.append(value)
        node.items = node.items or SeenPlace()
        for item in value:
            _add(node.items, item, depth + 1)
    else:
        node.scalars.append(value)
