"""What figures are counted from: the columns of scored rows, and the distinct results that their codes stand for.

A run keeps them in `run.db`; rows that nothing is kept of, such as batches, stay in memory. Both give a figure the columns that it
asks for in the order that it states.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, groupby, islice, pairwise
from operator import itemgetter, lt
from typing import Any, Final, Protocol, TypeAlias

from evaluators.model.rows import Result
from evaluators.runs.label_pairs import LabelPair
from evaluators.runs.split_rows import Layout

CHUNK_ROWS: Final = 16_384
_MOST_TEXTS: Final = 10_000
"""Texts of a column that are kept to be found again."""
Cells: TypeAlias = Sequence[Any]
"""Some cells of a column: texts, or whole numbers."""


class Columns(Protocol):
    """The columns of one variant."""

    @property
    def layout(self) -> Layout:
        """Which columns there are."""

    def verdicts(self) -> list[list[Result]]:
        """By evaluator, the results that codes stand for."""

    def pairs(self, evaluator: int) -> list[LabelPair]:
        """The label pairs that the codes of an evaluator stand for."""

    def patterns(self, evaluator: int) -> list[str]:
        """The patterns of empty values that the codes of an evaluator stand for."""

    def read(self, names: Sequence[str], order: str = "row") -> Iterator[Sequence[Cells]]:
        """Yields the cells of the named columns, a chunk of rows at a time, sorted by the column `order` and then by row number."""


class GroupCounter(Protocol):
    """Counts rows that belong together, one group of them at a time, in the order of the groups' names."""

    @property
    def names(self) -> Sequence[str]:
        """The columns that it counts."""

    def add(self, group: str, cells: Sequence[Cells]) -> None:
        """Adds one group: the cells of its rows in these columns."""

    def settle(self) -> None:
        """Counts the groups that `add` has only collected: a counter may wait, to count groups that are alike together."""


class PackedTexts:
    """Texts one after the other in bytes, with the place at which each ends: a fifth of what as many objects take."""

    def __init__(self) -> None:
        self._bytes, self._ends = bytearray(), array("q", [0])

    def extend(self, texts: Iterable[str | None]) -> None:
        """Appends texts. None is stored as a byte that no text has."""
        data = [_NO_TEXT if text is None else text.encode() for text in texts]
        self._ends.extend(islice(accumulate(map(len, data), initial=len(self._bytes)), 1, None))
        self._bytes += b"".join(data)

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, place: Any) -> Any:
        """The text, or None, at an index; the list of those of a slice."""
        if isinstance(place, slice):
            start, stop, _ = place.indices(len(self))
            ends = self._ends[start : stop + 1]
            data = self._bytes[ends[0] : ends[-1]]
            if not data.isascii():
                return [self[index] for index in range(start, stop)]
            text, first = data.decode(), ends[0]
            return [text[begin - first : end - first] for begin, end in pairwise(ends)]
        data = self._bytes[self._ends[place] : self._ends[place + 1]]
        return None if data == _NO_TEXT else data.decode()


_NO_TEXT: Final = b"\xff"
"""What stands for None: no text has this byte."""


class MemoryColumns:
    """The columns of one variant in memory that figures are counted from: row numbers in eight bytes, codes and steps in four, ids and
    measures packed, a text of a slice or a cluster once where the column has few of them."""

    def __init__(self, layout: Layout) -> None:
        """Makes empty columns, each of a kind that takes little memory for what it holds."""
        self._texts: dict[str, dict[str, str]] = {
            name: {} for name in layout.texts if name.startswith(("cluster", "slice"))
        }
        self._columns: dict[str, Any] = {}
        for name in layout.names:
            if name in self._texts:
                self._columns[name] = []
            elif name in layout.texts:
                self._columns[name] = PackedTexts()
            elif name != "given":  # other runs are compared by it, which need a file
                self._columns[name] = array("q" if name == "row" else "i")
        self._ascending, self._last = True, 0

    def add(self, columns: Mapping[str, Cells]) -> None:
        """Appends rows, given as their cells by column; a column that is not given gets none. Equal texts of clusters and slices are
        stored as one object. Notes whether the row numbers of all rows so far ascend."""
        for name, column in self._columns.items():
            cells, texts = columns.get(name, ()), self._texts.get(name)
            column.extend(cells if texts is None else [texts.setdefault(cell, cell) for cell in cells])
            if texts is not None and len(texts) > _MOST_TEXTS:
                texts.clear()
        if rows := columns.get("row"):
            self._ascending = self._ascending and rows[0] > self._last and all(map(lt, rows, rows[1:]))
            self._last = rows[-1]

    def read(self, names: Sequence[str], order: str = "row") -> Iterator[Sequence[Cells]]:
        """Yields the cells of the named columns, a chunk of rows at a time, sorted by the column `order` and then by row number."""
        columns, rows = [self._columns[name] for name in names], self._columns["row"]
        if order == "row" and self._ascending:
            yield from ([column[at : at + CHUNK_ROWS] for column in columns] for at in range(0, len(rows), CHUNK_ROWS))
            return
        places: Sequence[int] = range(len(rows))
        if not self._ascending:
            places = sorted(places, key=rows.__getitem__)
        if order != "row":
            places = _sort_by_cell(places, self._columns[order])
        for at in range(0, len(rows), CHUNK_ROWS):
            some = places[at : at + CHUNK_ROWS]
            yield [[column[place] for place in some] for column in columns]


def _sort_by_cell(places: Sequence[int], cells: Sequence[str]) -> Sequence[int]:
    """Sorts row places by their cells; places with equal cells stay in their order. It counts where each cell's places begin, and so takes
    four bytes a place."""
    free, start = Counter(cells), 0
    for cell in sorted(free):  # from how often a cell occurs to the first free index of its places
        free[cell], start = start, start + free[cell]
    order = array("i", bytes(4 * len(places)))
    for place in places:
        order[free[cells[place]]] = place
        free[cells[place]] += 1
    return order


def pieces_by_value(columns: Columns, names: Sequence[str]) -> Iterator[tuple[Any, list[Cells]]]:
    """Reads the rows sorted by the first column, and yields each of its values with the cells that its rows have in the other columns.

    A value comes several times in a row where its rows were read in several chunks.
    """
    for keys, *others in columns.read(names, names[0]):
        start = 0
        while start < len(keys):
            end = bisect_right(keys, keys[start], start)
            yield keys[start], [column[start:end] for column in others]
            start = end


def rows_by_value(columns: Columns, names: Sequence[str]) -> Iterator[tuple[Any, list[Cells]]]:
    """Yields each value of the first column once, in order, with the cells that all its rows have in the other columns."""
    for key, pieces_of_value in groupby(pieces_by_value(columns, names), key=itemgetter(0)):
        pieces = [cells for _, cells in pieces_of_value]
        yield (
            key,
            pieces[0] if len(pieces) == 1 else [list(chain.from_iterable(cells)) for cells in zip(*pieces, strict=True)],
        )


def count_groups(columns: Columns, counters: Sequence[GroupCounter]) -> None:
    """Gives every cluster to each of the counters: rows are put in order once for all of them."""
    names = list(dict.fromkeys(name for counter in counters for name in counter.names))
    places = [[names.index(name) for name in counter.names] for counter in counters]
    for group, cells in rows_by_value(columns, ["cluster", *names]) if counters else ():
        for counter, own in zip(counters, places, strict=True):
            counter.add(group, [cells[place] for place in own])
    for counter in counters:
        counter.settle()
