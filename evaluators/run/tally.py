"""Counting: verdicts in, exact and mergeable sums out.

A score is a fraction of whole numbers, so a sum of scores is one whole number per denominator (`evaluators.run.exact_sums`).
Adding and merging never round; the one division comes at the end (`evaluators.run.statistics`). Any split of the rows, in
any order, gives the same figures to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from evaluators.fields.path_details import OVERFLOW, Detail
from evaluators.model import Standing, Status, Verdict
from evaluators.run.clusters import ClusterSum, merge_clusters
from evaluators.run.exact_sums import Sums, add_to, merge_sums, summand
from evaluators.run.intervals import RatioSums
from evaluators.run.watch import Watch, Watched
from evaluators.value_class import dataclass, field

MOST_PATHS: Final = 2_000
"""Paths of an open tree that have figures of their own, the first in alphabetical order; the others share one line."""
_STATUSES = len(Status)
_STANDINGS = len(Standing)


@dataclass(slots=True)
class FigureSum:
    """The exact sum of one further figure over the rows in which it is defined."""

    rows: int = 0
    sums: Sums = field(default_factory=dict)
    """Denominator → sum of numerators."""

    def add(self, figure: tuple[int, int], times: int) -> None:
        """Count a figure (num, den) that was met some number of times; den 0 is undefined and says nothing."""
        num, den = figure
        if den:
            self.rows += times
            add_to(self.sums, num, den, times)

    def merge(self, other: FigureSum) -> None:
        """Add the sums of other rows."""
        self.rows += other.rows
        merge_sums(self.sums, other.sums)


@dataclass(slots=True)
class Tally:
    """The sums of one evaluator over some rows."""

    fields: int = 0
    """The length of its closed list of fields."""
    standings: list[int] = field(default_factory=lambda: [0] * _STANDINGS)
    passed: int = 0
    empty_expected: int = 0
    sums: Sums = field(default_factory=dict)
    """Denominator → sum of numerators, over the scored rows."""
    powers: dict[int, list[int]] = field(default_factory=dict)
    """Denominator → sums of the numerators to the powers 2, 3 and 4: what an interval of the mean is made from."""
    clusters: dict[str, ClusterSum] = field(default_factory=dict)
    """What the scored rows of each cluster came to, where the suite clusters rows. See `evaluators.run.clusters`."""
    statuses: list[list[int]] = field(default_factory=list)
    """For each listed field, how often each status was met."""
    counts: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    """(match, mismatch, omission, hallucination) over the leaves of an open tree, of every row that was read, also where
    nothing came to a score; but not of a row that could not be judged: what it lost must not make the others look better."""
    paths: dict[str, list[int]] = field(default_factory=dict)
    """The same by path, of all rows: a field that was measured counts for itself."""
    figures: list[FigureSum] = field(default_factory=list)
    """The further figures of verdicts, in the order of the evaluator's `figure_names`; empty while none was met."""
    gave_nothing: int = 0
    """Scored rows whose output gave nothing of what was expected, and nothing else: pooled precision does not see them."""
    unread: int = 0
    """Rows that the data or the environment kept out, and of which no field was measured either."""
    details: dict[Detail, int] = field(default_factory=dict)
    """What else a check counted, by path and kind: see `evaluators.fields.path_details`."""

    watch: Watch | None = field(default=None, compare=False, repr=False)
    ratios: dict[Watched, RatioSums] = field(default_factory=dict)
    """What an interval is made from, for each figure that is watched."""
    ratio_rows: dict[Watched, int] = field(default_factory=dict)
    """The rows that have the figure."""

    def __post_init__(self) -> None:
        if not self.statuses:
            self.statuses = [[0] * _STATUSES for _ in range(self.fields)]

    def add(self, verdict: Verdict, times: int = 1) -> None:
        """Count a verdict that was met some number of times."""
        self.standings[verdict.standing] += times
        if verdict.standing.scored:
            self.passed += times if verdict.passed else 0
            num, den = summand(verdict.num, verdict.den)
            self.sums[den] = self.sums.get(den, 0) + num * times
            powers = self.powers.setdefault(den, [0, 0, 0])
            for place in range(3):
                powers[place] += num ** (place + 2) * times
            self.gave_nothing += times if _gave_nothing(verdict) else 0
        elif verdict.standing > Standing.NOT_MEASURED and not verdict.statuses and not any(verdict.counts or ()):
            self.unread += times
        if self.watch is not None:
            for target, part, whole in self.watch.parts(verdict):
                self.ratios.setdefault(target, RatioSums()).add(part, whole, times)
                self.ratio_rows[target] = self.ratio_rows.get(target, 0) + times
        for counts, status in zip(self.statuses, verdict.statuses, strict=False):
            counts[status] += times
        for place, figure in enumerate(verdict.figures):
            if place == len(self.figures):
                self.figures.append(FigureSum())
            self.figures[place].add(figure, times)
        if verdict.counts is not None and (verdict.standing.scored or verdict.standing is Standing.NOT_MEASURED):
            if verdict.den and not any(verdict.counts) and verdict.standing is Standing.SCORED:
                self.empty_expected += times
            for place, count in enumerate(verdict.counts):
                self.counts[place] += count * times

    def add_paths(self, paths: Mapping[str, Sequence[int]]) -> None:
        """Count leaves by path.

        A path that is among the first of all rows is among the first of every part of them that it occurs in, so that
        parts counted apart come to what all rows count at once.
        """
        for path, counts in paths.items():
            self._add_path(path, counts)
        own = self.paths.keys() - {OVERFLOW}
        if len(own) > MOST_PATHS:
            for path in sorted(own)[MOST_PATHS:]:
                self._add_path(OVERFLOW, self.paths.pop(path))

    def add_details(self, details: Mapping[Detail, int]) -> None:
        """Count what a check counted beside the statuses."""
        for key, count in details.items():
            self.details[key] = self.details.get(key, 0) + count

    def _add_path(self, path: str, counts: Sequence[int]) -> None:
        mine = self.paths.setdefault(path, [0, 0, 0, 0])
        for place, count in enumerate(counts):
            mine[place] += count

    def merge(self, other: Tally) -> None:
        """Add the sums of other rows."""
        for place, count in enumerate(other.standings):
            self.standings[place] += count
        self.passed += other.passed
        self.empty_expected += other.empty_expected
        self.gave_nothing += other.gave_nothing
        self.unread += other.unread
        merge_sums(self.sums, other.sums)
        for den, theirs in other.powers.items():
            powers = self.powers.setdefault(den, [0, 0, 0])
            for place, power in enumerate(theirs):
                powers[place] += power
        merge_clusters(self.clusters, other.clusters)
        for mine, theirs in zip(self.statuses, other.statuses, strict=True):
            for place, count in enumerate(theirs):
                mine[place] += count
        for place, count in enumerate(other.counts):
            self.counts[place] += count
        for target, sums in other.ratios.items():
            self.ratios.setdefault(target, RatioSums()).merge(sums)
        for target, rows in other.ratio_rows.items():
            self.ratio_rows[target] = self.ratio_rows.get(target, 0) + rows
        self.add_paths(other.paths)
        self.add_details(other.details)
        self.figures.extend(FigureSum() for _ in range(len(other.figures) - len(self.figures)))
        for sum_, further in zip(self.figures, other.figures, strict=False):
            sum_.merge(further)

    def score_powers(self) -> dict[int, tuple[int, int, int, int]]:
        """Denominator → (Σ num, Σ num², Σ num³, Σ num⁴), over the scored rows."""
        return {den: (self.sums[den], powers[0], powers[1], powers[2]) for den, powers in self.powers.items()}

    @property
    def rows(self) -> int:
        """Every row that was met."""
        return sum(self.standings)

    @property
    def scored(self) -> int:
        """The rows that count in the mean."""
        return self.standings[Standing.SCORED] + self.standings[Standing.UNREADABLE] + self.standings[Standing.BLOCKED]


