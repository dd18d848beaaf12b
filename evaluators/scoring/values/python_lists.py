"""Lists of texts as Python prints them: `['yes', 'no']`."""

from __future__ import annotations

import ast
from typing import Final

_LONGEST: Final = 20_000
"""Characters of a list that is read."""


def python_list(text: str) -> list[str] | None:
    """The texts of a list that Python printed; None for any other text."""
    stripped = text.strip()
    if not stripped.startswith(("['", '["')) or len(stripped) > _LONGEST:
        return None
    try:
        found = ast.literal_eval(stripped)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return found if isinstance(found, list) and all(isinstance(item, str) for item in found) else None
