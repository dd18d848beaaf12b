"""Where the cells of a column come from, so that two names of the same cells can be told from two columns."""

from __future__ import annotations

from typing import Any

from evaluators.testsets.aliases import Aliased
from evaluators.testsets.file_columns import FileColumnsTable
from evaluators.testsets.joining import JoinedTable, OtherFile
from evaluators.testsets.reader import Reader, Table, first_table, layers


def origin(table: Table, column: str) -> tuple[Any, ...]:
    """What two columns share exactly when their cells are the same: the files that they are read from, and the column there."""
    for layer in layers(table):
        if isinstance(layer, Aliased) and layer.column == column:
            column = layer.source
        elif isinstance(layer, JoinedTable) and layer.column == column:
            other = layer.lookup
            return origin(other.table, other.column) if isinstance(other, OtherFile) else _documents(other.files)
        elif isinstance(layer, FileColumnsTable) and column in layer.places:
            return "attached", layer.places[column]
    first = first_table(table)
    if column == "expected" and first.files and not isinstance(first, Reader):
        return _documents(first.files)
    return "column", tuple((source.path, source.sheet) for source in first.files), column


def _documents(files: Any) -> tuple[Any, ...]:
    return "documents", tuple(source.path for source in files)
