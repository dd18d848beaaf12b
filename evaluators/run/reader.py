"""A run folder, read: what every report, page, comparison and piece of advice is made from.

Nothing here scores. Rows come one after the other with their verdicts, and with the outcomes and the cells that were kept. The
types of lines are checked as they are read, and a file that is damaged is named with the line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Final, Generic, Self, TypeAlias, TypeVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.issues import Problems, encodable, problem
from evaluators.judges.answer_lines import AnswerLine, read_answers
from evaluators.model import Outcome, Result
from evaluators.needs import ROLES
from evaluators.run.record_facts import SUITE_FOLDER, RecordedVariant, RecordFacts, RecordFiles, record_files
from evaluators.run.record_lines import (
    CellsLine,
    CodeLine,
    OutcomeLine,
    Recorded,
    RowLine,
    RowOutcome,
    outcome_kind,
    recorded_of,
)
from evaluators.run.result import RunResult
from evaluators.run.rows import pyarrow
from evaluators.run.run_json import damaged, of_this_format, read_environment, run_body, typed
from evaluators.run.store import ENVIRONMENT_JSON, RUN_JSON, reason
from evaluators.values.files import NoSmallFile, is_own_file, read_small, shown, why_no_file_name
from evaluators.values.json_reader import SHALLOW_CHARS
from evaluators.values.json_text import MAX_CHARS, MAX_DEPTH, REFUSED, NotJSON, parse
from evaluators.values.quoting import quote
from evaluators.values.read_files import note_listed, note_read

_LONGEST_LINE: Final = 4 * MAX_CHARS + 1
"""Bytes that are read of a line: what is longer is refused, and need not be in memory for that."""
_MOST_RUN_BYTES: Final = 1024**3
"""The largest run.json that is read."""
_FEW_LINES: Final = 10_000
"""Outcomes that are kept once they were read."""

Kind = TypeVar("Kind")
LineOfRow = TypeVar("LineOfRow", bound=OutcomeLine | CellsLine)


CellsAgain: TypeAlias = Callable[[str | None], Iterator[CellsLine]]
"""The cells of a variant from the test set, in the order of rows."""


class RecordedRow(Struct):
    """One row."""

    number: int
    id: str
    given: str
    """A checksum of what the row gives, the outputs apart."""
    cluster: str | None
    slices: Sequence[str]
    verdicts: Sequence[Result]
    """In the order of the evaluators."""
    cells: Mapping[str, Any] | None = None
    """Its cells by column; None where they were not kept."""
    recorded: Mapping[str, Recorded] = field(default_factory=dict)
    """What was recorded, by evaluator."""

    @property
    def name(self) -> str:
        """What the row is called: its id, or its number where it has none."""
        return self.id or str(self.number)


class _WithRecord(Struct):
    """What is read here of `run.json`; the rest is the result."""

    record: RecordFacts | None = None


class Run:
    """A run: its metrics, and its rows and all that was recorded of them as somebody asks for them.

    `Run(place)` reads a run folder; of what is read, the types are checked, and what is damaged is named with its line.
    """

    place: Path
    """The folder that holds its files."""
    result: RunResult
    """All metrics, gates and problems, as data."""

    def __init__(self, place: str | Path) -> None:
        """Reads the run in a run folder, or of the `run.json` in one.

        Raises Problems (config) when there is none, or it is damaged or of another version.
        """
        place = Path(place)
        file = place / RUN_JSON if place.is_dir() else place
        result, facts = _of_body(run_body(_bytes_of(file, place), str(file)), str(file))
        beside = file.with_name(ENVIRONMENT_JSON)
        if file.name == RUN_JSON and beside.exists():
            result = replace(result, environment=read_environment(_bytes_of(beside, place), str(beside)))
        self._hold(file.parent, result, facts)
        note_listed(self._named)

    def _named(self) -> Iterable[str]:
        from evaluators.run.named_files import named_by_run  # asked where something is about to be written over

        return named_by_run(self)

    @classmethod
    def of(cls, path: Path, result: RunResult, facts: RecordFacts | Problems) -> Self:
        """A run that was just scored. `facts` is the record of its rows, or the reason why they were not recorded."""
        found = cls.__new__(cls)
        found._hold(path, result, facts)
        return found

    @classmethod
    def unpacked(cls, file: Path, body: object, lines: Mapping[str, Any]) -> Self:
        """The run of a packed folder: what its `run.json` holds, and the lines of its files by their names.

        Raises Problems (config) as for a run folder.
        """
        note_read(file)
        found = cls.of(file, *_of_body(of_this_format(body, str(file)), str(file)))
        found._packed = lines
        return found

    def _hold(self, path: Path, result: RunResult, facts: RecordFacts | Problems) -> None:
        self.place, self.result, self._facts = path, result, facts
        self._packed: Mapping[str, Any] | None = None
        self.again: CellsAgain | None = None
        """Reads cells once more; None where the test set is not the one that was scored."""
        self._read: dict[str | None, tuple[OutcomeLine, ...]] = {}
        """The outcomes of small variants: reports, advice and rows.csv read them one after the other."""

    def but(self, *, result: RunResult | None = None, place: Path | None = None, again: CellsAgain | None = None) -> Self:
        """A copy of the run with another result, in another folder, or with cells that are read from the test set again."""
        found = copy(self)
        found.result, found.place, found.again = result or self.result, place or self.place, again or self.again
        return found

    @property
    def facts(self) -> RecordFacts:
        """The record of the rows in `run.json`: how they are stored, their evaluators, variants and slices.

        Raises Problems (config) for a run whose rows were not recorded.
        """
        if isinstance(self._facts, Problems):
            raise self._facts
        return self._facts

    def files(self, variant: str | None) -> RecordFiles:
        """The files of a variant."""
        return record_files(self.place, self.facts.rows_format, variant)

    def compared_columns(self, evaluator: str) -> tuple[str, str]:
        """The columns of the outputs and of the expected texts that an evaluator compares.

        Raises Problems (config) for a damaged record.
        """
        columns = [
            reading.column for one in self.facts.evaluators if one.name == evaluator for reading in one.readings[:2]
        ]
        if len(columns) < 2:
            text = f"it does not say which two columns {quote(evaluator)} compares"
            raise damaged(text, str(self.place / RUN_JSON))
        return columns[0], columns[1]

    @property
    def each_variant(self) -> tuple[str | None, ...]:
        """The variants; None alone where there are none."""
        return tuple(one.variant for one in self.facts.variants)

    @property
    def has_every_cell(self) -> bool:
        """Whether the cells of all rows can be read: from the run folder, or from the test set again."""
        return self.again is not None or all(one.every_cell for one in self.facts.variants)

    def each_row(self, variant: str | None = None, *, explained: bool = True) -> Iterator[RecordedRow]:
        """The rows of a variant, in order. Without `explained`, only what the codes say.

        Raises Problems (config) for a file that is damaged or not there.
        """
        files = self.files(variant)
        verdicts = self.verdicts(variant)
        outcomes = _LinesOfRows(files.outcomes, self.outcomes(variant) if explained else ())
        cells = _LinesOfRows(files.cells, self.cells(variant) if explained else ())
        for line in self.row_lines(variant, verdicts):
            found = [known[code] for known, code in zip(verdicts, line.codes, strict=True)]
            row = RecordedRow(line.row, line.id, line.checksum or "", line.cluster, line.slices, found)
            row.recorded = recorded_of(outcomes.of(row.number))
            for kept in cells.of(row.number):
                row.cells = kept.cells
            yield row
        outcomes.end()
        if self.again is None:  # a run that was stopped has fewer rows than its test set
            cells.end()

    def row_lines(self, variant: str | None, verdicts: Sequence[Sequence[Result]]) -> Iterator[RowLine]:
        """The lines of rows of a variant, in order, each with codes that are among the verdicts.

        Raises Problems (config) for a file that is damaged or not there.
        """
        file, slices = self.files(variant).rows, len(self.facts.slices)
        known = [len(each) for each in verdicts]
        last, count = -1, 0
        plain = (
            lines(file, RowLine, self._packed) if self.facts.rows_format == "jsonl" else _parquet_rows(file, self.facts)
        )
        for count, line in enumerate(plain, 1):
            if len(line.codes) != len(known):
                raise damaged(f'"codes" should be {len(known)} numbers; found {len(line.codes)}', f"{file}:{count}")
            for code, most in zip(line.codes, known, strict=True):
                if code >= most:
                    raise damaged(f"the table of codes has no {code} for it", f"{file}:{count}")
            if len(line.slices) != slices:
                raise damaged(f'"slices" should be {slices} texts', f"{file}:{count}")
            if line.row <= last:
                raise damaged(f"row {line.row} comes after row {last}", f"{file}:{count}")
            last = line.row
            yield line
        wanted = self._kept(variant).rows
        if count != wanted:
            raise damaged(f"the run has {wanted:,} rows; found {count:,}", str(file))

    def verdicts(self, variant: str | None = None) -> list[list[Result]]:
        """For each evaluator, its distinct verdicts; the codes in the lines of rows are indexes into these lists.

        Raises Problems (config) for a damaged table of codes.
        """
        file = self.files(variant).codes
        found: dict[str, list[Result]] = {one.name: [] for one in self.facts.evaluators}
        fields = {one.name: len(one.fields) for one in self.facts.evaluators}
        for number, line in enumerate(lines(file, CodeLine, self._packed), 1):
            if line.evaluator not in found:
                raise damaged(f"the run has no evaluator {quote(line.evaluator)}", f"{file}:{number}")
            known, listed = found[line.evaluator], fields[line.evaluator]
            if line.code != len(known):
                raise damaged(f'"code" should be {len(known)}; found {line.code}', f"{file}:{number}")
            # an evaluator whose schemas stand in cells lists no fields, and any number of letters may stand for those of a row
            if listed and line.fields and len(line.fields) != listed:
                raise damaged(f'"fields" should have a letter for each of {listed} fields', f"{file}:{number}")
            known.append(line.verdict)
        return list(found.values())

    def outcomes(self, variant: str | None = None) -> Iterator[OutcomeLine]:
        """The lines of outcomes of a variant, in the order of rows.

        Raises Problems (config) for a damaged line, with its number, and for a file that is not there.
        """
        if self._kept(variant).outcomes > _FEW_LINES:
            return self._outcomes(variant)
        if variant not in self._read:
            self._read[variant] = tuple(self._outcomes(variant))
        return iter(self._read[variant])

    def _outcomes(self, variant: str | None) -> Iterator[OutcomeLine]:
        file, names, count = self.files(variant).outcomes, {one.name for one in self.facts.evaluators}, 0
        for count, text in enumerate(_texts(file), 1):
            line: OutcomeLine | None = None
            if b'"path":' in text:
                line = _at_once(text, _OUTCOME)
            elif not _OTHER_KIND.search(text):
                line = _at_once(text, _ROW_OUTCOME)
            if line is None:
                data = _object(text, where := f"{file}:{count}")
                line = typed(data, outcome_kind(data), where)
            if line.evaluator not in names:
                raise damaged(f"the run has no evaluator {quote(line.evaluator)}", f"{file}:{count}")
            yield line
        _check_count(file, count, self._kept(variant).outcomes)

    def cells(self, variant: str | None = None) -> Iterator[CellsLine]:
        """The cells of a variant, in the order of rows; nothing where there are none. Those that the folder lacks come from the test
        set, if that is as it was.

        Raises Problems (config) for a damaged line, with its number.
        """
        kept = self._kept(variant)
        if not kept.every_cell and self.again is not None:
            return self.again(variant)
        return self._cells(variant) if kept.every_cell or kept.cells else iter(())

    def _cells(self, variant: str | None) -> Iterator[CellsLine]:
        file, count = self.files(variant).cells, 0
        for line in lines(file, CellsLine):
            count += 1
            yield line
        _check_count(file, count, self._kept(variant).cells)

    def answers(self, variant: str | None = None) -> Iterator[AnswerLine]:
        """The recorded questions to judges and other paid comparators with their answers, in the order of the file.

        Raises Problems (config) for a damaged line, with its number, and for one about a row or an evaluator that there is not.
        """
        file = self.files(variant).answers
        _check_own(file)
        if not file.is_file():
            return
        rows = {line.row for line in self.row_lines(variant, self.verdicts(variant))}
        names = {one.name for one in self.facts.evaluators}
        for number, line in enumerate(read_answers(file), 1):
            for row, evaluator, _ in line.places:
                if row not in rows:
                    raise damaged(f"the run has no row {row}", f"{file}:{number}")
                if evaluator not in names:
                    raise damaged(f"the run has no evaluator {quote(evaluator)}", f"{file}:{number}")
            yield line

    def _kept(self, variant: str | None) -> RecordedVariant:
        return next(one for one in self.facts.variants if one.variant == variant)


def _of_body(body: Mapping[str, Any], where: str) -> tuple[RunResult, RecordFacts | Problems]:
    """The result in a `run.json`, and the record of its rows or the reason why it has none.

    Raises Problems (config) for a damaged file.
    """
    stored = typed(body, RunResult, where)
    result = replace(stored, columns={role: stored.columns[role] for role in ROLES if role in stored.columns})
    facts = typed(body, _WithRecord, where).record
    if facts is None:
        hint = "score the test set again, into a run folder"
        message = "there are metrics in it, and no record of the rows"
        return result, problem("no-record", message, where=where, hint=hint)
    for wrong in _contradictions(facts, result):
        raise damaged(wrong, where)
    return result, facts


def _bytes_of(file: Path, path: Path) -> bytes:
    """The bytes of a file of a run folder. Raises Problems (config) where it is missing, a link, or too large."""
    try:
        if file.is_symlink():
            raise problem(
                "not-a-run", "this is a link to elsewhere, and a run folder holds its own files", where=str(file)
            )
        return read_small(file, _MOST_RUN_BYTES)
    except NoSmallFile as error:
        raise problem("not-a-run", f"this {error}", where=str(file), hint="a run folder holds run.json") from None
    except FileNotFoundError:
        message = f"there is no {file.name} in it, so it is not a run folder" if path.is_dir() else "there is no such run"
        raise problem("not-a-run", message, where=str(path), hint="a run folder holds run.json") from None
    except OSError as error:
        raise problem("not-a-run", f"it cannot be read: {reason(error)}", where=str(file)) from None


def note_written(path: Path, result: RunResult, files: Iterable[Path]) -> RunResult:
    """The result with the further files that its run has written, as paths from its folder on; those in the folder are none."""
    outside = [file for file in map(os.path.abspath, files) if not Path(file).is_relative_to(path.absolute())]
    return replace(result, written=tuple(dict.fromkeys([*result.written, *(_from(path, file) for file in outside)])))


def _from(path: Path, file: str) -> str:
    try:
        return Path(os.path.relpath(file, path)).as_posix()
    except ValueError:  # another drive
        return file


def _contradictions(facts: RecordFacts, result: RunResult) -> Iterator[str]:
    """Messages about a damaged record: where it contradicts the result beside it, or names files that no run writes."""
    if facts.suite and not _below(facts.suite):
        yield f"its suite is named {quote(facts.suite)}, which is not among its files"
    for one in facts.variants:
        if one.variant is not None and (why := why_no_file_name(one.variant)) is not None:
            yield f"the name of the variant {quote(shown(one.variant))} {why}"
    if {one.name for one in facts.evaluators} != {one.name for one in result.evaluators}:
        yield "its record has other evaluators than its metrics"
    if {one.variant for one in facts.variants} != set(result.variants or (None,)):
        yield "its record has other variants than its metrics"


def _below(place: str) -> bool:
    """Whether a path is that of one of the suite's files in a run folder."""
    path = PurePosixPath(place)
    return path.parts[:1] == (SUITE_FOLDER,) and ".." not in path.parts and "\\" not in place and "\0" not in place


