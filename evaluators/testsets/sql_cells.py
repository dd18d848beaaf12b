"""Values of a database as the line of a row: JSON that says exactly what the database said.

A text stays a text and a whole number a number. A decimal is its digits as a text, as in a CSV file, because `19.90` read as a
number is no longer `19.90`. Dates and times are texts in ISO 8601, those with a time zone in UTC. A document of a JSON column is
the database's own text. What is NULL is left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, Final

import msgspec

from evaluators.values.json_text import compact

_PLAIN: Final = frozenset({str, int, bool})
_encode: Final = msgspec.json.Encoder().encode


class NotCell(Exception):
    """A value that no cell can hold."""

    def __init__(self, column: str) -> None:
        self.column = column
        super().__init__(column)


def line_of(names: Sequence[str], values: Sequence[Any]) -> bytes:
    """A row as one line of JSON, with its line break. Raises NotCell."""
    row: dict[str, Any] = {}
    for name, value in zip(names, values, strict=True):
        if value is not None:
            row[name] = value if value.__class__ in _PLAIN else _cell(name, value)
    try:
        return _encode(row) + b"\n"
    except UnicodeEncodeError:  # half of a surrogate pair
        return compact(row) + b"\n"


def json_text(text: str | bytes) -> msgspec.Raw:
    """A document as the database wrote it, on one line: inside its texts a line break is an escape."""
    data = text.encode() if isinstance(text, str) else bytes(text)
    return msgspec.Raw(data.replace(b"\n", b" ").replace(b"\r", b" "))


def _cell(column: str, value: Any) -> Any:
    match value:
        case None | str() | bool() | int() | msgspec.Raw():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case Decimal():
            return int(value) if value.is_finite() and value.as_tuple().exponent == 0 else format(value, "f")
        case datetime():
            return (value if value.tzinfo is None else value.astimezone(UTC)).isoformat()
        case date() | time():
            return value.isoformat()
        case bytes() | bytearray() | memoryview():
            return _text(column, bytes(value))
        case Mapping():
            return {str(key): _cell(column, item) for key, item in value.items()}
        case list() | tuple():
            return [_cell(column, item) for item in value]
    return str(value)


def _text(column: str, value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise NotCell(column) from None
