"""Rows put together from more than one place: a column of another file by id, documents by name.

The other file is held in memory, as a map from id to cell, while its rows are read; documents are read one by one. A
table that is put together is one split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, Protocol, TypeAlias

from evaluators.issues import Blame, Fault, Issue
from evaluators.model import MISSING
from evaluators.needs import Cell
from evaluators.registry import nearest
from evaluators.testsets.byte_source import ByteSource
from evaluators.testsets.documents import DocumentFile, DocumentRows, text_of
from evaluators.testsets.reader import Chunk, Reader, Split, Table, first_table, layers, whole, with_column
from evaluators.value_class import dataclass
from evaluators.values.file_names import shown as beginning
from evaluators.values.json_text import to_text

_SHOWN: Final = 5
_MOST_NEAR: Final = 1_000
"""Names among which a near one is looked for; among more it takes too long."""


Find: TypeAlias = Callable[[str, Cell], Cell]
"""Takes an id, and what to give when it does not occur."""


class CellsById(Protocol):
    """Cells by the id of a row."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def noun(self) -> str:
        """What messages call one of the things that are paired."""

    @property
    def files(self) -> tuple[ByteSource, ...]:
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
    noun: str = "id"

    @property
    def files(self) -> tuple[ByteSource, ...]:
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
                    cells[id] = twice(id, self.name) if id in cells else cell
        cells.pop("", None)
        return cells.get


@dataclass(frozen=True, slots=True)
class DocumentsByName:
    """One document per row, called like the row's id."""

    documents: tuple[DocumentFile, ...]
    name: str
    noun: str = "document"

    @property
    def files(self) -> tuple[ByteSource, ...]:
        """The documents."""
        return tuple(document.source for document in self.documents)

    def places(self) -> dict[str, list[str]]:
        """The file names of each id."""
        found: dict[str, list[str]] = {}
        for document in self.documents:
            found.setdefault(document.id, []).append(f"file {document.source.name}")
        return found

    def open(self) -> Find:
        """The documents' texts by id, read when asked for."""
        found = self.places()
        by_id = {document.id: document.source for document in self.documents}

        def text(id: str, absent: Cell) -> Cell:
            if id not in by_id:
                return absent
            return twice(id, self.name) if len(found[id]) > 1 else text_of(by_id[id])

        return text


@dataclass(frozen=True, slots=True)
class Unmatched:
    """What does not fit together in two places."""

    issues: tuple[Issue, ...] = ()
    """What keeps rows from being measured."""
    warnings: tuple[Issue, ...] = ()
    """What only has to be said: outputs that no row asks for, and rows whose missing output counts 0."""

    def and_also(self, other: Unmatched) -> Unmatched:
        """This and the other."""
        return Unmatched((*self.issues, *other.issues), (*self.warnings, *other.warnings))


ALL_MATCHED: Final = Unmatched()


@dataclass(frozen=True, slots=True)
class JoinedTable:
    """A table with one more column, `column`, which takes the place of a column of that name."""

    base: Table
    key: str
    lookup: CellsById
    column: str
    absent: Cell

    @property
    def header(self) -> tuple[str, ...]:
        """The names of the columns."""
        return with_column(self.base.header, self.column)

    @property
    def first_number(self) -> int:
        """The number of the first row."""
        return self.base.first_number

    @property
    def notes(self) -> tuple[str, ...]:
        """What was worked out."""
        return (*self.base.notes, f'{self.column} comes from {self.lookup.name}, by "{self.key}"')

    @property
    def files(self) -> tuple[ByteSource, ...]:
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
            yield Chunk(chunk.offsets, chunk.span, {**kept, self.column: cells}, chunk.faults, file=chunk.file)

    def unmatched(self) -> Unmatched:
        """Ids that occur twice, and ids that only one side has, with their places and the nearest of the other side."""
        here, there = _places_of(self.base, self.key), self.lookup.places()
        name, other, noun = _called(self.base), self.lookup.name, self._noun
        alone, spare = _only(here, there), _only(there, here)
        issues = [
            *_issue("same-id", name, noun, ("occurs", "occur"), "more than once", _several(here)),
            *_issue("same-id", other, noun, ("occurs", "occur"), "more than once", _several(there)),
        ]
        warnings: list[Issue] = []
        surplus = _issue("unmatched-id", other, noun, ("is", "are"), f"not in {name}", spare, alone)
        (warnings if self.column == "output" else issues).extend(surplus)
        lacking = f"no-{self.column}-for-row"
        unanswered = _issue(lacking, name, noun, ("is", "are"), f"not in {other}", alone, spare)
        (issues if isinstance(self.absent, Fault) else warnings).extend(unanswered)
        return Unmatched(tuple(issues), tuple(warnings))

    @property
    def _noun(self) -> str:
        base = first_table(self.base)
        return self.lookup.noun if isinstance(base, DocumentRows) or self.lookup.noun != "document" else "id"


