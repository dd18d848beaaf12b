"""A table made from another one: with a column under another name, with a column from elsewhere, or with some of its rows.

What is joined is held in memory, as a map from id to cell, while rows are read; documents are read one by one. A table that is
joined is one split.

Columns that hold the text of a file that is found from the row's own cells, such as the schema of its folder.

`attach: {schema: "dataset/{folder}/*-schema.json"}`: a name in braces stands for the row's cell in that column, and wildcards
find the one file. Which file each row has is settled when the test set is opened; a row without one has a fault there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from glob import escape
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.model.issues import Blame, CellError, Issue, Problems, problem
from evaluators.model.registry import nearest
from evaluators.model.rows import MISSING
from evaluators.scoring.needs import Cell
from evaluators.scoring.values.file_names import clip_name as beginning
from evaluators.testsets.byte_source import ByteSource
from evaluators.testsets.byte_store import kind_at, matching, near_file, parent, resolve_place, scheme_of
from evaluators.testsets.columns import no_such_column
from evaluators.testsets.documents import source_of, text_of
from evaluators.testsets.memory_rows import DOCUMENT, MemoryRows
from evaluators.testsets.naming_key import plain_id
from evaluators.testsets.reader import Chunk, Reader, Split, Table, all_chunks, id_text, rows_of
from evaluators.testsets.run_files import without_runs

_SHOWN: Final = 5
_MOST_NEAR: Final = 1_000
"""Names among which a near one is looked for; among more it takes too long."""
_ABSENT: Final = ("no-output-for-row", "no-expected-for-row")

ReadRows: TypeAlias = Callable[[Table, Split, Sequence[str]], Iterator[Chunk]]


class Derived(Struct, frozen=True):
    """A table made from `base`. `rows` reads a piece of the base and gives its rows as they are here."""

    base: Table
    rows: ReadRows
    header: tuple[str, ...]
    notes: tuple[str, ...]
    files: tuple[ByteSource, ...]
    origins: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """For each column that the base has not: what it shares with a column of the same cells (`origin`)."""
    joined: str | None = None
    """The column whose cells another file may lack."""
    where: tuple[tuple[str, str], ...] = ()
    """Columns, and the text that a row has there."""
    one_piece: bool = False
    reads: tuple[str, ...] = ()
    """The columns of the base that one of its own is made of."""

    @property
    def first_number(self) -> int:
        """The number of the first row."""
        return self.base.first_number

    def splits(self) -> list[Split]:
        """The pieces of the base, or one for all of it where `one_piece` is set."""
        splits = self.base.splits()
        return [Split(split.file, 0) for split in splits[:1]] if self.one_piece else splits

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows of one split, chunk by chunk, with these columns: what `rows` makes of those of the base."""
        return self.rows(self.base, split, columns)


def layers(table: Table) -> Iterator[Table]:
    """The table and the tables it was made from, down to the one that is read from a file."""
    while isinstance(table, Derived):
        yield table
        table = table.base
    yield table


def first_table(table: Table) -> Table:
    """The table that all the others were made from, which is read from a file or held in memory."""
    *_, first = layers(table)
    return first


def knows(table: Table, column: str) -> bool:
    """Whether some row of a table has the column. Where its header may not show all columns, its rows are looked at, too."""
    return any(column in layer.header or (isinstance(layer, Reader) and layer.knows(column)) for layer in layers(table))


def columns_read(table: Table) -> set[str]:
    """The columns of which other columns of the table are made."""
    return {column for layer in layers(table) if isinstance(layer, Derived) for column in layer.reads}


def is_joined(table: Table, column: str) -> bool:
    """Whether the cells of a column come from another file, which may lack some of them."""
    return any(isinstance(layer, Derived) and layer.joined == column for layer in layers(table))


def is_absent(cell: Cell) -> bool:
    """Whether a joined cell says that the other file has nothing for its row."""
    return cell is MISSING or (isinstance(cell, CellError) and cell.issue.code in _ABSENT)


