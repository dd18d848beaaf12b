"""Value classes that are cheap to define and to make: `dataclass`, `field`, `replace` and `NamedTuple` as usual.

The standard library writes six functions as text and compiles them for each class, whether anybody calls them or not. A short
run meets some hundred classes and makes values of a few, so that was a fifth of its start-up. Here comparison, hash and text
are shared functions, and `__init__` is compiled when the first value is made. What the standard library promises holds:
`fields`, `asdict`, `is_dataclass`, `replace`, pickling, frozen values, slots, `match`. Classes that inherit from a data class of the
standard library, and what is rarely asked for (`InitVar`, `KW_ONLY`), are left to it.
"""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, Field, field
from inspect import Signature, get_annotations, signature
from operator import attrgetter
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final

__all__ = ["NamedTuple", "dataclass", "field", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
    from typing import NamedTuple

Made = type[Any]

_SHAPE: Final = "__value_shape__"
_FIELDS: Final = "__dataclass_fields__"
_RARE: Final = ("InitVar", "KW_ONLY")
_FACTORY: Final = object()
_GIVEN: Final = frozenset(("__annotations__", "__module__"))
"""What a class body has and a named tuple brings along."""


class _NamedTupleMaker(type):
    """Makes a named tuple of a class body. `typing.NamedTuple` compiles each annotation besides, to look at it."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        if not bases:
            return super().__new__(cls, name, bases, body)
        annotations: dict[str, Any] = body.get("__annotations__", {})
        defaults = [body[field] for field in annotations if field in body]
        made = namedtuple(name, list(annotations), defaults=defaults, module=body["__module__"])  # type: ignore[misc]  # a name known now
        made.__annotations__ = made.__new__.__annotations__ = annotations
        for key, member in body.items():
            if key not in annotations and key not in _GIVEN:
                setattr(made, key, member)
        return made


class _Named(metaclass=_NamedTupleMaker):
    pass


class _Params:
    """What a class was asked to be, by the names that the standard library uses."""

    __slots__ = ("eq", "frozen", "init", "order", "repr", "unsafe_hash")

    def __init__(self, repr: bool, eq: bool, frozen: bool) -> None:
        self.repr, self.eq, self.frozen = repr, eq, frozen
        self.init, self.order, self.unsafe_hash = True, False, False


class _FieldsOfClass:
    """The fields of a value class: their names, and what is special about some of them."""

    __slots__ = ("annotations", "cls", "frozen", "made", "names", "slots", "special")

    def __init__(self, annotations: dict[str, Any], special: dict[str, Any], frozen: bool, slots: bool) -> None:
        self.cls: Made = object
        self.annotations = annotations
        self.names = tuple(name for name, kind in annotations.items() if not _of_class(kind))
        self.special = special
        """Defaults, and `field(…)` where one was written."""
        self.frozen = frozen
        self.slots = slots
        self.made: dict[str, Field[Any]] | None = None

    def extend(self, bases: Iterable[_FieldsOfClass]) -> None:
        """Puts the fields of the classes that this one inherits from before its own; the farthest comes first."""
        annotations: dict[str, Any] = {}
        special: dict[str, Any] = {}
        for base in bases:
            annotations |= base.annotations
            special |= base.special
        inherited = {name: default for name, default in special.items() if name not in self.annotations}
        self.annotations = annotations | self.annotations
        self.special = inherited | self.special
        self.names = tuple(name for name, kind in self.annotations.items() if not _of_class(kind))

    def having(self, trait: str) -> Iterator[str]:
        """Names of the fields for which `field(init=…, repr=…, compare=…)` does not say no."""
        for name in self.names:
            written = self.special.get(name)
            if not isinstance(written, Field) or getattr(written, trait):
                yield name

    def hashed(self) -> Iterator[str]:
        """Names of the fields that count for the hash: those that are compared, unless `field(hash=…)` says otherwise."""
        for name in self.names:
            written = self.special.get(name)
            if not isinstance(written, Field) or (written.compare if written.hash is None else written.hash):
                yield name


class _Fields:
    """`__dataclass_fields__`: made by the standard library when somebody asks for it."""

    __slots__ = ("shape",)

    def __init__(self, shape: _FieldsOfClass) -> None:
        self.shape = shape

    def __get__(self, value: object, cls: Made) -> dict[str, Field[Any]]:
        if self.shape.made is None:
            inside = {
                "__annotations__": self.shape.annotations,
                "__module__": self.shape.cls.__module__,
                **self.shape.special,
            }
            twin: Made = dataclasses.dataclass(repr=False, eq=False)(type(self.shape.cls.__name__, (), inside))
            self.shape.made = getattr(twin, _FIELDS)
        return self.shape.made


class _Signature:
    """What `inspect.signature` says of a class: the parameters of its compiled `__init__`."""

    __slots__ = ("shape",)

    def __init__(self, shape: _FieldsOfClass) -> None:
        self.shape = shape

    def __get__(self, value: object, cls: Made) -> Signature:
        made = self.shape.cls
        if value is not None or cls.__init__ is not made.__init__:
            raise AttributeError("__signature__")
        _, *parameters = signature(_compiled_init(self.shape)).parameters.values()
        return Signature(parameters)


def _dataclass(
    cls: Made | None = None, /, *, frozen: bool = False, slots: bool = False, eq: bool = True, repr: bool = True
) -> Any:
    if cls is not None:
        return _value_class(cls, _Params(repr, eq, frozen), slots)
    return lambda cls: _value_class(cls, _Params(repr, eq, frozen), slots)


def _value_class(cls: Made, params: _Params, slots: bool) -> Made:
    annotations: dict[str, Any] = get_annotations(cls)
    bases = [base for base in cls.__mro__[1:] if "__dataclass_params__" in base.__dict__]
    if not all(_SHAPE in base.__dict__ for base in bases) or _rare(annotations.values()):
        make = dataclasses.dataclass(repr=params.repr, eq=params.eq, frozen=params.frozen, slots=slots)
        made: Made = make(cls)
        return made
    own = tuple(name for name, kind in annotations.items() if not _of_class(kind))
    inherited: list[_FieldsOfClass] = [getattr(base, _SHAPE) for base in reversed(bases)]
    special = {name: cls.__dict__[name] for name in own if name in cls.__dict__}
    shape = _FieldsOfClass(annotations, special, params.frozen, slots)
    shape.extend(inherited)
    members = _members(cls, shape, params)
    shape.cls = _with_slots(cls, own, members) if slots else _with_members(cls, own, members)
    return shape.cls


def _rare(kinds: Iterable[object]) -> bool:
    return any(word in kind for kind in kinds if isinstance(kind, str) for word in _RARE)


def _of_class(kind: object) -> bool:
    """The annotation says that this belongs to the class, not to its values."""
    return isinstance(kind, str) and kind.startswith(("ClassVar", "typing.ClassVar"))


def _members(cls: Made, shape: _FieldsOfClass, params: _Params) -> dict[str, Any]:
    own = cls.__dict__
    given: dict[str, Any] = {"__match_args__": tuple(shape.having("init"))}
    if "__init__" not in own:
        given |= {"__init__": _first_init(shape), "__signature__": _Signature(shape)}
    if params.repr:
        given["__repr__"] = _repr
    if params.eq:
        given["__eq__"] = _equality(tuple(shape.having("compare")))
    members = {name: member for name, member in given.items() if name not in own}
    if params.eq and (own.get("__hash__") is None):
        members["__hash__"] = _hash(tuple(shape.hashed())) if params.frozen else None
    if params.frozen:
        members["__setattr__"], members["__delattr__"] = _refusals(shape)
        if shape.slots:
            members["__getstate__"], members["__setstate__"] = _getstate, _setstate
    return {**members, _SHAPE: shape, _FIELDS: _Fields(shape), "__dataclass_params__": params}


def _with_slots(cls: Made, own: tuple[str, ...], members: dict[str, Any]) -> Made:
    inherited = {name for base in cls.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
    inside = {name: member for name, member in cls.__dict__.items() if name not in own}
    inside.pop("__dict__", None)
    inside.pop("__weakref__", None)
    inside |= members
    inside["__slots__"] = tuple(name for name in own if name not in inherited)
    metaclass: Callable[..., Made] = type(cls)
    made = metaclass(cls.__name__, cls.__bases__, inside)
    made.__qualname__ = cls.__qualname__
    return made


def _with_members(cls: Made, own: tuple[str, ...], members: dict[str, Any]) -> Made:
    for name in own:
        written = cls.__dict__.get(name)
        if isinstance(written, Field):
            if written.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, written.default)
    for name, member in members.items():
        setattr(cls, name, member)
    return cls


def _values_of(names: tuple[str, ...]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else lambda value: ()


def _equality(names: tuple[str, ...]) -> Callable[[Any, Any], Any]:
    of = _values_of(names)

    def equal(self: Any, other: Any) -> Any:
        if other.__class__ is self.__class__:
            return of(self) == of(other)
        return NotImplemented

    return equal


def _hash(names: tuple[str, ...]) -> Callable[[Any], int]:
    of = _values_of(names)

    def hashed(self: Any) -> int:
        return hash(of(self))

    return hashed


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name in getattr(self, _SHAPE).having("repr"))
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refusals(shape: _FieldsOfClass) -> tuple[Callable[[Any, str, Any], None], Callable[[Any, str], None]]:
    """`__setattr__` and `__delattr__` of a frozen class."""

    def set_(self: Any, name: str, value: Any) -> None:
        if type(self) is shape.cls or name in shape.names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(shape.cls, self).__setattr__(name, value)

    def delete(self: Any, name: str) -> None:
        if type(self) is shape.cls or name in shape.names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(shape.cls, self).__delattr__(name)

    return set_, delete


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, name) for name in getattr(self, _SHAPE).names]


def _setstate(self: Any, state: list[Any]) -> None:
    for name, value in zip(getattr(self, _SHAPE).names, state, strict=True):
        object.__setattr__(self, name, value)


def _first_init(shape: _FieldsOfClass) -> Callable[..., None]:
    """An `__init__` that is replaced by the compiled one when it is called."""

    def first(self: Any, *values: Any, **named: Any) -> None:
        compiled = _compiled_init(shape)
        if shape.cls.__init__ is first:
            shape.cls.__init__ = compiled
        compiled(self, *values, **named)

    return first


def _compiled_init(shape: _FieldsOfClass) -> Callable[..., None]:
    meant: dict[str, Any] = {"_factory": _FACTORY, "_set": object.__setattr__}
    parts = [_part(shape, name, meant) for name in shape.names]
    parameters = ", ".join(["self", *(parameter for parameter, _ in parts if parameter)])
    lines = [line for _, line in parts if line]
    if hasattr(shape.cls, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__({parameters}):\n " + "\n ".join(lines or ["pass"]), meant)
    init: Callable[..., None] = meant["__init__"]
    init.__qualname__ = f"{shape.cls.__qualname__}.__init__"
    init.__module__ = shape.cls.__module__
    init.__annotations__ = {name: shape.annotations[name] for name in shape.having("init")} | {"return": None}
    return init


def _part(shape: _FieldsOfClass, name: str, meant: dict[str, Any]) -> tuple[str, str]:
    """The parameter and the line of a field; empty where it has none. What their text names is put into `meant`."""
    written = shape.special.get(name, MISSING)
    if not isinstance(written, Field):
        written = field(default=written)
    if written.default_factory is not MISSING:
        meant[f"_make_{name}"] = written.default_factory
        if not written.init:
            return "", _assignment(shape, name, f"_make_{name}()", meant)
        value = f"_make_{name}() if {name} is _factory else {name}"
        return f"{name}=_factory", _assignment(shape, name, value, meant)
    if written.default is MISSING:
        return (name, _assignment(shape, name, name, meant)) if written.init else ("", "")
    meant[f"_default_{name}"] = written.default
    if not written.init:
        return "", _assignment(shape, name, f"_default_{name}", meant)
    return f"{name}=_default_{name}", _assignment(shape, name, name, meant)


def _assignment(shape: _FieldsOfClass, name: str, value: str, meant: dict[str, Any]) -> str:
    if not shape.frozen:
        return f"self.{name} = {value}"
    slot = getattr(shape.cls, name, None) if shape.slots else None
    if not isinstance(slot, MemberDescriptorType):
        return f"_set(self, {name!r}, {value})"
    meant[f"_set_{name}"] = slot.__set__
    return f"_set_{name}(self, {value})"


def _replace(value: Any, /, **changes: Any) -> Any:
    shape: _FieldsOfClass | None = type(value).__dict__.get(_SHAPE)
    if shape is None:
        if not hasattr(value, "__struct_fields__"):
            return dataclasses.replace(value, **changes)
        from msgspec import structs  # `--help` starts sooner

        return structs.replace(value, **changes)
    for name in shape.having("init"):
        if name not in changes:
            changes[name] = getattr(value, name)
    return type(value)(**changes)


if not TYPE_CHECKING:
    dataclass, replace, NamedTuple = _dataclass, _replace, _Named
