"""JSON values a second time, short and slow: reading, equality and leaves, apart from the package's own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

DEEPEST: Final = 300


class NotReadable(ValueError):
    """The text is not JSON, or holds none of the kind that is wanted."""


def read_json(text: str) -> Any:
    """The value of a text that is JSON from its first to its last character. Raises NotReadable."""
    try:
        value = json.loads(text.removeprefix("\ufeff"), parse_constant=_refused, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise NotReadable(str(error)) from None
    if text.count("[") + text.count("{") > DEEPEST and _deeper(value, DEEPEST):
        raise NotReadable("nested too deeply")
    return value


def find_json(text: str, kind: type | None) -> Any:
    """The JSON in a text: all of it, what a code fence holds, or the first object or list inside it. Raises NotReadable.

    `kind` is what is wanted, dict or list; None takes either, and any value when the whole text is JSON.
    """
    try:
        value = read_json(text)
    except NotReadable:
        return _find_inside(text, kind)
    if kind is not None and not isinstance(value, kind):
        raise NotReadable("another kind")
    return value


def _find_inside(text: str, kind: type | None) -> Any:
    other = False
    for fenced in re.findall(r"```[^\n`]*\n(.*?)```", text, re.DOTALL):
        try:
            value = read_json(fenced)
        except NotReadable:
            continue
        if kind is None or isinstance(value, kind):
            return value
        other = True
    if other:
        raise NotReadable("another kind")
    decoder = json.JSONDecoder(parse_constant=_refused, parse_float=_finite)
    opening = "{[" if kind is None else "{" if kind is dict else "["
    for at, mark in enumerate(text):
        if mark in opening:
            try:
                return decoder.raw_decode(text, at)[0]
            except json.JSONDecodeError as error:
                if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
                    raise NotReadable("cut off") from None
            except (ValueError, RecursionError):
                continue
    raise NotReadable("none in the text")


def _refused(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("too large")
    return value


def _deeper(value: Any, levels: int) -> bool:
    layer = [value]
    for _ in range(levels):
        layer = [inner for one in layer if isinstance(one, (dict, list)) for inner in _inner(one)]
    return any(isinstance(one, (dict, list)) for one in layer)


def _inner(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else list(value)


def as_text(value: Any) -> str:
    """A cell as text: a JSON value is written as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def kind(value: Any) -> str:
    """The JSON type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "text"
    return "list" if isinstance(value, list) else "object" if isinstance(value, dict) else "nothing"


def equal(left: Any, right: Any) -> bool:
    """Equal as JSON: `true` is not 1, 1 is 1.0, the order of keys is free."""
    if kind(left) != kind(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(equal(value, right[key]) for key, value in left.items())
    if isinstance(left, list):
        return len(left) == len(right) and all(map(equal, left, right))
    return bool(left == right)


def leaves(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Scalars and empty containers with their places."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*place, key))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from leaves(inner, (*place, index))
    else:
        yield place, value
