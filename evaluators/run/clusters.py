"""Rows that belong together, such as the pages of one document: what the scored rows of each cluster came to.

Rows of one cluster tend to be right or wrong together, so an interval that counts them one by one is too narrow. Sums by
cluster are exact and mergeable. Beyond so many clusters they share a fixed number of groups, which a checksum of their
names chooses: groups are as independent of each other as clusters are, and memory stays flat. Whether that happens depends
on all the rows together, so pieces counted apart come to what all rows count at once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from fractions import Fraction
from typing import Any, Final
from zlib import crc32

from evaluators.model import Verdict
from evaluators.run.exact_sums import Sums, add_to, merge_sums
from evaluators.run.watch import Watch, Watched
from evaluators.value_class import dataclass, field

MOST_CLUSTERS: Final = 20_000
GROUPS: Final = 4_096
_GROUP: Final = "\0"


@dataclass(slots=True)
class ClusterSum:
    """The scored rows of one cluster: how many, how many passed, and Denominator → sum of numerators."""

    rows: int = 0
    passed: int = 0
    sums: Sums = field(default_factory=dict)
    ratios: dict[Watched, list[int]] = field(default_factory=dict)
    """[part, whole] of each figure that is watched, also of rows that are not scored."""

    def add(self, verdict: Verdict, times: int, watch: Watch | None = None) -> None:
        """Count a verdict that was met some number of times."""
        if verdict.standing.scored:
            self.rows += times
            self.passed += times if verdict.passed else 0
            add_to(self.sums, verdict.num, verdict.den, times)
        for target, part, whole in watch.parts(verdict) if watch is not None else ():
            self._add_ratio(target, part * times, whole * times)

    def _add_ratio(self, target: Watched, part: int, whole: int) -> None:
        mine = self.ratios.setdefault(target, [0, 0])
        mine[0] += part
        mine[1] += whole

    def merge(self, other: ClusterSum) -> None:
        """Add other rows of the cluster."""
        self.rows += other.rows
        self.passed += other.passed
        merge_sums(self.sums, other.sums)
        for target, (part, whole) in other.ratios.items():
            self._add_ratio(target, part, whole)

    @property
    def total(self) -> Fraction:
        """The sum of the scores."""
        return sum((Fraction(num, den) for den, num in self.sums.items()), Fraction(0))


class ClusterCounts:
    """The verdicts of one split, counted by cluster."""

    def __init__(self, evaluators: int) -> None:
        self._counts: list[Counter[tuple[str, int]]] = [Counter() for _ in range(evaluators)]

    def add(self, names: Sequence[str], codes: Sequence[Sequence[int]]) -> None:
        """Some rows: the clusters they belong to, and the verdict numbers of each evaluator."""
        for counts, column in zip(self._counts, codes, strict=True):
            counts.update(zip(names, column, strict=True))

    def sums(self, place: int, verdicts: Sequence[Verdict], watch: Watch | None = None) -> dict[str, ClusterSum]:
        """What each cluster came to for the evaluator in that place."""
        found: dict[str, ClusterSum] = {}
        for (name, code), count in self._counts[place].items():
            found.setdefault(name, ClusterSum()).add(verdicts[code], count, watch)
        return _limited(found)


def merge_clusters(mine: MutableMapping[str, ClusterSum], theirs: Mapping[str, ClusterSum]) -> None:
    """Adds the clusters of other rows."""
    grouped = any(map(_is_group, mine)) or any(map(_is_group, theirs))
    if grouped:
        both = [_grouped(mine), _grouped(theirs)]
        mine.clear()
        for one in both:
            _add(mine, one)
        return
    _add(mine, theirs)
    if len(mine) > MOST_CLUSTERS:
        groups = _grouped(mine)
        mine.clear()
        mine.update(groups)


def cluster_names(cells: Iterable[Any]) -> list[str]:
    """The cells of a column as names of clusters. Rows without a name are one cluster."""
    return [cell if cell.__class__ is str else _text(cell) for cell in cells]


def _text(cell: Any) -> str:
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, (bool, int, float, list, dict)) else ""


def _is_group(name: str) -> bool:
    return name.startswith(_GROUP)


def cluster_group(name: str) -> str:
    """The group that a cluster shares where there are too many of them; a group is its own."""
    return name if _is_group(name) else f"{_GROUP}{crc32(name.encode('utf-8', 'surrogatepass')) % GROUPS}"


def _limited(sums: dict[str, ClusterSum]) -> dict[str, ClusterSum]:
    return _grouped(sums) if len(sums) > MOST_CLUSTERS else sums


def _grouped(sums: Mapping[str, ClusterSum]) -> dict[str, ClusterSum]:
    found: dict[str, ClusterSum] = {}
    for name, one in sums.items():
        found.setdefault(cluster_group(name), ClusterSum()).merge(one)
    return found


def _add(mine: MutableMapping[str, ClusterSum], theirs: Mapping[str, ClusterSum]) -> None:
    for name, one in theirs.items():
        mine.setdefault(name, ClusterSum()).merge(one)
