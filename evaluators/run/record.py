"""The record of a run, read back from its folder: what every report, page, comparison and piece of advice is made from.

Nothing here scores. Rows come one after the other with their verdicts, and with the outcomes and the cells that were kept.
A file that is damaged is named with the line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal, TypeVar

from pydantic import TypeAdapter

from evaluators.issues import problem
from evaluators.judges.answer_lines import AnswerLine, read_answers
from evaluators.model import Verdict
from evaluators.needs import ROLES, Wanted
from evaluators.run.codes import verdict_of
from evaluators.run.declared import Declared
from evaluators.run.record_files import RecordFiles, record_files
from evaluators.run.record_lines import Recorded, recorded_of
from evaluators.run.record_shapes import check_cells, check_code, check_outcome, check_row
from evaluators.run.recorder import Kept
from evaluators.run.result import RunResult
from evaluators.run.rows import RowsFormat, pyarrow, storable
from evaluators.run.run_json import damaged, validated
from evaluators.run.run_names import RUN_JSON
from evaluators.run.store import load_run, run_file
from evaluators.value_class import dataclass, field, replace
from evaluators.values.file_names import shown, why_no_file_name
from evaluators.values.json_choice import Pick, Want
from evaluators.values.json_text import MAX_CHARS, NotJSON, parse
from evaluators.values.quoting import quote
from evaluators.values.small_files import is_own_file

SUITE_FOLDER: Final = "suite"
"""The folder of a run folder with the suite as it is written."""

_LONGEST_LINE: Final = 4 * MAX_CHARS + 1
"""Bytes that are read of a line: what is longer is refused, and need not be in memory for that."""
_FEW_LINES: Final = 10_000
"""Outcomes that are kept once they were read."""

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class CellReading:
    """How an evaluator reads one column."""

    column: str
    side: Literal["expected", "output", "other"]
    how: Literal["text", "expected", "output"]
    """As text; as strict JSON; as JSON in an output."""
    want: Wanted = "any"
    """The kind of JSON that is looked for in an output; `like_expected` goes by the cell `beside`."""
    lenient: bool = True
    beside: str | None = None
    like: str | None = None
    """The column of the expected documents whose kind goes first, where an output holds several documents."""
    prefer: Want = "any"
    """The kind that goes first where there is no such column."""
    pick: Pick = "fitting"
    keys: tuple[str, ...] = ()
    """The keys that the suite names at the top of documents."""


@dataclass(frozen=True, slots=True)
class RecordedEvaluator:
    """What readers of the rows need to know of an evaluator."""

    name: str
    fields: tuple[str, ...] = ()
    """The fields whose status a code has, in order."""
    by_schema: bool = False
    """Its outcomes can be listed field by field."""
    needs: tuple[str, ...] = ()
    where: str = ""
    """Where it stands in the suite; the file by its name alone."""
    field_places: Mapping[str, str] = field(default_factory=dict)
    readings: tuple[CellReading, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedVariant:
    """What was kept of the rows of one variant."""

    variant: str | None
    rows: int
    every_outcome: bool
    """All outcomes are there; else the first rows with something wrong of each field."""
    every_cell: bool
    """The cells of all rows are there; else those of some rows with something wrong, or none."""
    outcomes: int
    """The lines of outcomes."""
    cells: int
    """The lines of cells."""


@dataclass(frozen=True, slots=True)
class RecordFacts:
    """What a run folder says of its rows as a whole: the `record` of `run.json`."""

    rows_format: RowsFormat
    evaluators: tuple[RecordedEvaluator, ...]
    variants: tuple[RecordedVariant, ...]
    header: tuple[str, ...] = ()
    """The columns of the test set that go back to a spreadsheet."""
    delimiter: str | None = None
    byte_order_mark: bool = True
    """A file with these rows begins with one."""
    slices: tuple[str, ...] = ()
    documents: Kept = "auto"
    most: int | None = 200
    lowest_fields: int = 5
    schemas: Mapping[str, Declared] = field(default_factory=dict)
    """What schemas declare, by hash."""
    suite: str = ""
    """The suite's own text, among the files of the folder."""