def lines(file: Path, kind: type[Kind], packed: Mapping[str, Any] | None = None) -> Iterator[Kind]:
    """The lines of a JSONL file, each decoded as a `kind`. A packed run has the decoded lines of its files in `packed`.

    Raises Problems (config) for a missing file, and for a line that is no `kind`, with its number.
    """
    if packed is not None:
        for number, data in enumerate(_unpacked(file, packed), 1):
            yield typed(data, kind, f"{file}:{number}")
        return
    decode = msgspec.json.Decoder(kind).decode
    for number, text in enumerate(_texts(file), 1):
        line = _at_once(text, decode)
        yield line if line is not None else typed(_object(text, where := f"{file}:{number}"), kind, where)


def _at_once(text: bytes, decode: Callable[[bytes], Kind]) -> Kind | None:
    """A line, decoded fast; None where it does not decode or may be nested too deeply: the slow way then names what is wrong."""
    if len(text) >= SHALLOW_CHARS and (len(text) > MAX_CHARS or text.count(b"[") + text.count(b"{") > MAX_DEPTH):
        return None
    try:
        return decode(text)
    except REFUSED:
        return None


_OUTCOME: Final = msgspec.json.Decoder(Outcome).decode
_ROW_OUTCOME: Final = msgspec.json.Decoder(RowOutcome).decode
_OTHER_KIND: Final = re.compile(rb'"(?:status|array|pairs)":')


