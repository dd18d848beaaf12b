"""What a run folder holds, checked as it is read: `run.json`, and the rows, outcomes and cells of `run.db`.

What is damaged is named with its file, table and line. Of `run.json` the types are checked, and that its record fits its result; of
rows, that they are in order and that their codes stand for something; of lines, their types and their evaluators.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from pathlib import Path, PurePosixPath
from types import NoneType
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Problems, problem
from evaluators.model.rows import Outcome, Result
from evaluators.runs.record_facts import SUITE_FOLDER, RecordedEvaluator, RecordFacts
from evaluators.runs.record_lines import CellsLine, CodedVerdict, OutcomeLine, RowLine, RowOutcome, outcome_kind
from evaluators.runs.result import RunResult
from evaluators.runs.run_db import RUN_DB
from evaluators.runs.run_json import damaged_run, read_as
from evaluators.runs.run_rows import RunRows
from evaluators.runs.store import RUN_JSON, system_message
from evaluators.scoring.needs import ROLES
from evaluators.scoring.values.file_names import clip_name, why_no_file_name
from evaluators.scoring.values.files import NoSmallFile, read_small
from evaluators.scoring.values.json_reader import SHALLOW_CHARS
from evaluators.scoring.values.json_text import MAX_CHARS, MAX_DEPTH, REFUSED, NotJSON, parse
from evaluators.scoring.values.quoting import quote

_MOST_RUN_BYTES: Final = 1024**3
"""The largest run.json that is read."""

Kind = TypeVar("Kind")
LineOfRow = TypeVar("LineOfRow", bound=OutcomeLine | CellsLine)


class _WithRecord(Struct):
    """The members of `run.json` that are read here; the rest is the result."""

    record: RecordFacts | None = None


def result_and_facts(body: Mapping[str, Any], where: str) -> tuple[RunResult, RecordFacts | Problems]:
    """The result in a `run.json`, and the record of its rows or the reason why it has none.

    Raises Problems (config) for a damaged file.
    """
    stored = read_as(body, RunResult, where)
    result = replace(stored, columns={role: stored.columns[role] for role in ROLES if role in stored.columns})
    facts = read_as(body, _WithRecord, where).record
    if facts is None:
        hint = "score the test set again, into a run folder"
        message = "there are metrics in it, and no record of the rows"
        return result, problem("no-record", message, where=where, hint=hint)
    for wrong in _contradictions(facts, result):
        raise damaged_run(wrong, where)
    return result, facts


def run_file_bytes(file: Path, path: Path) -> bytes:
    """The bytes of a file of the run folder `path`. Raises Problems (config) where it is missing, a link, too large, or cannot be read; of
    a `run.json` that is missing beside a `run.db`, they say that the run is not finished."""
    try:
        if file.is_symlink():
            raise problem(
                "not-a-run", "this is a link to elsewhere, and a run folder holds its own files", where=str(file)
            )
        return read_small(file, _MOST_RUN_BYTES)
    except NoSmallFile as error:
        raise problem("not-a-run", f"this {error}", where=str(file), hint="a run folder holds run.json") from None
    except FileNotFoundError:
        if file.name == RUN_JSON and os.path.lexists(file.with_name(RUN_DB)):
            hint = "`evaluators run SUITE --name NAME --resume` goes on with it"
            raise problem("not-a-run", "this run is not finished", where=str(file.parent), hint=hint) from None
        message = f"there is no {file.name} in it, so it is not a run folder" if path.is_dir() else "there is no such run"
        raise problem("not-a-run", message, where=str(path), hint="a run folder holds run.json") from None
    except OSError as error:
        raise problem("not-a-run", f"it cannot be read: {system_message(error)}", where=str(file)) from None


def _contradictions(facts: RecordFacts, result: RunResult) -> Iterator[str]:
    """Yields messages about a damaged record: where it contradicts the result beside it, or names files that no run writes."""
    if facts.suite and not _is_suite_file(facts.suite):
        yield f"its suite is named {quote(facts.suite)}, which is not among its files"
    for variant in facts.variants:
        if variant.variant is not None and (why := why_no_file_name(variant.variant)) is not None:
            yield f"the name of the variant {quote(clip_name(variant.variant))} {why}"
    if {evaluator.name for evaluator in facts.evaluators} != {evaluator.name for evaluator in result.evaluators}:
        yield "its record has other evaluators than its metrics"
    if facts.layout.evaluators not in ((), tuple(evaluator.name for evaluator in facts.evaluators)):
        yield "its columns are those of other evaluators"
    if {variant.variant for variant in facts.variants} != set(result.variants or (None,)):
        yield "its record has other variants than its metrics"


def _is_suite_file(place: str) -> bool:
    """Whether a path is that of one of the suite's files in a run folder."""
    path = PurePosixPath(place)
    return path.parts[:1] == (SUITE_FOLDER,) and ".." not in path.parts and "\\" not in place and "\0" not in place


