"""A batch as bytes: what a split gives back, as typed JSON."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from evaluators.run.record_lines import CodedVerdict
from evaluators.run.split_result import SplitResult, opened, sealed
from evaluators.run.split_rows import Part, SplitRows

Watched = tuple[tuple[int, int, int, int], ...]


class _Blob(Struct):
    sums: SplitResult
    columns: dict[str, list[int | str | None]]
    verdicts: list[list[tuple[CodedVerdict, Watched]]]
    pairs: dict[int, list[tuple[str, str]]]
    patterns: dict[int, list[str]]


def blob_of(part: Part) -> bytes:
    """The bytes of a part, a checksum before them."""
    verdicts = [[(CodedVerdict.of(one), one.watched) for one in known] for known in part.rows.verdicts]
    return sealed(_Blob(part.sums, part.rows.columns, verdicts, part.rows.pairs, part.rows.patterns))


def part_of(blob: bytes) -> Part:
    """The part of such bytes. Raises ValueError for what is cut off, or of another kind."""
    found = opened(blob, _Blob)
    verdicts = [[replace(one.verdict, watched=watched) for one, watched in known] for known in found.verdicts]
    return Part(SplitRows(found.columns, verdicts, found.pairs, found.patterns), found.sums)
