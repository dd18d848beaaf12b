"""Literal keys that contain dots: `a.b` may be the key "b" of the object at "a", and it may be one key "a.b".

A literal key wins where it is found. At each level the longest stretch of segments that is a key there is tried first, and
a shorter one only when the longer leads nowhere. The keys that were used are a *reading* of the path.

Whatever looks into documents by a dot path asks here: `joined_keys` says which keys may stand where, `read_steps` finds the
first reading that leads somewhere, and `unless_joined` is the quick way for the usual document, which has no such key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias

from evaluators.model import JSON, MISSING
from evaluators.values.path_text import ANY, Every, Location, Step

Hit: TypeAlias = tuple[Location, JSON]
Levels: TypeAlias = tuple[tuple[tuple[str, int], ...], ...]
"""For each step: the joined keys that may begin there, longest first, each with the number of the step after it."""


@lru_cache(maxsize=4096)
def joined_keys(steps: tuple[Step, ...], joins: tuple[bool, ...]) -> Levels:
    """The keys with dots that may stand for some steps of a path. `joins` are those of the path."""
    if not joins:
        return tuple(() for _ in steps)
    return tuple(tuple(reversed(list(joined_from(steps, joins, start)))) for start in range(len(steps)))


def joined_from(steps: tuple[Step, ...], joins: tuple[bool, ...], start: int) -> Iterator[tuple[str, int]]:
    """The joined keys that may begin at one step, shortest first, each with the number of the step after it."""
    key = str(steps[start])
    for end in range(start + 1, len(steps)):
        if not joins[end]:
            return
        key += f".{steps[end]}"
        yield key, end + 1


def read_steps(levels: Levels, steps: tuple[Step, ...], document: JSON) -> tuple[tuple[Step, ...], list[Hit]]:
    """The first reading that leads somewhere, with its hits in order; no hits when none does.

    Depth first over the keys that are there, so the work is bounded by the document, not by the ways to join keys.
    """
    waiting: list[tuple[int, tuple[Step, ...], list[Hit]]] = [(0, (), [((), document)])]
    while waiting:
        at, reading, hits = waiting.pop()
        if at == len(steps):
            return reading, hits
        step = steps[at]
        for key, after, keeps in ((step, at + 1, step), *((key, after, key) for key, after in reversed(levels[at]))):
            found = [hit for location, value in hits for hit in _children(location, value, key)]
            if found:
                waiting.append((after, (*reading, keeps), found))
    return steps, []


def unless_joined(steps: Location, levels: Levels, joined: Callable[[JSON], Any]) -> Callable[[JSON], Any]:
    """What the steps lead to one by one, or `joined(document)` as soon as there may be a joined key on the way.

    A text or a list may hold a joined key as well, which costs no more than a needless call of `joined`. So MISSING
    means that no reading leads anywhere.
    """
    match steps:
        case (str(first), str(second)):
            return _two_unless_joined(first, second, joined)
        case _:
            return _many_unless_joined(steps, levels, joined)


def key_of(step: str | int) -> str | None:
    """The key that a step stands for on an object. An index from the end stands for none, and None is never a key."""
    return str(step) if isinstance(step, str) or step >= 0 else None


def _two_unless_joined(first: str, second: str, joined: Callable[[JSON], Any]) -> Callable[[JSON], Any]:
    both = f"{first}.{second}"

    def get(document: Any) -> Any:
        try:
            return joined(document) if both in document else document[first][second]
        except (KeyError, TypeError):
            return MISSING

    return get


def _many_unless_joined(steps: Location, levels: Levels, joined: Callable[[JSON], Any]) -> Callable[[JSON], Any]:
    texts_of = (tuple(text for text, _ in level) for level in levels)
    plan: tuple[tuple[Any, str | None, tuple[str, ...]], ...] = tuple(
        zip(steps, map(key_of, steps), texts_of, strict=True)
    )

    def get(document: Any) -> Any:
        value = document
        try:
            for step, key, texts in plan:
                if type(value) is list:
                    value = value[step]
                    continue
                for text in texts:
                    if text in value:
                        return joined(document)
                value = value[key]
        except (KeyError, TypeError, IndexError):
            return MISSING
        return value

    return get


def _children(location: Location, value: JSON, step: Step) -> Iterator[Hit]:
    """What one step leads to, with its place."""
    if type(value) is dict:
        keys = sorted(value) if isinstance(step, Every) else (key_of(step),)
        for key in keys:
            if key in value and key is not None:
                yield (*location, key), value[key]
    elif type(value) is list:
        if step is ANY:
            for index, item in enumerate(value):
                yield (*location, index), item
        elif isinstance(step, int) and -len(value) <= step < len(value):
            yield (*location, step % len(value)), value[step]
