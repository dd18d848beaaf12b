"""What a batch came to, as bytes on their way to whoever merges batches. Read as data from a stranger."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Final

from evaluators.needs import Cell
from evaluators.run.kept_splits import check_shape, typed_ways
from evaluators.run.split_result import SplitResult
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.testsets.memory_rows import row_bytes
from evaluators.value_class import dataclass

WHOLE: Final = 2**128
MOST_BYTES: Final = 1024**3
"""What sums may unpack to."""

Range = tuple[int, int]
"""Numbers from the first to the last, both included."""


@dataclass(frozen=True, slots=True)
class SumsOfBatch:
    """What a batch came to."""

    suite_fingerprint: str
    version: str
    """The version of this package that scored it."""
    numbered: bool
    """Its rows have numbers of their own; else they count from 0 on."""
    rows: tuple[Range, ...]
    """The numbers of its rows, ascending."""
    digest: int
    """See `digest_of_rows`."""
    result: SplitResult
    """Rows as offsets from the first one."""

    def packed(self) -> bytes:
        """As bytes, with a checksum in front: `unpacked` reads them."""
        text = json.dumps(typed_ways().of(SumsOfBatch).pack(self), separators=(",", ":"), check_circular=False).encode()
        data = zlib.compress(text)
        return zlib.crc32(data).to_bytes(4, "big") + data

    @property
    def first(self) -> int:
        """The number of the first row."""
        return self.rows[0][0]


def ranges_of(numbers: Iterable[int]) -> tuple[Range, ...]:
    """Ascending numbers as ranges. A number that comes again begins another range."""
    found: list[Range] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1] = found[-1][0], number
        else:
            found.append((number, number))
    return tuple(found)


def digest_of_rows(columns: Mapping[str, Sequence[Cell]], count: int) -> int:
    """A checksum of rows that is the same in whatever order they come: the sum of one for each row, below 2^128."""
    cells = zip(*columns.values(), strict=True) if columns else [()] * count
    return sum(int.from_bytes(blake2b(row_bytes(row), digest_size=16).digest(), "big") for row in cells) % WHOLE


def unpacked(sums: bytes, lines: Sequence[EvaluatorLine]) -> SumsOfBatch | None:
    """What a batch came to; None where the bytes are no sums of these evaluators by a version like this one."""
    data = sums[4:]
    if zlib.crc32(data).to_bytes(4, "big") != sums[:4]:
        return None
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(data, MOST_BYTES)
        if not unpacking.eof:
            return None
        found: SumsOfBatch = typed_ways().of(SumsOfBatch).read(json.loads(text))
        check_shape(found.result, lines)
    except (ValueError, zlib.error, RecursionError):
        return None
    return found if found.rows and sum(last - first + 1 for first, last in found.rows) == found.result.rows else None
