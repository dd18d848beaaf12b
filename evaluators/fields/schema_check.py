"""The fast check of a schema: (expected, output) → verdict, with tallies by path of the schema.

Rows that come to the same codes share one verdict and are counted together. What is remembered is bounded by the number of
codes; beyond it everything is added up and the numbering starts afresh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol

from evaluators.fields.closed_score import standing_of
from evaluators.fields.compiled.trees import CompiledTree
from evaluators.fields.compiled.walker import Codes, NotCompiled
from evaluators.fields.counts import counted, surplus_items
from evaluators.fields.counts import row_figures as counts_figures
from evaluators.fields.events import (
    Event,
    RowFigures,
    events_of,
    row_counts,
    row_figures,
    row_statuses,
    row_values,
    totals,
)
from evaluators.fields.path_check import PathCheck
from evaluators.fields.path_details import SURPLUS_ITEMS, SURPLUS_ROWS, Detail
from evaluators.fields.score import score_document
from evaluators.fields.scored import Scored
from evaluators.fields.tree import FieldNode
from evaluators.issues import RowProblem
from evaluators.model import Standing, Verdict

MOST_CODES: Final = 1_000_000
"""Codes that are remembered between two additions."""


class ExplainedCheck(PathCheck):
    """Scores rows by explaining each of them. `explain` gives what the documents of a row come to."""

    def __init__(
        self, explain: Callable[[Any, Any], Scored], score: int, pass_at: float, fields: Sequence[str] = ()
    ) -> None:
        self._explain = explain
        self._score = score
        self._pass_at = pass_at
        self._places = places_of(fields)
        self._watched: dict[str, int] = {}
        self._paths: dict[str, list[int]] = {}
        self._details: dict[Detail, int] = {}

    def counted(self) -> ExplainedCheck:
        return self

    def __call__(self, expected: Any, output: Any) -> Verdict:
        scored = self._explain(expected, output)
        events = events_of(scored)
        add_totals(totals([(events, 1)]), self._paths, self._details)
        verdict = verdict_of_scored(scored, self._score, self._pass_at)
        add_surplus(surplus_of(scored), 1, self._details)
        return _by_field(verdict, events, self._places, self._watched)

    def watching(self, paths: Sequence[str]) -> ExplainedCheck:
        self._watched = places_of(paths)
        return self

    def counts(self) -> dict[str, tuple[int, int, int, int]]:
        """(match, mismatch, omission, hallucination) by path of the schema, sorted by path."""
        return {path: (found[0], found[1], found[2], found[3]) for path, found in sorted(self._paths.items())}

    def details(self) -> Mapping[Detail, int]:
        """What is counted beside the statuses; see `path_details`."""
        return dict(self._details)


class ColumnCheck(PathCheck):
    """Scores rows whose schema stands in a cell: (expected, output, *cells), one check for each schema."""

    def __init__(self, scoring: Callable[..., HasCheck]) -> None:
        self._scoring = scoring
        self._watched: Sequence[str] = ()
        self._checks: dict[int, tuple[HasCheck, Any]] = {}

    def counted(self) -> ColumnCheck:
        return self

    def __call__(self, expected: Any, output: Any, *cells: Any) -> Verdict:
        scoring = self._scoring(*cells)
        known = self._checks.get(id(scoring))
        if known is None:
            known = self._checks[id(scoring)] = (scoring, scoring.check().watching(self._watched))
        verdict: Verdict = known[1](expected, output)
        return verdict

    def watching(self, paths: Sequence[str]) -> ColumnCheck:
        self._watched = paths
        return self

    def counts(self) -> dict[str, tuple[int, int, int, int]]:
        """The counts by path of all the schemas together."""
        paths: dict[str, list[int]] = {}
        for _, check in self._checks.values():
            add_totals((check.counts(), {}), paths, {})
        return {path: (found[0], found[1], found[2], found[3]) for path, found in sorted(paths.items())}

    def details(self) -> Mapping[Detail, int]:
        """What is counted beside the statuses."""
        details: dict[Detail, int] = {}
        for _, check in self._checks.values():
            add_totals(({}, check.details()), {}, details)
        return details


class HasCheck(Protocol):
    """What has a check."""

    def check(self) -> Any:
        """A new check."""


class SchemaCheck(PathCheck):
    """Scores rows by a compiled tree. An unreadable output is MISSING. `score` is the place of the row's score among the figures.

    `explain` scores the rows that the compiled tree declines. `surplus_counts` says that items which only the output has
    lower the totals.
    """

    def __init__(
        self,
        root: FieldNode,
        score: int,
        pass_at: float,
        fields: Sequence[str] = (),
        explain: Callable[[Any, Any], Scored] | None = None,
        surplus_counts: bool = False,
    ) -> None:
        self._compiled = CompiledTree(root, surplus_counts)
        self._explain = explain or partial(score_document, root)
        self._places = places_of(fields)
        self._watched: dict[str, int] = {}
        self._score = score
        self._pass_at = pass_at
        self._known: dict[tuple[int, ...], list[Any]] = {}
        self._remembered = 0
        self._paths: dict[str, list[int]] = {}
        self._details: dict[Detail, int] = {}
        self._verdicts: dict[Any, Verdict] = {}

    def counted(self) -> SchemaCheck:
        return self

    def __call__(self, expected: Any, output: Any) -> Verdict:
        compiled = self._compiled
        try:
            codes = compiled.walk(expected, output)
        except (RecursionError, NotCompiled):
            return self._explained(expected, output)
        if compiled.problem is not None:  # the first one in the order of the schema, whatever that of the keys is
            return self._broken(codes, self._explain(expected, output).problem or compiled.problem)
        key = tuple(codes)
        known = self._known.get(key)
        if known is None:
            known = self._meet(key)
        known[1] += 1
        verdict: Verdict = known[0]
        return verdict

    def watching(self, paths: Sequence[str]) -> SchemaCheck:
        self._watched = places_of(paths)
        return self

    def counts(self) -> dict[str, tuple[int, int, int, int]]:
        """(match, mismatch, omission, hallucination) by path of the schema, sorted by path."""
        self._settle()
        return {path: (found[0], found[1], found[2], found[3]) for path, found in sorted(self._paths.items())}

    def details(self) -> Mapping[Detail, int]:
        """What is counted beside the statuses; see `path_details`."""
        self._settle()
        return dict(self._details)

    def _meet(self, key: tuple[int, ...]) -> list[Any]:
        if self._remembered > MOST_CODES:
            key = self._afresh(key)
        self._remembered += len(key) + 1
        events = self._events(key)
        figures = row_figures(events)
        found = _by_field(verdict_of(figures, self._score, self._pass_at), events, self._places, self._watched)
        verdict = self._verdicts.setdefault(found, found) if len(self._verdicts) < 20_000 else found
        known = self._known[key] = [verdict, 0, figures.surplus]
        return known

    def _explained(self, expected: Any, output: Any) -> Verdict:
        """A row that the compiled tree cannot walk: it is nested too deeply, or comes to what is rare."""
        scored = self._explain(expected, output)
        events = events_of(scored)
        self._add([(events, 1)])
        add_surplus(surplus_of(scored), 1, self._details)
        verdict = verdict_of_scored(scored, self._score, self._pass_at)
        return _by_field(verdict, events, self._places, self._watched)

    def _broken(self, codes: Codes, problem: RowProblem) -> Verdict:
        """A row without a score; its other results still count by path."""
        events = self._events(codes)
        self._add([(events, 1)])
        return _by_field(broken_verdict(row_figures(events), problem), events, self._places, self._watched)

    def _events(self, codes: Iterable[int]) -> list[Event]:
        events = self._compiled.coding.events
        return [events[abs(code)] for code in codes]

    def _afresh(self, key: tuple[int, ...]) -> tuple[int, ...]:
        """Adds everything up and forgets it; the codes of the row at hand are told in the new numbers."""
        events = self._events(key)
        self._settle()
        self._compiled.forget()
        return tuple(self._compiled.coding.of(event) for event in events)

    def _settle(self) -> None:
        self._add((self._events(key), count) for key, (_, count, _) in self._known.items() if count)
        for _, count, surplus in self._known.values():
            add_surplus(surplus, count, self._details)
        self._known.clear()
        self._remembered = 0

    def _add(self, rows: Iterable[tuple[Iterable[Event], int]]) -> None:
        add_totals(totals(rows), self._paths, self._details)


def add_totals(
    found: tuple[Mapping[str, Sequence[int]], Mapping[Detail, int]],
    paths: dict[str, list[int]],
    details: dict[Detail, int],
) -> None:
    """Adds counts by path, and what is counted beside them, to what was counted before."""
    for path, counts in found[0].items():
        mine = paths.setdefault(path, [0, 0, 0, 0])
        for place, count in enumerate(counts):
            mine[place] += count
    for key, count in found[1].items():
        details[key] = details.get(key, 0) + count


def add_surplus(items: int, rows: int, details: dict[Detail, int]) -> None:
    """Counts so many items that only the output has in each of some rows."""
    if items and rows:
        for kind, count in ((SURPLUS_ITEMS, items * rows), (SURPLUS_ROWS, rows)):
            details["", kind, 1] = details.get(("", kind, 1), 0) + count


def surplus_of(scored: Scored) -> int:
    """The items of outermost lists that only the output has; none are counted in a row without a score."""
    return 0 if scored.problem is not None else surplus_items(scored)


def verdict_of_scored(scored: Scored, score: int, pass_at: float) -> Verdict:
    """The verdict of an explained row."""
    counts = counted(scored.fields)
    figures = RowFigures((counts.match, counts.mismatch, counts.omission, counts.hallucination), counts_figures(scored))
    if scored.problem is not None:
        return broken_verdict(figures, scored.problem)
    return verdict_of(figures, score, pass_at)


def _by_field(
    verdict: Verdict, events: Sequence[Event], places: Mapping[str, int], watched: Mapping[str, int]
) -> Verdict:
    """The verdict with what became of each field."""
    if places:
        verdict = verdict._replace(statuses=row_statuses(events, places), values=row_values(events, places))
    return verdict._replace(watched=row_counts(events, watched)) if watched else verdict


def places_of(fields: Sequence[str]) -> dict[str, int]:
    """The place of each field whose status every row has."""
    return {name: place for place, name in enumerate(fields)}


def verdict_of(figures: RowFigures, score: int, pass_at: float) -> Verdict:
    """The verdict of a row whose results were all measured. A score that is undefined for the row is not measured."""
    num, den = figures.figures[score]
    if not den:
        return Verdict(Standing.NOT_MEASURED, None, 0, 0, b"", figures.counts, None, figures.figures)
    return Verdict(Standing.SCORED, num / den >= pass_at, num, den, b"", figures.counts, None, figures.figures)


def broken_verdict(figures: RowFigures, problem: RowProblem) -> Verdict:
    """The verdict of a row in which something other than the output broke a comparison: no score, and no figure."""
    nothing = ((0, 0),) * len(figures.figures)
    return Verdict(standing_of(problem), None, 0, 0, b"", figures.counts, problem.issue, nothing)


def lost_verdict(found: Verdict) -> Verdict:
    """The verdict of a row whose output cannot be read, from what an output that is missing comes to: 0.0, and every figure 0."""
    zeros = ((0, 1),) * len(found.figures)
    return Verdict(
        Standing.UNREADABLE, False, 0, 1, found.statuses, found.counts, None, zeros, found.values, found.watched
    )
