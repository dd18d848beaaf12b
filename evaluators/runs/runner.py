"""A run: every split scored, parts merged in the order of the file, sums made into one result.

Memory stays flat: a few splits are under way at a time, and what is kept of a split is its sums. When a run is stopped,
the rows from the first one up to the first unfinished split make a valid, shorter run that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from evaluators.engines.engine import Engine
from evaluators.issues import Blame, Issue
from evaluators.runs.job import Job, SliceKey, SplitResult, part_path, run_split
from evaluators.runs.result import EvaluatorStats
from evaluators.runs.rows import join_parts
from evaluators.runs.stats import evaluator_stats
from evaluators.runs.tally import Tally
from evaluators.suite.lines import EvaluatorLine
from evaluators.testsets.reader import Split


@dataclass(frozen=True, slots=True)
class Task:
    """One split to score. `full` are evidence keys that earlier splits have filled."""

    split: Split
    full: frozenset[str] = frozenset()


@dataclass(slots=True)
class Measured:
    """The merged sums of one test set, or of one variant of it."""

    tallies: list[Tally]
    rows: int = 0
    slices: dict[SliceKey, list[Tally]] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)
    issue_counts: dict[str, int] = field(default_factory=dict)
    parts: list[tuple[int, int]] = field(default_factory=list)
    """(split, number of its first row), in order."""
    finished: bool = True


def measure(
    job: Job,
    lines: Sequence[EvaluatorLine],
    engine: Engine,
    name: str,
    stopped: Callable[[], bool] = lambda: False,
    progress: Callable[[int], None] = lambda rows: None,
) -> Measured:
    """Score every row of the job's table. `name` is what places in messages call the test set."""
    splits = job.table.splits()
    results: dict[int, SplitResult] = {}
    full = _Full(job.most_evidence)

    def tasks() -> Iterator[Task]:
        for split in splits:
            if stopped():
                return
            yield Task(split, full.keys(results))

    for result in engine.map(_function(job, lines, engine, stopped, progress), tasks()):
        results[result.index] = result
        if not engine.shares_memory:
            progress(result.rows)
    return _merged(job, lines, splits, results, name)


def run_task(job: Job, task: Task) -> SplitResult:
    """What a worker process runs."""
    return run_split(job, task.split, task.full)


def store_parts(job: Job, measured: Measured, rows_file: Path, evidence_file: Path) -> None:
    """The rows and the evidence of all splits, each joined into one file."""
    if job.folder is None:
        return
    folder = job.folder
    join_parts(job.rows, [(part_path(folder, "rows", split), first) for split, first in measured.parts], rows_file)
    if job.evidence:
        parts = [(part_path(folder, "evidence", split), first) for split, first in measured.parts]
        _join_evidence(parts, evidence_file, job.most_evidence)
    for kind in ("rows", "evidence"):
        for path in folder.glob(f"{kind}-*.part"):
            path.unlink()


def figures(lines: Sequence[EvaluatorLine], measured: Measured, variant: str | None = None) -> list[EvaluatorStats]:
    """The statistics of every evaluator, in the order of the suite."""
    return [_stats(line, tally, variant) for line, tally in zip(lines, measured.tallies, strict=True)]


def slice_figures(lines: Sequence[EvaluatorLine], measured: Measured, variant: str | None = None) -> list[EvaluatorStats]:
    """The statistics of every evaluator in every slice, by column and then by value."""
    return [
        _stats(line, tally, variant, key)
        for key in sorted(measured.slices)
        for line, tally in zip(lines, measured.slices[key], strict=True)
    ]


def _stats(line: EvaluatorLine, tally: Tally, variant: str | None, key: SliceKey | None = None) -> EvaluatorStats:
    extra_counts = getattr(line.settings, "extra_fields", "penalize") == "penalize"
    names = line.settings.field_names()
    return evaluator_stats(line.name, line.type, names, tally, variant=variant, slice_=key, extra_counts=extra_counts)


