"""Values of known types as JSON, and back with every type checked.

The types are read from annotations: value classes and named tuples, lists, tuples, sets and maps of them, numbers, texts,
`Literal`, enumerations and `X | None`. A value class becomes the list of its fields, a map the list of its pairs, whatever its
keys are. Nothing that is read says which class is made: the caller does. So data from a stranger can be wrong, and never more
than data.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from evaluators.value_class import NamedTuple

_NONE: Final[Mapping[Any, Any]] = MappingProxyType({})


class Unfit(ValueError):
    """JSON that is no value of the type."""


class TypedJson(NamedTuple):
    """The two directions of one type."""

    pack: Callable[[Any], Any]
    """The value as JSON."""
    read: Callable[[Any], Any]
    """The value that JSON stands for. Raises Unfit."""


class TypedJsonWays:
    """How values of types become JSON, and back. `own` are ways for types that are written in a way of their own, and
    `left_out` the fields of value classes that are not written: they are read with their defaults."""

    def __init__(self, own: Mapping[Any, TypedJson] = _NONE, left_out: Mapping[Any, Collection[str]] = _NONE) -> None:
        self._found: dict[Any, TypedJson] = dict(own)
        self._left_out = left_out

    def of(self, kind: Any) -> TypedJson:
        """The way of one type. Raises TypeError for a type that is not known."""
        try:
            return self._found[kind]
        except KeyError:
            found = self._found[kind] = self._way(kind)
            return found

    def _way(self, kind: Any) -> TypedJson:
        if kind in _PLAIN:
            return _plain(kind)
        if kind is Any:
            return TypedJson(_same, _same)
        origin, inner = get_origin(kind), get_args(kind)
        if origin is None:
            return self._of_class(kind)
        if origin is Literal:
            return TypedJson(_same, _one_of({value: value for value in inner}))
        if origin in (Union, types.UnionType):
            return self._optional(kind, inner)
        if origin is tuple:
            if len(inner) == 2 and inner[1] is Ellipsis:
                return _collection(tuple, self.of(inner[0]))
            return _tuple([self.of(each) for each in inner])
        if issubclass(origin, Mapping):
            return _map(self.of(inner[0]), self.of(inner[1]))
        if origin in _COLLECTIONS:
            return _collection(_COLLECTIONS[origin], self.of(inner[0]))
        raise TypeError(f"no way to write {kind!r}")

    def _of_class(self, kind: Any) -> TypedJson:
        if isinstance(kind, type) and issubclass(kind, Enum):
            return TypedJson(lambda value: value.value, _one_of({member.value: member for member in kind}))
        if not isinstance(kind, type) or not _has_fields(kind):
            raise TypeError(f"no way to write {kind!r}")
        left_out = self._left_out.get(kind, ())
        return _fields(kind, {name: self.of(hint) for name, hint in get_type_hints(kind).items() if name not in left_out})

    def _optional(self, kind: Any, inner: Sequence[Any]) -> TypedJson:
        others = [each for each in inner if each is not type(None)]
        if len(others) != 1 or len(others) == len(inner):
            raise TypeError(f"no way to tell apart {kind!r}")
        way = self.of(others[0])
        return TypedJson(
            lambda value: None if value is None else way.pack(value),
            lambda value: None if value is None else way.read(value),
        )


def _has_fields(kind: type[Any]) -> bool:
    """Whether it is a value class or a named tuple. Asking a value class for its fields would make their descriptions."""
    return issubclass(kind, tuple) or any("__dataclass_fields__" in base.__dict__ for base in kind.__mro__)


_PLAIN = frozenset((int, str, bool, float, type(None)))
_COLLECTIONS: dict[Any, Callable[[Iterable[Any]], Collection[Any]]] = {list: list, set: set, frozenset: frozenset}


def _same(value: Any) -> Any:
    return value


def _plain(kind: Any) -> TypedJson:
    allowed = (float, int) if kind is float else (kind,)

    def read(value: Any) -> Any:
        if value.__class__ not in allowed:
            raise Unfit(f"{kind.__name__} expected, found {type(value).__name__}")
        return value

    return TypedJson(_same, read)


def _one_of(values: Mapping[Any, Any]) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        try:
            return values[value]
        except (KeyError, TypeError):
            raise Unfit(f"{value!r:.40} is none of the words that are known") from None

    return read


def _tuple(ways: Sequence[TypedJson]) -> TypedJson:
    return TypedJson(
        lambda value: [way.pack(each) for way, each in zip(ways, value, strict=True)],
        lambda value: tuple(way.read(each) for way, each in zip(ways, listed(value, len(ways)), strict=True)),
    )


def _collection(make: Callable[[Iterable[Any]], Collection[Any]], way: TypedJson) -> TypedJson:
    def read(value: Any) -> Collection[Any]:
        return make([way.read(each) for each in listed(value)])

    return TypedJson(list if way.pack is _same else lambda value: [way.pack(each) for each in value], read)


def _map(keys: TypedJson, values: TypedJson) -> TypedJson:
    def read(value: Any) -> dict[Any, Any]:
        pairs = [listed(pair, 2) for pair in listed(value)]
        return {keys.read(one): values.read(other) for one, other in pairs}

    return TypedJson(lambda value: [[keys.pack(one), values.pack(other)] for one, other in value.items()], read)


def _fields(cls: type[Any], ways: Mapping[str, TypedJson]) -> TypedJson:
    def read(value: Any) -> Any:
        given = listed(value, len(ways))
        return cls(**{name: way.read(each) for (name, way), each in zip(ways.items(), given, strict=True)})

    return TypedJson(lambda value: [way.pack(getattr(value, name)) for name, way in ways.items()], read)


def listed(value: Any, length: int | None = None) -> list[Any]:
    """The value, which has to be a list. Raises Unfit."""
    if value.__class__ is not list or (length is not None and len(value) != length):
        raise Unfit(f"a list expected{'' if length is None else f' of {length}'}, found {type(value).__name__}")
    return list(value)
