"""The fields that a rule names, and what it reads at them in a document.

Strategy: a path is cut at each `[*]`, so that every place at which a value is missing is known by name: a key that is not there,
null, and a list without items. A value that has nothing below it, where the path goes on, is of the wrong kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from math import isfinite
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

from msgspec import Struct

from evaluators.model.rows import JSON, MISSING
from evaluators.model.settings import BadSettings, Detail, ReadBy, bad, read_each, spell
from evaluators.scoring.fields.reading import read_path
from evaluators.scoring.values.path_text import ANY, Step, display
from evaluators.scoring.values.paths import Path, joined_keys, key_of
from evaluators.scoring.values.quoting import kind, quote

Place: TypeAlias = tuple[Step, ...]


class WrongKind(Exception):
    """A value is of a kind that a rule cannot use; the text says which."""


class Read(NamedTuple):
    """A value that a rule reads, and its place. Where nothing is there, or null, or a list without items, the value is MISSING."""

    place: Place
    value: Any
    level: int = 0
    """How many `[*]` of the path lead to the place."""
    query: str = ""
    """The filter that found nothing, which has no place."""
    no_items: Place | None = None
    """The path of the list at this place, which has no items: `orders[*].lines`."""

    @property
    def name(self) -> str:
        """The value's place as people read it, or the query that found it."""
        return self.query or display(self.place)


class Field(Struct, frozen=True):
    """A path that a rule names, cut at each `[*]`."""

    path: Path
    parts: tuple[Path, ...]

    @property
    def name(self) -> str:
        """The path as the suite writes it."""
        return self.path.canonical

    def values_in(self, document: JSON, above: Place = (), level: int = 0, strict: bool = True) -> Iterator[Read]:
        """Yields every value that the path leads to, in order; MISSING where a key is not there, is null, or a list has no items. `above`
        is the place of the document, and `level` the number of `[*]` that lead to it. A path with a filter yields what the filter hits.

        Raises WrongKind where `[*]` meets neither a list nor an object and, if `strict`, where a key is looked for in such a value.
        """
        if self.path.query is not None:
            yield from self._hits(document, strict)
            return
        head = self.parts[level]
        value, place = head.get(document), (*above, *head.steps)
        if value is MISSING and strict:
            _check_kinds_on_the_way(document, head, above)
        if value is MISSING or value is None:
            yield Read(place, MISSING, level)
        elif level == len(self.parts) - 1:
            yield Read(place, value, level)
        elif isinstance(value, list | dict):
            if not value:
                yield Read(place, MISSING, level, no_items=self._steps_to(level))
            for key, item in _items_of(value):
                yield from self.values_in(item, (*place, key), level + 1, strict)
        else:
            raise _wrong_kind(value, place, "a list")

    def _steps_to(self, level: int) -> Place:
        """The steps of the path, each `[*]` before it included, that lead to the list at the `[*]` of that `level`, counted from 0."""
        cut = sum(len(part.steps) for part in self.parts[: level + 1]) + level
        return self.path.steps[:cut]

    def _hits(self, document: JSON, strict: bool) -> Iterator[Read]:
        """The values that the path's query hits; a single MISSING one where it hits none. Raises WrongKind as `values_in` does."""
        hits = list(self.path.hits(document))
        if not hits:
            if strict:
                _check_kinds_on_the_way(document, _plain_start(self.name, self.path.query or ""), (), goes_on=True)
            yield Read((), MISSING, query=self.name)
        for place, value in hits:
            yield Read(place, MISSING if value is None else value)

    def is_in(self, document: JSON) -> bool:
        """Whether the path leads anywhere in the document, to null as well."""
        if self.path.query is not None:
            return bool(self.path.hits(document))
        values = [document]
        for part in self.parts[:-1]:
            lists = [value for value in map(part.get, values) if isinstance(value, list | dict)]
            values = [item for value in lists for _, item in _items_of(value)]
        return any(self.parts[-1].get(value) is not MISSING for value in values)

    def below(self, outer: Field) -> Field:
        """The field, whose path begins at an item of the list `outer`, with its path from the top of the document."""
        return Field(Path((*outer.path.steps, *self.path.steps)), (*outer.parts[:-1], *self.parts))

    def is_missing_as_expected(self, document: JSON, expected: JSON) -> bool:
        """Whether the expected document lacks the field, too: at each `[*]` of the path at least as many times as the document does.

        An expected document that has the field nowhere counts as lacking it any number of times, from the first `[*]` on at which
        it lacks the field otherwise than by an empty list.
        """
        theirs = _up_to_wrong_kind(self, expected)
        lacks = Counter(value.level for value in theirs if value.value is MISSING)
        nowhere = all(value.value is MISSING for value in theirs)
        not_given = {value.level for value in theirs if value.value is MISSING and value.no_items is None}
        ours = Counter(value.level for value in _up_to_wrong_kind(self, document) if value.value is MISSING)
        return all(
            lacks[level] >= count or (nowhere and any(above <= level for above in not_given))
            for level, count in ours.items()
        )


