"""Equality of JSON values: `true` is not 1, 1 equals 1.0, integers are exact, "30" is not 30.

Strategy: ask Python's `==`. It is exact for numbers, ignores key order, keeps list order, and is written in C. It is too
kind in one way only: `True == 1`. So a container that it calls equal is walked once more for a boolean that meets a
number; where both are written as the same MessagePack, there is none, and that costs less than the walk. The walk never
compares text and never recurses.
"""

from __future__ import annotations

from typing import Any

import msgspec

_pack = msgspec.msgpack.Encoder().encode


def same(a: Any, b: Any) -> bool:
    """Two JSON values are equal.

    List order matters and key order does not. Any depth is fine.
    """
    if a is b:
        return True
    kind, other = a.__class__, b.__class__
    if kind is other:
        if kind is dict or kind is list:
            try:
                if a != b:
                    return False
            except RecursionError:
                if not _equal_step_by_step(a, b):
                    return False
            return _texts_alone(a) or _packed_alike(a, b) or not _boolean_meets_number(a, b)
        return bool(a == b)
    return kind is not bool and other is not bool and bool(a == b)


def _texts_alone(container: Any) -> bool:
    """A container holds nothing but text, and so does any that equals it."""
    for value in container.values() if container.__class__ is dict else container:  # noqa: SIM110 - half the time
        if value.__class__ is not str:
            return False
    return True


def _packed_alike(a: Any, b: Any) -> bool:
    """Two values are written alike, booleans included. False says nothing."""
    try:
        return bool(_pack(a) == _pack(b))
    except (ValueError, OverflowError, RecursionError):  # lone surrogates, large integers, deep nesting
        return False


def _boolean_meets_number(a: Any, b: Any) -> bool:
    """`True` or `False` stands opposite a number in two containers that `==` calls equal."""
    pairs = [(a, b)]
    for left, right in pairs:
        # two loops, written out: a shared iterator over the pairs costs as much again
        if left.__class__ is dict:
            for key, x in left.items():
                kind = x.__class__
                if kind is str:
                    continue
                y = right[key]
                if x is y:
                    continue
                if kind is dict or kind is list:
                    pairs.append((x, y))
                elif kind is bool or y.__class__ is bool:
                    return True
        else:
            for x, y in zip(left, right, strict=True):
                kind = x.__class__
                if kind is str or x is y:
                    continue
                if kind is dict or kind is list:
                    pairs.append((x, y))
                elif kind is bool or y.__class__ is bool:
                    return True
    return False


def _equal_step_by_step(a: Any, b: Any) -> bool:
    """`==` for containers that are nested deeper than the interpreter's stack allows."""
    pairs = [(a, b)]
    for left, right in pairs:
        if left.__class__ is not right.__class__:
            if left.__class__ in (dict, list) or right.__class__ in (dict, list) or left != right:
                return False
        elif left.__class__ is dict:
            if left.keys() != right.keys():
                return False
            pairs.extend((value, right[key]) for key, value in left.items())
        elif left.__class__ is list:
            if len(left) != len(right):
                return False
            pairs.extend(zip(left, right, strict=True))
        elif left != right:
            return False
    return True


def same_type(a: Any, b: Any) -> bool:
    """Two JSON values are of one JSON type: 1 and 1.0 are both numbers, and null is a type of its own."""
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
