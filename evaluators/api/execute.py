"""A run from beginning to end: test set and columns, scoring, figures, gates, coverage, files.

What only a run with files needs (the run folder, reports) is imported when it is needed: starting takes longer than
scoring a small test set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from evaluators.api.run_request import RunRequest, prepared_for
from evaluators.builtin._evaluator import lists_fields
from evaluators.issues import Blame, Issue, Problems
from evaluators.run.conclude import check_gate_targets
from evaluators.run.engines.engine import engine_of
from evaluators.run.in_background import InBackground
from evaluators.run.preparing import Prepared, masked_problems
from evaluators.run.recorder import Recording
from evaluators.run.recording import recording_of
from evaluators.run.result import RunResult
from evaluators.run.rows import pyarrow
from evaluators.run.scoring import ScoredRun, environment_of, jobs_of, rows_format, scored
from evaluators.run.verdict import afterwards
from evaluators.run.write_errors import UNWRITTEN
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.testsets.byte_store import scheme_of

if TYPE_CHECKING:
    from evaluators.api.run_object import Run
    from evaluators.api.suite import Suite
    from evaluators.reports.document import Section
    from evaluators.reports.headline import Options
    from evaluators.run.record import RunRecord
    from evaluators.run.run_folder import RunFolder
    from evaluators.tracking.sending import Sent
    from evaluators.tracking.tracker import NamedTracker


class Finished(Struct, frozen=True):
    """A run, and what a reader of its summary wants beside it."""

    result: RunResult
    options: Options
    folder: Path | None
    """The run folder, when there is one."""
    files: tuple[Path, ...]
    """The further files that were asked for."""
    sent: Sent | None = None
    """What became of the run at its trackers; None when it has none."""
    place: str | None = None
    """The address of the run folder, when it went to a store."""
    stored: tuple[str, ...] = ()
    """The addresses of the further files that went to stores."""
    refused: tuple[Issue, ...] = ()
    """The files that the system did not take, the run folder among them; its figures are kept in the result."""
    named: str | None = None
    """The name of the run folder as its run.json has it: where nobody asked for that one."""
    taken: Path | str | None = None
    """The place that was asked for, when something was there and the run folder has another one."""
    record: RunRecord | None = None
    """What the run recorded, where somebody looks at its rows."""
    lines: tuple[EvaluatorLine, ...] = ()
    """The evaluators, with the schemas that they inferred."""
    let_go: Callable[[], None] | None = None
    """Takes away the temporary folder that holds the record; None where there is none."""
    notice: str = ""
    """What people should know of the run beside its results: what of it was there before, or stays for another time."""


def run_of(suite: Suite, request: RunRequest) -> Run:
    """The run, whose rows can be looked at. Raises Problems when it cannot start; what goes wrong with rows is in the result."""
    found = finish(suite, replace(request, looked_at=True))
    index = request.given.index if request.given is not None else None
    from evaluators.api.run_object import Run  # the command line shows pages instead

    return Run(found.result, found.record, found.lines, index, found.let_go)


def finish(suite: Suite, request: RunRequest) -> Finished:
    """The run with its files written. Raises Problems when it cannot start."""
    with masked_problems(suite):
        if request.resume:
            from evaluators.api.resuming import resumed_run

            run = resumed_run(suite, request)
            request = replace(request, results=run.results, name=run.name)
        if request.stored_files or (request.results is not None and scheme_of(str(request.results))):
            from evaluators.api.remote_results import finish_elsewhere

            return finish_elsewhere(suite, request, _finish)
        return _finish(suite, request)


def _finish(suite: Suite, request: RunRequest) -> Finished:
    started = datetime.now().astimezone()
    prepared = prepared_for(_as_asked(suite, request), request)
    check_gate_targets(prepared.suite, prepared.test_set.variants)
    _check_files(prepared, request)
    trackers = _trackers(suite, request)
    engine = engine_of(suite.engine, request.engine, request.workers)
    fingerprint = InBackground(prepared.test_set.fingerprint)
    recordings = _recordings(prepared, request, trackers)
    folder = _folder(prepared, request, started, recordings, fingerprint)
    if isinstance(folder, Path):
        return _finished_before(prepared, request, folder)
    try:
        with engine.crew() as crew:
            jobs = jobs_of(prepared, crew.remote, folder, recordings, request.repeat_judge, request.parts)
            run = scored(
                prepared, jobs, crew, folder, fingerprint, request.stopped, request.progress, request.before_asking,
                request.asked,
            )  # fmt: skip
        environment = environment_of(prepared, run, started, request.command, kept=request.results is not None)
        run = replace(run, result=replace(run.result, environment=environment))
        finished = _kept(prepared, request, folder, run)
        if folder is not None and not (run.finished and finished.folder):
            finished = replace(finished, notice=_left(folder, request))
        elif taken_over := sum(each.taken_over for _, each in run.measured):
            finished = replace(finished, notice=f"{taken_over:,} of {run.splits:,} parts were scored before")
        if finished.let_go is not None:
            folder = None  # whoever looks at the run lets it go
        return _tracked(replace(finished, lines=prepared.suite.lines), trackers, request)
    except BaseException as error:
        if folder is not None and _may_go_on(error):
            _left(folder, request)
        raise
    finally:
        if folder is not None:
            folder.discard()


def _as_asked(suite: Suite, request: RunRequest) -> Suite:
    """The suite with what is asked for in place of its own settings under `results`."""
    names = ("name", "formats", "lowest_fields", "rows", "evidence", "documents")
    asked = {name: value for name in names if (value := getattr(request, name)) is not None}
    sections = {**suite.config.sections, "results": suite.results.model_copy(update=asked)}
    return replace(suite, config=replace(suite.config, sections=sections)) if asked else suite


def _may_go_on(error: BaseException) -> bool:
    """Whether going on with the run may end better: what is wrong is neither in the suite nor in the data."""
    return not isinstance(error, Problems) or all(issue.blame is Blame.ENVIRONMENT for issue in error.issues)


def _left(folder: RunFolder, request: RunRequest) -> str:
    """Leaves what was scored for whoever goes on, where some split is finished. Gives a sentence about it, or none.

    What is on its way to a store is not left: it is in a folder that goes away.
    """
    unfinished = folder.unfinished
    if unfinished is None or not unfinished.finished or request.parts is not None:
        return ""
    folder.leave()
    return (
        f"{folder.path}: {unfinished.finished:,} of {unfinished.splits_known} are kept; the same command with "
        f'--name "{unfinished.name}" --resume goes on with the rest'
    )


def _finished_before(prepared: Prepared, request: RunRequest, place: Path) -> Finished:
    """A run that was finished before; the further files are written from its folder."""
    from evaluators.reports.report_files import needs_cells
    from evaluators.run.cells_again import cells_from
    from evaluators.run.record import read_record

    record = read_record(place)
    if needs_cells(request.files):
        record = cells_from(record, prepared.test_set)
    options, of_pages = _options(prepared, request, record)
    files, refused = _asked(request, record, of_pages)
    if (noted := _noted(record, place, request)) != record.result:
        from evaluators.run.run_json import run_json
        from evaluators.run.store import RUN_JSON, write_text

        write_text(place / RUN_JSON, run_json(noted, record.facts))
        record = replace(record, result=noted)
    notice = f"{place}: this run was finished before, and nothing was scored"
    result = replace(afterwards(record.result, refused), folder=str(place))
    return Finished(
        result, options, place, tuple(files), refused=refused, named=record.result.folder, notice=notice,
        record=record, lines=prepared.suite.lines,
    )  # fmt: skip


def _recordings(
    prepared: Prepared, request: RunRequest, trackers: Sequence[NamedTracker]
) -> tuple[Recording, ...] | None:
    """What is recorded of the rows of each variant; None where nothing is made from it."""
    lists = any(lists_fields(line.settings) for line in prepared.suite.lines)
    asked = request.results is not None or request.files or request.hardest or request.looked_at
    if not (asked or (request.summary and lists)):
        return None
    from evaluators.reports.outcome_format import outcome_words, outcomes_file_for

    words = prepared.suite.results.formats if request.results is not None else ()
    every_outcome = bool(outcome_words(words)) or any(outcomes_file_for(file) is not None for file in request.files)
    elsewhere = any(
        source.local is None for source in prepared.test_set.files
    )  # nothing in a run folder opens such a file
    return tuple(
        recording_of(prepared, table, every_outcome, bool(trackers) and elsewhere) for _, table in prepared.variants()
    )


def _folder(
    prepared: Prepared,
    request: RunRequest,
    started: datetime,
    recordings: Sequence[Recording] | None,
    fingerprint: InBackground[str],
) -> RunFolder | Path | None:
    """The run folder; one that goes away with the run where only what is made from it is asked for; else none.

    A path is the place of a run that is finished already.
    """
    if recordings is None:
        return None
    from evaluators.run.run_folder import RunFolder, default_name

    if request.results is None:
        return RunFolder.passing()
    from evaluators.api.resuming import resumed_run, taken_up, unfinished_run

    suite = prepared.suite
    asked = suite.results.name
    name = asked or default_name(started, suite.fingerprint)
    begun = unfinished_run(prepared, request, recordings, name, asked, started, fingerprint)
    run = resumed_run(suite, request) if request.resume else None
    found = taken_up(run, prepared, begun, fingerprint) if run is not None else None
    return found if found is not None else RunFolder.begin(request.results, begun, request.force)


def _kept(prepared: Prepared, request: RunRequest, folder: RunFolder | None, run: ScoredRun) -> Finished:
    """The run with its files, all made from what it recorded; its figures alone where the system does not take the run folder, which is
    then a cause of 3."""
    from evaluators.reports.headline import Options
    from evaluators.run.run_folder import NOT_MOVED
    from evaluators.run.run_json import run_json
    from evaluators.run.store import RUN_JSON

    lowest_fields = prepared.suite.results.lowest_fields
    if folder is None:
        result = run.result
        return Finished(result, Options(lowest_fields, extra=_without_record(request, result)), None, ())
    lost: tuple[Issue, ...] = ()
    try:
        record, options, of_pages = _recorded(prepared, request, folder, run)
        if request.results is not None:
            record = replace(record, result=_noted(record, folder.path, request))
            folder.finish(record.result, record.facts)
            record = replace(record, folder=folder.path, result=folder.named(record.result))
    except (OSError, Problems) as error:
        refused = folder.refusal(error)
        if refused is None:
            raise
        if refused.code != NOT_MOVED:
            said = f"{refused.message}; the figures are complete, and nothing else of the run is kept"
            lost = (replace(refused, message=said),)
            return Finished(afterwards(run.result, lost), Options(), None, (), refused=lost)
        lost = (refused,)
    further = replace(request, files=_in_folder(request, folder))
    files, refused_files = _asked(further, record, of_pages)
    refusals = (*lost, *refused_files)
    result = replace(afterwards(folder.named(run.result), refusals), written=record.result.written)
    place = None if request.results is None or lost else folder.path
    of_place = replace(result, folder=None if place is None else str(place))
    finished = Finished(of_place, options, place, tuple(files), refused=refusals)
    if place is not None:
        taken = folder.asked if place != folder.asked else None
        return replace(finished, named=result.folder, taken=taken, record=record)
    if lost or not request.looked_at:
        return finished
    folder.write(RUN_JSON, run_json(of_place, record.facts))
    return replace(finished, record=replace(record, result=of_place), let_go=folder.discard)


def _noted(record: RunRecord, place: Path, request: RunRequest) -> RunResult:
    """The result, which names the further files, so that no test set takes them for rows."""
    if not request.files or request.parts is not None:
        return record.result
    from evaluators.reports.report_files import asked_places
    from evaluators.run.store import note_written

    return note_written(place, record.result, asked_places(request.files, record))


def _in_folder(request: RunRequest, folder: RunFolder) -> tuple[Path, ...]:
    """The further files; those inside of the run's own folder are where that came to be."""
    asked = folder.asked.resolve()
    inside = [file.resolve() for file in request.files]
    return tuple(
        folder.path / whole.relative_to(asked) if whole.is_relative_to(asked) else file
        for file, whole in zip(request.files, inside, strict=True)
    )


