"""Documents that stand in one file: a JSON list, or JSON lines. The file is held in memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from evaluators.issues import Blame, CellError, Issue
from evaluators.model import JSON
from evaluators.needs import Cell
from evaluators.testsets.byte_source import ByteSource, whole_of
from evaluators.testsets.columns import USUAL_NAMES, folded, is_usual
from evaluators.testsets.memory_rows import MemoryRows
from evaluators.testsets.reader import id_text
from evaluators.values.json_text import NotJSON, parse

LINES: Final = (".jsonl", ".ndjson")
_MARK: Final = b"\xef\xbb\xbf"


def listed_rows(source: ByteSource, key: str | None, **more: Any) -> MemoryRows:
    """One row per document of a list. Its id is the value of `key` in it, or its place in the list, from 1."""
    noun = "id" if key else "place in the list"
    return MemoryRows(("id", "expected"), partial(_columns, source, key), source.name, noun, files=(source,), **more)


def _columns(source: ByteSource, key: str | None) -> dict[str, Sequence[Cell]]:
    items = list_in(source) or []
    return {"id": ids_of(items, key), "expected": items}


def list_in(source: ByteSource) -> list[Cell] | None:
    """The documents of a file that holds several; None for a file that is one document, or none that can be read.

    A line that is not JSON is a fault in its place.
    """
    data = whole_of(source).removeprefix(_MARK)
    if source.suffix in LINES:
        return [_of_line(line, number) for number, line in enumerate(data.split(b"\n"), start=1) if line.strip()]
    try:
        value = parse(data)
    except NotJSON:
        return None
    return list(value) if isinstance(value, list) else None


def common_key(lists: Sequence[Sequence[Cell]], named: str | None = None) -> str | None:
    """The key that names the documents in every list: the one that is asked for, or one with a usual name.

    A usual name is taken when every document has it, and no two documents of a list have the same.
    """
    if named is not None:
        return named
    first = next((item for items in lists for item in items if isinstance(item, dict)), {})
    usual = [key for key in first if is_usual(key, "id")]
    return next((key for key in usual if all(_names_each(key, items) for items in lists)), None)


def are_rows(items: Sequence[Cell], role: str) -> bool:
    """Whether the items are rows with a column for the role, as in `{"id": …, "expected": …}`, and no documents."""
    other = USUAL_NAMES["output" if role == "expected" else "expected"]
    own = USUAL_NAMES["output" if role == "output" else "expected"]
    beside = {*USUAL_NAMES["id"], *USUAL_NAMES["input"], *own}
    keys = [{folded(key) for key in item} for item in items if isinstance(item, dict)]
    return (
        len(keys) == len(items) > 0
        and all(one & set(own) and one & set(USUAL_NAMES["id"]) for one in keys)
        and all(one <= beside and not one & set(other) for one in keys)
    )


def ids_of(items: Sequence[Cell], key: str | None) -> list[str]:
    """The id of each document."""
    if key is None:
        return [str(place) for place in range(1, len(items) + 1)]
    return [id_text(item.get(key)) if isinstance(item, dict) else "" for item in items]


def _names_each(key: str, items: Sequence[Cell]) -> bool:
    ids = ids_of(items, key)
    return "" not in ids and len(set(ids)) == len(ids)


def _of_line(line: bytes, number: int) -> JSON | CellError:
    try:
        return parse(line.strip())
    except NotJSON as error:
        return CellError(Issue("unreadable-row", Blame.TESTSET, f"line {number:,} is not JSON: {error.message}"))