def checked_rows(
    rows: Iterable[RowLine], verdicts: Sequence[Sequence[Result]], slices: int, where: Callable[[int], str]
) -> Iterator[RowLine]:
    """Passes on rows in their order, once each is checked: its codes must be among the verdicts of its evaluators, it has a
    text for each of so many slices, and its number is above that of the row before. `where` gives the place of a line by its
    number.

    Raises Problems (config) for any other row.
    """
    known, last = [len(each) for each in verdicts], -1
    for number, line in enumerate(rows, 1):
        if len(line.codes) != len(known):
            raise damaged_run(f'"codes" should be {len(known)} numbers; found {len(line.codes)}', where(number))
        for code, most in zip(line.codes, known, strict=True):
            if not 0 <= code < most:
                raise damaged_run(f"row {line.row}: the table of codes has no {code} for it", where(number))
        if len(line.slices) != slices:
            raise damaged_run(f'"slices" should be {slices} texts', where(number))
        if line.row <= last:
            raise damaged_run(f"row {line.row} comes after row {last}", where(number))
        last = line.row
        yield line


def stored_rows(rows: RunRows, where: str, only: int | None = None) -> Iterator[RowLine]:
    """The rows in the columns of a variant, one after the other; with `only` the row of that number alone. Verdicts that differ
    only in what gates look at have one code here. Raises Problems (config) for a cell of another type, with `where` as its
    place."""
    layout, named, same_codes = rows.layout, rows.has_ids(), rows.same_codes()
    for cells in rows.read(layout.names) if only is None else rows.read_row(layout.names, only):
        chunk = dict(zip(layout.names, cells, strict=True))
        for name, column in chunk.items():
            if not {*map(type, column)} <= _TYPES.get(name.rstrip("0123456789"), {str}):
                raise damaged_run(f'the column "{name}" has something that no run writes', where)
        numbers, clusters = chunk["row"], chunk["cluster"] if layout.clustered else repeat(None, len(chunk["row"]))
        # a test set without ids calls rows by their numbers
        names = ("" if id_ is None else id_ for id_ in chunk["id"]) if named else map(str, numbers)
        slices = [chunk[f"slice{place}"] for place in range(len(layout.slices))]
        values = zip(*slices, strict=True) if slices else repeat((), len(numbers))
        codes = [chunk[f"code{place}"] for place in range(len(layout.evaluators))]
        for place, same in same_codes.items():
            codes[place] = [same.get(code, code) for code in codes[place]]
        columns = zip(numbers, names, chunk["given"], clusters, values, zip(*codes, strict=True), strict=True)
        for row, name, checksum, cluster, sliced, own in columns:
            yield RowLine(
                row=row, id=name, checksum=f"{checksum:08x}", cluster=cluster, slices=list(sliced), codes=list(own)
            )


_TYPES: Final[Mapping[str, set[type]]] = {
    "row": {int}, "id": {str, NoneType}, "given": {int}, "step": {int}, "pair": {int}, "empty": {int}, "code": {int},
}  # fmt: skip
"""What the columns of rows hold, by their names without numbers; the others hold text."""


def _decode_fast(text: str, decode: Callable[[str], Kind]) -> Kind | None:
    """A line, decoded by `decode`; None where it does not decode or may be nested too deeply: reading it as `_read_object` then
    finds what is wrong."""
    if len(text) >= SHALLOW_CHARS and (len(text) > MAX_CHARS or text.count("[") + text.count("{") > MAX_DEPTH):
        return None
    try:
        return decode(text)
    except REFUSED:
        return None


