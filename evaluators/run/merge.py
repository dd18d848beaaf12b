"""A run: every split scored, wherever workers are, and results merged in the order of the file as soon as there is no gap before them.

Memory stays flat: a few splits are under way at a time, and what is kept of a split is its sums. When a run is stopped,
the rows from the first one up to the first unfinished split make a valid, shorter run that says so.

A split may be scored twice, even at the same time: by a worker that was given up, and by the one that took its place. So the file
of each attempt has a name of its own, and that of the attempt whose sums arrived is joined. A worker that does not see the
driver's folder writes on its own disk, and sends its file along with its sums, up to a size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias

from msgspec.structs import replace

from evaluators.issues import Blame, Issue, Problems
from evaluators.run.engines.engine import Crew, Lost, stop_question
from evaluators.run.exact_sums import plus
from evaluators.run.ids import MOST_IDS, Ids
from evaluators.run.job import Job, remove_parts, run_split, without_cycle_search
from evaluators.run.split_files import PART, finished_splits, part_name
from evaluators.run.split_result import FirstRows, Merged, SplitResult, opened, sealed
from evaluators.run.unchanged import FileMark
from evaluators.suite.graph import EvaluatorLine
from evaluators.testsets.byte_store import inside, scheme_of, store_of
from evaluators.testsets.reader import Split

MOST_SENT_MIB: Final = 64
"""The file of one split that comes to more than this is not sent back."""
_MARK: Final = f"seen-by-workers{PART}"
Task: TypeAlias = tuple[Split, frozenset[str]]
"""One split to score, and keys of what is recorded that earlier splits have filled."""
Sent: TypeAlias = tuple[bytes, bytes | None]
"""What a split came to, sealed, and its file where the worker does not see the driver's folder."""
Progress: TypeAlias = Callable[[int, float | None], None]
"""Told of rows that were finished since the last time and, where it is known, which share of the input is finished."""


class Merger:
    """The sums of all splits from the first one on, up to the first that is not there."""

    def __init__(
        self,
        job: Job,
        lines: Sequence[EvaluatorLine],
        name: str,
        first_number: int | None = None,
        kept: Mapping[int, Callable[[], SplitResult]] = MappingProxyType({}),
    ) -> None:
        """`name` is what places in messages call the test set, and `first_number` the number of its first row, where it is not that of
        the table. `kept` are splits that are finished."""
        self.name = name
        self.full: frozenset[str] = frozenset()
        """The keys of what is recorded that the merged splits have filled."""
        self.trouble: Issue | None = None
        """What kept a split from being measured."""
        self._recording = job.recording
        self._number = job.table.first_number if first_number is None else first_number
        self._total = SplitResult.of_no_rows(lines)
        self._total.job = job.key
        self._kept = kept
        self._waiting: dict[int, SplitResult] = {}

    def take(self, result: SplitResult) -> None:
        """One more result. A split that is there already is nobody's to give: its rows would count twice."""
        if result.index in self._waiting or result.index < len(self._total.merged):
            raise RuntimeError(f"the sums of split {result.index} arrived twice")
        self.trouble = self.trouble or result.trouble
        self._waiting[result.index] = result
        self.take_kept()

    def take_kept(self) -> None:
        """Merges what is there, up to the first split that is not: results that were waiting, and splits that were kept."""
        while self._total.finished and (following := self._following()) is not None:
            self._merge(following)

    def scored_again(self) -> None:
        """A split is scored once more, because its worker was lost."""
        self._total.scored_again += 1

    def measured(self, of: int) -> SplitResult:
        """What the splits from the first one on came to, up to the first that is missing or was stopped; `of` is how many there are."""
        self._total.finished = self._total.finished and len(self._total.merged) == of
        self._total.trouble = self.trouble
        return self._total

    def _following(self) -> SplitResult | None:
        index = len(self._total.merged)
        load = self._kept.get(index)
        if load is None:
            return self._waiting.pop(index, None)
        self._total.taken_over += 1
        return load()

    def _merge(self, result: SplitResult) -> None:
        total, first = self._total, self._number
        if result.trouble is not None:
            total.finished = False
            if result.trouble.where is None:
                rows = f"rows {first:,} to {first + result.span - 1:,}" if result.span else f"from row {first:,} on"
                self.trouble = replace(result.trouble, where=f"{self.name} {rows}")
            return
        total.merged.append(Merged(result.index, first, result.attempt))
        finished, self._number = result.finished, first + result.span
        if result.index:
            result.first_rows = FirstRows()
        result.index = 0
        if len(total.ids) >= MOST_IDS:
            result.ids = Ids()
        result.number(self.name, first)
        total.issues += result.issues
        result.issues = []
        plus(total, result)
        total.finished = finished
        self.full = self._recording.full_keys(total.recorded, total.rows)


