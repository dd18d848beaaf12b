"""Counting: results in, exact sums out.

A score is a fraction of whole numbers, so a sum of scores is one whole number per denominator (`evaluators.runs.exact_sums`).
Adding never rounds; the one division comes at the end (`evaluators.runs.intervals`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct, field

from evaluators.model.rows import FieldStatus, Result, RowStatus
from evaluators.runs.columns import Columns
from evaluators.runs.exact_sums import Four, Sums, add_to, summand
from evaluators.runs.intervals import RatioSums
from evaluators.runs.watch import Watch, key_of
from evaluators.scoring.plan.graph import EvaluatorLine

_STATUSES = len(FieldStatus)
_ROW_STATUSES = len(RowStatus)


class MetricSum(Struct):
    """The exact sum of one further metric over the rows in which it is defined."""

    rows: int = 0
    sums: Sums = field(default_factory=dict)
    """Denominator → sum of numerators."""

    def add(self, metric: tuple[int, int], times: int) -> None:
        """Adds the metric (num, den) as often as `times` says; one with den 0 is undefined and not counted."""
        num, den = metric
        if den:
            self.rows += times
            add_to(self.sums, num, den, times)


class Tally(Struct):
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
    counts: Four = field(default_factory=lambda: [0, 0, 0, 0])
    """(match, mismatch, omission, hallucination) over the leaves of an open tree, of every row that was read, also where
    nothing came to a score; but not of a row that could not be judged: what it lost must not make the others look better."""
    metrics: list[MetricSum] = field(default_factory=list)
    """The further metrics of verdicts, in the order of the evaluator's `ScoredFields.metrics`; empty while none was met."""
    gave_nothing: int = 0
    """Scored rows whose output gave nothing of what was expected, and nothing else: pooled precision does not see them."""
    unread: int = 0
    """Rows that the data or the environment kept out, and of which no field was measured either."""
    ratios: dict[str, RatioSums] = field(default_factory=dict)
    """What an interval is made from, for each metric that is watched, by `watch.key_of`."""

    @staticmethod
    def of(fields: int) -> Tally:
        """The tally of no rows, of an evaluator with so many fields in its closed list."""
        return Tally([[0] * _STATUSES for _ in range(fields)])

    @staticmethod
    def of_line(line: EvaluatorLine) -> Tally:
        """The tally of no rows, of that evaluator."""
        return Tally.of(len(line.settings.scored_fields().names))

    def add(self, verdict: Result, times: int = 1, watch: Watch | None = None) -> None:
        """Adds a verdict to all sums, as often as `times` says. `watch` has the ratios that are summed by row."""
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

    def score_powers(self) -> dict[int, tuple[int, int, int, int]]:
        """Denominator → (Σ num, Σ num², Σ num³, Σ num⁴), over the scored rows."""
        return {den: (self.sums[den], powers[0], powers[1], powers[2]) for den, powers in self.powers.items()}

    @property
    def rows(self) -> int:
        """The number of rows that were counted."""
        return sum(self.row_statuses)

    @property
    def scored(self) -> int:
        """The number of rows that count in the mean."""
        return sum(self.row_statuses[status] for status in RowStatus if status.scored)


def _gave_nothing(verdict: Result) -> bool:
    """Whether the output left out something that was expected and gave no value at all."""
    if verdict.counts is not None:
        match, mismatch, omission, hallucination = verdict.counts
        return omission > 0 and not match + mismatch + hallucination
    return FieldStatus.OMISSION.number in verdict.statuses and not _GIVEN.intersection(verdict.statuses)


_GIVEN: Final = frozenset(bytes((FieldStatus.MATCH, FieldStatus.MISMATCH, FieldStatus.HALLUCINATION, FieldStatus.ERROR)))


def row_tallies(
    columns: Columns, lines: Sequence[EvaluatorLine], verdicts: Sequence[Sequence[Result]], watches: Mapping[str, Watch]
) -> list[Tally]:
    """The tally of each evaluator over all rows."""
    times = [Counter[int]() for _ in lines]
    for codes in columns.read(columns.layout.codes):
        for counts, column in zip(times, codes, strict=True):
            counts.update(column)
    tallies = [*map(Tally.of_line, lines)]
    for line, tally, known, counts in zip(lines, tallies, verdicts, times, strict=True):
        for code, n in counts.items():
            tally.add(known[code], n, watches.get(line.name))
    return tallies