class _Full:
    """Which evidence keys the splits from the first one on have filled, as far as they are finished without a gap."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._counts: dict[str, int] = {}
        self._next = 0

    def keys(self, results: Mapping[int, SplitResult]) -> frozenset[str]:
        while self._next in results:
            for key, count in results[self._next].evidence.items():
                self._counts[key] = self._counts.get(key, 0) + count
            self._next += 1
        if self._most is None:
            return frozenset()
        return frozenset(key for key, count in self._counts.items() if count >= self._most)


def _function(
    job: Job,
    lines: Sequence[EvaluatorLine],
    engine: Engine,
    stopped: Callable[[], bool],
    progress: Callable[[int], None],
) -> Callable[[Task], SplitResult]:
    if not engine.shares_memory:
        return partial(run_task, job)
    return lambda task: run_split(job, task.split, task.full, stopped, progress, lines)


def _merged(
    job: Job,
    lines: Sequence[EvaluatorLine],
    splits: Sequence[Split],
    results: Mapping[int, SplitResult],
    name: str,
) -> Measured:
    merged = Measured([Tally(len(line.settings.field_names())) for line in lines])
    number = job.table.first_number
    for split in splits:
        result = results.get(split.index)
        if result is None:
            merged.finished = False
            break
        _merge(merged, result, number, name)
        merged.parts.append((split.index, number))
        number += result.span
        if not result.finished:
            merged.finished = False
            break
    return merged


def _merge(merged: Measured, result: SplitResult, first: int, name: str) -> None:
    merged.rows += result.rows
    for mine, theirs in zip(merged.tallies, result.tallies, strict=True):
        mine.merge(theirs)
    for key, tallies in result.slices.items():
        if key not in merged.slices:
            merged.slices[key] = tallies
            continue
        for mine, theirs in zip(merged.slices[key], tallies, strict=True):
            mine.merge(theirs)
    for offset, issue in result.issues:
        kept = sum(one.code == issue.code for one in merged.issues)
        if kept < 5:
            merged.issues.append(_at_row(issue, name, first + offset))
    for code, count in result.issue_counts.items():
        merged.issue_counts[code] = merged.issue_counts.get(code, 0) + count


def _at_row(issue: Issue, name: str, number: int) -> Issue:
    place = f"{name} row {number}"
    return replace(issue, where=f"{place}, {issue.where}" if issue.where else place)


def _join_evidence(parts: Sequence[tuple[Path, int]], target: Path, most: int | None) -> None:
    """The recorded mismatches in the order of rows, those of at most so many rows under one key."""
    rows_under: dict[bytes, int] = {}
    with open(target, "wb") as whole:
        for path, first in parts:
            last: dict[bytes, bytes] = {}
            with open(path, "rb") as part:
                for line in part:
                    offset, key, rest = line.split(b"\t", 2)
                    if last.get(key) != offset:
                        last[key] = offset
                        rows_under[key] = rows_under.get(key, 0) + 1
                    if most is not None and rows_under[key] > most:
                        continue
                    number = first + int(offset)
                    if rest.startswith(b'"id":null'):
                        rest = b'"id":"%d"' % number + rest[len(b'"id":null') :]
                    whole.write(b'{"row":%d,%b' % (number, rest))


def coverage(
    lines: Sequence[EvaluatorLine],
    stats: Sequence[EvaluatorStats],
    places: Mapping[str, str],
    nearest: Callable[[str, str], str | None],
) -> list[Issue]:
    """Law 11: every evaluator and every listed field that measured no row, named, with the nearest existing path.

    `places` says where in the suite each evaluator stands; `nearest` finds an existing path for (evaluator, path).
    """
    found = []
    for line, one in zip(lines, stats, strict=True):
        where = places.get(line.name)
        if one.rows and one.scored - one.empty_expected == 0 and not (one.invalid or one.unjudged or one.bugs):
            found.append(_nothing_measured(line, one, where))
            continue
        optional = line.settings.optional_fields()
        for field_ in one.fields if line.settings.field_names() else ():
            counts = field_.counts
            if counts.measured or counts.fault or field_.path in optional or not one.scored:
                continue
            near = nearest(line.name, field_.path)
            hint = f'did you mean "{near}"?' if near else "optional: true says that a field may be absent everywhere"
            message = f'"{line.name}": the field "{field_.path}" was found in no row, so it measured nothing'
            found.append(Issue("field-measured-nothing", Blame.TESTSET, message, where, hint))
    return found


def _nothing_measured(line: EvaluatorLine, one: EvaluatorStats, where: str | None) -> Issue:
    why = (
        "every expected object is empty"
        if one.empty_expected
        else f"{one.skipped:,} rows were skipped and {one.not_measured:,} had nothing to measure"
    )
    message = f'"{line.name}" measured nothing: {why}'
    hint = "look at its `when` and `needs`" if one.skipped == one.rows else "look at its columns and paths"
    return Issue("evaluator-measured-nothing", Blame.TESTSET, message, where, hint)