def origin(table: Table, column: str) -> tuple[Any, ...]:
    """A key that two columns share exactly when their cells are the same: the files that they are read from, and the column there."""
    for layer in layers(table):
        if isinstance(layer, Derived) and column in layer.origins:
            return layer.origins[column]
    first = first_table(table)
    if column == "expected" and first.files and not isinstance(first, Reader):
        return "documents", tuple(source.path for source in first.files)
    return "column", tuple((source.path, source.sheet) for source in first.files), column


def with_column(header: Sequence[str], column: str) -> tuple[str, ...]:
    """The names of the columns with one more, which takes the place of a column of that name and stands last."""
    return (*(name for name in header if name != column), column)


def with_alias(base: Table, source: str, column: str) -> Derived:
    """The table in which `column` holds what stands in the column `source`; it takes the place of a column of that name."""
    note = f'{column} is the column "{source}"'
    origins = {column: origin(base, source)}
    rows = partial(_aliased_rows, source, column)
    header = with_column(base.header, column)
    return Derived(base, rows, header, (*base.notes, note), base.files, origins, reads=(source,))


def _aliased_rows(source: str, column: str, base: Table, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
    """The chunks of a table, with the cells of the column `source` as those of `column`."""
    names = {name: source if name == column else name for name in columns}
    for chunk in base.read(split, list(dict.fromkeys(names.values()))):
        yield replace(chunk, columns={name: chunk.columns[own] for name, own in names.items()})


class JoinedCells(Struct, frozen=True):
    """Cells by the id of a row, from another table."""

    table: Table
    key: str
    """The column with the ids."""
    column: str
    name: str
    """What messages call the table."""
    bare: bool = False
    """Ids are compared as plain ids: `a.pdf` and `A.json` are one, and so are `0012` and `12`."""

    def id_of(self, cell: Cell) -> str:
        """The id in a cell, on either side, as the two are compared."""
        return plain_id(id_text(cell)) if self.bare else id_text(cell)

    @property
    def noun(self) -> str:
        """What messages call one of the things that are paired: "id", "document" or the like."""
        return self.table.noun if isinstance(self.table, MemoryRows) else "id"

    def pairing_words(self, key: str) -> str:
        """The words for what pairs the cells with rows: the column of ids, which is `key` in the rows, or the place in a list."""
        own = self.table.key if isinstance(self.table, MemoryRows) else None
        return f'"{own or key}"' if self.noun in ("id", DOCUMENT) else f"the {self.noun}"

    def occurrences(self) -> dict[str, list[str]]:
        """The places of each id, in words: all rows or files that have it."""
        ids: dict[str, list[str]] = {}
        for id, where, _ in self._items():
            ids.setdefault(id, []).append(where)
        ids.pop("", None)
        return ids

    def cells(self) -> dict[str, Cell | ByteSource]:
        """The cells by id, in memory, and documents unread. An id that occurs twice has no cell but a fault."""
        cells: dict[str, Cell | ByteSource] = {}
        for id, _, cell in self._items():
            cells[id] = same_id_fault(id, self.name) if id in cells else cell
        cells.pop("", None)
        return cells

    def _items(self) -> Iterator[tuple[str, str, Cell | ByteSource]]:
        """Each id, the place where it occurs in words, such as `row 3`, and its cell, or the file that holds it."""
        table = self.table
        if isinstance(table, MemoryRows):
            columns = table.columns()
            for number, (id, cell) in enumerate(zip(columns[self.key], columns[self.column], strict=True), 1):
                where = f"file {cell.name}" if isinstance(cell, ByteSource) else f"{table.where} {number:,}"
                yield self.id_of(str(id)), where, cell
            return
        for number, (key, cell) in rows_of(table, (self.key, self.column)):
            yield self.id_of(key), f"row {number:,}", cell


def with_joined_column(
    base: Table, key: str, lookup: JoinedCells, column: Literal["output", "expected"], absent: Cell
) -> tuple[Derived, list[Issue], list[Issue]]:
    """(table, issues, warnings): the table with one more column of cells from `lookup`, found by the ids in the column `key`; it takes the
    place of a column of that name, and `absent` is the cell of a row whose id has none.

    The issues keep rows from being measured; the warnings do not: outputs that no row asks for, and rows whose missing output counts 0.
    """
    table = Derived(
        base, partial(_joined_rows, key, lookup, column, absent), with_column(base.header, column),
        (*base.notes, f"{column} comes from {lookup.name}, by {lookup.pairing_words(key)}"), (*base.files, *lookup.table.files),
        {column: origin(lookup.table, lookup.column)}, joined=column, one_piece=True,
    )  # fmt: skip
    return table, *_issues_of_ids(base, key, lookup, column, absent)


def _joined_rows(
    key: str, lookup: JoinedCells, column: str, absent: Cell, base: Table, split: Split, columns: Sequence[str]
) -> Iterator[Chunk]:
    """The chunks of all rows of the table `base`, with a `column` of cells that `lookup` has by the ids in the column `key`, and `absent`
    for an id that it lacks; in an unreadable row that cell is a fault, too. Where `column` is not asked for, nothing is joined."""
    own = [name for name in columns if name != column]
    if column not in columns:
        yield from all_chunks(base, own)
        return
    by_id = lookup.cells()
    for chunk in all_chunks(base, [*own, key]):
        joined_cells = (by_id.get(lookup.id_of(id), absent) for id in chunk.columns[key])
        cells: list[Cell] = [text_of(cell) if isinstance(cell, ByteSource) else cell for cell in joined_cells]
        for position, issue in chunk.faults:
            cells[position] = CellError(issue)
        yield replace(chunk, columns={**{name: chunk.columns[name] for name in own}, column: cells})


def _issues_of_ids(
    base: Table, key: str, lookup: JoinedCells, column: str, absent: Cell
) -> tuple[list[Issue], list[Issue]]:
    """(issues, warnings) about ids that occur twice, and about ids that only one side has, with their places and the nearest of the other
    side. Ids without a row are warnings for outputs, and so are rows without a cell where `absent` is no fault."""
    first, other = first_table(base), lookup.name
    if isinstance(first, MemoryRows):
        name = first.name
    else:
        name = first.source.name if isinstance(first, Reader) else first.files[0].name
    if isinstance(first, MemoryRows) and first.noun == DOCUMENT:
        noun, own = lookup.noun, JoinedCells(first, "id", "expected", name, lookup.bare)  # whose ids occur in files
    else:
        noun, own = "id" if lookup.noun == DOCUMENT else lookup.noun, JoinedCells(base, key, key, name, lookup.bare)
    here, there = own.occurrences(), lookup.occurrences()
    alone = {id: where for id, where in here.items() if id not in there}
    spare = {id: where for id, where in there.items() if id not in here}
    issues = [*_issues_of_same_ids(name, noun, here, "expected"), *_issues_of_same_ids(other, noun, there, column)]
    warnings: list[Issue] = []
    surplus = _issue_of_ids("unmatched-id", other, noun, ("is", "are"), f"not in {name}", spare, alone)
    (warnings if column == "output" else issues).extend(surplus)
    unanswered = _issue_of_ids(f"no-{column}-for-row", name, noun, ("is", "are"), f"not in {other}", alone, spare)
    (issues if isinstance(absent, CellError) else warnings).extend(unanswered)
    return issues, warnings


def _issues_of_same_ids(name: str, noun: str, places: dict[str, list[str]], role: str) -> list[Issue]:
    """One problem for all ids that occur twice, in a list; an empty list where none does. `places` has where each id occurs, `noun` is what
    messages call an id. Where files of several kinds in a folder have the same id, the hint names those of one kind for the `role`."""
    several = {id: where for id, where in places.items() if len(where) > 1}
    issues = _issue_of_ids("same-id", name, noun, ("occurs", "occur"), "more than once", several)
    kinds = {id: {PurePath(file).suffix for file in where} for id, where in several.items()}
    if "*" in name or not any(len(suffixes) > 1 for suffixes in kinds.values()):
        return issues
    kind = Counter(PurePath(file).suffix for where in places.values() for file in where).most_common(1)[0][0]
    pattern = f"{name.rstrip('/')}/{'**/' if any('/' in id for id in places) else ''}*{kind}"
    return [replace(issue, hint=f"name one kind of file: {role}: {pattern}") for issue in issues]


def _issue_of_ids(
    code: str,
    name: str,
    noun: str,
    verb: tuple[str, str],
    claim: str,
    places: dict[str, list[str]],
    others: dict[str, list[str]] | None = None,
) -> list[Issue]:
    """One problem for all ids in `places`, in a list; an empty list where there are none. `verb` (for one and for several) and `claim` say
    what is wrong with them; the hint names those of the `others` that are like the first ones."""
    if not places:
        return []
    shown = [f'"{beginning(id)}" ({" and ".join(where[:_SHOWN])})' for id, where in islice(places.items(), _SHOWN)]
    more = f" and {len(places) - _SHOWN:,} more" if len(places) > _SHOWN else ""
    several = noun.replace("place in", "places in") if noun.startswith("place") else f"{noun}s"
    ids = f"1 {noun} that {verb[0]}" if len(places) == 1 else f"{len(places):,} {several} that {verb[1]}"
    message = f"{ids} {claim}: {', '.join(shown)}{more}"
    return [Issue(code, Blame.TESTSET, message, name, _hint_of_near_ids(list(islice(places, _SHOWN)), others or {}))]


def _hint_of_near_ids(ids: Sequence[str], others: dict[str, list[str]]) -> str | None:
    """The ids of the other side that are like these, in words; None where none is, and where there are more than `_MOST_NEAR` others. Ids
    of the same file in another folder go before those that are merely spelt alike; ids that are numbers are like no others."""
    if len(others) > _MOST_NEAR:
        return None
    by_file = {other.rpartition("/")[2]: other for other in others if "/" in other or any("/" in id for id in ids)}
    same_file = [(id, by_file[file]) for id in ids if (file := id.rpartition("/")[2]) in by_file]
    pairs = same_file or [(id, near) for id in ids if not id.isdigit() and (near := nearest(id, others)) is not None]
    if not pairs:
        return None
    examples = ", ".join(f'"{near}" for "{id}"' for id, near in pairs)
    return f"near: {examples}" + ("; `pair_by: name` sets folders aside" if same_file else "")


def same_id_fault(id: str, name: str) -> CellError:
    """The fault that takes the place of a cell whose id occurs more than once in the table `name`."""
    return CellError(Issue("same-id", Blame.TESTSET, f'the id "{id}" occurs more than once in {name}'))


COLUMN_IN_BRACES: Final = re.compile(r"\{([^{}]+)\}")
_PATHS_SHOWN: Final = 3


def with_attached_files(base: Table, places: Mapping[str, str], folder: Path, name: str) -> Table:
    """The table with the columns of `attach`, which hold the texts of files. `places` are the patterns of the files by column, relative to
    `folder`. The files are found here, and read with the rows; `name` is what messages call the table.

    Raises Problems for a column that is there already, or that a place names and the table lacks.
    """
    if not places:
        return base
    taken = [column for column in places if column in base.header]
    if taken:
        hint = "give the attached column another name"
        raise problem("same-column-name", f'there is a column "{taken[0]}" already', where=name, hint=hint)
    named = [column for place in places.values() for column in COLUMN_IN_BRACES.findall(place)]
    unknown = [no_such_column(column, base.header, name) for column in named if column not in base.header]
    if unknown:
        raise Problems(unknown)
    sources: dict[str, ByteSource | CellError] = {}
    for chunk in all_chunks(base, named):
        for column, place in places.items():
            for pattern in _patterns(place, chunk):
                if isinstance(pattern, str) and pattern not in sources:
                    sources[pattern] = _source_of_pattern(pattern, column, folder)
    files = (source for source in sources.values() if isinstance(source, ByteSource))
    return Derived(
        base, partial(_attached_rows, dict(places), sources), (*base.header, *places),
        (*base.notes, *(f'"{column}" is the file {place}' for column, place in places.items())),
        tuple(dict.fromkeys((*base.files, *files))), {column: ("attached", place) for column, place in places.items()},
    )  # fmt: skip


def _attached_rows(
    places: Mapping[str, str],
    files: Mapping[str, ByteSource | CellError],
    base: Table,
    split: Split,
    columns: Sequence[str],
) -> Iterator[Chunk]:
    """The rows of one piece, with the texts of their files, which `files` has by pattern; a text is kept, so that each file is read
    once."""
    wanted = {column: place for column, place in places.items() if column in columns}
    own = [name for name in columns if name not in places]
    named = [name for place in wanted.values() for name in COLUMN_IN_BRACES.findall(place)]
    text = cache(text_of)
    for chunk in base.read(split, list(dict.fromkeys([*own, *named]))):
        cells: dict[str, Sequence[Cell]] = {name: chunk.columns[name] for name in own}
        for column, place in wanted.items():
            patterns = _patterns(place, chunk)
            sources = (pattern if isinstance(pattern, CellError) else files[pattern] for pattern in patterns)
            cells[column] = [source if isinstance(source, CellError) else text(source) for source in sources]
        yield replace(chunk, columns=cells)


def _patterns(path: str, chunk: Chunk) -> list[str | CellError]:
    """The pattern of the file of each row of a chunk: the place with the row's cells in its braces, where wildcards are escaped. A fault
    for a row whose cells make none."""
    names = COLUMN_IN_BRACES.findall(path)
    return [_pattern_of_row(path, {name: chunk.columns[name][index] for name in names}) for index in range(chunk.count)]


def as_pattern(place: str) -> str:
    """The pattern of the files that rows may have at a place: `*` for each name in braces."""
    return COLUMN_IN_BRACES.sub("*", place)


def _pattern_of_row(path: str, cells: Mapping[str, Cell]) -> str | CellError:
    """The place `path` with the cells of a row in its braces, their wildcards escaped; a fault for an empty cell, for one that cannot be
    read, and for one that leads out of the folder."""
    for name, cell in cells.items():
        if isinstance(cell, CellError):
            return cell
        if cell is MISSING or cell is None:
            return CellError(Issue("empty-cell", Blame.TESTSET, f'the cell "{name}" is empty, and a file is named by it'))
        text = PurePath(id_text(cell))
        if text.is_absolute() or ".." in text.parts:
            message = f'the cell "{name}" leads out of the folder of the test set: "{text}"'
            return CellError(Issue("leads-out", Blame.TESTSET, message))
    filled = COLUMN_IN_BRACES.sub(lambda match: escape(id_text(cells[match[1]])), path)
    if scheme_of(filled) != scheme_of(path):
        message = f'the cells lead out of the folder of the test set: "{filled}"'
        return CellError(Issue("leads-out", Blame.TESTSET, message))
    return filled


def _source_of_pattern(pattern: str, column: str, folder: Path) -> ByteSource | CellError:
    """The one file that fits a pattern, files of runs aside; a fault where there is none, or where there are several. `column` is the one
    that the file is for, which messages name."""
    fitting = without_runs(pattern, folder, matching(pattern, folder))
    paths = sorted(path for path in fitting if kind_at(folder, path) == "file")
    if len(paths) == 1:
        return source_of(paths[0], folder)
    plain_pattern = re.sub(r"\[([*?\[])\]", r"\1", pattern)
    if paths:
        shown = ", ".join(f'"{path}"' for path in paths[:_PATHS_SHOWN]) + (", …" if len(paths) > _PATHS_SHOWN else "")
        message = f'{len(paths)} files could be the "{column}" of this row, as {plain_pattern}: {shown}'
        return CellError(Issue("several-files", Blame.TESTSET, message, hint="write more of the name"))
    near = near_file(resolve_place(folder, plain_pattern), plain_pattern)
    hint = f'did you mean "{near}"?' if near else f'looked in "{parent(resolve_place(folder, plain_pattern))}"'
    message = f'there is no file {plain_pattern} for the "{column}" of this row'
    return CellError(Issue("no-such-file", Blame.TESTSET, message, hint=hint))
