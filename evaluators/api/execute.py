"""A run from beginning to end: test set and columns, scoring, metrics, gates, coverage, files, trackers.

What only a run with files needs (the run folder, reports) is imported when it is needed: starting takes longer than
scoring a small test set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from msgspec.structs import replace

from evaluators.api.run_options import RowsAsked, RunOptions, observer_of, prepare_rows, refuse_unknown, rows_asked
from evaluators.api.written_run import (
    Finished,
    RequestedOutputs,
    check_files,
    finish_once_more,
    requested_outputs,
    write_files,
    write_run,
)
from evaluators.model.issues import Blame, Problems
from evaluators.reports.conclusions import finish_run
from evaluators.runs.driver import environment_of, jobs_of, score, variants_of
from evaluators.runs.engines.engine import engine_of
from evaluators.runs.exit_code import with_later_issues
from evaluators.runs.observer import Observer
from evaluators.runs.preparing import Prepared, check_gate_targets, local_results_folders, masked_problems
from evaluators.runs.recorder import Recording
from evaluators.runs.resuming import resume_key, run_notes
from evaluators.runs.run_db import RunDb
from evaluators.runs.storing import recording_of
from evaluators.runs.unchanged import blaming_changes, changes_since, file_marks
from evaluators.scoring.evaluators._evaluator import lists_fields
from evaluators.scoring.values.files import note_listing, noting_reads
from evaluators.testsets.byte_store import parent, scheme_of
from evaluators.testsets.run_files import without_files_of_runs

if TYPE_CHECKING:
    from evaluators.api import run_object
    from evaluators.reports.tracking.tracker import NamedTracker
    from evaluators.runs.loaded_suite import LoadedSuite
    from evaluators.runs.resuming import ResumedRun
    from evaluators.runs.run_folder import RunFolder


def run_of(suite: LoadedSuite, test_set: Any, options: RunOptions) -> run_object.Run:
    """Runs the suite over the rows `test_set` and returns the run, whose rows can be looked at. Raises Problems when it cannot
    start; what goes wrong with rows is in the result."""
    refuse_unknown(options, "run")
    rows = rows_asked(test_set)
    finished = finish(suite, rows, looked_at=True, **options)
    index = None if rows is None or isinstance(rows, str | Mapping) else rows.index
    from evaluators.api import run_object  # the command line shows pages instead

    return run_object.Run.from_result(finished.result, finished.record, finished.lines, index, finished.let_go)


def finish(
    suite: LoadedSuite, test_set: RowsAsked = None, *, looked_at: bool = False, **options: Unpack[RunOptions]
) -> Finished:
    """Runs the suite over the rows `test_set` (None: its own test set), writes its files here or in a store, and returns what a summary
    needs. With the option `resume` it goes on with a run. `looked_at` says that a program will look at rows. Raises Problems when the
    run cannot start."""
    results_folders = local_results_folders(suite, options.get("results"))
    with masked_problems(suite), noting_reads(), without_files_of_runs(results_folders):
        note_listing(suite.named_files)
        resumed: ResumedRun | None = None
        if resume := options.get("resume"):
            from evaluators.runs.resuming import resumed_run

            resumed = resumed_run(suite, resume, options.get("results"), options.get("name"), options.get("force"))
            options |= {"results": resumed.results, "name": resumed.name}

        def finish_here(options: RunOptions, to_store: bool = False) -> Finished:
            """The run with its files on this machine; `to_store` says that its folder goes to a store afterwards."""
            asked = _with_options(suite, options)
            return _finish(asked, test_set, options, requested_outputs(asked, options, looked_at, to_store), resumed)

        results = str(options.get("results") or "")
        folders = [results] if scheme_of(results) else []
        folders += [parent(str(file)) for file in options.get("files", ()) if scheme_of(str(file))]
        if not folders:
            return finish_here(options)
        from evaluators.api.remote_results import checking_writable, finish_elsewhere

        with checking_writable(folders):
            return finish_elsewhere(suite, options, finish_here) if scheme_of(results) else finish_here(options)


def _finish(
    suite: LoadedSuite, test_set: RowsAsked, options: RunOptions, wanted: RequestedOutputs, resumed: ResumedRun | None
) -> Finished:
    """Runs the suite with its files on this machine: reads, scores in splits, counts, checks gates, writes the outputs `wanted`, and sends
    to trackers. Returns the run, with what its summary needs. `resumed` is the run to go on with, if there is one; one that was finished
    before is not scored again. A run that stops early leaves its scored rows in the run folder. Raises Problems when it cannot start."""
    started, repeat_judge, observer = datetime.now().astimezone(), options.get("repeat_judge", 1), observer_of(options)
    prepared = prepare_rows(suite, test_set, options)
    check_gate_targets(suite, prepared.test_set.variants)
    check_files(prepared, wanted, options.get("formats"))
    trackers = _chosen_trackers(suite, options)
    engine = engine_of(suite.engine, options.get("engine"), options.get("workers"))
    marks, fingerprint = file_marks(prepared.test_set.files), prepared.test_set.fingerprint()
    recordings = _recordings_of(prepared, wanted, bool(trackers))
    keeps_folder = wanted.results is not None
    key = resume_key(prepared, repeat_judge, recordings or (), fingerprint) if keeps_folder else {}
    folder = _open_folder(prepared, wanted, key, started, resumed) if recordings is not None else None
    if isinstance(folder, Path):
        return finish_once_more(prepared, wanted, folder)
    with _cleaning_up(folder, wanted):
        db = folder.db if folder is not None else RunDb()
        variants = variants_of(prepared, jobs_of(prepared, recordings, repeat_judge), db)
        with engine.crew() as crew, blaming_changes(marks):
            run = score(prepared, variants, crew, observer)
            result = finish_run(prepared, run.results, fingerprint, changes_since(marks))
            if prepared.test_set.config.corrections:
                from evaluators.api.corrected_run import with_corrections  # few test sets have corrections

                result = with_corrections(result, prepared, crew, observer)
        environment = environment_of(prepared, run, started, options.get("command", ()), kept=keeps_folder)
        finished = write_run(prepared, wanted, folder, run, replace(result, environment=environment))
        if folder is not None and not (run.is_finished and finished.folder):
            sentences = (_keep_partial_run(folder, wanted, run.splits), _replaced_run_notice(folder))
            finished = replace(finished, notice="; ".join(filter(None, sentences)))
        elif taken_over := sum(each.taken_over for each in run.variants):
            finished = replace(finished, notice=f"{taken_over:,} of {run.splits:,} splits were scored before")
        if folder is not None and finished.let_go is None:  # else whoever looks at the run lets it go
            folder.discard()
        finished = replace(finished, lines=prepared.suite.lines)
        return _send_to_trackers(finished, trackers, options.get("trace_rows"), observer)


@contextmanager
def _cleaning_up(folder: RunFolder | None, wanted: RequestedOutputs) -> Iterator[None]:
    """Within the `with` block, an error discards the folder of the run. Where the blame is on the environment alone, the rows scored so
    far are kept in it first, so that the run can be resumed. The error goes on."""
    try:
        yield
    except BaseException as error:
        # going on with the run may end better where what is wrong is neither in the suite nor in the data
        issues = error.issues if isinstance(error, Problems) else ()
        if folder is not None and all(issue.blame is Blame.ENVIRONMENT for issue in issues):
            _keep_partial_run(folder, wanted)
        if folder is not None:
            folder.discard()
        raise


def _with_options(suite: LoadedSuite, options: RunOptions) -> LoadedSuite:
    """The suite, in which `options` of the run take the place of its own settings under `results`."""
    names = ("name", "formats", "lowest_fields", "evidence", "documents")
    overrides = {name: value for name in names if (value := options.get(name)) is not None}
    sections = {**suite.config.sections, "results": suite.results.model_copy(update=overrides)}
    return replace(suite, config=replace(suite.config, sections=sections)) if overrides else suite


def _keep_partial_run(folder: RunFolder, wanted: RequestedOutputs, splits: int | None = None) -> str:
    """Keeps the rows scored so far in the run folder, so that the run can be resumed. Returns a sentence about that.

    Where nothing can be kept, it does nothing and returns an empty text: no split is scored, nothing is to be written, or the
    folder is on its way to a store. `splits` is the number of scored ones, where it is known.
    """
    if wanted.results is None or wanted.to_store or folder.db.refused is not None:
        return ""
    if not (splits if splits is not None else folder.db.splits()):
        return ""
    folder.leave()
    return f'{folder.path}: what was scored is kept; the same command with --name "{folder.path.name}" --resume goes on with the rest'


def _replaced_run_notice(folder: RunFolder) -> str:
    """A sentence about the run that this one was to replace, and which waits beside it; empty where there is none."""
    if not folder.path.exists() or folder.waiting_folder is None:
        return ""
    return f"the run before is {folder.waiting_folder} until every row of this one is scored"


def _recordings_of(prepared: Prepared, wanted: RequestedOutputs, tracked: bool) -> tuple[Recording, ...] | None:
    """How much to record of the rows, for each variant; None where no output of the run needs a record. `tracked`: the run is sent to
    trackers."""
    lists = any(lists_fields(line.settings) for line in prepared.suite.lines)
    needs_record = wanted.results is not None or wanted.files or wanted.hardest or wanted.looked_at
    if not (needs_record or (wanted.summary and lists)):
        return None
    from evaluators.reports.report_files import needs_every_outcome, needs_matches

    files = [*map(Path, wanted.files)]
    every_outcome, matches = needs_every_outcome(files, wanted.words), needs_matches(files, wanted.words)
    # nothing in a run folder opens a file of another machine
    elsewhere = any(source.local is None for source in prepared.test_set.files)
    return tuple(
        recording_of(prepared, table, every_outcome, tracked and elsewhere, matches) for _, table in prepared.variants()
    )


def _open_folder(
    prepared: Prepared, wanted: RequestedOutputs, key: dict[str, str], started: datetime, resumed: ResumedRun | None
) -> RunFolder | Path:
    """Makes or opens the run folder, and returns it; a temporary one where the options name no place for results. `key` is what a run must
    have the same to be resumed; it is noted in a new folder.

    Where the run to resume is finished already, it returns the path of its folder instead. Where the system does not let the folder be
    made, it returns one that writes nothing. Raises Problems for a wrong command, and where the run cannot be resumed.
    """
    from evaluators.reports.report_files import folder_names
    from evaluators.runs.run_folder import RunFolder, default_name

    if wanted.results is None:
        return RunFolder.temporary()
    if resumed is not None:
        from evaluators.runs.resuming import resume_folder

        made = folder_names([name for name, _ in prepared.variants()], [line.name for line in prepared.suite.lines])
        if (resumption := resume_folder(resumed, prepared, key, made)) is not None:
            if isinstance(resumption, RunFolder):
                resumption.made = folder_names
            return resumption
    results_name = prepared.suite.results.name
    name = results_name or default_name(started, prepared.suite.fingerprint)
    try:
        folder = RunFolder.create(wanted.results, name, wanted.force, folder_names)
    except Problems as error:
        # a file in the place of a folder is a mistake in the command; where the system refuses, the figures are not lost
        if not isinstance(error.__cause__, OSError) or isinstance(error.__cause__, FileExistsError | NotADirectoryError):
            raise
        folder = RunFolder.unwritable(Path(wanted.results, name), error.issues[0])
    folder.take_name(results_name or "")
    folder.db.note({**key, **run_notes(prepared)})
    return folder


def _chosen_trackers(suite: LoadedSuite, options: RunOptions) -> tuple[NamedTracker, ...]:
    """The trackers that the run is sent to: those that the options name, or else the suite's. Raises Problems for unusable ones."""
    own: tuple[NamedTracker, ...] = suite.config.sections.get("tracking") or ()
    if (names := options.get("track")) is None and not own:
        return ()
    from evaluators.api.trackers import trackers_of

    return trackers_of(own, names, options.get("trace_rows"), options.get("results") is not None)


def _send_to_trackers(
    finished: Finished, trackers: Sequence[NamedTracker], trace_rows: int | None, observer: Observer
) -> Finished:
    """Sends the folder of the run to the trackers, and returns the run with the links that they gave. Does nothing without a folder.
    `trace_rows` is how many single rows are sent; None leaves it to the settings of each tracker.

    A tracker that fails is an issue of the result; the folder stays. Where trackers gave links, its pages are written once more.
    """
    if finished.record is None or finished.folder is None or not trackers:
        return finished
    from evaluators.reports.tracking.sending import send

    observer.before_sending(finished)
    folder = finished.record.place
    sent = send(folder, trackers, trace_rows, observer.sending)
    report = folder / "report.html"
    pages = [file for file in (*finished.files, *([str(report)] if report.is_file() else ())) if file.endswith(".html")]
    if sent.links and pages:  # once more, now that they can say where the run is
        from evaluators.api.finished_run import with_links
        from evaluators.runs.reader import Run

        write_files(pages, Run(folder), with_links(finished.options, folder))
    return replace(finished, result=with_later_issues(finished.result, sent.issues), sent=sent)
