"""Ids that are missing or stand in several rows.

While rows are scored, each id leaves a small number behind (CRC-32 of its text). Only when a number comes twice is the id
column read again, for that number alone; so an ordinary file costs next to nothing, and memory stays flat. The first
`MOST_IDS` rows are looked at.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final
from zlib import crc32

from evaluators.issues import Blame, Issue
from evaluators.testsets.reader import Table

MOST_IDS: Final = 200_000
_SHOWN: Final = 5  # ids that a message names
_NONE: Final = crc32(b"")


def numbers_of(ids: Iterable[str]) -> array[int]:
    """One number per id."""
    return array("I", [crc32(one.encode("utf-8", "surrogatepass")) for one in ids])


def id_warnings(table: Table, numbers: Sequence[int], name: str) -> list[Issue]:
    """What is wrong with the ids of a test set, with row numbers. `numbers` are those of its first rows, in order."""
    several = {number for number, times in Counter(numbers).items() if times > 1 or number == _NONE}
    if not several:
        return []
    rows: dict[str, list[int]] = {}
    for number, one in _ids(table):
        if crc32(one.encode("utf-8", "surrogatepass")) in several:
            rows.setdefault(one, []).append(number)
    missing = rows.pop("", [])
    repeated = {one: places for one, places in rows.items() if len(places) > 1}
    found = []
    if missing:
        said = f"{_rows(missing)} {'has' if len(missing) == 1 else 'have'} no id"
        found.append(Issue("missing-id", Blame.TESTSET, said, name, "an id makes a row easy to find again"))
    if repeated:
        listed = "; ".join(f'"{one}" in {_rows(places)}' for one, places in list(repeated.items())[:_SHOWN])
        more = f"; and {len(repeated) - _SHOWN:,} more" if len(repeated) > _SHOWN else ""
        count = "1 id stands" if len(repeated) == 1 else f"{len(repeated):,} ids stand"
        said = f"{count} in several rows: {listed}{more}"
        found.append(Issue("duplicate-id", Blame.TESTSET, said, name, "every row is scored all the same"))
    return found


def _ids(table: Table) -> Iterable[tuple[int, str]]:
    """The number and the id of each of the first rows."""
    seen, before = 0, table.first_number
    for split in table.splits():
        span = 0
        for chunk in table.read(split, []):
            for offset, one in zip(chunk.offsets, chunk.ids or (), strict=False):
                yield before + offset, one
            seen, span = seen + chunk.count, chunk.span
            if seen >= MOST_IDS:
                return
        before += span


def _rows(places: Sequence[int]) -> str:
    shown = [f"{place:,}" for place in places[:_SHOWN]]
    if len(places) > _SHOWN:
        return f"rows {', '.join(shown)} and {len(places) - _SHOWN:,} more"
    return f"row {shown[0]}" if len(shown) == 1 else f"rows {', '.join(shown[:-1])} and {shown[-1]}"
