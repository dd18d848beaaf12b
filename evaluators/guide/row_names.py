"""What names the rows of two files, so that the cells of one are joined to the other: a column of each, or several columns together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from evaluators.testsets.columns import folded, usual_columns
from evaluators.testsets.composed import with_paths
from evaluators.testsets.naming_key import names_in, naming_columns
from evaluators.testsets.reader import Table

_MOST_COLUMNS: Final = 8
_TOGETHER: Final = (2, 3)


def names_in_both(rows: Table, other: Table, id: str | None) -> tuple[str, str] | None:
    """What names the rows of a table and of another one; None where nothing does.

    The id of the rows and the usual names come first, then any column, then the fewest columns that name a row together, as a text with
    their names in braces: `{doc}/{page}`.
    """
    usual = usual_columns(other.header, "id")
    for ours, theirs in (([id], usual), ([id], other.header), (rows.header, usual), (rows.header, other.header)):
        named = [name for name in ours if name is not None]
        if named and theirs and (pair := naming_columns(rows, named, other, theirs)) is not None:
            return pair
    return next(_shared_columns(rows, other), None)


def _shared_columns(rows: Table, other: Table) -> Iterator[tuple[str, str]]:
    """The texts of columns that both tables have and that name each row of both, where half of the names are shared."""
    theirs = {folded(name): name for name in other.header}
    shared = [(name, theirs[folded(name)]) for name in rows.header if name and folded(name) in theirs][:_MOST_COLUMNS]
    for count in _TOGETHER:
        for pairs in combinations(shared, count):
            texts = ["/".join(f"{{{name}}}" for name in side) for side in zip(*pairs, strict=True)]
            names = [
                names_in(with_paths(table, [text], ""), [text]).get(text, {})
                for table, text in zip((rows, other), texts, strict=True)
            ]
            if names[0] and names[1] and 2 * len(names[0].keys() & names[1].keys()) >= min(map(len, names)):
                yield texts[0], texts[1]
