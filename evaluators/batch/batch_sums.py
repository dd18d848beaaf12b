"""From the sums of batches to the result of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct

from evaluators.api.loading import again
from evaluators.batch.batch_plan import SUMS, BatchPlan
from evaluators.batch.sums_of_batch import WHOLE, Range, SumsOfBatch, read_sums
from evaluators.issues import Blame, Issue, Problems
from evaluators.model import __version__
from evaluators.run.conclude import conclude
from evaluators.run.merge import Merger
from evaluators.run.preparing import Prepared
from evaluators.run.result import RunResult
from evaluators.run.split_result import SplitResult


class BatchSums(Struct, frozen=True):
    """What batches came to together."""

    rows: int
    """The rows of all of them."""
    measured: SplitResult
    fingerprint: str
    """A checksum of the rows: the same in whatever order and in whatever batches they came."""


def merge(plan: BatchPlan, batches: Iterable[Any]) -> BatchSums:
    """What all batches came to, however many there are and in whatever order they come.

    A batch is what `evaluate_batch` gave: an Arrow batch or table, a data frame of pandas, or the bytes in the column
    `evaluators.sums` alone. Batches whose rows have no numbers count as lying one after the other, as they are given.

    Raises Problems (environment) for a row that two batches have, and for batches of another suite or another version.
    """
    parts = [_read(plan, sums) for batch in batches for sums in _sums_in(batch)]
    if plan.row is not None:
        parts.sort(key=lambda part: part.rows)
        _check_once(plan, sorted(found for part in parts for found in part.rows))
        firsts = [part.first for part in parts]
    else:
        firsts = _one_after_the_other([part.result.rows for part in parts])
    lines = plan.job.suite.lines()
    merger = Merger(plan.job, lines, plan.name, first_number=firsts[0] if firsts else 1)
    spans = [*(after - before for before, after in pairwise(firsts)), 0]
    for index, (part, span) in enumerate(zip(parts, spans, strict=False)):
        part.result.index, part.result.span = index, span
        merger.take(part.result)
    digest = sum(part.digest for part in parts) % WHOLE
    measured = merger.measured(of=len(parts))
    return BatchSums(measured.rows, measured, f"rows:{digest:032x}")


def finish(plan: BatchPlan, sums: BatchSums, *, rows: int | None = None) -> RunResult:
    """The figures, gates, problems and exit code: those of `evaluators run` over the same rows.

    `rows` is how many rows there are, where that is known. Raises Problems (environment) when another number was scored.
    """
    if rows is not None and rows != sums.rows:
        message = f"{rows:,} rows were to be scored, and {sums.rows:,} were"
        raise Problems([Issue("rows-lost", Blame.ENVIRONMENT, message, plan.name, "give every batch to `merge`, once")])
    prepared = Prepared(again(plan.job.suite), plan.table, dict(plan.job.roles))
    return conclude(prepared, [(None, sums.measured)], sums.fingerprint)


def _sums_in(batch: Any) -> Iterator[bytes]:
    """The sums in what `evaluate_batch` gave."""
    if isinstance(batch, bytes | bytearray | memoryview):
        yield bytes(batch)
        return
    column = batch.column(SUMS).to_pylist() if hasattr(batch, "column_names") or hasattr(batch, "schema") else batch[SUMS]
    yield from (bytes(cell) for cell in column if isinstance(cell, bytes | bytearray | memoryview))


def _read(plan: BatchPlan, sums: bytes) -> SumsOfBatch:
    found = read_sums(sums, plan.job.suite.lines())
    if found is None or found.version != __version__:
        said = "is none that this version of evaluators wrote" if found is None else f"is of version {found.version}"
        hint = f"score and merge with one version; this is {__version__}"
        raise Problems([Issue("foreign-sums", Blame.ENVIRONMENT, f'what is in "{SUMS}" {said}', plan.name, hint)])
    if (found.suite_fingerprint, found.numbered) != (plan.suite_fingerprint, plan.row is not None):
        hint = "merge with the plan that the batches were scored with"
        message = "a batch was scored with another plan"
        raise Problems([Issue("foreign-sums", Blame.ENVIRONMENT, message, plan.name, hint)])
    return found


def _check_once(plan: BatchPlan, ranges: Sequence[Range]) -> None:
    """Raises Problems when two batches have the same row."""
    for (_, last), (first, _) in pairwise(ranges):
        if first <= last:
            message = f"row {first:,} was scored twice"
            hint = f'give every batch once; the numbers in the column "{plan.row}" must differ'
            raise Problems([Issue("row-twice", Blame.ENVIRONMENT, message, plan.name, hint)])


def _one_after_the_other(counts: Sequence[int]) -> list[int]:
    firsts, number = [], 1
    for count in counts:
        firsts.append(number)
        number += count
    return firsts
