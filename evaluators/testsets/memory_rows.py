"""Rows that a program holds in its hands, read like the rows of a file: columns, documents, and documents that stand in one file.

A list of documents, as JSON or as JSON lines, is held in memory.
"""

from __future__ import annotations

import codecs
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from functools import partial
from types import NoneType
from typing import Any, ClassVar, Final
from uuid import UUID

from msgspec import Struct

from evaluators.model.issues import Blame, CellError, Issue, problem
from evaluators.model.rows import JSON, MISSING, Missing
from evaluators.scoring.needs import Cell, Role
from evaluators.scoring.values.json_text import NotJSON, parse, to_text
from evaluators.scoring.values.quoting import key_text
from evaluators.testsets.byte_source import ByteSource, whole_of
from evaluators.testsets.columns import USUAL_NAMES, folded_name, is_usual
from evaluators.testsets.documents import Documents, PairBy, holds_json_lines, one_document, text_of
from evaluators.testsets.naming_key import NamingKey, agree_somewhere, called_id, naming_keys
from evaluators.testsets.reader import MAX_CHUNK_ROWS, Chunk, Split, id_text

DOCUMENT: Final = "document"
LINES: Final = (".jsonl", ".ndjson")
_HEAD_BYTES: Final = 1024
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
    key: str | None = None
    """The key of the documents whose values are the ids, where it is one."""
    where: str = "row"
    """What messages call the place of one row."""
    notes: tuple[str, ...] = ()
    files: tuple[ByteSource, ...] = ()

    first_number: ClassVar[int] = 1

    def splits(self) -> list[Split]:
        """One piece."""
        return [Split("given", 0)]

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """All rows in chunks with these columns: a thousand rows in one, or fewer documents, whose texts are read with their chunk."""
        columns_by_name = self.columns()
        count = len(next(iter(columns_by_name.values()), ()))
        step = _AT_ONCE if self.noun == DOCUMENT else MAX_CHUNK_ROWS
        for start in range(0, count, step):
            stop = min(start + step, count)
            nothing: list[Cell] = [MISSING] * (stop - start)
            cells = {name: columns_by_name[name][start:stop] if name in columns_by_name else nothing for name in columns}
            yield Chunk(range(start, stop), stop, {name: list(map(_cell_or_text, some)) for name, some in cells.items()})

    def fingerprint(self) -> str:
        """SHA-256 over the cells, as `sha256:…`."""
        digest = hashlib.sha256()
        for row in zip(*self.columns().values(), strict=True):
            digest.update(row_bytes(map(_cell_or_text, row)) + b"\x1e")
        return f"sha256:{digest.hexdigest()}"


def memory_rows(columns: Mapping[str, Sequence[Cell]]) -> MemoryRows:
    """The rows of columns that are in memory, which must be of one length."""
    return MemoryRows(tuple(columns), partial(dict, columns))


def document_rows(documents: Documents, name: str) -> MemoryRows:
    """The rows of documents in files of their own, one for each; `name` is what messages call the place."""
    files = tuple(dict.fromkeys(documents["expected"]))
    return MemoryRows(tuple(documents), partial(dict, documents), name, DOCUMENT, files=files)


def listed_rows(source: ByteSource, key: str | None, **more: Any) -> MemoryRows:
    """One row per document of a list in a file. Its id is the value of `key` in it, or its place in the list, from 1. `more` are further
    fields of `MemoryRows`."""
    noun = "id" if key else "place in the list"
    return MemoryRows(
        ("id", "expected"), partial(_columns_of_list, source, key), source.name, noun, key, files=(source,), **more
    )


def _columns_of_list(source: ByteSource, key: str | None) -> dict[str, Sequence[Cell]]:
    """The columns `id` and `expected` of a list of documents, which is read from its file here."""
    items = list_in(source) or []
    return {"id": ids_of(items, key), "expected": items}


