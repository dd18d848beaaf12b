"""What a compiled node can do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from evaluators.value_class import NamedTuple

Codes: TypeAlias = list[int]
Both: TypeAlias = Callable[[Any, Any, Codes], None]
One: TypeAlias = Callable[[Any, Codes], None]
CONTAINERS: Final = frozenset((dict, list))


class NotCompiled(Exception):
    """A place of the tree is not to be compiled. It is met late where a schema is very large, or refers to itself."""


class DeclaredKeys(NamedTuple):
    """Objects that have the same keys in the same order, every one of them declared."""

    plan: tuple[tuple[int, Any], ...]
    """For each key, the code of a match and the judge of a unit; 0 and None where it is looked into."""
    matches: tuple[int, ...]
    inner: tuple[tuple[str, Walker], ...]


class Walker(NamedTuple):
    """How one node is walked. Every function appends codes."""

    both: Both
    """Two sides at the same place, either of which may be MISSING."""
    lost: One
    """What only the expected side has."""
    extra: One
    """What only the output has."""
    equal: One
    """A value that equals its counterpart."""
    kind: type | None = None
    full: Both | None = None
    """Two containers of that kind with something in each."""
    shape: Callable[[tuple[str, ...]], DeclaredKeys | None] | None = None
    """For an object: the shape of objects with these keys; None for keys that have none."""


class CompiledUnit(NamedTuple):
    """A node that is compared as one value, with the code of each status."""

    match: int
    omission: int
    hallucination: int
    judge: Callable[[Any, Any], int]
    """The code of two values that are there."""
    always: bool
    """Equal values are compared as well: the comparator is one-sided, or there are expected values that it cannot read."""
    lost: Callable[[Any], int] | None = None
    """The code of a value that only the expected side has, where that is not always an omission."""
