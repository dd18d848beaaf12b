"""A file elsewhere, read piece by piece: each piece is asked for when it is needed, and comes whole or not at all."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, BinaryIO, Final, cast

_FIRST_BYTES: Final = 256 * 1024
"""How much is asked for at a new place: a header or a footer mostly fits in."""
_MOST_BYTES: Final = 8 * 1024 * 1024
"""How much is asked for at once where a file is read on and on."""
_BUFFER: Final = 128 * 1024


def read_in_ranges(fetch: Callable[[int, int], bytes], size: int, start: int = 0) -> BinaryIO:
    """A stream over a file of `size` bytes, from `start` on. `fetch` gives the bytes from one place to before another."""
    return cast(BinaryIO, io.BufferedReader(RangeReader(fetch, size, start), _BUFFER))


class RangeReader(io.RawIOBase):
    """The bytes of a file in pieces, which grow while the file is read on."""

    def __init__(self, fetch: Callable[[int, int], bytes], size: int, start: int) -> None:
        self._fetch = fetch
        self._size = size
        self._at = start
        self._block = b""
        self._block_start = start
        self._next_bytes = _FIRST_BYTES

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._at >= self._size:
            return 0
        inside = self._at - self._block_start
        if not 0 <= inside < len(self._block):
            self._fill(len(buffer))
            inside = 0
        data = self._block[inside : inside + len(buffer)]
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        self._at = max(0, place + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence])
        return self._at

    def tell(self) -> int:
        return self._at

    def _fill(self, least: int) -> None:
        """The next piece, from where the reader is."""
        reads_on = self._block and self._at == self._block_start + len(self._block)
        self._next_bytes = min(2 * self._next_bytes, _MOST_BYTES) if reads_on else _FIRST_BYTES
        end = min(self._at + max(least, self._next_bytes), self._size)
        self._block = b""  # the old piece goes before the new one comes
        self._block, self._block_start = self._fetch(self._at, end), self._at
