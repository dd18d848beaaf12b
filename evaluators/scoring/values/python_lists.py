"""Values as Python prints them: `['yes', 'no']`, `{'total': None}`."""

from __future__ import annotations

import ast
from typing import Any, Final

_LONGEST: Final = 20_000
"""Characters of a list that is read."""


def python_list(text: str) -> list[str] | None:
    """The texts of a list that Python printed; None for any other text."""
    value = python_value(text) if text.lstrip().startswith(("['", '["')) else None
    return value if isinstance(value, list) and all(isinstance(item, str) for item in value) else None


def python_value(text: str) -> Any:
    """The list or dict that Python printed; None for any other text."""
    stripped = text.strip()
    if not stripped.startswith(("[", "{")) or len(stripped) > _LONGEST:
        return None
    try:
        return ast.literal_eval(stripped)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