class SplitScoring:
    """Scores one split after the other. Where it leaves this process it is `run_and_send`."""

    def __init__(self, job: Job, lines: Sequence[EvaluatorLine], progress: Progress) -> None:
        self._job = job
        self._lines = lines
        self._progress = progress

    def __call__(self, task: Task) -> SplitResult:
        return run_split(self._job, *task, stop_question(), lambda rows: self._progress(rows, None), self._lines)

    def __reduce__(self) -> tuple[Callable[..., Callable[[Task], Sent]], tuple[object, ...]]:
        return partial, (run_and_send, self._job)


def measure(
    job: Job,
    lines: Sequence[EvaluatorLine],
    crew: Crew,
    name: str,
    stopped: Callable[[], bool] = lambda: False,
    progress: Progress = lambda rows, share: None,
    states: Sequence[tuple[FileMark, ...]] = (),
    counted: Callable[[int, int], None] | None = None,
) -> SplitResult:
    """Score every row of the job's table. `name` is what places in messages call the test set.

    `progress` is told of rows as they are finished and, after each split, which share of the table is finished. Splits
    that were finished before, in one of these `states` of the files, are taken as they are. `counted` is told how many splits
    are finished, of how many.
    """
    splits = job.table.splits()
    if len(splits) == 1 and job.asking is None:
        job = replace(job, key="")  # scoring again costs no more than looking for what was kept
    done = finished_splits(job.folder, job.key, states, splits, lines) if job.folder is not None and job.key else {}
    merger = Merger(job, lines, name, kept={index: load for index, (_, load) in done.items()})
    merger.take_kept()
    if done:
        progress(sum(rows for rows, _ in done.values()), len(done) / len(splits))
    if job.key and counted is not None:
        counted(len(done), len(splits))

    def tasks() -> Iterator[Task]:
        for split in splits:
            if stopped() or merger.trouble is not None:
                return
            if split.index not in done:
                yield split, merger.full

    with without_cycle_search():
        finished = len(done)
        for found in crew.map(SplitScoring(job, lines, progress), tasks(), stopped):
            if isinstance(found, Lost):
                if found.why is None:
                    merger.scored_again()
                    continue
                split, _ = found.task
                remove_parts(job, split.index)
                result = SplitResult(split.index, span=_span(job, split), finished=False, trouble=found.why)
            else:
                result = found if isinstance(found, SplitResult) else received(job, found)
            merger.take(result)
            finished += result.finished
            progress(0 if found is result else result.rows, finished / len(splits))
            if job.key and counted is not None:
                counted(finished, len(splits))
    return merger.measured(of=len(splits))


def _span(job: Job, split: Split) -> int:
    """How many lines a split has, blank ones included; 0 where that is not to be had."""
    span = 0
    try:
        for chunk in job.table.read(split, ()):
            span = chunk.span
    except (OSError, Problems):
        return 0
    return span


def mark(job: Job) -> None:
    """Leaves a file in the folder of parts, by which workers know it."""
    if job.folder is not None and scheme_of(job.folder) is None:
        Path(job.folder, _MARK).write_text(job.suite.run_id, encoding="utf-8")


def run_and_send(job: Job, task: Task) -> Sent:
    """Scores a split on a worker. Its file is at its place afterwards, or in what is given back."""
    split, full = task
    if _sees(job):
        return sealed(run_split(job, split, full, stop_question())), None
    import tempfile  # brings much along, and most workers see the folder

    with tempfile.TemporaryDirectory(prefix="evaluators-parts-") as folder:
        result = run_split(replace(job, folder=folder), split, full, stop_question())
        file = Path(folder, part_name(result.index, result.attempt))
        if not file.exists():  # the worker's own disk is full
            return sealed(result), None
        mib = file.stat().st_size / 2**20
        if mib <= MOST_SENT_MIB:
            return sealed(result), file.read_bytes()
    return sealed(SplitResult(split.index, finished=False, trouble=_too_large(mib))), None


def received(job: Job, sent: Sent) -> SplitResult:
    """What a split came to; a file that came with it is at its place."""
    blob, file = sent
    result = opened(blob, SplitResult)
    if file is not None:
        place = inside(job.folder or "", part_name(result.index, result.attempt))
        store_of(place).put(place, file)
    return result


def _sees(job: Job) -> bool:
    """Whether this process writes where the driver reads. A folder of the same name on another machine is another folder: a worker
    of a cluster looks for the mark in it."""
    if job.folder is None or not job.suite.run_id or scheme_of(job.folder) is not None:
        return True
    try:
        return Path(job.folder, _MARK).read_text(encoding="utf-8") == job.suite.run_id
    except OSError:
        return False


def _too_large(mib: float) -> Issue:
    message = (
        f"the parts of a split come to {mib:,.0f} MiB, and a worker that does not see the run folder sends at most "
        f"{MOST_SENT_MIB} MiB back"
    )
    hint = "--results names a folder that all workers see under the same path"
    return Issue("parts-too-large", Blame.ENVIRONMENT, message, None, hint)
