"""How a message quotes a value: as JSON, short, and with a word for its kind.

A value in YAML's one-line spelling, for pages and snippets that people copy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final
from unicodedata import category

_JSON: Final = json.JSONEncoder(ensure_ascii=False, default=repr)
"""Made once: `json.dumps` makes one for each call."""


def quote(value: Any, limit: int = 60) -> str:
    """The value as JSON, cut with an ellipsis when it is longer than `limit` characters."""
    plain_number = value.__class__ is int or (value.__class__ is float and isfinite(value))
    spelt = repr(value) if plain_number else _JSON.encode(value)  # the encoder makes another one for all but text
    if not spelt.isprintable():
        spelt = with_escapes(spelt)
    return spelt if len(spelt) <= limit else spelt[: limit - 1] + "…"


def json_escape(char: str) -> str:
    """A character as JSON's escape for it."""
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def is_invisible(char: str) -> bool:
    """Whether the character takes no room and draws nothing, such as U+200B. Joiners, which shape emoji and letters, are not."""
    return category(char) in ("Cc", "Cf", "Zl", "Zp") and char not in _JOINERS


def with_escapes(text: str) -> str:
    """The text with an escape in place of each character that cannot be seen, such as `\\u200b`."""
    return "".join(json_escape(char) if is_invisible(char) else char for char in text)


def kind(value: Any) -> str:
    """The kind of a JSON value in plain words, as messages name it: `a number`, `an object`."""
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    words = {str: "text", dict: "an object", list: "a list", type(None): "null"}
    return words.get(type(value), type(value).__name__)


def with_kind(value: Any) -> str:
    """A sentence on the kind of a JSON value, to go on with: `30 is a number`; of null, which is a kind of its own, `the value is null`."""
    return "the value is null" if value is None else f"{quote(value)} is {kind(value)}"


_JOINERS: Final = "\u200c\u200d"
_BARE: Final = r"[A-Za-z_$/][A-Za-z0-9_./$-]*"
_WORDS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"})


def flow_text(value: object) -> str:
    """The value as YAML on one line (flow style), quoted where YAML would read something else."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow_text(key)}: {flow_text(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow_text, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if not isinstance(value, str):
        return str(value)
    bare = re.fullmatch(_BARE, value) and value.casefold() not in _WORDS
    return value if bare else _double_quoted(value)


_BARE_KEY: Final = r"[A-Za-z_$/](?:[\w./$-]|\[\*\]|\[[0-9]+\])*"


def key_text(key: str) -> str:
    """A key as it stands at the beginning of a line, quoted where YAML would read something else."""
    bare = re.fullmatch(_BARE_KEY, key) and key.casefold() not in _WORDS
    return key if bare else _double_quoted(key)


def _double_quoted(text: str) -> str:
    """The text in double quotes; what YAML refuses as it stands, or what cannot be seen, is written as a number."""
    spelt = json.dumps(text, ensure_ascii=False)
    return spelt if spelt.isprintable() else "".join(map(_yaml_escape, spelt))


def _yaml_escape(letter: str) -> str:
    """A letter as YAML can hold it in double quotes: by its number where it cannot be seen."""
    if letter.isprintable():
        return letter
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else f"\\U{ord(letter):08x}"


def first_texts(texts: Sequence[str], most: int) -> str:
    """The first `most` texts, and how many more there are: `a, b and 3 more`."""
    more = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more
