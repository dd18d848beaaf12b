"""A run into its folder: rows and their codes, outcomes, cells, the suite, and what readers need to know of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import reduce
from pathlib import PurePath
from typing import Any, BinaryIO, Final, Literal

from msgspec.structs import replace

from evaluators.builtin._evaluator import lists_fields
from evaluators.issues import Issue, problem
from evaluators.judges.answer_lines import line_bytes
from evaluators.needs import Expected, Need, Output, column_of
from evaluators.plan.need_steps import Lookup
from evaluators.plan.suite_plan import Compiled
from evaluators.run.job import Job
from evaluators.run.places import field_places, line_places, suite_texts
from evaluators.run.preparing import Prepared
from evaluators.run.reader import Run
from evaluators.run.record_facts import (
    SUITE_FOLDER,
    CellReading,
    RecordedEvaluator,
    RecordedVariant,
    RecordFacts,
    RecordFiles,
    record_files,
)
from evaluators.run.record_lines import line_of_row
from evaluators.run.recorder import SET_ASIDE, Recording
from evaluators.run.result import RunResult
from evaluators.run.rows import JoinedRows, RowsFormat
from evaluators.run.run_folder import RunFolder
from evaluators.run.schema_inference import INFERRED_SCHEMA, schema_text
from evaluators.run.split_files import part_name, read_part
from evaluators.run.split_result import SplitResult
from evaluators.suite.graph import EvaluatorLine
from evaluators.testsets.byte_store import inside, write_to
from evaluators.testsets.test_set import TestSet
from evaluators.values.json_choice import LENIENT
from evaluators.values.json_text import parse

FIRST_MISMATCHES: Final = 200
"""Rows with something wrong that are recorded for each field, when a run has more rows than a small one."""


def recording_of(prepared: Prepared, table: TestSet, every_outcome: bool = False, every_row: bool = False) -> Recording:
    """How much is recorded of the rows of a table: as much as the suite says, and as the files that are asked for need.

    `every_outcome` and `every_row` are set where such a file needs every outcome, or the cells of every row.
    """
    evidence, documents = prepared.suite.results.evidence, prepared.suite.results.documents
    most = None if every_outcome or evidence == "all" else FIRST_MISMATCHES if evidence == "first" else evidence
    if every_outcome or every_row or (documents == "auto" and not table.lasting):
        documents = "all"
    return Recording(most, documents, tuple(table.header))


def facts_of(
    prepared: Prepared,
    recording: Recording,
    rows_format: RowsFormat,
    measured: Sequence[tuple[str | None, SplitResult]],
    kept: Sequence[tuple[int, int]],
    lowest_fields: int,
) -> RecordFacts:
    """The record of the rows for `run.json`. `kept` has, for each variant, the numbers of lines of outcomes and of cells.

    Files go by their names: a folder is sent to other people.
    """
    suite, table = prepared.suite, prepared.variants()[0][1]
    lines, fields = line_places(suite), field_places(suite)
    places: dict[str, dict[str, str]] = {line.name: {} for line in suite.lines}
    for (name, path), place in fields.items():
        places[name][path] = PurePath(place).name
    schemas = {key: one for _, each in measured for key, one in each.schemas.items()}
    return RecordFacts(
        rows_format=rows_format,
        evaluators=tuple(
            RecordedEvaluator(
                line.name, line.settings.scored_fields().of_rows, lists_fields(line.settings), line.needs,
                PurePath(lines[line.name]).name, dict(sorted(places[line.name].items())), readings_of(one, prepared.roles),
            )
            for line, one in zip(suite.lines, prepared.plan().evaluators, strict=True)
        ),
        variants=tuple(
            RecordedVariant(
                name, each.rows, recording.keeps_every_outcome(each.rows),
                recording.keeps_cells(each.rows) and not each.recorded.get(SET_ASIDE), *lines,
            )
            for (name, each), lines in zip(measured, kept, strict=True)
        ),
        header=table.own_header,
        delimiter=table.delimiter,
        decimal=table.decimal if suite.results.decimal == "auto" else suite.results.decimal,
        byte_order_mark=table.byte_order_mark,
        slices=tuple(column.removeprefix("row.") for column in suite.config.slices),
        documents=recording.documents,
        most=recording.most,
        lowest_fields=lowest_fields,
        schemas=dict(sorted(schemas.items())),
    )  # fmt: skip


def readings_of(one: Compiled, roles: Mapping[str, str]) -> tuple[CellReading, ...]:
    """How an evaluator reads each of its columns, for the record: as text, as an expected document or as an output document."""
    needs = one.line.settings.needs()
    found = (_reading(need, lookup, roles) for need, lookup in zip(needs, one.lookups, strict=True))
    return tuple(one for one in found if one is not None)


def _reading(need: Need, lookup: Lookup | None, roles: Mapping[str, str]) -> CellReading | None:
    if (column := column_of(need)) is None:
        return None
    name, names = column.spelled(roles), (column.role, None if column.literal else column.name)
    side: Literal["expected", "output", "other"] = (
        "output" if "output" in names else "expected" if "expected" in names else "other"
    )
    if column.at is not None and isinstance(need, Expected | Output):
        search, want = lookup.search if lookup is not None else LENIENT, column.want_around
        how: Literal["expected", "output"] = "expected" if isinstance(need, Expected) else "output"
        return CellReading(
            name, side, how, want, search.lenient, pick=search.pick, keys=tuple(sorted(search.keys)), at=column.at
        )
    if isinstance(need, Output) and lookup is not None:
        beside = need.beside.column.spelled(roles) if need.beside is not None else None
        search = lookup.search
        return CellReading(
            name, side, "output", need.want, search.lenient, beside, lookup.like, lookup.prefer, search.pick,
            tuple(sorted(search.keys)),
        )  # fmt: skip
    return CellReading(name, side, "expected" if isinstance(need, Expected) else "text")


def stored(
    prepared: Prepared,
    folder: RunFolder,
    jobs: Sequence[Job],
    measured: Sequence[tuple[str | None, SplitResult]],
    result: RunResult,
    lowest_fields: int,
) -> Run:
    """Writes the record of a run into its folder and returns the run as readers see it. The files of the splits stay."""
    suite = prepared.suite
    kept = []
    for job, (name, each) in zip(jobs, measured, strict=True):
        with _damage_named(folder, each):
            kept.append(store_parts(job, suite.lines, each, record_files(folder.working, job.rows, name)))
    for name, schema in suite.inferred_schemas.items():
        folder.write(INFERRED_SCHEMA.format(name), schema_text(schema))
    main, texts = suite_texts(suite)
    for place, text in texts.items():
        folder.write(f"{SUITE_FOLDER}/{place}", text)
    facts = facts_of(prepared, jobs[0].recording, jobs[0].rows, measured, kept, lowest_fields)
    facts = replace(facts, suite=f"{SUITE_FOLDER}/{main}")
    return Run.of(folder.working, _portable(result, _folders(prepared)), facts)


def store_parts(job: Job, lines: Sequence[EvaluatorLine], measured: SplitResult, files: RecordFiles) -> tuple[int, int]:
    """The rows, the outcomes and the cells of all splits, each joined into one file, in the order of rows.

    A small run keeps every line and every cell; a longer one the first rows under each key, and no cells that nobody asked for. Gives
    how many lines of outcomes and of cells there are.
    """
    if job.folder is None:
        return 0, 0
    joined = JoinedRows(job.rows, files.rows, [line.name for line in lines], job.slices, job.cluster is not None)
    cells = 0
    with ExitStack() as stack:
        outcomes = _KeptOutcomes(stack.enter_context(write_to(str(files.outcomes))), job.recording, measured.rows)
        cell_file = stack.enter_context(write_to(str(files.cells))) if job.recording.keeps_cells(measured.rows) else None
        answers = None
        for part in measured.merged:
            joined.begin()
            outcomes.begin()
            for kind, line in read_part(inside(job.folder, part_name(part.split, part.attempt))):
                match kind:
                    case b"R":
                        joined.add(line, part.first)
                    case b"O":
                        outcomes.add(line, part.first)
                    case b"C" if cell_file is not None:
                        offset, _, text = line.partition(b"\t")
                        cell_file.write(b'{"row":%d,%b\n' % (part.first + int(offset), text))
                        cells += 1
                    case b"A":
                        answers = answers or stack.enter_context(write_to(str(files.answers)))
                        answers.write(_answer(line, part.first))
        joined.close(files.codes)
    if joined.rows != measured.rows:
        raise RuntimeError(f"{measured.rows:,} rows were scored, and the files of their splits hold {joined.rows:,}")
    return outcomes.lines, cells


class _KeptOutcomes:
    """Writes outcomes to a file: all of them for a small run, else those of the first rows under each key."""

    def __init__(self, file: BinaryIO, recording: Recording, rows: int) -> None:
        """Writes to `file`. `rows` is how many rows the run has: few of them are recorded in full."""
        self.lines = 0
        """How many outcomes were written."""
        self._file = file
        self._most_rows = recording.most
        self._writes_all = recording.keeps_every_outcome(rows)
        self._rows_of_key: dict[bytes, int] = {}
        self._last_row_of_key: dict[bytes, bytes] = {}
        """The row of this split that was counted last: a row with several outcomes under one key counts once."""

    def begin(self) -> None:
        """Starts a split: its rows are numbered from 0 again."""
        self._last_row_of_key = {}

    def add(self, line: bytes, first: int) -> None:
        """Writes an outcome, unless enough rows have one under its key. `first` is the number of the split's first row."""
        offset, key, kept, rest = line.split(b"\t", 3)
        if not self._writes_all and kept != b"2" and not self._is_kept(offset, key, kept):
            return
        self._file.write(line_of_row(first + int(offset), rest) + b"\n")
        self.lines += 1

    def _is_kept(self, offset: bytes, key: bytes, kept: bytes) -> bool:
        """Whether an outcome is of one of the first rows under its key; `kept` is `0` for one of a small run only."""
        if kept == b"0":
            return False
        if self._last_row_of_key.get(key) != offset:
            self._last_row_of_key[key] = offset
            self._rows_of_key[key] = self._rows_of_key.get(key, 0) + 1
        return self._most_rows is None or self._rows_of_key[key] <= self._most_rows


