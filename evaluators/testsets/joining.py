"""Rows put together from more than one place: a column of another file by id, documents by name.

The other file is held in memory, as a map from id to cell, while its rows are read; documents are read one by one. A
table that is put together is one split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from evaluators.issues import Blame, Fault, Issue, problem
from evaluators.model import MISSING
from evaluators.needs import Cell
from evaluators.testsets.reader import Chunk, Split, Table, whole
from evaluators.testsets.source import Source, reading
from evaluators.values.json_text import to_text

_SHOWN: Final = 5
_CHUNK_DOCUMENTS: Final = 50


Find: TypeAlias = Callable[[str, Cell], Cell]
"""Takes an id, and what to give when it does not occur."""


class Lookup(Protocol):
    """Cells by the id of a row."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def files(self) -> tuple[Source, ...]:
        """Every file that is read."""

    def places(self) -> dict[str, list[str]]:
        """Where each id occurs, in words."""

    def open(self) -> Find:
        """A function that finds the cell of an id."""


@dataclass(frozen=True, slots=True)
class OtherFile:
    """A column of another file of rows."""

    table: Table
    key: str
    column: str
    name: str

    @property
    def files(self) -> tuple[Source, ...]:
        """The file."""
        return self.table.files

    def places(self) -> dict[str, list[str]]:
        """The row numbers of each id."""
        return places(self.table, self.key)

    def open(self) -> Find:
        """The file's cells by id, in memory. An id that occurs twice has no cell but a fault."""
        cells: dict[str, Cell] = {}
        for split in self.table.splits():
            for chunk in self.table.read(split, [self.key, self.column]):
                for key, cell in zip(chunk.columns[self.key], chunk.columns[self.column], strict=True):
                    id = id_text(key)
                    cells[id] = _twice(id, self.name) if id in cells else cell
        cells.pop("", None)
        return cells.get


@dataclass(frozen=True, slots=True)
class DocumentsByName:
    """One document per row, called like the row's id."""

    documents: tuple[tuple[str, Source], ...]
    name: str

    @property
    def files(self) -> tuple[Source, ...]:
        """The documents."""
        return tuple(source for _, source in self.documents)

    def places(self) -> dict[str, list[str]]:
        """The file names of each id."""
        found: dict[str, list[str]] = {}
        for id, source in self.documents:
            found.setdefault(id, []).append(f"file {source.name}")
        return found

    def open(self) -> Find:
        """The documents' texts by id, read when asked for."""
        found = self.places()
        by_id = dict(self.documents)

        def text(id: str, absent: Cell) -> Cell:
            if id not in by_id:
                return absent
            return _twice(id, self.name) if len(found[id]) > 1 else text_of(by_id[id])

        return text


@dataclass(frozen=True, slots=True)
class JoinedTable:
    """A table with one more column, `column`, which takes the place of a column of that name."""

    base: Table
    key: str
    lookup: Lookup
    column: str
    absent: Cell

    @property
    def header(self) -> tuple[str, ...]:
        """The names of the columns."""
        return (*(name for name in self.base.header if name != self.column), self.column)

    @property
    def first_number(self) -> int:
        """The number of the first row."""
        return self.base.first_number

    @property
    def notes(self) -> tuple[str, ...]:
        """What was worked out."""
        return (*self.base.notes, f'{self.column} comes from {self.lookup.name}, by "{self.key}"')

    @property
    def files(self) -> tuple[Source, ...]:
        """Every file that is read."""
        return (*self.base.files, *self.lookup.files)

    def splits(self) -> list[Split]:
        """One piece."""
        return [Split(split.file, 0) for split in self.base.splits()[:1]]

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """Every row, with its joined cell; the cells of an unreadable row stay faults."""
        own = [name for name in columns if name != self.column]
        if self.column not in columns:
            yield from whole(self.base, own)
            return
        find = self.lookup.open()
        for chunk in whole(self.base, [*own, self.key]):
            cells = [find(id_text(key), self.absent) for key in chunk.columns[self.key]]
            for position, issue in chunk.faults:
                cells[position] = Fault(issue)
            kept = {name: chunk.columns[name] for name in own}
            yield Chunk(chunk.offsets, chunk.span, {**kept, self.column: cells}, chunk.faults)

    def issues(self) -> list[Issue]:
        """Ids that occur twice, and ids that only one side has, with their places."""
        here, there = places(self.base, self.key), self.lookup.places()
        name, other = _called(self.base), self.lookup.name
        found = [
            *_issue("same-id", name, ("occurs", "occur"), "more than once", _several(here)),
            *_issue("same-id", other, ("occurs", "occur"), "more than once", _several(there)),
            *_issue("unmatched-id", other, ("is", "are"), f"not in {name}", _only(there, here)),
        ]
        if isinstance(self.absent, Fault):
            found += _issue(self.absent.issue.code, name, ("is", "are"), f"not in {other}", _only(here, there))
        return found


