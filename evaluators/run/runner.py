"""A run: every split scored, results merged in the order of the file, and what splits have left joined.

Memory stays flat: a few splits are under way at a time, and what is kept of a split is its sums. When a run is stopped,
the rows from the first one up to the first unfinished split make a valid, shorter run that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from evaluators.issues import Issue, Problems
from evaluators.run.engines.engine import Crew, Lost
from evaluators.run.job import Job, remove_parts, run_split, without_cycle_search
from evaluators.run.merge import Merger
from evaluators.run.sent_parts import Sent, Task, received, run_and_send
from evaluators.run.split_result import SplitResult
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.testsets.reader import Split

if TYPE_CHECKING:
    from evaluators.run.kept_splits import KeptSplits


Progress: TypeAlias = Callable[[int, float | None], None]
"""Told of rows that were finished since the last time and, where it is known, which share of the input is finished."""


def measure(
    job: Job,
    lines: Sequence[EvaluatorLine],
    crew: Crew,
    name: str,
    stopped: Callable[[], bool] = lambda: False,
    progress: Progress = lambda rows, share: None,
    kept: Callable[[], KeptSplits] | None = None,
    counted: Callable[[int, int], None] | None = None,
) -> SplitResult:
    """Score every row of the job's table. `name` is what places in messages call the test set.

    `progress` is told of rows as they are finished and, after each split, which share of the table is finished. The finished
    splits among those that are `kept` are taken as they are. `counted` is told how many splits are finished, of how many.
    """
    splits = job.table.splits()
    if len(splits) == 1 and job.asking is None:
        job = replace(job, key="")  # scoring again costs no more than looking for what was kept
    before = kept() if kept is not None and job.key else None
    done = before.finished(splits) if before is not None else {}
    load = {index: partial(before.result, splits[index]) for index in done} if before is not None else {}
    merger = Merger(job, lines, name, kept=load)
    merger.take_kept()
    if done:
        progress(sum(done.values()), len(done) / len(splits))
    if job.key and counted is not None:
        counted(len(done), len(splits))

    def tasks() -> Iterator[Task]:
        for split in splits:
            if stopped() or merger.trouble is not None:
                return
            if split.index not in done:
                yield split, merger.full

    def here(task: Task) -> SplitResult:
        return run_split(job, *task, stopped, lambda rows: progress(rows, None), lines)

    with without_cycle_search():
        run: Callable[[Task], SplitResult | Sent] = here if crew.shares_memory else partial(run_and_send, job)
        finished = len(done)
        for found in crew.map(run, tasks(), stopped):
            if isinstance(found, Lost):
                if found.why is None:
                    merger.scored_again()
                    continue
                result = _given_up(job, found.task[0], found.why)
            else:
                result = found if isinstance(found, SplitResult) else received(job, found)
            merger.take(result)
            finished += result.finished
            progress(0 if crew.shares_memory else result.rows, finished / len(splits))
            if job.key and counted is not None:
                counted(finished, len(splits))
    return merger.measured(of=len(splits))


def _given_up(job: Job, split: Split, why: Issue) -> SplitResult:
    """What stands for a split whose workers were lost as often as it was tried."""
    remove_parts(job, split.index)
    return SplitResult(split.index, span=_span(job, split), finished=False, trouble=why)


def _span(job: Job, split: Split) -> int:
    """How many lines a split has, blank ones included; 0 where that is not to be had."""
    span = 0
    try:
        for chunk in job.table.read(split, ()):
            span = chunk.span
    except (OSError, Problems):
        return 0
    return span
