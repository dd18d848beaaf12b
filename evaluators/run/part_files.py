"""The file that one attempt at a split writes into the folder of parts: what is stored of its rows, line by line.

    R[…]     rows, as columns, and the verdicts that their codes stand for
    O…       an outcome
    C…       the cells of a row
    A{…}     an answer of whoever was asked

Whoever scores a split that may be scored twice at the same time gives its file a word of its own, the *attempt*: two workers
never write to one file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Final
from zlib import crc32

from msgspec import Struct

from evaluators.testsets.byte_store import inside, read_from, write_to

PART: Final = ".part"
ROWS, OUTCOMES, CELLS, ANSWERS = b"R", b"O", b"C", b"A"


def new_attempt() -> str:
    """A word that no other attempt has."""
    return os.urandom(4).hex()


def part_name(index: int, attempt: str = "") -> str:
    """The name of the file of a split."""
    return f"{index:06d}{attempt and '-'}{attempt}{PART}"


class FileSum(Struct, frozen=True):
    """How a file is told from one that was cut off or damaged."""

    size: int
    checksum: int
    """CRC-32."""


class PartFile:
    """The file of one attempt at a split, as it is written."""

    def __init__(self, folder: str, index: int, attempt: str = "") -> None:
        self.folder = folder
        self.name = part_name(index, attempt)
        self.sum = FileSum(0, 0)
        """What was written so far."""
        self._stream = write_to(inside(folder, self.name))

    def write(self, kind: bytes, lines: Iterable[bytes]) -> None:
        """Adds lines, which come without their ends."""
        data = b"".join([b"%b%b\n" % (kind, line) for line in lines])
        self._stream.write(data)
        self.sum = FileSum(self.sum.size + len(data), crc32(data, self.sum.checksum))

    def close(self) -> None:
        """Makes the file whole."""
        self._stream.close()


def read_part(place: str) -> Iterator[tuple[bytes, bytes]]:
    """The lines of a file of a split, each with its kind."""
    with read_from(place) as part:
        for line in part:
            yield line[:1], line[1:-1]
