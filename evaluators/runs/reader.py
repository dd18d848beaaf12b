"""A run folder, read: what every report, page, export, comparison and piece of advice is made from.

Nothing here scores. Rows come one after the other with their verdicts, and with the outcomes and the cells that were kept. `run.db` is
opened for each question and closed after it, so that a folder that was read can be moved. What it holds is checked as it is read, and
what is damaged is named with its table and line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from copy import copy
from functools import partial
from itertools import repeat
from pathlib import Path, PurePosixPath
from types import NoneType
from typing import Any, Final, Generic, Literal, Self, TypeAlias, TypeVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.model.issues import Problems, problem
from evaluators.model.rows import Outcome, Result
from evaluators.runs.record_facts import SUITE_FOLDER, RecordedEvaluator, RecordedVariant, RecordFacts
from evaluators.runs.record_lines import (
    CellsLine,
    CodedVerdict,
    OutcomeLine,
    Recorded,
    RowLine,
    RowOutcome,
    outcome_kind,
    recorded_of,
)
from evaluators.runs.result import RunResult
from evaluators.runs.run_db import RUN_DB, RunDb, damage_named
from evaluators.runs.run_json import damaged, read_environment, run_body, typed
from evaluators.runs.run_rows import RunRows
from evaluators.runs.store import ENVIRONMENT_JSON, RUN_JSON, reason
from evaluators.scoring.judges.answer_lines import AnswerLine, read_answer
from evaluators.scoring.needs import ROLES
from evaluators.scoring.values.file_names import clip_name, why_no_file_name
from evaluators.scoring.values.files import NoSmallFile, note_listing, read_small
from evaluators.scoring.values.json_reader import SHALLOW_CHARS
from evaluators.scoring.values.json_text import MAX_CHARS, MAX_DEPTH, REFUSED, NotJSON, parse
from evaluators.scoring.values.quoting import quote

_MOST_RUN_BYTES: Final = 1024**3
"""The largest run.json that is read."""
_FEW_LINES: Final = 10_000
"""Outcomes that are kept once they were read."""

Kind = TypeVar("Kind")
LineOfRow = TypeVar("LineOfRow", bound=OutcomeLine | CellsLine)


CellsAgain: TypeAlias = Callable[[str | None, int | None], Iterator[CellsLine]]
"""The cells of a variant from the test set, in the order of rows, or those around the row of a number."""
Matches: TypeAlias = Callable[[str | None, int | None], Iterator[OutcomeLine]]
"""All that evaluators with a schema find in whole documents of a variant, in the order of rows, or in those of the row of a number."""


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
        """The name of the row: its id, or its number where it has none."""
        return self.id or str(self.number)


class _WithRecord(Struct):
    """The members of `run.json` that are read here; the rest is the result."""

    record: RecordFacts | None = None


class Run:
    """A run: its metrics, and its rows and their record, which are read when they are requested.

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
        note_listing(self._named)

    def _named(self) -> Iterable[str]:
        from evaluators.runs.named_files import named_by_run  # asked where something is about to be written over

        return named_by_run(self)

    @classmethod
    def of(cls, path: Path, result: RunResult, facts: RecordFacts | Problems) -> Self:
        """A run that was just scored. `facts` is the record of its rows, or the reason why they were not recorded."""
        found = cls.__new__(cls)
        found._hold(path, result, facts)
        found._checked = True  # this process has just written them
        return found

    def _hold(self, path: Path, result: RunResult, facts: RecordFacts | Problems) -> None:
        """Sets what a record of a run holds when nothing of its rows has been read yet."""
        self.place, self.result, self._facts = path, result, facts
        self._checked = False
        """Whether the tables of `run.db` were found to be those of the run, and whole."""
        self.again: CellsAgain | None = None
        """Reads cells once more; None where the test set is not the one that was scored."""
        self.matches: Matches | None = None
        """Finds what matches in whole documents; None where that was not asked for, or cannot be had."""
        self._verdicts: dict[str | None, list[list[Result]]] = {}
        """The verdicts of variants, once they were asked for."""
        self._read: dict[str | None, tuple[OutcomeLine, ...]] = {}
        """The outcomes of small variants: reports, advice and rows.csv read them one after the other."""

    def but(
        self,
        *,
        result: RunResult | None = None,
        place: Path | None = None,
        again: CellsAgain | None = None,
        matches: Matches | None = None,
    ) -> Self:
        """A copy of the run with another result, in another folder, with cells that are read from the test set again, or with what
        matches."""
        run = copy(self)
        run.result, run.place = result or self.result, place or self.place
        run.again, run.matches = again or self.again, matches or self.matches
        return run

    @property
    def facts(self) -> RecordFacts:
        """The record of the rows in `run.json`: how they are stored, their evaluators, variants and slices.

        Raises Problems (config) for a run whose rows were not recorded.
        """
        if isinstance(self._facts, Problems):
            raise self._facts
        return self._facts

    @contextmanager
    def _stored(self, variant: str | None) -> Iterator[RunRows]:
        """The stored rows of a variant, in a file that is closed again at the end.

        Raises Problems (config) where it is not there, was written by another version, or is damaged.
        """
        file, layout = self.place / RUN_DB, self.facts.layout
        with damage_named(file), closing(RunDb(file, readonly=True)) as db:
            if not self._checked:
                db.check_rows(layout, len(self.each_variant))
                self._checked = True
            yield RunRows(db, self.each_variant.index(variant), layout)

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
        return tuple(variant.variant for variant in self.facts.variants)

    @property
    def has_every_cell(self) -> bool:
        """Whether the cells of all rows can be read: from the run folder, or from the test set again."""
        return self.again is not None or all(variant.every_cell for variant in self.facts.variants)

    @property
    def lists_everything(self) -> bool:
        """Whether all outcomes can be had, what matches among them."""
        return all(
            variant.every_outcome and (variant.matches or self.matches is not None) for variant in self.facts.variants
        )

    def each_row(
        self, variant: str | None = None, *, explained: bool = True, only: int | None = None
    ) -> Iterator[RecordedRow]:
        """The rows of a variant, in order; with `only` the row of that number alone. Without `explained`, only what the codes say.

        Raises Problems (config) for a file that is damaged or not there.
        """
        verdicts, names = self.verdicts(variant), [evaluator.name for evaluator in self.facts.evaluators]
        outcomes = _LinesOfRows(self._where("outcomes"), self.outcomes(variant, only) if explained else ())
        cells = _LinesOfRows(self._where("cells"), _of(only, self.cells(variant, only)) if explained else ())
        matches = self.matches(variant, only) if explained and self.matches is not None else ()
        whole = _LinesOfRows(self._where("outcomes"), matches)
        for line in self.row_lines(variant, verdicts, only):
            results = [known[code] for known, code in zip(verdicts, line.codes, strict=True)]
            row = RecordedRow(line.row, line.id, line.checksum or "", line.cluster, line.slices, results)
            row.recorded = recorded_of(outcomes.of(row.number))
            if more := recorded_of(whole.of(row.number)):
                row.recorded = {
                    name: more.get(name) or row.recorded[name] for name in names if name in more or name in row.recorded
                }
            for cell in cells.of(row.number):
                row.cells = cell.cells
            yield row
        outcomes.end()
        if self.again is None:  # a run that was stopped has fewer rows than its test set
            cells.end()

    def row_lines(
        self, variant: str | None, verdicts: Sequence[Sequence[Result]], only: int | None = None
    ) -> Iterator[RowLine]:
        """The rows of a variant, in order, or the one of a number `only`, each with codes that are among the verdicts.

        Raises Problems (config) for a file that is damaged or not there.
        """
        count, where = 0, self._where("rows")
        with self._stored(variant) as rows:
            for line in checked_rows(stored_rows(rows, where, only), verdicts, len(self.facts.slices), lambda _: where):
                count += 1
                yield line
        if only is None and count != (wanted := self._facts_of(variant).rows):
            raise damaged(f"the run has {wanted:,} rows; found {count:,}", where)

    def split_of(self, variant: str | None, row: int, of: int) -> tuple[int, int] | None:
        """The place, among `of` splits of the test set, of the one that holds the row of a number, and the number of its first row. None
        where the run had another number of splits, or none that holds it."""
        with self._stored(variant) as rows:
            return rows.split_of(row, of)

    def verdicts(self, variant: str | None = None) -> list[list[Result]]:
        """For each evaluator, its distinct verdicts; the codes of rows are indexes into these lists, which are those of the run.

        Raises Problems (config) for a damaged table.
        """
        if variant not in self._verdicts:
            self._verdicts[variant] = self._stored_verdicts(variant)
        return self._verdicts[variant]

    def _stored_verdicts(self, variant: str | None) -> list[list[Result]]:
        """The verdicts of a variant as `run.db` has them: a list for each evaluator, in the order of codes. Raises Problems (config) where
        they are damaged."""
        verdicts: list[dict[str, Result]] = [{} for _ in self.facts.evaluators]
        where, codes = self._where("verdicts"), [0] * len(verdicts)
        with self._stored(variant) as rows:
            for evaluator, code, text in rows.verdict_texts():
                if evaluator not in range(len(verdicts)):
                    raise damaged(f"the run has no evaluator {evaluator}", where)
                if code != codes[evaluator]:
                    raise damaged(f'"code" should be {codes[evaluator]}; found {code}', where)
                codes[evaluator] += 1
                if text not in verdicts[evaluator]:
                    line = typed(_object(text, where), CodedVerdict, where)
                    check_letters(line, self.facts.evaluators[evaluator], where)
                    verdicts[evaluator][text] = line.verdict
        return [list(known.values()) for known in verdicts]

    def outcomes(self, variant: str | None = None, only: int | None = None) -> Iterator[OutcomeLine]:
        """The outcomes of a variant, in the order of rows, or those of the row `only`. Raises Problems (config) for a damaged file."""
        if only is not None or self._facts_of(variant).outcomes > _FEW_LINES:
            return self._outcomes(variant, only)
        if variant not in self._read:
            self._read[variant] = tuple(self._outcomes(variant))
        return iter(self._read[variant])

    def _outcomes(self, variant: str | None, only: int | None = None) -> Iterator[OutcomeLine]:
        """The outcomes of a variant in the order of rows. Raises Problems (config) where a line is damaged, or about an evaluator that the
        run does not have."""
        names = {evaluator.name for evaluator in self.facts.evaluators}
        for number, text in enumerate(self.lines("outcomes", variant, only), 1):
            where = partial(self._where, "outcomes", number if only is None else None)
            line = outcome_of(text, where)
            if line.evaluator not in names:
                raise damaged(f"the run has no evaluator {quote(line.evaluator)}", where())
            yield line

    def cells(self, variant: str | None = None, only: int | None = None) -> Iterator[CellsLine]:
        """The cells of a variant, in the order of rows; nothing where there are none. Those that the folder lacks come from the test
        set, if that is as it was: of a row `only`, without much before and after it.

        Raises Problems (config) for a damaged file.
        """
        facts = self._facts_of(variant)
        if not facts.every_cell and self.again is not None:
            return self.again(variant, only)
        return self.kept_cells(variant, only)

    def kept_cells(self, variant: str | None = None, only: int | None = None) -> Iterator[CellsLine]:
        """The cells of a variant that the folder keeps, in the order of rows, or those of the row `only`. Raises Problems (config) for a
        damaged file."""
        facts = self._facts_of(variant)
        return self._cells(variant, only) if facts.every_cell or facts.cells else iter(())

    def _cells(self, variant: str | None, only: int | None) -> Iterator[CellsLine]:
        """The lines of kept cells of a variant in the order of rows. Raises Problems (config) where one is damaged."""
        decode = msgspec.json.Decoder(CellsLine).decode
        for number, text in enumerate(self.lines("cells", variant, only), 1):
            if (line := _at_once(text, decode)) is None:
                where = self._where("cells", number if only is None else None)
                line = typed(_object(text, where), CellsLine, where)
            yield line

    def lines(
        self, table: Literal["outcomes", "cells", "answers"], variant: str | None = None, only: int | None = None
    ) -> Iterator[str]:
        """The lines of a table as they are kept, in the order of rows, or those of the row `only`. Raises Problems (config) for a damaged
        file."""
        count, facts = 0, self._facts_of(variant)
        with self._stored(variant) as rows:
            for line in rows.lines(table, only):
                if line.__class__ is not str:
                    raise damaged("text is expected", self._where(table, count + 1))
                count += 1
                yield line
        wanted = {"outcomes": facts.outcomes, "cells": facts.cells}.get(table, count)
        if only is None and count != wanted:
            raise damaged(f"the run wrote {wanted:,} lines; found {count:,}", self._where(table))

    def answers(self, variant: str | None = None) -> Iterator[AnswerLine]:
        """The recorded questions to judges and other paid comparators with their answers, in order.

        Raises Problems (config) for a damaged file.
        """
        names = {evaluator.name for evaluator in self.facts.evaluators}
        with self._stored(variant) as rows:
            for number, text in enumerate(rows.lines("answers"), 1):
                line = read_answer(text.encode(), where := self._where("answers", number))
                for row, evaluator, _ in line.places:
                    if not rows.has_row(row):
                        raise damaged(f"the run has no row {row}", where)
                    if evaluator not in names:
                        raise damaged(f"the run has no evaluator {quote(evaluator)}", where)
                yield line

    def _where(self, table: str, number: int | None = None) -> str:
        line = "" if number is None else f"line {number} of "
        return f"{self.place / RUN_DB}, {line}{table}"

    def _facts_of(self, variant: str | None) -> RecordedVariant:
        return next(facts for facts in self.facts.variants if facts.variant == variant)


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
        if file.name == RUN_JSON and os.path.lexists(file.with_name(RUN_DB)):
            hint = "`evaluators run SUITE --name NAME --resume` goes on with it"
            raise problem("not-a-run", "this run is not finished", where=str(file.parent), hint=hint) from None
        message = f"there is no {file.name} in it, so it is not a run folder" if path.is_dir() else "there is no such run"
        raise problem("not-a-run", message, where=str(path), hint="a run folder holds run.json") from None
    except OSError as error:
        raise problem("not-a-run", f"it cannot be read: {reason(error)}", where=str(file)) from None


