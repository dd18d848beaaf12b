"""Values of other libraries as cells: text stays text, everything else is the JSON value that stands for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, Final

from pydantic import BaseModel

from evaluators.model.issues import Blame, CellError, Issue
from evaluators.model.rows import JSON, MISSING
from evaluators.scoring.needs import Cell

_PLAIN: Final = frozenset({str, int, bool})


def arrow_cells(column: Any) -> list[Cell]:
    """The cells of an Arrow column as JSON values or texts; MISSING for null, and a fault for what JSON does not have."""
    import pyarrow  # heavy, and whoever has an Arrow column has it

    if pyarrow.types.is_timestamp(column.type) and column.type.unit == "ns":
        column = column.cast(pyarrow.timestamp("us", column.type.tz), safe=False)
    cells: list[Any] = column.to_pylist()
    kinds = set(map(type, cells))
    if kinds <= _PLAIN:
        return cells
    return [MISSING if cell is None else json_cell(cell) for cell in cells]


def json_cell(value: object) -> Cell:
    """The cell that holds a value; a fault where no JSON value stands for it."""
    try:
        return _json_value(value)
    except (ValueError, RecursionError) as error:
        return CellError(Issue("not-json", Blame.TESTSET, f"the cell cannot be a JSON value: {error}"))


def _json_value(value: object) -> JSON:
    """The JSON value that stands for a value of Python: an Arrow map, a model or a dataclass becomes an object, and what JSON has no word
    for its text. Raises ValueError for numbers that JSON does not have."""
    match value:
        case Enum():
            return _json_value(value.value)
        case None | str() | bool() | int():
            return value
        case float():
            if math.isfinite(value):
                return value
            raise ValueError(f"{value} is not a JSON number")
        case Decimal():
            return _number_of_decimal(value)
        case bytes():
            return value.decode()
        case Mapping():
            return {str(key): _json_value(item) for key, item in value.items()}
        case list() if value and all(isinstance(item, tuple) and len(item) == 2 for item in value):
            return {str(key): _json_value(item) for key, item in value}
        case list() | tuple():
            return [_json_value(item) for item in value]
        case datetime() | date() | time():
            return value.isoformat()
        case BaseModel():
            return _json_value(value.model_dump(mode="json"))
    if is_dataclass(value) and not isinstance(value, type):
        return _json_value(asdict(value))
    to_list = getattr(value, "tolist", None)  # numbers and arrays of numpy
    return _json_value(to_list()) if callable(to_list) else str(value)


def _number_of_decimal(value: Decimal) -> int | float | str:
    """The number of a decimal; its digits as a text where a number of JSON would lose some of them. Raises ValueError for NaN and the
    like."""
    if not value.is_finite():
        raise ValueError(f"{value} is not a JSON number")
    if value == value.to_integral_value():
        return int(value)
    number = float(value)
    return number if Decimal(repr(number)) == value else format(value, "f")
