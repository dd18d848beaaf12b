"""Whole columns of numbers at once: numpy, where it is installed and a column is long enough to be worth its import."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

SMALL: Final = 1_600
"""Up to so many pairs of values, plain Python is quick enough not to import anything."""


@cache
def numpy() -> Any | None:
    """The package numpy; None where it is not installed."""
    try:
        import numpy as found
    except ImportError:
        return None
    return found


def arrays_for(rows: int, columns: int) -> Any | None:
    """numpy, where so many rows and columns are worth it and it is installed."""
    return numpy() if rows * columns > SMALL else None
