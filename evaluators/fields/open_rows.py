"""Rows that were scored as whole documents: what became of each leaf, from the findings of the walk that counted them.

The results of a row stand in the order of the expected document; what only the output has follows, in the output's own order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from itertools import chain
from operator import getitem
from typing import Any, Final, TypeAlias

from evaluators.fields.differences import Differences
from evaluators.fields.open_tree import Location, OpenTree, verdict_of_counts
from evaluators.fields.open_walk import LeafFindings, OpenWalk
from evaluators.fields.path_check import ScoredRows
from evaluators.fields.sentences import of_fields
from evaluators.issues import Issue
from evaluators.model import MISSING, FieldResult, Score, Standing, Status
from evaluators.value_class import replace
from evaluators.values.paths import display
from evaluators.values.quoting import differs

MATCH, MISMATCH, OMISSION, HALLUCINATION = Status.MATCH, Status.MISMATCH, Status.OMISSION, Status.HALLUCINATION
Results: TypeAlias = dict[Location, FieldResult]


class OpenRows(ScoredRows):
    """Rows whose documents were walked leaf by leaf. An unreadable output is MISSING."""

    def __init__(self, tree: OpenTree, expected: Sequence[Any], outputs: Sequence[Any]) -> None:
        self._tree, self._outputs = tree, outputs
        self.walk = OpenWalk(tree, expected, outputs)
        self.counts = self.walk.counts()

    @cached_property
    def _found(self) -> dict[int, list[tuple[LeafFindings, int]]]:
        """The findings of each row, and their positions in them."""
        found: dict[int, list[tuple[LeafFindings, int]]] = {}
        for each in chain(self.walk.findings, self.walk.apart):
            rows = each.frame.rows
            for at in each.places:
                found.setdefault(rows[at], []).append((each, at))
        return found

    def explain(self, at: int, unreadable: Issue | None = None) -> Score:
        tree, results = self._tree, self._results(at)
        if unreadable is not None:
            return Score(0.0, False, tuple(results), unreadable.message, standing=Standing.UNREADABLE)
        expected, output = self.walk.expected[at], self._outputs[at]
        if tree.vacuous(expected, output):
            reason = "the expected object is empty, so nothing was compared"
            return Score(1.0, reason=reason, details={"empty_expected": True})
        verdict = verdict_of_counts(tree, self.counts[at], 1.0)
        share = Score.share(verdict.num, verdict.den)
        reason = of_fields(verdict.num, verdict.den, results, "value") if verdict.den else "there was no leaf to compare"
        score = Score(share.value, None, tuple(results), reason, {}, share.ratio, share.standing)
        if tree.depth is not None or score.value is None or score.value == 1.0:
            return score
        return replace(score, details=Differences(expected, output))

    def wrong(self, at: int, wanted: Collection[str], listed: Collection[str] = ()) -> list[FieldResult]:
        """The leaves of a row that do not match, when rows as a whole ("") are wanted."""
        if "" not in wanted:
            return []
        ours, theirs = self._wrong(at)
        return [*_in_order(self.walk.expected[at], ours), *_in_order(self.walk.outputs[at], theirs)]

    def release(self) -> None:
        self.walk.release()
        self.__dict__.pop("_found", None)

    def _results(self, at: int) -> list[FieldResult]:
        """The leaves of a row, those that match too."""
        tree, expected, output = self._tree, self.walk.expected[at], self.walk.outputs[at]
        ours, theirs = self._wrong(at)
        results = []
        for location, value in tree.leaves(expected, ()) if not tree.skips(()) else ():
            result = ours.get(location)
            if result is None:
                result = _result(tree, location, MATCH, value, reduce(getitem, location, output))
            results.append(result)
        return [*results, *_in_order(output, theirs)]

    def _wrong(self, row: int) -> tuple[Results, Results]:
        """What is wrong of the expected leaves of a row, and what only the output has."""
        tree, ours, theirs = self._tree, Results(), Results()
        for found, at in self._found.get(row, ()):
            location, status, (expected, output) = found.location(at), found.status, found.values(at)
            if status is HALLUCINATION:
                for here, value in tree.leaves(output, location):
                    theirs[here] = _result(tree, here, status, MISSING, value)
            elif status is OMISSION:
                for here, value in tree.leaves(expected, location):
                    ours[here] = _result(tree, here, status, value, MISSING)
            else:
                ours[location] = _result(tree, location, status, expected, output)
        return ours, theirs


def explain_open(tree: OpenTree, expected: Any, output: Any, unreadable: Issue | None = None) -> Score:
    """The score of one row with one result per leaf. An unreadable output is MISSING, and `unreadable` is why."""
    rows = OpenRows(tree, [expected], [output])
    try:
        return rows.explain(0, unreadable)
    finally:
        rows.release()


def _result(tree: OpenTree, location: Location, status: Status, expected: Any, actual: Any) -> FieldResult:
    score = 1.0 if status is MATCH else 0.0
    reason = differs(expected, actual) if status is MISMATCH else _REASONS[status]
    return FieldResult(display(location), status, score, 1.0, expected, actual, reason, tree.rule)


_REASONS: Final = {MATCH: "equal", OMISSION: "missing in the output", HALLUCINATION: "only the output has it"}


def _in_order(document: Any, results: Mapping[Location, FieldResult]) -> Iterator[FieldResult]:
    """Results in the order in which a document has their places."""
    if len(results) < 2:
        yield from results.values()
        return
    ways = {location[:size] for location in results for size in range(len(location))}
    waiting: list[tuple[Location, Any]] = [((), document)]
    while waiting:
        location, value = waiting.pop()
        if location in results:
            yield results[location]
        elif location in ways:
            steps = value.items() if value.__class__ is dict else enumerate(value)
            waiting += reversed([((*location, step), inner) for step, inner in steps])
