"""Counting: verdicts in, exact and mergeable sums out.

A score is a fraction of whole numbers, so a sum of scores is one whole number per denominator (`evaluators.run.exact_sums`).
Adding and merging never round; the one division comes at the end (`evaluators.run.intervals`). Any split of the rows, in
any order, gives the same metrics to the last bit.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, TypeAlias

from msgspec import Meta, field

from evaluators.fields.empty_values import ALL_FIELDS, EMPTY_RATES, INVENTED, LEFT_EMPTY, EmptyCounts, InRow
from evaluators.fields.path_check import CREDIT, OVERFLOW, Detail, FoundEmpties
from evaluators.model import FieldStatus, Result, RowStatus
from evaluators.run.exact_sums import Four, Sum, Sums, add_to, plus, summand
from evaluators.run.groups import (
    FEWER_CLUSTERS,
    MOST_SLICES,
    OTHER_VALUES,
    ClusterSum,
    beyond_first,
    limited_clusters,
    slice_texts,
)
from evaluators.run.intervals import RatioSums
from evaluators.run.watch import Watch, key_of, target_of

MOST_PATHS: Final = 2_000
"""Paths of an open tree that have metrics of their own, the first in alphabetical order; the others share one line."""
_STATUSES = len(FieldStatus)
_ROW_STATUSES = len(RowStatus)
Details: TypeAlias = dict[str, dict[str, int]]
"""By path and kind: `{"items[*].sku": {"errors": 3, "credit/4": 7}}`. See `evaluators.fields.path_check`."""


CREDIT_OVER: Final = f"{CREDIT}/"
"""How the kind of partial credit begins; its denominator follows."""


class MetricSum(Sum):
    """The exact sum of one further metric over the rows in which it is defined."""

    rows: int = 0
    sums: Sums = field(default_factory=dict)
    """Denominator → sum of numerators."""

    def add(self, metric: tuple[int, int], times: int) -> None:
        """Count a metric (num, den) that was met some number of times; den 0 is undefined and says nothing."""
        num, den = metric
        if den:
            self.rows += times
            add_to(self.sums, num, den, times)


class Tally(Sum):
    """The sums of one evaluator over some rows."""

    statuses: list[Annotated[list[int], Meta(min_length=_STATUSES, max_length=_STATUSES)]] = field(default_factory=list)
    """For each listed field, how often each status was met."""
    row_statuses: Annotated[list[int], Meta(min_length=_ROW_STATUSES, max_length=_ROW_STATUSES)] = field(
        default_factory=lambda: [0] * _ROW_STATUSES
    )
    passed: int = 0
    empty_expected: int = 0
    sums: Sums = field(default_factory=dict)
    """Denominator → sum of numerators, over the scored rows."""
    powers: dict[int, Annotated[list[int], Meta(min_length=3, max_length=3)]] = field(default_factory=dict)
    """Denominator → sums of the numerators to the powers 2, 3 and 4: what an interval of the mean is made from."""
    clusters: dict[str, ClusterSum] = field(default_factory=dict)
    """What the scored rows of each cluster came to, where the suite clusters rows. See `evaluators.run.groups`."""
    counts: Four = field(default_factory=lambda: [0, 0, 0, 0])
    """(match, mismatch, omission, hallucination) over the leaves of an open tree, of every row that was read, also where
    nothing came to a score; but not of a row that could not be judged: what it lost must not make the others look better."""
    paths: dict[str, Four] = field(default_factory=dict)
    """The same by path, of all rows: a field that was measured counts for itself."""
    metrics: list[MetricSum] = field(default_factory=list)
    """The further metrics of verdicts, in the order of the evaluator's `ScoredFields.metrics`; empty while none was met."""
    gave_nothing: int = 0
    """Scored rows whose output gave nothing of what was expected, and nothing else: pooled precision does not see them."""
    unread: int = 0
    """Rows that the data or the environment kept out, and of which no field was measured either."""
    details: Details = field(default_factory=dict)
    """What else a check counted."""
    ratios: dict[str, RatioSums] = field(default_factory=dict)
    """What an interval is made from, for each metric that is watched, by `watch.key_of`."""
    cluster_empties: dict[str, dict[str, Four]] = field(default_factory=dict)
    """What the empty values of each field come to in each cluster, as an `InRow`, where the suite clusters rows."""

    @staticmethod
    def of(fields: int) -> Tally:
        """No rows, of an evaluator whose closed list of fields is so long."""
        return Tally([[0] * _STATUSES for _ in range(fields)])

    def add(self, verdict: Result, times: int = 1, watch: Watch | None = None) -> None:
        """Count a verdict that was met some number of times."""
        self.row_statuses[verdict.status] += times
        if verdict.status.scored:
            self.passed += times if verdict.passed else 0
            num, den = summand(verdict.num, verdict.den)
            self.sums[den] = self.sums.get(den, 0) + num * times
            powers = self.powers.setdefault(den, [0, 0, 0])
            for index in range(3):
                powers[index] += num ** (index + 2) * times
            self.gave_nothing += times if _gave_nothing(verdict) else 0
        elif verdict.status.kept_out and not verdict.statuses and not any(verdict.counts or ()):
            self.unread += times
        if watch is not None:
            for target, part, whole in watch.parts(verdict):
                self.ratios.setdefault(key_of(target), RatioSums()).add(part, whole, times)
        for counts, status in zip(self.statuses, verdict.statuses, strict=False):
            counts[status] += times
        for index, further in enumerate(verdict.metrics):
            if index == len(self.metrics):
                self.metrics.append(MetricSum())
            self.metrics[index].add(further, times)
        if verdict.counts is not None and (verdict.status.scored or verdict.status is RowStatus.NOT_MEASURED):
            if verdict.den and not any(verdict.counts) and verdict.status is RowStatus.SCORED:
                self.empty_expected += times
            for index, count in enumerate(verdict.counts):
                self.counts[index] += count * times

    def add_paths(self, paths: Mapping[str, Sequence[int]]) -> None:
        """Count leaves by path.

        A path that is among the first of all rows is among the first of every part of them that it occurs in, so that
        parts counted apart come to what all rows count at once.
        """
        plus(self.paths, {path: list(counts) for path, counts in paths.items()})
        self.limit()

    def add_details(self, details: Mapping[Detail, int]) -> None:
        """Count what a check counted beside the statuses."""
        for (path, kind, den), count in details.items():
            plus(self.details, {path: {f"{CREDIT_OVER}{den}" if kind == CREDIT else kind: count}})

    def add_empties(self, found: Mapping[str, Mapping[InRow, int]]) -> None:
        """Count by field how many rows have so many empty values; under "" all fields of a row together."""
        for name, rows in found.items():
            for metric, sums in empty_sums(rows).items():
                plus(self.ratios, {key_of((name or None, metric)): sums})

    def add_cluster_empties(self, found: Mapping[str, Mapping[str, Mapping[InRow, int]]]) -> None:
        """Count by cluster and field how many rows have so many empty values."""
        for cluster, fields in found.items():
            cells: dict[str, Four] = {}
            for name, rows in fields.items():
                sums = cells[name] = [0, 0, 0, 0]
                for values, times in rows.items():
                    for index in range(4):
                        sums[index] += values[index] * times
            plus(self.cluster_empties, {cluster: cells})
        self.limit()

    def limit(self) -> None:
        """Keeps the first paths, and so many clusters."""
        if len(self.paths) > MOST_PATHS:
            for path in sorted(self.paths.keys() - {OVERFLOW})[MOST_PATHS:]:
                plus(self.paths, {OVERFLOW: self.paths.pop(path)})
        self.clusters = limited_clusters(self.clusters)
        self.cluster_empties = limited_clusters(self.cluster_empties, *FEWER_CLUSTERS)
        if len(self.ratios) > MOST_LOOKED_AT:
            targets = [target for target in map(target_of, self.ratios) if target[1] in EMPTY_RATES]
            beyond = set(sorted({path or ALL_FIELDS for path, _ in targets})[MOST_LOOKED_AT:])
            for target in targets:
                if target[0] in beyond:
                    del self.ratios[key_of(target)]
            for cells in self.cluster_empties.values():
                for name in beyond & cells.keys():
                    del cells[name]

    def score_powers(self) -> dict[int, tuple[int, int, int, int]]:
        """Denominator → (Σ num, Σ num², Σ num³, Σ num⁴), over the scored rows."""
        return {den: (self.sums[den], powers[0], powers[1], powers[2]) for den, powers in self.powers.items()}

    @property
    def rows(self) -> int:
        """Every row that was met."""
        return sum(self.row_statuses)

    @property
    def scored(self) -> int:
        """The rows that count in the mean."""
        return sum(self.row_statuses[status] for status in RowStatus if status.scored)


