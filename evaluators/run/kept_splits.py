"""Checkpoints: finished splits on their way through the end of a run.

A finished split leaves one small file, `split-000012.json`, after the file of its rows is closed: it appears whole or not at all, and
only with it the split is finished. It is a sealed `Checkpoint`: the key of the job, which piece of which data the split is, the size
and the checksum of its file, and what it came to. A system that lost its power may have lost what was written last; sizes and checksums
show that, and such a split is scored again. So nobody waits for a disk.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from zlib import crc32

from msgspec import Struct

from evaluators.issues import Blame, Issue, Problems
from evaluators.run.part_files import FileSum, part_name
from evaluators.run.split_result import SplitResult, opened, sealed
from evaluators.run.unchanged import FileMark
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.testsets.byte_store import inside, read_from, store_of
from evaluators.testsets.reader import Split

_NAME: Final = re.compile(r"split-([0-9]{6,12})\.json")
_BLOCK: Final = 1024 * 1024
_MOST_BYTES: Final = 1024**3
_NO_SPLIT: Final = (OSError, ValueError, RecursionError)


class Checkpoint(Struct, forbid_unknown_fields=True):
    """What the file of a finished split holds."""

    job: str
    """The key of the job."""
    split: int
    start: int
    end: int | None
    data: tuple[FileMark, ...]
    """The files of the test set, as they were when the split was finished."""
    file: FileSum
    result: SplitResult


def keep(folder: str, job: str, split: Split, data: tuple[FileMark, ...], file: FileSum, result: SplitResult) -> bool:
    """Leaves the result of a split beside the file of its rows, which is closed. False where it holds what JSON cannot."""
    try:
        blob = sealed(Checkpoint(job, split.index, split.start, split.end, data, file, result))
    except (TypeError, ValueError, RecursionError):  # a number of thousands of digits, a document that is too deep
        return False
    store_of(folder).put(inside(folder, f"split-{split.index:06d}.json"), blob)
    return True


class KeptSplits(Struct, frozen=True):
    """The finished splits in a folder of parts.

    `job` is the key of the job, `data` are the states of the test set's files in which they may have been scored, `lines` the
    evaluators of the suite.
    """

    folder: str
    job: str
    data: tuple[tuple[FileMark, ...], ...]
    lines: tuple[EvaluatorLine, ...]

    def finished(self, splits: Sequence[Split]) -> dict[int, int]:
        """How many rows each of those has that are finished and whose files are whole, by index."""
        there = kept_indexes(self.folder)
        looked_at = ((split.index, self._rows(split)) for split in splits if split.index in there)
        return {index: rows for index, rows in looked_at if rows is not None}

    def result(self, split: Split) -> SplitResult:
        """What a finished split came to. Raises Problems (environment) where it is none any more."""
        try:
            return self._read(split).result
        except _NO_SPLIT as error:
            message = f"a finished split can no longer be read: {error}"
            raise Problems(
                [Issue("lost-split", Blame.ENVIRONMENT, message, self.folder, "run the command again")]
            ) from None

    def _rows(self, split: Split) -> int | None:
        """The number of its rows, where it is finished and its file is whole."""
        try:
            kept = self._read(split)
            whole = _sum(inside(self.folder, part_name(split.index, kept.result.attempt))) == kept.file
        except _NO_SPLIT:
            return None
        return kept.result.rows if whole else None

    def _read(self, split: Split) -> Checkpoint:
        with read_from(inside(self.folder, f"split-{split.index:06d}.json")) as stream:
            kept = opened(stream.read(_MOST_BYTES), Checkpoint)
        if (kept.job, kept.split, kept.start, kept.end) != (self.job, split.index, split.start, split.end):
            raise ValueError("another piece of the file, or of another job")
        if kept.data not in self.data:
            raise ValueError("the file was another one")
        if not re.fullmatch("[0-9a-f]{8}", kept.result.attempt) or kept.result.index != split.index:
            raise ValueError("no attempt")
        kept.result.check(self.lines)
        return kept


def kept_indexes(folder: str) -> frozenset[int]:
    """The indexes of the splits in a folder of parts that say that they are finished."""
    if store_of(folder).kind(folder) != "folder":
        return frozenset()
    return frozenset(int(found[1]) for name in store_of(folder).names(folder) if (found := _NAME.fullmatch(name)))


def _sum(place: str) -> FileSum:
    size = checksum = 0
    with read_from(place) as stream:
        while block := stream.read(_BLOCK):
            size, checksum = size + len(block), crc32(block, checksum)
    return FileSum(size, checksum)
