"""The one module that writes code: the comparison of a record, an expected document that was read into its learned type,
with the object of an output.

For each object type there are two functions. `shape_N` notes what can be seen of the record alone: lengths of lists,
absent keys, and null where other values stand as well. `walk_N` notes the same, and where the output differs. What is
written comes from this module; keys reach the code as values, never as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import UNSET

from evaluators.fields.readable import Ask
from evaluators.fields.trace.looks import Steps
from evaluators.fields.trace.place_numbers import MOST_ITEMS, PlaceNumbers
from evaluators.fields.trace.record_type import LearnedPlace, Unalike
from evaluators.model import MISSING
from evaluators.value_class import NamedTuple


class WrittenComparison(NamedTuple):
    """The functions for a type, and their source."""

    shape: Callable[[Any, PlaceNumbers], None]
    """Notes what can be seen of a record."""
    walk: Callable[[Any, dict[str, Any], PlaceNumbers], None]
    """Notes that, and where an output differs from it. Raises Unalike where the output is of other kinds."""
    source: str


def comparison(root: LearnedPlace, readable: Mapping[Steps, Ask]) -> WrittenComparison:
    """The comparison of documents of a type. `readable` has places without indexes; both functions raise Unalike there for an
    expected value that cannot be read."""
    writer = _Writer(readable)
    number = writer.object(root)
    source = "\n".join(writer.lines) + "\n"
    exec(compile(source, "<comparison of documents>", "exec"), writer.names)  # the source is this module's own
    return WrittenComparison(writer.names[f"shape_{number}"], writer.names[f"walk_{number}"], source)


class _Writer:
    """Writes the functions of a type, inner objects first."""

    def __init__(self, readable: Mapping[Steps, Ask]) -> None:
        self.readable = readable
        self.lines: list[str] = []
        self.names: dict[str, Any] = {"UNSET": UNSET, "MISSING": MISSING, "Unalike": Unalike}
        self.objects = 0

    def object(self, place: LearnedPlace) -> int:
        """The number of an object type, whose functions are written."""
        fields = [self._field(index, key, place) for index, key in enumerate(place.keys)]
        number, self.objects = self.objects, self.objects + 1
        self.names[f"keys_{number}"] = tuple(place.keys)
        shape = [line for one in fields for line in one.shape]
        self._function(f"shape_{number}(a, p)", shape)
        self._function(
            f"walk_{number}(a, x, p)", [*_spread(number, len(fields)), *(line for one in fields for line in one.walk)]
        )
        return number

    def _function(self, head: str, body: list[str]) -> None:
        self.lines += [f"def {head}:", *(f"    {line}" for line in body or ["pass"])]

    def _field(self, index: int, key: str, parent: LearnedPlace) -> _Field:
        place = parent.keys[key]
        name = f"key_{self.objects}_{index}_{len(self.names)}"
        self.names[name] = key
        if place.is_object:
            found = self._container_field(index, name, self.object(place), "dict")
        elif place.is_list:
            found = self._container_field(index, name, self._list(place), "list")
        else:
            found = self._plain_field(index, name, place)
        if place.nullable and (place.is_object or place.is_list):
            found = _nullable(found, index, name)
        if parent.optional(key):
            found = _optional(found, index, name)
        elif found.reads:
            found = found.having([f"v = a.f{index}"])
        return found

    def _plain_field(self, index: int, name: str, place: LearnedPlace) -> _Field:
        shape: list[str] = []
        ask = self.readable.get(place.steps)
        if ask is not None:
            asks = f"ask_{len(self.names)}"
            self.names[asks] = ask
            shape.append(f"if {asks}(v) is not None: raise Unalike")
        if type(None) in place.scalars and len(place.scalars) > 1:
            shape.append(f"if v is None: p.note(({name}, 'null'))")
        walk = [*shape, f"if {_unlike(place, f'x{index}', 'v')}: p.differs(v, x{index}, {name})"]
        return _Field(shape, walk, reads=True)

    def _container_field(self, index: int, name: str, number: int, kind: str) -> _Field:
        shape = [f"shape_{number}(v, p.below[{index}])"]
        walk = [
            f"if x{index}.__class__ is {kind}: walk_{number}(v, x{index}, p.below[{index}])",
            f"elif x{index} is MISSING:",
            f"    p.note(({name}, 'lacks'))",
            *_indented(shape),
            "else: raise Unalike",
        ]
        return _Field(shape, walk, reads=True)

    def _list(self, place: LearnedPlace) -> int:
        items = place.items
        if items is None:
            raise Unalike
        inner = self.object(items) if items.is_object else None
        number, self.objects = self.objects, self.objects + 1
        seen, same = _object_items(inner) if inner is not None else self._plain_items(items)
        head = ["n = len(a)", f"if n >= {MOST_ITEMS}: raise Unalike", "p.trace.append(p.lengths[n])"]
        self._function(f"shape_{number}(a, p)", [*head, *seen("0")])
        surplus = ["if m > n:", "    for i in range(n, m): p.extra(i, x[i])", "elif m < n:", *_indented(seen("m"))]
        lengths = ["m = len(x)", "if m != n:", "    p.note((n, m))", *_indented(surplus)]
        self._function(f"walk_{number}(a, x, p)", [*head, *lengths, *same])
        return number

    def _plain_items(self, items: LearnedPlace) -> tuple[Callable[[str], list[str]], list[str]]:
        ask, kinds = self.readable.get(items.steps), []
        if type(None) in items.scalars and len(items.scalars) > 1:
            kinds = ["if a[i] is None: p.note((i, 'null'))"]
        if ask is not None:
            raise Unalike

        def seen(start: str) -> list[str]:
            return [f"for i in range({start}, n):", *_indented(kinds)] if kinds else ["pass"]

        each = ["for i, (v, y) in enumerate(zip(a, x)):", f"    if {_unlike(items, 'y', 'v')}: p.differs(v, y, i)"]
        if kinds:
            return seen, ["for i in range(min(n, m)):", *_indented(kinds), *each]
        return seen, ["if a != x:", *_indented(each)] if items.scalars == {str} else each


class _Field(NamedTuple):
    """What is done about one key: of a record alone, and of a record and an output. `v` is its value in the record."""

    shape: list[str]
    walk: list[str]
    reads: bool = False

    def having(self, before: list[str]) -> _Field:
        """The same, after some lines that both need."""
        return _Field([*before, *self.shape] if self.shape else [], [*before, *self.walk])


def _optional(field: _Field, index: int, name: str) -> _Field:
    """A key that some objects lack."""
    head = [f"v = a.f{index}", "if v is UNSET:", f"    p.note(({name}, 'absent'))"]
    extra = [f"    if x{index} is not MISSING: p.extra({name}, x{index})"]
    shape = ["else:", *_indented(field.shape)] if field.shape else []
    return _Field([*head, *shape], [*head, *extra, "else:", *_indented(field.walk)])


def _nullable(field: _Field, index: int, name: str) -> _Field:
    """An object or a list that is sometimes null."""
    head = ["if v is None:", f"    p.note(({name}, 'null'))"]
    differs = [f"    if x{index} is not None: p.differs(None, x{index}, {name})"]
    return _Field(
        [*head, "else:", *_indented(field.shape)], [*head, *differs, "else:", *_indented(field.walk)], reads=True
    )


def _object_items(number: int) -> tuple[Callable[[str], list[str]], list[str]]:
    def seen(start: str) -> list[str]:
        return [f"for i in range({start}, n): shape_{number}(a[i], p.item(i))"]

    same = [
        "if len(p.items) < n: p.item(n - 1)",
        "for b, y, q in zip(a, x, p.items):",
        "    if y.__class__ is not dict: raise Unalike",
        f"    walk_{number}(b, y, q)",
    ]
    return seen, same


def _spread(number: int, count: int) -> Iterator[str]:
    """The output's values, one name for each key. They often come in the order of the keys."""
    if count:
        targets = "".join(f"x{index}, " for index in range(count))
        yield f"if tuple(x) == keys_{number}: {targets}= x.values()"
        yield f"else: {targets}= p.spread(x, keys_{number})"
    else:
        yield f"if x: p.spread(x, keys_{number})"


def _unlike(place: LearnedPlace, theirs: str, ours: str) -> str:
    """When a value is not equal to an expected one of known kinds: `true` is not 1, and 1 equals 1.0."""
    if place.scalars == {str}:
        return f"{theirs} != {ours}"
    if place.scalars == {bool} or place.scalars == {type(None)}:
        return f"{theirs} is not {ours}"
    if bool not in place.scalars:
        return f"{theirs} != {ours} or {theirs}.__class__ is bool"
    return f"{theirs} != {ours} or ({theirs}.__class__ is bool) is not ({ours}.__class__ is bool)"


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines or ["pass"]]
