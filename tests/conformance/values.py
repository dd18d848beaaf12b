"""JSON values a second time, short and slow: reading, equality and leaves, apart from the package's own."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
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


def find_json(text: str, kind: type | None, keys: Collection[str] = ()) -> Any:
    """The JSON in a text: all of it, or the document that counts among those inside it. Raises NotReadable.

    `kind` is what is wanted, dict or list; None takes either, and any value when the whole text is JSON. `keys` are
    those that the settings name. Of several documents those in code fences come first, then those with most of the
    keys, then the last.
    """
    rest = text if is_json(text) else _without_reasoning(text)
    if is_json(rest):
        return _fitting([read_json(rest)], kind, keys)
    found = _in_fences(rest)
    if not found:
        found = documents_in(rest)
        if kind is dict and not any(isinstance(value, dict) for value in found):
            found = documents_in(rest, "{")
    return _fitting(found, kind, keys)


def _fitting(found: list[Any], kind: type | None, keys: Collection[str]) -> Any:
    fitting = [value for value in found if kind is None or isinstance(value, kind)]
    if not fitting:
        raise NotReadable("none of the kind")
    most = max(_named(value, keys) for value in fitting)
    return [value for value in fitting if _named(value, keys) == most][-1]


def is_json(text: str) -> bool:
    try:
        read_json(text)
    except NotReadable:
        return False
    return True


def reasons_aloud(text: str) -> bool:
    """There is reasoning in the text, between tags or after or before one."""
    return _without_reasoning(text) != text


def _without_reasoning(text: str) -> str:
    name = "(?:think|thinking|thoughts?|reasoning|reflection|scratchpad)"
    for pattern in (rf"<({name})>.*?</\1>", rf".*</{name}>", rf"<{name}>.*"):
        text = re.sub(pattern, "", text, flags=re.DOTALL | re.IGNORECASE)
    return text


def _named(value: Any, keys: Collection[str]) -> int:
    items = value if isinstance(value, list) else [value]
    return len({key for item in items if isinstance(item, dict) for key in item} & set(keys))


def _in_fences(text: str) -> list[Any]:
    found = []
    for fenced in re.findall(r"```[^\n`]*\n(.*?)```", text, re.DOTALL):
        with suppress(NotReadable):
            found.append(read_json(fenced))
    return found


def documents_in(text: str, opening: str = "{[") -> list[Any]:
    """Every document that begins with one of these brackets, from left to right, none inside another.

    Raises NotReadable where there is none and one is cut off.
    """
    decoder = json.JSONDecoder(parse_constant=_refused, parse_float=_finite)
    found, end = [], 0
    for at, mark in enumerate(text):
        if mark in opening and at >= end:
            try:
                value, end = decoder.raw_decode(text, at)
                found.append(value)
            except json.JSONDecodeError as error:
                if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
                    if not found:
                        raise NotReadable("cut off") from None
                    break
            except (ValueError, RecursionError):
                continue
    return found


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
