"""Rows that a schema scored together: their results, verdicts and reasons."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from evaluators.model.issues import Issue, RowProblem
from evaluators.model.rows import Outcome, Reason, Result, RowStatus
from evaluators.scoring.comparators._answer_cache import CallKey, cached_result, value_key
from evaluators.scoring.fields.empty_values import EmptyValues
from evaluators.scoring.fields.events import Changes, empties_of, empty_values_of, events_of
from evaluators.scoring.fields.outcomes import WRONG, Documents, ListOutcome, Scored
from evaluators.scoring.fields.pairing import CROWDED
from evaluators.scoring.fields.post_process import is_shipped
from evaluators.scoring.fields.results import SKIPPED, ListResult, RowResults, signature_of
from evaluators.scoring.fields.row_checks import ScoredRows
from evaluators.scoring.fields.row_metrics import RowMetrics, row_metrics
from evaluators.scoring.fields.schema_scoring import SCORES, SchemaScoring
from evaluators.scoring.fields.walk import Walk
from evaluators.scoring.fields.weighing import Lacking
from evaluators.scoring.fields.wording import WEIGHTLESS, right_count_text, row_outcomes, too_deep_problem, wrong_results
from evaluators.scoring.judges.asking import has_open_questions


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
        """Compares the documents of each row, reshaped and with known keys where the schema wants this, and puts the results into
        `results`. Then asks the comparators that cost, and settles their results unless questions stay open. `lacking` is the memory of
        places that the schema lacks; `cells` are those with right answers, by row."""
        self.scoring = scoring
        if scoring.reshapings.each:
            expected, outputs = self.reshape(scoring.reshapings, expected, outputs)
        if scoring.keys is not None:
            outputs = self.spell_with_known_keys(scoring.keys, scoring.known_keys, expected, outputs)
        self._sides = (expected, outputs, cells) if cells else (expected, outputs)
        self._cells = cells
        self._scored: dict[int, Scored] = {}
        self._lacking = lacking
        self.verdicts: Sequence[Result] = ()
        """One for each row; nothing until they are counted."""
        self.changes: Sequence[Changes] = ()
        """The empty values of each row; nothing until they are counted."""
        self.results: list[RowResults | None] = []
        """None where the documents of a row are nested too deeply."""
        self.walk = walk = Walk(lacking, every=scoring.by_results or scoring.costs)
        root, add = scoring.root_place, self.results.append
        for at, (e, o) in enumerate(zip(expected, outputs, strict=True)):
            try:
                add(walk.compare_row(root, e, o, at, cells[at] if cells else None))
            except RecursionError:
                add(None)
        if walk.pending:
            walk.ask()
            if not has_open_questions():
                walk.settle()

    @property
    def pairs_by_asking(self) -> bool:
        """Whether answers of comparators that cost decide which items are paired."""
        return self.scoring.pairs_by_asking

    def lists(self) -> Iterable[tuple[int, ListResult]]:
        """The lists of all rows, each with its row's number. A skipped list is among them, with nothing counted."""
        for row, results in enumerate(self.results):
            if results is not None:
                for array in results.lists:
                    yield row, array
                for each in results.fields:
                    if each.status == SKIPPED and each.at.node.kind == "array":
                        yield row, ListResult(each.at, each.location, each.expected, each.output, 0, 0)

    def sides_of(self, at: int) -> tuple[Any, Any]:
        """The expected document and the output of the row at position `at`."""
        return self._sides[0][at], self._sides[1][at]

    def empty_values(self, rows: Collection[int], absent: Sequence[Any]) -> EmptyValues:
        """The empty values of some rows, by field. With `absent`, values that count as absent are looked for in every row again."""
        names = self.scoring.fields_outside_lists
        if absent or not self.changes:
            every = [(row, self._full_results(row) if absent else self.results[row]) for row in rows]
            changes = [
                (row, empties_of(signature_of(results, absent), names)) for row, results in every if results is not None
            ]
        else:
            changes = [(row, self.changes[row]) for row in rows]
        return empty_values_of(changes, names) if self.scoring.fields else EmptyValues()

    def settle(self) -> None:
        """Takes the answers of comparators that cost."""
        self.walk.settle()

    def __len__(self) -> int:
        return len(self._sides[0])

    def outcomes_of(self, at: int) -> Scored:
        """All outcomes of a row, with those of its lists. They are made once."""
        scored_row = self._scored.get(at)
        if scored_row is None:
            if all(map(is_shipped, self.scoring.processors)):
                scored_row = self._make_outcomes(at)
            else:  # a post-processor may say otherwise the next time
                key = CallKey("row", id(self.scoring), *(value_key(side[at]) for side in self._sides))
                scored_row = cached_result(key, lambda: self._make_outcomes(at), self.scoring)
            self._scored[at] = scored_row
        return scored_row

    def _make_outcomes(self, at: int) -> Scored:
        """The outcomes of a row, made from the results of its walk."""
        results = self._full_results(at)
        if results is None:
            return Scored((), problem=too_deep_problem())
        scored_row = row_outcomes(results, self.scoring.processors, self.scoring.absent)
        if not self.scoring.surplus_counts:
            return scored_row
        return replace(scored_row, arrays=tuple(replace(array, extra_items=True) for array in scored_row.arrays))

    def _full_results(self, at: int) -> RowResults | None:
        """The results of a row, those that match too. Where matches were only counted, the row is walked through once
        more."""
        results = self.results[at]
        if results is None or self.walk.every:
            return results
        e, o = self._sides[0][at], self._sides[1][at]
        return Walk(self._lacking, every=True).compare_row(
            self.scoring.root_place, e, o, at, self._cells[at] if self._cells else None
        )

    def documents(self, at: int) -> Documents:
        """The outcomes of a row, with the output's own spelling of keys."""
        scored_row = self.outcomes_of(at)
        if self.respelt:
            spell = self.respelt[at].spell_outcomes
            scored_row = replace(
                scored_row, fields=tuple(spell(scored_row.fields)), arrays=tuple(spell(scored_row.arrays))
            )
        return Documents(self.scoring.root, scored_row)

    def wrong_outcomes(self, at: int, wanted: Collection[str], listed: Collection[str]) -> list[Outcome]:
        """The wrong outcomes of a row in the `wanted` fields. "" stands for all that are not `listed`."""
        if not self.scoring.by_results:
            results = self.results[at]
            return wrong_results(results, wanted, listed) if results is not None else []
        wrong = [each for each in self.outcomes_of(at).fields if each.status in WRONG]
        return [each for each in wrong if (each.field if each.field in listed else "") in wanted]

    def reason(self, at: int, unreadable: Issue | None = None) -> Reason:
        """Why a row scores what it scores. `details` has the other metrics and the lists; `unreadable` is why there is
        no output."""
        scored_row = self.outcomes_of(at)
        if unreadable is not None and scored_row.problem is None:
            return Reason(unreadable.message, fields=scored_row.fields)
        if self.verdicts:
            verdict = self.verdicts[at]
        else:
            verdict = verdict_of(
                row_metrics(events_of(scored_row), self.scoring.required_fields), self.scoring, scored_row.problem
            )
        details: dict[str, Any] = {
            **{name: num / den if den else None for name, (num, den) in zip(SCORES, verdict.metrics, strict=True)},
            "arrays": [_list_summary(each) for each in scored_row.arrays],
            "outside": list(scored_row.outside),
        }
        return Reason(_reason_text(scored_row, verdict), details, scored_row.fields)

    def release(self) -> None:
        """Frees the results of all rows."""
        self.results, self._scored, self.changes = [], {}, ()


