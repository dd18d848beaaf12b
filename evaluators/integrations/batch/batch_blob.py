"""A batch as bytes: what a split gives back, as typed JSON."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from evaluators.runs.record_lines import CodedVerdict
from evaluators.runs.split_result import Count, Part, SplitResult, pack, unpack
from evaluators.runs.split_rows import SplitRows

Watched = tuple[tuple[int, int, int, int], ...]


class BatchRows(Struct):
    """Which rows a batch has, and what they were scored with."""

    plan: str
    """The key of the plan."""
    numbers: list[tuple[Count, Count]]
    """The numbers of the rows, ascending, as ranges: the first and the last of each."""
    digest: Count
    """A checksum of the rows, in whatever order they come: those of batches add up."""


class Batch(NamedTuple):
    """The result of a batch: its rows, and their columns and sums."""

    rows: BatchRows
    part: Part


class _Blob(Struct):
    """A batch as it is packed, with verdicts in code."""

    rows: BatchRows
    sums: SplitResult
    columns: dict[str, list[int | str | None]]
    verdicts: list[list[tuple[CodedVerdict, Watched]]]
    pairs: dict[int, list[tuple[str, str]]]
    patterns: dict[int, list[str]]


def blob_of(batch: Batch) -> bytes:
    """A batch as bytes, which `batch_of` reads."""
    part = batch.part
    verdicts = [[(CodedVerdict.of(verdict), verdict.watched) for verdict in known] for known in part.rows.verdicts]
    return pack(_Blob(batch.rows, part.sums, part.rows.columns, verdicts, part.rows.pairs, part.rows.patterns))


def batch_of(blob: bytes) -> Batch:
    """The batch that `blob_of` made bytes of. Raises ValueError for what is cut off, or of another kind."""
    batch = unpack(blob, _Blob)
    verdicts = [[replace(coded.verdict, watched=watched) for coded, watched in known] for known in batch.verdicts]
    return Batch(batch.rows, Part(SplitRows(batch.columns, verdicts, batch.pairs, batch.patterns), batch.sums))