def note_written(path: Path, result: RunResult, files: Iterable[Path]) -> RunResult:
    """The result with the further files that its run has written, as paths from its folder on; those in the folder are none."""
    outside = [file for file in map(os.path.abspath, files) if not Path(file).is_relative_to(path.absolute())]
    return replace(result, written=tuple(dict.fromkeys([*result.written, *(_from(path, file) for file in outside)])))


def _from(path: Path, file: str) -> str:
    """The file as a path from the folder on; as it is where there is no such path, on another drive of Windows."""
    try:
        return Path(os.path.relpath(file, path)).as_posix()
    except ValueError:  # another drive
        return file


def _contradictions(facts: RecordFacts, result: RunResult) -> Iterator[str]:
    """Messages about a damaged record: where it contradicts the result beside it, or names files that no run writes."""
    if facts.suite and not _below(facts.suite):
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


def _below(place: str) -> bool:
    """Whether a path is that of one of the suite's files in a run folder."""
    path = PurePosixPath(place)
    return path.parts[:1] == (SUITE_FOLDER,) and ".." not in path.parts and "\\" not in place and "\0" not in place


def checked_rows(
    rows: Iterable[RowLine], verdicts: Sequence[Sequence[Result]], slices: int, where: Callable[[int], str]
) -> Iterator[RowLine]:
    """Rows in their order, each with codes that are among the verdicts. `where` names the place of a line.

    Raises Problems (config) for any other.
    """
    known, last = [len(each) for each in verdicts], -1
    for number, line in enumerate(rows, 1):
        if len(line.codes) != len(known):
            raise damaged(f'"codes" should be {len(known)} numbers; found {len(line.codes)}', where(number))
        for code, most in zip(line.codes, known, strict=True):
            if not 0 <= code < most:
                raise damaged(f"row {line.row}: the table of codes has no {code} for it", where(number))
        if len(line.slices) != slices:
            raise damaged(f'"slices" should be {slices} texts', where(number))
        if line.row <= last:
            raise damaged(f"row {line.row} comes after row {last}", where(number))
        last = line.row
        yield line


