"""The files of a run folder that hold what was recorded of rows: joined from the parts that splits wrote.

A small run keeps every line and every cell; a longer one the first rows under each key, and no cells that nobody asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from evaluators.judges.answer_lines import line_bytes
from evaluators.run.part_files import read_part
from evaluators.run.record_lines import line_of_row
from evaluators.run.recorder import LARGE, SET_ASIDE, Recording
from evaluators.run.rows import JoinedRows, RowColumns, RowsFormat
from evaluators.testsets.byte_store import write_to
from evaluators.values.json_text import parse


class RecordFiles(NamedTuple):
    """Where the rows of one variant are kept."""

    rows: Path
    codes: Path
    outcomes: Path
    cells: Path
    answers: Path
    """There where something was asked that costs."""


def record_files(folder: Path, kind: RowsFormat, variant: str | None = None) -> RecordFiles:
    """The files of a variant in a run folder; of all rows where there are no variants."""
    middle = "" if variant is None else f".{variant}"
    return RecordFiles(
        folder / f"rows{middle}.{kind}", folder / f"codes{middle}.jsonl", folder / f"outcomes{middle}.jsonl",
        folder / f"cells{middle}.jsonl", folder / f"answers{middle}.jsonl",
    )  # fmt: skip


def full_keys(recorded: Mapping[str, int], recording: Recording, rows: int) -> frozenset[str]:
    """The keys of which later splits need to record nothing more, after so many rows."""
    most = recording.most
    found = {key for key, count in recorded.items() if most is not None and key != SET_ASIDE and count >= most}
    return frozenset(found | {LARGE}) if rows > recording.small else frozenset(found)


def keeps_every_outcome(recording: Recording, rows: int) -> bool:
    """Whether all outcomes are kept."""
    return recording.most is None or rows <= recording.small


def keeps_cells(recording: Recording, rows: int) -> bool:
    """Whether cells are kept at all."""
    return recording.documents == "all" or (recording.documents == "auto" and rows <= recording.small)


class StoredLines(NamedTuple):
    """How many lines the files of a record have."""

    outcomes: int = 0
    cells: int = 0


def join_parts(
    parts: Iterable[tuple[str, int]],
    files: RecordFiles,
    rows_format: RowsFormat,
    columns: RowColumns,
    recording: Recording,
    rows: int,
) -> StoredLines:
    """The files of a record, made of what splits have left, in the order of rows. `parts` come with the number of their first row."""
    joined = JoinedRows(rows_format, columns, files.rows)
    cells = 0
    with ExitStack() as stack:
        outcomes = _KeptOutcomes(stack.enter_context(write_to(str(files.outcomes))), recording, rows)
        cell_file = stack.enter_context(write_to(str(files.cells))) if keeps_cells(recording, rows) else None
        answers = None
        for place, first in parts:
            joined.begin()
            outcomes.begin()
            for kind, line in read_part(place):
                match kind:
                    case b"R":
                        joined.add(line, first)
                    case b"O":
                        outcomes.add(line, first)
                    case b"C" if cell_file is not None:
                        offset, _, text = line.partition(b"\t")
                        cell_file.write(b'{"row":%d,%b\n' % (first + int(offset), text))
                        cells += 1
                    case b"A":
                        answers = answers or stack.enter_context(write_to(str(files.answers)))
                        answers.write(_answer(line, first))
        joined.close(files.codes)
    if joined.rows != rows:
        raise RuntimeError(f"{rows:,} rows were scored, and the files of their splits hold {joined.rows:,}")
    return StoredLines(outcomes.lines, cells)


class _KeptOutcomes:
    """The outcomes that are kept, with the numbers of their rows."""

    def __init__(self, file: BinaryIO, recording: Recording, rows: int) -> None:
        self.lines = 0
        self._file = file
        self._most = recording.most
        self._everything = keeps_every_outcome(recording, rows)
        self._rows_under: dict[bytes, int] = {}
        self._last: dict[bytes, bytes] = {}

    def begin(self) -> None:
        """The next outcomes are those of another split."""
        self._last = {}

    def add(self, line: bytes, first: int) -> None:
        """An outcome, unless there are enough of its kind."""
        offset, key, is_first, rest = line.split(b"\t", 3)
        if not self._everything and is_first != b"2" and not self._is_kept(offset, key, is_first):
            return
        self._file.write(line_of_row(first + int(offset), rest) + b"\n")
        self.lines += 1

    def _is_kept(self, offset: bytes, key: bytes, is_first: bytes) -> bool:
        if is_first == b"0":
            return False
        if self._last.get(key) != offset:
            self._last[key] = offset
            self._rows_under[key] = self._rows_under.get(key, 0) + 1
        return self._most is None or self._rows_under[key] <= self._most


def _answer(text: bytes, first: int) -> bytes:
    line: Any = parse(text)
    line["places"] = [[first + row, evaluator, place] for row, evaluator, place in line["places"]]
    return line_bytes(line)