def verdict_of(metrics: RowMetrics, scoring: SchemaScoring, problem: RowProblem | None = None) -> Result:
    """The verdict of a row that has these metrics. A score that is undefined for the row is not measured. A required field that
    does not match fails the row.

    With a problem, something other than the output broke a comparison: there is no score, and no metric.
    """
    if problem is not None:
        nothing = ((0, 0),) * len(metrics.metrics)
        return Result(RowStatus.of(problem.issue.blame), counts=metrics.counts, issue=problem.issue, metrics=nothing)
    num, den = metrics.metrics[scoring.score_position]
    if not den:
        return Result(RowStatus.NOT_MEASURED, counts=metrics.counts, metrics=metrics.metrics)
    passed = num / den >= scoring.pass_at and not metrics.required_failed
    return Result(RowStatus.SCORED, passed, num, den, counts=metrics.counts, metrics=metrics.metrics)


def _list_summary(array: ListOutcome) -> dict[str, object]:
    """What the details of a row say of one list, as plain data."""
    items = array.items
    return {
        "path": array.path, "field": array.field, "rule": array.align, "matched": array.matched, "missing": array.missing,
        "extra": array.extra, "paired": array.paired, "score": float(array.score),
        "precision": items.as_float("precision"), "recall": items.as_float("recall"), "f1": items.as_float("f1"),
    }  # fmt: skip


def _reason_text(scored: Scored, verdict: Result) -> str:
    """Why a row scores what it scores, in one sentence."""
    if scored.problem is not None:
        return scored.problem.issue.message
    match, *others = verdict.counts or (0, 0, 0, 0)
    whole = match + sum(others)
    if not whole:
        return "there was nothing to compare"
    if verdict.status is RowStatus.NOT_MEASURED:
        return WEIGHTLESS
    long = [f"{array.path}: {CROWDED}" for array in scored.arrays if CROWDED in array.notes]
    return "; ".join([right_count_text(match, whole, scored.fields, "field"), *long])
