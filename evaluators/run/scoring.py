"""A suite and a test set that fit together, scored: the jobs of a run, where they run, and what they measured."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evaluators.judges.answer_lines import AskedTotals
from evaluators.run.asking_run import asking
from evaluators.run.conclude import conclude
from evaluators.run.engines.engine import Crew
from evaluators.run.exact_sums import plus
from evaluators.run.in_background import InBackground
from evaluators.run.job import Job, ShippedSuite
from evaluators.run.loaded import LoadedSuite
from evaluators.run.preparing import Prepared, Progress, RunRequest
from evaluators.run.recorder import Recording
from evaluators.run.recording import Needed, recording_of
from evaluators.run.result import Environment as RunEnvironment
from evaluators.run.result import RunResult
from evaluators.run.rows import RowsFormat, has_pyarrow
from evaluators.run.runner import measure
from evaluators.run.split_result import SplitResult
from evaluators.run.unchanged import FileMarks
from evaluators.run.watch import Watch
from evaluators.testsets.byte_store import inside
from evaluators.testsets.derived import joined_column
from evaluators.testsets.test_set import TestSet
from evaluators.value_class import dataclass, replace
from evaluators.values.addresses import with_shown_addresses

if TYPE_CHECKING:
    from evaluators.run.store import RunFolder

PARQUET_FROM_BYTES: Final = 256 * 1024 * 1024
"""Rows are stored as Parquet from this size of input on, when pyarrow is there and nothing else is asked for. Below it, loading
pyarrow takes longer than it saves, and the cells that are kept take ten times the room of the rows."""
HASHED_BESIDE: Final = 8 * 1024 * 1024
"""From this size of input on, its fingerprint is worked out in a thread."""


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A run whose rows are scored and whose figures are settled; nothing of it is written for readers yet."""

    jobs: tuple[Job, ...]
    measured: tuple[tuple[str | None, SplitResult], ...]
    """What was measured, by variant."""
    result: RunResult

    @property
    def splits(self) -> int:
        """How many parts were merged, of all variants."""
        return sum(len(each.merged) for _, each in self.measured)

    @property
    def finished(self) -> bool:
        """Every row was scored."""
        return all(each.finished for _, each in self.measured)


def scored(
    prepared: Prepared,
    request: RunRequest,
    crew: Crew,
    folder: RunFolder | None,
    recordings: Sequence[Recording] | None,
    started: datetime,
    fingerprint: InBackground[str],
) -> ScoredRun:
    """Every row scored once and counted. Parts are left in `folder`, and finished ones that are there are taken as they are;
    None keeps nothing of single rows. `recordings` say what is recorded of each variant."""
    clock, most = time.monotonic(), prepared.suite.limits.run_seconds
    until = time.time() + most if most is not None else None
    recordings = recordings or [Recording()] * len(prepared.variants())
    files = FileMarks(prepared.test_set.files)
    suite = _sent(prepared.suite) if crew.remote else prepared.suite.shipped()
    with files.blamed(), asking(prepared, request) as session:
        jobs = tuple(
            replace(
                _job(prepared, table, request, folder, name, recording, suite, crew.remote),
                asking=session.file,
                until=until,
            )
            for (name, table), recording in zip(prepared.variants(), recordings, strict=True)
        )
        if crew.remote:
            _prepare_workers(crew, jobs)  # the marks that it leaves are removed with the parts, however the run ends
        if folder is not None and _size(prepared.test_set) < HASHED_BESIDE:
            fingerprint.value()  # worked out before, whoever goes on with the run knows what its data was
        measured = tuple(
            (name, _measured(prepared, request, crew, folder, job, place, fingerprint, files))
            for place, (job, (name, _)) in enumerate(zip(jobs, prepared.variants(), strict=True))
        )
        if crew.remote:
            _dismiss_workers(jobs)
        summed = fingerprint.value()
    result = conclude(prepared, request, measured, summed, files.changed())
    environment = replace(
        _environment(started, time.monotonic() - clock, prepared.suite, request),
        workers=crew.parallel,
        test_set=_place(prepared, request),
        asked=_asked(measured, session.requests),
        scored_again=sum(each.scored_again for _, each in measured),
    )
    return ScoredRun(jobs, measured, replace(result, environment=environment))


def _sent(suite: LoadedSuite) -> ShippedSuite:
    from evaluators.run.roll_call import sent_suite  # most runs have no cluster

    return sent_suite(suite)


def _prepare_workers(crew: Crew, jobs: Sequence[Job]) -> None:
    """Raises Problems when a worker of a cluster cannot do what the run needs."""
    from evaluators.run.roll_call import roll_call  # most runs have no cluster
    from evaluators.run.sent_parts import mark

    for job in jobs:
        mark(job)
    roll_call(crew, jobs)


def _dismiss_workers(jobs: Sequence[Job]) -> None:
    from evaluators.run.sent_parts import clear_mark

    for job in jobs:
        clear_mark(job)


def recordings_of(prepared: Prepared, request: RunRequest, needed: Needed) -> tuple[Recording, ...]:
    """What is recorded of the rows of each variant."""
    return tuple(recording_of(prepared, request, table, needed) for _, table in prepared.variants())


