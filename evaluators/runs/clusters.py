"""Clusters: rows that belong together, such as the pages of one document.

Rows of one cluster tend to be right or wrong together, so an interval that counts them one by one is too narrow: each cluster is one
unit. Rows without a name are in one of them. Clusters are counted one at a time, in the order of their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import lcm
from typing import Final, TypeAlias

from msgspec import Struct, field

from evaluators.model.rows import Result
from evaluators.runs.columns import Cells
from evaluators.runs.empty_patterns import pattern_of
from evaluators.runs.exact_sums import summand
from evaluators.runs.intervals import RatioSums
from evaluators.runs.watch import Watch, key_of
from evaluators.scoring.fields.empty_values import InRow

Contents: TypeAlias = tuple[int, ...]
"""The codes of the rows of one cluster, in order: clusters with the same ones are alike."""
MOST_CONTENTS: Final = 20_000
"""Different contents that are kept until they are counted."""


class ClusterSums(Struct):
    """The clusters of one evaluator: of each, what its scored rows add to a metric, of how many rows they are."""

    common: int = 1
    """The denominator of all scores."""
    scores: RatioSums = field(default_factory=RatioSums)
    passes: RatioSums = field(default_factory=RatioSums)
    ratios: dict[str, RatioSums] = field(default_factory=dict)
    """The metrics that are watched, by `watch.key_of`, also of rows that are not scored."""
    empties: dict[str, Counter[InRow]] = field(default_factory=dict)
    """By field of a closed list, how many clusters have so many empty values."""


class ClusterCounter:
    """Counts the clusters of one evaluator."""

    def __init__(self, place: int, verdicts: Sequence[Result], watch: Watch | None) -> None:
        """`place` is the index of the evaluator, `verdicts` are what its codes stand for, `watch` the ratios that gates name."""
        self.names = [f"code{place}"]
        self._verdicts, self._watch = verdicts, watch
        self._scores = [summand(verdict.num, verdict.den) if verdict.status.scored else (0, 1) for verdict in verdicts]
        self.sums = ClusterSums(lcm(*(den for _, den in self._scores)))
        self._contents = Counter[Contents]()

    def add(self, group: str, cells: Sequence[Cells]) -> None:
        """Counts one cluster, whose codes are `cells[0]`; its name `group` does not matter."""
        self._contents[tuple(sorted(cells[0]))] += 1
        if len(self._contents) > MOST_CONTENTS:
            self.settle()

    def settle(self) -> None:
        """Adds the clusters that `add` has collected to `sums`, and forgets them: of each cluster the sum of the scores, as a numerator
        over `sums.common`, the passed rows, and the watched ratios. Clusters with the same codes are counted at once."""
        scores, passes = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
        for contents, times in self._contents.items():
            codes = Counter(contents)
            scored = {code: n for code, n in codes.items() if self._verdicts[code].status.scored}
            rows, sums = sum(scored.values()), self.sums
            total = sum(self._scores[code][0] * (sums.common // self._scores[code][1]) * n for code, n in scored.items())
            scores[total, rows] += times
            passes[sum(n for code, n in scored.items() if self._verdicts[code].passed), rows] += times
            for key, (part, whole) in self._watched_ratios(codes).items():
                sums.ratios.setdefault(key, RatioSums()).add(part, whole, times)
        for groups, counts in ((self.sums.scores, scores), (self.sums.passes, passes)):
            for (part, whole), times in counts.items():
                groups.add(part, whole, times)
        self._contents.clear()

    def _watched_ratios(self, codes: Mapping[int, int]) -> dict[str, tuple[int, int]]:
        """The two sums, part and whole, of each watched ratio over one cluster, by the ratio's key. `codes` says how many rows of the
        cluster have each verdict; without a watch nothing comes back."""
        sums: dict[str, tuple[int, int]] = {}
        if self._watch is None:
            return sums
        for code, n in codes.items():
            for target, part, whole in self._watch.parts(self._verdicts[code]):
                before = sums.get(key := key_of(target), (0, 0))
                sums[key] = before[0] + part * n, before[1] + whole * n
        return sums


class EmptyCounter:
    """Counts the empty values of clusters, for one evaluator with a closed list of fields."""

    def __init__(self, place: int, patterns: Sequence[str]) -> None:
        """`place` is the index of the evaluator, `patterns` are what its codes of patterns stand for."""
        self.names = [f"empty{place}"]
        self._patterns = [*map(pattern_of, patterns)]
        self._alike = Counter[Contents]()
        self.clusters: dict[str, Counter[InRow]] = {}
        """By field, how many clusters have so many empty values."""

    def add(self, group: str, cells: Sequence[Cells]) -> None:
        """Counts one cluster, whose codes of patterns are `cells[0]`; its name `group` does not matter."""
        self._alike[tuple(sorted(cells[0]))] += 1
        if len(self._alike) > MOST_CONTENTS:
            self.settle()

    def settle(self) -> None:
        """Adds the clusters that `add` has collected to `clusters`, and forgets them: for each field of a cluster, the numbers of empty
        values of its rows are summed, and one more cluster has these sums."""
        for contents, times in self._alike.items():
            sums: dict[str, list[int]] = {}
            for code, n in Counter(contents).items():
                for name, values in self._patterns[code].items():
                    sums[name] = [total + n * value for total, value in zip(sums.get(name, _NONE), values, strict=True)]
            for name, of_field in sums.items():
                self.clusters.setdefault(name, Counter())[InRow(*of_field)] += times
        self._alike.clear()


_NONE: Final = (0, 0, 0, 0)
