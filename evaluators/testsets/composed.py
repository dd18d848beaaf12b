"""Columns that are made of others: what a path leads to inside a column, and a document that has a column for each of its fields.

`columns: {output: output.choices[0].message.content}` is a path: its first key is a column, and JSON text on the way is opened. A
column of that literal name comes first. `columns: {id: "{doc}/{page}"}` is a text: each name in braces stands for the row's cell there.

`expected: {columns: {vendor: vendor, total: total_gold}}` makes a document of cells. They stay what they are, so that the text of a
CSV file reaches the comparator of its field, which reads it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Blame, CellError, Issue, Problems
from evaluators.model.rows import JSON, MISSING
from evaluators.scoring.needs import NO_OUTPUT, ROLES, Cell, EmptyExpected
from evaluators.scoring.values.json_text import NotJSON, parse
from evaluators.scoring.values.paths import BadPath, Path, nearest_path
from evaluators.scoring.values.paths import parse as parse_path
from evaluators.scoring.values.quoting import first_texts, quote
from evaluators.testsets.columns import no_such_column
from evaluators.testsets.derived import COLUMN_IN_BRACES, Derived, knows, origin, with_column
from evaluators.testsets.memory_rows import memory_rows
from evaluators.testsets.reader import Chunk, Split, Table, id_text, rows_of
from evaluators.testsets.test_set_config import AllBut, Joined, TestSetConfig, field_keys

Keys: TypeAlias = tuple[str, ...]
_NEAR_ROWS: Final = 100
"""Rows that are looked at for what a path may have meant."""
_SHOWN: Final = 5


# A path inside a column


def with_paths(base: Table, names: Iterable[str], name: str) -> Table:
    """The table with a column for each of the `names` that is a path into one of its columns, or a text with columns in braces. Names of
    columns that it knows, and any others, add nothing; `name` is what messages call the table.

    Raises Problems for a path that leads nowhere in any row, and for a column that is not there.
    """
    table = base
    issues: list[Issue] = []
    for column in dict.fromkeys(names):
        if knows(table, column):
            continue
        into, reads = _path_into(base, column), columns_in_braces(column)
        if into is not None:
            reads = [into[0]]
            issues += filter(None, [_issue_of_dead_path(base, *into, column, name)])
        if not reads:
            continue
        issues += [no_such_column(read, base.header, name) for read in reads if not knows(base, read)]
        path = None if into is None else into[1]
        table = Derived(
            table, partial(_with_value, column, reads, path), (*table.header, column), table.notes, table.files,
            {column: (*(origin(base, read) for read in reads), column if path is None else str(path))}, reads=tuple(reads),
        )  # fmt: skip
    if issues:
        raise Problems(issues)
    return table


def value_at(cell: Cell, path: Path) -> Cell:
    """The value at a path in a cell, in which JSON text is read on the way, or the list of the values at a path with `[*]`. MISSING where
    the path leads to nothing; a cell that cannot be read comes back as its fault."""
    cell = _parsed_cell(cell)
    if cell is MISSING or isinstance(cell, CellError):
        return cell
    hit = path.get(cell)
    for end in range(len(path.steps) - 1, 0, -1) if hit is MISSING else ():
        text = path.part(0, end).get(cell)
        if isinstance(text, str):
            return value_at(text, path.part(end))
    return hit


def columns_in_braces(text: str) -> list[str]:
    """The columns that a text names in braces."""
    return list(dict.fromkeys(COLUMN_IN_BRACES.findall(text)))


def _filled_text(text: str, cells: Mapping[str, Cell]) -> Cell:
    """The text with the cells of the named columns in place of its braces; MISSING where one of them is empty, and the fault of a cell that
    cannot be read."""
    for cell in cells.values():
        if isinstance(cell, CellError):
            return cell
        if cell is MISSING or cell is None or cell == "":
            return MISSING
    return COLUMN_IN_BRACES.sub(lambda name: id_text(cells[name[1]]), text)


def _parsed_cell(cell: Cell) -> Cell:
    """A cell with its JSON text read; MISSING for a text that is not JSON."""
    if not isinstance(cell, str):
        return cell
    try:
        return parse(cell)
    except NotJSON:
        return MISSING


def _path_into(table: Table, name: str) -> tuple[str, Path] | None:
    """The column that a path begins with, the longest that is there, and the path inside it; None where it is no path into one."""
    try:
        path = parse_path(name)
    except BadPath:
        return None
    if path.query is not None or len(path.steps) < 2 or not isinstance(path.steps[0], str):
        return None
    for column in sorted(path.first_keys(), key=len, reverse=True):
        length = 1 if column == path.steps[0] else column.count(".") + 1
        if length < len(path.steps) and knows(table, column):
            return column, path.part(length)
    return None


def _issue_of_dead_path(table: Table, column: str, path: Path, written: str, name: str) -> Issue | None:
    """The problem of a `path` into a `column` that no row has, with the nearest path of the first rows as a hint; None where some row has
    it, or where there are no rows. `written` is the whole path as the settings have it, `name` what messages call the table."""
    near, number = None, 0
    for number, (cell,) in rows_of(table, [column]):
        if value_at(cell, path) is not MISSING:
            return None
        if near is None and number <= _NEAR_ROWS and isinstance(opened := _parsed_cell(cell), dict | list):
            near = nearest_path(path, opened, 0)
    if not number:
        return None
    hint = None if near is None else f'did you mean "{column}{"" if near.startswith("[") else "."}{near}"?'
    message = f'there is no column "{written}"; the column "{column}" is there, and no row has "{path}" in it'
    return Issue("no-such-column", Blame.TESTSET, message, name, hint)


def _with_value(
    name: str, reads: Sequence[str], path: Path | None, base: Table, split: Split, columns: Sequence[str]
) -> Iterator[Chunk]:
    """The chunks of a table, with one more column called `name`: the values at `path` in the column that is read, or, without a path, texts
    with the cells of several columns. Where nobody asks for that column, the chunks are as they are."""
    own = [column for column in columns if column != name]
    if len(own) == len(columns):
        yield from base.read(split, columns)
        return
    for chunk in base.read(split, list(dict.fromkeys([*own, *reads]))):
        rows = zip(*(chunk.columns[read] for read in reads), strict=True)
        values = [
            _filled_text(name, dict(zip(reads, row, strict=True))) if path is None else value_at(row[0], path)
            for row in rows
        ]
        yield replace(chunk, columns={**{column: chunk.columns[column] for column in own}, name: values})


# A column for each field


class Field(Struct, frozen=True):
    """A field of a document, and the column that holds it."""

    keys: Keys
    """The keys that lead to it."""
    column: str


class Document(Struct, frozen=True):
    """The way in which cells become a document. `nothing` is the document of a row whose cells are all empty."""

    fields: tuple[Field, ...]
    empty_cells: Literal["absent", "text"]
    nothing: Cell

    @property
    def columns(self) -> list[str]:
        """The columns that hold the fields, each once."""
        return list(dict.fromkeys(field.column for field in self.fields))

    def of(self, cells: Mapping[str, Cell]) -> Cell:
        """The document of the cells of a row, by column; the fault of a cell where one cannot be read, and `nothing` where all are empty.
        An empty cell is left out of the document where `empty_cells` is `absent`."""
        document: dict[str, Any] = {}
        all_empty = True
        for field in self.fields:
            cell = cells[field.column]
            if isinstance(cell, CellError):
                return cell
            empty = cell is MISSING or cell is None or (isinstance(cell, str) and (not cell or cell.isspace()))
            all_empty = all_empty and empty
            if cell is not MISSING and not (empty and self.empty_cells == "absent"):
                _put_value(document, field.keys, cell)
        return self.nothing if all_empty else document


def _put_value(document: dict[str, Any], keys: Keys, value: JSON) -> None:
    """Puts a value into a document below these keys; objects on the way are made where there are none."""
    for key in keys[:-1]:
        document = document.setdefault(key, {})
    document[keys[-1]] = value


def with_documents(
    base: Table, place: Joined, role: Literal["output", "expected"], taken: Collection[str], empty: EmptyExpected, name: str
) -> Derived:  # fmt: skip
    """The table in which the column of a role holds documents that are made of a column for each field.

    `taken` are columns that play another role, and are no fields under `all_but`. Raises Problems for fields that do not go
    together, and for columns that are not there; `name` is what messages call the table.
    """
    fields = _fields_of_place(place, base, taken, name)
    table = with_paths(base, (field.column for field in fields), name)
    lacking = dict.fromkeys(field.column for field in fields if not knows(table, field.column))
    if lacking:
        raise Problems(no_such_column(column, base.header, name) for column in lacking)
    document = Document(fields, place.empty_cells, _empty_document(role, empty, [field.column for field in fields]))
    note = f"{role} has a column for each field: {first_texts([quote(column) for column in document.columns], _SHOWN)}"
    shared = tuple((field.keys, origin(table, field.column)) for field in fields)
    return Derived(
        table, partial(_with_documents, role, document), with_column(table.header, role), (*table.notes, note),
        table.files, {role: ("fields", *shared)}, reads=tuple(document.columns),
    )  # fmt: skip


def made_columns(config: TestSetConfig, header: Sequence[str]) -> tuple[str, ...]:
    """The names of the columns that the settings of a test set make of the columns of a row: paths, texts of several columns, and roles
    whose cells are documents of a column per field. Columns of the header are left out."""
    table = memory_rows(dict.fromkeys(header, ()))
    named = [name for name in dict.fromkeys(config.columns.named().values()) if name not in header]
    made = [name for name in named if columns_in_braces(name) or _path_into(table, name) is not None]
    return (*made, *(role for role, _ in _own_documents(config) if role not in header))


def _own_documents(config: TestSetConfig) -> list[tuple[Literal["output", "expected"], Joined]]:
    """The roles whose cells are documents of the row's own columns, and how these are made."""
    sides: tuple[tuple[Literal["output", "expected"], Any], ...] = (
        ("output", config.output),
        ("expected", config.expected),
    )
    return [(role, place) for role, place in sides if is_own_document(place)]


