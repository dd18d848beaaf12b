"""JSON lines files."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, Self

from evaluators.issues import Blame, Fault, Issue
from evaluators.model import MISSING
from evaluators.testsets.blocks import line_blocks
from evaluators.testsets.byte_source import ByteSource, reading
from evaluators.testsets.reader import CHUNK_BYTES, SPLIT_BYTES, Cell, Chunk, Reader, Split
from evaluators.value_class import dataclass
from evaluators.values import json_lines
from evaluators.values.json_text import NotJSON

_LOOK_BYTES: Final = 256 * 1024


@dataclass(frozen=True)
class Jsonl(Reader):
    """One JSON object per line; its keys are the columns. Values stay what they are, text stays text."""

    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")

    @classmethod
    def open(cls, source: ByteSource) -> Self:
        """The file. Its header is the keys of the first lines, in the order in which they appear."""
        keys: dict[str, None] = {}
        with reading(source), source.open() as stream:
            block = next(line_blocks(stream, _LOOK_BYTES), b"")
        for line in json_lines.lines(block.removeprefix(codecs.BOM_UTF8)):
            if not isinstance(line.content, NotJSON):
                keys |= dict.fromkeys(line.content)
        return cls(source, tuple(keys))

    def splits(self) -> list[Split]:
        """Pieces that start where a line starts."""
        path = self.source.path
        if self.source.compressed or (size := self.source.size) <= SPLIT_BYTES:
            return [Split(path, 0)]
        ends = [start for start in self._line_starts(size) if start < size]
        return [
            Split(path, index, start, end)
            for index, (start, end) in enumerate(zip([0, *ends], [*ends, None], strict=True))
        ]

    def _line_starts(self, size: int) -> list[int]:
        """Where the first line starts at or after each multiple of SPLIT_BYTES, each once."""
        starts: dict[int, None] = {}
        with reading(self.source), self.source.open() as stream:
            for place in range(SPLIT_BYTES, size, SPLIT_BYTES):
                stream.seek(place - 1)
                stream.readline()
                starts[stream.tell()] = None
        return list(starts)

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows of one piece."""
        names = list(dict.fromkeys(columns))
        read, span = json_lines.reader(names), 0
        with reading(self.source), self.source.open(split.start) as stream:
            for block in line_blocks(stream, CHUNK_BYTES, None if split.end is None else split.end - split.start):
                lines = read(block if split.start or span else block.removeprefix(codecs.BOM_UTF8))
                yield _chunk(names, lines, span)
                span += lines.length

    def knows(self, column: str) -> bool:
        """Whether some line has the key, however far down."""
        if column in self.header:
            return True
        with reading(self.source), self.source.open() as stream:
            quick = json_lines.reader([column])
            return any(
                cell is not MISSING for block in line_blocks(stream, CHUNK_BYTES) for cell in quick(block).columns[0]
            )


def _chunk(names: Sequence[str], lines: json_lines.Lines, span: int) -> Chunk:
    offsets = lines.offsets
    if span:
        first = range(span, span + len(offsets))
        offsets = first if isinstance(offsets, range) else [span + offset for offset in offsets]
    columns: dict[str, list[Cell]] = dict(zip(names, lines.columns, strict=True))  # type: ignore[arg-type]  # lists of cells are widened
    faults = [(index, _issue(error)) for index, error in lines.refused]
    for cells in columns.values():
        for index, issue in faults:
            cells[index] = Fault(issue)
    return Chunk(offsets, span + lines.length, columns, faults)


def _issue(error: NotJSON) -> Issue:
    place = "" if error.position is None else f" at character {error.position + 1}"
    return Issue(
        "unreadable-row",
        Blame.TESTSET,
        f"the line is not a JSON object: {error.message}{place}",
        hint="each line holds one object in braces, on one line",
    )
