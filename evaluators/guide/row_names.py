"""What names the rows of two files, so that the cells of one are joined to the other: a column of each, or several columns together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, TypeAlias

from evaluators.testsets.columns import folded_name, usual_columns
from evaluators.testsets.naming_key import may_name, naming_columns
from evaluators.testsets.reader import Table, all_chunks, id_text

_MOST_COLUMNS: Final = 8
_TOGETHER: Final = (2, 3)
_FIRST_ROWS: Final = 1000

_Group: TypeAlias = tuple[tuple[str, str], ...]
"""Columns of the one table, each with its like in the other."""
_TextsInBoth: TypeAlias = dict[tuple[str, str], tuple[list[str], list[str]]]


def names_in_both(rows: Table, other: Table, id: str | None) -> tuple[str, str] | None:
    """(ours, theirs): the columns that name the rows of a table and of another one alike; None where nothing does. `id` is the column of
    the rows' ids, if it is known.

    The id of the rows and the usual names come first, then any column, then the fewest columns that name a row together, as a text with
    their names in braces: `{doc}/{page}`.
    """
    usual = usual_columns(other.header, "id")
    for ours, theirs in (([id], usual), ([id], other.header), (rows.header, usual), (rows.header, other.header)):
        named = [name for name in ours if name is not None]
        if named and theirs and (pair := naming_columns(rows, named, other, theirs)) is not None:
            return pair
    return next(_shared_templates(rows, other), None)


def _shared_templates(rows: Table, other: Table) -> Iterator[tuple[str, str]]:
    """The texts, `{doc}/{page}`, of columns that both tables have and that together name each row of both, where half of the names are
    shared: for each group of columns the text for the rows and that for the other table, groups of fewer columns first.

    Columns that repeat in the first rows are left out, then each table is read once. Where columns share less than half, so do they
    with any further one.
    """
    theirs = {folded_name(name): name for name in other.header}
    shared = [(name, theirs[folded_name(name)]) for name in rows.header if name and folded_name(name) in theirs][
        :_MOST_COLUMNS
    ]
    first = _texts_in_both(rows, other, shared, _FIRST_ROWS)
    likely = [group for count in _TOGETHER for group in combinations(first, count) if _names_differ(first, group)]
    columns = [pair for pair in first if any(pair in group for group in likely)]
    texts = _texts_in_both(rows, other, columns) if likely else {}
    apart: list[_Group] = []
    for group in (*((pair,) for pair in texts), *likely):
        if not texts.keys() >= {*group} or any({*few} <= {*group} for few in apart):
            continue
        few, many = sorted(_row_names(texts, group), key=len)
        if 2 * sum(map({*many}.__contains__, few)) < len(few):
            apart.append(group)
        elif len(group) > 1 and all(
            len({*names}) == len(names) and may_name(max(names, key=len)) for names in (few, many)
        ):
            ours, key = ("/".join(f"{{{name}}}" for name in side) for side in zip(*group, strict=True))
            yield ours, key


def _texts_in_both(
    rows: Table, other: Table, shared: Sequence[tuple[str, str]], most: int | None = None
) -> _TextsInBoth:  # fmt: skip
    """The texts of the cells in both tables, or of about `most` first ones, for each pair of columns of which every cell may name."""
    ours = _naming_texts(rows, [name for name, _ in shared], most)
    theirs = _naming_texts(other, [name for _, name in shared], most)
    return {pair: (ours[pair[0]], theirs[pair[1]]) for pair in shared if ours.get(pair[0]) and theirs.get(pair[1])}


def _naming_texts(table: Table, columns: Sequence[str], most: int | None) -> dict[str, list[str]]:
    """The texts of cells by their column, without columns of which one cell cannot name; each text is in memory once."""
    texts: dict[str, list[str]] = {column: [] for column in columns}
    known: dict[str, str] = {}
    count = 0
    for chunk in all_chunks(table, columns) if texts else ():
        for column in list(texts):
            cells = [id_text(cell) for cell in chunk.columns[column]]
            if all(map(may_name, cells)):
                texts[column] += [known.setdefault(text, text) for text in cells]
            else:
                del texts[column]
        count += chunk.count
        if not texts or (most is not None and count >= most):
            break
    return texts


def _row_names(texts: _TextsInBoth, group: _Group) -> list[list[str]]:
    """The names of the rows by several columns, joined by a slash: those of the first table, then those of the other."""
    return [[*map("/".join, zip(*(texts[pair][side] for pair in group), strict=True))] for side in (0, 1)]


def _names_differ(texts: _TextsInBoth, group: _Group) -> bool:
    """Whether the columns of a group give each row of a table a name of its own, in both tables."""
    return all(len({*names}) == len(names) for names in _row_names(texts, group))
