"""Rows that a program gives, written once as JSON lines, and from there on read like the rows of a file: in splits, by any engine.

A data frame, a table of Arrow (or whatever gives one, as Polars and DuckDB do), a map of columns, or rows as dicts, models or
dataclasses. None, NaN, NaT and pandas' NA are empty cells. A document keeps its values; one that no JSON stands for, because NaN is in
it, is its text, so that it is the row's own mistake, and the output's where the output holds it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from evaluators.model.issues import Blame, CellError, Issue, Problems, extra_hint, problem
from evaluators.model.rows import MISSING, Row
from evaluators.testsets.fetched_rows import FetchedRows, write_lines_file
from evaluators.testsets.memory_rows import is_data_frame, refuse_python_values, warning_of_order
from evaluators.testsets.naming_key import naming_keys
from evaluators.testsets.python_cells import arrow_cells, json_cell

ROWS: Final = "the given rows"
"""What messages call them, where a file would have its name."""
_EMPTY: Final = ("NAType", "NaTType")
_AT_ONCE: Final = 1_000
_SIDES: Final = {"expected", "output"}
"""The columns of two lists that are given beside each other."""


def write_given_rows(rows: Any) -> FetchedRows:
    """Writes rows that a program gives into a temporary file of JSON lines. Raises Problems for what is no table of rows, and for values
    that no cell can hold."""
    header: dict[str, None] = {}
    file = write_lines_file(_without_missing(_rows(rows, header), header))
    if not header:
        raise Problems([Issue("no-rows", Blame.TESTSET, "there is nothing to score: no row has a cell", ROWS)])
    index = rows.index if is_data_frame(rows) else None
    return FetchedRows(ROWS, file, tuple(header), warnings=_warnings_of_order(rows), index=index)


def _warnings_of_order(rows: Any) -> tuple[Issue, ...]:
    """The warning that two lists of documents, which go together one by one, are in different orders by a key that they have; none for
    other rows."""
    if not isinstance(rows, Mapping) or {*rows} != _SIDES:
        return ()
    expected, outputs = ([cell for cell in rows[name] if isinstance(cell, Mapping)] for name in ("expected", "output"))
    if min(len(expected), len(outputs)) < 2 or len(expected) != len(outputs):
        return ()
    doubt = next((key for key in naming_keys(expected, outputs) if key.shared and key.contradicts_places), None)
    return () if doubt is None else (warning_of_order(doubt, ROWS, "give both lists in the same order"),)


def _without_missing(rows: Iterable[Mapping[str, Any]], header: dict[str, None]) -> Iterator[Mapping[str, Any]]:
    """The cells of each row without those that are MISSING. The columns of each row are added to `header` as it is read."""
    for row in rows:
        header |= dict.fromkeys(row)
        yield {name: cell for name, cell in row.items() if cell is not MISSING}


def columns_of_lists(expected: object, outputs: object) -> dict[str, list[Any]]:
    """The columns `expected` and `output` of two lists. Raises Problems where one is no list, or where they differ in length."""
    wanted, actual = _as_list("expected", expected), _as_list("outputs", outputs)
    if len(wanted) != len(actual):
        counts = f"there are {len(wanted)} expected documents and {len(actual)} outputs"
        hint = 'give "" for an output that is not there'
        raise problem("unequal-lengths", f"{counts}; they go together one by one", hint=hint)
    return {"expected": wanted, "output": actual}


def _as_list(name: str, documents: Any) -> list[Any]:
    """The documents as a list. Raises Problems for a value that is no list; `name` is the argument."""
    if documents is None or isinstance(documents, Mapping | str | bytes) or not isinstance(documents, Iterable):
        text = "nothing" if documents is None else type(documents).__name__
        message = f'"{name}" must be a list of documents; found {text}'
        raise problem("not-a-list", message, hint="`evaluate_pair(expected, output)` scores one")
    return list(documents)


def _rows(rows: Any, header: dict[str, None]) -> Iterator[dict[str, Any]]:
    """The rows of a DataFrame, an Arrow table, a map of columns, or a list. The names of columns are added to `header`, but for those of a
    list. Raises Problems for anything else."""
    if is_data_frame(rows):
        names = _unique_names(list(map(str, rows.columns)), header)
        every = (rows.iloc[:, index] for index in range(len(names)))
        columns = [
            [MISSING if empty else cell for cell, empty in zip(column.tolist(), column.isna().tolist(), strict=True)]
            for column in every
        ]
        return _by_row(names, columns, len(rows))
    if hasattr(rows, "__arrow_c_stream__") or hasattr(rows, "__arrow_c_array__"):
        return _arrow_rows(rows, header)
    if isinstance(rows, Mapping):
        return _rows_of_columns(rows, header)
    if isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
        hint = "give a DataFrame, a list of dicts, an Arrow table, or the name of a file"
        raise problem("no-rows-given", f"rows are expected, and this is {_type_with_article(rows)}", hint=hint)
    return _rows_of_list(rows)


def _unique_names(names: Sequence[str], header: dict[str, None]) -> list[str]:
    """The names of the columns, which are added to `header`. Raises Problems where two have one name."""
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise Problems(Issue("same-column", Blame.TESTSET, f'two columns are called "{name}"', ROWS) for name in twice)
    header |= dict.fromkeys(names)
    return list(names)


def _by_row(
    names: Sequence[str], columns: Sequence[Sequence[Any]], count: int, before: int = 0
) -> Iterator[dict[str, Any]]:
    """The rows of columns of values, as maps of cells. `before` is the number of the rows before the first one, which messages count."""
    for index in range(count):
        number = before + index + 1
        yield {name: _cell(column[index], name, number) for name, column in zip(names, columns, strict=True)}


def _arrow_rows(rows: Any, header: dict[str, None]) -> Iterator[dict[str, Any]]:
    """The rows of an Arrow table, or of what gives one; the names of its columns are added to `header`. Raises Problems without pyarrow."""
    try:
        import pyarrow
    except ModuleNotFoundError:
        message = f"rows of {type(rows).__module__.partition('.')[0]} need a package that is not installed: pyarrow"
        raise problem("missing-package", message, hint=extra_hint("parquet")) from None
    table = rows if isinstance(rows, pyarrow.Table | pyarrow.RecordBatch) else pyarrow.table(rows)
    names = _unique_names(table.schema.names, header)
    for before in range(0, table.num_rows, _AT_ONCE):
        some = table.slice(before, _AT_ONCE)
        columns = [arrow_cells(some.column(index)) for index in range(len(names))]
        yield from _by_row(names, columns, some.num_rows, before)


def _rows_of_columns(rows: Mapping[Any, Any], header: dict[str, None]) -> Iterator[dict[str, Any]]:
    """The rows of a map from names to columns. Raises Problems for columns of different lengths."""
    columns = {str(name): _as_list(str(name), cells) for name, cells in rows.items()}
    lengths = {len(cells) for cells in columns.values()}
    if len(lengths) > 1:
        lengths_text = ", ".join(f'"{name}" has {len(cells)}' for name, cells in columns.items())
        raise problem("unequal-lengths", f"the columns are not of one length: {lengths_text}")
    return _by_row(_unique_names(list(columns), header), list(columns.values()), next(iter(lengths), 0))


def _rows_of_list(rows: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """The cells of each row of a list. Raises Problems for an item that is no row."""
    for number, row in enumerate(rows, 1):
        if isinstance(row, Row):
            cells: Any = {**({"id": row.id} if row.id else {}), **row.cells}
        else:
            cells = row if isinstance(row, Mapping) else json_cell(row)
        if not isinstance(cells, Mapping):
            message = f"row {number} is {_type_with_article(row)}; a row is a dict of cells by column"
            hint = '`[{"output": …, "expected": …}, …]`, or `expected=[…], outputs=[…]`'
            raise problem("no-row", message, hint=hint)
        yield {str(name): _cell(cell, str(name), number) for name, cell in cells.items()}


def _cell(value: Any, name: str, number: int) -> Any:
    """A value of a program as a cell: None and NaN are missing, dates are texts. `name` is the column and `number` the row, for messages.
    Raises Problems for values that no cell can hold."""
    is_nan = isinstance(value, float) and value != value  # only such a number differs from itself
    if value is MISSING or value is None or is_nan or type(value).__name__ in _EMPTY:
        return MISSING
    if isinstance(value, str):
        return str(value)
    if isinstance(value, dict | list):
        refuse_python_values(f'row {number}, column "{name}"', value)
    cell = json_cell(value)
    return _text(value) if isinstance(cell, CellError) else cell


def _text(value: object) -> str:
    """The text of a cell for a value that JSON does not have."""
    try:
        return json.dumps(value, default=str, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return f"({type(value).__name__} that is no JSON)"


def _type_with_article(value: object) -> str:
    """The name of a value's type with its article, for messages: `an int`."""
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
