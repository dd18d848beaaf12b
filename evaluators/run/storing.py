"""A run into its folder: rows and their codes, outcomes, cells, the suite, and what readers need to know of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import reduce
from typing import Any, BinaryIO

from msgspec.structs import replace

from evaluators.issues import Issue, problem
from evaluators.judges.answer_lines import line_bytes
from evaluators.run.job import Job
from evaluators.run.places import suite_texts
from evaluators.run.preparing import Prepared
from evaluators.run.reader import Run
from evaluators.run.record_facts import SUITE_FOLDER, RecordFiles, record_files
from evaluators.run.record_lines import line_of_row
from evaluators.run.recorder import Recording
from evaluators.run.recording import facts_of
from evaluators.run.result import RunResult
from evaluators.run.rows import JoinedRows
from evaluators.run.run_folder import RunFolder
from evaluators.run.schema_inference import INFERRED_SCHEMA, schema_text
from evaluators.run.split_files import part_name, read_part
from evaluators.run.split_result import SplitResult
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.testsets.byte_store import inside, write_to
from evaluators.values.json_text import parse


def stored(
    prepared: Prepared,
    folder: RunFolder,
    jobs: Sequence[Job],
    measured: Sequence[tuple[str | None, SplitResult]],
    result: RunResult,
    lowest_fields: int,
) -> Run:
    """Puts the record of a run into its folder, and gives it back as readers see it. Parts stay."""
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
    """The outcomes that are kept, with the numbers of their rows."""

    def __init__(self, file: BinaryIO, recording: Recording, rows: int) -> None:
        self.lines = 0
        self._file = file
        self._most = recording.most
        self._everything = recording.keeps_every_outcome(rows)
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


@contextmanager
def _damage_named(folder: RunFolder, measured: SplitResult) -> Iterator[None]:
    """Raises Problems (config) where parts that were there before are no parts: somebody else may have written them."""
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
    """The folders, with a separator behind, of files that were named by absolute paths; the longest first."""
    named = [
        prepared.suite.config.source.name,
        *(source.path for source in prepared.test_set.files),
        prepared.test_set.name,
    ]
    found = {os.path.join(os.path.dirname(name), "") for name in named if os.path.isabs(name)}
    return sorted(found, key=len, reverse=True)


def _portable(result: RunResult, folders: Sequence[str]) -> RunResult:
    """The run as it is kept: a folder is sent to other people, and says nothing of where its files were."""

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
