"""A value in YAML's one-line spelling, for pages and snippets that people copy."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

_BARE: Final = re.compile(r"[A-Za-z_$/][A-Za-z0-9_./$-]*")
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
    bare = _BARE.fullmatch(value) and value.casefold() not in _WORDS
    return value if bare else json.dumps(value, ensure_ascii=False)