@dataclass(frozen=True, slots=True)
class Documents:
    """One row per expected document; the row's id is the file's name without its ending."""

    rows: tuple[tuple[str, Source], ...]
    header: tuple[str, ...] = ("id", "expected")
    first_number: int = 1
    notes: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[Source, ...]:
        """The documents, each once."""
        return tuple(dict.fromkeys(source for _, source in self.rows))

    def splits(self) -> list[Split]:
        """One piece."""
        return [Split(str(Path(self.rows[0][1].path).parent), 0)] if self.rows else []

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The documents as rows, in the order of their names."""
        for start in range(0, len(self.rows), _CHUNK_DOCUMENTS):
            part = self.rows[start : start + _CHUNK_DOCUMENTS]
            end = start + len(part)
            yield Chunk(range(start, end), end, {name: self._cells(name, part) for name in columns})

    def _cells(self, column: str, part: Sequence[tuple[str, Source]]) -> list[Cell]:
        if column == "id":
            return [id for id, _ in part]
        return [text_of(source) if column == "expected" else MISSING for _, source in part]


def documents_in(folder: Path, name: str) -> tuple[tuple[str, Source], ...]:
    """The files of a folder by their names without the ending, in order. Hidden files are left out."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    if not files:
        raise problem("empty-folder", "there is no file in this folder", where=name)
    return tuple((path.stem, Source(str(path), str(Path(name) / path.name))) for path in files)


def text_of(source: Source) -> Cell:
    """The text of a document, or a fault when it is not UTF-8."""
    with reading(source), source.open() as stream:
        data = stream.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Fault(Issue("undecodable-text", Blame.TESTSET, f"the document {source.name} is not UTF-8 text"))


def _called(table: Table) -> str:
    """What people call a table: its file, or the folder of its documents."""
    while isinstance(table, JoinedTable):
        table = table.base
    if not table.files:
        return "the test set"
    first = table.files[0].name
    return f"{Path(first).parent}/" if isinstance(table, Documents) and len(table.files) > 1 else first


def id_text(cell: Cell) -> str:
    """The id that a cell holds, as text; empty when it holds none."""
    if isinstance(cell, str):
        return cell
    return "" if cell is None or cell is MISSING or isinstance(cell, Fault) else to_text(cell)


def places(table: Table, key: str) -> dict[str, list[str]]:
    """The row numbers of each id of a table, in words."""
    found: dict[str, list[str]] = {}
    for chunk in whole(table, [key]):
        for offset, cell in zip(chunk.offsets, chunk.columns[key], strict=True):
            if id := id_text(cell):
                found.setdefault(id, []).append(f"row {table.first_number + offset:,}")
    return found


def _several(found: dict[str, list[str]]) -> dict[str, list[str]]:
    return {id: where for id, where in found.items() if len(where) > 1}


def _only(these: dict[str, list[str]], others: dict[str, list[str]]) -> dict[str, list[str]]:
    return {id: where for id, where in these.items() if id not in others}


def _issue(code: str, name: str, verb: tuple[str, str], claim: str, found: dict[str, list[str]]) -> list[Issue]:
    if not found:
        return []
    shown = [f'"{id}" ({" and ".join(where[:_SHOWN])})' for id, where in list(found.items())[:_SHOWN]]
    more = f" and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
    ids = f"1 id that {verb[0]}" if len(found) == 1 else f"{len(found):,} ids that {verb[1]}"
    return [Issue(code, Blame.TESTSET, f"{ids} {claim}: {', '.join(shown)}{more}", name)]


def _twice(id: str, name: str) -> Fault:
    return Fault(Issue("same-id", Blame.TESTSET, f'the id "{id}" occurs more than once in {name}'))