def _asked(request: RunRequest, record: RunRecord, options: Options) -> tuple[list[Path], tuple[Issue, ...]]:
    """The further files that were written, and those that the system did not take."""
    from evaluators.reports.report_files import asked_files

    written: list[Path] = []
    refused: list[Issue] = []
    for file in request.files:
        try:
            written += asked_files([file], record, options)
        except Problems as error:
            if error.issues[0].code != UNWRITTEN:
                raise
            refused += error.issues
    return written, tuple(refused)


def _recorded(
    prepared: Prepared, request: RunRequest, folder: RunFolder, run: ScoredRun
) -> tuple[RunRecord, Options, Options]:
    """What the run recorded, and the files of its folder made from that; with the options of its summary, and of its pages."""
    from evaluators.reports.report_files import folder_files, needs_cells, not_annotated
    from evaluators.run.cells_again import cells_from
    from evaluators.run.storing import stored

    results = prepared.suite.results
    record = stored(prepared, folder, run.jobs, run.measured, run.result, results.lowest_fields)
    words = results.formats if request.results is not None else ()
    if not record.has_every_cell and needs_cells(request.files, words):
        record = cells_from(record, prepared.test_set)
    options, of_pages = _options(prepared, request, record, words)
    if request.results is not None:
        rows_csv = "csv" in words or results.documents == "all"
        options = replace(options, left_out=not_annotated(record, rows_csv))
        folder_files(folder, record, words, options, of_pages, rows_csv)
    return record, options, of_pages


