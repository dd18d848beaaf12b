"""Results in any order, merged in the order of splits as soon as there is no gap before them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from evaluators.issues import Issue
from evaluators.run.exact_sums import plus
from evaluators.run.ids import MOST_IDS, Ids
from evaluators.run.job import Job
from evaluators.run.split_result import FirstRows, Merged, SplitResult
from evaluators.suite.evaluator_line import EvaluatorLine


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