def pair_files(
    expected: ByteSource, output: ByteSource, pair_by: PairBy | None, key: str | None, where: str
) -> tuple[MemoryRows, MemoryRows, tuple[Issue, ...]]:
    """(rows, outputs, warnings): the rows of an expected file, and those of an output file, with ids that pair the two.

    An object from ids to outputs is paired with a list by the key of its items that has most of these ids, unless `pair_by` is set. Two
    lists have a row for each item, paired by a key of the items or by position. All else is one document per file. `key` is the key that
    the settings name, `where` is what messages call the expected file.
    """
    expected_items, output_items = list_in(expected), list_in(output)
    keyed = None if expected_items is None or pair_by is not None else keyed_rows(output, "expected")
    if keyed is not None and expected_items is not None:
        ids = keyed.columns()["id"]
        naming = [key] if key is not None else list(expected_items[0]) if isinstance(expected_items[0], dict) else []
        best = max(
            naming, key=lambda name: len({*ids_of(expected_items, name)}.intersection(map(str, ids))), default=None
        )
        if best is not None and not {*ids_of(expected_items, best)}.isdisjoint(map(str, ids)):
            note = f'{output.name} is an object keyed by id, paired with the documents of {expected.name} by the key "{best}"'
            return listed_rows(expected, best, notes=(note,)), keyed, ()
    if expected_items is None or output_items is None or pair_by in ("path", "name"):
        document = one_document(expected)
        rows = document_rows(document, expected.name)
        return rows, document_rows({**document, "expected": [output]}, output.name), ()
    key = None if pair_by == "position" else key_of_documents([expected_items, output_items], key)
    for place, items in ((where, expected_items), (output.name, output_items)) if key is not None else ():
        if not any(ids_of(items, key)):
            keys = "`expected: {file: FILE, key: KEY, column: PATH}`, and `output` alike"
            hint = (
                f"{keys}, name a key and an answer of each file; `pair_by: position` pairs the documents by their places"
            )
            raise problem("no-such-key", f'no document of the list has the key "{key}"', where=place, hint=hint)
    warnings: tuple[Issue, ...] = ()
    other_key = key
    if key is None and pair_by is None:
        known = naming_keys(expected_items, output_items)
        called_ids = [naming_key for naming_key in known if naming_key.is_called_id]
        pairing = next((naming_key for naming_key in called_ids or known if naming_key.pairs_documents), None)
        key, other_key = (pairing.key, pairing.other_key) if pairing is not None else (None, None)
        if key is None:
            warnings = _warnings_of_places(known, expected_items, output_items, f"{expected.name} and {output.name}")
    how = "their places in the list" if key is None else f'the key "{key}"'
    how += f' and "{other_key}"' if other_key != key else ""
    note = f"{expected.name} and {output.name} are lists of documents, paired by {how}"
    return listed_rows(expected, key, notes=(note,)), listed_rows(output, other_key, where="item"), warnings


def _warnings_of_places(
    known: Sequence[NamingKey], expected: Sequence[Cell], output: Sequence[Cell], where: str
) -> tuple[Issue, ...]:
    """The warning that documents which are paired by their places may not belong together, at most one: because a key in `known` pairs them
    otherwise, or because none has anything in common with its partner. Lists of one document give none."""
    if min(len(expected), len(output)) < 2:
        return ()
    doubt = next((key for key in known if key.contradicts_places), None)
    if doubt is not None:
        by_key = (
            f"`columns: {{id: {key_text(doubt.key)}}}` pairs by it"
            if doubt.shared
            else "name the outputs of these documents"
        )
        hint = f"{by_key}; `pair_by: position` says that the places are right"
        return (warning_of_order(doubt, where, hint),)
    if not agree_somewhere(expected, output):
        message = f"{_BY_PLACE}, and none has anything in common with the one at its place"
        hint = "`columns: {id: KEY}` pairs by a key; `pair_by: position` says that the places are right"
        return (Issue("paired-by-place", Blame.TESTSET, message, where, hint),)
    return ()


def warning_of_order(doubt: NamingKey, where: str, hint: str) -> Issue:
    """The warning that documents are paired by their places, and that a key which names them says otherwise."""
    shared = f"{doubt.elsewhere:,} of {doubt.shared:,} shared values are at another place"
    what_is_shared = shared if doubt.shared else "no value is in both"
    message = f'{_BY_PLACE}, and "{doubt.key}", which is unlike in every one, says otherwise: {what_is_shared}'
    return Issue("paired-by-place", Blame.TESTSET, message, where, hint)


_BY_PLACE: Final = "the documents are paired by their places"


def list_in(source: ByteSource) -> list[Cell] | None:
    """The documents of a file that holds several; None for a file that is one document, or none that can be read.

    A line that is not JSON is a fault in its place.
    """
    data = whole_of(source)
    if source.suffix in LINES or holds_json_lines(source):
        return [_value_of_line(line, number) for number, line in enumerate(data.split(b"\n"), start=1) if line.strip()]
    try:
        value = parse(data)
    except NotJSON:
        return None
    return list(value) if isinstance(value, list) else None


