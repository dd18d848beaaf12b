"""Paths into JSON documents: three notations read into one `Path`, and a path made a function that reads documents.

`$` starts JSONPath, `/` starts a JSON Pointer (RFC 6901), anything else is dot notation. A path is *definite* when it
leads to one place at most; otherwise its reader gives a list of everything it hits. Filters, slices, unions and `..` are
a *query*, which `jsonpath_hits` runs.

A dot path is special in one way: `a.b` may be the key "b" of the object at "a", and it may be one key "a.b". A literal key
wins where it is found: at each level the longest stretch of segments that is a key there is tried first, and a shorter one
only when the longer leads nowhere. The keys that were used are a *reading* of the path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from itertools import islice
from operator import getitem, itemgetter
from typing import Any, Final, TypeAlias

from msgspec import Struct

from evaluators.model.rows import JSON, MISSING, Missing
from evaluators.scoring.values.jsonpath_hits import query_hits
from evaluators.scoring.values.jsonpath_text import read_jsonpath
from evaluators.scoring.values.path_text import (
    ANY,
    BadPath,
    Location,
    Step,
    display,
    display_plainly,
    read_dots,
    read_pointer,
)

__all__ = ["ANY", "BadPath", "Location", "Path", "Step", "display", "nearest_path", "parse"]

Getter: TypeAlias = Callable[[JSON], "JSON | Missing"]
PairGetter: TypeAlias = Callable[[JSON, JSON], "tuple[JSON | Missing, JSON | Missing]"]
Hit: TypeAlias = tuple[Location, JSON]
Levels: TypeAlias = tuple[tuple[tuple[str, int], ...], ...]
"""For each step: the joined keys that may begin there, longest first, each with the number of the step after it."""

_first_of_query: Final = re.compile(r"\$(?:\[(?:\*|[0-9]+)\])*+\['([^'\\]*+)'\]").match


class Path(Struct, frozen=True):
    """One location, or one set of locations, whatever notation it was written in.

    `steps` are the steps of a plain path. `query` is the normal form of a JSONPath with filters, slices, unions or
    `..`, and then there are no steps. Two paths are equal when they lead to the same places: `a.b`, `$.a.b` and `/a/b`
    are equal and hash alike, although only the first looks for a key "a.b". So never use a path as the key of a store
    of readers.
    """

    steps: tuple[Step, ...]
    query: str | None = None
    joins: tuple[bool, ...] = ()
    """For each step, whether a plain dot joins it to the step before; empty when nothing is joined."""
    written: str | None = None
    """A query as it was written, or what the whole document is called."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Path) and (self.steps, self.query) == (other.steps, other.query)

    def __hash__(self) -> int:
        return hash((self.steps, self.query))

    @property
    def canonical(self) -> str:
        """The dot spelling, which reads back as an equal path. A query keeps its own text."""
        return self.written or self.query or display(self.steps)

    @property
    def definite(self) -> bool:
        """Whether the path leads to one place at most."""
        return self.query is None and ANY not in self.steps

    def first_keys(self) -> Iterator[str]:
        """The key that stands first, list items aside, with each longer key that literal dots may make of it.

        A query that does not begin with a key has none.
        """
        if self.query is not None:
            first = _first_of_query(self.query)
            if first:
                yield first[1]
            return
        start = next((at for at, step in enumerate(self.steps) if isinstance(step, str)), None)
        if start is not None:
            yield str(self.steps[start])
            if self.joins:
                yield from (key for key, _ in _joined_keys_from(self.steps, self.joins, start))

    def __str__(self) -> str:
        return self.canonical

    def part(self, start: int, end: int | None = None) -> Path:
        """The steps from `start` to `end` as a path of their own, which still looks for literal keys with dots."""
        joins = (False, *self.joins[start:end][1:])
        return Path(self.steps[start:end], joins=joins if any(joins) else ())

    def get(self, document: JSON) -> JSON | Missing:
        """The value at a definite path, or the list of what an indefinite one hits; MISSING when nothing is there.

        The list is in the order of `locate`, whatever the order of keys in the document.
        """
        return _getter(self.steps, self.joins, self.query)(document)

    def pair_getter(self) -> PairGetter:
        """A function from an expected document and an output to the values at the path in both, as `get` gives them.

        Where keys contain dots, the output follows the reading of the expected side. When that side has nothing there, the output is
        read on its own.
        """
        return _pair_getter(self.steps, self.joins, self.query)

    def unjoined_getter(self, joined: Any) -> Callable[[JSON], Any]:
        """A function that reads a definite path in a document. It gives the value `joined` where a key that contains dots may be meant."""
        if not self.joins:
            return _getter(self.steps, (), self.query)
        return _definite_getter(self.steps, joined_keys(self.steps, self.joins), lambda _: joined)

    def hits(self, document: JSON) -> Sequence[Hit]:
        """The place and the value of every hit, in order: list items by index, object values by key."""
        if self.query is not None:
            return query_hits(self.query, document)
        return _first_reading(joined_keys(self.steps, self.joins), self.steps, document)[1]

    def locate(self, document: JSON) -> list[Location]:
        """The place of every hit, in the order of `hits`."""
        return [location for location, _ in self.hits(document)]


