"""The files of a run: those of its folder, and those that are asked for one by one. All are made from its record."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from evaluators.issues import Blame, Issue, Problems, problem
from evaluators.model import FIELD_STATUSES, Result, RowStatus
from evaluators.reports.document import Section
from evaluators.reports.format import Format, RowsFile, RowsPageFormat, format_for, has_pages, rows_files, run_files
from evaluators.reports.headline import Options
from evaluators.reports.outcome_format import OutcomesFile, outcome_formats, outcome_words, outcomes_file_for
from evaluators.reports.outcomes import ReportPart, parts_of
from evaluators.reports.rows import RowView, field_numbers, row_views
from evaluators.reports.rows_csv import AGGREGATE, write_rows
from evaluators.reports.run_page import hardest_rows
from evaluators.run.figures import rows_text
from evaluators.run.reader import Run
from evaluators.run.record_facts import SUITE_FOLDER, RecordedEvaluator, RecordedVariant
from evaluators.run.record_lines import plain
from evaluators.run.recorder import SMALL_RUN
from evaluators.run.run_folder import RunFolder
from evaluators.run.store import open_text, write_text
from evaluators.testsets.run_files import is_run_folder
from evaluators.values.json_text import compact


def folder_files(
    folder: RunFolder,
    record: Run,
    words: Iterable[str],
    options: Options,
    of_report: Options | None = None,
    rows_csv: bool = False,
) -> None:
    """Put the summary, the files of the formats, and what is small enough unasked, into a run folder. `of_report` is for pages that
    show rows; `rows_csv` says that this file was asked for, however many rows there are."""
    pages = of_report or options
    wanted = tuple(words)
    for name, text in run_files(record.result, wanted, options).items():
        folder.write(name, text)
    for name, text in rows_files(record, wanted, pages).items():
        folder.write(name, text)
    for variant in annotated(record, rows_csv or "csv" in wanted):
        write_annotated(folder.working / named_for("rows.csv", variant), record, variant)
    if all(variant.every_outcome for variant in record.facts.variants) and (parts := parts_of(record)):
        for each in outcome_formats(wanted):
            each.folder_outcomes(record.result, parts, lambda name: open_text(folder.working / name))


def annotated(record: Run, asked: bool) -> list[str | None]:
    """The variants whose rows.csv belongs into the run folder: those with few rows, and all where that was asked for."""
    return [
        one.variant
        for one in record.facts.variants
        if (one.every_cell or record.again is not None) and (asked or one.rows <= SMALL_RUN)
    ]


def not_annotated(record: Run, asked: bool) -> tuple[str, ...]:
    """The line about a rows.csv that a run did not write, with the command that does; RUN stands for the run folder."""
    written = annotated(record, asked)
    rows = max((one.rows for one in record.facts.variants if one.variant not in written), default=None)
    if rows is None:
        return ()
    environment = record.result.environment
    again = record.has_every_cell or (environment is not None and environment.test_set)
    command = "evaluators report RUN -o rows.csv" if again else "evaluators run SUITE -o rows.csv"
    return (f"rows.csv not written ({rows_text(rows)}): {command}",)


def asked_files(files: Iterable[Path], record: Run, options: Options) -> list[Path]:
    """Write the files that were asked for, each as its extension says. Returns what was written.

    Raises Problems (config) for a file that the record does not hold enough for, with the way to a run that does.
    """
    wanted = list(files)
    if issues := [issue for file in wanted if (issue := _gap(file, record)) is not None]:
        raise Problems(issues)
    return [path for file in wanted for path in _written(file, record, options)]


def needs_cells(files: Iterable[Path], words: Iterable[str] = ()) -> bool:
    """Whether some of the files or formats that were asked for show the cells of rows."""
    kinds = [format_for(file) for file in files]
    return (
        any(kind is RowsFile.CSV or isinstance(kind, RowsPageFormat) for kind in kinds)
        or "csv" in set(words)
        or has_pages((), words)
    )


def asked_places(files: Iterable[Path], record: Run) -> list[Path]:
    """Where `asked_files` writes: a file for each variant or part where the format has one for each."""
    return [place for file in files for place in _places(file, record)]


def _places(file: Path, record: Run) -> Iterator[Path]:
    if outcomes_file_for(file) is not None:
        yield from (file.with_name(part.file(file.name)) for part in parts_of(record))
    elif isinstance(format_for(file), Format):
        yield file
    else:
        yield from (file.with_name(named_for(file.name, variant)) for variant in record.each_variant)


def _written(file: Path, record: Run, options: Options) -> Iterator[Path]:
    listing = outcomes_file_for(file)
    if listing is not None:
        yield from write_listing(file, listing, parts_of(record))
        return
    kind = format_for(file)
    if isinstance(kind, Format):
        write_text(file, _rendered(kind, record, options))
        yield file
        return
    write = write_annotated if kind is RowsFile.CSV else write_lines
    for variant in record.each_variant:
        path = file.with_name(named_for(file.name, variant))
        write(path, record, variant)
        yield path


def _rendered(kind: Format, record: Run, options: Options) -> str:
    if isinstance(kind, RowsPageFormat):
        return kind.render_rows(record, options)
    return kind.render(record.result, options)


def _gap(file: Path, record: Run) -> Issue | None:
    """What a record lacks for a file."""
    variants: Sequence[RecordedVariant] = record.facts.variants
    if outcomes_file_for(file) is not None:
        if not any(one.by_schema for one in record.facts.evaluators):
            return _no_outcomes(file.name)
        if not all(variant.every_outcome for variant in variants):
            kept = f"the first {record.facts.most:,} rows with something wrong of each field"
            return _lacks(file, f"the run kept the outcomes of {kept}, and this file lists all", f"-o {file.name}")
    elif format_for(file) is RowsFile.CSV and not record.has_every_cell:
        message = "the run did not keep the cells of all its rows, and the test set that it scored is not there, or not as it was"
        return _lacks(file, message, f"-o {file.name}", ", or keep the cells: results: {documents: all} in the suite")
    return None


def _lacks(file: Path, message: str, option: str, more: str = "") -> Issue:
    hint = f"score the test set again: evaluators run SUITE {option}{more}"
    return Issue("not-recorded", Blame.CONFIG, message, str(file), hint)


def check_outcomes(by_schema: bool, files: Iterable[Path], words: Iterable[str]) -> list[Issue]:
    """A problem (config) for each file of outcomes, when no evaluator has outcomes for it."""
    if by_schema:
        return []
    asked = [file.name for file in files if outcomes_file_for(file) is not None]
    asked += [f'the format "{word}"' for word in outcome_words(words)]
    return [_no_outcomes(name) for name in asked]


def _no_outcomes(name: str) -> Issue:
    return Issue(
        "no-outcomes",
        Blame.CONFIG,
        f"{name} lists fields one by one, and no evaluator of this suite scores by a schema",
        hint="add a schema_match; the figures of any run are in run.json",
    )


def check_asked(files: Iterable[Path], read: Iterable[Path] = (), own: Path | None = None) -> list[Issue]:
    """A problem (config) for each file that has an unknown extension, is a folder, is one of those that are read, or one that a run
    folder is made of. `own` is a run folder that is not there yet.
    """
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
        elif _of_record(file.resolve(), own):
            message = "the run folder itself has a file of that name, and what it records is not written over"
            issues.append(Issue("overwrites-run", Blame.CONFIG, message, str(file), "give -o another name"))
        elif file.is_dir():
            issues.extend(problem("not-a-file", "this is a folder, and -o names a file", where=str(file)).issues)
    return issues


def _of_record(file: Path, own: Path | None) -> bool:
    """Whether a file is one of those that a run folder is made of."""
    for folder in file.parents:
        if folder == own or is_run_folder(str(folder)):
            inside = file.relative_to(folder)
            return inside.parts[0] == SUITE_FOLDER or bool(_RECORDED.fullmatch(str(inside)))
    return False


_RECORDED: Final = re.compile(
    r"(run|environment|links)\.json|(rows|codes|outcomes|cells|answers)(\..+)?\.(jsonl|parquet)"
)


def named_for(name: str, variant: str | None) -> str:
    """The name of a file that each variant has for itself: `rows.csv`, or `rows.gpt.csv`."""
    stem, dot, suffix = name.rpartition(".")
    return name if variant is None else f"{stem}.{variant}{dot}{suffix}"


def write_listing(file: Path, kind: OutcomesFile, parts: Sequence[ReportPart]) -> list[Path]:
    """What became of every field, for each part of the run apart. Returns what was written."""
    written = [file.with_name(part.file(file.name)) for part in parts]
    for path, part in zip(written, parts, strict=True):
        with open_text(path) as stream:
            kind.write(stream, part)
    return written


def write_annotated(path: Path, record: Run, variant: str | None) -> None:
    """The rows as the test set has them, with what was found beside them.

    It separates its cells as the test set does, and has a byte order mark where that has one: it goes back to the same spreadsheet.
    """
    facts = record.facts
    evaluators = [(one.name, one.fields) for one in facts.evaluators]
    with open_text(path) as stream:
        rows = row_views(record, (variant,))
        write_rows(stream, facts.header, evaluators, rows, facts.delimiter or ",", facts.byte_order_mark)


def write_lines(path: Path, record: Run, variant: str | None) -> None:
    """The rows as JSON lines, each evaluator's result in words."""
    with open_text(path) as stream:
        for row in row_views(record, (variant,)):
            stream.write(compact(_line(record.facts.evaluators, row)).decode("utf-8", "backslashreplace") + "\n")


