"""Whole columns of values at once: numpy, where it is installed and the columns are long enough.

Importing it takes as long as pairing many short lists, so they do without it; once it is there, shorter ones use it, too.
Nothing but time depends on it.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any, Final

SMALL: Final = 300
"""Up to so many pairs of values, plain Python is quicker."""
WORTH_IMPORTING: Final = 900
"""Up to so many pairs of values, plain Python is quick enough not to import anything."""


@cache
def numpy() -> Any | None:
    """The package numpy; None where it is not installed."""
    try:
        import numpy as found
    except ImportError:
        return None
    return found


def many(rows: int, columns: int) -> bool:
    """Whether so many rows and columns are worth an array."""
    return rows * columns > (SMALL if "numpy" in sys.modules else WORTH_IMPORTING)


def arrays_for(rows: int, columns: int) -> Any | None:
    """numpy, where so many rows and columns are worth it and it is installed."""
    return numpy() if many(rows, columns) else None
