"""Columns that hold the text of a file that is found from the row's own cells, such as the schema of its folder.

`attach: {schema: "dataset/{folder}/*-schema.json"}`: a name in braces stands for the row's cell in that column, and wildcards
find the one file. Which file each row has is settled when the test set is opened; a row without one has a fault there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from glob import escape
from pathlib import Path, PurePath
from typing import Final

from msgspec.structs import replace

from evaluators.issues import Blame, CellError, Issue, Problems, problem
from evaluators.model import MISSING
from evaluators.needs import Cell
from evaluators.testsets.byte_source import ByteSource
from evaluators.testsets.byte_store import at, kind_at, matching, near_file, parent, scheme_of
from evaluators.testsets.columns import no_such_column
from evaluators.testsets.derived import Derived
from evaluators.testsets.documents import source_of, text_of
from evaluators.testsets.reader import Chunk, Split, Table, id_text, whole

_COLUMN: Final = re.compile(r"\{([^{}]+)\}")
_SHOWN: Final = 3


def attached(base: Table, places: Mapping[str, str], folder: Path, name: str) -> Table:
    """The table with the columns of `attach`; places are relative to `folder`.

    Raises Problems for a column that is there already, or that a place names and the table lacks.
    """
    if not places:
        return base
    taken = [column for column in places if column in base.header]
    if taken:
        hint = "give the attached column another name"
        raise problem("same-column-name", f'there is a column "{taken[0]}" already', where=name, hint=hint)
    named = [column for place in places.values() for column in _COLUMN.findall(place)]
    unknown = [no_such_column(column, base.header, name) for column in named if column not in base.header]
    if unknown:
        raise Problems(unknown)
    found: dict[str, ByteSource | CellError] = {}
    for chunk in whole(base, named):
        for column, place in places.items():
            for filled in _filled(place, chunk):
                if isinstance(filled, str) and filled not in found:
                    found[filled] = _file(filled, column, folder)
    files = (source for source in found.values() if isinstance(source, ByteSource))
    return Derived(
        base, partial(_rows, dict(places), found), (*base.header, *places),
        (*base.notes, *(f'"{column}" is the file {place}' for column, place in places.items())),
        tuple(dict.fromkeys((*base.files, *files))), {column: ("attached", place) for column, place in places.items()},
    )  # fmt: skip


def _rows(
    places: Mapping[str, str],
    found: Mapping[str, ByteSource | CellError],
    base: Table,
    split: Split,
    columns: Sequence[str],
) -> Iterator[Chunk]:
    """The rows of one piece, with the texts of their files."""
    wanted = {column: place for column, place in places.items() if column in columns}
    own = [name for name in columns if name not in places]
    named = [name for place in wanted.values() for name in _COLUMN.findall(place)]
    text = cache(text_of)
    for chunk in base.read(split, list(dict.fromkeys([*own, *named]))):
        cells: dict[str, Sequence[Cell]] = {name: chunk.columns[name] for name in own}
        for column, place in wanted.items():
            sources = (one if isinstance(one, CellError) else found[one] for one in _filled(place, chunk))
            cells[column] = [one if isinstance(one, CellError) else text(one) for one in sources]
        yield replace(chunk, columns=cells)


def _filled(place: str, chunk: Chunk) -> list[str | CellError]:
    """The place of each row, as a pattern: what comes from cells is never a wildcard."""
    names = _COLUMN.findall(place)
    return [_fill(place, {name: chunk.columns[name][index] for name in names}) for index in range(chunk.count)]


def _fill(place: str, cells: Mapping[str, Cell]) -> str | CellError:
    for name, cell in cells.items():
        if isinstance(cell, CellError):
            return cell
        if cell is MISSING or cell is None:
            return CellError(Issue("empty-cell", Blame.TESTSET, f'the cell "{name}" is empty, and a file is named by it'))
        text = PurePath(id_text(cell))
        if text.is_absolute() or ".." in text.parts:
            message = f'the cell "{name}" leads out of the folder of the test set: "{text}"'
            return CellError(Issue("leads-out", Blame.TESTSET, message))
    filled = _COLUMN.sub(lambda found: escape(id_text(cells[found[1]])), place)
    if scheme_of(filled) != scheme_of(place):
        return CellError(
            Issue("leads-out", Blame.TESTSET, f'the cells lead out of the folder of the test set: "{filled}"')
        )
    return filled


def _file(pattern: str, column: str, folder: Path) -> ByteSource | CellError:
    """The one file that fits."""
    paths = sorted(path for path in matching(pattern, folder) if kind_at(folder, path) == "file")
    if len(paths) == 1:
        return source_of(paths[0], folder)
    said = re.sub(r"\[([*?\[])\]", r"\1", pattern)
    if paths:
        shown = ", ".join(f'"{path}"' for path in paths[:_SHOWN]) + (", …" if len(paths) > _SHOWN else "")
        message = f'{len(paths)} files could be the "{column}" of this row, as {said}: {shown}'
        return CellError(Issue("several-files", Blame.TESTSET, message, hint="write more of the name"))
    near = near_file(at(folder, said), said)
    hint = f'did you mean "{near}"?' if near else f'looked in "{parent(at(folder, said))}"'
    return CellError(
        Issue("no-such-file", Blame.TESTSET, f'there is no file {said} for the "{column}" of this row', hint=hint)
    )
