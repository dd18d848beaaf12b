"""Equality of JSON values: `true` is not 1, 1 equals 1.0, integers are exact, "30" is not 30.

Strategy: ask Python's `==`. It is exact for numbers, ignores key order, keeps list order, and is written in C. It is too
kind in one way only: `True == 1`. So a container that it calls equal is looked at once more: where both are written as the
same MessagePack, no boolean meets a number, and that costs less than the walk that else goes through them. It never recurses.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from evaluators.model.rows import Missing

_pack = msgspec.msgpack.Encoder(order="sorted").encode
_ALONE: Final = (bool, dict, list)
"""Kinds of values that equal nothing of another kind."""
CONTAINERS: Final = frozenset((dict, list))
SURE: Final = frozenset((str, type(None), Missing))
"""Kinds of which `==` is exact, whatever stands on the other side."""


def json_equal(a: Any, b: Any) -> bool:
    """Whether two JSON values are equal.

    List order matters and key order does not. `True` is not 1, which Python takes for equal. Any depth is fine.
    """
    if a is b:
        return True
    kind, other = a.__class__, b.__class__
    if kind is not other:
        return kind is not bool and other is not bool and bool(a == b)
    if kind is not dict and kind is not list:
        return bool(a == b)
    try:
        if a != b:
            return False
        if _pack(a) == _pack(b):
            return True
    except (ValueError, OverflowError, RecursionError):  # lone surrogates, large integers, deep nesting
        pass
    return _equal_step_by_step(a, b)


def _equal_step_by_step(a: Any, b: Any) -> bool:
    """`json_equal` without recursion, for values that are nested deeper than Python recurses."""
    pairs = [(a, b)]
    for left, right in pairs:
        kind, other = left.__class__, right.__class__
        if kind is not other:
            if kind in _ALONE or other in _ALONE or left != right:
                return False
        elif kind is dict:
            if left.keys() != right.keys():
                return False
            pairs.extend((value, right[key]) for key, value in left.items())
        elif kind is list:
            if len(left) != len(right):
                return False
            pairs.extend(zip(left, right, strict=True))
        elif left != right:
            return False
    return True


def same_json_type(a: Any, b: Any) -> bool:
    """Whether two JSON values are of one JSON type: 1 and 1.0 are both numbers, and null is a type of its own."""
    return json_type(a) == json_type(b)


def json_type(value: Any) -> str:
    """The JSON type of a value: object, list, string, number, boolean or null."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "list" if isinstance(value, list) else "object"
