"""Which key names the documents of two lists, so that they can be paired by it, and whether their places say otherwise; and which
columns name the rows of two tables.

A key names documents where each of them has it, with a text or a whole number that no other one of its list has. A field of the
content may do so, too (two invoices rarely have the same total), and an output may have it wrong: so a key that is not called like an
id pairs only where it names all documents of both lists, and the places are wrong by it, and where no key that is called like an id
names the documents of both.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from evaluators.scoring.needs import Cell
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.testsets.columns import folded_name, usual_columns
from evaluators.testsets.reader import Table, all_chunks, id_text, rows_of

_WORD: Final = late_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_IDS: Final = frozenset(("id", "uuid", "guid", "key", "doc", "document", "file", "filename"))
"""The last word of what people call an id."""
FILE: Final = late_pattern(
    r"(.+)\.(?:png|jpe?g|gif|webp|bmp|tiff?|pdf|txt|md|html?|xml|jsonl?|csv|tsv|ya?ml|docx?|xlsx?|pptx?|eml|msg|wav|mp3|flac|m4a|mp4|py|sql)",
    re.IGNORECASE,
)
"""The name of a file; its first group is the name without the ending."""
_WHOLE: Final = late_pattern(r"(-?\d+)\.0+")
_ZEROS: Final = late_pattern(r"(?<![\d.])0+(?=\d)")
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
    other_key: str = ""
    """The key in the other list, which may be written in another style: `docId` beside `doc_id`."""
    spelt_otherwise: bool = False
    """No name is in both, and some are alike as plain ids."""

    @property
    def is_called_id(self) -> bool:
        """Whether the key is called like an id: `doc_id`, `SubjectEntityID`."""
        return called_id(self.key)

    @property
    def pairs_documents(self) -> bool:
        """Whether documents are paired by the key rather than by their places."""
        if self.is_called_id:
            return self.shared > 0 or self.spelt_otherwise
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
    """The keys that name each document of both lists: first those that are called like an id, then those that share more names. The keys
    of the first documents are tried; one that is called like an id may be written in another style in the `other` list."""
    first, other_first = (side[0] if side and isinstance(side[0], Mapping) else {} for side in (items, other))
    styles = {folded_name(str(key)): key for key in other_first}
    naming = []
    for key in first:
        names, other_key = names_by(key, items), key
        if names is not None and key not in other_first and called_id(str(key)):
            other_key = styles.get(folded_name(str(key))) or _key_of_same_names(names, other)
        others = names_by(other_key, other)
        if names is None or others is None:
            continue
        other_places = {name: place for place, name in enumerate(others)}
        shared = [(place, other_places[name]) for place, name in enumerate(names) if name in other_places]
        elsewhere = sum(place != other_place for place, other_place in shared)
        naming.append(
            NamingKey(
                str(key),
                len(shared),
                elsewhere,
                len(shared) == len(names) == len(others),
                str(other_key),
                ids_spelt_otherwise(names, others) is not None,
            )
        )
    return sorted(naming, key=lambda naming_key: (not naming_key.is_called_id, -naming_key.shared))


def _key_of_same_names(names: Collection[str], items: Sequence[Any]) -> str:
    """The key called like an id under which documents have the most of these names, `instance_id` beside `id`; "" where none has one."""
    shared = {
        key: len({*names}.intersection(others))
        for key in items[0]
        if called_id(str(key)) and (others := names_by(key, items)) is not None
    }
    best = max(shared, key=lambda key: shared[key], default="")
    return best if shared.get(best) else ""


def naming_columns(table: Table, ours: Sequence[str], other: Table, theirs: Sequence[str]) -> tuple[str, str] | None:
    """The columns by which the rows of two tables are paired: each names every row of its table, and some names are in both.

    `ours` and `theirs` are the columns that may be it. Of several pairs, those that are called like an id come first, then the one that
    shares most, then one name on both sides. Ids of two columns that are called so may be spelt otherwise. Columns that are called like
    nothing pair where they have one name and share half of theirs, and no column called like an id names the rows of both tables, or they
    hold what the model was asked. None where no pair does, or where the two best say otherwise of a row.
    """
    here, there = names_in(table, ours), names_in(other, theirs)
    return _best_pair(here, ours, there, theirs)


def without_ending(name: str) -> str:
    """The name of a file without its ending and the folders before it; any other text as it is."""
    match = FILE.fullmatch(name)
    return str(match[1]).replace("\\", "/").rpartition("/")[2] if match is not None else name


def plain_id(id: str) -> str:
    """The id as ids of two files are compared that are spelt otherwise: without folders and the ending of a file, without zeros before a
    number and `.0` after it, in lower case. `0012`, `12` and `12.0` are one, and so are `INV-1` and `scans/inv-01.pdf`."""
    name = without_ending(id.strip())
    whole = _WHOLE.fullmatch(name)
    return _ZEROS.sub("", whole[1] if whole is not None else name).casefold()


def ids_spelt_otherwise(ids: Collection[str], others: Collection[str]) -> tuple[str, str] | None:
    """The first two ids that are alike as plain ids, where two lists of ids have none in common, while the ids of each list stay different
    from one another; None where the lists cannot be paired so."""
    if not {*ids}.isdisjoint(others):
        return None
    names, other_names = ({plain_id(id): id for id in sorted({*each})} for each in (ids, others))
    if len(names) < len({*ids}) or len(other_names) < len({*others}):
        return None
    return next(((id, other_names[name]) for name, id in names.items() if name in other_names), None)


def _best_pair(
    here: Mapping[str, Mapping[str, int]],
    ours: Sequence[str],
    there: Mapping[str, Mapping[str, int]],
    theirs: Sequence[str],
) -> tuple[str, str] | None:
    """The columns by which rows are paired, by the rules of `naming_columns`; None where there are none, or where the best pair rows
    otherwise than each other. `here` and `there` have the place of each row by its name, for each column that
    names every row."""
    ids = {folded_name(column) for column in here if called_id(column)}
    ids_on_both_sides = not ids.isdisjoint(map(folded_name, there))
    ranked: list[tuple[tuple[bool, int, bool], str, str, dict[int, int]]] = []
    for column, own_names in here.items():
        for key, other_names in there.items():
            same = folded_name(column) == folded_name(key)
            names, others = own_names, other_names
            if _may_be_spelt_otherwise(column, names, key, others) and ids_spelt_otherwise(names, others) is not None:
                names, others = ({plain_id(name): at for name, at in each.items()} for each in (names, others))
            shared = {at: others[name] for name, at in names.items() if name in others}
            is_id = called_id(column) or called_id(key) or len(ours) == 1 or len(theirs) == 1
            asked = bool(usual_columns([column], "input"))
            is_value = same and (asked or not ids_on_both_sides) and 2 * len(shared) >= min(len(names), len(others))
            if shared and (is_id or is_value):
                ranked.append(((is_id, len(shared), same), column, key, shared))
    best = max((rank for rank, *_ in ranked), default=None)
    pairs = [(column, key, shared) for rank, column, key, shared in ranked if rank == best]
    if not pairs or any(shared != pairs[0][2] for _, _, shared in pairs):
        return None
    column, key, _ = pairs[0]
    return column, key


def _may_be_spelt_otherwise(column: str, names: Iterable[str], key: str, others: Iterable[str]) -> bool:
    """Whether two columns may hold the same ids in other spellings: both are called like ids, or have one name and hold names of files."""
    if called_id(column) and called_id(key):
        return True
    return folded_name(column) == folded_name(key) and any(all(map(FILE.fullmatch, each)) for each in (names, others))


def names_in(table: Table, columns: Sequence[str]) -> dict[str, dict[str, int]]:
    """The place of each row by its name, for each of the columns that names every row, and no two alike: by a text of one line, or a whole
    number. At most `_MOST_COLUMNS` columns are looked at."""
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
