"""Rows that were scored as whole documents: verdicts, counts by path and the outcome of each leaf, from the results of the walk.

The results of a row stand in the order of the expected document; what only the output has follows, in the output's own order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from itertools import repeat
from operator import getitem
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from evaluators.model.issues import Issue
from evaluators.model.rows import FIELD_STATUSES, MISSING, FieldStatus, Outcome, Reason, Result
from evaluators.scoring.fields.empty_values import EmptyValues, RowPattern
from evaluators.scoring.fields.key_spelling import keys_in
from evaluators.scoring.fields.open_tree import (
    CONTENTS,
    Location,
    OpenTree,
    Pattern,
    RowCounts,
    verdict_of_counts,
    with_any_index,
)
from evaluators.scoring.fields.open_walk import OpenWalk
from evaluators.scoring.fields.row_checks import Counts, Detail, RowsCheck, ScoredRow, ScoredRows
from evaluators.scoring.fields.wording import right_count_text
from evaluators.scoring.values.differences import difference_text
from evaluators.scoring.values.paths import display

Results: TypeAlias = dict[Location, Outcome]
MEMO: Final = 10_000
"""Verdicts that one evaluator remembers."""


class OpenRows(ScoredRows):
    """Rows whose documents were compared leaf by leaf. An unreadable output is MISSING."""

    def __init__(self, walk: OpenWalk, expected: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Compares the documents of each row."""
        tree = walk.tree
        if tree.keys is not None:
            outputs = self.spell_with_known_keys(tree.keys, keys_in(()), expected, outputs)
        self._tree, self._expected, self._outputs = tree, expected, outputs
        rows = list(map(walk.compare_row, expected, outputs))
        self.patterns = [pattern for pattern, _ in rows]
        self._found = [results for _, results in rows]

    def reason(self, at: int, unreadable: Issue | None = None) -> Reason:
        """Why a row scores what it scores, with the outcome of each leaf. `unreadable` is why there is no output."""
        tree, results = self._tree, tuple(self._results(at).values())
        if unreadable is not None:
            return Reason(unreadable.message, fields=results)
        if tree.depth is not None and not any(self.patterns[at].counts):
            return Reason("the expected object is empty, so nothing was compared", {"empty_expected": True})
        verdict = verdict_of_counts(tree, self.patterns[at].counts, 1.0)
        if not verdict.den:
            return Reason("there was no leaf to compare", fields=results)
        return Reason(right_count_text(verdict.num, verdict.den, results, "value"), fields=results)

    def wrong_outcomes(self, at: int, wanted: Collection[str], listed: Collection[str]) -> list[Outcome]:
        """The leaves of a row that do not match, when rows as a whole ("") are wanted."""
        if "" not in wanted:
            return []
        ours, theirs = self._wrong_leaves(at)
        return [*ours.values(), *theirs.values()]

    def counts_of_paths(self, at: int, paths: Iterable[str]) -> tuple[tuple[int, int, int, int], ...]:
        """(match, mismatch, omission, hallucination) of each of some paths, in one row."""
        counts = Counter((display(with_any_index(place)), result.status) for place, result in self._results(at).items())
        return tuple(
            (
                counts[path, FieldStatus.MATCH],
                counts[path, FieldStatus.MISMATCH],
                counts[path, FieldStatus.OMISSION],
                counts[path, FieldStatus.HALLUCINATION],
            )
            for path in paths
        )

    def empty_values(self, rows: Collection[int], absent: Sequence[Any]) -> EmptyValues:
        """The rows that have each pattern: which values are empty is counted from these. `absent` makes no difference here."""
        alike: dict[RowPattern, list[int]] = {}
        for row in rows:
            alike.setdefault(self.patterns[row], []).append(row)
        return EmptyValues(alike=alike)

    def _results(self, at: int) -> Results:
        """The outcomes of all leaves of a row, by their location, those that match too."""
        tree, expected, output = self._tree, self._expected[at], self._outputs[at]
        ours, theirs = self._wrong_leaves(at)
        places = tree.leaves(expected, ()) if not tree.skips(()) else ()
        results = Results()
        for place, value in places:
            if place in ours:
                results[place] = ours[place]
                continue
            actual = reduce(getitem, place, output)
            if not (tree.skip and tree.nothing_left(place, value, actual)):
                results[place] = _outcome(tree, place, FieldStatus.MATCH, value, actual)
        return results | theirs

    def _wrong_leaves(self, row: int) -> tuple[Results, Results]:
        """The outcomes of leaves of a row that do not match, by their location: those of expected leaves, and those of
        leaves that only the output has."""
        sides = Results(), Results()
        for result in self._found[row]:
            # `SURPLUS`, a hallucination in an item of the output alone, is 0
            status, place = FIELD_STATUSES[result.status or FieldStatus.HALLUCINATION.number], result.location
            expected = MISSING if status is FieldStatus.HALLUCINATION else result.expected
            sides[status is FieldStatus.HALLUCINATION][place] = _outcome(
                self._tree, place, status, expected, result.output
            )
        ours, theirs = sides
        return ours, _in_document_order(self._outputs[row], theirs)


