"""JSON files that hold their rows in one list, or are a table in another form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import ClassVar, Final, Self

from evaluators.model.issues import Blame, CellError, Issue, Problems
from evaluators.model.registry import suggestion
from evaluators.model.rows import JSON, MISSING
from evaluators.scoring.needs import Cell, too_long
from evaluators.scoring.values.json_text import MAX_CHARS, TEXT_GOES_ON, NotJSON, parse_file
from evaluators.scoring.values.paths import BadPath
from evaluators.scoring.values.paths import parse as parse_path
from evaluators.scoring.values.quoting import first_texts, key_text, kind
from evaluators.testsets.byte_source import ByteSource, refuse_utf16, unusable_file, whole_of
from evaluators.testsets.json_tables import lists_below, table_in
from evaluators.testsets.reader import Chunk, Reader, Split

LONGEST: Final = MAX_CHARS
"""Characters of a cell."""
_SEVERAL: Final = "several-lists"
_CHUNK_ROWS: Final = 200
_HEAD_BYTES: Final = 1024
_SHOWN: Final = 5
_SHAPE: Final = (
    'a list of objects, or an object with one such list, is expected, as pandas writes with `to_json(orient="records")`; '
    "for one object per line write `format: jsonl`"
)


class Json(Reader, frozen=True):
    """A list of objects, or an object with one such list, or with several, of which one is named. The file is held in memory.

    An object that is a table as pandas writes it (`columns` and `data`, or columns of numbered cells), or that has rows by
    their ids, is read, too.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".json",)
    options: ClassVar[frozenset[str]] = frozenset({"list"})

    @classmethod
    def open(cls, source: ByteSource) -> Self:
        """Opens the file, which is read as a whole. Its header is the keys of all rows, in the order in which they appear. Raises Problems
        for a file that holds no list of rows, or several."""
        keys: dict[str, None] = {}
        for row in _rows(source):
            if isinstance(row, dict):
                keys |= dict.fromkeys(row)
        return cls(source, tuple(keys))

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """All rows in chunks with these columns, numbered from 1; a row that is no object is a fault."""
        rows = _rows(self.source)
        for start in range(0, len(rows), _CHUNK_ROWS):
            part = rows[start : start + _CHUNK_ROWS]
            faults = [(index, _not_an_object(row)) for index, row in enumerate(part) if not isinstance(row, dict)]
            end = start + len(part)
            yield Chunk(range(start, end), end, {name: [_cell(row, name) for row in part] for name in columns}, faults)


_ONE_VALUE_A_LINE: Final = (
    "for several values one after another, write one in each line of a .jsonl file, as `jq -c . FILE > rows.jsonl` does"
)


def _rows(source: ByteSource) -> list[JSON]:
    """The list of rows in a JSON file: the file itself, the named list, a table in another form, or the only list of objects in it. Raises
    Problems where it holds none of these, or several lists."""
    try:
        value = parse_file(whole_of(source))
    except NotJSON as error:
        refuse_utf16(source, source.head(_HEAD_BYTES))
        place = "" if error.position is None else f" at character {error.position + 1:,}"
        hint = _ONE_VALUE_A_LINE if error.message == TEXT_GOES_ON else _SHAPE
        raise unusable_file(source, "unreadable-file", f"the file is not JSON: {error.message}{place}", hint) from None
    if source.list is not None:
        return _named_list(source, value, source.list)
    if isinstance(value, list):
        if value and all(isinstance(row, list) for row in value):
            hint = 'write each row as an object, {"id": …, "expected": …, "output": …}, or the rows as CSV below a line of names'
            raise unusable_file(source, "no-rows", "the file holds a list of lists, whose cells have no names", hint)
        return value
    table = table_in(value) if isinstance(value, dict) else None
    if table is not None:
        return list(table)
    pairs = value.items() if isinstance(value, dict) else ()
    lists = {key: item for key, item in pairs if isinstance(item, list) and all(isinstance(row, dict) for row in item)}
    filled = {key: item for key, item in lists.items() if item}
    lists = filled or dict(islice(lists.items(), 1))
    if len(lists) > 1:
        names = ", ".join(f'"{key}"' for key in lists)
        message = f"the file holds an object with {len(lists)} lists of objects: {names}"
        raise _problem_of_several_lists(source, message, key_text(max(lists, key=lambda key: len(lists[key]))))
    if not lists:
        below = dict(lists_below(value))
        shape = f"{kind(value)} with 0 lists of objects" if isinstance(value, dict) else kind(value)
        if not below:
            raise unusable_file(source, "no-rows", f"the file holds {shape}", _SHAPE)
        names = first_texts([f'"{path}"' for path in below], _SHOWN)
        raise _problem_of_several_lists(
            source, f"the file holds {shape}; deeper in it: {names}", max(below, key=below.__getitem__)
        )
    return next(iter(lists.values()))


def _problem_of_several_lists(source: ByteSource, message: str, likely: str) -> Problems:
    """The problem of a file whose list of rows has to be named, with the line that names the one with most rows."""
    return unusable_file(source, _SEVERAL, message, f"say which one: `list: {likely}` under test_set, or --list {likely}")


def _named_list(source: ByteSource, value: JSON, name: str) -> list[JSON]:
    """The list that the settings name by its key or its path. Raises Problems where none is there."""
    rows = value[name] if isinstance(value, dict) and name in value else MISSING
    if rows is MISSING:
        try:
            rows = parse_path(name).get(value)
        except BadPath as error:
            raise unusable_file(source, "bad-path", f'"list: {name}" is no path: {error.message}', error.hint) from None
    if isinstance(rows, list):
        return rows
    here = "nothing" if rows is MISSING else kind(rows)
    hint = "the file is one list: leave out `list`"
    if not isinstance(value, list):
        lists = [key for key, item in value.items() if isinstance(item, list)] if isinstance(value, dict) else []
        hint = suggestion(name, lists) or (f"lists are there: {', '.join(lists)}" if lists else _SHAPE)
    raise unusable_file(
        source, "no-rows", f'"list: {name}" leads to {here} in the file, and a list of rows is expected', hint
    )


def _cell(row: JSON, name: str) -> Cell:
    """The cell of a row under a key; an error for a row that is no object, or a text that is too long."""
    if not isinstance(row, dict):
        return CellError(_not_an_object(row))
    cell = row.get(name, MISSING)
    return too_long(len(cell), LONGEST) if isinstance(cell, str) and len(cell) > LONGEST else cell


def _not_an_object(row: JSON) -> Issue:
    """The problem of a row that is no object."""
    message = f"an object in braces was expected, the list holds {kind(row)} here"
    return Issue("unreadable-row", Blame.TESTSET, message)