def _items_of(value: list[Any] | dict[str, Any]) -> Iterator[tuple[str | int, Any]]:
    """The items of a list with their indexes, or the values of an object with their keys, in order."""
    yield from enumerate(value) if isinstance(value, list) else sorted(value.items())


def _up_to_wrong_kind(field: Field, document: JSON) -> list[Read]:
    """The values of a field up to the first place where the document has another kind of value than the path says."""
    reads: list[Read] = []
    with suppress(WrongKind):
        reads.extend(field.values_in(document, strict=False))
    return reads


def _wrong_kind(value: Any, place: Place, wanted: str) -> WrongKind:
    """The error, ready to raise, of a value at a place that is not what is `wanted`, such as `a list`."""
    name = display(place) if place else "the document"
    return WrongKind(f"{name} is {quote(value)}, which is {kind(value)}, not {wanted}")


def _check_kinds_on_the_way(document: JSON, path: Path, above: Place, goes_on: bool = False) -> None:
    """Raises WrongKind where a definite path leads through a text, a number or a boolean, or looks for a key in a list. `above` is the
    place of the document, for the message. With `goes_on` the value at the end of the path must be a list or an object as well."""
    levels = joined_keys(path.steps, path.joins)
    waiting: list[tuple[JSON, int, Place]] = [(document, 0, above)]
    while waiting:
        value, at, place = waiting.pop()
        ended = at == len(path.steps)
        if value is None or (ended and not goes_on):
            continue
        if not isinstance(value, list | dict):
            raise _wrong_kind(value, place, "a list" if ended or isinstance(path.steps[at], int) else "an object")
        if ended:
            continue
        step = path.steps[at]
        if isinstance(value, list):
            if not isinstance(step, int):
                raise _wrong_kind(value, place, "an object")
            waiting += [(value[step], at + 1, (*place, step))] if -len(value) <= step < len(value) else []
        else:
            ways = ((key_of(step), at + 1), *levels[at])
            waiting += [(value[key], after, (*place, key)) for key, after in ways if key is not None and key in value]


_PLAIN_STEP: Final = re.compile(r"\['([^'\\]*+)'\]|\[([0-9]+)\]")


def _plain_start(name: str, query: str) -> Path:
    """The keys and indexes with which a query begins, before its first filter."""
    steps: list[Step] = []
    at = 1
    while step := _PLAIN_STEP.match(query, at):
        steps.append(step[1] if step[1] is not None else int(step[2]))
        at = step.end()
    return Path(tuple(steps), written=name)


def _read_field(spelled: object) -> Field:
    """The field of a path that a suite writes, cut at each `[*]`. Raises BadSettings for what is no path."""
    path = read_path(spelled)
    cuts = [at for at, step in enumerate(path.steps) if step is ANY]
    starts, ends = (0, *(at + 1 for at in cuts)), (*cuts, None)
    return Field(path, tuple(path.part(start, end) for start, end in zip(starts, ends, strict=True)))


def _read_fields(data: object) -> tuple[Field, ...]:
    """The fields of one path, or of a list of paths, in order. Raises BadSettings for an empty list, and for a path that is there twice."""
    if not isinstance(data, list | tuple):
        return (_read_field(data),)
    each = read_each(enumerate(data), lambda _, spelled: _read_field(spelled))
    if not each:
        raise bad("a list of paths names at least one")
    paths = [field.path for field in each]
    twice = next((at for at, path in enumerate(paths) if path in paths[:at]), None)
    if twice is not None:
        message = f'"{data[twice]}" is the same place as "{data[paths.index(paths[twice])]}"'
        raise BadSettings([Detail((twice,), message, "name each place once", code="duplicate-field")])
    return each


def _read_field_or_number(data: object) -> Field | Decimal:
    """The number of a setting, exactly as it is written, or the field of a path."""
    if isinstance(data, int) and not isinstance(data, bool):
        return Decimal(data)
    if isinstance(data, float):
        if not isfinite(data):
            raise bad(f"a number is finite; found {spell(data)}")
        return Decimal(repr(data))
    return _read_field(data)


Fields: TypeAlias = Annotated[tuple[Field, ...], ReadBy(lambda data, _: _read_fields(data), "path_or_paths")]
OneField: TypeAlias = Annotated[Field | None, ReadBy(lambda data, _: _read_field(data), "path")]
FieldOrNumber: TypeAlias = Annotated[Any, ReadBy(lambda data, _: _read_field_or_number(data), "path_or_number")]
