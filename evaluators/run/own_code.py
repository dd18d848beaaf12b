"""What a program has registered itself, as checksums of its code: a function that was changed gives other answers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from hashlib import sha256
from types import CodeType, FunctionType
from typing import Any, Final

from evaluators.registry import registered_plugs
from evaluators.values.transforms import registered_transforms

_CONSTANTS: Final = (str, bytes, int, float, bool, type(None))


def own_code(words: set[str]) -> dict[str, str]:
    """Name → checksum, of the plugs and transforms among these words that a program has registered."""
    found: dict[str, Any] = {name: plug for plugs in registered_plugs().values() for name, plug in plugs.items()}
    found |= {f"transform {name}": kind.make for name, kind in registered_transforms().items() if name in words}
    return {
        name: sha256("\0".join(_said(plug, set())).encode("utf-8", "backslashreplace")).hexdigest()[:12]
        for name, plug in sorted(found.items())
        if name in words or name.startswith("transform ")
    }


def _said(value: Any, seen: set[int]) -> Iterator[str]:
    """What a function or a class does, as texts. Comments and places in files are no part of it."""
    if isinstance(value, _CONSTANTS):
        yield repr(value)
    elif isinstance(value, (tuple, list, frozenset, set)):
        parts = ["\1".join(_said(one, seen)) for one in value]
        yield from sorted(parts) if isinstance(value, (frozenset, set)) else parts
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from (repr(key), *_said(one, seen))
    elif id(value) in seen:
        return
    else:
        seen.add(id(value))
        yield from _of_object(value, seen)


def _of_object(value: Any, seen: set[int]) -> Iterator[str]:
    match value:
        case CodeType():
            yield value.co_code.hex()
            yield from value.co_names
            yield from _said(value.co_consts, seen)
        case FunctionType():
            yield from _said(value.__code__, seen)
            yield from _said((value.__defaults__, value.__kwdefaults__), seen)
            yield from _said([cell.cell_contents for cell in value.__closure__ or ()], seen)
            used = (value.__globals__.get(name) for name in value.__code__.co_names)
            yield from _said([one for one in used if _of_module(one, value.__module__)], seen)
        case partial():
            yield from _said((value.func, value.args, value.keywords), seen)
        case staticmethod() | classmethod():
            yield from _said(value.__func__, seen)
        case property():
            yield from _said(value.fget, seen)
        case cached_property():
            yield from _said(value.func, seen)
        case type():
            yield from (f"{name}: {one.default!r}" for name, one in getattr(value, "model_fields", {}).items())
            for name, one in vars(value).items():
                if not name.startswith(("__", "_abc", "model_")) or isinstance(one, FunctionType):
                    yield from (name, *_said(one, seen))


def _of_module(value: Any, module: str) -> bool:
    """Whether something that a function uses is written beside it, or is a constant."""
    return isinstance(value, _CONSTANTS) or getattr(value, "__module__", None) == module
