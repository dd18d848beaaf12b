"""What is written of a run, all of it made from what the run recorded: its folder, and the further files that were asked for.

What only a run with files needs is imported when it is needed, as it is where a run is scored.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, Problems
from evaluators.runs.confidence_steps import confidence_paths
from evaluators.runs.driver import ScoredRun
from evaluators.runs.exit_code import with_later_issues
from evaluators.runs.preparing import Prepared
from evaluators.runs.result import RunResult
from evaluators.runs.store import UNWRITTEN
from evaluators.scoring.evaluators._evaluator import lists_fields
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.values.files import files_read_in
from evaluators.testsets.byte_store import scheme_of

if TYPE_CHECKING:
    from evaluators.api.run_options import RunOptions
    from evaluators.reports.headline import Options
    from evaluators.reports.tracking.sending import SendResult
    from evaluators.runs.loaded_suite import LoadedSuite
    from evaluators.runs.reader import Run
    from evaluators.runs.run_folder import RunFolder


class Finished(Struct, frozen=True):
    """A run, and what a reader of its summary wants beside it."""

    result: RunResult
    options: Options
    folder: Path | None = None
    """The run folder, when there is one on this machine."""
    files: tuple[str, ...] = ()
    """The further files that were asked for, and the addresses of those that went to stores."""
    sent: SendResult | None = None
    """What became of the run at its trackers; None when it has none."""
    refused: tuple[Issue, ...] = ()
    """The files that the system did not take, the run folder among them; its metrics are kept in the result."""
    place: str | None = None
    """The address of the run folder, when it went to a store."""
    named: str | None = None
    """The name of the run folder as its run.json has it: where nobody asked for that one."""
    taken: Path | str | None = None
    """The place that was asked for, when something was there and the run folder has another one."""
    record: Run | None = None
    """What the run recorded, where somebody looks at its rows."""
    lines: tuple[EvaluatorLine, ...] = ()
    """The evaluators, with the schemas that they inferred."""
    let_go: Callable[[], None] | None = None
    """Takes away the temporary folder that holds the record; None where there is none."""
    notice: str = ""
    """What people should know of the run beside its results: what of it was there before, or stays for another time."""


class RequestedOutputs(Struct, frozen=True):
    """The outputs of a run beside its metrics."""

    results: Path | None
    """The folder for run folders, on this machine."""
    words: tuple[str, ...]
    """The formats of the files in the run folder."""
    files: tuple[str, ...]
    """Further files, and addresses of such."""
    hardest: int
    summary: bool
    looked_at: bool
    """A program will look at rows and reasons: where no run folder is asked for, one stays until the program lets the run go."""
    to_store: bool
    """The run folder goes to a store in the end."""
    force: bool
    """The run takes the place of another one, whose folder goes away."""

    @property
    def paths(self) -> list[Path]:
        """The further files that are on this machine."""
        return [Path(file) for file in self.files if not scheme_of(file)]


def requested_outputs(suite: LoadedSuite, options: RunOptions, looked_at: bool, to_store: bool) -> RequestedOutputs:
    """The outputs that the options of a run request. `looked_at` says that a program will look at rows, `to_store` that the run
    folder goes to a store."""
    results = options.get("results")
    return RequestedOutputs(
        results=None if results is None else Path(results),
        words=suite.results.formats if results is not None else (),
        files=tuple(map(str, options.get("files", ()))),
        hardest=options.get("hardest", 0),
        summary=options.get("summary", False),
        looked_at=looked_at,
        to_store=to_store,
        force=options.get("force", False),
    )


def check_files(prepared: Prepared, wanted: RequestedOutputs, formats: Sequence[str] | None) -> None:
    """Raises Problems (config) with everything that keeps the `wanted` files from being written: a folder that the run reads from and
    --force would remove, unknown `formats` (those of the options, or None), files that this run cannot make, or packages that are
    missing."""
    issues: list[Issue] = []
    keeps_folder = wanted.results is not None
    name = prepared.suite.results.name
    own = Path(wanted.results, name).resolve() if wanted.results is not None and name is not None else None
    if wanted.force and own is not None and (read := files_read_in(own)):
        message = f"the run reads {Path(read[0]).name} in this folder, and --force would remove the folder"
        issues.append(Issue("overwrites-input", Blame.CONFIG, message, str(own), "--name gives this run another name"))
    if formats is not None:
        from evaluators.reports.format import check_words

        issues += check_words(formats)
    if wanted.files:
        from evaluators.reports.report_files import check_files

        lists = [line.name for line in prepared.suite.lines if lists_fields(line.settings)]
        issues += check_files(wanted.files, prepared.test_set.variants or (None,), lists, own)
        issues += _rows_file_issues(prepared, wanted.paths) if not keeps_folder or wanted.to_store else []
    if not issues and (wanted.files or keeps_folder):
        from evaluators.reports.report_files import check_outcomes, check_packages, check_tables

        by_schema = any(lists_fields(line.settings) for line in prepared.suite.lines)
        issues += check_outcomes(by_schema, map(Path, wanted.files), wanted.words)
        issues += check_packages(map(Path, wanted.files), wanted.words)
        issues += check_tables(_figure_sections(prepared.suite), map(Path, wanted.files), wanted.words)
    if issues:
        raise Problems(issues)


def _figure_sections(suite: LoadedSuite) -> Iterator[str]:
    """Yields the names of the sections of figures that a run of the suite has, such as `repeats`."""
    if suite.repeats is not None:
        yield "repeats"
    if suite.confidence.column is not None or any(map(confidence_paths, suite.lines)):
        yield "confidence"
    if suite.measures:
        yield "measures"
    if any(line.settings.label_rule() is not None for line in suite.lines):
        yield "confusion_matrices"


def _rows_file_issues(prepared: Prepared, files: Sequence[Path]) -> list[Issue]:
    """The problems of requested files that the next run would take for rows of its test set: without a run folder on this machine,
    nothing tells it that a run has written them."""
    from evaluators.reports.report_files import reads_itself_issue
    from evaluators.testsets.run_files import fits

    config, folder = prepared.test_set.config, prepared.folder
    named = [getattr(place, "file", place) for place in (config.file, config.expected, config.output, config.outputs)]
    places = [place for place in named if isinstance(place, str)]
    return [
        reads_itself_issue(str(file), "leave --no-results away, or ")
        for file in files
        if any(fits(file, place, folder) for place in places)
    ]


def write_run(
    prepared: Prepared, wanted: RequestedOutputs, folder: RunFolder | None, run: ScoredRun, result: RunResult
) -> Finished:
    """Writes the files of a run that are `wanted`, all made from what it recorded, and returns the run with what its summary needs. Where
    rows will be looked at, the record stays in a temporary folder until the run is let go. `folder` is None for a run without a record.

    Where the system does not take the run folder, the run has its metrics alone, and an issue for the exit code 3.
    """
    from evaluators.reports.headline import Options
    from evaluators.runs.run_json import run_json
    from evaluators.runs.store import RUN_JSON
    from evaluators.runs.storing import store_record

    if folder is None:  # metrics alone
        plain = Options(prepared.suite.results.lowest_fields, gate_places=_gate_places(prepared.suite))
        return Finished(result, _with_folder_hint(plain, wanted, result))
    if folder.db.refused is not None:
        return _finished_unrecorded(result, folder.db.refused, rows_stay=False)
    try:
        record, options, of_pages = _write_folder_files(
            prepared, wanted, folder, store_record(prepared, folder, run.variants, result)
        )
        if wanted.results is not None:
            record = record.but(result=_with_written_files(record, folder.path, wanted))
            folder.finish(record.result, record.facts)
            record = record.but(place=folder.path, result=folder.with_folder_name(record.result))
    except (OSError, Problems) as error:
        refused = folder.refusal(error)
        if refused is None:
            raise
        return _finished_unrecorded(result, refused, rows_stay=wanted.results is not None and not wanted.to_store)
    # the files outside of the run folder
    files, refusals = write_files([_in_folder(file, folder) for file in wanted.files], record, of_pages)
    named = folder.with_folder_name(result)
    result = replace(with_later_issues(named, refusals), written=record.result.written)
    if wanted.results is not None:
        taken = folder.requested_path if folder.path != folder.requested_path else None
        return Finished(
            replace(result, folder=str(folder.path)), options, folder.path, files, refused=refusals, named=named.folder,
            taken=taken, record=record,
        )  # fmt: skip
    # no run folder: its record is temporary
    finished = Finished(replace(result, folder=None), options, None, files, refused=refusals)
    if not wanted.looked_at:
        return finished
    folder.write(RUN_JSON, run_json(finished.result, record.facts))
    return replace(finished, record=record.but(result=finished.result), let_go=folder.discard)


def _finished_unrecorded(result: RunResult, refused: Issue, rows_stay: bool) -> Finished:
    """The run with its metrics alone, and an issue: the system `refused` its folder. `rows_stay`: the folder has its rows."""
    from evaluators.reports.headline import Options

    text = f"{refused.message}; the metrics are complete" + ("" if rows_stay else ", and nothing else of the run is kept")
    lost = (replace(refused, message=text),)
    return Finished(with_later_issues(result, lost), Options(), refused=lost)


def finish_once_more(prepared: Prepared, wanted: RequestedOutputs, path: Path) -> Finished:
    """Writes the requested files of the run in the folder `path`, which was finished before, and returns that run: nothing is scored."""
    from evaluators.reports.report_files import needs_cells
    from evaluators.runs.cells_again import cells_from
    from evaluators.runs.reader import Run

    record = Run(path)
    if needs_cells(map(Path, wanted.files)):
        record = cells_from(record, prepared.test_set)
    options, of_pages = _summary_and_page_options(prepared, wanted, record)
    files, refused = write_files(wanted.files, record, of_pages)
    if (annotated := _with_written_files(record, path, wanted)) != record.result:
        from evaluators.runs.run_json import run_json
        from evaluators.runs.store import RUN_JSON, write_text

        write_text(path / RUN_JSON, run_json(annotated, record.facts), renews=True)
        record = record.but(result=annotated)
    notice = f"{path}: this run was finished before, and nothing was scored"
    result = replace(with_later_issues(record.result, refused), folder=str(path))
    return Finished(
        result, options, path, files, refused=refused, named=record.result.folder, notice=notice, record=record,
        lines=prepared.suite.lines,
    )  # fmt: skip


def _with_written_files(record: Run, path: Path, wanted: RequestedOutputs) -> RunResult:
    """The result, whose `written` also names the further files outside of the run folder, as paths from there: so no test set takes them
    for rows."""
    if not wanted.paths or wanted.to_store:
        return record.result
    from evaluators.reports.report_files import file_places

    files = [os.path.abspath(file) for file in file_places(wanted.paths, record)]
    outside = [_path_from(path, file) for file in files if not Path(file).is_relative_to(path.absolute())]
    return replace(record.result, written=tuple(dict.fromkeys([*record.result.written, *outside])))


def _path_from(folder: Path, file: str) -> str:
    """The file as a path from the folder on; as it is where there is no such path, on another drive of Windows."""
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # another drive
        return file


def _in_folder(file: str, folder: RunFolder) -> str:
    """The path of a further file, where the run folder may have another place than requested: a file inside moves with it."""
    requested, place = folder.requested_path.resolve(), Path(file).resolve()
    inside = not scheme_of(file) and place.is_relative_to(requested)
    return str(folder.path / place.relative_to(requested)) if inside else file


def write_files(files: Sequence[str], record: Run, options: Options) -> tuple[tuple[str, ...], tuple[Issue, ...]]:
    """(written, refused): writes the run of a record to the further files, each page with the sections of `options`, and returns their
    places and the issues of those that the system did not take. Raises Problems for any other trouble."""
    if not files:
        return (), ()
    from evaluators.api.remote_files import write_places
    from evaluators.reports import report_files

    written: list[str] = []
    refused: list[Issue] = []
    for file in files:
        try:
            written += write_places([file], lambda paths: report_files.write_files(paths, record, options))
        except Problems as error:
            if error.issues[0].code != UNWRITTEN:
                raise
            refused += error.issues
    return tuple(written), tuple(refused)


def _write_folder_files(
    prepared: Prepared, wanted: RequestedOutputs, folder: RunFolder, record: Run
) -> tuple[Run, Options, Options]:
    """Writes the files of the run folder, if there is one. Returns (record, summary options, page options).

    The record has all cells, read again, where a file wants them; the summary also names what was left out.
    """
    from evaluators.reports.report_files import needs_cells, unwritten_rows_csv_line, write_folder_files
    from evaluators.runs.cells_again import cells_from

    results = prepared.suite.results
    if not record.has_every_cell and needs_cells(map(Path, wanted.files), wanted.words):
        record = cells_from(record, prepared.test_set)
    options, of_pages = _summary_and_page_options(prepared, wanted, record)
    if wanted.results is not None:
        rows_csv = "csv" in wanted.words or results.documents == "all"
        options = replace(options, left_out=unwritten_rows_csv_line(record, rows_csv))
        write_folder_files(folder, record, wanted.words, options, of_pages, rows_csv)
    return record, options, of_pages


def _summary_and_page_options(prepared: Prepared, wanted: RequestedOutputs, record: Run) -> tuple[Options, Options]:
    """(summary options, page options) of a run: pages have all suggestions, the summary has a few. Where a program looks at rows, and asks
    for no output, neither has any; where no page is wanted, the page options are those of the summary."""
    from evaluators.api.finished_run import label_rules, with_record
    from evaluators.reports.headline import Options
    from evaluators.reports.report_files import needs_mistakes

    lines = prepared.suite.lines
    shown = not wanted.looked_at or wanted.results is not None or wanted.files or wanted.summary

    plain = Options(
        prepared.suite.results.lowest_fields, label_rules=label_rules(lines), gate_places=_gate_places(prepared.suite)
    )
    if not shown:  # a program looks at rows
        return plain, plain
    reading = prepared.suite.reading
    options = with_record(plain, record, lines, reading, wanted.hardest, report=False)
    of_pages = needs_mistakes(map(Path, wanted.files), wanted.words)
    return options, with_record(plain, record, lines, reading, wanted.hardest) if of_pages else options


def _gate_places(suite: LoadedSuite) -> dict[str, str]:
    """The place of the gates in the suite, by target; empty for a suite that is no file."""
    return {gate.written: suite.config.source.place(("gates", gate.key), key=True) for gate in suite.gates}


def _with_folder_hint(options: Options, wanted: RequestedOutputs, result: RunResult) -> Options:
    """The options of a run that keeps no record. Where a summary would show examples of mistakes, a hint says that they need the run
    folder."""
    wrong = any(field.counts.mismatch for stats in result.evaluators for field in stats.fields)
    if not (wanted.summary and wrong):
        return options
    from evaluators.reports.suggestions import suggestion_hint

    text = "Examples of mistakes and suggestions need the run folder, and this run keeps none."
    return replace(options, extra=(suggestion_hint(text),), search=(text,))
