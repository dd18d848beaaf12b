"""Bytes of a file in blocks that end where a line ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final

_PART: Final = 1024 * 1024


def line_blocks(stream: BinaryIO, size: int, length: int | None = None, longest: int = -1) -> Iterator[bytes]:
    """The next `length` bytes, or all, in blocks of at least `size` bytes that end with `\\n`; the last may lack it.

    A line that has more than `longest` bytes is cut.
    """
    end = None if length is None else stream.tell() + length
    while block := stream.read(size if end is None else max(0, min(size, end - stream.tell()))):
        if block[-1] != 10 and (end is None or stream.tell() < end):
            block += stream.readline(longest)
        yield block


def short_line_blocks(stream: BinaryIO, size: int, length: int | None, longest: int) -> Iterator[bytes | int]:
    """What `line_blocks` gives, but of a line that has more than `longest` bytes the length alone, as a number in its place.

    Such a line is passed over, and is never in memory as a whole.
    """
    for block in line_blocks(stream, size, length, longest + 1):
        start = block.rfind(b"\n", 0, -1) + 1
        last = len(block) - start
        if last - (block[-1] == 10) <= longest:
            yield block
            continue
        if start:
            yield block[:start]
        yield last if block[-1] == 10 else last + rest_of_line(stream)


def rest_of_line(stream: BinaryIO) -> int:
    """Passes over what is left of a line, and gives its bytes."""
    passed = 0
    while part := stream.readline(_PART):
        passed += len(part)
        if part[-1] == 10:
            break
    return passed
