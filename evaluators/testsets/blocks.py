"""Bytes of a file in blocks that end where a line ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final

_PART: Final = 1024 * 1024


def line_blocks(stream: BinaryIO, size: int, length: int | None = None, longest: int = -1) -> Iterator[bytes]:
    """The next `length` bytes, or all, in blocks of at least `size` bytes that end with `\\n`; the last may lack it.

    A line that has more than `longest` bytes is cut.
    """
    left = length
    while left is None or left > 0:
        block = stream.read(size if left is None else min(size, left))
        if not block:
            return
        if block[-1] != 10 and (left is None or len(block) < left):
            block += stream.readline(longest)
        if left is not None:
            left -= len(block)
        yield block


def short_line_blocks(stream: BinaryIO, size: int, length: int | None, longest: int) -> Iterator[bytes | int]:
    """The same; a line that has more than `longest` bytes is passed over: its length is given, and it is never in memory as a whole."""
    left = length
    while left is None or left > 0:
        block = stream.read(size if left is None else min(size, left))
        if not block:
            return
        long = 0
        if block[-1] != 10 and (left is None or len(block) < left):
            start = block.rfind(b"\n") + 1
            rest = stream.readline(max(1, longest - (len(block) - start) + 1))
            if rest[-1:] == b"\n" or len(block) - start + len(rest) <= longest:
                block += rest
            else:
                long = len(block) - start + len(rest) + rest_of_line(stream)
                block = block[:start]
        if block:
            yield block
        if long:
            yield long
        if left is not None:
            left -= len(block) + long


def rest_of_line(stream: BinaryIO) -> int:
    """Passes over what is left of a line, and gives its bytes."""
    passed = 0
    while part := stream.readline(_PART):
        passed += len(part)
        if part[-1] == 10:
            break
    return passed