def keyed_rows(source: ByteSource, column: str) -> MemoryRows | None:
    """A row for each key of a JSON file that is one object: the key is its id, the value its cell; None for every other file."""
    value = _object_in(source)
    if not value:
        return None
    cells: dict[str, Sequence[Cell]] = {"id": list(value), column: list(value.values())}
    return MemoryRows(("id", column), partial(dict, cells), source.name, where="item", files=(source,))


def holds_a_list(source: ByteSource) -> bool:
    """Whether a JSON file is one object that has a list of objects in it."""
    lists = (list_ for list_ in (_object_in(source) or {}).values() if isinstance(list_, list))
    return any(any(isinstance(row, dict) for row in list_) for list_ in lists)


def _object_in(source: ByteSource) -> dict[str, Any] | None:
    """The JSON object that a file holds; None where it holds none."""
    if not source.head(_HEAD_BYTES).removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
        return None
    try:
        value = parse(whole_of(source))
    except NotJSON:
        return None
    return value if isinstance(value, dict) else None


def key_of_documents(lists: Sequence[Sequence[Cell]], named: str | None = None) -> str | None:
    """The key that names the documents in every list: the one that is `named`, or one with a usual name; None where there is none.

    A usual name is taken when every document has it, and no two documents of a list have the same.
    """
    if named is not None:
        return named
    first = next((item for items in lists for item in items if isinstance(item, dict)), {})
    usual = [key for key in first if is_usual(key, "id")]
    return next((key for key in usual if all(_names_each(key, items) for items in lists)), None)


def are_rows(items: Sequence[Cell], role: Role) -> bool:
    """Whether the items are rows with a column for the role, as in `{"id": …, "expected": …}`, and no documents: each has a usual name for
    the role and one for ids, and beside these at most inputs."""
    own = set(USUAL_NAMES[role])
    ids = {
        *USUAL_NAMES["id"],
        *(folded_name(key) for item in items[:1] if isinstance(item, dict) for key in item if called_id(key)),
    }
    known = {*own, *ids, *USUAL_NAMES["input"]}.difference(USUAL_NAMES["output" if role == "expected" else "expected"])
    keys = [{folded_name(key) for key in item} for item in items if isinstance(item, dict)]
    return len(keys) == len(items) > 0 and all(key & own and key & ids and key <= known for key in keys)


def ids_of(items: Sequence[Cell], key: str | None) -> list[str]:
    """The id of each document: its value of `key` as text, empty where it has none; without a key its place, from 1."""
    if key is None:
        return [str(index) for index in range(1, len(items) + 1)]
    return [id_text(item.get(key)) if isinstance(item, dict) else "" for item in items]


def _names_each(key: str, items: Sequence[Cell]) -> bool:
    """Whether every document has the key, and no two the same value."""
    ids = ids_of(items, key)
    return "" not in ids and len(set(ids)) == len(ids)


def _value_of_line(line: bytes, number: int) -> JSON | CellError:
    """The JSON value of a line; a cell error for any other line."""
    try:
        return parse(line.strip())
    except NotJSON as error:
        return CellError(Issue("unreadable-row", Blame.TESTSET, f"line {number:,} is not JSON: {error.message}"))


def _cell_or_text(cell: Cell | ByteSource) -> Cell:
    """The cell itself, or the text of a document, which is read here."""
    return text_of(cell) if isinstance(cell, ByteSource) else cell


_PLAIN: Final = frozenset((str, int, float, bool, NoneType))
_PYTHON_ALONE: Final = (date, time, timedelta, Decimal, UUID, bytes)
"""What a model's fields may be in Python, and no JSON value is."""


def is_data_frame(rows: Any) -> bool:
    """Whether rows are a data frame of pandas, which is not imported for it."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(rows, pandas.DataFrame)


def refuse_python_values(name: str, document: object) -> None:
    """Raises Problems (config) where a document holds what JSON has no word for, such as a date of Python's. `name` is what the message
    calls the document."""
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
    """The cells of one row as bytes, for a fingerprint: different rows have different bytes."""
    return "\x1f".join(map(_cell_text, row)).encode("utf-8", "backslashreplace")


def _cell_text(cell: Cell) -> str:
    """A text as it is, any other cell as JSON with a mark in front, so that the text `1` and the number 1 differ; a fault as its message
    with another mark."""
    if isinstance(cell, CellError | Missing):
        return "\x1d\x18" + (cell.issue.message if isinstance(cell, CellError) else "")
    return cell if isinstance(cell, str) else f"\x1d{to_text(cell)}"