@dataclass(frozen=True, slots=True)
class _WithRecord:
    """What is read here of `run.json`; the rest is the result."""

    record: RecordFacts | None = None


@dataclass(slots=True)
class RecordedRow:
    """One row."""

    number: int
    id: str
    given: str
    """A checksum of what the row gives, the outputs apart."""
    cluster: str | None
    slices: Sequence[str]
    verdicts: Sequence[Verdict]
    """In the order of the evaluators."""
    cells: Mapping[str, Any] | None = None
    """Its cells by column; None where they were not kept."""
    recorded: Mapping[str, Recorded] = field(default_factory=dict)
    """What was recorded, by evaluator."""


@dataclass(frozen=True)
class RunRecord:
    """A run folder."""

    folder: Path
    result: RunResult
    facts: RecordFacts
    again: Callable[[str | None], Iterator[RecordLine]] | None = field(default=None, compare=False)
    """The cells of a variant from the test set, in the order of rows; None where it is not the one that was scored."""
    own: bool = field(default=False, compare=False)
    """This process has just written the lines: that they are what they should be needs no look."""
    _read: dict[str | None, tuple[RecordLine, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The outcomes of small variants: reports, advice and rows.csv read them one after the other."""

    def files(self, variant: str | None) -> RecordFiles:
        """The files of a variant."""
        return record_files(self.folder, self.facts.rows_format, variant)

    def compared_columns(self, evaluator: str) -> tuple[str, str]:
        """The columns of the outputs and of the expected texts that an evaluator compares.

        Raises Problems (config) for a damaged record.
        """
        columns = [
            reading.column for one in self.facts.evaluators if one.name == evaluator for reading in one.readings[:2]
        ]
        if len(columns) < 2:
            said = f"it does not say which two columns {quote(evaluator)} compares"
            raise damaged(said, str(self.folder / RUN_JSON))
        return columns[0], columns[1]

    def rows(self, variant: str | None = None, *, explained: bool = True) -> Iterator[RecordedRow]:
        """The rows of a variant, in order. Without `explained`, only what the codes say.

        Raises Problems (config) for a file that is damaged or not there.
        """
        files = self.files(variant)
        verdicts = self._verdicts(files.codes)
        plain = _jsonl_rows if self.facts.rows_format == "jsonl" else _parquet_rows
        outcomes = _RowLines(files.outcomes, self.outcomes(variant) if explained else ())
        cells = _RowLines(files.cells, self.cells(variant) if explained else ())
        last = None
        count = 0
        for line in plain(files.rows, self.facts):
            count += 1
            row = _guarded(files.rows, line.number, partial(_row, line.data, verdicts, len(self.facts.slices)))
            if last is not None and row.number <= last:
                raise damaged(f"row {row.number} comes after row {last}", f"{files.rows}:{line.number}")
            last = row.number
            row.recorded = recorded_of(outcomes.of(row.number))
            for kept in cells.of(row.number):
                row.cells = kept["cells"]
            yield row
        self._check_count(variant, count, files.rows)
        outcomes.end()
        if self.again is None:  # a run that was stopped has fewer rows than its test set
            cells.end()

    def outcomes(self, variant: str | None = None) -> Iterator[RecordLine]:
        """The lines of outcomes of a variant, in the order of rows, each checked.

        Raises Problems (config) for a damaged line, with its number, and for a file that is not there.
        """
        if self._kept(variant).outcomes > _FEW_LINES:
            return self._outcomes(variant)
        if variant not in self._read:
            self._read[variant] = tuple(self._outcomes(variant))
        return iter(self._read[variant])

    def _outcomes(self, variant: str | None) -> Iterator[RecordLine]:
        file, names = self.files(variant).outcomes, frozenset(one.name for one in self.facts.evaluators)
        number = 0
        for line in json_lines(file):
            number = line.number
            if not self.own:
                _guarded(file, number, partial(check_outcome, line.data, names))
            yield line
        _check_lines(file, number, self._kept(variant).outcomes)

    def cells(self, variant: str | None = None) -> Iterator[RecordLine]:
        """The lines of cells of a variant, each checked: the number of a row, and its cells by column. From the test set where the folder
        has not all of them and `again` gives them; nothing where there are none.

        Raises Problems (config) for a damaged line, with its number.
        """
        kept = self._kept(variant)
        if not kept.every_cell and self.again is not None:
            return self.again(variant)
        return self._cells(variant) if kept.every_cell or kept.cells else iter(())

    @property
    def has_every_cell(self) -> bool:
        """The cells of all rows can be had."""
        return self.again is not None or all(one.every_cell for one in self.facts.variants)

    def _cells(self, variant: str | None) -> Iterator[RecordLine]:
        file, number = self.files(variant).cells, 0
        for line in json_lines(file):
            number = line.number
            _guarded(file, number, partial(check_cells, line.data))
            yield line
        _check_lines(file, number, self._kept(variant).cells)

    def _check_count(self, variant: str | None, count: int, file: Path) -> None:
        wanted = self._kept(variant).rows
        if count != wanted:
            raise damaged(f"the run has {wanted:,} rows; found {count:,}", str(file))

    def _kept(self, variant: str | None) -> RecordedVariant:
        return next(one for one in self.facts.variants if one.variant == variant)

    def answers(self, variant: str | None = None) -> Iterator[AnswerLine]:
        """What was asked of whoever costs something, and answered, in the order of the file; nothing where nobody was asked.

        Raises Problems (config) for a damaged line, with its number, and for one about a row or an evaluator that there is not.
        """
        file = self.files(variant).answers
        _check_own(file)
        if not file.is_file():
            return
        rows = {row.number for row in self.rows(variant, explained=False)}
        names = {one.name for one in self.facts.evaluators}
        for number, line in enumerate(read_answers(file), 1):
            for row, evaluator, _ in line.places:
                if row not in rows:
                    raise damaged(f"the run has no row {row}", f"{file}:{number}")
                if evaluator not in names:
                    raise damaged(f"the run has no evaluator {quote(evaluator)}", f"{file}:{number}")
            yield line

    def _verdicts(self, file: Path) -> list[list[Verdict]]:
        found: dict[str, list[Verdict]] = {one.name: [] for one in self.facts.evaluators}
        fields = {one.name: len(one.fields) for one in self.facts.evaluators}
        codes = dict.fromkeys(found, 0)
        for line in json_lines(file):
            _guarded(file, line.number, partial(check_code, line.data, fields, codes))
            name, verdict = _guarded(file, line.number, partial(_named, line.data))
            found[name].append(verdict)
            codes[name] += 1
        return list(found.values())

    @cached_property
    def variants(self) -> tuple[str | None, ...]:
        """The variants; None alone where there are none."""
        return tuple(one.variant for one in self.facts.variants)


@dataclass(frozen=True, slots=True)
class RecordLine:
    """A line of a file, with its number."""

    number: int
    data: Mapping[str, Any]


def read_record(place: Path) -> RunRecord:
    """The record of a run folder, or of a `run.json` in one.

    Raises Problems (config) when there is none, or it is damaged or of a later version.
    """
    stored = load_run(place)
    result = replace(stored, columns={role: stored.columns[role] for role in ROLES if role in stored.columns})
    folder = place if place.is_dir() else place.parent
    file, text = run_file(place)
    facts = _facts(file, text)
    if {one.name for one in facts.evaluators} != {one.name for one in result.evaluators}:
        raise damaged("its record has other evaluators than its figures", str(file))
    if {one.variant for one in facts.variants} != set(result.variants or (None,)):
        raise damaged("its record has other variants than its figures", str(file))
    return RunRecord(folder, result, facts)


def json_lines(file: Path) -> Iterator[RecordLine]:
    """The lines of a file. Raises Problems (config) for one that is not there, and for a line that is not an object."""
    _check_own(file)
    try:
        stream = open(file, "rb")  # noqa: SIM115  # closed below; what can go wrong here is only its opening
    except OSError:
        raise damaged(f"there is no {file.name}", str(file.parent)) from None
    with stream:
        for number, text in enumerate(iter(partial(stream.readline, _LONGEST_LINE), b""), 1):
            try:
                data = parse(text)
            except NotJSON as error:
                raise damaged(f"not JSON: {error.message}", f"{file}:{number}") from None
            if not isinstance(data, dict):
                raise damaged("an object is expected", f"{file}:{number}")
            yield RecordLine(number, data)


def _check_lines(file: Path, found: int, written: int) -> None:
    if found != written:
        raise damaged(f"the run wrote {written:,} lines; found {found:,}", str(file))


class _RowLines:
    """A file with lines for some rows, in the order of rows."""

    def __init__(self, file: Path, lines: Iterable[RecordLine]) -> None:
        self._file = file
        self._lines = iter(lines)
        self._next: RecordLine | None = next(self._lines, None)

    def of(self, row: int) -> list[Mapping[str, Any]]:
        """The lines of a row. Rows are asked for in order. Raises Problems (config) for a line of a row that there is not."""
        found = []
        while self._next is not None and self._next.data["row"] <= row:
            if self._next.data["row"] < row:
                self.end()
            found.append(self._next.data)
            self._next = next(self._lines, None)
        return found

    def end(self) -> None:
        """Raises Problems (config) for a line that belongs to no row."""
        if self._next is not None:
            said = f"row {self._next.data['row']} is not among the rows of the run, or not in their order"
            raise damaged(said, f"{self._file}:{self._next.number}")


def _row(data: Mapping[str, Any], verdicts: Sequence[Sequence[Verdict]], slices: int) -> RecordedRow:
    check_row(data, [len(known) for known in verdicts], slices)
    found = [known[code] for known, code in zip(verdicts, data["codes"], strict=True)]
    return RecordedRow(
        data["row"], data["id"], data.get("checksum") or "", data.get("cluster"), data.get("slices", ()), found
    )


def _named(data: Mapping[str, Any]) -> tuple[str, Verdict]:
    return data["evaluator"], verdict_of(data)


def _jsonl_rows(file: Path, facts: RecordFacts) -> Iterator[RecordLine]:
    return json_lines(file)


def _parquet_rows(file: Path, facts: RecordFacts) -> Iterator[RecordLine]:
    arrow, parquet = pyarrow()
    codes = [f"code {storable(one.name)}" for one in facts.evaluators]
    slices = [f"slice {storable(name)}" for name in facts.slices]
    _check_own(file)
    try:
        stored = parquet.ParquetFile(file)
        for batch in stored.iter_batches():
            columns = batch.to_pydict()
            plain = [name for name in ("row", "id", "checksum", "cluster") if name in columns]
            for place in range(batch.num_rows):
                data = {name: columns[name][place] for name in plain}
                data["codes"] = [columns[name][place] for name in codes]
                data["slices"] = [columns[name][place] for name in slices]
                yield RecordLine(place, data)
    except (OSError, KeyError, arrow.ArrowException) as error:
        raise damaged(f"it cannot be read: {error}", str(file)) from None


def _guarded(file: Path, line: int, make: Callable[[], Found]) -> Found:
    try:
        return make()
    except (KeyError, IndexError, TypeError, ValueError) as error:
        said = str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
        raise damaged(said, f"{file}:{line}") from None


def _facts(file: Path, text: bytes) -> RecordFacts:
    facts = validated(_adapter(), text, str(file)).record
    if facts is None:
        hint = "score the test set again, into a run folder"
        raise problem("no-record", "there are figures in it, and no record of the rows", where=str(file), hint=hint)
    if facts.suite and not _below(facts.suite):
        raise damaged(f"its suite is named {quote(facts.suite)}, which is not among its files", str(file))
    for one in facts.variants:
        if one.variant is not None and (why := why_no_file_name(one.variant)) is not None:
            raise damaged(f"the name of the variant {quote(shown(one.variant))} {why}", str(file))
    return facts


def _below(place: str) -> bool:
    """Whether a place is one of the suite's files in a run folder."""
    path = PurePosixPath(place)
    return path.parts[:1] == (SUITE_FOLDER,) and ".." not in path.parts and "\\" not in place and "\0" not in place


def _check_own(file: Path) -> None:
    """Raises Problems (config) for a link, a device or a pipe: nothing in a run folder says which other files are opened."""
    if os.path.lexists(file) and not is_own_file(file):
        raise damaged("it is a link, or no file at all", str(file))


@cache
def _adapter() -> TypeAdapter[_WithRecord]:
    return TypeAdapter(_WithRecord)