def _unpacked(file: Path, packed: Mapping[str, Any]) -> Iterator[Any]:
    if not isinstance(found := packed.get(file.name), list):
        raise damaged(f"there is no {file.name}", str(file.parent))
    yield from found


def _texts(file: Path) -> Iterator[bytes]:
    """The lines of a file. Raises Problems (config) for one that is not there."""
    _check_own(file)
    try:
        stream = open(file, "rb")  # noqa: SIM115  # closed below; what can go wrong here is only its opening
    except OSError:
        raise damaged(f"there is no {file.name}", str(file.parent)) from None
    with stream:
        yield from iter(partial(stream.readline, _LONGEST_LINE), b"")


def _object(text: bytes, where: str) -> dict[str, Any]:
    """A line as JSON. Raises Problems (config) for one that is not an object."""
    try:
        data = parse(text)
    except NotJSON as error:
        raise damaged(f"not JSON: {error.message}", where) from None
    if not isinstance(data, dict):
        raise damaged("an object is expected", where)
    return data


def _parquet_rows(file: Path, facts: RecordFacts) -> Iterator[RowLine]:
    arrow, parquet = pyarrow()
    codes = [f"code {encodable(one.name)}" for one in facts.evaluators]
    slices = [f"slice {encodable(name)}" for name in facts.slices]
    _check_own(file)
    number = 0
    try:
        for batch in parquet.ParquetFile(file).iter_batches():
            columns = batch.to_pydict()
            plain = [name for name in ("row", "id", "checksum", "cluster") if name in columns]
            for index in range(batch.num_rows):
                data: dict[str, Any] = {name: columns[name][index] for name in plain}
                data["codes"] = [columns[name][index] for name in codes]
                data["slices"] = [columns[name][index] for name in slices]
                number += 1
                yield typed(data, RowLine, f"{file}:{number}")
    except (OSError, KeyError, arrow.ArrowException) as error:
        raise damaged(f"it cannot be read: {error}", str(file)) from None