def _options(
    prepared: Prepared, request: RunRequest, record: RunRecord, words: Sequence[str] = ()
) -> tuple[Options, Options]:
    """What the summary shows beside the figures, and what the pages show that were asked for: these search for all near misses."""
    from evaluators.api.finished_run import label_rules, sections_of
    from evaluators.reports.format import has_pages
    from evaluators.reports.headline import Options

    lines = prepared.suite.lines
    shown = not request.looked_at or request.results is not None or request.files or request.summary

    def with_sections(report: bool) -> Options:
        sections = sections_of(record, lines, request.hardest, report=report) if shown else ()  # a program looks at rows
        return Options(prepared.suite.results.lowest_fields, extra=sections, label_rules=label_rules(lines))

    options = with_sections(False)
    return options, with_sections(True) if has_pages(request.files, words) else options


def _without_record(request: RunRequest, result: RunResult) -> tuple[Section, ...]:
    """A run that keeps nothing says what that costs, where there is something that it costs."""
    wrong = any(field.counts.mismatch for stats in result.evaluators for field in stats.fields)
    if not (request.summary and wrong):
        return ()
    from evaluators.reports.document import Paragraph, Section

    return (Section("Near misses", (Paragraph("They need the run folder, and this run keeps none.", "note"),)),)


def _trackers(suite: Suite, request: RunRequest) -> tuple[NamedTracker, ...]:
    if request.track is None and not suite.tracking:
        return ()
    from evaluators.api.trackers import trackers_of

    return trackers_of(suite, request)


