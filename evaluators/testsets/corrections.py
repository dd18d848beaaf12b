"""Corrected expected answers: a file of lines beside the test set, each with a value, the one it takes the place of, and why.

    {"id": "17", "path": "vendor.name", "old": "Roma", "new": "Rome", "reason": "misread stamp"}

`path` leads into the expected document; without it the whole cell is meant. Without `old` nothing stands there, without `new`
nothing should. Lines are only added: the last line of an id and a path counts, and one whose `new` is its `old` withdraws the
correction. The test set itself is never written.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, Problems
from evaluators.model.rows import JSON, MISSING, Missing
from evaluators.scoring.needs import Cell
from evaluators.scoring.values import paths
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.json_text import NotJSON, parse, parse_file, to_text
from evaluators.testsets.byte_source import ByteSource, whole_of
from evaluators.testsets.derived import Derived
from evaluators.testsets.reader import Chunk, Split, Table, id_text, rows_of

Value: TypeAlias = "JSON | Missing"
_KEYS: Final = frozenset({"id", "path", "old", "new", "reason"})
_EXAMPLE: Final = 'a line is {"id": "17", "path": "vendor.name", "old": "Roma", "new": "Rome", "reason": "misread"}'


class Correction(Struct, frozen=True):
    """A corrected value of the expected answer of one row."""

    id: str
    path: str | None
    """Where in the expected document, in any notation of paths; None for the whole cell."""
    old: Value
    """What stood there when it was corrected; MISSING for nothing."""
    new: Value
    """What should stand there; MISSING for nothing."""
    reason: str

    @property
    def place(self) -> tuple[str, paths.Path | None]:
        """The row and the path that it corrects: of several corrections with the same, the last counts."""
        return self.id, None if self.path is None else paths.parse(self.path)


class Applied(Struct, frozen=True):
    """A correction of a test set, with the row where it was made or why it was not."""

    correction: Correction
    row: int | None = None
    """The number of its row; None where there is no such row, or several."""
    void: str | None = None
    """Why it was not made, as the end of a sentence; None for one that was."""

    @property
    def sentence(self) -> str:
        """The correction in words: the row, the place, the old and the new value, the reason, and why it was not made."""
        correction = self.correction
        place = f'"{correction.id}"' if correction.path is None else f'"{correction.id}", {correction.path}'
        sentence = f"{place}: {shown_value(correction.old)} → {shown_value(correction.new)} ({correction.reason})"
        return sentence if self.void is None else f"{sentence}; not made, because {self.void}"


class Void(Struct, frozen=True):
    """Why a correction was not made, as the end of a sentence about it."""

    why: str


def append_correction(file: Path, id: str, path: str | None, old: Value, new: Value, reason: str) -> None:
    """Adds a correction to a file, which is made where there is none. Raises Problems (testset) for one that no reader would take,
    and OSError where the file cannot be written.

    The line is written at once, so that two programs may add to the same file.
    """
    values = {"id": id, "path": path, "old": old, "new": new, "reason": reason}
    line = {key: value for key, value in values.items() if value is not MISSING and (key, value) != ("path", None)}
    read_line(line, str(file))
    with open(file, "a+b") as stream:
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - 1))
        before = b"" if stream.read(1) in (b"", b"\n") else b"\n"
        stream.write(before + to_text(line).encode() + b"\n")


def read_corrections(data: bytes, name: str) -> tuple[Correction, ...]:
    """The corrections that count in a file, which `name` calls, in its order. Of several for one place the last counts, and one whose old
    value is the new one withdraws those before it. Raises Problems (testset) with every line that is none."""
    corrections: dict[Any, Correction] = {}
    issues: list[Issue] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            correction = read_line(_parsed_line(line, f"{name}:{number}"), f"{name}:{number}")
        except Problems as error:
            issues += error.issues
            continue
        corrections.pop(correction.place, None)
        if not json_equal(correction.old, correction.new):
            corrections[correction.place] = correction
    if issues:
        raise Problems(issues)
    return tuple(corrections.values())


def read_line(line: Any, where: str) -> Correction:
    """The correction that a line of a file holds. Raises Problems with what is wrong with it."""
    wrong = next(_mistakes(line), None)
    if wrong is not None:
        raise Problems([Issue("bad-correction", Blame.TESTSET, wrong, where, _EXAMPLE)])
    old, new = line.get("old", MISSING), line.get("new", MISSING)
    return Correction(line["id"], line.get("path"), old, new, line["reason"])


def _mistakes(line: Any) -> Iterator[str]:
    """What is wrong with a line of corrections, a sentence for each mistake."""
    if not isinstance(line, dict):
        yield "a correction is an object"
        return
    for key in line.keys() - _KEYS:
        yield f'a correction has no "{key}"'
    for key in ("id", "reason"):
        text = line.get(key)
        if not isinstance(text, str) or not text.strip():
            yield f'a correction needs "{key}", a text that is not empty'
    if "old" not in line and "new" not in line:
        yield 'a correction needs "new", the value that is right'
    path = line.get("path")
    if path is None:
        if "new" not in line:
            yield 'a correction of a whole cell needs "new"'
        return
    try:
        if not isinstance(path, str) or not paths.parse(path).definite or not paths.parse(path).steps:
            yield f'"path" must lead to one value inside the expected document; found {to_text(path)}'
    except paths.BadPath as error:
        yield f'"path" is no path: {error.message}'


def _parsed_line(line: bytes, where: str) -> JSON:
    """The JSON of a line. Raises Problems for a line that is not JSON; `where` is its place."""
    try:
        return parse_file(line)
    except NotJSON as error:
        raise Problems([Issue("bad-correction", Blame.TESTSET, f"not JSON: {error}", where, _EXAMPLE)]) from None


def corrected_cell(cell: Cell, correction: Correction) -> Cell | Void:
    """The cell with the correction made, in a copy; JSON text stays text. `Void` where the old value no longer stands there."""
    if correction.path is None:
        assert correction.new is not MISSING
        return correction.new if json_equal(cell, correction.old) else Void(f"the cell is now {shown_value(cell)}")
    path = paths.parse(correction.path)
    if not isinstance(cell, str):
        return (
            _corrected_document(cell, path, correction)
            if isinstance(cell, dict | list)
            else Void("the cell holds no document")
        )
    try:
        document = parse(cell)
    except NotJSON:
        return Void("the cell is not JSON")
    corrected = _corrected_document(document, path, correction)
    return corrected if isinstance(corrected, Void) else to_text(corrected)


def _corrected_document(document: JSON, path: paths.Path, correction: Correction) -> JSON | Void:
    """A copy of the document with the value at a path replaced, added or taken out; `Void` where another value than `old` stands there."""
    stands = path.get(document)
    if not json_equal(stands, correction.old):
        return Void(f"the value is now {shown_value(stands)}")
    place = path.locate(document)
    return _with_value(document, tuple(place[0]) if place else path.steps, correction.new)


def _with_value(value: JSON, steps: Any, new: Value) -> JSON | Void:
    """A copy of the value with `new` at the steps, or, where `new` is MISSING, without what is there. Containers on the way are copied,
    everything else is shared. `Void` where no value can stand at the steps."""
    if not steps:
        return new  # type: ignore[return-value]  # nothing is taken out at the end of a path, but in what holds it
    step, *rest = steps
    if isinstance(value, dict) and isinstance(step, str):
        if rest and step not in value:
            return Void(f'there is no "{step}"')
        below = _with_value(value[step], rest, new) if rest else new
        if isinstance(below, Void):
            return below
        if below is MISSING:
            return {key: inner for key, inner in value.items() if key != step}
        return {**value, step: below}
    if isinstance(value, list) and isinstance(step, int) and 0 <= step <= len(value) - bool(rest):
        below = _with_value(value[step], rest, new) if rest else new
        if isinstance(below, Void):
            return below
        return [*value[:step], *(() if below is MISSING else (below,)), *value[step + 1 :]]
    return Void(f'nothing can stand at "{step}"')


def shown_value(value: Any) -> str:
    """A value as text for a message: its JSON, "not there" for a missing one, "unreadable" for the fault of a cell."""
    if value is MISSING:
        return "not there"
    return "unreadable" if isinstance(value, Struct) else to_text(value)


def with_corrections(
    base: Table, key: str, column: str, source: ByteSource
) -> tuple[Derived, tuple[Applied, ...], Mapping[str, Cell]]:
    """(table, corrections, standing): the table in which a column of expected answers is corrected by the lines of a file, each correction
    with its row or why it was not made, and the uncorrected cells of the corrected rows, by id.

    `key` is the column with the ids. Raises Problems (testset) for lines that are none.
    """
    cells: dict[str, Cell] = {}
    standing: dict[str, Cell] = {}
    applied: list[Applied] = []
    by_id: dict[str, list[Correction]] = defaultdict(list)
    for correction in read_corrections(whole_of(source), source.name):
        by_id[correction.id].append(correction)
    rows: dict[str, list[tuple[int, Cell]]] = defaultdict(list)
    for number, (id, cell) in rows_of(base, (key, column)) if by_id else ():
        if (text := id_text(id)) in by_id:
            rows[text].append((number, cell))
    for id, corrections in by_id.items():
        if len(rows[id]) != 1:
            why = f"{len(rows[id])} rows have the id" if rows[id] else "no row has the id"
            applied += [Applied(correction, None, why) for correction in corrections]
            continue
        ((number, cell),) = rows[id]
        standing[id] = cell
        for correction in corrections:
            made = corrected_cell(cell, correction)
            applied.append(Applied(correction, number, made.why if isinstance(made, Void) else None))
            cell = cell if isinstance(made, Void) else made
        cells[id] = cell
    count = sum(correction.void is None for correction in applied)
    note = f"{source.name}: {count} corrected {'value' if count == 1 else 'values'} of {column}"
    table = Derived(
        base, partial(_corrected_rows, key, column, cells), base.header, (*base.notes, note), (*base.files, source)
    )
    return table, tuple(applied), standing


def without_corrections(corrected: Table, key: str, column: str, standing: Mapping[str, Cell]) -> Derived:
    """The table with the uncorrected cells put back; `standing` has them by id, and `key` is the column with the ids."""
    rows = partial(_corrected_rows, key, column, standing)
    return Derived(corrected, rows, corrected.header, corrected.notes, corrected.files)


def corrections_among(selected: Table, key: str, applied: Sequence[Applied]) -> tuple[Applied, ...]:
    """The corrections of the selected rows, and those of no row. `key` is the column with the ids."""
    wanted = {correction.row for correction in applied}
    here = {number for number, _ in rows_of(selected, (key,)) if number in wanted}
    return tuple(correction for correction in applied if correction.row is None or correction.row in here)


def _corrected_rows(
    key: str, column: str, cells: Mapping[str, Cell], base: Table, split: Split, columns: Sequence[str]
) -> Iterator[Chunk]:
    """The chunks of the table `base`, in which the `cells` of a column stand in place of its own, by the ids that rows have in the column
    `key`. Where the column is not asked for, the chunks are as they are."""
    if column not in columns:
        yield from base.read(split, columns)
        return
    for chunk in base.read(split, list(dict.fromkeys([*columns, key]))):
        ids = map(id_text, chunk.columns[key])
        expected = [cells.get(id, cell) for id, cell in zip(ids, chunk.columns[column], strict=True)]
        own = {name: chunk.columns[name] for name in columns}
        yield replace(chunk, columns={**own, column: expected})