def _answer(text: bytes, first: int) -> bytes:
    line: Any = parse(text)
    line["places"] = [[first + row, evaluator, place] for row, evaluator, place in line["places"]]
    return line_bytes(line)


@contextmanager
def _damage_named(folder: RunFolder, measured: SplitResult) -> Iterator[None]:
    """Raises Problems (config) where the files of splits that an earlier run finished cannot be read."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        if not measured.taken_over:
            raise
        message = (
            f"the working folder is damaged: what it holds of finished splits cannot be read ({type(error).__name__})"
        )
        hint = "`evaluators runs --clean` removes it; then the run begins anew"
        raise problem("damaged-parts", message, where=str(folder.hidden), hint=hint) from error


def _folders(prepared: Prepared) -> list[str]:
    """The folders that absolute paths of the run's files begin with, each with a separator at its end; the longest first."""
    named = [
        prepared.suite.config.source.name,
        *(source.path for source in prepared.test_set.files),
        prepared.test_set.name,
    ]
    found = {os.path.join(os.path.dirname(name), "") for name in named if os.path.isabs(name)}
    return sorted(found, key=len, reverse=True)


def _portable(result: RunResult, folders: Sequence[str]) -> RunResult:
    """The result without the `folders` in its texts: run folders are sent to other people, who need not know them."""

    def cut(text: str) -> str:
        return reduce(lambda shorter, folder: shorter.replace(folder, ""), folders, text)

    def placed(issue: Issue) -> Issue:
        return replace(
            issue, message=cut(issue.message), where=issue.where and cut(issue.where), hint=issue.hint and cut(issue.hint)
        )

    return replace(
        result,
        test_set=cut(result.test_set),
        notes=tuple(map(cut, result.notes)),
        warnings=tuple(map(placed, result.warnings)),
        issues=tuple(map(placed, result.issues)),
        causes=tuple(map(cut, result.causes)),
    )