def hardest(most: int, record: Run) -> Section:
    """The rows with the lowest scores, each with its reasons. A row's score is the mean over its evaluators."""
    scored = (
        (score, place, row.number, row)
        for place, variant in enumerate(record.each_variant)
        for row in row_views(record, (variant,))
        if (score := row.score) is not None and score < 1
    )
    return hardest_rows(row for *_, row in heapq.nsmallest(most, scored, key=lambda one: one[:3]))


def _line(evaluators: Sequence[RecordedEvaluator], row: RowView) -> dict[str, Any]:
    line: dict[str, Any] = {"row": row.number, "id": row.id, "checksum": row.checksum}
    if row.cluster is not None:
        line["cluster"] = row.cluster
    line["results"] = {one.name: _result(one, result) for one, result in zip(evaluators, row.evaluators, strict=True)}
    return line


def _result(one: RecordedEvaluator, result: Result) -> Mapping[str, Any]:
    """A result in words: a row is scored unless it says another status, and what is unknown is not said."""
    line: dict[str, Any] = {}
    if result.status is not RowStatus.SCORED:
        line["status"] = result.status.word
    if result.score is not None:
        line["score"] = result.score
    if result.passed is not None:
        line["passed"] = result.passed
    if one.fields:
        line["fields"] = {
            name: FIELD_STATUSES[status].word for name, status in zip(one.fields, result.statuses, strict=False)
        }
        line["field_scores"] = dict(zip(one.fields, field_numbers(result), strict=False))
        line[AGGREGATE] = result.score
    if result.values and one.fields:
        line["values"] = {one.fields[place]: [right, of] for place, right, of in result.several()}
    if result.counts is not None:
        line["counts"] = dict(zip(_COUNTED, result.counts, strict=True))
    if result.issue is not None:
        line["reason"] = result.issue.message
    if result.details:
        line["details"] = plain(result.details)
    return line


_COUNTED: Final = ("match", "mismatch", "omission", "hallucination")
