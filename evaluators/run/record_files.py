"""The files of a run folder that hold what was recorded of rows: joined from the parts that splits wrote.

A small run keeps every line and every cell; a longer one the first rows under each key, and no cells that nobody asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evaluators.judges.answer_lines import line_bytes
from evaluators.run.cell_parts import read_cells
from evaluators.run.record_lines import line_of_row
from evaluators.run.recorder import LARGE, SET_ASIDE, Recording
from evaluators.run.rows import RowsFormat
from evaluators.testsets.byte_store import read_from, write_to
from evaluators.value_class import NamedTuple
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


def join_outcomes(parts: Iterable[tuple[str, int]], target: Path, recording: Recording, everything: bool) -> int:
    """The outcomes in the order of rows. `parts` come with the number of their first row. Gives the number of lines."""
    lines = 0
    most = recording.most
    rows_under: dict[bytes, int] = {}
    with write_to(str(target)) as whole:
        for path, first in parts:
            last: dict[bytes, bytes] = {}
            for offset, key, is_first, rest in _lines(path):
                if not everything and is_first != b"2":
                    if is_first == b"0":
                        continue
                    if last.get(key) != offset:
                        last[key] = offset
                        rows_under[key] = rows_under.get(key, 0) + 1
                    if most is not None and rows_under[key] > most:
                        continue
                whole.write(line_of_row(first + int(offset), rest))
                lines += 1
    return lines


def keeps_cells(recording: Recording, rows: int) -> bool:
    """Whether cells are kept at all."""
    return recording.documents == "all" or (recording.documents == "auto" and rows <= recording.small)


def join_cells(parts: Iterable[tuple[str, int]], target: Path) -> int:
    """The cells in the order of rows. Gives the number of lines."""
    lines = 0
    with write_to(str(target)) as whole:
        for path, first in parts:
            for offset, line in read_cells(path):
                whole.write(b'{"row":%d,%b\n' % (first + offset, line))
                lines += 1
    return lines


def join_answers(parts: Iterable[tuple[str, int]], target: Path) -> None:
    """The answers in the order in which they were asked for. No file where nothing was asked."""
    parts = list(parts)
    if not parts:
        return
    with write_to(str(target)) as whole:
        for path, first in parts:
            with read_from(path) as part:
                for text in part:
                    line: Any = parse(text)
                    line["places"] = [[first + row, evaluator, place] for row, evaluator, place in line["places"]]
                    whole.write(line_bytes(line))


def _lines(path: str) -> Iterator[list[bytes]]:
    with read_from(path) as part:
        for line in part:
            yield line.split(b"\t", 3)