MOST_LOOKED_AT: Final = 4_000
"""Fields of an open tree whose empty values are counted, the first in alphabetical order: those that have metrics, and places above."""


def empty_sums(counts: Mapping[InRow, int]) -> dict[str, RatioSums]:
    """The sums of both rates, given how many rows, or clusters, have so many empty values."""
    found: dict[str, RatioSums] = {}
    for (empty, invented, filled, left_empty), times in counts.items():
        for metric, part, whole in ((INVENTED, invented, empty), (LEFT_EMPTY, left_empty, filled)):
            if whole and times:
                found.setdefault(metric, RatioSums()).add(part, whole, times)
    return found


def _gave_nothing(verdict: Result) -> bool:
    """The output left something out, and there is nothing that it gave."""
    if verdict.counts is not None:
        match, mismatch, omission, hallucination = verdict.counts
        return omission > 0 and not match + mismatch + hallucination
    return FieldStatus.OMISSION.number in verdict.statuses and not _GIVEN.intersection(verdict.statuses)


_GIVEN: Final = frozenset(bytes((FieldStatus.MATCH, FieldStatus.MISMATCH, FieldStatus.HALLUCINATION, FieldStatus.ERROR)))


class Ledger:
    """Counts the verdicts of one evaluator, chunk by chunk, by the identity of verdict objects.

    Checks hand out the same object for the same verdict, so most rows cost one look-up. `codes` number the distinct
    verdicts in the order in which they are first met; `verdicts` has them by number. Objects beyond KEPT are looked up by
    value, so that a check that makes a new object for every row costs time and no memory.
    """

    __slots__ = ("_by_id", "_by_value", "_kept", "counts", "faulty", "tally", "verdicts", "watch")

    KEPT = 20_000

    def __init__(self, fields: int, watch: Watch | None = None) -> None:
        self.tally = Tally.of(fields)
        self.watch = watch
        self.verdicts: list[Result] = []
        self.counts: list[int] = []
        self.faulty: set[int] = set()
        """The numbers of verdicts with an issue."""
        self._by_id: dict[int, int] = {}
        self._by_value: dict[Result, int] = {}
        self._kept: list[Result] = []  # an identity is only good while its object lives

    def codes(self, column: Sequence[Result]) -> list[int]:
        """The number of each verdict of a chunk, counted."""
        by_id, counts = self._by_id, self.counts
        try:
            found = [by_id[id(verdict)] for verdict in column]
        except KeyError:
            found = [self.number(verdict) for verdict in column]
        for code in found:
            counts[code] += 1
        return found

    def number(self, verdict: Result) -> int:
        """The number of a verdict, not counted."""
        code = self._by_id.get(id(verdict))
        if code is not None:
            return code
        code = self._by_value.get(verdict)
        if code is None:
            code = self._by_value[verdict] = len(self.verdicts)
            self.verdicts.append(verdict)
            self.counts.append(0)
            if verdict.issue is not None:
                self.faulty.add(code)
        if len(self._kept) < self.KEPT:
            self._kept.append(verdict)
            self._by_id[id(verdict)] = code
        return code

    def settle(self) -> Tally:
        """The tally of everything counted so far; the ledger starts afresh."""
        for verdict, count in zip(self.verdicts, self.counts, strict=True):
            if count:
                self.tally.add(verdict, count, self.watch)
        self.verdicts, self.counts, self.faulty = [], [], set()
        self._by_id, self._by_value, self._kept = {}, {}, []
        return self.tally


