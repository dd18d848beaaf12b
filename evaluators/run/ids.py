"""Ids that are missing or stand in several rows.

While rows are scored, each of the first `MOST_IDS` ids is kept, packed: a few bytes beside its text, so that memory stays flat.
They are looked at when the run has ended.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias
from zlib import crc32

from msgspec import Struct, field

MOST_IDS: Final = 200_000
NO_ID: Final = crc32(b"")
"""The number of a row that has no id."""
_CODING: Final = ("utf-8", "surrogatepass")

if TYPE_CHECKING:
    Numbers: TypeAlias = array[int]
else:
    Numbers = array  # a type that is written and read takes no other word


class Ids(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """The ids of the first rows, in order, each with the place of its row."""

    numbers: Numbers = field(default_factory=lambda: array("I"))
    """CRC-32 of each id: what comes once here comes once at all."""
    places: Numbers = field(default_factory=lambda: array("Q"))
    lengths: Numbers = field(default_factory=lambda: array("I"))
    texts: bytearray = field(default_factory=bytearray)

    def __len__(self) -> int:
        return len(self.numbers)

    def add(self, places: Sequence[int], ids: Sequence[str]) -> None:
        """The ids of more rows."""
        texts = [one.encode(*_CODING) for one in ids]
        self.numbers.extend(map(crc32, texts))
        self.places.extend(places)
        self.lengths.extend(map(len, texts))
        self.texts += b"".join(texts)

    def first(self, count: int) -> Iterator[tuple[int, int, str]]:
        """(number, place, id) of the first ids."""
        start = 0
        for number, place, length in zip(self.numbers[:count], self.places, self.lengths, strict=False):
            yield number, place, self.texts[start : start + length].decode(*_CODING)
            start += length
