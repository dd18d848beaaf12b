"""A value in YAML's one-line spelling, for pages and snippets that people copy."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

_BARE: Final = r"[A-Za-z_$/][A-Za-z0-9_./$-]*"
_WORDS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"})


def flow(value: object) -> str:
    """The value on one line, quoted where YAML would read something else."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(key)}: {flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if not isinstance(value, str):
        return str(value)
    bare = re.fullmatch(_BARE, value) and value.casefold() not in _WORDS
    return value if bare else _quoted(value)


_BARE_KEY: Final = r"[A-Za-z_$/](?:[\w./$-]|\[\*\]|\[[0-9]+\])*"


def key_text(key: str) -> str:
    """A key as it stands at the beginning of a line, quoted where YAML would read something else."""
    bare = re.fullmatch(_BARE_KEY, key) and key.casefold() not in _WORDS
    return key if bare else _quoted(key)


def _quoted(text: str) -> str:
    """The text in double quotes; what YAML refuses as it stands, or what cannot be seen, is written as a number."""
    spelt = json.dumps(text, ensure_ascii=False)
    return spelt if spelt.isprintable() else "".join(map(_visible, spelt))


def _visible(letter: str) -> str:
    if letter.isprintable():
        return letter
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else f"\\U{ord(letter):08x}"
