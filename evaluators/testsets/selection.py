"""Some rows of a test set: the first ones, a sample, or those with a certain value.

`where` comes first, then the sample, then the limit. A sample goes by a hash of the seed and the row's place, so that it
is the same on every machine, and a larger one holds the smaller one.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import blake2b
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Blame, CellError, Issue, Problems
from evaluators.model.registry import suggestion
from evaluators.model.rows import MISSING
from evaluators.scoring.needs import Cell
from evaluators.scoring.values.cell_words import fits, nearly_fits, word_of
from evaluators.scoring.values.json_text import to_text
from evaluators.scoring.values.quoting import first_texts, quote
from evaluators.testsets.columns import no_such_column
from evaluators.testsets.derived import Derived, layers
from evaluators.testsets.reader import Chunk, Split, Table, all_chunks

_MOST_VALUES: Final = 5  # values of a column that a hint lists
NEARLY_EQUAL: Final = "nearly-equal"


class Selection(Struct, frozen=True):
    """Which rows to read. `where` is pairs of a column and the word that its cell must be, or read as."""

    limit: int | None = None
    sample: int | None = None
    seed: int = 0
    where: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return self.counts or bool(self.where)

    @property
    def counts(self) -> bool:
        """Whether rows are counted, so that pieces cannot be read on their own."""
        return self.limit is not None or self.sample is not None

    def sentence(self) -> str:
        """The selection in words, for a note."""
        parts = [f"only rows whose {column} is {value}" for column, value in self.where]
        if self.sample is not None:
            parts.append(f"a sample of {self.sample:,} rows (seed {self.seed})")
        if self.limit is not None:
            parts.append(f"at most {self.limit:,} rows")
        return "selected: " + ", ".join(parts)


def with_selected_rows(table: Table, selection: Selection, name: str) -> Table:
    """The table with only the selected rows, which keep their numbers. Raises Problems for a column that is not there."""
    unknown = [no_such_column(column, table.header, name) for column, _ in selection.where if column not in table.header]
    if unknown:
        raise Problems(unknown)
    if not selection:
        return table
    rows, notes = partial(_selected_rows, selection), (*table.notes, selection.sentence())
    return Derived(table, rows, table.header, notes, table.files, where=selection.where, one_piece=selection.counts)


def _selected_rows(selection: Selection, base: Table, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
    """The selected rows of one split of the table `base`, with these columns; of all splits, where the selection counts rows. Rows fit the
    conditions first, then they are sampled, then at most `limit` are taken."""
    names = list(dict.fromkeys([*columns, *(column for column, _ in selection.where)]))
    sample = None if selection.sample is None else _sampled_places(base, selection, selection.sample)
    place, left = 0, selection.limit
    for chunk in all_chunks(base, names) if selection.counts else base.read(split, names):
        fitting = _fitting_positions(chunk, selection)
        if sample is not None:
            places = range(place, place := place + len(fitting))
            fitting = [index for index, at in zip(fitting, places, strict=True) if at in sample]
        if left is not None:
            fitting = fitting[:left]
            left -= len(fitting)
        yield pick_rows(chunk, fitting, columns)
        if left == 0:
            return


def _fitting_positions(chunk: Chunk, selection: Selection) -> Sequence[int]:
    """The positions in a chunk of the rows that fit every condition of the selection."""
    tests = [(chunk.columns[column], value, word_of(value)) for column, value in selection.where]
    return [
        index for index in range(chunk.count) if all(_cell_fits(cells[index], text, word) for cells, text, word in tests)
    ]


def _cell_fits(cell: Cell, text: str, word: Any) -> bool:
    """Whether a cell fits a condition: it is the `text`, or the boolean or number that the text writes, which is `word`."""
    if cell is MISSING or isinstance(cell, CellError):
        return False
    return _cell_text(cell) == text or (word.__class__ is not str and fits(word, cell))


def _sampled_places(base: Table, selection: Selection, size: int) -> set[int]:
    """The places of the sample among the fitting rows."""
    chunks = all_chunks(base, [column for column, _ in selection.where])
    count = sum(len(_fitting_positions(chunk, selection)) for chunk in chunks)
    return set(heapq.nsmallest(size, range(count), lambda place: _hash(selection.seed, place)))


def issue_of_no_rows(table: Table, name: str) -> Issue | None:
    """The problem of a selection that no row fits, with the values that the columns hold in the first rows of the table. None where the
    table has no conditions, or no rows. Whether a row fits is not looked at here."""
    chosen = next((layer for layer in layers(table) if isinstance(layer, Derived) and layer.where), None)
    if chosen is None:
        return None
    where, table = chosen.where, chosen.base
    condition = " and ".join(f"{column}={value}" for column, value in where)
    first = next(all_chunks(table, [column for column, _ in where]), None)
    if first is None:
        return None
    hints = []
    for column, value in where:
        seen = list(dict.fromkeys(_cell_text(cell) or "" for cell in first.columns[column]))
        if any(_cell_fits(cell, value, word_of(value)) for cell in first.columns[column]):
            continue
        more = ", …" if len(seen) > _MOST_VALUES else ""
        there = ", ".join(f'"{text}"' for text in seen[:_MOST_VALUES])
        hints.append(suggestion(value, seen) or f'the column "{column}" has {there}{more}')
    hint = "; ".join(hints) or "each holds in some row, and never all of them in one"
    return Issue("no-row-selected", Blame.TESTSET, f"no row fits --where {condition}", name, hint)


def warnings_of_near_cells(table: Table, name: str) -> Iterator[Issue]:
    """A warning for each condition that leaves out rows whose cell is nearly what it asks for, among the first rows of the table."""
    chosen = next((layer for layer in layers(table) if isinstance(layer, Derived) and layer.where), None)
    first = None if chosen is None else next(all_chunks(chosen.base, [column for column, _ in chosen.where]), None)
    if chosen is None or first is None:
        return
    for column, value in chosen.where:
        word = word_of(value)
        near = [cell for cell in first.columns[column] if _is_near(cell, value, word)]
        if near:
            listed = first_texts([quote(cell) for cell in dict.fromkeys(map(_cell_text, near))], _MOST_VALUES)
            rows = f"{len(near):,} of the first {first.count:,} rows"
            message = f"--where {column}={value} leaves out {rows} whose cell is nearly that: {listed}"
            yield Issue(NEARLY_EQUAL, Blame.TESTSET, message, name, "write such cells alike; a text fits to the letter")


def _is_near(cell: Cell, text: str, word: Any) -> bool:
    """Whether a cell does not fit a condition, and nearly does: `Easy` for `easy`."""
    has_value = cell is not MISSING and not isinstance(cell, CellError)
    return has_value and not _cell_fits(cell, text, word) and (nearly_fits(word, cell) or nearly_fits(text, cell))


def pick_rows(chunk: Chunk, positions: Sequence[int], columns: Sequence[str]) -> Chunk:
    """The chunk with the rows at these positions alone, which are in order, and with these columns."""
    if len(positions) == chunk.count:
        return replace(chunk, columns={name: chunk.columns[name] for name in columns})
    new = {old: index for index, old in enumerate(positions)}
    return replace(
        chunk,
        offsets=[chunk.offsets[position] for position in positions],
        columns={name: [chunk.columns[name][position] for position in positions] for name in columns},
        faults=[(new[position], issue) for position, issue in chunk.faults if position in new],
        ids=None if chunk.ids is None else [chunk.ids[position] for position in positions],
    )


def _cell_text(cell: Cell) -> str | None:
    """A cell as text; None where it is missing, or cannot be read."""
    if cell is MISSING or isinstance(cell, CellError):
        return None
    return cell if isinstance(cell, str) else to_text(cell)


def _hash(seed: int, index: int) -> bytes:
    """The hash by which the row at a place is drawn into a sample."""
    return blake2b(f"{seed}:{index}".encode(), digest_size=8).digest()
