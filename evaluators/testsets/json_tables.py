"""Tables in a JSON object that is no list of rows: as pandas and other libraries write them, and rows by their ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from evaluators.scoring.needs import Role
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.testsets.columns import folded_name, is_usual
from evaluators.testsets.naming_key import FILE

_DEEPEST: Final = 3
_DIGITS: Final = late_pattern(r"\d+")
_WHOLE_NUMBER: Final = late_pattern(r"-?\d+")
_FEWEST_ROWS: Final = 2
_MORE_THAN_FIELDS: Final = 20
"""So many keys are more than one record has fields, where inputs have them, too."""
_ROLES: Final[tuple[Role, ...]] = ("output", "expected")
_INPUTS: Final = frozenset(["text", "query", "message", "context", "document", "image", "file", "instruction"])
"""What inputs are called besides their usual names."""
_NAME_OF_ROW: Final = late_pattern(r"(?=.*\d)(?=.*[./:-])\S+")
"""A number and a sign that no field has: `inv-001`, `2024-01-01T00:00`."""
_HASH: Final = late_pattern(r"[0-9a-f]{8,}", re.IGNORECASE)
_NUMBERED_ROW: Final = late_pattern(r"(?:(?:row|case|doc|document|sample|example|record)[ _]?)?\d.*", re.IGNORECASE)
"""A row by its number. Fields may have numbers, too, as `line_2` of an address has."""
_PADDED: Final = late_pattern(r"(?<!\d)0\d")


def table_in(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The rows of an object that is a table; None for any other object.

    Two forms say so by themselves: `{"columns": [...], "data": [[...], ...]}` without a list of rows beside, and columns
    that are objects with the same numbers as keys. Others are tables only where a column has a usual name for outputs or
    expected answers, as they could be one document: columns that are lists or have names of rows as keys, and rows that are named
    by their ids.
    """
    return _rows_of_split(value) or _rows_of_numbered_columns(value) or _rows_of_lists(value) or _rows_of_ids(value)


def lists_below(value: Any, above: str = "", depth: int = 0) -> Iterator[tuple[str, int]]:
    """The paths of lists of objects below the keys of an object, each with the number of its rows."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        path = f"{above}.{key}" if above else key
        if isinstance(inner, list) and inner and all(isinstance(row, dict) for row in inner):
            yield path, len(inner)
        elif depth < _DEEPEST and key.isidentifier():
            yield from lists_below(inner, path, depth + 1)


def lists_inside(value: Any, above: str = "", depth: int = 0) -> Iterator[tuple[str, list[Any]]]:
    """The paths of lists of objects inside the items of other lists, `data[*].qas[*]`, each with the list that the first item has there.
    `above` is the path of `value`, and `depth` how far down that is: beyond `_DEEPEST`, and below keys that are no words, nothing is
    looked for."""
    for key, inner in value.items() if isinstance(value, dict) and depth <= _DEEPEST else ():
        path = f"{above}.{key}" if above else key
        if not key.isidentifier():
            continue
        if isinstance(inner, list) and inner and all(isinstance(row, dict) for row in inner):
            if "[*]" in above:
                yield f"{path}[*]", inner
            yield from lists_inside(inner[0], f"{path}[*]", depth + 1)
        elif isinstance(inner, dict):
            yield from lists_inside(inner, path, depth + 1)


def _rows_of_split(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Rows of `{"columns": [...], "data": [[...], ...]}`, whatever is said of them beside; None for any other object, and where a list
    of objects beside has more of outputs and expected answers, as it holds the rows then."""
    names, data, index = value.get("columns"), value.get("data"), value.get("index")
    if not isinstance(names, list) or not isinstance(data, list) or not data:
        return None
    if not all(isinstance(name, str) for name in names) or len({*names}) < len(names):
        return None
    fits = all(isinstance(row, list) and len(row) == len(names) for row in data)
    beside = [inner[0] for inner in value.values() if isinstance(inner, list) and inner and isinstance(inner[0], dict)]
    if not fits or any(_count_of_roles(row) > _count_of_roles(names) for row in beside):
        return None
    rows = [dict(zip(names, row, strict=True)) for row in data]
    return _with_ids(rows, index) if isinstance(index, list) and len(index) == len(rows) else rows