def _measured(
    prepared: Prepared,
    request: RunRequest,
    crew: Crew,
    folder: RunFolder | None,
    job: Job,
    place: int,
    fingerprint: InBackground[str],
    files: FileMarks,
) -> SplitResult:
    """What the variant in that place measured."""
    variant, _ = prepared.variants()[place]
    lines, said = prepared.suite.lines, _said(prepared.test_set, variant)
    progress = _progress(request, prepared, place, fingerprint)
    if folder is None or not job.kept:
        return measure(job, lines, crew, said, request.stopped, progress)
    working = folder.folder

    def counted(finished: int, splits: int) -> None:
        noted = working.unfinished is not None and working.unfinished.data_fingerprint is not None
        known = not noted and fingerprint.known and not files.changed()
        working.count(variant, finished, splits, fingerprint.value() if known else None)

    return measure(
        job, lines, crew, said, request.stopped, progress, lambda: working.kept(job.key, variant, lines), counted
    )


def _asked(measured: Sequence[tuple[str | None, SplitResult]], requests: int) -> AskedTotals | None:
    """How much was asked of whoever costs something; None where nothing was."""
    found: AskedTotals = reduce(plus, (each.asked for _, each in measured), AskedTotals(requests=requests))
    return found if found.questions else None


def _said(test_set: TestSet, variant: str | None) -> str:
    """What the place of a row is called in messages."""
    return test_set.name if variant is None else f'{test_set.name} variant "{variant}"'


def rows_format(suite: LoadedSuite, request: RunRequest, size: int) -> RowsFormat:
    """How rows are stored."""
    asked = request.rows or suite.results.rows
    if asked != "auto":
        return asked
    return "parquet" if size >= PARQUET_FROM_BYTES and has_pyarrow() else "jsonl"


def _job(
    prepared: Prepared,
    table: TestSet,
    request: RunRequest,
    folder: RunFolder | None,
    variant: str | None,
    recording: Recording,
    shipped: ShippedSuite,
    remote: bool,
) -> Job:
    suite = prepared.suite
    size = _size(table)
    working = _parts(request if remote else None, folder, variant) if folder is not None else None
    outputs = prepared.roles.get("output")
    unfinished = folder.folder.unfinished if folder is not None else None
    kept = unfinished is not None and request.parts is None
    return Job(
        suite=shipped,
        table=table,
        roles=prepared.roles,
        reading=suite.reading,
        folder=working,
        named=str(folder.path) if folder is not None else "",
        kept=kept,
        key=unfinished.identity.key if unfinished is not None else "",
        rows=rows_format(suite, request, size),
        slices=suite.config.slices,
        recording=recording if working is not None else Recording(),
        cluster=suite.cluster,
        measures=suite.measures,
        watches=watches_of(suite),
        reasoning_length=suite.results.reasoning_length,
        repeat_judge=request.repeat_judge,
        joined=outputs if outputs is not None and joined_column(table.table, outputs) else None,
    )


def _parts(request: RunRequest | None, folder: RunFolder, variant: str | None) -> str:
    """The place for what splits leave: in the run folder, or in a store that workers on other machines reach, too."""
    working = folder.folder.parts(variant)
    if request is not None and request.parts is not None:
        return inside(request.parts, working.name)
    return str(working)


def watches_of(suite: LoadedSuite) -> dict[str, Watch]:
    """The further sums that the gates of a suite ask for."""
    if not suite.gates:
        return {}
    from evaluators.run.watch import watches  # a suite without gates starts sooner

    return watches(suite.gates, suite.lines)


def _progress(request: RunRequest, prepared: Prepared, place: int, fingerprint: InBackground[str]) -> Progress:
    """The request's progress as the variant in that place sees it.

    The fingerprint begins with the first rows of the last variant: then the last workers are up.
    """
    variants = max(1, len(prepared.test_set.variants))
    large = _size(prepared.test_set) >= HASHED_BESIDE

    def told(rows: int, share: float | None) -> None:
        if large and place == variants - 1:
            fingerprint.begin()
        request.progress(rows, None if share is None else (place + share) / variants)

    return told


def _size(test_set: TestSet) -> int:
    return sum(source.size for source in test_set.files)


def _environment(started: datetime, seconds: float, suite: LoadedSuite, request: RunRequest) -> RunEnvironment:
    return RunEnvironment(
        started=started.isoformat(timespec="seconds"),
        seconds=round(seconds, 3),
        workers=1,
        host=platform.node(),
        python=sys.version.split()[0],
        command=tuple(map(with_shown_addresses, request.command)),
        folder=os.getcwd(),
        suite=os.path.abspath(suite.config.source.name) if Path(suite.config.source.name).is_file() else "",
    )


def _place(prepared: Prepared, request: RunRequest) -> str:
    """Where the rows can be read again, for a run that is kept."""
    if request.results is None:
        return ""
    from evaluators.run.cells_again import place_of  # a run that keeps nothing does without it

    return place_of(prepared, request.selection)
