"""Files of rows that are one test set: what a folder holds, or what a pattern finds, in the order of their names.

Rows are counted from 1 on, through all files. Two kinds of columns come from where a file is: `file`, the name that it has below
the folder, and a column for each folder on the way that is called `key=value`. Of files whose columns are fixed (CSV, TSV,
Parquet) the columns count that all of them have; in JSON each row has its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from msgspec.structs import replace

from evaluators.model.issues import Blame, CellError, Issue
from evaluators.model.rows import MISSING
from evaluators.scoring.needs import Cell
from evaluators.scoring.values.quoting import first_texts
from evaluators.testsets.byte_source import ByteSource
from evaluators.testsets.reader import SPLIT_BYTES, Chunk, Reader, Split, all_chunks

FILE_COLUMN: Final = "file"
_KEY_VALUE: Final = re.compile(r"([A-Za-z_][\w.-]*)=(.*)")
_NO_VALUE: Final = "__HIVE_DEFAULT_PARTITION__"
_SHOWN: Final = 3


class ManyFiles(Reader, frozen=True, dict=True):
    """The rows of several files. `source` is the folder or the pattern that names them."""

    readers: tuple[Reader, ...] = ()
    placed: tuple[Mapping[str, Cell], ...] = ()
    """For each file the cells that come from where it is."""
    own: frozenset[str] = frozenset()
    """Columns that some file has itself, and that no place stands for."""
    fixed: bool = False
    """Whether the columns of a file are known from its beginning."""

    @property
    def files(self) -> tuple[ByteSource, ...]:
        """The files, in order."""
        return tuple(reader.source for reader in self.readers)

    @property
    def separator(self) -> str | None:
        """The delimiter of the cells in the first file."""
        return self.readers[0].separator

    def knows(self, column: str) -> bool:
        """Whether some row has the column; of fixed columns, whether all files have it."""
        return column in self.header or (not self.fixed and any(reader.knows(column) for reader in self.readers))

    def splits(self) -> list[Split]:
        """The splits of all files in their order: each piece of a large file is one, and small files that follow each other are one
        together. A split of small files is of the folder, and its `start` and `end` count files."""
        splits: list[Split] = []
        first, size = 0, 0
        for index, reader in enumerate(self.readers):
            pieces = reader.splits()
            if len(pieces) > 1 or any(piece.note for piece in pieces):
                if first < index:
                    splits.append(Split(self.source.path, len(splits), first, index))
                splits += [replace(piece, index=len(splits) + number) for number, piece in enumerate(pieces)]
                first, size = index + 1, 0
            elif (size := size + reader.source.size) >= SPLIT_BYTES:
                splits.append(Split(self.source.path, len(splits), first, index + 1))
                first, size = index + 1, 0
        if first < len(self.readers):
            splits.append(Split(self.source.path, len(splits), first, len(self.readers)))
        return splits

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows of one split, chunk by chunk, with these columns. A split is a piece of one large file, or several small files."""
        within = split.file != self.source.path
        before = 0
        for place in [self._places[split.file]] if within else range(split.start, split.end or 0):
            reader, placed, span = self.readers[place], self.placed[place], 0
            own = [name for name in columns if name in self.own or name not in placed]
            for chunk in reader.read(split, own) if within else all_chunks(reader, own):
                span = chunk.span
                yield self._chunk(place, chunk, columns, before)
            before += span

    @cached_property
    def _places(self) -> dict[str, int]:
        """The number of each file among the readers, by its path."""
        return {reader.source.path: index for index, reader in enumerate(self.readers)}

    def _chunk(self, position: int, chunk: Chunk, columns: Sequence[str], before: int) -> Chunk:
        """A chunk of the file at that position as a chunk of all files: with the cells that come from where the file is, faults that name
        the file, and rows counted on from the `before` ones."""
        source, placed = self.readers[position].source, self.placed[position]
        cells: dict[str, Sequence[Cell]] = {
            name: chunk.columns[name] if name in chunk.columns else [placed.get(name, MISSING)] * chunk.count
            for name in columns
        }
        faults = [(index, replace(issue, where=f"file {source.name}")) for index, issue in chunk.faults]
        for name in chunk.columns if faults else ():
            column = cells[name] = list(cells[name])
            for (index, old), (_, new) in zip(chunk.faults, faults, strict=True):
                cell = column[index]
                if isinstance(cell, CellError) and cell.issue == old:
                    column[index] = CellError(new, cell.text)
        offsets = [before + offset for offset in chunk.offsets] if before else chunk.offsets
        return Chunk(offsets, before + chunk.span, cells, faults, file=source.name)


