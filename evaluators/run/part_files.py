"""The files that one split writes into the folder of parts, and what went into them.

Whoever scores a split that may be scored twice at the same time gives its files a word of their own, the *attempt*: two workers
never write to one file.
"""

from __future__ import annotations

import io
import os
import re
from pathlib import PurePath
from typing import Any, BinaryIO, Final, Literal, TypeAlias, cast
from zlib import crc32

from evaluators.testsets.byte_store import inside, write_to
from evaluators.value_class import NamedTuple

PartKind: TypeAlias = Literal["rows", "outcomes", "cells", "answers"]
PART: Final = ".part"
KEPT: Final = re.compile(r"split-([0-9]{6,12})\.json")
"""Names of the files that say that a split is finished."""


def new_attempt() -> str:
    """A word that no other attempt has."""
    return os.urandom(4).hex()


def part_name(kind: str, index: int, attempt: str = "") -> str:
    """The name of one part."""
    return f"{kind}-{index:06d}{attempt and '-'}{attempt}{PART}"


def part_path(folder: str, kind: str, index: int, attempt: str = "") -> str:
    """The place of one part."""
    return inside(folder, part_name(kind, index, attempt))


def kept_name(index: int) -> str:
    """The name of the file that says that a split is finished."""
    return f"split-{index:06d}.json"


class FileSum(NamedTuple):
    """How a file is told from one that was cut off or damaged."""

    size: int
    checksum: int
    """CRC-32."""


class SplitFiles:
    """The files of one attempt at a split."""

    def __init__(self, folder: str, index: int, attempt: str = "") -> None:
        self.folder = folder
        self.index = index
        self.attempt = attempt
        self._streams: dict[str, _SummedStream] = {}

    def place(self, kind: PartKind) -> str:
        """The place of one of them."""
        return part_path(self.folder, kind, self.index, self.attempt)

    def open(self, place: str) -> BinaryIO:
        """A stream that makes the file; what goes into it is summed up where the attempt has a word of its own."""
        if not self.attempt:
            return write_to(place)
        stream = self._streams[PurePath(place).name] = _SummedStream(write_to(place))
        return cast(BinaryIO, stream)

    def sums(self) -> dict[str, FileSum]:
        """What was written, by the name of the file, once the streams are closed."""
        return {name: FileSum(stream.size, stream.checksum) for name, stream in self._streams.items()}


class _SummedStream(io.BufferedIOBase):
    """Writes on into another stream, and knows the size and the checksum of what it wrote."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.size = self.checksum = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.size += len(data)
        self.checksum = crc32(data, self.checksum)
        return self._stream.write(data)

    def close(self) -> None:
        if not self.closed:
            try:
                self._stream.close()
            finally:
                super().close()
