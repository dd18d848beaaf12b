"""Rows that a program holds in its hands, read like the rows of a file: columns, documents, and documents that stand in one file.

A list of documents, as JSON or as JSON lines, is held in memory.

Rows from elsewhere than a file (a platform, a database, a program), written once as JSON lines and then read like a file.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from functools import partial
from types import NoneType
from typing import Any, ClassVar, Final
from uuid import UUID

from msgspec import Struct, field

from evaluators.issues import Blame, CellError, Issue, problem
from evaluators.model import JSON, MISSING, Missing
from evaluators.needs import Cell, Role
from evaluators.testsets.byte_source import ByteSource, temporary_file, whole_of
from evaluators.testsets.columns import USUAL_NAMES, folded, is_usual
from evaluators.testsets.documents import Documents, PairBy, one_document, text_of
from evaluators.testsets.reader import MAX_CHUNK_ROWS, Chunk, Split, id_text
from evaluators.values.json_text import NotJSON, compact, parse, to_text

DOCUMENT: Final = "document"
LINES: Final = (".jsonl", ".ndjson")
_AT_ONCE: Final = 50
"""The documents that are read at a time."""


class MemoryRows(Struct, frozen=True):
    """Columns of cells, all of one length. A cell is text, a JSON value, or a document, which is read when its row is."""

    header: tuple[str, ...]
    columns: Callable[[], Mapping[str, Sequence[Cell | ByteSource]]]
    """Makes the columns, or has them."""
    name: str = "the test set"
    """What messages call the place that the rows are from."""
    noun: str = "id"
    """What messages call one of the things that other rows are paired with."""
    where: str = "row"
    """What messages call the place of one row."""
    notes: tuple[str, ...] = ()
    files: tuple[ByteSource, ...] = ()

    first_number: ClassVar[int] = 1

    def splits(self) -> list[Split]:
        """One piece."""
        return [Split("given", 0)]

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows, some hundred at a time; documents are fewer."""
        found = self.columns()
        count = len(next(iter(found.values()), ()))
        step = _AT_ONCE if self.noun == DOCUMENT else MAX_CHUNK_ROWS
        for start in range(0, count, step):
            stop = min(start + step, count)
            nothing: list[Cell] = [MISSING] * (stop - start)
            cells = {name: found[name][start:stop] if name in found else nothing for name in columns}
            yield Chunk(range(start, stop), stop, {name: list(map(_read, some)) for name, some in cells.items()})

    def fingerprint(self) -> str:
        """SHA-256 over the cells, as `sha256:…`."""
        digest = hashlib.sha256()
        for row in zip(*self.columns().values(), strict=True):
            digest.update(row_bytes(map(_read, row)) + b"\x1e")
        return f"sha256:{digest.hexdigest()}"


def memory_rows(columns: Mapping[str, Sequence[Cell]]) -> MemoryRows:
    """The rows of columns that are at hand."""
    return MemoryRows(tuple(columns), partial(dict, columns))


def document_rows(documents: Documents, name: str) -> MemoryRows:
    """One row per expected document; `name` is what messages call the place."""
    files = tuple(dict.fromkeys(documents["expected"]))
    return MemoryRows(tuple(documents), partial(dict, documents), name, DOCUMENT, files=files)


def listed_rows(source: ByteSource, key: str | None, **more: Any) -> MemoryRows:
    """One row per document of a list. Its id is the value of `key` in it, or its place in the list, from 1."""
    noun = "id" if key else "place in the list"
    return MemoryRows(("id", "expected"), partial(_columns, source, key), source.name, noun, files=(source,), **more)


def _columns(source: ByteSource, key: str | None) -> dict[str, Sequence[Cell]]:
    items = list_in(source) or []
    return {"id": ids_of(items, key), "expected": items}


def paired_files(
    expected: ByteSource, output: ByteSource, pair_by: PairBy | None, key: str | None, where: str
) -> tuple[MemoryRows, MemoryRows]:
    """The rows of an expected file, and those of an output file, with ids that pair the two.

    Two lists have a row for each item, paired by a key of the items or by position. All else is one document per file. `key` is the
    key that the settings name, `where` is what messages call the expected file.
    """
    expected_items, output_items = list_in(expected), list_in(output)
    if expected_items is None or output_items is None or pair_by in ("path", "name"):
        document = one_document(expected)
        return document_rows(document, expected.name), document_rows({**document, "expected": [output]}, output.name)
    key = None if pair_by == "position" else common_key([expected_items, output_items], key)
    if key is not None and not all(any(ids_of(items, key)) for items in (expected_items, output_items)):
        hint = "`pair_by: position` pairs the documents by their places"
        raise problem("no-such-key", f'no document of a list has the key "{key}"', where=where, hint=hint)
    how = "their places in the list" if key is None else f'the key "{key}"'
    note = f"{expected.name} and {output.name} are lists of documents, paired by {how}"
    return listed_rows(expected, key, notes=(note,)), listed_rows(output, key, where="item")


