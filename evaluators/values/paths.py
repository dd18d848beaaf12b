"""Paths into JSON documents: three notations read into one `Path`, and a path turned into the fastest reader it allows.

`$` starts JSONPath, `/` starts a JSON Pointer (RFC 6901), anything else is dot notation. A path is *definite* when it
leads to one place at most; otherwise its reader gives a list of everything it hits. Filters, slices, unions and `..` are
a *query*, which `jsonpath_hits` runs.

A dot path is special in one way: a literal key that contains dots wins where it is found (see `literal_keys`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, Final, TypeAlias

from evaluators.model import JSON, MISSING, Missing
from evaluators.value_class import dataclass, field
from evaluators.values.jsonpath_hits import check_query, query_hits
from evaluators.values.jsonpath_text import read_jsonpath
from evaluators.values.literal_keys import Hit, Levels, joined_from, joined_keys, key_of, read_steps, unless_joined
from evaluators.values.path_text import (
    ANY,
    BadPath,
    Every,
    Location,
    Notation,
    Step,
    display,
    read_dots,
    read_pointer,
    spell,
)

__all__ = ["ANY", "BadPath", "Location", "Notation", "Path", "Step", "display", "nearest_path", "parse", "spell"]

Getter: TypeAlias = Callable[[JSON], "JSON | Missing"]
PairGetter: TypeAlias = Callable[[JSON, JSON], "tuple[JSON | Missing, JSON | Missing]"]


@dataclass(frozen=True, slots=True)
class Path:
    """One location, or one set of locations, whatever notation it was written in.

    `steps` are the steps of a plain path. `query` is the normal form of a JSONPath with filters, slices, unions or
    `..`, and then there are no steps. Two paths are equal when they lead to the same places: `a.b`, `$.a.b` and `/a/b`
    are equal and hash alike, although only the first looks for a key "a.b". So never use a path as the key of a store
    of readers.
    """

    steps: tuple[Step, ...]
    query: str | None = None
    joins: tuple[bool, ...] = field(default=(), compare=False, repr=False)
    """For each step, whether a plain dot joins it to the step before; empty when nothing is joined."""
    written: str | None = field(default=None, compare=False, repr=False)
    """A query as it was written."""

    @property
    def literal_dots(self) -> bool:
        """A literal key that contains dots may stand for several steps."""
        return bool(self.joins)

    @property
    def canonical(self) -> str:
        """The dot spelling, which reads back as an equal path. A query keeps its own text."""
        return self.written or self.query or display(self.steps)

    @property
    def definite(self) -> bool:
        """The path leads to one place at most."""
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
                yield from (key for key, _ in joined_from(self.steps, self.joins, start))

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
        return self.getter()(document)

    def get_pair(self, expected: JSON, output: JSON) -> tuple[JSON | Missing, JSON | Missing]:
        """The values in two documents. Where keys contain dots, the output follows the reading of the expected side.

        When the expected side has nothing there, the output is read on its own.
        """
        return self.pair_getter()(expected, output)

    def locate(self, document: JSON) -> list[Location]:
        """The place of every hit, in order: list items by index, object values by key."""
        return [location for location, _ in _hits(self, document)]

    def getter(self) -> Getter:
        """A function that does what `get` does, made once for many documents."""
        return _getter(self.steps, self.joins, self.query)

    def unjoined_getter(self, joined: Any) -> Callable[[JSON], Any]:
        """What `getter` gives for a definite path; `joined` where a key that contains dots may be meant."""
        plain = tuple(step for step in self.steps if not isinstance(step, Every))
        return unless_joined(plain, joined_keys(plain, self.joins), lambda _: joined) if self.joins else self.getter()

    def pair_getter(self) -> PairGetter:
        """A function that does what `get_pair` does, made once for many documents."""
        return _pair_getter(self.steps, self.joins, self.query)


def parse(text: str) -> Path:
    """Read a path in any of the three notations. Raises BadPath.

    The empty text is the whole document, as RFC 6901 has it; so is `$`.
    """
    if text.startswith("$"):
        steps, query = read_jsonpath(text)
        if query is None:
            return Path(steps)
        check_query(query)
        return Path((), query, written=text)
    if text == "" or text.startswith("/"):
        return Path(read_pointer(text))
    steps, joins = read_dots(text)
    return Path(steps, joins=joins if any(joins) else ())


# Getters


@lru_cache(maxsize=4096)
def _getter(steps: tuple[Step, ...], joins: tuple[bool, ...], query: str | None) -> Getter:
    if query is not None:
        return _query_getter(query)
    if ANY in steps:
        return _many_getter(steps, joins)
    plain = tuple(step for step in steps if not isinstance(step, Every))
    return _dotted_getter(plain, joins) if joins else _plain_getter(plain)


def _plain_getter(steps: Location) -> Getter:
    """Keys are looked up at once and fail by exception: of all JSON values only an object takes a text in brackets."""
    match steps:
        case ():
            return lambda document: document
        case (str(key),):
            return _one_key(key)
        case (str(first), str(second)):
            return _two_keys(first, second)
        case (str(first), str(second), str(third)):
            return _three_keys(first, second, third)
        case (str(first), int(index), str(last)):
            return _key_of_item(first, index, last)
        case _:
            return _many_steps(steps)


def _one_key(key: str) -> Getter:
    def get(document: Any) -> Any:
        try:
            return document[key]
        except (KeyError, TypeError):
            return MISSING

    return get


def _two_keys(first: str, second: str) -> Getter:
    def get(document: Any) -> Any:
        try:
            return document[first][second]
        except (KeyError, TypeError):
            return MISSING

    return get


def _three_keys(first: str, second: str, third: str) -> Getter:
    def get(document: Any) -> Any:
        try:
            return document[first][second][third]
        except (KeyError, TypeError):
            return MISSING

    return get


def _key_of_item(first: str, index: int, last: str) -> Getter:
    digits = key_of(index)

    def get(document: Any) -> Any:
        try:
            items = document[first]
            return items[index if type(items) is list else digits][last]
        except (KeyError, TypeError, IndexError):
            return MISSING

    return get


def _many_steps(steps: Location) -> Getter:
    plan = tuple((step, key_of(step)) for step in steps)

    def get(document: Any) -> Any:
        value = document
        try:
            for step, key in plan:
                value = value[step if type(value) is list else key]
        except (KeyError, TypeError, IndexError):
            return MISSING
        return value

    return get


def _dotted_getter(steps: Location, joins: tuple[bool, ...]) -> Getter:
    levels = joined_keys(steps, joins)

    def read(document: JSON) -> JSON | Missing:
        hits = read_steps(levels, steps, document)[1]
        return hits[0][1] if hits else MISSING

    return unless_joined(steps, levels, read)


def _many_getter(steps: tuple[Step, ...], joins: tuple[bool, ...]) -> Getter:
    if joins:
        levels = joined_keys(steps, joins)
        return lambda document: [value for _, value in read_steps(levels, steps, document)[1]] or MISSING
    slow = _many_values(steps)
    match steps:
        case (str(first), Every(), str(last)):
            return _key_of_every_item(first, last, slow)
        case _:
            return slow


def _key_of_every_item(first: str, last: str, slow: Getter) -> Getter:
    def get(document: Any) -> Any:
        try:
            items = document[first]
            return (type(items) is list and [item[last] for item in items]) or slow(document)
        except (KeyError, TypeError):
            return slow(document)

    return get


def _many_values(steps: tuple[Step, ...]) -> Getter:
    plan = tuple((step, None if isinstance(step, Every) else key_of(step)) for step in steps)

    def get(document: JSON) -> JSON | Missing:
        values = [document]
        for step, key in plan:
            values = _every(values) if step is ANY else _next(values, step, key)
        return values or MISSING

    return get


def _every(values: list[JSON]) -> list[JSON]:
    found: list[JSON] = []
    for value in values:
        if type(value) is list:
            found.extend(value)
        elif type(value) is dict:
            found.extend([value[key] for key in sorted(value)])
    return found


def _next(values: list[JSON], step: Step, key: str | None) -> list[JSON]:
    found: list[JSON] = []
    for value in values:
        if type(value) is dict:
            if key is not None and key in value:
                found.append(value[key])
        elif type(value) is list and isinstance(step, int) and -len(value) <= step < len(value):
            found.append(value[step])
    return found


@lru_cache(maxsize=4096)
def _pair_getter(steps: tuple[Step, ...], joins: tuple[bool, ...], query: str | None) -> PairGetter:
    get = _getter(steps, joins, query)
    if not joins:
        return lambda expected, output: (get(expected), get(output))
    levels = joined_keys(steps, joins)

    def read_pair(expected: JSON, output: JSON) -> tuple[JSON | Missing, JSON | Missing]:
        reading, hits = read_steps(levels, steps, expected)
        if not hits:
            return MISSING, get(output)
        follow = _getter(reading, (), None)
        return follow(expected), follow(output)

    plain = tuple(step for step in steps if not isinstance(step, Every))
    return read_pair if ANY in steps else _dotted_pair_getter(plain, levels, get, read_pair)


def _dotted_pair_getter(steps: Location, levels: Levels, get: Getter, read_pair: PairGetter) -> PairGetter:
    follow = _plain_getter(steps)
    joined = object()
    read = unless_joined(steps, levels, lambda _: joined)

    def get_pair(expected: JSON, output: JSON) -> tuple[JSON | Missing, JSON | Missing]:
        value = read(expected)
        if value is joined:
            return read_pair(expected, output)
        return value, get(output) if value is MISSING else follow(output)

    return get_pair


_first_of_query: Final = re.compile(r"\$(?:\[(?:\*|[0-9]+)\])*+\['([^'\\]*+)'\]").match


def _hits(path: Path, document: JSON) -> list[Hit]:
    if path.query is not None:
        return query_hits(path.query, document)
    return read_steps(joined_keys(path.steps, path.joins), path.steps, document)[1]


# Queries


def _query_getter(query: str) -> Getter:
    return lambda document: [value for _, value in query_hits(query, document)] or MISSING


# Suggestions

_NEAR: Final = 0.6
_MOST_PLACES: Final = 2000
_SAME_NAME: Final = 0.8


def nearest_path(wanted: Path, document: JSON) -> str | None:
    """The path that exists in the document and is most like the wanted one, in dots; None when nothing is near.

    The same key in another place counts as near, so `name` suggests `vendor.name`. Items of a list are shown as `[*]`
    when the wanted path has one, and otherwise by the wanted index or the first. A query has no neighbours.
    """
    if wanted.query is not None or not wanted.steps:
        return None
    best, found = _NEAR, None
    for place in sorted(set(islice(_places(wanted, document), _MOST_PLACES)), key=display):
        score = _likeness(wanted.steps, place)
        if score > best:
            best, found = score, place
    return None if found is None else display(found)


def _likeness(wanted: tuple[Step, ...], place: tuple[Step, ...]) -> float:
    from difflib import SequenceMatcher  # for messages only

    score = SequenceMatcher(None, display(wanted).casefold(), display(place).casefold(), autojunk=False).ratio()
    if _plain_name(wanted[-1]) == _plain_name(place[-1]) != "":
        return _SAME_NAME + (1 - _SAME_NAME) * score
    return score


def _plain_name(step: Step) -> str:
    return "".join(filter(str.isalnum, step)).casefold() if isinstance(step, str) else ""


def _places(wanted: Path, document: JSON) -> Iterator[tuple[Step, ...]]:
    """The places of a document from the top down, a list shown by one item or by `[*]`."""
    wanted_indexes = {step for step in wanted.steps if isinstance(step, int)}
    any_item = ANY in wanted.steps
    level: list[tuple[tuple[Step, ...], JSON]] = [((), document)]
    while level:
        below: list[tuple[tuple[Step, ...], JSON]] = []
        for place, value in level:
            if type(value) is dict:
                below.extend(((*place, key), value[key]) for key in sorted(value))
            elif type(value) is list and any_item:
                below.extend(((*place, ANY), item) for item in value)
            elif type(value) is list:
                indexes = {0, *wanted_indexes}
                below.extend(
                    ((*place, index), value[index]) for index in sorted(indexes) if -len(value) <= index < len(value)
                )
        yield from (place for place, _ in below)
        level = below
