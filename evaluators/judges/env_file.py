"""A file of environment variables, read without changing the environment.

# a comment
JUDGE_KEY=abc
export OTHER="with spaces"
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from evaluators.issues import problem

_LINE: Final = re.compile(r"(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)")


def read_env_file(file: Path) -> Mapping[str, str]:
    """The variables that a file sets.

    Raises Problems (config) where it cannot be read, or has a line that sets nothing. No message shows a value.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = (getattr(error, "strerror", None) or "it is not UTF-8").lower()
        raise problem("no-env-file", f"the file of variables cannot be read: {why}", where=str(file)) from None
    return _variables(text, str(file))


@lru_cache(maxsize=8)
def _variables(text: str, name: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            message = "a line must be NAME=value, a comment, or empty"
            raise problem("bad-env-file", message, where=f"{name}:{number}")
        found[match[1]] = _value(match[2].strip())
    return found


def _value(text: str) -> str:
    """What stands after the sign: without its quotes, and without a comment behind it."""
    if len(text) >= 2 and text[0] in "\"'" and (end := text.find(text[0], 1)) > 0:
        return text[1:end]
    return re.split(r"\s+#", text, maxsplit=1)[0]
