"""Sums over the documents of rows that no list of fields describes, and of the empty values of all fields.

A path that is among the first of all rows is among the first of every part of them that it occurs in, so that parts counted apart
come to what all rows count at once. The same holds for clusters beyond so many: they share groups, chosen by a checksum of their names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias
from zlib import crc32

from msgspec import field

from evaluators.runs.exact_sums import Four, Sum, plus
from evaluators.runs.intervals import RatioSums
from evaluators.runs.watch import key_of, target_of
from evaluators.scoring.fields.empty_values import ALL_FIELDS, EMPTY_RATES, INVENTED, LEFT_EMPTY, InRow
from evaluators.scoring.fields.row_checks import CREDIT, OVERFLOW, Detail

MOST_PATHS: Final = 2_000
"""Paths of an open tree that have metrics of their own, the first in alphabetical order; the others share one line."""
MOST_LOOKED_AT: Final = 4_000
"""Fields of an open tree whose empty values are counted, the first in alphabetical order: those that have metrics, and places above."""
MOST_CLUSTERS: Final = 2_048
"""Clusters whose empty values are counted one by one."""
GROUPS: Final = 512
"""What more clusters share: groups are as independent of each other as clusters are."""
_GROUP: Final = "\0"
Details: TypeAlias = dict[str, dict[str, int]]
"""By path and kind: `{"items[*].sku": {"errors": 3, "credit/4": 7}}`. See `evaluators.scoring.fields.row_checks`."""
CREDIT_OVER: Final = f"{CREDIT}/"
"""How the kind of partial credit begins; its denominator follows."""


class DocumentSums(Sum):
    """The counts of open trees at each path, over all rows: a field that was measured counts for itself."""

    paths: dict[str, Four] = field(default_factory=dict)
    """(match, mismatch, omission, hallucination) by path."""
    details: Details = field(default_factory=dict)
    """What else a check counted."""

    def add_counts(self, counts: Mapping[str, Sequence[int]]) -> None:
        """Adds (match, mismatch, omission, hallucination) by path. Paths beyond `MOST_PATHS` share one line."""
        plus(self.paths, {path: list(four) for path, four in counts.items()})
        self.limit()

    def add_details(self, details: Mapping[Detail, int]) -> None:
        """Adds what a check counted beside the statuses: `details` has a count for each (path, kind, denominator)."""
        for (path, kind, den), count in details.items():
            plus(self.details, {path: {f"{CREDIT_OVER}{den}" if kind == CREDIT else kind: count}})

    def limit(self) -> None:
        """Keeps the first `MOST_PATHS` paths, and adds the others up under `OVERFLOW`."""
        if len(self.paths) > MOST_PATHS:
            for path in sorted(self.paths.keys() - {OVERFLOW})[MOST_PATHS:]:
                plus(self.paths, {OVERFLOW: self.paths.pop(path)})


class EmptySums(Sum):
    """The empty values of one evaluator's fields over some rows."""

    ratios: dict[str, RatioSums] = field(default_factory=dict)
    """What the rates and their intervals are made from, by field and rate as `watch.key_of` spells them."""
    clusters: dict[str, dict[str, Four]] = field(default_factory=dict)
    """What the values of each field come to in each cluster, as an `InRow`, where the suite clusters rows and documents decide what
    fields there are; those of a closed list are columns."""

    def add(self, counts: Mapping[str, Mapping[InRow, int]]) -> None:
        """Adds the empty values of some rows: `counts` says, by field, how many rows have each `InRow`; under "" stand all fields of a
        row together."""
        for name, rows in counts.items():
            for metric, sums in empty_sums(rows).items():
                plus(self.ratios, {key_of((name or None, metric)): sums})

    def add_clusters(self, counts: Mapping[str, Mapping[str, Mapping[InRow, int]]]) -> None:
        """Adds the empty values of some rows in clusters: `counts` says, by cluster and field, how many rows have each `InRow`."""
        for cluster, fields in counts.items():
            cells: dict[str, Four] = {}
            for name, rows in fields.items():
                sums = cells[name] = [0, 0, 0, 0]
                for values, times in rows.items():
                    for index in range(4):
                        sums[index] += values[index] * times
            plus(self.clusters, {cluster: cells})
        self.limit()

    def limit(self) -> None:
        """Keeps the first `MOST_LOOKED_AT` fields in alphabetical order, and puts clusters into groups where there are too many."""
        self.clusters = limited_clusters(self.clusters)
        if len(self.ratios) > MOST_LOOKED_AT:
            targets = [target for target in map(target_of, self.ratios) if target[1] in EMPTY_RATES]
            beyond = set(sorted({path or ALL_FIELDS for path, _ in targets})[MOST_LOOKED_AT:])
            for target in targets:
                if target[0] in beyond:
                    del self.ratios[key_of(target)]
            for cells in self.clusters.values():
                for name in beyond & cells.keys():
                    del cells[name]


def empty_sums(counts: Mapping[InRow, int]) -> dict[str, RatioSums]:
    """The sums of the invented and the left-empty rate, by the name of the rate, from how many rows, or clusters, have each `InRow`. A
    rate that has nothing to be a share of is left out."""
    sums: dict[str, RatioSums] = {}
    for (empty, invented, filled, left_empty), times in counts.items():
        for metric, part, whole in ((INVENTED, invented, empty), (LEFT_EMPTY, left_empty, filled)):
            if whole and times:
                sums.setdefault(metric, RatioSums()).add(part, whole, times)
    return sums


def limited_clusters(sums: dict[str, dict[str, Four]]) -> dict[str, dict[str, Four]]:
    """The sums by cluster, as they are; by group of clusters, where there are more than `MOST_CLUSTERS` or some share groups already."""
    if len(sums) <= MOST_CLUSTERS and not any(map(_is_group, sums)):
        return sums
    limited: dict[str, dict[str, Four]] = {}
    for name, groups in sums.items():
        plus(limited, {cluster_group(name): groups})
    return limited


def _is_group(name: str) -> bool:
    return name.startswith(_GROUP)


def cluster_group(name: str) -> str:
    """The group that a cluster shares where there are too many of them; a group is its own."""
    return name if _is_group(name) else f"{_GROUP}{crc32(name.encode('utf-8', 'surrogatepass')) % GROUPS}"
