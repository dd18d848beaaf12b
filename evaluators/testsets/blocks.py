"""Bytes of a file in blocks that end where a line ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO


def line_blocks(stream: BinaryIO, size: int, length: int | None = None) -> Iterator[bytes]:
    """The next `length` bytes, or all, in blocks of at least `size` bytes that end with `\\n`; the last may lack it."""
    left = length
    while left is None or left > 0:
        block = stream.read(size if left is None else min(size, left))
        if not block:
            return
        if block[-1] != 10 and (left is None or len(block) < left):
            block += stream.readline()
        if left is not None:
            left -= len(block)
        yield block
