"""Many definite paths read with few calls: those whose last keys stand in the same object are read together.

`read` takes the usual document, in which every key is plainly there. It raises one of `ABSENT` where one is not, or where a
literal key with dots may be meant; `read_pair` then gives for each path what `Path.get_pair` gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, Final, TypeAlias

from evaluators.model import MISSING
from evaluators.values.literal_keys import joined_keys
from evaluators.values.path_text import ANY, Location
from evaluators.values.paths import Path

Reader: TypeAlias = Callable[[Any], tuple[Any, ...]]

ABSENT: Final = (KeyError, TypeError, IndexError)
"""What a reader raises where a value is not plainly there."""


def read_together(path: Path) -> bool:
    """Whether a path is one of those that are read with others: it leads to one place, which is a key of an object."""
    return (
        path.definite
        and bool(path.steps)
        and isinstance(path.steps[-1], str)
        and not any(isinstance(step, int) and step < 0 for step in path.steps)
    )


def by_parent(paths: Sequence[Path]) -> list[list[int]]:
    """The numbers of the paths, those with one parent together."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for number, path in enumerate(paths):
        found.setdefault(path.steps[:-1], []).append(number)
    return list(found.values())


class ManyPaths:
    """Some paths for which `read_together` holds, in an order in which those with one parent stand together."""

    def __init__(self, paths: Sequence[Path]) -> None:
        groups = [_Siblings([paths[number] for number in numbers]) for numbers in by_parent(paths)]
        self._groups = groups
        self.read: Reader = _joined([group.reader() for group in groups])
        """The values of all paths in one document. Raises one of `ABSENT`."""

    def read_pair(self, expected: Any, output: Any) -> tuple[list[Any], list[Any]]:
        """The values of all paths in two documents, MISSING where nothing is there."""
        ours: list[Any] = []
        theirs: list[Any] = []
        for group in self._groups:
            group.add_pairs(expected, output, ours, theirs)
        return ours, theirs


class _Siblings:
    """Paths whose last keys stand in the same object."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.steps: Location = tuple(step for step in paths[0].steps[:-1] if step is not ANY)
        self.keys: tuple[Any, ...] = tuple(path.steps[-1] for path in paths)
        self.nothing = [MISSING] * len(paths)
        self.pairs = [path.pair_getter() for path in paths]
        levels = [joined_keys(path.steps, path.joins) for path in paths]
        self.dotted = [sorted({key for level in levels for key, _ in level[at]}) for at in range(len(self.steps))]
        """For each step, the keys with dots that would win in its place."""
        self.parent = self._parent()

    def reader(self) -> Reader:
        """The values in one document. Raises one of `ABSENT`, also where a key with dots may be meant."""
        read, parent, steps = _values_of(self.keys), self.parent, self.steps
        if len(steps) > 2 or (len(steps) == 2 and any(self.dotted)):
            return lambda document: read(parent(document))
        if len(steps) == 2:
            first, second = steps
            return lambda document: read(document[first][second])
        return _below_a_key(read, steps[0], self.dotted[0]) if steps else read

    def add_pairs(self, expected: Any, output: Any, ours: list[Any], theirs: list[Any]) -> None:
        """Adds the values in two documents to two lists, MISSING where nothing is there."""
        try:
            mine, other = self.parent(expected), self.parent(output)
            if mine.__class__ is dict and other.__class__ is dict:
                ours += map(mine.get, self.keys, self.nothing)
                theirs += map(other.get, self.keys, self.nothing)
                return
        except ABSENT:
            pass
        for pair in self.pairs:
            value, found = pair(expected, output)
            ours.append(value)
            theirs.append(found)

    def _parent(self) -> Callable[[Any], Any]:
        """The object in which the keys stand."""
        if not self.steps:
            return lambda document: document
        plan = tuple(zip(self.steps, map(tuple, self.dotted), strict=True))

        def read(document: Any) -> Any:
            for step, dotted in plan:
                for key in dotted:
                    if key in document:
                        raise KeyError(key)
                document = document[step]
            return document

        return read


def _values_of(keys: Sequence[Any]) -> Reader:
    """The values of some keys of one object."""
    if len(keys) > 1:
        return itemgetter(*keys)
    key = keys[0]
    return lambda parent: (parent[key],)


def _below_a_key(read: Reader, step: Any, dotted: Sequence[str]) -> Reader:
    """The values in the object below one key of the document."""
    if not dotted:
        return lambda document: read(document[step])
    first, others = dotted[0], dotted[1:]

    def guarded(document: Any) -> tuple[Any, ...]:
        if first in document:
            raise KeyError(first)
        for key in others:
            if key in document:
                raise KeyError(key)
        return read(document[step])

    return guarded


def _joined(readers: Sequence[Reader]) -> Reader:
    """One reader of all groups."""
    if not readers:
        return lambda document: ()
    if len(readers) == 1:
        return readers[0]
    if len(readers) == 3:  # the usual number, spared one call
        one, two, three = readers
        return lambda document: one(document) + two(document) + three(document)
    *before, last = readers
    first = _joined(before)
    return lambda document: first(document) + last(document)
