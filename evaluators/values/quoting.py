"""How a message quotes a value: as JSON, short, and with a word for its kind."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, Final

_JSON: Final = json.JSONEncoder(ensure_ascii=False, default=repr)
"""Made once: `json.dumps` makes one for each call."""


def quote(value: Any, limit: int = 60) -> str:
    """The value as JSON, cut with an ellipsis when it is longer than `limit` characters."""
    plain_number = value.__class__ is int or (value.__class__ is float and isfinite(value))
    spelt = repr(value) if plain_number else _JSON.encode(value)  # the encoder makes another one for all but text
    return spelt if len(spelt) <= limit else spelt[: limit - 1] + "…"


def escaped(char: str) -> str:
    """A character as JSON's escape for it."""
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def kind(value: Any) -> str:
    """The kind of a JSON value in plain words."""
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    words = {str: "text", dict: "an object", list: "a list", type(None): "null"}
    return words.get(type(value), type(value).__name__)


def differs(expected: Any, actual: Any) -> str:
    """Why two values that are not equal differ, in one sentence."""
    if expected.__class__ is not actual.__class__ and kind(expected) != kind(actual):
        return f"{quote(actual)} is {kind(actual)}; {quote(expected)} is {kind(expected)}"
    return f"{quote(actual)} differs from {quote(expected)}"