def path_for_people(path: str) -> str:
    """A path, written with keys of several words as they are: `order number` for `["order number"]`. A text that is no path stays."""
    if '["' not in path:
        return path
    try:
        return display_plainly(parse(path).steps)
    except BadPath:
        return path


def parse(text: str) -> Path:
    """Read a path in any of the three notations. Raises BadPath.

    The empty text is the whole document, as RFC 6901 has it; so is `$`.
    """
    if text.startswith("$"):
        steps, query = read_jsonpath(text)
        if query is None:
            return Path(steps)
        return Path((), query, written=text)
    if text == "" or text.startswith("/"):
        return Path(read_pointer(text))
    steps, joins = read_dots(text)
    return Path(steps, joins=joins if any(joins) else ())


# Getters


@lru_cache(maxsize=4096)
def _getter(steps: tuple[Step, ...], joins: tuple[bool, ...], query: str | None) -> Getter:
    """The function that reads a path in a document, the fastest that a query, joined keys and `[*]` leave possible. It gives the value, or
    for a query or a path with `[*]` the list of values; MISSING where there is none. `joins` says for each step whether a dot before it may
    belong to a key, and is empty where none may."""
    if query is not None:
        return lambda document: [value for _, value in query_hits(query, document)] or MISSING
    levels = joined_keys(steps, joins)

    def joined_hits(document: JSON) -> list[JSON]:
        """The values at the path, where keys that contain dots may be meant."""
        return [value for _, value in _first_reading(levels, steps, document)[1]]

    if ANY not in steps:
        return _definite_getter(steps, levels, lambda document: [*joined_hits(document), MISSING][0])
    if joins:
        return lambda document: joined_hits(document) or MISSING

    def plain_hits(document: JSON) -> JSON | Missing:
        """The values at the path; MISSING where there is none."""
        values = [document]
        for step in steps:
            if isinstance(step, str):
                values = [value[step] for value in values if type(value) is dict and step in value]
            else:
                values = [below for value in values for _, below in _children(value, step)]
        return values or MISSING

    return plain_hits


def _definite_getter(
    steps: tuple[Step, ...], levels: Levels, with_joined_keys: Callable[[JSON], Any]
) -> Callable[[JSON], Any]:
    """A function that follows the steps one by one, and gives `with_joined_keys(document)` where it meets a joined key.

    No value is checked to be an object before a key is looked up: on any other value the lookup raises, and that means MISSING.
    A text may contain what looks like a joined key; then `with_joined_keys` is called needlessly, and finds nothing.
    """
    plan: list[tuple[Any, str | None, tuple[str, ...]]] = [
        (step, key_of(step), tuple(key for key, _ in level)) for step, level in zip(steps, levels, strict=True)
    ]

    def follow_keys(document: Any) -> Any:
        """The value at a path of keys; MISSING where there is none."""
        try:
            return reduce(getitem, steps, document)
        except (KeyError, TypeError):
            return MISSING

    def follow(document: Any) -> Any:
        """The value at the path; where an object has a longer key with a dot, that key is tried as well."""
        value = document
        try:
            for step, key, longer in plan:
                if type(value) is list:
                    value = value[step]
                    continue
                for text in longer:
                    if text in value:
                        return with_joined_keys(document)
                value = value[key]
        except (KeyError, TypeError, IndexError):
            return MISSING
        return value

    return follow if any(levels) or not all(isinstance(step, str) for step in steps) else follow_keys


@lru_cache(maxsize=4096)
def _pair_getter(steps: tuple[Step, ...], joins: tuple[bool, ...], query: str | None) -> PairGetter:
    """A function that gets the values at a path from an expected and an output document, with one reading of keys that contain dots."""
    get = _getter(steps, joins, query)
    if not joins:
        return lambda expected, output: (get(expected), get(output))
    levels = joined_keys(steps, joins)
    unread: Any = object()
    quick = (lambda _: unread) if ANY in steps else _definite_getter(steps, levels, lambda _: unread)
    one_by_one = _getter(steps, (), None)

    def get_pair(expected: JSON, output: JSON) -> tuple[JSON | Missing, JSON | Missing]:
        """The values in both documents. The expected one decides how keys with dots are read, where it has the value."""
        value, follow = quick(expected), one_by_one
        if value is unread:
            reading, hits = _first_reading(levels, steps, expected)
            follow = _getter(reading, (), None)
            value = follow(expected) if hits else MISSING
        return value, get(output) if value is MISSING else follow(output)

    return get_pair


# Steps in a document