def check_letters(line: CodedVerdict, one: RecordedEvaluator, where: str) -> None:
    """Raises Problems (config) for a verdict without a letter for each field of an evaluator that lists them; where schemas stand in
    cells, any number of letters may stand for the fields of a row."""
    if one.fields and line.fields and len(line.fields) != len(one.fields):
        raise damaged(f'"fields" should have a letter for each of {len(one.fields)} fields', where)


def stored_rows(rows: RunRows, where: str, only: int | None = None) -> Iterator[RowLine]:
    """Stored rows as readers need them; with `only` the row of that number alone. Verdicts that are told alike have one code here,
    whatever else the gates of the run looked at."""
    layout, named, same_codes = rows.layout, rows.has_ids(), rows.codes_told()
    for cells in rows.read(layout.names) if only is None else rows.read_row(layout.names, only):
        chunk = dict(zip(layout.names, cells, strict=True))
        for name, column in chunk.items():
            if not {*map(type, column)} <= _TYPES.get(name.rstrip("0123456789"), {str}):
                raise damaged(f'the column "{name}" has something that no run writes', where)
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


def _at_once(text: str, decode: Callable[[str], Kind]) -> Kind | None:
    """A line, decoded fast; None where it does not decode or may be nested too deeply: the slow way then names what is wrong."""
    if len(text) >= SHALLOW_CHARS and (len(text) > MAX_CHARS or text.count("[") + text.count("{") > MAX_DEPTH):
        return None
    try:
        return decode(text)
    except REFUSED:
        return None