class OpenCheck(RowsCheck[OpenRows]):
    """The check of an open tree: (expected, output) → verdict. An unreadable output is MISSING."""

    def __init__(self, tree: OpenTree, pass_at: float) -> None:
        """A check that has scored no row yet; a row passes from a score of `pass_at` on."""
        super().__init__()
        self.tree = tree
        self.pass_at = pass_at
        self._walk = OpenWalk(tree)
        self._known: dict[RowCounts, Result] = {}
        self._patterns: Counter[Pattern] = Counter()
        """How many rows had each pattern that is not counted by path yet."""

    def begin(self, *columns: Sequence[Any]) -> OpenRows:
        """Compares rows, given as a column of expected documents and one of outputs."""
        return OpenRows(self._walk, *columns)

    def settle_rows(self, rows: OpenRows) -> list[ScoredRow]:
        """The verdict of each row, whose pattern is noted to be counted by path later. Where the walk has no room left, it is counted now,
        and a new walk begins."""
        verdicts = [self._known.get(pattern.counts) or self._verdict(pattern.counts) for pattern in rows.patterns]
        if self._watched:
            verdicts = [
                replace(pattern, watched=rows.counts_of_paths(at, self._watched)) for at, pattern in enumerate(verdicts)
            ]
        self._patterns.update(rows.patterns)
        if self._walk.room < 0:
            self._count_paths()
            self._walk = OpenWalk(self.tree)
        return list(map(ScoredRow, verdicts, repeat(rows), range(len(verdicts))))

    def counts(self) -> dict[str, Counts]:
        """(match, mismatch, omission, hallucination) by path, of all rows so far."""
        self._count_paths()
        return super().counts()

    def details(self) -> Mapping[Detail, int]:
        """What only the outputs have, in items of lists: counts beside those of the statuses."""
        self._count_paths()
        return super().details()

    def _count_paths(self) -> None:
        """Counts the marks of the rows since the last time by path, and forgets their patterns."""
        for mark, times in Pattern.mark_counts(self._patterns).items():
            if mark.status < CONTENTS:
                self._tally.add([mark.name], mark.status, times)
        for pattern, times in self._patterns.items():
            if pattern.surplus_items:
                self._tally.surplus_items += times * pattern.surplus_items
                self._tally.surplus_rows += times
        self._tally.trim()
        self._patterns.clear()

    def _verdict(self, counts: RowCounts) -> Result:
        """The verdict of a row with these counts. It is kept for the next row with the same ones, until too many are
        known."""
        verdict = verdict_of_counts(self.tree, counts, self.pass_at)
        if len(self._known) < MEMO:
            self._known[counts] = verdict
        return verdict


def _outcome(tree: OpenTree, place: Location, status: FieldStatus, expected: Any, actual: Any) -> Outcome:
    """The outcome of a leaf at a location."""
    score = 1.0 if status is FieldStatus.MATCH else 0.0
    reason = difference_text(expected, actual) if status is FieldStatus.MISMATCH else _REASONS[status]
    return Outcome(display(place), status, score, 1.0, None, reason, tree.rule, expected, actual)


_REASONS: Final = {
    FieldStatus.MATCH: "equal",
    FieldStatus.OMISSION: "missing in the output",
    FieldStatus.HALLUCINATION: "only the output has it",
}


def _in_document_order(document: Any, results: Results) -> Results:
    """Results sorted by where a document has their places."""
    indexes: dict[int, dict[str, int]] = {}

    def order(place: Location) -> list[int]:
        """The position of each step of a place among its neighbours, for sorting."""
        positions, value = [], document
        for step in place:
            if value.__class__ is dict and id(value) not in indexes:
                indexes[id(value)] = {key: at for at, key in enumerate(value)}
            positions.append(indexes[id(value)][step] if isinstance(step, str) else step)
            value = value[step]
        return positions

    return {place: results[place] for place in sorted(results, key=order)} if len(results) > 1 else results
