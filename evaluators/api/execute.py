"""A run from beginning to end: test set and columns, scoring, metrics, gates, coverage, files, trackers.

What only a run with files needs (the run folder, reports) is imported when it is needed: starting takes longer than
scoring a small test set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from msgspec.structs import replace

from evaluators.api.run_options import RowsAsked, RunOptions, prepared_for, refuse_unknown, rows_asked
from evaluators.api.written_run import AskedFor, Finished, check_files, finished_before, write_files, write_run
from evaluators.builtin._evaluator import lists_fields
from evaluators.issues import Blame, Problems
from evaluators.reports.conclusions import finish_run
from evaluators.run.engines.engine import RemoteCrew, engine_of, never
from evaluators.run.exit_code import afterwards
from evaluators.run.preparing import Prepared, check_gate_targets, masked_problems, results_here
from evaluators.run.recorder import Recording
from evaluators.run.scoring import InBackground, environment_of, jobs_of, scored
from evaluators.run.storing import recording_of
from evaluators.testsets.byte_store import parent, scheme_of
from evaluators.testsets.run_files import passing_over
from evaluators.values.read_files import note_listed, noting_reads

if TYPE_CHECKING:
    from evaluators.api import run_object
    from evaluators.api.suite import Suite
    from evaluators.run.resuming import ResumedRun
    from evaluators.run.run_folder import RunFolder
    from evaluators.tracking.tracker import NamedTracker


def run_of(suite: Suite, test_set: Any, options: RunOptions) -> run_object.Run:
    """The run, whose rows can be looked at. Raises Problems when it cannot start; what goes wrong with rows is in the result."""
    refuse_unknown(options, "run")
    rows = rows_asked(test_set)
    found = finish(suite, rows, looked_at=True, **options)
    index = None if rows is None or isinstance(rows, str | Mapping) else rows.index
    from evaluators.api import run_object  # the command line shows pages instead

    return run_object.Run.scored(found.result, found.record, found.lines, index, found.let_go)


def finish(
    suite: Suite, test_set: RowsAsked = None, *, looked_at: bool = False, **options: Unpack[RunOptions]
) -> Finished:
    """The run with its files written. Raises Problems when it cannot start."""
    kept = results_here(suite, options.get("results"))
    with masked_problems(suite), noting_reads(), passing_over(kept):
        note_listed(suite.named_files)
        resumed: ResumedRun | None = None
        if resume := options.get("resume"):
            from evaluators.run.resuming import resumed_run

            resumed = resumed_run(suite, resume, options.get("results"), options.get("name"), options.get("force"))
            options |= {"results": resumed.results, "name": resumed.name}
        finish_here = partial(_finish, suite, test_set, looked_at, resumed)
        results = str(options.get("results") or "")
        folders = [results] if scheme_of(results) else []
        folders += [parent(str(file)) for file in options.get("files", ()) if scheme_of(str(file))]
        if not folders:
            return finish_here(options)
        from evaluators.api.remote_results import claimed, finish_elsewhere

        with claimed(folders):
            return finish_elsewhere(suite, options, finish_here) if scheme_of(results) else finish_here(options)


def _finish(
    suite: Suite,
    test_set: RowsAsked,
    looked_at: bool,
    resumed: ResumedRun | None,
    options: RunOptions,
    parts: str | None = None,
) -> Finished:
    """The run with its files on this machine. `parts` is where workers on other machines leave what they have scored, when the results
    go to a store; the run folder without it."""
    started, results, repeat_judge = datetime.now().astimezone(), options.get("results"), options.get("repeat_judge", 1)
    prepared = prepared_for(_as_asked(suite, options), test_set, options)
    wanted = AskedFor(
        None if results is None else Path(results), prepared.suite.results.formats if results is not None else (),
        tuple(map(str, options.get("files", ()))), options.get("hardest", 0), options.get("summary", False), looked_at,
        parts is not None,
    )  # fmt: skip
    check_gate_targets(prepared.suite, prepared.test_set.variants)
    check_files(prepared, wanted, options.get("formats"), options.get("force", False))
    trackers: tuple[NamedTracker, ...] = ()
    if (names := options.get("track")) is not None or suite.tracking:
        from evaluators.api.trackers import trackers_of

        trackers = trackers_of(suite, names, options.get("trace_rows"), results is not None)
    engine = engine_of(suite.engine, options.get("engine"), options.get("workers"))
    fingerprint = InBackground(prepared.test_set.fingerprint)
    recordings = _recordings(prepared, wanted, bool(trackers))
    folder = _folder(
        prepared, wanted, started, recordings, repeat_judge, fingerprint, resumed, options.get("force", False)
    )
    if isinstance(folder, Path):
        return finished_before(prepared, wanted, folder)
    try:
        with engine.crew() as crew:
            jobs = jobs_of(prepared, isinstance(crew, RemoteCrew), folder, recordings, repeat_judge, parts)
            run = scored(
                prepared, jobs, crew, folder, fingerprint, finish_run, options.get("stopped", never),
                options.get("progress", lambda rows, share: None), options.get("before_asking"), options.get("asked"),
            )  # fmt: skip
        environment = environment_of(prepared, run, started, options.get("command", ()), kept=results is not None)
        run = replace(run, result=replace(run.result, environment=environment))
        finished = write_run(prepared, wanted, folder, run)
        if folder is not None and not (run.finished and finished.folder):
            finished = replace(finished, notice=_left(folder, wanted))
        elif taken_over := sum(each.taken_over for _, each in run.measured):
            finished = replace(finished, notice=f"{taken_over:,} of {run.splits:,} parts were scored before")
        if finished.let_go is not None:
            folder = None  # whoever looks at the run lets it go
        return _tracked(replace(finished, lines=prepared.suite.lines), trackers, options)
    except BaseException as error:
        # going on with the run may end better where what is wrong is neither in the suite nor in the data
        issues = error.issues if isinstance(error, Problems) else ()
        if folder is not None and all(issue.blame is Blame.ENVIRONMENT for issue in issues):
            _left(folder, wanted)
        raise
    finally:
        if folder is not None:
            folder.discard()


def _as_asked(suite: Suite, options: RunOptions) -> Suite:
    """The suite with what is asked for in place of its own settings under `results`."""
    names = ("name", "formats", "lowest_fields", "rows", "evidence", "documents")
    asked = {name: value for name in names if (value := options.get(name)) is not None}
    sections = {**suite.config.sections, "results": suite.results.model_copy(update=asked)}
    return replace(suite, config=replace(suite.config, sections=sections)) if asked else suite


def _left(folder: RunFolder, wanted: AskedFor) -> str:
    """Leaves what was scored for whoever goes on, where some split is finished. Gives a sentence about it, or none.

    What is on its way to a store is not left: it is in a folder that goes away.
    """
    unfinished = folder.unfinished
    if unfinished is None or not unfinished.finished or wanted.to_store:
        return ""
    folder.leave()
    return (
        f"{folder.path}: {unfinished.finished:,} of {unfinished.splits_known} are kept; the same command with "
        f'--name "{unfinished.name}" --resume goes on with the rest'
    )


def _recordings(prepared: Prepared, wanted: AskedFor, tracked: bool) -> tuple[Recording, ...] | None:
    """What is recorded of the rows of each variant; None where nothing is made from it."""
    lists = any(lists_fields(line.settings) for line in prepared.suite.lines)
    asked = wanted.results is not None or wanted.files or wanted.hardest or wanted.looked_at
    if not (asked or (wanted.summary and lists)):
        return None
    from evaluators.reports.report_files import needs_every_outcome

    every_outcome = needs_every_outcome(map(Path, wanted.files), wanted.words)
    # nothing in a run folder opens a file of another machine
    elsewhere = any(source.local is None for source in prepared.test_set.files)
    return tuple(recording_of(prepared, table, every_outcome, tracked and elsewhere) for _, table in prepared.variants())


def _folder(
    prepared: Prepared,
    wanted: AskedFor,
    started: datetime,
    recordings: Sequence[Recording] | None,
    repeat_judge: int,
    fingerprint: InBackground[str],
    resumed: ResumedRun | None,
    force: bool,
) -> RunFolder | Path | None:
    """The run folder; one that goes away with the run where only what is made from it is asked for; else none.

    A path is the place of a run that is finished already.
    """
    if recordings is None:
        return None
    from evaluators.run.run_folder import RunFolder

    if wanted.results is None:
        return RunFolder.passing()
    from evaluators.run.resuming import taken_up, unfinished_run

    begun = unfinished_run(prepared, repeat_judge, recordings, started, fingerprint)
    found = taken_up(resumed, prepared, begun, fingerprint) if resumed is not None else None
    return found if found is not None else RunFolder.begin(wanted.results, begun, force)


def _tracked(finished: Finished, trackers: Sequence[NamedTracker], options: RunOptions) -> Finished:
    """The run after its folder went to the trackers. One that fails is a cause of how the command ends; the folder stays."""
    if finished.record is None or finished.folder is None or not trackers:
        return finished
    from evaluators.tracking.sending import send

    if (told := options.get("before_sending")) is not None:
        told(finished)
    folder = finished.record.place
    sent = send(folder, trackers, options.get("trace_rows"), options.get("sending"))
    report = folder / "report.html"
    pages = [file for file in (*finished.files, *([str(report)] if report.is_file() else ())) if file.endswith(".html")]
    if sent.links and pages:
        from evaluators.api.finished_run import with_links
        from evaluators.run.reader import Run

        write_files(
            pages, Run(folder), with_links(finished.options, folder)
        )  # once more, now that they can say where the run is
    return replace(finished, result=afterwards(finished.result, sent.issues), sent=sent)
