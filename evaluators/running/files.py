"""The files of a run: those of the run folder, and those that were asked for one by one.

Figures come from the result. Files that hold rows come from a second pass over the test set, which explains the rows that
are not perfect; it reads what was scored and nothing more, so that a run that was cut short gives shorter files.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

import orjson

from evaluators.issues import Blame, Fault, Issue, Problems
from evaluators.model import MISSING, RowResult, Standing, Verdict
from evaluators.reports.format import Format, RowsFile, RowsPageFormat, format_for, rows_files, run_files
from evaluators.reports.outcome_format import OutcomesFile, outcomes_file_for
from evaluators.reports.rows_csv import Annotated, Mark, MarkedRow, why, write_rows
from evaluators.reports.summary import HardRow, Options, hardest_rows
from evaluators.runs.clusters import cluster_names
from evaluators.runs.figures import score_text
from evaluators.runs.given import checksums
from evaluators.runs.job import stored_of
from evaluators.runs.rows import clean, spelled
from evaluators.runs.store import RunFolder, open_text, write_text
from evaluators.suite.plan import Plan
from evaluators.testsets.test_set import TestSet
from evaluators.values.json_text import to_text

if TYPE_CHECKING:
    from evaluators.reports.document import Section
    from evaluators.reports.html.rows import Material
    from evaluators.reports.outcomes import Part
    from evaluators.runs.result import RunResult
    from evaluators.suite.cells import Cells

ANNOTATED_ROWS: Final = 10_000
"""The annotated rows.csv is written up to this many rows without being asked for."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What was scored of one variant: its rows, up to the last one that was finished."""

    variant: str | None
    table: TestSet
    rows: int
    outputs: Collection[str] = ()
    """The columns that hold outputs."""
    cluster: str | None = None
    """The column that says which rows belong together."""


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """One row, scored again. Its reasons are made when somebody asks."""

    plan: Plan
    slots: list[Cells]
    index: int
    number: int
    id: str
    cells: tuple[Any, ...]
    """The cells of the test set, in the order of its header."""

    def verdicts(self) -> list[Verdict]:
        """The verdict of each evaluator."""
        return [self.slots[one.verdicts][self.index] for one in self.plan.evaluators]

    def why(self) -> str:
        """What kept the row from a full score; empty when nothing did."""
        results = {
            one.line.name: self.plan.explain_from(one, self.slots, self.index)
            for one in self.plan.evaluators
            if not _perfect(self.slots[one.verdicts][self.index])
        }
        return why(RowResult(self.id, self.number, results)) if results else ""


def folder_files(
    folder: RunFolder,
    result: RunResult,
    words: Iterable[str],
    options: Options,
    plan: Plan,
    scored: Sequence[Scored],
    material: Callable[[], Material],
) -> None:
    """Put the summary, the files of the formats and the annotated rows into a run folder."""
    wanted = tuple(words)
    for name, text in run_files(result, wanted, options).items():
        folder.write(name, text)
    for name, text in rows_files(result, wanted, options, material).items():
        folder.write(name, text)
    for each in scored:
        if each.rows <= ANNOTATED_ROWS:
            write_annotated(folder.working / named_for("rows.csv", each.variant), plan, each)


def asked_files(
    files: Iterable[Path],
    result: RunResult,
    options: Options,
    plan: Plan,
    scored: Sequence[Scored],
    material: Callable[[], Material],
    parts: Sequence[Part] = (),
) -> list[Path]:
    """Write the files that were asked for, each as its extension says. Returns what was written."""
    written: list[Path] = []
    for file in files:
        listing = outcomes_file_for(file)
        if listing is not None:
            written.extend(write_listing(file, listing, parts))
            continue
        kind = format_for(file)
        if isinstance(kind, RowsPageFormat):
            write_text(file, kind.render_rows(result, options, material()))
            written.append(file)
            continue
        if isinstance(kind, Format):
            write_text(file, kind.render(result, options))
            written.append(file)
            continue
        write = write_annotated if kind is RowsFile.CSV else write_lines
        for each in scored:
            path = file.with_name(named_for(file.name, each.variant))
            write(path, plan, each)
            written.append(path)
    return written


def check_asked(files: Iterable[Path], read: Iterable[Path]) -> list[Issue]:
    """A problem (config) for each file that has an unknown extension, is a folder, or is one of those that are read."""
    originals = {path.resolve() for path in read}
    issues: list[Issue] = []
    for file in files:
        try:
            format_for(file)
        except Problems as error:
            issues.extend(error.issues)
            continue
        if file.resolve() in originals:
            message = "this file is read by the run, so it is not written over"
            issues.append(Issue("overwrites-input", Blame.CONFIG, message, str(file), "give -o another name"))
        elif file.is_dir():
            message = "this is a folder, and -o names a file"
            issues.append(Issue("not-a-file", Blame.CONFIG, message, str(file)))
    return issues