_OUTCOME: Final = msgspec.json.Decoder(Outcome).decode
_ROW_OUTCOME: Final = msgspec.json.Decoder(RowOutcome).decode
_OTHER_KIND: Final = re.compile(r'"(?:status|array|pairs)":')


def outcome_of(text: str, where: Callable[[], str]) -> OutcomeLine:
    """A line of outcomes. Raises Problems (config) for a damaged one; `where` names its place."""
    if '"path":' in text:
        outcome: OutcomeLine | None = _at_once(text, _OUTCOME)
    else:
        outcome = None if _OTHER_KIND.search(text) else _at_once(text, _ROW_OUTCOME)
    if outcome is None:
        data = _object(text, place := where())
        outcome = typed(data, outcome_kind(data), place)
    return _with_ratio(outcome) if isinstance(outcome, Outcome) and "ratio" in outcome.details else outcome


def _with_ratio(outcome: Outcome) -> Outcome:
    """The outcome with its exact partial credit as a pair, which JSON has as a list."""
    ratio = outcome.details["ratio"]
    pair = isinstance(ratio, list) and [type(one) for one in ratio] == [int, int]
    return replace(outcome, details={**outcome.details, "ratio": tuple(ratio)}) if pair else outcome


def _object(text: str, where: str) -> dict[str, Any]:
    """A line as JSON. Raises Problems (config) for one that is not an object."""
    try:
        data = parse(text)
    except NotJSON as error:
        raise damaged(f"not JSON: {error.message}", where) from None
    if not isinstance(data, dict):
        raise damaged("an object is expected", where)
    return data


def _of(only: int | None, lines: Iterable[LineOfRow]) -> Iterable[LineOfRow]:
    """The lines of one row, or of all."""
    return lines if only is None else (line for line in lines if line.row == only)


class _LinesOfRows(Generic[LineOfRow]):
    """The lines of a file that has any number of lines for each row, handed out row by row."""

    def __init__(self, where: str, found: Iterable[LineOfRow]) -> None:
        self._where = where
        self._lines = enumerate(found, 1)
        self._next = next(self._lines, None)

    def of(self, row: int) -> list[LineOfRow]:
        """The lines of a row. Rows are asked for in order. Raises Problems (config) for a line of a row that there is not."""
        run = []
        while self._next is not None and self._next[1].row <= row:
            if self._next[1].row < row:
                self.end()
            run.append(self._next[1])
            self._next = next(self._lines, None)
        return run

    def end(self) -> None:
        """Raises Problems (config) if a line is left, which belongs to no row."""
        if self._next is not None:
            number, line = self._next
            text = f"row {line.row} is not among the rows of the run, or not in their order"
            raise damaged(f"line {number}: {text}", self._where)
