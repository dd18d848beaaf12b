"""What evaluators of whole documents are made of: the check that counts, the score with its reasons, and evidence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from evaluators.fields.leaf_results import LeafResults
from evaluators.fields.open_tree import OpenTree, verdict_of_counts
from evaluators.fields.open_walk import OpenWalk, RowCounts
from evaluators.fields.path_check import PathCheck
from evaluators.fields.path_tally import Counts, PathTally
from evaluators.fields.sentences import of_fields
from evaluators.model import FieldResult, Missing, Score, Verdict

MEMO: Final = 10_000
"""Verdicts that one evaluator remembers."""
REPORT_CAP: Final = 2_000
"""Paths that reporting leaves keeps ready for the next row. Nobody asks for their counts."""


class TalliedCheck(PathCheck):
    """A check whose paths are counted in a tally."""

    tally: PathTally

    def counted(self) -> PathTally:
        return self.tally


class OpenCheck(TalliedCheck, OpenWalk):
    """The check of an open tree: (expected, output) → verdict. An unreadable output is MISSING."""

    def __init__(self, tree: OpenTree, pass_at: float) -> None:
        super().__init__(tree)
        self.pass_at = pass_at
        self._known: dict[RowCounts, Verdict] = {}
        self._perfect: dict[int, Verdict] = {}

    def watching(self, paths: Sequence[str]) -> WatchedCheck:
        return WatchedCheck(self, paths)

    def __call__(self, expected: Any, output: Any) -> Verdict:
        if output is expected and self._plain and self.tree.depth is None:
            match = self._all_match(self.tally.root, expected)
            return self._perfect.get(match) or self._all_matched(match)
        counts = self.count(expected, output)
        return self._known.get(counts) or self._verdict(counts)

    def _all_matched(self, match: int) -> Verdict:
        """The verdict of a row whose leaves all match."""
        found = self._perfect.get(match)
        if found is None:
            found = self._verdict((match, 0, 0, 0, 0))
            if len(self._perfect) < MEMO:
                self._perfect[match] = found
        return found

    def _verdict(self, counts: RowCounts) -> Verdict:
        found = self._known.get(counts)
        if found is None:
            found = verdict_of_counts(self.tree, counts[:4], counts[4], self.pass_at)
            if len(self._known) < MEMO:
                self._known[counts] = found
        return found


class WatchedCheck(TalliedCheck):
    """The check of an open tree, which also says of each row what became of some fields."""

    def __init__(self, check: OpenCheck, paths: Sequence[str]) -> None:
        self.check = check
        self.tally = check.tally
        self.paths = tuple(paths)

    def watching(self, paths: Sequence[str]) -> WatchedCheck:
        return WatchedCheck(self.check, paths)

    def __call__(self, expected: Any, output: Any) -> Verdict:
        verdict = self.check(expected, output)
        row = OpenWalk(self.check.tree)  # counts this row alone
        if any(verdict.counts or ()):
            row.count(expected, output)
        counts = row.tally.counts()
        return verdict._replace(watched=tuple(counts.get(path, _NOTHING) for path in self.paths))


_NOTHING: Final[Counts] = (0, 0, 0, 0)


def explain_open(tree: OpenTree, expected: Any, output: Any | Missing) -> Score:
    """The score of a row with one result per leaf. An unreadable output is MISSING."""
    leaves = LeafResults(every=True)
    counts = OpenWalk(tree).count(expected, output, leaves)
    verdict = verdict_of_counts(tree, counts[:4], counts[4], 1.0)
    results = leaves.of_rule(tree.rule)
    share = Score.share(verdict.num, verdict.den)
    reason = of_fields(verdict.num, verdict.den, results, "value") if verdict.den else "there was no leaf to compare"
    return Score(share.value, None, tuple(results), reason, {}, share.ratio, share.standing)


class WrongLeaves:
    """Says of rows, one after the other, which of their leaves do not match."""

    def __init__(self, tree: OpenTree) -> None:
        self._walk = OpenWalk(tree, REPORT_CAP)

    def __call__(self, expected: Any, output: Any, wanted: Collection[str]) -> list[FieldResult]:
        """The results of a row, when rows as a whole ("") are wanted."""
        if "" not in wanted:
            return []
        leaves = LeafResults(every=False)
        self._walk.count(expected, output, leaves)
        return leaves.of_rule(self._walk.tree.rule)
