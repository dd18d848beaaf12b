"""Finished splits on their way through the end of a run: what each came to, beside the files that it wrote.

A finished split leaves one small file, `split-000012.json`, after its other files are closed: it appears whole or not at all, and
only with it the split is finished. It says which piece of which data the split is, which files it has with their sizes and
checksums, and the sums that go to whoever merges splits. A system that lost its power may have lost what was written last;
sizes and checksums show that, and such a split is scored again. So nobody waits for a disk.

All of it is read as data from a stranger: what does not fit is no finished split.
"""

from __future__ import annotations

import json
import re
import sys
from array import array
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final
from zlib import crc32

from evaluators.issues import Blame, Fault, Issue, Problems
from evaluators.model import MISSING, Standing, Status
from evaluators.run.glimpse import Glimpse
from evaluators.run.ids import Ids
from evaluators.run.measures import MeasuredSums
from evaluators.run.part_files import KEPT, FileSum, SplitFiles, kept_name, part_name
from evaluators.run.split_result import SplitResult
from evaluators.run.tally import Tally
from evaluators.run.unchanged import FileMark
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.testsets.byte_store import inside, read_from, store_of
from evaluators.testsets.reader import Split
from evaluators.value_class import NamedTuple, dataclass, replace
from evaluators.values.typed_json import TypedJson, TypedJsonWays, Unfit, listed

FORMAT: Final = 2
"""The version of the file's shape. Another version's splits are scored again."""
_ALWAYS: Final = ("rows", "codes-rows", "outcomes")
_SOMETIMES: Final = ("cells", "answers")
_BLOCK: Final = 1024 * 1024
_MOST_BYTES: Final = 1024**3
_NO_SPLIT: Final = (ValueError, RecursionError)


class _KeptSplit(NamedTuple):
    """What the file of a finished split holds."""

    format: int
    split: int
    start: int
    end: int | None
    attempt: str
    data: tuple[FileMark, ...]
    """The files of the test set, as they were when the split was finished."""
    files: dict[str, FileSum]
    result: SplitResult


def keep(split: Split, data: Sequence[FileMark], result: SplitResult, files: SplitFiles) -> bool:
    """Leaves the result of a split beside its files, which are closed. False where it holds what JSON cannot."""
    kept = _KeptSplit(FORMAT, split.index, split.start, split.end, files.attempt, tuple(data), files.sums(), result)
    try:
        text = json.dumps(typed_ways().of(_KeptSplit).pack(kept), separators=(",", ":"), check_circular=False).encode()
    except (TypeError, ValueError, RecursionError):  # a number of thousands of digits, a document that is too deep
        return False
    store_of(files.folder).put(inside(files.folder, kept_name(split.index)), text)
    return True


@dataclass(frozen=True, slots=True)
class KeptSplits:
    """The finished splits in a folder of parts.

    `data` are the states of the test set's files in which they may have been scored, `evaluators` those of the suite.
    """

    folder: str
    data: tuple[tuple[FileMark, ...], ...]
    evaluators: tuple[EvaluatorLine, ...]

    def finished(self, splits: Sequence[Split]) -> dict[int, int]:
        """How many rows each of those has that are finished and whose files are whole, by index."""
        there = kept_indexes(self.folder)
        looked_at = ((split.index, self._rows(split)) for split in splits if split.index in there)
        return {index: rows for index, rows in looked_at if rows is not None}

    def result(self, split: Split) -> SplitResult:
        """What a finished split came to. Raises Problems (environment) where it is none any more."""
        try:
            return replace(self._read(split).result, index=split.index)
        except (OSError, *_NO_SPLIT) as error:
            message = f"a finished split can no longer be read: {error}"
            raise Problems(
                [Issue("lost-split", Blame.ENVIRONMENT, message, self.folder, "run the command again")]
            ) from None

    def _rows(self, split: Split) -> int | None:
        """The number of its rows, where it is finished and its files are whole."""
        try:
            kept = self._read(split)
            whole = all(_sum(inside(self.folder, name)) == summed for name, summed in kept.files.items())
        except (OSError, *_NO_SPLIT):
            return None
        return kept.result.rows if whole else None

    def _read(self, split: Split) -> _KeptSplit:
        with read_from(inside(self.folder, kept_name(split.index))) as stream:
            text = stream.read(_MOST_BYTES)
        kept: _KeptSplit = typed_ways().of(_KeptSplit).read(json.loads(text))
        if (kept.format, kept.split, kept.start, kept.end) != (FORMAT, split.index, split.start, split.end):
            raise Unfit("another piece of the file")
        if kept.data not in self.data:
            raise Unfit("the file was another one")
        if kept.attempt != kept.result.attempt or not re.fullmatch("[0-9a-f]{8}", kept.attempt):
            raise Unfit("no attempt")
        always, sometimes = (
            {part_name(kind, split.index, kept.attempt) for kind in kinds} for kinds in (_ALWAYS, _SOMETIMES)
        )
        if not always <= kept.files.keys() <= always | sometimes:
            raise Unfit("other files")
        check_shape(kept.result, self.evaluators)
        return kept


def kept_indexes(folder: str) -> frozenset[int]:
    """The indexes of the splits in a folder of parts that say that they are finished."""
    if store_of(folder).kind(folder) != "folder":
        return frozenset()
    return frozenset(int(found[1]) for name in store_of(folder).names(folder) if (found := KEPT.fullmatch(name)))


