"""Rows that a schema scored together: one walk through their documents, and what it says of each of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from evaluators.model.issues import Issue, RowProblem
from evaluators.model.rows import Outcome, Reason, Result, RowStatus
from evaluators.scoring.comparators._comparator import cached, value_key
from evaluators.scoring.fields.empty_values import EmptyValues, of_columns
from evaluators.scoring.fields.events import RowMetrics, events_of, row_metrics
from evaluators.scoring.fields.explained import scored, too_deep, wrong_results
from evaluators.scoring.fields.frame import of_rows
from evaluators.scoring.fields.pair import CROWDED
from evaluators.scoring.fields.path_check import ScoredRows
from evaluators.scoring.fields.post_process import ships
from evaluators.scoring.fields.schema_scoring import SCORES, SchemaScoring
from evaluators.scoring.fields.scored import Documents, ListOutcome, Scored
from evaluators.scoring.fields.settle import WEIGHTLESS, WRONG, of_fields
from evaluators.scoring.fields.walk import Lacking, Walk
from evaluators.scoring.fields.walk_findings import WalkedLists


class SchemaRows(ScoredRows):
    """Rows that one schema scored. An output that is not there is MISSING."""

    def __init__(
        self,
        scoring: SchemaScoring,
        expected: Sequence[Any],
        outputs: Sequence[Any],
        lacking: Lacking | None = None,
        cells: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Walks through the documents; `cells` are those with right answers, by row. Raises RecursionError where the documents of
        several rows are nested too deeply for one of them."""
        self.scoring = scoring
        if scoring.reshapings.each:
            expected, outputs = self.reshaped(scoring.reshapings, expected, outputs)
        if scoring.keys is not None:
            outputs = self.with_known_keys(scoring.keys, scoring.known_keys, expected, outputs)
        self._sides = (expected, outputs, cells) if cells else (expected, outputs)
        self.frames = of_rows(expected, outputs)
        self._scored: dict[int, Scored] = {}
        self.verdicts: Sequence[Result] = ()
        """Those of the rows, where they were counted."""
        self.walk: Walk | None = None
        """None where the documents of the one row are nested too deeply."""
        try:
            self.walk = Walk(len(expected), lacking, cells=cells, absent=scoring.absent).go(scoring.root, self.frames)
        except RecursionError:
            self.release()
            if len(expected) > 1:
                raise
        except BaseException:
            self.release()
            raise

    @property
    def pairs_by_asking(self) -> bool:
        return self.scoring.pairs_by_asking

    def lists(self) -> Sequence[WalkedLists]:
        if self.walk is None:
            return ()
        skipped = ((node, frame) for node, frame in self.walk.skipped if node.kind == "array")
        return [*self.walk.lists, *(WalkedLists(node, frame, frame, None, [], False) for node, frame in skipped)]

    def empty_values(self, rows: Collection[int], absent: Sequence[Any]) -> EmptyValues:
        if self.walk is None:
            return EmptyValues()
        every = range(len(self))
        return of_columns(self.walk.columns, [(name, every) for name in self.scoring.in_every_row], rows, absent)

    def settle(self) -> None:
        if self.walk is not None:
            self.walk.values.settle()

    def __len__(self) -> int:
        return len(self._sides[0])

    def scored(self, at: int) -> Scored:
        """All results of a row."""
        found = self._scored.get(at)
        if found is None:
            if all(map(ships, self.scoring.processors)):
                found = self._made(at)
            else:  # a post-processor may say otherwise the next time
                key = ("scored", id(self.scoring), *(value_key(side[at]) for side in self._sides))
                found = cached(key, lambda: self._made(at), self.scoring)
            self._scored[at] = found
        return found

    def _made(self, at: int) -> Scored:
        if self.walk is None:
            return Scored((), problem=too_deep())
        return self._with_surplus(scored(self.walk, at, self.scoring.processors))

    def _with_surplus(self, found: Scored) -> Scored:
        if not self.scoring.surplus_counts:
            return found
        return replace(found, arrays=tuple(replace(array, extra_items=True) for array in found.arrays))

    def documents(self, at: int, wrong_only: bool = False) -> Documents:
        if wrong_only and self.walk is not None and not self.scoring.by_results and at not in self._scored:
            found = self._with_surplus(scored(self.walk, at, wrong_only=True))
        else:
            found = self.scored(at)
        if self.respelt:
            shown = self.respelt[at].shown
            found = replace(found, fields=tuple(shown(found.fields)), arrays=tuple(shown(found.arrays)))
        return Documents(self.scoring.root, found)

    def wrong(self, at: int, wanted: Collection[str], listed: Collection[str]) -> list[Outcome]:
        if not self.scoring.by_results:
            return wrong_results(self.walk, at, wanted, listed) if self.walk is not None else []
        found = [each for each in self.scored(at).fields if each.status in WRONG]
        return [each for each in found if (each.field if each.field in listed else "") in wanted]

    def reason(self, at: int, unreadable: Issue | None = None) -> Reason:
        """`details` has the other metrics and the arrays."""
        found = self.scored(at)
        if unreadable is not None and found.problem is None:
            return Reason(unreadable.message, fields=found.fields)
        if self.verdicts:
            verdict = self.verdicts[at]
        else:
            verdict = verdict_of(row_metrics(events_of(found), self.scoring.required), self.scoring, found.problem)
        details: dict[str, Any] = {
            **{name: num / den if den else None for name, (num, den) in zip(SCORES, verdict.metrics, strict=True)},
            "arrays": [_array(each) for each in found.arrays],
            "outside": list(found.outside),
        }
        return Reason(_reason(found, verdict), details, found.fields)

    def release(self) -> None:
        self.walk, self._scored = None, {}
        super().release()


def verdict_of(metrics: RowMetrics, scoring: SchemaScoring, problem: RowProblem | None = None) -> Result:
    """The verdict of a row that has these metrics. A score that is undefined for the row is not measured. A required field that
    does not match fails the row.

    With a problem, something other than the output broke a comparison: there is no score, and no metric.
    """
    if problem is not None:
        nothing = ((0, 0),) * len(metrics.metrics)
        return Result(RowStatus.of(problem.issue.blame), counts=metrics.counts, issue=problem.issue, metrics=nothing)
    num, den = metrics.metrics[scoring.place]
    if not den:
        return Result(RowStatus.NOT_MEASURED, counts=metrics.counts, metrics=metrics.metrics)
    passed = num / den >= scoring.pass_at and not metrics.required_failed
    return Result(RowStatus.SCORED, passed, num, den, counts=metrics.counts, metrics=metrics.metrics)


def _array(array: ListOutcome) -> dict[str, object]:
    """The summary of an array, as plain data."""
    metrics = {name: getattr(array, name) for name in ("precision", "recall", "f1")}
    return {
        "path": array.path, "field": array.field, "rule": array.align, "matched": array.matched, "missing": array.missing,
        "extra": array.extra, "paired": array.paired, "score": float(array.score),
        **{name: None if metric is None else float(metric) for name, metric in metrics.items()},
    }  # fmt: skip


def _reason(scored: Scored, verdict: Result) -> str:
    if scored.problem is not None:
        return scored.problem.issue.message
    match, *others = verdict.counts or (0, 0, 0, 0)
    whole = match + sum(others)
    if not whole:
        return "there was nothing to compare"
    if verdict.status is RowStatus.NOT_MEASURED:
        return WEIGHTLESS
    long = [f"{array.path}: {CROWDED}" for array in scored.arrays if CROWDED in array.notes]
    return "; ".join([of_fields(match, whole, scored.fields, "field"), *long])