def _rows_of_numbered_columns(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Rows of columns that are objects with the same keys, which are numbers, or names of rows where a column plays a role; None for any
    other object."""
    columns = [column for column in value.values() if isinstance(column, dict)]
    if len(columns) < len(value) or not columns:
        return None
    keys = [*columns[0]]
    if len(keys) < _FEWEST_ROWS and (keys != ["0"] or _count_of_roles(value) < len(_ROLES)):
        return None
    if any([*column] != keys for column in columns):
        return None
    if not all(_WHOLE_NUMBER.fullmatch(key) for key in keys) and not (_names_a_role(value) and _name_rows(keys, value)):
        return None
    return _with_ids([{name: column[key] for name, column in value.items()} for key in keys], keys)


def _name_rows(keys: Sequence[str], columns: Iterable[str]) -> bool:
    """Whether keys name rows, and cannot be the fields of one record. Where inputs have the keys, too, they name rows more often."""
    if any(all(pattern.fullmatch(key) for key in keys) for pattern in (FILE, _NAME_OF_ROW)) or _are_hashes(keys):
        return True
    alike = len({_DIGITS.sub("0", key) for key in keys}) == 1
    if alike and (all(map(_NUMBERED_ROW.fullmatch, keys)) or any(map(_PADDED.search, keys))):
        return True
    inputs = any(is_usual(name, "input") or folded_name(name) in _INPUTS for name in columns)
    return inputs and (alike or len(keys) > _MORE_THAN_FIELDS or not any(key.isidentifier() for key in keys))


def _are_hashes(keys: Sequence[str]) -> bool:
    """Whether keys are hexadecimal digits of one length, and not words that have no other letters."""
    plain = [key.replace("-", "") for key in keys]
    return len({*map(len, keys)}) == 1 and all(map(_HASH.fullmatch, plain)) and any(map(_DIGITS.search, plain))


def _with_ids(rows: list[dict[str, Any]], index: Sequence[Any]) -> list[dict[str, Any]]:
    """The rows, each with its place in the index of the table as `id`, where the index is more than the numbers from 0 on."""
    if [*map(str, index)] == [*map(str, range(len(rows)))] or any(is_usual(name, "id") for name in rows[0]):
        return rows
    return [{"id": place, **row} for place, row in zip(index, rows, strict=True)]


def _rows_of_lists(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Rows of columns that are lists of one length, where one has a usual name for outputs or expected answers; None for any other
    object."""
    lengths = {len(column) if isinstance(column, list) else None for column in value.values()}
    if len(lengths) != 1 or not _names_a_role(value) or not (count := lengths.pop()):
        return None
    if all(
        any(isinstance(cell, dict) for cell in column) for column in value.values()
    ):  # lists of rows, which no place pairs
        return None
    return [{name: column[number] for name, column in value.items()} for number in range(count)]


def _rows_of_ids(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Rows of an object from ids to rows; a row without `id` gets its key. None for few rows, where one has no usual name for
    outputs or expected answers, and where a key has one itself: that is one record."""
    rows = list(value.values())
    if (
        len(rows) < _FEWEST_ROWS
        or _names_a_role(value)
        or not all(isinstance(row, dict) and _names_a_role(row) for row in rows)
    ):
        return None
    if all(row.get("id") is not None for row in rows):
        return rows
    return [{**row, "id": key} for key, row in value.items()]


def _names_a_role(names: Iterable[str]) -> bool:
    """Whether one of the names is a usual one for outputs or expected answers."""
    return any(is_usual(name, role) for name in names for role in _ROLES)


def _count_of_roles(names: Iterable[str]) -> int:
    """How many of the two roles, output and expected answer, have a usual name among these names: 0 to 2."""
    return len({role for name in names for role in _ROLES if is_usual(name, role)})
