"""What a batch came to, as bytes on their way to whoever merges batches. Read as data from a stranger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Final

from msgspec import Struct

from evaluators.needs import Cell
from evaluators.run.split_result import SplitResult, opened
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.testsets.memory_rows import row_bytes

WHOLE: Final = 2**128

Range = tuple[int, int]
"""Numbers from the first to the last, both included."""


class SumsOfBatch(Struct, forbid_unknown_fields=True):
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


def read_sums(sums: bytes, lines: Sequence[EvaluatorLine]) -> SumsOfBatch | None:
    """What a batch came to; None where the bytes are no sums of these evaluators by a version like this one."""
    try:
        found = opened(sums, SumsOfBatch)
        found.result.check(lines)
    except (ValueError, RecursionError):
        return None
    return found if found.rows and sum(last - first + 1 for first, last in found.rows) == found.result.rows else None
