"""One split after the other, scored here or on a worker; and what a worker needs to have for it."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, Problems
from evaluators.runs.engines.engine import Stopped
from evaluators.runs.job import Job, ShippedSuite, run_split
from evaluators.runs.observer import Progress
from evaluators.runs.split_result import Part
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.testsets.reader import Split

if TYPE_CHECKING:
    from evaluators.runs.loaded_suite import LoadedSuite

Task: TypeAlias = tuple[Split, frozenset[str]]
"""One split to score, and the keys of what is recorded that earlier splits have filled."""
_VARIABLE: Final = late_pattern(r"\$\{(\w+)")


class SplitScoring:
    """Scores one split after the other. Here it tells of its progress; where it leaves this process it is `score_elsewhere`."""

    def __init__(self, job: Job, lines: Sequence[EvaluatorLine], progress: Progress) -> None:
        self._job, self._lines, self._progress = job, lines, progress
        self._reported = 0
        self._sizes: list[tuple[str, str, int]] | None = None

    def __call__(self, task: Task, stopped: Stopped) -> Part:
        """Scores a split in this process, and reports its rows as progress."""
        return run_split(self._job, *task, stopped, self._report_progress, self._lines)

    def __reduce__(self) -> tuple[Callable[..., Callable[[Task, Stopped], Part]], tuple[object, ...]]:
        """The pickled form for a worker: `score_elsewhere` with the job and the files of this machine as (path, name, bytes), by
        which the worker checks that it has them, too."""
        if self._sizes is None:
            files = self._job.table.files
            self._sizes = [
                (file.local, file.name, os.path.getsize(file.local)) for file in files if file.local is not None
            ]
        return partial, (score_elsewhere, self._job, self._sizes)

    def _report_progress(self, rows: int) -> None:
        """Reports the rows of a chunk as progress, and counts them, so that no row is reported twice."""
        self._reported += rows
        self._progress(rows, None)

    def unreported_rows(self, rows: int) -> int:
        """How many of the `rows` of a split that has ended were not reported as progress yet; those that were are forgotten here."""
        reported = min(rows, self._reported)
        self._reported -= reported
        return rows - reported


_ready: Final[set[str]] = set()
"""The runs that this process was found ready for."""


def score_elsewhere(job: Job, sizes: Sequence[tuple[str, str, int]], task: Task, stopped: Stopped) -> Part:
    """Scores a split on a worker. Before the first split of a run, it checks that the worker can read the suite and sees the files of rows;
    `sizes` has the path, the name for messages and the size of each. Raises Problems (environment) where the worker lacks what the run
    needs."""
    if job.suite.run_id not in _ready:
        if issues := [
            *_unfit_issues(job),
            *(_unseen_issue(name) for path, name, size in sizes if _file_size(path) != size),
        ]:
            raise Problems(issues)
        _ready.add(job.suite.run_id)
    if (file := job.asking) is None:
        return run_split(job, *task, stopped)
    # who asks costs something, also where nobody waits for the split any more: the file is there as long as the run
    return run_split(job, *task, lambda: stopped() or not os.path.exists(file))


def _unfit_issues(job: Job) -> Iterator[Issue]:
    """The issues that keep this process from taking part in a run."""
    where = f"the worker on {platform.node()}"
    if job.asking is not None and not os.path.exists(job.asking):
        message = f"{where} is another machine, and a suite that asks a judge is scored on one machine"
        hint = "--engine processes scores it where the command runs"
        yield Issue("worker-asks-alone", Blame.ENVIRONMENT, message, None, hint)
    try:
        job.suite.lines()
    except Problems as error:
        for issue in error.issues:
            message = f"{where} cannot read the suite: {issue.message}"
            yield replace(issue, code="worker-unfit", blame=Blame.ENVIRONMENT, message=message)


def _unseen_issue(name: str) -> Issue:
    """The issue (environment) of a file that the worker does not see as the driver does."""
    message = f"the worker on {platform.node()} does not see this file, or sees another one"
    hint = "put it where all workers see it under the same path, and run the command there"
    return Issue("unseen-file", Blame.ENVIRONMENT, message, name, hint)


def _file_size(path: str) -> int | None:
    """The bytes of a file; None where it is not there or cannot be seen."""
    try:
        return os.path.getsize(path)
    except OSError:
        return None


def sent_suite(suite: LoadedSuite) -> ShippedSuite:
    """The suite for workers that may be elsewhere, with a new id of the run, and with the variables that it takes from the environment, and
    no others. A suite that came with an environment of its own keeps that."""
    shipped = replace(suite.for_workers(), run_id=os.urandom(8).hex())
    if suite.environment is not None:
        return shipped
    texts = (
        [str(suite.given)] if suite.given is not None else [document.text for document in suite.config.source.documents]
    )
    names = {name for text in texts for name in _VARIABLE.findall(text)}
    return replace(shipped, environment={name: value for name, value in os.environ.items() if name in names})