def _gave_nothing(verdict: Verdict) -> bool:
    """The output left something out, and there is nothing that it gave."""
    if verdict.counts is not None:
        match, mismatch, omission, hallucination = verdict.counts
        return omission > 0 and not match + mismatch + hallucination
    return Status.OMISSION in verdict.statuses and not _GIVEN.intersection(verdict.statuses)


_GIVEN: Final = frozenset((Status.MATCH, Status.MISMATCH, Status.HALLUCINATION, Status.ERROR))


class Ledger:
    """Counts the verdicts of one evaluator, chunk by chunk, by the identity of verdict objects.

    Checks hand out the same object for the same verdict, so most rows cost one look-up. `codes` number the distinct
    verdicts in the order in which they are first met; `verdicts` has them by number. Objects beyond KEPT are looked up by
    value, so that a check that makes a new object for every row costs time and no memory.
    """

    __slots__ = ("_by_id", "_by_value", "_kept", "counts", "tally", "verdicts")

    KEPT = 20_000

    def __init__(self, fields: int, watch: Watch | None = None) -> None:
        self.tally = Tally(fields, watch=watch)
        self.verdicts: list[Verdict] = []
        self.counts: list[int] = []
        self._by_id: dict[int, int] = {}
        self._by_value: dict[Verdict, int] = {}
        self._kept: list[Verdict] = []  # an identity is only good while its object lives

    def codes(self, column: Sequence[Verdict]) -> list[int]:
        """The number of each verdict of a chunk, counted."""
        by_id, counts = self._by_id, self.counts
        try:
            found = [by_id[id(verdict)] for verdict in column]
        except KeyError:
            found = [self.number(verdict) for verdict in column]
        for code in found:
            counts[code] += 1
        return found

    def number(self, verdict: Verdict) -> int:
        """The number of a verdict, not counted."""
        code = self._by_id.get(id(verdict))
        if code is not None:
            return code
        code = self._by_value.get(verdict)
        if code is None:
            code = self._by_value[verdict] = len(self.verdicts)
            self.verdicts.append(verdict)
            self.counts.append(0)
        if len(self._kept) < self.KEPT:
            self._kept.append(verdict)
            self._by_id[id(verdict)] = code
        return code

    def settle(self) -> Tally:
        """The tally of everything counted so far; the ledger starts afresh."""
        for verdict, count in zip(self.verdicts, self.counts, strict=True):
            if count:
                self.tally.add(verdict, count)
        self.verdicts, self.counts = [], []
        self._by_id, self._by_value, self._kept = {}, {}, []
        return self.tally
