"""JSON lines: one JSON object per line, read into columns.

Strategy. A whole block of lines goes through msgspec at once, into an object that has only the columns that are wanted,
so that nothing else is built. When the block holds anything but one object per line (a blank line, a line that is broken,
two objects on a line) it is read again line by line, with the rules of `json_text`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import msgspec

from evaluators.model.rows import JSON, MISSING, Missing
from evaluators.scoring.values.json_text import MAX_DEPTH, REFUSED, NotJSON, parse

_OPEN, _CLOSE, _RETURN = b"{}\r"
_CONTAINERS = frozenset({dict, list})
_UNUSUAL = re.compile(r'["\\\x00-\x1f\ud800-\udfff]').search
"""A key with one of these cannot be the name of a field that msgspec reads."""


class Lines(msgspec.Struct, frozen=True):
    """A block of lines as columns: one list per wanted key, MISSING where a line lacks it."""

    offsets: Sequence[int]
    length: int
    """Lines of the block, blank ones included."""
    columns: list[list[JSON | Missing]]
    refused: list[tuple[int, NotJSON]]
    """Position in the columns, and the reason; the cells there are MISSING."""


def reader(keys: Sequence[str]) -> Callable[[bytes], Lines]:
    """A function that reads a block of lines, each an object in JSON, into the columns of `keys`. It reads the block at once, or line by
    line where a key cannot be the name of a field of msgspec."""
    if any(map(_UNUSUAL, keys)):
        return lambda block: _lines_one_by_one(block, keys)
    names = [f"column_{index}" for index in range(len(keys))]
    row = msgspec.defstruct(
        "Row",
        [(name, Any, MISSING) for name in names],
        rename=dict(zip(names, keys, strict=True)),
        gc=False,
    )
    decode = msgspec.json.Decoder(row).decode_lines
    cells = [attrgetter(name) for name in names]

    def read(block: bytes) -> Lines:
        """The columns of a block. It is decoded at once, or line by line where msgspec refuses it, an object is not on a line of its
        own, or it may be nested too deep."""
        try:
            rows = decode(block)
        except REFUSED:
            return _lines_one_by_one(block, keys)
        if not _one_object_per_line(block, len(rows)):
            return _lines_one_by_one(block, keys)
        columns = [list(map(cell, rows)) for cell in cells]
        if any(not _CONTAINERS.isdisjoint(map(type, column)) for column in columns) and _may_be_too_deep(block):
            return _lines_one_by_one(block, keys)
        return Lines(range(len(rows)), len(rows), columns, [])

    return read


def lines(block: bytes) -> list[tuple[int, dict[str, JSON] | NotJSON]]:
    """Each line that is not blank: its place in the block, and its object or the reason why there is none."""
    return [(offset, _object_of_line(line)) for offset, line in enumerate(_split_lines(block)) if not line.isspace()]


def _one_object_per_line(block: bytes, count: int) -> bool:
    """Whether a block that msgspec has read as `count` objects has each of them on a line of its own.

    Every line break must stand between `}` and `{`. There it ends an object, as braces inside an object have a comma between
    them. Then there are as many objects as lines, unless two share a line.
    """
    if not block.startswith(b"{"):
        return False
    find = block.find
    separate, position, last = 1, 0, len(block) - 1
    while (position := find(b"\n", position)) >= 0 and position != last:
        end = position - 2 if block[position - 1] == _RETURN else position - 1
        if block[end] != _CLOSE or block[position + 1] != _OPEN:
            return False
        separate += 1
        position += 1
    return separate == count


def _may_be_too_deep(block: bytes) -> bool:
    """Whether some line has so many brackets that its nesting must be looked at."""
    return any(
        len(line) > 2 * MAX_DEPTH and line.count(b"[") + line.count(b"{") > MAX_DEPTH for line in block.split(b"\n")
    )


def _lines_one_by_one(block: bytes, keys: Sequence[str]) -> Lines:
    """The lines of a block, read one by one: where some line is no object, the others still count."""
    found = lines(block)
    absent: dict[str, JSON] = {}
    rows = [absent if isinstance(content, NotJSON) else content for _, content in found]
    return Lines(
        [offset for offset, _ in found],
        len(_split_lines(block)),
        [[row.get(key, MISSING) for row in rows] for key in keys],
        [(index, content) for index, (_, content) in enumerate(found) if isinstance(content, NotJSON)],
    )


def _split_lines(block: bytes) -> list[bytes]:
    """The lines of a block, each with its line break."""
    return [line + b"\n" for line in block.removesuffix(b"\n").split(b"\n")] if block else []


def _object_of_line(line: bytes) -> dict[str, JSON] | NotJSON:
    """The object that a line holds; NotJSON for any other line."""
    try:
        value = parse(line.strip())
    except NotJSON as error:
        return error
    return value if isinstance(value, dict) else NotJSON("an object in braces was expected", 0)