@lru_cache(maxsize=4096)
def joined_keys(steps: tuple[Step, ...], joins: tuple[bool, ...]) -> Levels:
    """The keys with dots that may stand for some steps of a path. `joins` are those of the path."""
    if not joins:
        return ((),) * len(steps)
    return tuple(tuple(reversed(list(_joined_keys_from(steps, joins, start)))) for start in range(len(steps)))


def _joined_keys_from(steps: tuple[Step, ...], joins: tuple[bool, ...], start: int) -> Iterator[tuple[str, int]]:
    """The joined keys that may begin at one step, shortest first, each with the number of the step after it."""
    key = str(steps[start])
    for end in range(start + 1, len(steps)):
        if not joins[end]:
            return
        key += f".{steps[end]}"
        yield key, end + 1


def _first_reading(levels: Levels, steps: tuple[Step, ...], document: JSON) -> tuple[tuple[Step, ...], list[Hit]]:
    """The steps of the first reading of a path that leads somewhere, with its hits in order; no hits when none does.

    `levels` are the joined keys that may stand at each step. Depth first over the keys that are there, so the work is
    bounded by the document, not by the ways to join keys.
    """
    waiting: list[tuple[int, tuple[Step, ...], list[Hit]]] = [(0, (), [((), document)])]
    while waiting:
        at, reading, hits = waiting.pop()
        if at == len(steps):
            return reading, hits
        choices: list[tuple[Step, int]] = [(steps[at], at + 1), *reversed(levels[at])]
        for step, after in choices:
            below = [((*location, key), child) for location, value in hits for key, child in _children(value, step)]
            if below:
                waiting.append((after, (*reading, step), below))
    return steps, []


def _children(value: JSON, step: Step) -> Iterable[tuple[str | int, JSON]]:
    """The values that one step leads to, each with its key or index, in order."""
    if type(value) is dict:
        if step is ANY:
            return sorted(value.items(), key=itemgetter(0))
        key = key_of(step)
        if key is not None and key in value:
            return ((key, value[key]),)
    elif type(value) is list:
        if step is ANY:
            return enumerate(value)
        if isinstance(step, int) and -len(value) <= step < len(value):
            return ((step % len(value), value[step]),)
    return ()


def key_of(step: Step) -> str | None:
    """The key that a step stands for on an object. An index from the end stands for none, and None is never a key."""
    return step if isinstance(step, str) else str(step) if isinstance(step, int) and step >= 0 else None


# Suggestions

_NEAR: Final = 0.6
_MOST_PLACES: Final = 2000
_SAME_NAME: Final = 0.8


def nearest_path(wanted: Path, document: JSON, item: Step = ANY) -> str | None:
    """The path that exists in the document and is most like the wanted one, in dots; None when nothing is near.

    The same key in another place counts as near, so `name` suggests `vendor.name`. In a list, all items are looked through as `[*]` where
    the wanted path has `[*]`; the first item and those at its indexes where it has indexes; else `item`. Nothing is near a query.
    """
    if wanted.query is not None or not wanted.steps:
        return None
    best, nearest = _NEAR, None
    for place in sorted(set(islice(_places(wanted, document, item), _MOST_PLACES)), key=display):
        score = _likeness(wanted.steps, place)
        if score > best:
            best, nearest = score, place
    return None if nearest is None else display(nearest)


def _likeness(wanted: tuple[Step, ...], path: tuple[Step, ...]) -> float:
    """How alike two paths are as texts, from 0 to 1; paths with the same last name come before all others."""
    from difflib import SequenceMatcher  # for messages only

    score = SequenceMatcher(None, display(wanted).casefold(), display(path).casefold(), autojunk=False).ratio()
    if _letters_of_step(wanted[-1]) == _letters_of_step(path[-1]) != "":
        return _SAME_NAME + (1 - _SAME_NAME) * score
    return score


def _letters_of_step(step: Step) -> str:
    """The letters and digits of a key, without case; empty for any other step."""
    return "".join(filter(str.isalnum, step)).casefold() if isinstance(step, str) else ""


def _places(wanted: Path, document: JSON, item: Step) -> Iterator[tuple[Step, ...]]:
    """Yields every place in a document, level by level from the top. Of a list it has all items, as `[*]`, where the `wanted` path has
    `[*]`; else the first item and those at the indexes of the path; and `item` where the path has neither."""
    indexes = {step for step in wanted.steps if isinstance(step, int)}
    items: tuple[Step, ...] = (*sorted({0, *indexes}),) if indexes else (item,)
    shown = (ANY,) if ANY in wanted.steps else items
    level: list[tuple[tuple[Step, ...], JSON]] = [((), document)]
    while level:
        below: list[tuple[tuple[Step, ...], JSON]] = []
        for place, value in level:
            if type(value) is dict:
                below.extend(((*place, key), value[key]) for key in sorted(value))
            elif type(value) is list:
                below.extend(((*place, step), child) for step in shown for _, child in _children(value, step))
        yield from (place for place, _ in below)
        level = below
