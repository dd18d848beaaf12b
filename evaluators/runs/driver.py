"""The way from rows to figures: read, scored in splits, kept as columns in the order of the file, counted once at the end.

`score` runs it for every variant of a run, wherever the workers are. A split that is scored before an earlier one waits for it, so
that what is stored is always the run from its first row on: when a run is stopped, these rows make a valid, shorter run that says so,
and whoever resumes it begins at the next split. Gates and pages come after it, in `api/execute.py`.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.model.issues import Problems
from evaluators.runs.asking_run import asking
from evaluators.runs.commit import commit_of
from evaluators.runs.engines.engine import Crew, Lost
from evaluators.runs.exact_sums import plus
from evaluators.runs.figures import NO_FIGURES, Figures, Measured, figures_of
from evaluators.runs.job import Job, layout_of, without_cycle_search
from evaluators.runs.observer import Observer
from evaluators.runs.preparing import Prepared
from evaluators.runs.recorder import Recording
from evaluators.runs.result import Environment as RunEnvironment
from evaluators.runs.row_writer import RowWriter
from evaluators.runs.run_db import RunDb, damage_as_problem
from evaluators.runs.run_rows import RunRows
from evaluators.runs.split_result import Part, SplitResult
from evaluators.runs.split_scoring import SplitScoring, Task, sent_suite
from evaluators.runs.store import UNWRITTEN
from evaluators.runs.watch import Watch
from evaluators.scoring.judges.answer_lines import AskedTotals
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.values.addresses import with_shown_addresses
from evaluators.testsets.derived import is_joined

if TYPE_CHECKING:
    from evaluators.runs.loaded_suite import LoadedSuite

_NOTHING: Final = Recording(0, "none", small=0)


class VariantRun(Struct):
    """The run of one variant: its job, the writer of its splits, its columns and its results."""

    title: str
    """What places in messages call its rows."""
    job: Job
    lines: Sequence[EvaluatorLine]
    """The evaluators, compiled."""
    writer: RowWriter
    """Stores its splits."""
    name: str | None = None
    """The name of the variant; None where there are none."""
    sums: SplitResult = field(default_factory=SplitResult)
    """What no column of its rows holds; empty before they are scored."""
    figures: Figures = NO_FIGURES
    """What was counted from their columns."""
    taken_over: int = 0
    """How many splits were scored before, by a run that was ended."""
    scored_again: int = 0
    """How often a split was scored once more, because its worker was lost."""

    @property
    def rows(self) -> RunRows:
        """The rows that are stored."""
        return self.writer.rows


class ScoredRun(Struct, frozen=True):
    """A run whose rows are scored and counted; its gates are not checked yet, and nothing is written for readers."""

    variants: tuple[VariantRun, ...]
    seconds: float
    workers: int
    requests: int
    """How many were sent to whoever costs something."""

    @property
    def results(self) -> list[tuple[str | None, Measured]]:
        """The sums and the figures of each variant, with its name; the name is None where there are no variants."""
        return [(variant.name, Measured(variant.sums, variant.figures)) for variant in self.variants]

    @property
    def splits(self) -> int:
        """How many splits are stored, of all variants."""
        return sum(variant.writer.splits for variant in self.variants)

    @property
    def is_finished(self) -> bool:
        """Whether every row of every variant was scored."""
        return all(variant.sums.finished for variant in self.variants)


def score(prepared: Prepared, variants: Sequence[VariantRun], crew: Crew, observer: Observer) -> ScoredRun:
    """Scores every row of every variant once and counts the figures, which are set on the variants, as are their jobs. Splits that are
    stored already are taken as they are. `crew` are the workers, `observer` follows the run."""
    started_at, limit_seconds = time.monotonic(), prepared.suite.limits.run_seconds
    until = time.time() + limit_seconds if limit_seconds is not None else None
    suite = sent_suite(prepared.suite)
    with asking(prepared, observer) as session:
        file = str(session.file) if session is not None else None
        for place, variant in enumerate(variants):
            variant.job = replace(variant.job, suite=suite, asking=file, until=until)
            score_variant(variant, crew, observer.of_part(place, len(variants)))
        requests = session.progress().requests if session is not None else 0
    return ScoredRun(tuple(variants), round(time.monotonic() - started_at, 3), crew.parallel, requests)


def score_variant(variant: VariantRun, crew: Crew, observer: Observer) -> Measured:
    """Scores every row of one variant, stores its splits through its writer, and returns the sums and the counted figures."""
    splits, merger = variant.job.table.splits(), Merger(variant)
    variant.writer.expect(len(splits))
    scoring = SplitScoring(variant.job, variant.lines, observer.progress)
    finished = variant.writer.splits
    if finished:
        observer.progress(merger.total.rows, finished / len(splits))

    def tasks() -> Iterator[Task]:
        """The splits that are not stored yet, each with the keys of which enough is recorded. It ends early where the run is stopped or a
        split is lost."""
        for split in splits[variant.writer.splits :]:
            if observer.stopped() or merger.lost or not merger.total.finished:
                return
            yield split, merger.full_keys

    with without_cycle_search():
        for part in crew.map(scoring, tasks(), observer.stopped):
            if isinstance(part, Lost):
                merger.lose(part)
                continue
            merger.take(part)
            finished += part.sums.finished
            observer.progress(scoring.unreported_rows(part.sums.rows), finished / len(splits))
    return merger.count_figures(len(splits))


class Merger:
    """Takes splits, in any order, and stores them in that of the file."""

    def __init__(self, variant: VariantRun, first: int | None = None) -> None:
        """Makes the writer of the variant ready, and takes over the sums of the splits that it has stored; `taken_over` of the variant is
        set to their number. `first` is the number of the first row, None for the one that the table says."""
        self._variant, self._writer, self._rows = variant, variant.writer, variant.rows
        self._recording = variant.job.recording or _NOTHING
        self._waiting: dict[int, Part | Lost[Task]] = {}
        self.lost = False
        """A split is lost, and with it the rows from it on."""
        stored = self._writer.begin(variant.job.table.first_number if first is None else first)
        self.total = stored or SplitResult.of_no_rows(variant.lines)
        variant.taken_over = self._writer.splits

    @property
    def full_keys(self) -> frozenset[str]:
        """The keys of what is recorded under which the splits so far have recorded enough rows."""
        return self._recording.full_keys(self.total.recorded, self.total.rows)

    def take(self, part: Part) -> None:
        """Takes in one more split. Raises RuntimeError for one that is there already: its rows would count twice."""
        if part.sums.index in self._waiting or part.sums.index < self._writer.splits:
            raise RuntimeError(f"split {part.sums.index} arrived twice")
        self._store_in_order(part.sums.index, part)

    def lose(self, lost: Lost[Task]) -> None:
        """Takes in a split whose worker was lost. Where it is scored once more, it is only counted; where it is given up (`lost.why`
        says why), it ends the run."""
        if lost.why is None:
            self._variant.scored_again += 1
            return
        self.lost = True
        self._store_in_order(lost.task[0].index, lost)

    def _store_in_order(self, split: int, outcome: Part | Lost[Task]) -> None:
        """Stores a split, or a lost one, when all splits before it have come, and then those that were waiting for it. A lost split
        ends the run."""
        self._waiting[split] = outcome
        while self.total.finished and (following := self._waiting.pop(self._writer.splits, None)) is not None:
            if isinstance(following, Lost):
                self._end_at(following)
            else:
                self._store_split(following)

    def count_figures(self, splits: int) -> Measured:
        """Counts the figures from the columns of all stored splits, sets them on the variant and returns them. `splits` is how many
        the test set has: with fewer stored, the run is not finished."""
        self.total.finished = self.total.finished and self._writer.splits == splits
        variant, has_splits = self._variant, self._writer.splits > 0
        with damage_as_problem(self._rows.path if variant.taken_over else None):
            figures = figures_of(self._rows, variant.job, variant.lines, self.total, has_splits)
        variant.sums, variant.figures = self.total, figures
        return Measured(variant.sums, variant.figures)

    def _end_at(self, lost: Lost[Task]) -> None:
        """Ends the run at a lost split: the splits before it stay, and the trouble of the run names the rows of this one."""
        first, span, why = self._writer.next_row, 0, lost.why
        if why is not None and why.where is None:
            with suppress(OSError, Problems):  # a split that nobody can read is lost all the same
                for chunk in self._variant.job.table.read(lost.task[0], ()):
                    span = chunk.span
            rows = f"rows {first:,} to {first + span - 1:,}" if span else f"from row {first:,} on"
            why = replace(why, where=f"{self._variant.title} {rows}")
        self.total.finished, self.total.trouble = False, why

    def _store_split(self, part: Part) -> None:
        """Numbers and writes the split, and adds its sums to the total. Where the system does not take it, the total is not finished and
        has the issue; other Problems are raised."""
        part.sums.set_row_numbers(self._variant.title, self._writer.next_row)
        try:
            self._writer.add(part, self._recording, self.total.rows)
        except Problems as error:  # the splits before it are whole
            if error.issues[0].code != UNWRITTEN:
                raise
            self.total.finished = False
            self.total.trouble = error.issues[0]
            return
        self.total.join(part.sums)


def jobs_of(prepared: Prepared, recordings: Sequence[Recording] | None = None, repeat_judge: int = 1) -> tuple[Job, ...]:
    """The job of each variant, in the order of the variants. `recordings` say what is recorded of each of them, None that nothing is;
    `repeat_judge` is how often a judge is asked each question."""
    suite, roles = prepared.suite, prepared.roles
    outputs = roles.get("output")
    return tuple(
        Job(
            suite=suite.for_workers(),
            table=table,
            roles=roles,
            reading=suite.reading,
            slices=suite.config.slices,
            recording=recordings[place] if recordings is not None else None,
            cluster=suite.cluster_of(roles),
            confidence=suite.confidence.column,
            repeats=suite.repeats is not None,
            measures=suite.measures,
            watches=watches_of(suite),
            reasoning_length=suite.results.reasoning_length,
            repeat_judge=repeat_judge,
            joined=outputs if outputs is not None and is_joined(table.table, outputs) else None,
        )
        for place, (_, table) in enumerate(prepared.variants())
    )


def variants_of(prepared: Prepared, jobs: Sequence[Job], db: RunDb) -> list[VariantRun]:
    """The run of each variant, not begun yet, whose columns are in `db`."""
    variants, lines = [], prepared.suite.lines
    for place, (job, (name, _)) in enumerate(zip(jobs, prepared.variants(), strict=True)):
        title = prepared.test_set.name if name is None else f'{prepared.test_set.name} variant "{name}"'
        variants.append(VariantRun(title, job, lines, RowWriter(RunRows(db, place, layout_of(job, lines))), name))
    return variants


def memory_variant(title: str, job: Job, lines: Sequence[EvaluatorLine]) -> VariantRun:
    """The run of rows that a program gives: its columns stay in memory, and no file keeps them."""
    return VariantRun(title, job, lines, RowWriter(RunRows(RunDb(), 0, layout_of(job, lines))))


def watches_of(suite: LoadedSuite) -> dict[str, Watch]:
    """The metrics that the gates of a suite check, by evaluator: a run counts for them what each row adds."""
    if not suite.gates:
        return {}
    from evaluators.runs.watch import watches  # a suite without gates starts sooner

    return watches(suite.gates, suite.lines)


def environment_of(
    prepared: Prepared, run: ScoredRun, started: datetime, command: Sequence[str], kept: bool
) -> RunEnvironment:
    """The environment of the run: the machine, the times, the versions, and what was asked of judges. `command` are the words of the
    command line, whose addresses are shown without passwords. With `kept`, the run has a folder, and the environment says where its
    rows can be read again."""
    source, where = prepared.suite.config.source.name, ""
    totals: AskedTotals = reduce(
        plus, (variant.sums.asked for variant in run.variants), AskedTotals(requests=run.requests)
    )
    if kept:
        from evaluators.runs.cells_again import rows_place  # a run that keeps nothing does without it

        where = rows_place(prepared, prepared.selection)
    return RunEnvironment(
        started=started.isoformat(timespec="seconds"),
        seconds=run.seconds,
        workers=run.workers,
        host=platform.node(),
        python=sys.version.split()[0],
        command=tuple(map(with_shown_addresses, command)),
        folder=os.getcwd(),
        suite=os.path.abspath(source) if Path(source).is_file() else "",
        commit=commit_of(Path(source).parent if Path(source).is_file() else Path()),
        test_set=where,
        asked=totals if totals.questions else None,
        scored_again=sum(variant.scored_again for variant in run.variants),
    )
