"""A run from beginning to end: test set and columns, scoring, figures, gates, coverage, files.

What only a run with files needs (the run folder, reports) is imported when it is needed: starting takes longer than
scoring a small test set.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evaluators import __version__
from evaluators.engines.engine import ENGINES, Engine
from evaluators.issues import Issue, Problems
from evaluators.needs import Output
from evaluators.running.beside import Beside
from evaluators.running.coverage import gaps
from evaluators.running.key_warnings import key_warnings
from evaluators.running.meaning import meaning_of
from evaluators.running.places import line_places
from evaluators.running.preparing import Prepared, Progress, RunRequest, prepare
from evaluators.running.suite import Suite
from evaluators.runs.gates import check_gates, judge_gates, watches
from evaluators.runs.ids import MOST_IDS, id_warnings
from evaluators.runs.job import Job
from evaluators.runs.recorder import Recording
from evaluators.runs.result import Environment as RunEnvironment
from evaluators.runs.result import EvaluatorStats, RunResult
from evaluators.runs.rows import RowsFormat, has_pyarrow, pyarrow
from evaluators.runs.runner import Measured, figures, measure, schema_gaps, slice_figures
from evaluators.runs.verdict import Facts, afterwards, causes, exit_code
from evaluators.testsets.joining import joined_column
from evaluators.testsets.test_set import TestSet

if TYPE_CHECKING:
    from evaluators.reports.document import Section
    from evaluators.reports.summary import Options
    from evaluators.runs.store import RunFolder
    from evaluators.tracking.sending import Sent
    from evaluators.tracking.tracker import Chosen

PARQUET_FROM_BYTES: Final = 64 * 1024 * 1024
"""Rows are stored as Parquet from this size of input on, when pyarrow is there and nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A run, and what a reader of its summary wants beside it."""

    result: RunResult
    options: Options
    folder: Path | None
    """The run folder, when there is one."""
    files: tuple[Path, ...]
    """The further files that were asked for."""
    annotated: bool
    """The run folder holds the annotated rows."""
    sent: Sent | None = None
    """What became of the run at its trackers; None when it has none."""


HASHED_BESIDE: Final = 8 * 1024 * 1024
"""From this size of input on, its fingerprint is worked out in a thread."""


def execute(suite: Suite, request: RunRequest) -> RunResult:
    """The run. Raises Problems when it cannot start; what goes wrong with rows is in the result."""
    return finish(suite, request).result


def finish(suite: Suite, request: RunRequest) -> Finished:
    """The run with its files written. Raises Problems when it cannot start."""
    started, clock = datetime.now().astimezone(), time.monotonic()
    prepared = prepare(suite, request)
    suite = prepared.suite
    check_gate_targets(suite, prepared.test_set.variants)
    _check_files(prepared, request)
    trackers = _trackers(suite, request)
    engine = _engine(request)
    folder = _folder(suite, request, started)
    fingerprint = Beside(prepared.test_set.fingerprint)
    try:
        working = folder.working if folder is not None else None
        jobs = [_job(prepared, table, request, working, name) for name, table in prepared.variants()]
        measured = [
            (name, measure(job, suite.lines, engine, _said(prepared.test_set, name),
                           request.stopped, _progress(request, prepared, place, fingerprint)))
            for place, (job, (name, _)) in enumerate(zip(jobs, prepared.variants(), strict=True))
        ]  # fmt: skip
        result = conclude(prepared, request, measured, fingerprint.value())
        seconds = time.monotonic() - clock
        result = replace(result, environment=_environment(started, seconds, suite, request))
        return _tracked(_written(prepared, request, folder, jobs, measured, result), trackers)
    finally:
        if folder is not None:
            folder.discard()


def _said(test_set: TestSet, variant: str | None) -> str:
    """What the place of a row is called in messages."""
    return test_set.name if variant is None else f'{test_set.name} variant "{variant}"'


def check_gate_targets(suite: Suite, variants: Sequence[str] | None = None) -> None:
    """Every gate must be about something that the suite has. Raises Problems with those that are not.

    `variants` are those of the test set; None where it has not been looked at, and then any name will do.
    """
    known = [gate.config.variant or "" for gate in suite.gates] if variants is None else variants
    fields = {line.name: line.settings.field_names() or _open_or_none(line.settings) for line in suite.lines}
    source = suite.config.source
    issues = []
    for gate in suite.gates:
        loc = ("gates", gate.written)
        placed = replace(gate, where=source.place(loc, key=True))
        made = {line.name: line.settings.figure_names() for line in suite.lines}
        found = check_gates([placed], fields, suite.config.slices, known, made)
        issues += [replace(issue, excerpt=source.excerpt(loc, key=True)) for issue in found]
    if issues:
        raise Problems(issues)


def conclude(
    prepared: Prepared, request: RunRequest, measured: Sequence[tuple[str | None, Measured]], fingerprint: str
) -> RunResult:
    """The figures, the gates, the gaps in coverage and the exit code of what was measured."""
    suite, test_set = prepared.suite, prepared.test_set
    clustered = suite.cluster is not None
    stats = [one for name, each in measured for one in figures(suite.lines, each, name, clustered)]
    slices = [one for name, each in measured for one in slice_figures(suite.lines, each, name, clustered)]
    gates = judge_gates(suite.gates, stats, slices)
    finished = all(each.finished for _, each in measured)
    found = gaps(suite, [table for _, table in prepared.variants()], prepared.plan, stats, complete=finished)
    partial_run = bool(request.selection) or not finished
    issues = [*test_set.issues, *(issue for _, each in measured for issue in each.issues)]
    counts: dict[str, int] = {}
    for _, each in measured:
        for code, count in each.issue_counts.items():
            counts[code] = counts.get(code, 0) + count
    facts = Facts(tuple(stats), gates, (*test_set.issues, *([] if partial_run else found)), interrupted=not finished)
    return RunResult(
        name=suite.name,
        suite_fingerprint=suite.fingerprint,
        data_fingerprint=fingerprint,
        version=__version__,
        test_set=test_set.name,
        rows=measured[0][1].rows,
        columns=prepared.roles,
        evaluators=tuple(stats),
        slices=tuple(slices),
        gates=gates,
        notes=(*suite.notes, *test_set.table.notes, *_lesson_notes(suite), *_several_notes(suite, measured)),
        warnings=(
            *test_set.warnings,
            *_id_warnings(prepared, measured),
            *_schema_warnings(suite, stats),
            *key_warnings(suite, stats, found),
            *(found if partial_run else ()),
        ),
        issues=(*issues, *([] if partial_run else found)),
        issue_counts=dict(sorted(counts.items())),
        complete=finished,
        exit_code=exit_code(facts),
        causes=causes(facts),
        variants=test_set.variants,
        without_output={name or "": each.without_output for name, each in measured if each.without_output},
        meaning=meaning_of(suite),
        cluster=suite.cluster,
    )


def _schema_warnings(suite: Suite, stats: Sequence[EvaluatorStats]) -> list[Issue]:
    """What schemas and documents do not have in common, each once whatever the variant."""
    places = line_places(suite)
    every = [
        schema_gaps(suite.lines, stats[start : start + len(suite.lines)], places)
        for start in range(0, len(stats), len(suite.lines))
    ]
    return list(dict.fromkeys(issue for part in every for issue in part))


def _lesson_notes(suite: Suite) -> list[str]:
    if not suite.lessons:
        return []
    from evaluators.running.learning import LESSON, lesson_said

    return [
        f'"{name}": its schema was inferred from the expected answers; review it ({LESSON.format(name)} in the run folder, '
        f"or `evaluators infer-schema`). It compares {lesson_said(lesson)}"
        for name, lesson in suite.lessons.items()
    ]


def _several_notes(suite: Suite, measured: Sequence[tuple[str | None, Measured]]) -> list[str]:
    """How many outputs hold several JSON documents, and how one of them was chosen."""
    several = sum(each.several for _, each in measured)
    if not several:
        return []
    readers = [line for line in suite.lines if any(isinstance(need, Output) for need in line.settings.needs())]
    picks = dict.fromkeys(line.pick or suite.reading.pick for line in readers)
    chosen = " and ".join(f"`pick: {pick}`" for pick in picks)
    held = "output holds" if several == 1 else "outputs hold"
    return [f"{several:,} {held} more than one JSON document; which of them counts is said by {chosen}"]


def _id_warnings(prepared: Prepared, measured: Sequence[tuple[str | None, Measured]]) -> list[Issue]:
    """Ids that are missing or stand in several rows. Variants have the ids of one test set."""
    table = prepared.variants()[0][1]
    return id_warnings(table, measured[0][1].ids[:MOST_IDS], prepared.test_set.name)


def rows_format(suite: Suite, request: RunRequest, size: int) -> RowsFormat:
    """How rows are stored."""
    asked = request.rows or suite.results.rows
    if asked != "auto":
        return asked
    return "parquet" if size >= PARQUET_FROM_BYTES and has_pyarrow() else "jsonl"


def _job(prepared: Prepared, table: TestSet, request: RunRequest, folder: Path | None, variant: str | None) -> Job:
    suite = prepared.suite
    size = sum(source.size for source in table.files)
    working = folder / f"parts{'' if variant is None else '-' + variant}" if folder is not None else None
    if working is not None:
        working.mkdir(parents=True, exist_ok=True)
    outputs = prepared.roles.get("output")
    return Job(
        suite=suite.shipped(),
        table=table,
        roles=prepared.roles,
        reading=suite.reading,
        folder=working,
        rows=rows_format(suite, request, size),
        slices=suite.config.slices,
        recording=_recording(prepared, request, table) if working is not None else Recording(),
        cluster=suite.cluster,
        watches=watches(suite.gates, suite.lines),
        joined=outputs if outputs is not None and joined_column(table, outputs) else None,
    )


def _recording(prepared: Prepared, request: RunRequest, table: TestSet) -> Recording:
    from evaluators.running.recording import recording_of

    return recording_of(prepared, request, table)


def _folder(suite: Suite, request: RunRequest, started: datetime) -> RunFolder | None:
    """The run folder; one that goes away with the run where only what is made from it is asked for; else none."""
    if request.results is not None:
        from evaluators.runs.store import RunFolder, default_name

        name = request.name or suite.results.name or default_name(started, suite.fingerprint)
        return RunFolder.create(request.results, name, request.force)
    listed = any(line.settings.lists_fields for line in suite.lines)
    if request.files or request.hardest or (request.summary and listed):
        from evaluators.runs.store import RunFolder

        return RunFolder.passing()
    return None


def _written(
    prepared: Prepared,
    request: RunRequest,
    folder: RunFolder | None,
    jobs: Sequence[Job],
    measured: Sequence[tuple[str | None, Measured]],
    result: RunResult,
) -> Finished:
    """The run folder and the further files, all made from what the run recorded."""
    from evaluators.reports.summary import Options

    wanted = prepared.suite.results
    options = Options(wanted.lowest_fields if request.lowest_fields is None else request.lowest_fields)
    if folder is None:
        return Finished(result, replace(options, extra=_without_record(request, result)), None, (), False)

    from evaluators.reports.writing import asked_files, folder_files
    from evaluators.running.ended import sections_of
    from evaluators.running.storing import stored

    record = stored(prepared, folder, jobs, measured, result, options.lowest_fields)
    options = replace(options, extra=sections_of(record, prepared.suite.lines, request.hardest))
    if request.results is not None:
        folder_files(folder, record, wanted.formats if request.formats is None else request.formats, options)
    files = asked_files(request.files, record, options)
    if request.results is None:
        return Finished(result, options, None, tuple(files), False)
    folder.finish(record.result)
    annotated = all(variant.every_cell for variant in record.facts.variants)
    return Finished(result, options, folder.path, tuple(files), annotated)


def _without_record(request: RunRequest, result: RunResult) -> tuple[Section, ...]:
    """A run that keeps nothing says what that costs, where there is something that it costs."""
    wrong = any(field.counts.mismatch for stats in result.evaluators for field in stats.fields)
    if not (request.summary and wrong):
        return ()
    from evaluators.reports.document import Paragraph, Section

    return (Section("Near misses", (Paragraph("They need the run folder, and this run keeps none.", "note"),)),)


def _trackers(suite: Suite, request: RunRequest) -> tuple[Chosen, ...]:
    if request.track is None and not suite.tracking:
        return ()
    from evaluators.running.tracking import trackers_of

    return trackers_of(suite, request)


def _tracked(finished: Finished, trackers: Sequence[Chosen]) -> Finished:
    """The run after its folder went to the trackers. One that fails is a cause of how the command ends; the folder stays."""
    if finished.folder is None or not trackers:
        return finished
    from evaluators.tracking.sending import send

    sent = send(finished.folder, trackers)
    pages = [
        file for file in (*finished.files, finished.folder / "report.html") if file.suffix == ".html" and file.is_file()
    ]
    if sent.links and pages:
        from evaluators.running.ended import pages_again
        from evaluators.runs.record import read_record

        pages_again(read_record(finished.folder), pages, finished.options)
    return replace(finished, result=afterwards(finished.result, sent.issues), sent=sent)


def _check_files(prepared: Prepared, request: RunRequest) -> None:
    """What is to be written must be possible. Raises Problems (config) with what is not."""
    issues: list[Issue] = []
    if request.formats is not None:
        from evaluators.reports.format import check_words

        issues += check_words(request.formats)
    if request.files:
        from evaluators.reports.writing import check_asked

        name = prepared.suite.config.source.name
        issues += check_asked(request.files, [Path(name), *(Path(source.path) for source in prepared.test_set.files)])
    words = prepared.suite.results.formats if request.formats is None else request.formats
    if not issues and (request.files or request.results is not None):
        from evaluators.reports.writing import check_outcomes

        by_schema = any(line.settings.lists_fields for line in prepared.suite.lines)
        issues += check_outcomes(by_schema, request.files, words if request.results is not None else ())
    if issues:
        raise Problems(issues)
    if rows_format(prepared.suite, request, 0) == "parquet" and request.results is not None:
        pyarrow()


def _engine(request: RunRequest) -> Engine:
    name = request.engine or ("in_process" if request.workers <= 1 else "processes")
    return ENGINES.find(name)(max(1, request.workers))


def _progress(request: RunRequest, prepared: Prepared, place: int, fingerprint: Beside[str]) -> Progress:
    """The request's progress as the variant in that place sees it.

    The fingerprint begins with the first rows of the last variant: then the last workers are up.
    """
    variants = max(1, len(prepared.test_set.variants))
    large = sum(source.size for source in prepared.test_set.files) >= HASHED_BESIDE

    def told(rows: int, share: float | None) -> None:
        if large and place == variants - 1:
            fingerprint.begin()
        request.progress(rows, None if share is None else (place + share) / variants)

    return told


def _environment(started: datetime, seconds: float, suite: Suite, request: RunRequest) -> RunEnvironment:
    return RunEnvironment(
        started=started.isoformat(timespec="seconds"),
        seconds=round(seconds, 3),
        workers=request.workers,
        host=platform.node(),
        python=sys.version.split()[0],
        command=request.command,
        folder=os.getcwd(),
        suite=os.path.abspath(suite.config.source.name) if Path(suite.config.source.name).is_file() else "",
    )


def _open_or_none(settings: Any) -> tuple[str, ...] | None:
    """None for an open tree and for a schema, whose fields are known only after the run; no fields otherwise."""
    return None if hasattr(settings, "tree") or settings.figure_names() else ()