def _check_own(file: Path) -> None:
    """Raises Problems (config) for a link, a device or a pipe: nothing in a run folder says which other files are opened."""
    if os.path.lexists(file) and not is_own_file(file):
        raise damaged("it is a link, or no file at all", str(file))


def _check_count(file: Path, found: int, written: int) -> None:
    if found != written:
        raise damaged(f"the run wrote {written:,} lines; found {found:,}", str(file))


class _LinesOfRows(Generic[LineOfRow]):
    """The lines of a file that has any number of lines for each row, handed out row by row."""

    def __init__(self, file: Path, found: Iterable[LineOfRow]) -> None:
        self._file = file
        self._lines = enumerate(found, 1)
        self._next = next(self._lines, None)

    def of(self, row: int) -> list[LineOfRow]:
        """The lines of a row. Rows are asked for in order. Raises Problems (config) for a line of a row that there is not."""
        found = []
        while self._next is not None and self._next[1].row <= row:
            if self._next[1].row < row:
                self.end()
            found.append(self._next[1])
            self._next = next(self._lines, None)
        return found

    def end(self) -> None:
        """Raises Problems (config) if a line is left, which belongs to no row."""
        if self._next is not None:
            number, line = self._next
            text = f"row {line.row} is not among the rows of the run, or not in their order"
            raise damaged(text, f"{self._file}:{number}")
