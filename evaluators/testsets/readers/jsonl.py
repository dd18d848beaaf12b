"""JSON lines files."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import ClassVar, Final, Self

from evaluators.model.issues import Blame, CellError, Issue, Problems
from evaluators.model.rows import MISSING
from evaluators.scoring.needs import Cell
from evaluators.scoring.values import json_lines
from evaluators.scoring.values.json_text import MAX_CHARS, NotJSON
from evaluators.testsets.byte_source import ByteSource, reading, refuse_utf16
from evaluators.testsets.reader import CHUNK_BYTES, SPLIT_BYTES, Chunk, Reader, Split, splits_from
from evaluators.testsets.row_texts import rest_of_line, short_line_blocks

LONGEST: Final = MAX_CHARS
"""Bytes of a line; a longer one is not read at all."""
_HEAD_BYTES: Final = 1024
_LOOK_BYTES: Final = 256 * 1024
_LOOK_BLOCKS: Final = 8
"""So many pieces are looked at for the first line that holds an object."""


class Jsonl(Reader, frozen=True):
    """One JSON object per line; its keys are the columns. Values stay what they are, text stays text."""

    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")

    @classmethod
    def open(cls, source: ByteSource) -> Self:
        """Opens the file. Its header is the keys of the first lines that hold an object, in the order in which they appear.

        Raises Problems (test set) where there are lines, and none of those that were looked at holds one.
        """
        keys: dict[str, None] = {}
        refused: list[Issue] = []
        row = 0
        with reading(source), source.open() as stream:
            for block in islice(short_line_blocks(stream, _LOOK_BYTES, None, LONGEST), _LOOK_BLOCKS):
                if isinstance(block, int):
                    refused.append(_issue_of_long_line(block).at(f"{source.name} row {row + 1}"))
                    row += 1
                    continue
                for offset, content in json_lines.lines(block if row else block.removeprefix(codecs.BOM_UTF8)):
                    if isinstance(content, NotJSON):
                        refused.append(_issue_of_line(content).at(f"{source.name} row {row + offset + 1}"))
                    else:
                        keys |= dict.fromkeys(content)
                row += block.count(b"\n")
                if keys:
                    break
        if refused and not keys:
            refuse_utf16(source, source.head(_HEAD_BYTES))
            raise Problems(refused[:1])
        return cls(source, tuple(keys))

    def splits(self) -> list[Split]:
        """The splits of the file, each of which starts where a line starts; one split for a file that is small or compressed."""
        path = self.source.path
        if self.source.compressed or (size := self.source.size) <= SPLIT_BYTES:
            return [Split(path, 0)]
        starts = [0]  # where the first line starts at or after each multiple of SPLIT_BYTES, each once
        with reading(self.source), self.source.open() as stream:
            for position in range(SPLIT_BYTES, size, SPLIT_BYTES):
                if position > starts[-1]:
                    stream.seek(position - 1)
                    rest_of_line(stream)
                    starts.append(stream.tell())
        return splits_from(path, [start for start in starts if start < size])

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows of one split, chunk by chunk, with these columns; a line that holds no object, or is too long, is a fault."""
        names = list(dict.fromkeys(columns))
        read, span = json_lines.reader(names), 0
        with reading(self.source), self.source.open(split.start) as stream:
            length = None if split.end is None else split.end - split.start
            for block in short_line_blocks(stream, CHUNK_BYTES, length, LONGEST):
                if isinstance(block, int):
                    fault = CellError(_issue_of_long_line(block))
                    yield Chunk([span], span + 1, {name: [fault] for name in names}, [(0, fault.issue)])
                    span += 1
                    continue
                lines = read(block if split.start or span else block.removeprefix(codecs.BOM_UTF8))
                yield _chunk(names, lines, span)
                span += lines.length

    def knows(self, column: str) -> bool:
        """Whether some line has the key, however far down."""
        if column in self.header:
            return True
        with reading(self.source), self.source.open() as stream:
            quick = json_lines.reader([column])
            blocks = short_line_blocks(stream, CHUNK_BYTES, None, LONGEST)
            return any(
                cell is not MISSING for block in blocks if isinstance(block, bytes) for cell in quick(block).columns[0]
            )


def _chunk(names: Sequence[str], lines: json_lines.Lines, span: int) -> Chunk:
    """The chunk of some lines, whose cells stand for the columns `names`; `span` counts the lines before them in the split. A line that
    cannot be read is a fault, and so is each of its cells."""
    offsets = lines.offsets
    if span:
        first = range(span, span + len(offsets))
        offsets = first if isinstance(offsets, range) else [span + offset for offset in offsets]
    columns: dict[str, list[Cell]] = dict(zip(names, lines.columns, strict=True))  # type: ignore[arg-type]  # lists of cells are widened
    faults = [(index, _issue_of_line(error)) for index, error in lines.refused]
    for cells in columns.values():
        for index, issue in faults:
            cells[index] = CellError(issue)
    return Chunk(offsets, span + lines.length, columns, faults)


_NO_NUMBERS: Final = ("NaN", "Infinity", "-Infinity")
"""What Python writes, and JSON has no word for."""


def _issue_of_line(error: NotJSON) -> Issue:
    """The problem of a line that holds no object."""
    place = "" if error.position is None else f" at character {error.position + 1}"
    hint = "each line holds one object in braces, on one line"
    if error.message.startswith(_NO_NUMBERS):
        hint = "write null where there is no number"
    message = f"the line is not a JSON object: {error.message}{place}"
    return Issue("unreadable-row", Blame.TESTSET, message, hint=hint)


def _issue_of_long_line(length: int) -> Issue:
    """The problem of a line with more bytes than are read."""
    hint = "each line holds one row: is a line break missing?"
    message = f"the line has {length:,} bytes; up to {LONGEST:,} are read"
    return Issue("unreadable-row", Blame.TESTSET, message, hint=hint)
