"""Rows that were scored as whole documents: what each row comes to, and what became of each leaf, from the findings of the walk
that counted them.

The results of a row stand in the order of the expected document; what only the output has follows, in the output's own order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property, reduce
from itertools import repeat
from operator import getitem
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from evaluators.model.issues import Issue
from evaluators.model.rows import MISSING, FieldStatus, Outcome, Reason, Result
from evaluators.scoring.fields.empty_values import MADE_UP, EmptyValues, empties
from evaluators.scoring.fields.key_spelling import keys_in
from evaluators.scoring.fields.open_tree import Location, OpenTree, RowCounts, general, is_leaf, verdict_of_counts
from evaluators.scoring.fields.open_walk import LeafFindings, OpenWalk
from evaluators.scoring.fields.path_check import RowsCheck, ScoredRow, ScoredRows
from evaluators.scoring.fields.settle import of_fields
from evaluators.scoring.fields.walk_findings import HALLUCINATION, MATCH, MISMATCH, OMISSION
from evaluators.scoring.values.differences import differs
from evaluators.scoring.values.paths import display

Results: TypeAlias = dict[Location, Outcome]
MEMO: Final = 10_000
"""Verdicts that one evaluator remembers."""


class OpenRows(ScoredRows):
    """Rows whose documents were walked leaf by leaf. An unreadable output is MISSING."""

    def __init__(self, tree: OpenTree, expected: Sequence[Any], outputs: Sequence[Any]) -> None:
        if tree.keys is not None:
            outputs = self.with_known_keys(tree.keys, keys_in(()), expected, outputs)
        self._tree, self._outputs = tree, outputs
        self.walk = OpenWalk(tree, expected, outputs)
        self.counts = self.walk.counts()

    @cached_property
    def _found(self) -> dict[int, list[tuple[LeafFindings, int]]]:
        """The findings of each row, and their positions in them."""
        found: dict[int, list[tuple[LeafFindings, int]]] = {}
        for each in self.walk.findings:
            for at in each.positions:
                found.setdefault(each.frame.rows[at], []).append((each, at))
        return found

    def reason(self, at: int, unreadable: Issue | None = None) -> Reason:
        tree, results = self._tree, tuple(self._results(at).values())
        if unreadable is not None:
            return Reason(unreadable.message, fields=results)
        if tree.depth is not None and not any(self.counts[at]):
            return Reason("the expected object is empty, so nothing was compared", {"empty_expected": True})
        found = verdict_of_counts(tree, self.counts[at], 1.0)
        if not found.den:
            return Reason("there was no leaf to compare", fields=results)
        return Reason(of_fields(found.num, found.den, results, "value"), fields=results)

    def wrong(self, at: int, wanted: Collection[str], listed: Collection[str]) -> list[Outcome]:
        """The leaves of a row that do not match, when rows as a whole ("") are wanted."""
        if "" not in wanted:
            return []
        ours, theirs = self._wrong(at)
        both = _in_order(self.walk.expected[at], ours), _in_order(self.walk.outputs[at], theirs)
        return [result for side in both for result in side.values()]

    def watched(self, at: int, paths: Iterable[str]) -> tuple[tuple[int, int, int, int], ...]:
        """(match, mismatch, omission, hallucination) of some paths in a row."""
        found = Counter((display(general(place)), result.status) for place, result in self._results(at).items())
        return tuple((found[p, MATCH], found[p, MISMATCH], found[p, OMISSION], found[p, HALLUCINATION]) for p in paths)

    def empty_values(self, rows: Collection[int], absent: Sequence[Any]) -> EmptyValues:
        found = self.walk.empty_values(rows, self.counts)
        for row in rows:
            output = self._outputs[row]
            if (
                self._tree.depth is not None
                and not self.walk.expected[row]
                and not self.walk.outputs[row]
                and isinstance(output, dict)
            ):
                # nothing was compared, for nothing is expected
                given = [key for at, key in enumerate(output) if at not in empties([*output.values()])]
                found.found += [(MADE_UP, [(key,)], [row], 1) for key in given]
        return found

    def release(self) -> None:
        self.walk.release()
        self.__dict__.pop("_found", None)

    def _results(self, at: int) -> Results:
        """The leaves of a row, those that match too."""
        tree, expected, output = self._tree, self.walk.expected[at], self.walk.outputs[at]
        ours, theirs = self._wrong(at)
        places = tree.leaves(expected, ()) if not tree.skips(()) else ()
        found = Results()
        for place, value in places:
            if place in ours:
                found[place] = ours[place]
                continue
            actual = reduce(getitem, place, output)
            if not (tree.skip and tree.nothing_left(place, value, actual)):
                found[place] = _result(tree, place, MATCH, value, actual)
        return found | _in_order(output, theirs)

    def _wrong(self, row: int) -> tuple[Results, Results]:
        """What is wrong of the expected leaves of a row, and what only the output has."""
        tree, ours, theirs = self._tree, Results(), Results()
        for found, at in self._found.get(row, ()):
            place, status, expected, output = found.place(at), found.status, found.frame.e[at], found.frame.o[at]
            if status is HALLUCINATION and not is_leaf(expected):
                theirs[place] = _result(tree, place, status, MISSING, output)
            elif status is HALLUCINATION:
                theirs |= {
                    here: _result(tree, here, status, MISSING, value) for here, value in tree.leaves(output, place)
                }
            elif status is OMISSION:
                ours |= {
                    here: _result(tree, here, status, value, MISSING) for here, value in tree.leaves(expected, place)
                }
            else:
                ours[place] = _result(tree, place, status, expected, output)
        return ours, theirs


class OpenCheck(RowsCheck[OpenRows]):
    """The check of an open tree: (expected, output) → verdict. An unreadable output is MISSING."""

    def __init__(self, tree: OpenTree, pass_at: float) -> None:
        super().__init__()
        self.tree = tree
        self.pass_at = pass_at
        self._known: dict[RowCounts, Result] = {}

    def begin(self, *columns: Sequence[Any]) -> OpenRows:
        return OpenRows(self.tree, *columns)

    def settled(self, rows: OpenRows) -> list[ScoredRow]:
        verdicts = [self._known.get(counts) or self._verdict(counts) for counts in rows.counts]
        if self._watched:
            verdicts = [replace(one, watched=rows.watched(at, self._watched)) for at, one in enumerate(verdicts)]
        rows.walk.count_paths(self._tally)
        self._tally.surplus_rows += sum(counts[4] > 0 for counts in rows.counts)
        self._tally.trim()
        return list(map(ScoredRow, verdicts, repeat(rows), range(len(verdicts))))

    def _verdict(self, counts: RowCounts) -> Result:
        found = verdict_of_counts(self.tree, counts, self.pass_at)
        if len(self._known) < MEMO:
            self._known[counts] = found
        return found


def _result(tree: OpenTree, place: Location, status: FieldStatus, expected: Any, actual: Any) -> Outcome:
    score = 1.0 if status is MATCH else 0.0
    reason = differs(expected, actual) if status is MISMATCH else _REASONS[status]
    return Outcome(display(place), status, score, 1.0, None, reason, tree.rule, expected, actual)


_REASONS: Final = {MATCH: "equal", OMISSION: "missing in the output", HALLUCINATION: "only the output has it"}


def _in_order(document: Any, results: Results) -> Results:
    """Results in the order in which a document has their places."""
    indexes: dict[int, dict[str, int]] = {}

    def order(place: Location) -> list[int]:
        found, value = [], document
        for step in place:
            if value.__class__ is dict and id(value) not in indexes:
                indexes[id(value)] = {key: at for at, key in enumerate(value)}
            found.append(indexes[id(value)][step] if isinstance(step, str) else step)
            value = value[step]
        return found

    return {place: results[place] for place in sorted(results, key=order)} if len(results) > 1 else results