def many_files(source: ByteSource, readers: Sequence[Reader], named: Sequence[str], fixed: bool) -> ManyFiles:
    """The files as one table, with notes on what differs between them. `named` is what each is called from the folder on, `fixed` whether
    their beginnings tell their columns."""
    keyed = [_keys_of_folders(reader.source.file_name or reader.source.name) for reader in readers]
    header, different = _common_columns(readers) if fixed else (_all_columns(readers), [])
    keys = [key for key in keyed[0] if all(key in keys_of_file for keys_of_file in keyed)]
    everywhere = {name for reader in readers for name in reader.header}
    notes = [f"{source.name}: {len(readers):,} files, read one after the other"]
    notes += [f'{source.name}: "{key}" is a column of the files, so the folders of that name are none' for key in keys
              if key in everywhere]  # fmt: skip
    notes += [f"{issue.where}: {issue.message}" for issue in different]
    notes += _notes_on_kinds(source, readers)
    added = [name for name in (*keys, FILE_COLUMN) if name not in everywhere]
    placed = tuple({**keys_of_file, FILE_COLUMN: name} for keys_of_file, name in zip(keyed, named, strict=True))
    said = [note for reader in readers for note in reader.notes]
    return ManyFiles(
        source, (*header, *added), 1, (*notes, *_first_notes(said)), (*different, *readers[0].doubts), tuple(readers), placed,
        frozenset(everywhere), fixed,
    )  # fmt: skip


def _keys_of_folders(name: str) -> dict[str, Cell]:
    """The keys and values of the folders called `key=value` that a file is in; MISSING for the value that stands for none."""
    from urllib.parse import unquote

    matches = (_KEY_VALUE.fullmatch(step) for step in name.split("/")[:-1])
    pairs = {step[1]: unquote(step[2]) for step in matches if step is not None}
    return {key: MISSING if value == _NO_VALUE else value for key, value in pairs.items()}


def _all_columns(readers: Sequence[Reader]) -> list[str]:
    """The columns that some file has, in the order of their first appearance."""
    return list(dict.fromkeys(name for reader in readers for name in reader.header))


def _common_columns(readers: Sequence[Reader]) -> tuple[list[str], list[Issue]]:
    """(columns, issues): the columns that all files have, and an issue for each column that only some have."""
    having: dict[str, list[Reader]] = {}
    for reader in readers:
        for name in reader.header:
            having.setdefault(name, []).append(reader)
    different = []
    for name, those in having.items():
        if len(those) == len(readers):
            continue
        have = {id(reader) for reader in those}
        lacking = [reader.source.name for reader in readers if id(reader) not in have]
        few = first_texts([reader.source.name for reader in those], _SHOWN) + (" has" if len(those) == 1 else " have")
        text = f"{few} it" if len(those) < len(lacking) else f"not in {first_texts(lacking, _SHOWN)}"
        message = f'the column "{name}" is not in every file, so it is left out ({text})'
        different.append(Issue("different-columns", Blame.TESTSET, message, those[0].source.name))
    return [name for name, those in having.items() if len(those) == len(readers)], different


def _notes_on_kinds(source: ByteSource, readers: Sequence[Reader]) -> list[str]:
    """The columns that are of different kinds in different files, one sentence each."""
    values: dict[str, dict[str, str]] = {}
    for reader in readers:
        for name, kind in zip(reader.header, reader.kinds, strict=False):
            values.setdefault(name, {}).setdefault(kind, reader.source.name)
    return [
        f'{source.name}: "{name}" is ' + " and ".join(f"{kind} in {file}" for kind, file in kinds.items())
        for name, kinds in values.items()
        if len(kinds) > 1
    ]


def _first_notes(notes: Sequence[str]) -> list[str]:
    """The first notes, and one that says how many there are besides."""
    more = [f"and {len(notes) - _SHOWN:,} more notes on files"] if len(notes) > _SHOWN else []
    return [*notes[:_SHOWN], *more]
