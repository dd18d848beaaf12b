"""Tables in a JSON object that is no list of rows: as pandas and other libraries write them, and rows by their ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from evaluators.testsets.columns import is_usual

_DEEPEST: Final = 3
_FEWEST_ROWS: Final = 2


def table_in(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The rows of an object that is a table; None for any other object.

    Three forms say so by their numbers: `{"columns": [...], "data": [[...], ...]}`, and columns that are objects with the
    keys 0, 1, 2 and so on. Two are tables only where a column has a usual name for outputs or expected answers, as they
    could be one document: columns that are lists, and rows that are named by their ids.
    """
    return _of_split(value) or _of_numbered_columns(value) or _of_lists(value) or _of_ids(value)


def lists_below(value: Any, above: str = "", depth: int = 0) -> Iterator[tuple[str, int]]:
    """The paths of lists of objects below the keys of an object, each with the number of its rows."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        path = f"{above}.{key}" if above else key
        if isinstance(inner, list) and inner and all(isinstance(row, dict) for row in inner):
            yield path, len(inner)
        elif depth < _DEEPEST and key.isidentifier():
            yield from lists_below(inner, path, depth + 1)


def _of_split(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Rows of `{"columns": [...], "data": [[...], ...]}`; None for any other object."""
    names, data = value.get("columns"), value.get("data")
    if not isinstance(names, list) or not isinstance(data, list) or not data or {*value} - {"columns", "data", "index"}:
        return None
    if not all(isinstance(name, str) for name in names) or len({*names}) < len(names):
        return None
    fits = all(isinstance(row, list) and len(row) == len(names) for row in data)
    return [dict(zip(names, row, strict=True)) for row in data] if fits else None


def _of_numbered_columns(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Rows of columns that are objects with the same keys, 0, 1, 2 and so on; None for any other object."""
    columns = [column for column in value.values() if isinstance(column, dict)]
    if len(columns) < len(value) or not columns or len(columns[0]) < _FEWEST_ROWS:
        return None
    numbers = [*map(str, range(len(columns[0])))]
    if any([*column] != numbers for column in columns):
        return None
    return [{name: column[number] for name, column in value.items()} for number in numbers]


def _of_lists(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Rows of columns that are lists of one length, where one has a usual name for outputs or expected answers; None for any other
    object."""
    lengths = {len(column) if isinstance(column, list) else None for column in value.values()}
    if len(lengths) != 1 or not _plays_a_role(value) or not (count := lengths.pop()):
        return None
    if all(
        any(isinstance(cell, dict) for cell in column) for column in value.values()
    ):  # lists of rows, which no place pairs
        return None
    return [{name: column[number] for name, column in value.items()} for number in range(count)]


def _of_ids(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Rows of an object from ids to rows; a row without `id` gets its key. None for few rows, and where one has no usual name for
    outputs or expected answers."""
    rows = list(value.values())
    if len(rows) < _FEWEST_ROWS or not all(isinstance(row, dict) and _plays_a_role(row) for row in rows):
        return None
    if all(row.get("id") is not None for row in rows):
        return rows
    return [{**row, "id": key} for key, row in value.items()]


def _plays_a_role(row: Mapping[str, Any]) -> bool:
    return any(is_usual(name, "output") or is_usual(name, "expected") for name in row)
