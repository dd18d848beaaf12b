"""The fast check of a schema: (expected, output) → verdict, with tallies by path of the schema.

Rows that come to the same codes share one verdict and are counted together. What is remembered is bounded by the number of
codes; beyond it everything is added up and the numbering starts afresh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from math import gcd
from typing import Any, Final, Protocol

from evaluators.fields.closed_score import standing_of
from evaluators.fields.coding import Coding, Signature
from evaluators.fields.counts import surplus_items
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
from evaluators.fields.explained import problems_of, too_deep
from evaluators.fields.frame import of_rows
from evaluators.fields.path_check import PathCheck, RowsCheck
from evaluators.fields.path_details import SURPLUS_ITEMS, SURPLUS_ROWS, Detail
from evaluators.fields.row_events import row_events
from evaluators.fields.scored import Scored
from evaluators.fields.tree import FieldNode, SchemaPath
from evaluators.fields.walk import Places, Walk
from evaluators.issues import RowProblem
from evaluators.model import Standing, Verdict
from evaluators.values.equality import same

MOST_REMEMBERED: Final = 1_000_000
"""Events of different rows that are remembered between two additions."""
MOST_EVENTS: Final = 50_000
"""Different events that are numbered between two additions: keys that nobody foresaw must not fill the memory."""


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
        (verdict,) = self.prepared([expected], [output])()
        return verdict

    def prepared(self, expected: Sequence[Any], outputs: Sequence[Any]) -> Callable[[], list[Verdict]]:
        """Scores some rows, and gives what counts them. Nothing is counted where one of them raises."""
        found = [self._explain(one, other) for one, other in zip(expected, outputs, strict=True)]
        return lambda: [self._counted(scored) for scored in found]

    def _counted(self, scored: Scored) -> Verdict:
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


class ColumnCheck(RowsCheck):
    """Scores rows whose schema stands in a cell: (expected, output, *cells), one check for each schema."""

    def __init__(self, scoring: Callable[..., HasCheck]) -> None:
        self._scoring = scoring
        self._watched: Sequence[str] = ()
        self._checks: dict[int, tuple[HasCheck, Any]] = {}

    def counted(self) -> ColumnCheck:
        return self

    def __call__(self, *values: Any) -> Verdict:
        expected, output, *cells = values
        verdict: Verdict = self._check(self._scoring(*cells))(expected, output)
        return verdict

    def rows(self, *columns: Sequence[Any]) -> list[Verdict]:
        expected, outputs, *cells = columns
        given: Iterable[tuple[Any, ...]] = zip(*cells, strict=True) if cells else repeat((), len(expected))
        checks = [self._check(self._scoring(*each)) for each in given]
        found: dict[int, Verdict] = {}
        ready: list[tuple[list[int], Callable[[], list[Verdict]]]] = []
        for check in {id(one): one for one in checks}.values():
            rows = [row for row, one in enumerate(checks) if one is check]
            ready.append((rows, check.prepared([expected[row] for row in rows], [outputs[row] for row in rows])))
        for rows, counted in ready:  # all of them are scored by now, so that nothing is counted where one breaks
            found |= zip(rows, counted(), strict=True)
        return [found[row] for row in range(len(checks))]

    def _check(self, scoring: HasCheck) -> Any:
        known = self._checks.get(id(scoring))
        if known is None:
            known = self._checks[id(scoring)] = (scoring, scoring.check().watching(self._watched))
        return known[1]

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


class WalkCheck(RowsCheck):
    """Scores rows by a walk through their documents, many at once. An unreadable output is MISSING.

    `score` is the place of the row's score among the figures. `surplus_counts` says that items which only the output has lower
    the totals.
    """

    def __init__(
        self, root: FieldNode, score: int, pass_at: float, fields: Sequence[str] = (), surplus_counts: bool = False
    ) -> None:
        self._root = root
        self._surplus_counts = surplus_counts
        self._places = places_of(fields)
        self._watched: dict[str, int] = {}
        self._score = score
        self._pass_at = pass_at
        self._paths: dict[str, list[int]] = {}
        self._details: dict[Detail, int] = {}
        self._spelled: dict[SchemaPath, str] = {}
        """Places that the schema lacks, which are counted apart: for good, so that they stay few."""
        self._afresh()

    def counted(self) -> WalkCheck:
        return self

    def __call__(self, expected: Any, output: Any) -> Verdict:
        (verdict,) = self.rows([expected], [expected if same(expected, output) else output])
        return verdict

    def rows(self, *columns: Sequence[Any]) -> list[Verdict]:
        expected, outputs = columns
        return self.prepared(expected, outputs)()

    def prepared(self, expected: Sequence[Any], outputs: Sequence[Any]) -> Callable[[], list[Verdict]]:
        """Scores some rows, and gives what counts them. Nothing is counted where one of them raises."""
        frames = of_rows(expected, outputs)
        try:
            walk = Walk(len(expected), self._lacking).go(self._root, frames)
            problems = problems_of(walk)
            signatures = row_events(walk, self._coding)
        except RecursionError:
            if len(expected) > 1:
                raise
            deep = _by_field(broken_verdict(row_figures([]), too_deep()), [], self._places, self._watched)
            return lambda: [deep]
        finally:
            for frame in frames:
                frame.release()
        return lambda: self._counted(signatures, problems)

    def _counted(self, signatures: Sequence[Signature], problems: Mapping[int, RowProblem]) -> list[Verdict]:
        found = [self._met(signature, problems.get(row)) for row, signature in enumerate(signatures)]
        if self._remembered > MOST_REMEMBERED or len(self._coding) > MOST_EVENTS:
            self._settle()
            self._afresh()
        return found

    def watching(self, paths: Sequence[str]) -> WalkCheck:
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

    def _afresh(self) -> None:
        """Starts the numbering of events afresh."""
        self._coding = Coding(self._root, self._surplus_counts, self._spelled)
        self._lacking = Places()
        self._remembered = 0
        self._known: dict[Signature, list[Any]] = {}
        """By what became of a row: its verdict, how many such rows there were, and their surplus items."""

    def _met(self, signature: Signature, problem: RowProblem | None) -> Verdict:
        """The verdict of a row. Rows that come to the same share one, and are counted together."""
        if problem is not None:  # a row without a score; its other results still count by path
            events = self._coding.of(signature)
            self._add([(events, 1)])
            return _by_field(broken_verdict(row_figures(events), problem), events, self._places, self._watched)
        known = self._known.get(signature)
        if known is None:
            events = self._coding.of(signature)
            figures = row_figures(events)
            verdict = _by_field(verdict_of(figures, self._score, self._pass_at), events, self._places, self._watched)
            known = self._known[signature] = [verdict, 0, figures.surplus]
            self._remembered += 1 + len(signature[0]) + len(signature[1])
        known[1] += 1
        found: Verdict = known[0]
        return found

    def _settle(self) -> None:
        """Adds up what was counted since the last time."""
        self._add((self._coding.of(signature), count) for signature, (_, count, _) in self._known.items() if count)
        for known in self._known.values():
            add_surplus(known[2], known[1], self._details)
            known[1] = 0

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
    figures = row_figures(events_of(scored))
    figures = figures._replace(figures=tuple(map(_lowest, figures.figures)))
    if scored.problem is not None:
        return broken_verdict(figures, scored.problem)
    return verdict_of(figures, score, pass_at)


def _lowest(figure: tuple[int, int]) -> tuple[int, int]:
    """The fraction in lowest terms."""
    return (figure[0] // common, figure[1] // common) if (common := gcd(*figure)) else figure


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


def lost_or_kept_out(found: Verdict) -> Verdict:
    """The verdict of a row whose output cannot be read, from what an output that is missing comes to: 0.0, and every figure 0.

    A row that something else keeps from being measured stays so.
    """
    if found.standing.kept_out:
        return found
    zeros = ((0, 1),) * len(found.figures)
    return Verdict(
        Standing.UNREADABLE, False, 0, 1, found.statuses, found.counts, None, zeros, found.values, found.watched
    )