def joined_column(table: Table, column: str) -> bool:
    """Whether the cells of a column come from another file, which may lack some of them."""
    return any(isinstance(layer, JoinedTable) and layer.column == column for layer in layers(table))


def is_absent(cell: Cell) -> bool:
    """Whether a joined cell says that the other file has nothing for its row."""
    return cell is MISSING or (isinstance(cell, Fault) and cell.issue.code in _ABSENT)


_ABSENT: Final = ("no-output-for-row", "no-expected-for-row")


def _called(table: Table) -> str:
    """What people call a table: its file, or the folder of its documents."""
    table = first_table(table)
    if isinstance(table, Reader):
        return table.source.name
    if not table.files:
        return "the test set"
    return table.name if isinstance(table, DocumentRows) else table.files[0].name


def id_text(cell: Cell) -> str:
    """The id that a cell holds, as text; empty when it holds none."""
    if isinstance(cell, str):
        return cell
    return "" if cell is None or cell is MISSING or isinstance(cell, Fault) else to_text(cell)


def _places_of(table: Table, key: str) -> dict[str, list[str]]:
    """Where each id of a table stands: the number of its row, or its file."""
    first = first_table(table)
    if isinstance(first, DocumentRows):
        return DocumentsByName(first.rows, first.name).places()
    return places(table, key)


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


def _issue(
    code: str,
    name: str,
    noun: str,
    verb: tuple[str, str],
    claim: str,
    found: dict[str, list[str]],
    others: dict[str, list[str]] | None = None,
) -> list[Issue]:
    """One problem for all ids that have it; with `others`, the hint names those that are like the first ones."""
    if not found:
        return []
    shown = [f'"{beginning(id)}" ({" and ".join(where[:_SHOWN])})' for id, where in islice(found.items(), _SHOWN)]
    more = f" and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
    several = noun.replace("place in", "places in") if noun.startswith("place") else f"{noun}s"
    ids = f"1 {noun} that {verb[0]}" if len(found) == 1 else f"{len(found):,} {several} that {verb[1]}"
    message = f"{ids} {claim}: {', '.join(shown)}{more}"
    return [Issue(code, Blame.TESTSET, message, name, _near(list(islice(found, _SHOWN)), others or {}))]


def _near(ids: Sequence[str], others: dict[str, list[str]]) -> str | None:
    """The ids of the other side that are like these, in words. Ids that are numbers are like nothing."""
    if len(others) > _MOST_NEAR:
        return None
    by_file = {other.rpartition("/")[2]: other for other in others if "/" in other or any("/" in id for id in ids)}
    same_file = [(id, by_file[file]) for id in ids if (file := id.rpartition("/")[2]) in by_file]
    pairs = same_file or [(id, near) for id in ids if not id.isdigit() and (near := nearest(id, others)) is not None]
    if not pairs:
        return None
    said = ", ".join(f'"{near}" for "{id}"' for id, near in pairs)
    return f"near: {said}" + ("; `pair_by: name` sets folders aside" if same_file else "")


def twice(id: str, name: str) -> Fault:
    """The cell of an id that does not say which row is meant."""
    return Fault(Issue("same-id", Blame.TESTSET, f'the id "{id}" occurs more than once in {name}'))
