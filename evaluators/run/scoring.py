"""A suite and a test set that fit together, scored: the jobs of a run, where they run, and what they measured."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from evaluators.issues import Issue
from evaluators.judges.answer_lines import AskedTotals
from evaluators.judges.session import AskingProgress
from evaluators.run.asking_run import asking
from evaluators.run.engines.engine import Crew, RemoteCrew
from evaluators.run.exact_sums import plus
from evaluators.run.job import Job
from evaluators.run.merge import Progress, mark, measure
from evaluators.run.preparing import Prepared
from evaluators.run.recorder import Recording
from evaluators.run.result import Environment as RunEnvironment
from evaluators.run.result import RunResult
from evaluators.run.rows import RowsFormat, has_pyarrow
from evaluators.run.split_result import SplitResult
from evaluators.run.unchanged import FileMark, FileMarks
from evaluators.run.watch import Watch
from evaluators.testsets.byte_store import inside
from evaluators.testsets.derived import joined_column
from evaluators.testsets.test_set import TestSet
from evaluators.values.addresses import with_shown_addresses

if TYPE_CHECKING:
    from evaluators.api.suite import Suite
    from evaluators.run.run_folder import RunFolder


PARQUET_FROM_BYTES: Final = 256 * 1024 * 1024
"""Rows are stored as Parquet from this size of input on, when pyarrow is there and nothing else is asked for. Below it, loading
pyarrow takes longer than it saves, and the cells that are kept take ten times the room of the rows."""
HASHED_BESIDE: Final = 8 * 1024 * 1024
"""From this size of input on, its fingerprint is worked out in a thread."""


FinishRun: TypeAlias = Callable[[Prepared, Sequence[tuple[str | None, SplitResult]], str, Sequence[Issue]], RunResult]
"""The result of what was measured, by variant, from the fingerprint of the data and what is said of files that changed meanwhile."""


class ScoredRun(Struct, frozen=True):
    """A run whose rows are scored and whose metrics are settled; nothing of it is written for readers yet."""

    jobs: tuple[Job, ...]
    measured: tuple[tuple[str | None, SplitResult], ...]
    """What was measured, by variant."""
    result: RunResult
    seconds: float
    workers: int
    requests: int
    """How many were sent to whoever costs something."""

    @property
    def splits(self) -> int:
        """How many parts were merged, of all variants."""
        return sum(len(each.merged) for _, each in self.measured)

    @property
    def finished(self) -> bool:
        """Every row was scored."""
        return all(each.finished for _, each in self.measured)


def jobs_of(
    prepared: Prepared,
    remote: bool = False,
    folder: RunFolder | None = None,
    recordings: Sequence[Recording] | None = None,
    repeat_judge: int = 1,
    parts: str | None = None,
) -> tuple[Job, ...]:
    """The job of each variant. Parts are left in `folder`, or at the place `parts` that workers on other machines reach, too; None keeps
    nothing of single rows. `recordings` say what is recorded of each variant."""
    suite = prepared.suite
    shipped = suite.shipped()
    if remote:
        from evaluators.run.engines.on_worker import sent_suite  # most runs have no cluster

        shipped = sent_suite(suite)
    outputs = prepared.roles.get("output")
    unfinished = folder.unfinished if folder is not None else None
    found = []
    for index, (name, table) in enumerate(prepared.variants()):
        working = folder.parts(name) if folder is not None else None
        elsewhere = inside(parts, working.name) if remote and parts is not None and working is not None else None
        found.append(
            Job(
                suite=shipped,
                table=table,
                roles=prepared.roles,
                reading=suite.reading,
                folder=elsewhere or (str(working) if working is not None else None),
                named=str(folder.path) if folder is not None else "",
                key=unfinished.identity.key if unfinished is not None and parts is None else "",
                rows=rows_format(suite, _size(table)),
                slices=suite.config.slices,
                recording=recordings[index] if recordings is not None and working is not None else Recording(),
                cluster=suite.cluster_of(prepared.roles),
                confidence=suite.confidence.column,
                repeats=suite.repeats is not None,
                measures=suite.measures,
                watches=watches_of(suite),
                reasoning_length=suite.results.reasoning_length,
                repeat_judge=repeat_judge,
                joined=outputs if outputs is not None and joined_column(table.table, outputs) else None,
            )
        )
    return tuple(found)


def scored(
    prepared: Prepared,
    jobs: Sequence[Job],
    crew: Crew,
    folder: RunFolder | None,
    fingerprint: InBackground[str],
    finish_run: FinishRun,
    stopped: Callable[[], bool] = lambda: False,
    progress: Progress = lambda rows, share: None,
    before_asking: Callable[[Prepared], None] | None = None,
    asked: Callable[[AskingProgress], None] | None = None,
) -> ScoredRun:
    """Every row scored once and counted. Finished splits that are in `folder` are taken as they are, and `finish_run` says what all of it
    comes to."""
    clock, most = time.monotonic(), prepared.suite.limits.run_seconds
    until = time.time() + most if most is not None else None
    files = FileMarks(prepared.test_set.files)
    with files.blamed(), asking(prepared, before_asking, asked) as session:
        asking_file = str(session.file) if session is not None else None
        jobs = tuple(replace(job, asking=asking_file, until=until) for job in jobs)
        if isinstance(crew, RemoteCrew):
            from evaluators.run.engines.on_worker import check_workers  # most runs have no cluster

            for job in jobs:
                mark(job)
            check_workers(crew, jobs)
        if folder is not None and _size(prepared.test_set) < HASHED_BESIDE:
            fingerprint.value()  # worked out before, whoever goes on with the run knows what its data was
        measured = []
        for index, (job, (name, _)) in enumerate(zip(jobs, prepared.variants(), strict=True)):
            told = _progress(progress, prepared, index, fingerprint)
            text = prepared.test_set.name if name is None else f'{prepared.test_set.name} variant "{name}"'
            states: tuple[tuple[FileMark, ...], ...] = ()
            counted = None
            if folder is not None and folder.unfinished is not None and job.key:
                states = tuple(state.get(name or "", ()) for state in folder.unfinished.files)
                counted = partial(_count, folder, name, fingerprint, files)
            measured.append((name, measure(job, prepared.suite.lines, crew, text, stopped, told, states, counted)))
        summed = fingerprint.value()
        requests = session.so_far().requests if session is not None else 0
    result = finish_run(prepared, measured, summed, files.changed())
    return ScoredRun(jobs, tuple(measured), result, round(time.monotonic() - clock, 3), crew.parallel, requests)


def _count(
    folder: RunFolder, variant: str | None, fingerprint: InBackground[str], files: FileMarks, finished: int, splits: int
) -> None:
    """Notes how far a variant is, and the fingerprint of the data as soon as it is known."""
    noted = folder.unfinished is not None and folder.unfinished.data_fingerprint is not None
    known = not noted and fingerprint.known and not files.changed()
    folder.count(variant, finished, splits, fingerprint.value() if known else None)


def rows_format(suite: Suite, size: int) -> RowsFormat:
    """How rows are stored."""
    asked = suite.results.rows
    if asked != "auto":
        return asked
    return "parquet" if size >= PARQUET_FROM_BYTES and has_pyarrow() else "jsonl"


def watches_of(suite: Suite) -> dict[str, Watch]:
    """The metrics that the gates of a suite check, by evaluator: a run counts for them what each row adds."""
    if not suite.gates:
        return {}
    from evaluators.run.watch import watches  # a suite without gates starts sooner

    return watches(suite.gates, suite.lines)


def _progress(progress: Progress, prepared: Prepared, index: int, fingerprint: InBackground[str]) -> Progress:
    """The progress of the run as the variant in that place sees it.

    The fingerprint begins with the first rows of the last variant: then the last workers are up.
    """
    variants = max(1, len(prepared.test_set.variants))
    large = _size(prepared.test_set) >= HASHED_BESIDE

    def told(rows: int, share: float | None) -> None:
        if large and index == variants - 1:
            fingerprint.begin()
        progress(rows, None if share is None else (index + share) / variants)

    return told


def _size(test_set: TestSet) -> int:
    return sum(source.size for source in test_set.files)


def environment_of(
    prepared: Prepared, run: ScoredRun, started: datetime, command: Sequence[str], kept: bool
) -> RunEnvironment:
    """Where and when the run was scored. `kept` says that there is a run folder, which says where its rows can be read again."""
    source, where = prepared.suite.config.source.name, ""
    asked: AskedTotals = reduce(plus, (each.asked for _, each in run.measured), AskedTotals(requests=run.requests))
    if kept:
        from evaluators.run.cells_again import place_of  # a run that keeps nothing does without it

        where = place_of(prepared, prepared.selection)
    return RunEnvironment(
        started=started.isoformat(timespec="seconds"),
        seconds=run.seconds,
        workers=run.workers,
        host=platform.node(),
        python=sys.version.split()[0],
        command=tuple(map(with_shown_addresses, command)),
        folder=os.getcwd(),
        suite=os.path.abspath(source) if Path(source).is_file() else "",
        test_set=where,
        asked=asked if asked.questions else None,
        scored_again=sum(each.scored_again for _, each in run.measured),
    )


Value = TypeVar("Value")


class InBackground(Generic[Value]):
    """A value, worked out once: beside the run when `begin` is called in time, else when it is asked for."""

    def __init__(self, work: Callable[[], Value]) -> None:
        self._work = work
        self._found: list[Value] = []
        self._error: list[BaseException] = []
        self._join: Callable[[], None] | None = None

    def begin(self) -> None:
        """Start now, unless it has begun. Not before the last worker process has been forked."""
        if self._join is not None:
            return
        from threading import Thread

        thread = Thread(target=self._run, daemon=True)
        thread.start()
        self._join = thread.join

    @property
    def known(self) -> bool:
        """Whether it is worked out."""
        return bool(self._found)

    def value(self) -> Value:
        """The value, waited for. Raises what working it out raised."""
        if self._join is None:
            self._run()
            self._join = lambda: None
        self._join()
        if self._error:
            raise self._error[0]
        return self._found[0]

    def _run(self) -> None:
        try:
            self._found.append(self._work())
        except BaseException as error:  # raised again where the value is asked for
            self._error.append(error)