class SliceCounts:
    """The verdicts of one split, counted by the values of one column."""

    def __init__(self, ledgers: Sequence[Ledger], fields: Sequence[Sequence[str]], most: int = MOST_SLICES) -> None:
        """`fields` are those of each evaluator that have metrics in slices."""
        self._ledgers = ledgers
        self._empties = [EmptyCounts({ALL_FIELDS, *names}) for names in fields]
        self._most = most
        self._counts: list[Counter[tuple[str, int]]] = [Counter() for _ in ledgers]
        self._values: set[str] = set()
        self._last: str | None = None  # values after this one are not among the first

    def add(
        self, cells: Sequence[Any], codes: Sequence[Sequence[int]], empties: Sequence[Sequence[FoundEmpties]]
    ) -> None:
        """Some rows: their cells in the column, the verdict numbers of each evaluator, and what is empty in them."""
        texts = slice_texts(cells)
        if self._last is not None:
            last = self._last
            texts = [text if text <= last else OTHER_VALUES for text in texts]
        self._values.update(texts)
        for counts, column in zip(self._counts, codes, strict=True):
            counts.update(zip(texts, column, strict=True))
        for one, parts in zip(self._empties, empties, strict=True):
            for values, rows in parts:
                one.take(values, {at: texts[row] for at, row in rows.items()})
        if len(self._values) > 2 * self._most:
            self._keep_first()

    def tallies(self) -> dict[str, list[Tally]]:
        """By value, one tally per evaluator."""
        self._keep_first()
        found: dict[str, list[Tally]] = defaultdict(lambda: [Tally.of(len(one.tally.statuses)) for one in self._ledgers])
        for index, (ledger, counts) in enumerate(zip(self._ledgers, self._counts, strict=True)):
            for (text, code), count in counts.items():
                found[text][index].add(ledger.verdicts[code], count, ledger.watch)
            for text, fields in self._empties[index].by_group().items():
                found[text][index].add_empties(fields)
        return dict(found)

    def _keep_first(self) -> None:
        beyond = beyond_first(self._values, self._most)
        if not beyond:
            return
        self._values -= beyond
        self._last = max(self._values - {OTHER_VALUES})
        for index, counts in enumerate(self._counts):
            kept: Counter[tuple[str, int]] = Counter()
            for (text, code), count in counts.items():
                kept[OTHER_VALUES if text in beyond else text, code] += count
            self._counts[index] = kept
            self._empties[index].merge_groups(beyond, OTHER_VALUES)