def list_in(source: ByteSource) -> list[Cell] | None:
    """The documents of a file that holds several; None for a file that is one document, or none that can be read.

    A line that is not JSON is a fault in its place.
    """
    data = whole_of(source)
    if source.suffix in LINES:
        return [_of_line(line, number) for number, line in enumerate(data.split(b"\n"), start=1) if line.strip()]
    try:
        value = parse(data)
    except NotJSON:
        return None
    return list(value) if isinstance(value, list) else None


def common_key(lists: Sequence[Sequence[Cell]], named: str | None = None) -> str | None:
    """The key that names the documents in every list: the one that is asked for, or one with a usual name.

    A usual name is taken when every document has it, and no two documents of a list have the same.
    """
    if named is not None:
        return named
    first = next((item for items in lists for item in items if isinstance(item, dict)), {})
    usual = [key for key in first if is_usual(key, "id")]
    return next((key for key in usual if all(_names_each(key, items) for items in lists)), None)


def are_rows(items: Sequence[Cell], role: Role) -> bool:
    """Whether the items are rows with a column for the role, as in `{"id": …, "expected": …}`, and no documents."""
    own, ids = set(USUAL_NAMES[role]), set(USUAL_NAMES["id"])
    known = {*own, *ids, *USUAL_NAMES["input"]}.difference(USUAL_NAMES["output" if role == "expected" else "expected"])
    keys = [{folded(key) for key in item} for item in items if isinstance(item, dict)]
    return len(keys) == len(items) > 0 and all(one & own and one & ids and one <= known for one in keys)


def ids_of(items: Sequence[Cell], key: str | None) -> list[str]:
    """The id of each document."""
    if key is None:
        return [str(index) for index in range(1, len(items) + 1)]
    return [id_text(item.get(key)) if isinstance(item, dict) else "" for item in items]


def _names_each(key: str, items: Sequence[Cell]) -> bool:
    ids = ids_of(items, key)
    return "" not in ids and len(set(ids)) == len(ids)


def _of_line(line: bytes, number: int) -> JSON | CellError:
    try:
        return parse(line.strip())
    except NotJSON as error:
        return CellError(Issue("unreadable-row", Blame.TESTSET, f"line {number:,} is not JSON: {error.message}"))


def _read(cell: Cell | ByteSource) -> Cell:
    return text_of(cell) if isinstance(cell, ByteSource) else cell


_PLAIN: Final = frozenset((str, int, float, bool, NoneType))
_PYTHON_ALONE: Final = (date, time, timedelta, Decimal, UUID, bytes)
"""What a model's fields may be in Python, and no JSON value is."""


def is_data_frame(rows: Any) -> bool:
    """Whether it is a data frame of pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(rows, pandas.DataFrame)


def refuse_python_values(name: str, document: object) -> None:
    """Raises Problems (config) where a document holds what JSON has no word for, such as a date of Python's."""
    waiting: list[tuple[str, object]] = [("$", document)]
    for place, value in waiting:
        if value.__class__ in _PLAIN:
            continue
        if isinstance(value, dict):
            waiting.extend((f"{place}.{key}", inner) for key, inner in value.items() if inner.__class__ not in _PLAIN)
        elif isinstance(value, list):
            waiting.extend((f"{place}[{at}]", inner) for at, inner in enumerate(value) if inner.__class__ not in _PLAIN)
        elif isinstance(value, _PYTHON_ALONE):
            message = f"{name}, {place}: {type(value).__name__} is a type of Python's, and no JSON value"
            hint = 'dump a model with `model_dump(mode="json")`, and write other values as text'
            raise problem("not-json", message, hint=hint)


def row_bytes(row: Iterable[Cell]) -> bytes:
    """The cells of one row, so that different rows have different bytes."""
    return "\x1f".join(map(_spelled, row)).encode("utf-8", "backslashreplace")


def _spelled(cell: Cell) -> str:
    """A text, or JSON with a mark in front, so that the text `1` and the number 1 differ; what is no JSON by its fault."""
    if isinstance(cell, CellError | Missing):
        return "\x1d\x18" + (cell.issue.message if isinstance(cell, CellError) else "")
    return cell if isinstance(cell, str) else f"\x1d{to_text(cell)}"


class FetchedRows(Struct, frozen=True):
    """Rows in a file that is there until the program ends."""

    name: str
    """What messages call them."""
    file: str
    header: tuple[str, ...] | None = None
    """The columns, where the file itself may not show them all."""
    roles: Mapping[Role, str] = field(default_factory=dict)
    """The columns whose role is known."""
    notes: tuple[str, ...] = ()
    unrepeatable: str | None = None
    """Why the same rows may come in another order when they are fetched anew; None where they do not."""
    index: Any = None
    """The index of the data frame that the rows were given as."""


def lines_file(rows: Iterable[Mapping[str, Any]]) -> str:
    """The rows as JSON lines, in a file that is there until the program ends."""
    with temporary_file() as file:
        file.writelines(compact(dict(row)) + b"\n" for row in rows)
    return file.name
