"""Patterns of our own that are compiled when they are first used: most runs use few of those that the modules they load define."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast


class _Late:
    """Stands for a pattern. A method that was asked for once is found without this class the next time."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """A method of the compiled pattern, which is kept as an attribute, so that it is looked up here only once."""
        if name.startswith("__"):  # whoever copies it asks for more than methods of patterns
            raise AttributeError(name)
        method: Callable[..., Any] = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, method)
        return method


def late_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern, which is compiled when one of its methods is first used."""
    return cast(re.Pattern[str], _Late(text, flags))