def _tracked(finished: Finished, trackers: Sequence[NamedTracker], request: RunRequest) -> Finished:
    """The run after its folder went to the trackers. One that fails is a cause of how the command ends; the folder stays."""
    if finished.folder is None or not trackers:
        return finished
    from evaluators.tracking.sending import send

    if request.before_sending is not None:
        request.before_sending(finished)
    sent = send(finished.folder, trackers, request.trace_rows, request.sending)
    pages = [
        file for file in (*finished.files, finished.folder / "report.html") if file.suffix == ".html" and file.is_file()
    ]
    if sent.links and pages:
        from evaluators.api.finished_run import sent_section
        from evaluators.reports.report_files import asked_files
        from evaluators.run.record import read_record

        options = replace(finished.options, extra=(*finished.options.extra, *sent_section(finished.folder)))
        asked_files(pages, read_record(finished.folder), options)  # once more, now that they can say where the run is
    return replace(finished, result=afterwards(finished.result, sent.issues), sent=sent)


def _read_next_time(prepared: Prepared, request: RunRequest) -> list[Issue]:
    """Problems (config) with files that the next run would take for rows of the test set: without a run folder on this machine, nothing
    says that a run has written them."""
    if request.results is not None and request.parts is None:
        return []
    from evaluators.testsets.run_files import fits

    config, folder = prepared.test_set.config, prepared.folder
    named = [getattr(one, "file", one) for one in (config.file, config.expected, config.output, config.outputs)]
    places = [place for place in named if isinstance(place, str)]
    message = "this file would be one of the test set's the next time, and without a run folder nothing says what it is"
    hint = "leave --no-results away, or give -o another place"
    return [
        Issue("reads-itself", Blame.CONFIG, f"{message}", str(file), hint)
        for file in request.files
        if any(fits(file, place, folder) for place in places)
    ]


def _own_folder(prepared: Prepared, request: RunRequest) -> Path | None:
    """The run folder that is asked for by name."""
    name = prepared.suite.results.name
    return None if request.results is None or name is None else Path(request.results, name).resolve()


def _check_files(prepared: Prepared, request: RunRequest) -> None:
    """What is to be written must be possible. Raises Problems (config) with what is not."""
    issues: list[Issue] = []
    if request.formats is not None:
        from evaluators.reports.format import check_words

        issues += check_words(request.formats)
    if request.files:
        from evaluators.reports.report_files import check_asked

        name = prepared.suite.config.source.name
        local = [Path(path) for source in prepared.test_set.files if (path := source.local) is not None]
        issues += check_asked(request.files, [Path(name), *local], _own_folder(prepared, request))
        issues += _read_next_time(prepared, request)
    words = prepared.suite.results.formats
    if not issues and (request.files or request.results is not None):
        from evaluators.reports.report_files import check_outcomes

        by_schema = any(lists_fields(line.settings) for line in prepared.suite.lines)
        issues += check_outcomes(by_schema, request.files, words if request.results is not None else ())
    if issues:
        raise Problems(issues)
    if rows_format(prepared.suite, 0) == "parquet" and request.results is not None:
        pyarrow()
