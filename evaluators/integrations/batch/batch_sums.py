"""What batches came to: each the columns of its rows, as a split of a run; merged, the figures of a run made of all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import accumulate, pairwise
from typing import Any, Final, NamedTuple

from evaluators.api.loading import load_shipped
from evaluators.integrations.batch.batch_blob import Batch, batch_of
from evaluators.integrations.batch.batch_plan import SUMS, BatchPlan
from evaluators.model.issues import Blame, Issue, Problems
from evaluators.model.rows import __version__
from evaluators.reports.conclusions import finish_run
from evaluators.runs.driver import Merger, memory_variant
from evaluators.runs.figures import Measured
from evaluators.runs.job import layout_of
from evaluators.runs.preparing import Prepared
from evaluators.runs.result import RunResult
from evaluators.scoring.needs import Cell
from evaluators.testsets.memory_rows import row_bytes

WHOLE: Final = 2**128

Range = tuple[int, int]
"""Numbers from the first to the last, both included."""


def ranges_of(numbers: Iterable[int]) -> list[Range]:
    """Ascending numbers as ranges. A number that comes again begins another range."""
    ranges: list[Range] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return ranges


def digest_of_rows(columns: Mapping[str, Sequence[Cell]], count: int) -> int:
    """A checksum of rows that is the same in whatever order they come: the sum of one for each row, below 2^128."""
    cells = zip(*columns.values(), strict=True) if columns else [()] * count
    return sum(int.from_bytes(blake2b(row_bytes(row), digest_size=16).digest(), "big") for row in cells) % WHOLE


class Merged(NamedTuple):
    """The merged results of all batches."""

    measured: Measured
    digest: int
    """A checksum of their rows, in whatever order they come."""


def merge(plan: BatchPlan, batches: Iterable[Any]) -> Merged:
    """The merged results of all batches, in whatever order they come.

    A batch is what `evaluate_batch` gave: an Arrow batch or table, a data frame of pandas, or the bytes in the column
    `evaluators.sums` alone. Batches whose rows have no numbers count as lying one after the other, as they are given.

    Raises Problems (environment) for a row that two batches have, and for batches of another suite or another version.
    """
    scored = [_unpack_batch(plan, sums) for batch in batches for sums in _sums_in(batch)]
    if plan.row is not None:
        scored.sort(key=lambda batch: batch.rows.numbers)
        _check_no_overlap(plan, sorted(numbers for batch in scored for numbers in batch.rows.numbers))
        firsts = [batch.rows.numbers[0][0] for batch in scored]
    else:
        firsts = list(accumulate((batch.part.sums.rows for batch in scored), initial=1))[:-1]
    run = memory_variant(plan.table.name, plan.job, plan.job.suite.lines())
    merger = Merger(run, first=firsts[0] if firsts else 1)
    spans = [*(after - before for before, after in pairwise(firsts)), 0]
    for index, (batch, span) in enumerate(zip(scored, spans, strict=False)):
        batch.part.sums.index, batch.part.sums.span = index, span
        merger.take(batch.part)
    return Merged(merger.count_figures(len(scored)), sum(batch.rows.digest for batch in scored) % WHOLE)


def finish(plan: BatchPlan, merged: Merged, *, rows: int | None = None) -> RunResult:
    """The metrics, gates, problems and exit code: those of `evaluators run` over the same rows.

    `rows` is how many rows there are, where that is known. Raises Problems (environment) when another number was scored.
    """
    sums = merged.measured.sums
    if rows is not None and rows != sums.rows:
        message = f"{rows:,} rows were to be scored, and {sums.rows:,} were"
        raise Problems(
            [Issue("rows-lost", Blame.ENVIRONMENT, message, plan.table.name, "give every batch to `merge`, once")]
        )
    prepared = Prepared(load_shipped(plan.job.suite), plan.table, dict(plan.job.roles))
    return finish_run(prepared, [(None, merged.measured)], f"rows:{merged.digest:032x}")


def _sums_in(batch: Any) -> Iterator[bytes]:
    """The packed sums in what `evaluate_batch` gave: bytes alone, or the cells of the column of sums that are not empty."""
    if isinstance(batch, bytes | bytearray | memoryview):
        yield bytes(batch)
        return
    column = batch.column(SUMS).to_pylist() if hasattr(batch, "schema") else batch[SUMS]
    yield from (bytes(cell) for cell in column if isinstance(cell, bytes | bytearray | memoryview))


def _unpack_batch(plan: BatchPlan, sums: bytes) -> Batch:
    """The result of a batch, unpacked. Raises Problems for bytes that this version did not write, or that another plan has made."""
    try:
        batch = batch_of(sums)
        lines, of = plan.job.suite.lines(), batch.rows
        batch.part.check(layout_of(plan.job, lines), lines)
        whole = bool(of.numbers) and sum(last - first + 1 for first, last in of.numbers) == batch.part.sums.rows
        version = of.plan.partition(" ")[0]
    except (ValueError, RecursionError):
        whole, version = False, ""
    if not whole or version != __version__:
        text = f"is of version {version}" if whole else "is none that this version of evaluators wrote"
        hint = f"score and merge with one version; this is {__version__}"
        raise Problems([Issue("foreign-sums", Blame.ENVIRONMENT, f'what is in "{SUMS}" {text}', plan.table.name, hint)])
    if of.plan != plan.key:
        hint = "merge with the plan that the batches were scored with"
        message = "a batch was scored with another plan"
        raise Problems([Issue("foreign-sums", Blame.ENVIRONMENT, message, plan.table.name, hint)])
    return batch


def _check_no_overlap(plan: BatchPlan, ranges: Sequence[Range]) -> None:
    """Raises Problems when two batches have the same row. `ranges` are the row numbers of all batches, in ascending order."""
    for (_, last), (first, _) in pairwise(ranges):
        if first <= last:
            message = f"row {first:,} was scored twice"
            hint = f'give every batch once; the numbers in the column "{plan.row}" must differ'
            raise Problems([Issue("row-twice", Blame.ENVIRONMENT, message, plan.table.name, hint)])
