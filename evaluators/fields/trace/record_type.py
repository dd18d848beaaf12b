"""What the expected documents of a test set have in common, learned from the first of them.

A document that can be read into the type that is learned is known to have these keys and these kinds of values: msgspec
checks it, in less time than it takes to make dicts. So the comparison that is written for the type asks nothing of that again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Union

import msgspec
from msgspec import UNSET, UnsetType

from evaluators.values.paths import ANY, Step

MOST_KEYS: Final = 500
"""Keys of one object. More of them are data, and no two documents are alike."""
MOST_DEPTH: Final = 20
_KINDS: Final[dict[type, Any]] = {str: str, bool: bool, int: int | float, float: int | float, type(None): None}
_JSON: Final = frozenset((*_KINDS, dict, list))


class Unalike(Exception):
    """The documents have no type in common, or a row does not fit the type."""


class LearnedPlace:
    """What stands at one place of the documents, with `ANY` for every index."""

    def __init__(self, steps: tuple[Step, ...] = ()) -> None:
        self.steps = steps
        self.seen = 0
        self.kinds: set[type] = set()
        self.keys: dict[str, LearnedPlace] = {}
        self.items: LearnedPlace | None = None

    def learn(self, value: Any) -> None:
        """One more document, or one more value at this place. Raises Unalike where they cannot have a type."""
        self.seen += 1
        self.kinds.add(value.__class__)
        if value.__class__ is dict:
            for key, inner in value.items():
                self._below(key).learn(inner)
        elif value.__class__ is list:
            if self.items is None:
                self.items = LearnedPlace((*self.steps, ANY))
            for inner in value:
                self.items.learn(inner)

    def _below(self, key: str) -> LearnedPlace:
        found = self.keys.get(key)
        if found is None:
            if len(self.keys) == MOST_KEYS or len(self.steps) == MOST_DEPTH or "." in key:
                raise Unalike  # a key with dots may stand for several steps of a path
            found = self.keys[key] = LearnedPlace((*self.steps, key))
        return found

    @property
    def is_object(self) -> bool:
        """Objects stand here, and perhaps null."""
        return dict in self.kinds

    @property
    def is_list(self) -> bool:
        """Lists stand here, and perhaps null."""
        return list in self.kinds

    @property
    def nullable(self) -> bool:
        """Null stands here among other values."""
        return type(None) in self.kinds and len(self.kinds) > 1

    @property
    def scalars(self) -> frozenset[type]:
        """The kinds of plain values that stand here: `int` stands for every number."""
        return frozenset(int if kind is float else kind for kind in self.kinds if kind is not dict and kind is not list)

    def optional(self, key: str) -> bool:
        """Some of the objects lack the key."""
        return self.keys[key].seen < self.seen

    def type(self) -> Any:
        """The type that msgspec reads values of this place into. Raises Unalike where there is none.

        The fields of an object are called f0, f1 and so on, in the order in which its keys were met; one that is absent is
        UNSET.
        """
        containers = self.kinds & {dict, list}
        if not self.kinds <= _JSON:
            raise Unalike  # rows of a program may hold anything
        if not containers:
            return Union[tuple(_KINDS[kind] for kind in self.kinds)]  # noqa: UP007 - of kinds that are not known here
        if self.kinds - containers - {type(None)} or len(containers) == 2:
            raise Unalike
        found = self._list_type() if self.is_list else self._object_type()
        return found | None if self.nullable else found

    def _list_type(self) -> Any:
        if self.items is None or not self.items.kinds:
            raise Unalike  # nothing is known of items
        if self.items.is_list or (self.items.is_object and len(self.items.kinds) > 1):
            raise Unalike
        return list[self.items.type()]  # type: ignore[misc]  # a type that is made here

    def _object_type(self) -> Any:
        fields = [self._field(number, key) for number, key in enumerate(self.keys)]
        names = {f"f{number}": key for number, key in enumerate(self.keys)}
        try:
            return msgspec.defstruct("Expected", fields, rename=names, forbid_unknown_fields=True, gc=False, kw_only=True)
        except ValueError:
            raise Unalike from None  # a key that msgspec cannot write, such as one with a quote

    def _field(self, number: int, key: str) -> tuple[str, Any] | tuple[str, Any, Any]:
        kind = self.keys[key].type()
        return (f"f{number}", kind | UnsetType, UNSET) if self.optional(key) else (f"f{number}", kind)


def learned(documents: Iterable[Any]) -> LearnedPlace:
    """What objects have in common. Raises Unalike where there are none, or one is no object."""
    root = LearnedPlace()
    for document in documents:
        root.learn(document)
    if root.kinds != {dict}:
        raise Unalike
    return root
