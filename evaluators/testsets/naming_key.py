"""Which key names the documents of two lists, so that they can be paired by it, and whether their places say otherwise; and which
columns name the rows of two tables.

A key names documents where each of them has it, with a text or a whole number that no other one of its list has. A field of the
content may do so, too (two invoices rarely have the same total), and an output may have it wrong: so a key that is not called like an
id pairs only where it names all documents of both lists, and the places are wrong by it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from evaluators.scoring.needs import Cell
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.testsets.columns import folded_name
from evaluators.testsets.reader import Table, all_chunks, id_text, rows_of

_WORD: Final = late_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_IDS: Final = frozenset(("id", "uuid", "guid", "key", "doc", "document", "file", "filename"))
"""The last word of what people call an id."""
FILE: Final = late_pattern(
    r"(.+)\.(?:png|jpe?g|gif|webp|bmp|tiff?|pdf|txt|md|html?|xml|jsonl?|csv|tsv|ya?ml|docx?|xlsx?|pptx?|eml|msg|wav|mp3|flac|m4a|mp4|py|sql)",
    re.IGNORECASE,
)
"""The name of a file; its first group is the name without the ending."""
_MOST_COLUMNS: Final = 60
_LONGEST: Final = 200
"""Characters of a name."""


class NamingKey(Struct, frozen=True):
    """A key that names each document of two lists."""

    key: str
    shared: int
    """The names that both lists have."""
    elsewhere: int
    """Those of them that stand at another place in the other list."""
    all_shared: bool
    """Both lists have the same names."""

    @property
    def is_called_id(self) -> bool:
        """Whether the key is called like an id: `doc_id`, `SubjectEntityID`."""
        return called_id(self.key)

    @property
    def pairs_documents(self) -> bool:
        """Whether documents are paired by the key rather than by their places."""
        if self.is_called_id:
            return self.shared > 0
        return self.all_shared and 2 * self.elsewhere > self.shared

    @property
    def contradicts_places(self) -> bool:
        """Whether the places are wrong by the key: most shared names stand at another place, or a key that is called like an id shares
        none."""
        return 2 * self.elsewhere > self.shared or (self.is_called_id and not self.shared)


def called_id(name: str) -> bool:
    """Whether a key or a column is called like an id: `doc_id`, `SubjectEntityID`."""
    words = _WORD.findall(name)
    return bool(words) and words[-1].casefold() in _IDS


def naming_keys(items: Sequence[Any], other: Sequence[Any]) -> list[NamingKey]:
    """The keys that name each document of both lists: first those that are called like an id, then those that share more names."""
    first = items[0] if items and isinstance(items[0], Mapping) else {}
    naming = []
    for key in first:
        names, others = names_by(key, items), names_by(key, other)
        if names is None or others is None:
            continue
        other_places = {name: place for place, name in enumerate(others)}
        shared = [(place, other_places[name]) for place, name in enumerate(names) if name in other_places]
        elsewhere = sum(place != other_place for place, other_place in shared)
        naming.append(NamingKey(str(key), len(shared), elsewhere, len(shared) == len(names) == len(others)))
    return sorted(naming, key=lambda naming_key: (not naming_key.is_called_id, -naming_key.shared))


def naming_columns(table: Table, ours: Sequence[str], other: Table, theirs: Sequence[str]) -> tuple[str, str] | None:
    """The columns by which the rows of two tables are paired: each names every row of its table, and some names are in both.

    `ours` and `theirs` are the columns that may be it. Of several pairs, those that are called like an id come first, then the one that
    shares most, then one name on both sides. Columns that are called like nothing pair where they have one name and share half of
    theirs. None where no pair does, or where the two best say otherwise of a row.
    """
    here, there = names_in(table, ours), names_in(other, theirs)
    return _best_pair(here, ours, there, theirs) or _pair_of_files(here, there)


def without_ending(name: str) -> str:
    """The name of a file without its ending and the folders before it; any other text as it is."""
    match = FILE.fullmatch(name)
    return str(match[1]).replace("\\", "/").rpartition("/")[2] if match is not None else name


def pair_without_endings(ids: Collection[str], others: Collection[str]) -> bool:
    """Whether two lists of ids have none in common, and have some where names of files lose their endings, while the ids of each list stay
    different from one another."""
    if not {*ids}.isdisjoint(others):
        return False
    names, other_names = ({*map(without_ending, each)} for each in (ids, others))
    unlike = len(names) == len({*ids}) and len(other_names) == len({*others})
    return unlike and not names.isdisjoint(other_names)


def _pair_of_files(
    here: Mapping[str, Mapping[str, int]], there: Mapping[str, Mapping[str, int]]
) -> tuple[str, str] | None:
    """The columns by which rows are paired where both hold names of files that are alike without their endings; they have one name, or are
    both called like an id. None where there are no such columns."""
    for column, names in here.items():
        for key, others in there.items():
            are_ids = folded_name(column) == folded_name(key) or (called_id(column) and called_id(key))
            if are_ids and pair_without_endings(names, others):
                return column, key
    return None


def _best_pair(
    here: Mapping[str, Mapping[str, int]],
    ours: Sequence[str],
    there: Mapping[str, Mapping[str, int]],
    theirs: Sequence[str],
) -> tuple[str, str] | None:
    """The best pair of columns by which rows are paired, by the rules of `naming_columns`; None where there is none. `here` and `there`
    have the place of each row by its name, for each column that names every row."""
    ranked: list[tuple[tuple[bool, int, bool], str, str]] = []
    for column, names in here.items():
        for key, others in there.items():
            shared = len(names.keys() & others.keys())
            is_id = called_id(column) or called_id(key) or len(ours) == 1 or len(theirs) == 1
            same = folded_name(column) == folded_name(key)
            if shared and (is_id or (same and 2 * shared >= min(len(names), len(others)))):
                ranked.append(((is_id, shared, same), column, key))
    if not ranked:
        return None
    best = max(rank for rank, _, _ in ranked)
    pairs = [(column, key) for rank, column, key in ranked if rank == best]
    paired = [{at: there[key][name] for name, at in here[column].items() if name in there[key]} for column, key in pairs]
    return pairs[0] if all(pair == paired[0] for pair in paired) else None


def names_in(table: Table, columns: Sequence[str]) -> dict[str, dict[str, int]]:
    """The place of each row by its name, for each of the columns that names every row: by a text of one line, or a whole number."""
    counts: dict[str, dict[str, int]] = {column: {} for column in columns[:_MOST_COLUMNS]}
    count = 0
    for chunk in all_chunks(table, list(counts)) if counts else ():
        for column in list(counts):
            known, cells = counts[column], chunk.columns[column]
            names = {id_text(cell): count + at for at, cell in enumerate(cells) if may_name(cell)}
            if len(names) < chunk.count or not known.keys().isdisjoint(names):
                del counts[column]
            else:
                known |= names
        count += chunk.count
        if not counts:
            break
    return {column: names for column, names in counts.items() if names}


def ids_in(table: Table, column: str) -> set[str]:
    """The different ids that the rows of a table have in a column, as texts."""
    return {id_text(cell) for _, (cell,) in rows_of(table, [column])}


def may_name(cell: Cell) -> bool:
    """Whether a cell may name its row: a text of one line that is not long, or a whole number."""
    if cell.__class__ is str:
        return 0 < len(str(cell)) <= _LONGEST and "\n" not in str(cell)
    return cell.__class__ is int


def names_by(key: str, items: Sequence[Any]) -> list[str] | None:
    """The name that each document has by a key; None where one has none, or two have the same."""
    names = []
    for item in items:
        value = item.get(key) if isinstance(item, Mapping) else None
        if value.__class__ not in (str, int):
            return None
        names.append(id_text(value))
    return names if all(names) and len(set(names)) == len(names) else None


def agree_somewhere(items: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether some document equals the one at its place in the other list, or has a value of a key in common with it."""
    return any(
        a == b
        or (isinstance(a, Mapping) and isinstance(b, Mapping) and any(b.get(key) == value for key, value in a.items()))
        for a, b in zip(items, other, strict=False)
    )
