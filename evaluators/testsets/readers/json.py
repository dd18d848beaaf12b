"""JSON files that hold their rows in one list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, Self

from evaluators.issues import Blame, CellError, Issue
from evaluators.model import JSON, MISSING
from evaluators.needs import Cell, too_long
from evaluators.testsets.byte_source import ByteSource, broken, whole_of
from evaluators.testsets.reader import Chunk, Reader, Split
from evaluators.values.json_text import MAX_CHARS, NotJSON, parse_file
from evaluators.values.quoting import kind

LONGEST: Final = MAX_CHARS
"""Characters of a cell."""
_CHUNK_ROWS: Final = 200
_SHAPE: Final = (
    "a list of objects, or an object with one such list, is expected; for one object per line write `format: jsonl`"
)


class Json(Reader, frozen=True):
    """A list of objects, or an object with one such list. The file is held in memory; JSON lines are not."""

    suffixes: ClassVar[tuple[str, ...]] = (".json",)

    @classmethod
    def open(cls, source: ByteSource) -> Self:
        """The file. Its header is the keys of all objects, in the order in which they appear."""
        keys: dict[str, None] = {}
        for row in _rows(source):
            if isinstance(row, dict):
                keys |= dict.fromkeys(row)
        return cls(source, tuple(keys))

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows, numbered from 1."""
        rows = _rows(self.source)
        for start in range(0, len(rows), _CHUNK_ROWS):
            part = rows[start : start + _CHUNK_ROWS]
            faults = [(index, _not_an_object(row)) for index, row in enumerate(part) if not isinstance(row, dict)]
            end = start + len(part)
            yield Chunk(range(start, end), end, {name: [_cell(row, name) for row in part] for name in columns}, faults)


def _rows(source: ByteSource) -> list[JSON]:
    try:
        value = parse_file(whole_of(source))
    except NotJSON as error:
        place = "" if error.position is None else f" at character {error.position + 1:,}"
        raise broken(source, "unreadable-file", f"the file is not JSON: {error.message}{place}", _SHAPE) from None
    lists = [value] if isinstance(value, list) else []
    if isinstance(value, dict):
        lists = [item for item in value.values() if isinstance(item, list) and all(isinstance(row, dict) for row in item)]
    if len(lists) != 1:
        found = f"{kind(value)} with {len(lists)} lists of objects" if isinstance(value, dict) else kind(value)
        raise broken(source, "no-rows", f"the file holds {found}", _SHAPE)
    return lists[0]


def _cell(row: JSON, name: str) -> Cell:
    if not isinstance(row, dict):
        return CellError(_not_an_object(row))
    cell = row.get(name, MISSING)
    return too_long(len(cell), LONGEST) if isinstance(cell, str) and len(cell) > LONGEST else cell


def _not_an_object(row: JSON) -> Issue:
    message = f"an object in braces was expected, the list holds {kind(row)} here"
    return Issue("unreadable-row", Blame.TESTSET, message)