def is_own_document(place: object) -> bool:
    """Whether the place of a role is a `Joined` that makes documents of the row's own columns, one for each field."""
    return isinstance(place, Joined) and place.file is None and place.columns is not None


def makes_cells(config: TestSetConfig) -> bool:
    """Whether the settings of a test set may make cells of the columns of a row: see `made_cells`."""
    return bool(config.columns.named() or _own_documents(config))


def made_cells(config: TestSetConfig, cells: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of one row, with those that the settings of a test set make of its columns: by a path, and from a column per field.

    A role that has a cell of its own keeps it.
    """
    table, made = memory_rows({name: (cell,) for name, cell in cells.items()}), dict(cells)

    def cell_of(column: str) -> Cell:
        """The cell of a column; of a name that is a path or a text, what it makes of the row; else MISSING."""
        into = None if column in cells else _path_into(table, column)
        reads = columns_in_braces(column)
        if into is None and column not in cells and reads:
            return _filled_text(column, {read: cells.get(read, MISSING) for read in reads})
        return cells.get(column, MISSING) if into is None else value_at(cells[into[0]], into[1])

    named = config.columns.named()
    for column in named.values():
        if column not in cells and (value := cell_of(column)) is not MISSING:
            made[column] = value
    for role, place in _own_documents(config):
        if role not in cells:
            fields = _fields_of_place(place, table, {*ROLES, *named.values()}, "the row")
            nothing = _empty_document(role, config.empty_expected, [field.column for field in fields])
            document = Document(fields, place.empty_cells, nothing)
            made[role] = document.of({column: cell_of(column) for column in document.columns})
    return made


def _empty_document(role: Literal["output", "expected"], empty: EmptyExpected, columns: Sequence[str]) -> Cell:
    """The cell of a role whose fields are all empty: {} where `empty` is "value", else the fault that there is no output or no answer."""
    if empty == "value":
        return {}
    if role == "output":
        return NO_OUTPUT
    cells = first_texts([quote(column) for column in columns], _SHOWN)
    hint = 'fill one in; where nothing is the right answer, write "empty_expected: value" below test_set'
    return CellError(Issue("no-expected", Blame.TESTSET, f"the cells of all fields are empty: {cells}", hint=hint))


def _with_documents(role: str, document: Document, base: Table, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
    """The chunks of the table `base`, with documents made of several columns as the column of a role. Where that column is not among the
    `columns` that are asked for, the chunks are as they are."""
    own = [column for column in columns if column != role]
    if len(own) == len(columns):
        yield from base.read(split, columns)
        return
    fields = document.columns
    for chunk in base.read(split, list(dict.fromkeys([*own, *fields]))):
        cells = zip(*(chunk.columns[column] for column in fields), strict=True)
        documents = [document.of(dict(zip(fields, row, strict=True))) for row in cells]
        yield replace(chunk, columns={**{column: chunk.columns[column] for column in own}, role: documents})


def _fields_of_place(place: Joined, table: Table, taken: Collection[str], name: str) -> tuple[Field, ...]:
    """The fields of a place with `columns`. For `all_but` they are the columns of the table without those that it names, those in `taken`,
    and those in the braces of these. Raises Problems for unknown columns, and where no field is left."""
    columns = place.columns
    if isinstance(columns, AllBut):
        unknown = [column for column in columns.all_but if not knows(table, column)]
        if unknown:
            raise Problems(no_such_column(column, table.header, name) for column in unknown)
        left_out = {*columns.all_but, *taken, *(part for column in taken for part in columns_in_braces(column))}
        fields = tuple(Field((column,), column) for column in table.header if column and column not in left_out)
        if not fields:
            message = "no column is left for a field: each plays a role, or is named by `all_but`"
            raise Problems([Issue("no-fields", Blame.CONFIG, message, name, "leave fewer columns out")])
        return fields
    return tuple(Field(field_keys(field), column) for field, column in (columns or {}).items())