def named_for(name: str, variant: str | None) -> str:
    """The name of a file that each variant has for itself: `rows.csv`, or `rows.gpt.csv`."""
    stem, dot, suffix = name.rpartition(".")
    return name if variant is None else f"{stem}.{variant}{dot}{suffix}"


def write_listing(file: Path, kind: OutcomesFile, parts: Sequence[Part]) -> list[Path]:
    """What became of every field, for each part of the run apart. Returns what was written."""
    written = [file.with_name(part.file(file.name)) for part in parts]
    for path, part in zip(written, parts, strict=True):
        with open_text(path) as stream:
            kind.write(stream, part)
    return written


def write_annotated(path: Path, plan: Plan, scored: Scored) -> None:
    """The rows as the test set has them, with what was found beside them.

    Where the test set separates its cells with semicolons, so does this file: it goes back to the same spreadsheet.
    """
    evaluators = [Annotated(one.line.name, one.line.settings.row_fields()) for one in plan.evaluators]
    header = scored.table.own_header
    with open_text(path) as stream:
        marked = (_marked(row) for row in rows_again(plan, scored, header))
        write_rows(stream, header, evaluators, marked, ";" if scored.table.delimiter == ";" else ",")


def write_lines(path: Path, plan: Plan, scored: Scored) -> None:
    """The rows as JSON lines, spelled as in a run folder's rows.jsonl."""
    with open_text(path) as stream:
        _write_lines(stream, plan, scored)


def hardest(most: int, plan: Plan, scored: Sequence[Scored]) -> Section:
    """The rows with the lowest scores, each with its reasons. A row's score is the mean over its evaluators."""
    found = heapq.nsmallest(most, _unkept(plan, scored), key=lambda one: one[:3])
    return hardest_rows(
        HardRow(number, row.id, score_text(mean), row.why(), scored[place].variant) for mean, place, number, row in found
    )


def rows_again(plan: Plan, scored: Scored, columns: Sequence[str]) -> Iterator[ScoredRow]:
    """The rows that were scored, once more, in order. `columns` are the cells that each row brings along."""
    table, left, number = scored.table, scored.rows, scored.table.first_number
    names = list(dict.fromkeys([*plan.columns, *columns]))
    for split in table.splits():
        span = 0
        for chunk in table.read(split, names):
            slots = plan.run({name: list(cells) for name, cells in chunk.columns.items()}, chunk.count)
            own = [chunk.columns[name] for name in columns]
            for index in range(min(left, chunk.count)):
                place = number + chunk.offsets[index]
                row_id = chunk.ids[index] if chunk.ids is not None else str(place)
                yield ScoredRow(plan, slots, index, place, row_id, tuple(column[index] for column in own))
            left -= chunk.count
            if left <= 0:
                return
            span = chunk.span
        number += span


def _perfect(verdict: Verdict) -> bool:
    return verdict.standing is Standing.SCORED and verdict.num == verdict.den and verdict.passed is not False


def _marked(row: ScoredRow) -> MarkedRow:
    marks = [Mark(verdict.value, verdict.statuses) for verdict in row.verdicts()]
    return MarkedRow(tuple(map(_cell_text, row.cells)), marks, row.why())


def _cell_text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Fault):
        return cell.text
    return "" if cell is MISSING else to_text(cell)


def _write_lines(stream: TextIO, plan: Plan, scored: Scored) -> None:
    stored = stored_of([one.line for one in plan.evaluators])
    given = [name for name in plan.columns if name not in scored.outputs]
    cluster = [scored.cluster] if scored.cluster is not None else []
    for row in rows_again(plan, scored, [*given, *cluster]):
        results = {one.name: clean(spelled(one, verdict)) for one, verdict in zip(stored, row.verdicts(), strict=True)}
        (checksum,) = checksums([[cell] for cell in row.cells[: len(given)]], 1)
        line: dict[str, Any] = {"row": row.number, "id": _escaped(row.id), "given": f"{checksum:08x}"}
        if cluster:
            line["cluster"] = _escaped(*cluster_names(row.cells[len(given) :]))
        line["results"] = results
        stream.write(orjson.dumps(line).decode() + "\n")


def _escaped(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _unkept(plan: Plan, scored: Sequence[Scored]) -> Iterator[tuple[float, int, int, ScoredRow]]:
    """Every row without a full score: its mean, the place of its variant, its number, and the row."""
    for place, each in enumerate(scored):
        for row in rows_again(plan, each, ()):
            values = [value for verdict in row.verdicts() if (value := verdict.value) is not None]
            mean = sum(values) / len(values) if values else 1.0
            if mean < 1:
                yield mean, place, row.number, row