def _sum(place: str) -> FileSum:
    size = checksum = 0
    with read_from(place) as stream:
        while block := stream.read(_BLOCK):
            size, checksum = size + len(block), crc32(block, checksum)
    return FileSum(size, checksum)


def check_shape(result: SplitResult, lines: Sequence[EvaluatorLine]) -> None:
    """What is merged must have one entry for each evaluator, field and status. Raises Unfit."""
    _require(result.finished and result.trouble is None and 0 <= result.rows <= result.span)
    _require(len(result.tallies) == len(result.keys) == len(result.labels) == len(lines))
    _check_tallies(result.tallies, lines)
    for tallies in result.slices.values():
        _require(len(tallies) == len(lines))
        _check_tallies(tallies, lines)
    _require(len(result.measures.whole) == len(result.measures.slices))
    _require(all(len(one.powers) == 4 for one in _number_sums(result.measures)))
    ids = result.ids
    _require(len(ids.numbers) == len(ids.places) == len(ids.lengths) and sum(ids.lengths) == len(ids.texts))


def _check_tallies(tallies: Iterable[Tally], lines: Sequence[EvaluatorLine]) -> None:
    for tally, line in zip(tallies, lines, strict=True):
        fields = len(line.settings.scored_fields().names)
        _require(tally.fields == len(tally.statuses) == fields and len(tally.standings) == len(Standing))
        _require(all(len(counts) == len(Status) for counts in tally.statuses) and len(tally.counts) == 4)
        _require(all(len(counts) == 4 for counts in tally.paths.values()))
        _require(all(len(powers) == 3 for powers in tally.powers.values()) and tally.powers.keys() <= tally.sums.keys())
        every = [tally.sums, *(one.sums for one in tally.figures), *(one.sums for one in tally.clusters.values())]
        _require(all(den > 0 for sums in every for den in sums))


def _number_sums(measures: MeasuredSums) -> Iterable[Any]:
    every = [*measures.whole, *(one for slices in measures.slices for one in slices.values())]
    return [numbers for one in every for numbers in one.numbers.values()]


def _require(fits: bool) -> None:
    if not fits:
        raise Unfit("sums of another shape")


@cache
def typed_ways() -> TypedJsonWays:
    """How the result of a split becomes JSON, and back."""
    own = {Ids: TypedJson(_pack_ids, _read_ids), Glimpse: _glimpses(TypedJsonWays().of(Issue))}
    return TypedJsonWays(own, left_out={Tally: ("watch",)})


def _pack_ids(ids: Ids) -> list[str]:
    return [_packed(each) for each in (ids.numbers, ids.places, ids.lengths)] + [b64encode(ids.texts).decode()]


def _read_ids(value: Any) -> Ids:
    numbers, places, lengths, texts = listed(value, 4)
    return Ids(_unpacked("I", numbers), _unpacked("Q", places), _unpacked("I", lengths), bytearray(_bytes(texts)))


def _packed(numbers: array[int]) -> str:
    return b64encode((numbers if sys.byteorder == "little" else _swapped(numbers)).tobytes()).decode()


def _unpacked(kind: str, text: Any) -> array[int]:
    found: array[int] = array(kind)
    data = _bytes(text)
    if len(data) % found.itemsize:
        raise Unfit("not numbers")
    found.frombytes(data)
    return found if sys.byteorder == "little" else _swapped(found)


def _swapped(numbers: array[int]) -> array[int]:
    swapped = numbers[:]
    swapped.byteswap()
    return swapped


def _bytes(text: Any) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (TypeError, ValueError):
        raise Unfit("not bytes") from None


def _glimpses(issues: TypedJson) -> TypedJson:
    """Documents that several evaluators look at are one object, and written once."""

    def pack(glimpse: Glimpse) -> list[Any]:
        numbers: dict[int, int] = {}
        every: list[Any] = []
        for document in (each for documents in glimpse.documents.values() for each in documents):
            if id(document) not in numbers:
                numbers[id(document)] = len(every)
                every.append(document)
        named = [[name, [numbers[id(each)] for each in documents]] for name, documents in glimpse.documents.items()]
        wanted = [[name, [numbers[id(each)] for each in documents]] for name, documents in glimpse.expected.items()]
        return [
            glimpse.rows,
            every,
            named,
            wanted,
            [[name, list(map(cell, cells))] for name, cells in glimpse.cells.items()],
        ]

    def cell(value: Any) -> list[Any]:
        if value is MISSING:
            return []
        return [issues.pack(value.issue), value.text] if isinstance(value, Fault) else [value]

    def read(value: Any) -> Glimpse:
        rows, every, named, wanted, cells = listed(value, 5)
        documents = listed(every)
        try:
            return Glimpse(
                int(rows),
                {name: [documents[number] for number in numbers] for name, numbers in map(_pair, listed(named))},
                {name: [documents[number] for number in numbers] for name, numbers in map(_pair, listed(wanted))},
                {name: list(map(uncell, each)) for name, each in map(_pair, listed(cells))},
            )
        except (TypeError, IndexError):
            raise Unfit("no first rows") from None

    def uncell(value: Any) -> Any:
        given = listed(value)
        if len(given) > 1:
            return Fault(issues.read(given[0]), str(given[1]))
        return given[0] if given else MISSING

    return TypedJson(pack, read)


def _pair(value: Any) -> tuple[str, list[Any]]:
    name, inner = listed(value, 2)
    return str(name), listed(inner)