_OUTCOME: Final = msgspec.json.Decoder(Outcome).decode
_ROW_OUTCOME: Final = msgspec.json.Decoder(RowOutcome).decode
_CELLS: Final = msgspec.json.Decoder(CellsLine).decode
_OTHER_KIND: Final = re.compile(r'"(?:status|array|pairs)":')


def read_outcomes(
    texts: Iterable[str], evaluators: Collection[str], where: Callable[[int], str]
) -> Iterator[OutcomeLine]:
    """The outcomes in the lines `texts`. `where` gives the place of a line by its number, counted from 1.

    Raises Problems (config) for a damaged line, and for one about an evaluator that is not among `evaluators`.
    """
    for number, text in enumerate(texts, 1):
        line = read_outcome(text, partial(where, number))
        if line.evaluator not in evaluators:
            raise damaged_run(f"the run has no evaluator {quote(line.evaluator)}", where(number))
        yield line


def read_outcome(text: str, where: Callable[[], str]) -> OutcomeLine:
    """The outcome in one line. Raises Problems (config) for a damaged one; `where` gives its place."""
    if '"path":' in text:
        outcome: OutcomeLine | None = _decode_fast(text, _OUTCOME)
    else:
        outcome = None if _OTHER_KIND.search(text) else _decode_fast(text, _ROW_OUTCOME)
    if outcome is None:
        data = _read_object(text, place := where())
        outcome = read_as(data, outcome_kind(data), place)
    return _with_exact_ratio(outcome) if isinstance(outcome, Outcome) and "ratio" in outcome.details else outcome


def read_cells(texts: Iterable[str], where: Callable[[int], str]) -> Iterator[CellsLine]:
    """The cells of rows in the lines `texts`. `where` gives the place of a line by its number, counted from 1.

    Raises Problems (config) for a damaged line.
    """
    for number, text in enumerate(texts, 1):
        if (line := _decode_fast(text, _CELLS)) is None:
            line = read_as(_read_object(text, where(number)), CellsLine, where(number))
        yield line


def read_verdict(text: str, evaluator: RecordedEvaluator, where: str) -> Result:
    """The verdict of an evaluator in a line of the table of verdicts.

    Raises Problems (config) for a damaged one, and for one without a letter for each field where the evaluator lists its fields. Where
    schemas stand in cells, any number of letters may stand for the fields of a row.
    """
    line = read_as(_read_object(text, where), CodedVerdict, where)
    if evaluator.fields and line.fields and len(line.fields) != len(evaluator.fields):
        raise damaged_run(f'"fields" should have a letter for each of {len(evaluator.fields)} fields', where)
    return line.verdict


def _with_exact_ratio(outcome: Outcome) -> Outcome:
    """The outcome with its exact partial credit as a pair, which JSON has as a list."""
    ratio = outcome.details["ratio"]
    is_pair = isinstance(ratio, list) and [*map(type, ratio)] == [int, int]
    return replace(outcome, details={**outcome.details, "ratio": tuple(ratio)}) if is_pair else outcome


def _read_object(text: str, where: str) -> dict[str, Any]:
    """The JSON object in a line. Raises Problems (config), with `where` as the place, for a line that is no JSON or no object."""
    try:
        data = parse(text)
    except NotJSON as error:
        raise damaged_run(f"not JSON: {error.message}", where) from None
    if not isinstance(data, dict):
        raise damaged_run("an object is expected", where)
    return data


class LinesByRow(Generic[LineOfRow]):
    """The lines of a file that has any number of lines for each row, handed out row by row."""

    def __init__(self, where: str, lines: Iterable[LineOfRow]) -> None:
        self._where = where
        self._lines = enumerate(lines, 1)
        self._next = next(self._lines, None)

    def lines_of(self, row: int) -> list[LineOfRow]:
        """Takes the lines of a row, empty where it has none, and goes on behind them. Callers ask for rows in ascending order. Raises
        Problems (config) for a line before them whose row nobody asked for: the run has no such row."""
        lines = []
        while self._next is not None and self._next[1].row <= row:
            if self._next[1].row < row:
                self.end()
            lines.append(self._next[1])
            self._next = next(self._lines, None)
        return lines

    def end(self) -> None:
        """Raises Problems (config) if a line is left over, which belongs to no row of the run."""
        if self._next is not None:
            number, line = self._next
            text = f"row {line.row} is not among the rows of the run, or not in their order"
            raise damaged_run(f"line {number}: {text}", self._where)
