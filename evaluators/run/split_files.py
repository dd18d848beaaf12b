"""The file that one attempt at a split writes into the folder of parts: what is stored of its rows, and last what they came to.

    R[…]     rows, as columns, and the verdicts that their codes stand for
    O…       an outcome
    C…       the cells of a row
    A{…}     an answer of whoever was asked
    S…       a checkpoint: its key, a checksum of all lines before it, and the sealed result

Whoever scores a split that may be scored twice at the same time gives its file a word of its own, the *attempt*: two workers
never write to one file. With its checkpoint, a split is finished: a run that was ended goes on from there. A system that lost its
power may have lost what was written last; the checksum shows that, and such a split is scored again. So nobody waits for a disk.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Final
from zlib import crc32

from evaluators.issues import Blame, Issue, Problems
from evaluators.run.split_result import SplitResult, opened, sealed
from evaluators.run.unchanged import FileMark
from evaluators.suite.graph import EvaluatorLine
from evaluators.testsets.byte_store import inside, read_from, store_of, write_to
from evaluators.testsets.reader import Split

PART: Final = ".part"
ROWS, OUTCOMES, CELLS, ANSWERS, CHECKPOINT = b"R", b"O", b"C", b"A", b"S"
_NAME: Final = re.compile(r"([0-9]{6,12})-([0-9a-f]{8})\.part")
_NO_CHECKPOINT: Final = (OSError, ValueError, RecursionError)


def new_attempt() -> str:
    """A word that no other attempt has."""
    return os.urandom(4).hex()


def part_name(index: int, attempt: str) -> str:
    """The name of the file of a split."""
    return f"{index:06d}{attempt and '-'}{attempt}{PART}"


def checkpoint_key(job: str, split: Split, data: tuple[FileMark, ...]) -> str:
    """The key of a split's checkpoint, from the key of the job, the split, and the states of the files of the test set.

    The key of the job has no fingerprint of the data: that is known only when all of it has been read, long after the first split. Size and
    time of each file stand here in its place, and `resuming` takes the states of files only that had the fingerprint of the data as it is
    now. So a split of other data is never taken: a file that changed has another state, and one that changed back has its splits again.
    """
    return sha256(repr((job, split.index, split.start, split.end, data)).encode()).hexdigest()[:16]


class PartFile:
    """The file of one attempt at a split, as it is written."""

    def __init__(self, folder: str, index: int, attempt: str = "") -> None:
        self.name = part_name(index, attempt)
        self._checksum = 0
        self._stream = write_to(inside(folder, self.name))

    def write(self, kind: bytes, lines: Iterable[bytes]) -> None:
        """Adds lines, which come without their ends."""
        data = b"".join([b"%b%b\n" % (kind, line) for line in lines])
        self._stream.write(data)
        self._checksum = crc32(data, self._checksum)

    def finish(self, key: str, result: SplitResult) -> None:
        """Adds the checkpoint, unless the result holds what JSON cannot."""
        try:
            blob = sealed(result)
        except (TypeError, ValueError, RecursionError):  # a number of thousands of digits, a document that is too deep
            return
        self.write(CHECKPOINT, [b"%b %08x %b" % (key.encode(), self._checksum, blob)])

    def close(self) -> None:
        """Makes the file whole."""
        self._stream.close()


def read_part(path: str) -> Iterator[tuple[bytes, bytes]]:
    """The lines of a file of a split, each with its kind."""
    with read_from(path) as part:
        for line in part:
            yield line[:1], line[1:-1]


def finished_splits(
    folder: str,
    job: str,
    states: Sequence[tuple[FileMark, ...]],
    splits: Sequence[Split],
    lines: Sequence[EvaluatorLine],
) -> dict[int, tuple[int, Callable[[], SplitResult]]]:
    """The finished splits whose files are complete, by index: the number of rows of each, and a function that reads its result.

    `job` is the key of the job, `states` are those of the test set's files in which they may have been scored, `lines` the evaluators.
    A result that can no longer be read raises Problems (environment).
    """
    names: dict[int, list[re.Match[str]]] = {}
    for name in store_of(folder).names(folder):
        if (named := _NAME.fullmatch(name)) is not None:
            names.setdefault(int(named[1]), []).append(named)
    found: dict[int, tuple[int, Callable[[], SplitResult]]] = {}
    for split in splits:
        keys = [checkpoint_key(job, split, data).encode() for data in states]
        for named in names.get(split.index, ()):
            try:
                start, checksum, line = _last_line(inside(folder, named[0]))
                result = _result(line, keys, split, named[2], lines)
                whole = int(line.split(b" ", 2)[1], 16) == checksum
            except _NO_CHECKPOINT:
                continue
            if whole:
                load = partial(_load, inside(folder, named[0]), start, keys, split, named[2], lines)
                found[split.index] = result.rows, load
    return found


def _last_line(path: str) -> tuple[int, int, bytes]:
    """Where the last line of a file begins, a checksum of all before it, and the line."""
    start, checksum, last = 0, 0, b""
    with read_from(path) as stream:
        for line in stream:
            start, checksum, last = start + len(last), crc32(last, checksum), line
    return start, checksum, last


def _result(
    line: bytes, keys: Sequence[bytes], split: Split, attempt: str, lines: Sequence[EvaluatorLine]
) -> SplitResult:
    """The result in a checkpoint. Raises ValueError or RecursionError for one that is cut off, and for one of something else."""
    key, _, blob = line.split(b" ", 2)
    if key[:1] != CHECKPOINT or key[1:] not in keys or blob[-1:] != b"\n":
        raise ValueError("another piece of the file, or of another job")
    result = opened(blob[:-1], SplitResult)
    result.check(lines)
    if (result.index, result.attempt) != (split.index, attempt):
        raise ValueError("another split")
    return result


def _load(
    path: str, start: int, keys: Sequence[bytes], split: Split, attempt: str, lines: Sequence[EvaluatorLine]
) -> SplitResult:
    try:
        with read_from(path, start) as stream:
            return _result(stream.read(), keys, split, attempt, lines)
    except _NO_CHECKPOINT as error:
        message = f"a finished split can no longer be read: {error}"
        raise Problems([Issue("lost-split", Blame.ENVIRONMENT, message, path, "run the command again")]) from None
