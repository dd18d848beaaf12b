"""Ids that are missing or stand in several rows.

While rows are scored, each of the first `MOST_IDS` ids is kept, packed: a few bytes beside its text, so that memory stays flat.
They are looked at when the run has ended.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias
from zlib import crc32

from msgspec import Struct, field

from evaluators.issues import Blame, Issue
from evaluators.values.file_names import shown

MOST_IDS: Final = 200_000
_SHOWN: Final = 5  # ids that a message names
_NONE: Final = crc32(b"")
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


def id_warnings(ids: Ids, name: str) -> list[Issue]:
    """What is wrong with the ids of a test set, with row numbers. Ids after the first `MOST_IDS` are not looked at."""
    several = {number for number, times in Counter(ids.numbers[:MOST_IDS]).items() if times > 1 or number == _NONE}
    if not several:
        return []
    rows: dict[str, list[int]] = {}
    for number, place, one in ids.first(MOST_IDS):
        if number in several:
            rows.setdefault(one, []).append(place)
    missing = rows.pop("", [])
    repeated = {one: places for one, places in rows.items() if len(places) > 1}
    found = []
    if missing:
        said = f"{_rows(missing)} {'has' if len(missing) == 1 else 'have'} no id"
        found.append(Issue("missing-id", Blame.TESTSET, said, name, "an id makes a row easy to find again"))
    if repeated:
        listed = "; ".join(f'"{shown(one)}" in {_rows(places)}' for one, places in list(repeated.items())[:_SHOWN])
        more = f"; and {len(repeated) - _SHOWN:,} more" if len(repeated) > _SHOWN else ""
        count = "1 id is" if len(repeated) == 1 else f"{len(repeated):,} ids are"
        said = f"{count} in several rows: {listed}{more}"
        found.append(Issue("duplicate-id", Blame.TESTSET, said, name, "every row is scored all the same"))
    return found


def _rows(places: Sequence[int]) -> str:
    shown = [f"{place:,}" for place in places[:_SHOWN]]
    if len(places) > _SHOWN:
        return f"rows {', '.join(shown)} and {len(places) - _SHOWN:,} more"
    return f"row {shown[0]}" if len(shown) == 1 else f"rows {', '.join(shown[:-1])} and {shown[-1]}"
