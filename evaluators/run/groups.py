"""Groups of rows: clusters, which belong together, such as the pages of one document, and slices, which share a value of one column.

A column may have any number of values, and only some can have metrics of their own: the first ones in alphabetical order.
A value that is among the first of the whole file is among the first of every piece of it that it occurs in, so that
pieces counted apart come to exactly what the whole file counts at once, whatever the pieces.

Rows of one cluster tend to be right or wrong together, so an interval that counts them one by one is too narrow. Sums by
cluster are exact and mergeable. Beyond so many clusters they share a fixed number of groups, which a checksum of their
names chooses: groups are as independent of each other as clusters are, and memory stays flat. Whether that happens depends
on all the rows together, so pieces counted apart come to what all rows count at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from fractions import Fraction
from typing import Any, Final, TypeAlias, TypeVar
from zlib import crc32

from msgspec import field

from evaluators.model import Result
from evaluators.run.exact_sums import Sum, Sums, add_to, plus
from evaluators.run.watch import Watch, key_of
from evaluators.values.cell_words import one_spelling

MOST_CLUSTERS: Final = 20_000
GROUPS: Final = 4_096
FEWER_CLUSTERS: Final = (2_048, 512)
"""The same two limits for sums of which each cluster has many."""
_GROUP: Final = "\0"
Summed = TypeVar("Summed")
MOST_SLICES: Final = 1_000
"""Values of one column that have metrics of their own; the rest shares one slice."""
OTHER_VALUES: Final = "(other values)"
SliceKey: TypeAlias = tuple[str, str]
"""(column, value)."""


class ClusterSum(Sum):
    """The scored rows of one cluster: how many, how many passed, and Denominator → sum of numerators."""

    rows: int = 0
    passed: int = 0
    sums: Sums = field(default_factory=dict)
    ratios: dict[str, list[int]] = field(default_factory=dict)
    """[part, whole] of each metric that is watched, also of rows that are not scored."""

    def add(self, verdict: Result, times: int, watch: Watch | None = None) -> None:
        """Count a verdict that was met some number of times."""
        if verdict.status.scored:
            self.rows += times
            self.passed += times if verdict.passed else 0
            add_to(self.sums, verdict.num, verdict.den, times)
        for target, part, whole in watch.parts(verdict) if watch is not None else ():
            plus(self.ratios.setdefault(key_of(target), [0, 0]), [part * times, whole * times])

    @property
    def total(self) -> Fraction:
        """The sum of the scores."""
        return sum((Fraction(num, den) for den, num in self.sums.items()), Fraction(0))


def cluster_sums(
    counts: Mapping[tuple[str, int], int], verdicts: Sequence[Result], watch: Watch | None
) -> dict[str, ClusterSum]:
    """What each cluster came to, given how often each (cluster, number of a verdict) was met. Where there are too many of them, they share
    groups from the start: sums of their own would take most of the memory of a run."""
    found: dict[str, ClusterSum] = {}
    many = len(counts) > MOST_CLUSTERS and len({name for name, _ in counts}) > MOST_CLUSTERS
    for (name, code), count in counts.items():
        found.setdefault(cluster_group(name) if many else name, ClusterSum()).add(verdicts[code], count, watch)
    return limited_clusters(found)


def limited_clusters(sums: dict[str, Summed], most: int | None = None, groups: int = GROUPS) -> dict[str, Summed]:
    """The sums of clusters; of so many groups, where there are more than `most` clusters or some share groups already."""
    if len(sums) <= (MOST_CLUSTERS if most is None else most) and not any(map(_is_group, sums)):
        return sums
    found: dict[str, Summed] = {}
    for name, one in sums.items():
        plus(found, {cluster_group(name, groups): one})
    return found


def cell_texts(cells: Iterable[Any]) -> list[str]:
    """The cells of a column as names of clusters. Rows without a name are in one of them."""
    return [cell if cell.__class__ is str else cell_text(cell) for cell in cells]


def cell_text(cell: Any) -> str:
    """A cell as the name of a cluster, or of a slice."""
    if isinstance(cell, str):
        return cell
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, (bool, int, float, list, dict)) else ""


def slice_texts(cells: Iterable[Any]) -> list[str]:
    """The cells of a column as names of slices: booleans that differ in case alone are one."""
    return [one_spelling(cell if cell.__class__ is str else cell_text(cell)) for cell in cells]


def _is_group(name: str) -> bool:
    return name.startswith(_GROUP)


def cluster_group(name: str, groups: int = GROUPS) -> str:
    """The group that a cluster shares where there are too many of them; a group is its own."""
    return name if _is_group(name) else f"{_GROUP}{crc32(name.encode('utf-8', 'surrogatepass')) % groups}"


def limit_slices(slices: dict[str, Summed], most: int = MOST_SLICES) -> None:
    """Leaves the first values of a column; what the others counted goes to the slice that says so."""
    if len(slices) > most:
        for value in sorted(beyond_first(slices.keys(), most)):
            plus(slices, {OTHER_VALUES: slices.pop(value)})


def beyond_first(values: Set[str], most: int) -> set[str]:
    """The values that are not among the first so many in alphabetical order."""
    own = values - {OTHER_VALUES}
    return set(sorted(own)[most:]) if len(own) > most else set()
