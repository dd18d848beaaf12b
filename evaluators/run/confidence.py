"""How far the model's own confidence can be trusted: held against what was right.

A confidence is a number from 0 to 1, in a column of the row or at a path of its output; it is read to five decimals. What it speaks of
is right where the row passes, or where the field matches. Rows without a label (skipped, not measured, kept out) say nothing of it. A
confidence that is missing, or no such number, is counted, and its row is never accepted.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from math import ceil, log
from typing import Annotated, Any, Final

from msgspec import Meta, Struct, field

from evaluators.fields.settle import WRONG
from evaluators.issues import CellError
from evaluators.model import FIELD_STATUSES, MISSING, FieldStatus, Result
from evaluators.needs import Output
from evaluators.plan.suite_plan import Compiled
from evaluators.run.exact_sums import FIRST_ROWS, Sum
from evaluators.run.groups import FEWER_CLUSTERS, limited_clusters
from evaluators.run.intervals import at_most, moments_of_clusters, share_interval, wilson
from evaluators.run.measures import UNIT, as_text, is_empty, units_in
from evaluators.run.result import AcceptAbove, ConfidenceBin, ConfidenceStats, Interval
from evaluators.suite.graph import EvaluatorLine
from evaluators.values.json_text import to_text
from evaluators.values.paths import Path

LEVELS: Final = 100_000
"""A confidence is so many steps from 0 to 1."""
BINS: Final = 10
SHOWN: Final = (0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.0)
"""The thresholds that are always shown."""
_BANDS: Final = tuple(
    sorted({*(place * LEVELS // BINS for place in range(BINS)), *(round(one * LEVELS) for one in SHOWN)})
)
"""The steps at which a bin begins, or a threshold that is always shown: what clusters are counted by."""
SURE: Final = 0.05
"""How likely a threshold may be that lets more errors pass than it says."""
OF_ROW: Final = ""
_MISSING: Final = -1
_UNUSABLE: Final = -2


class Confidence(Struct, frozen=True):
    """What the suite says of confidences."""

    column: str | None = None
    """The column with the confidence in the row as a whole; None where only fields have one."""
    max_errors: float = 0.02
    """The share of errors among the accepted rows that a threshold may let pass."""


class ConfidenceSums(Sum):
    """The confidences of one evaluator, or of one of its fields: how often each step was right, and wrong."""

    right: dict[int, int] = field(default_factory=dict)
    """By step; -1 is a confidence that is missing, -2 one that is no number from 0 to 1."""
    wrong: dict[int, int] = field(default_factory=dict)
    kept_out: int = 0
    """Rows that could not be measured."""
    clusters: dict[str, dict[int, Annotated[list[int], Meta(min_length=2, max_length=2)]]] = field(default_factory=dict)
    """By cluster and the step at which a band begins, [wrong, all], where the suite clusters rows."""
    unusable: tuple[tuple[int, str], ...] = ()
    """The first rows whose confidence is no number from 0 to 1, each with what it is. Rows are offsets in a split, then numbers."""

    def limit(self) -> None:
        """Keeps so many clusters."""
        self.clusters = limited_clusters(self.clusters, *FEWER_CLUSTERS)


def step_of(cell: Any) -> int:
    """The step of a confidence, cut after five decimals; -1 where there is none, -2 for what is no number from 0 to 1."""
    if isinstance(cell, CellError):
        return _UNUSABLE
    text = cell if cell.__class__ is str else as_text(cell)
    if is_empty(text):
        return _MISSING
    units = None if isinstance(cell, bool) else units_in(text, ".")
    return units * LEVELS // UNIT if units is not None and 0 <= units <= UNIT else _UNUSABLE


class ConfidenceCounts:
    """The confidences of one evaluator in one split, counted chunk by chunk."""

    def __init__(self, one: Compiled, column: str | None, watched: Sequence[str] = ()) -> None:
        """`watched` are the fields of which each verdict says what became of them, in order."""
        self.sums: dict[str, ConfidenceSums] = {}
        self._one, self._column, self._watched = one, column, list(watched)
        self._names = one.line.settings.scored_fields().names
        self._paths = confidence_paths(one.line)
        needs = zip(one.line.settings.needs(), one.inputs, strict=True)
        self._output = next((slot for need, slot in needs if isinstance(need, Output)), None)

    def add(
        self, offsets: Sequence[int], columns: Mapping[str, Sequence[Any]], slots: Sequence[Sequence[Any]],
        names: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        """Some rows, and the clusters that they belong to."""
        verdicts: Sequence[Result] = slots[self._one.verdicts]
        if self._column is not None:
            labels = [one.passed if one.status.scored else None for one in verdicts]
            kept = [one.status.kept_out for one in verdicts]
            self._count(OF_ROW, offsets, columns[self._column], labels, kept, names)
        if self._output is not None:
            for name, path in self._paths.items():
                cells = [_at(path, document) for document in slots[self._output]]
                labels = [self._label(name, one) for one in verdicts]
                kept = [one.status.kept_out and label is None for one, label in zip(verdicts, labels, strict=True)]
                self._count(name, offsets, cells, labels, kept, names)

    def _count(
        self, name: str, offsets: Sequence[int], cells: Sequence[Any], labels: Sequence[bool | None], kept: Sequence[bool],
        names: Sequence[str] | None,
    ) -> None:  # fmt: skip
        sums, steps = self.sums.setdefault(name, ConfidenceSums()), [*map(step_of, cells)]
        if _UNUSABLE in steps and (lacking := FIRST_ROWS - len(sums.unusable)) > 0:
            odd = (
                (offset, _shown(cell))
                for offset, cell, step, label in zip(offsets, cells, steps, labels, strict=True)
                if step == _UNUSABLE and label is not None
            )
            sums.unusable = (*sums.unusable, *islice(odd, lacking))
        for (step, label, lost), times in Counter(zip(steps, labels, kept, strict=True)).items():
            if lost:
                sums.kept_out += times
            elif label is not None:
                counts = sums.right if label else sums.wrong
                counts[step] = counts.get(step, 0) + times
        if names is not None:
            for cluster, step, label, lost in zip(names, steps, labels, kept, strict=True):
                if step >= 0 and label is not None and not lost:
                    band = sums.clusters.setdefault(cluster, {}).setdefault(_BANDS[bisect(_BANDS, step) - 1], [0, 0])
                    band[0] += not label
                    band[1] += 1
            if len(sums.clusters) > 2 * FEWER_CLUSTERS[0]:  # now and then: it looks at all of them
                sums.limit()

    def _label(self, name: str, verdict: Result) -> bool | None:
        """Whether a field is right in a row; None where it was not measured. One with several values is right where all are."""
        if name in self._names:
            statuses = verdict.statuses[(place := self._names.index(name)) : place + 1]
            status = FIELD_STATUSES[statuses[0]] if statuses else FieldStatus.NOT_MEASURED
            return (status is FieldStatus.MATCH) if status is FieldStatus.MATCH or status in WRONG else None
        counts = verdict.watched[self._watched.index(name)] if verdict.watched else (0, 0, 0, 0)
        return not any(counts[1:]) if any(counts) else None


def _shown(cell: Any) -> str:
    text = cell.issue.message if isinstance(cell, CellError) else cell if isinstance(cell, str) else to_text(cell)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _at(path: Path, document: Any) -> Any:
    return MISSING if isinstance(document, CellError) else path.get(document)


def confidence_paths(line: EvaluatorLine) -> dict[str, Path]:
    """The fields of an evaluator that have a confidence, each with the path to it."""
    found = line.settings.scored_fields().lines or ()
    return {one.name: one.confidence for one in found if one.confidence is not None}


def confidence_stats(
    lines: Sequence[EvaluatorLine],
    sums: Sequence[Mapping[str, ConfidenceSums]],
    confidence: Confidence,
    variant: str | None,
    clustered: bool,
) -> Iterator[ConfidenceStats]:
    """What confidences came to, in the order of the suite."""
    for line, of_line in zip(lines, sums, strict=False):
        paths = confidence_paths(line)
        for name, one in sorted(of_line.items()):
            source = f"row.{confidence.column}" if name == OF_ROW else paths[name].canonical
            yield _stats(line.name, name or None, source, one, confidence.max_errors, variant, clustered)


def _stats(
    evaluator: str,
    name: str | None,
    source: str,
    sums: ConfidenceSums,
    max_errors: float,
    variant: str | None,
    clustered: bool,
) -> ConfidenceStats:
    sums.limit()
    known = {step: (sums.right.get(step, 0), sums.wrong.get(step, 0)) for step in sums.right.keys() | sums.wrong.keys()}
    missing, unusable = (sum(known.pop(step, (0, 0))) for step in (_MISSING, _UNUSABLE))
    n, right = sum(map(sum, known.values())), sum(one for one, _ in known.values())
    of_clusters = [*sums.clusters.values()] if clustered else None
    bins = tuple(_bins(known, of_clusters))
    gaps = (one.n * abs(one.accuracy - one.confidence) for one in bins)
    whole = n + missing + unusable
    threshold = None if clustered else safe_threshold(known, max_errors)
    shown = sorted({*SHOWN, *(() if threshold is None else (threshold,))}, reverse=True)
    accept = tuple(_accepted(known, at, whole, of_clusters) for at in shown)
    chosen = next((one for one in accept if one.threshold == threshold), None)
    return ConfidenceStats(
        evaluator=evaluator, field=name, source=source, n=n, right=right, missing=missing, unusable=unusable, kept_out=sums.kept_out,
        brier=brier(known), ece=sum(gaps) / n if n else None, auroc=auroc(known), bins=bins, accept=accept,
        max_errors=max_errors, threshold=threshold,
        accepted=None if clustered or not whole else chosen.share if chosen is not None else 0.0,
        least_rows=least_rows(max_errors), clustered=clustered, variant=variant, first_unusable=sums.unusable,
    )  # fmt: skip


Steps = Mapping[int, tuple[int, int]]
"""By step of confidence: how often it was right, and wrong."""
Clusters = Sequence[Mapping[int, Sequence[int]]]
"""Of each cluster, by the step at which a band begins: how often it was wrong, and how many there are."""


def brier(known: Steps) -> float | None:
    """The mean squared difference of the confidence from 1 where it was right, and from 0 where it was wrong.

    Source: Brier 1950, "Verification of forecasts expressed in terms of probability", Monthly Weather Review 78.
    """
    total = sum(right * (LEVELS - step) ** 2 + wrong * step**2 for step, (right, wrong) in known.items())
    n = sum(map(sum, known.values()))
    return float(Fraction(total, n * LEVELS**2)) if n else None


def auroc(known: Steps) -> float | None:
    """How likely a right one has more confidence than a wrong one, ties counting half; None without either.

    Source: Hanley and McNeil 1982, "The meaning and use of the area under a receiver operating characteristic (ROC) curve".
    """
    below = pairs = 0
    for step in sorted(known):
        right, wrong = known[step]
        pairs += right * (2 * below + wrong)
        below += wrong
    right = sum(one for one, _ in known.values())
    return float(Fraction(pairs, 2 * right * below)) if right and below else None


def _bins(known: Steps, clusters: Clusters | None) -> Iterator[ConfidenceBin]:
    """The reliability table: ten bins of equal width, from its lower end up to but without its upper one; 1 is in the last.

    The mean of the gaps between confidence and share of right ones, weighted by rows, is the expected calibration error.

    Source: Guo et al. 2017, "On calibration of modern neural networks", ICML, section 2.
    """
    for place in range(BINS):
        found = {step: one for step, one in known.items() if min(step * BINS // LEVELS, BINS - 1) == place}
        right, n = sum(one for one, _ in found.values()), sum(map(sum, found.values()))
        if n:
            mean = Fraction(sum(step * sum(one) for step, one in found.items()), n * LEVELS)
            low, high = place * LEVELS // BINS, (place + 1) * LEVELS // BINS
            ci = wilson(right, n) if clusters is None else _of_clusters(clusters, range(low, high), right=True)
            yield ConfidenceBin(place / BINS, (place + 1) / BINS, n, right, float(mean), right / n, ci)


def _accepted(known: Steps, threshold: float, whole: int, clusters: Clusters | None) -> AcceptAbove:
    """What is accepted from a threshold on, and how much of it is wrong. Rows without a usable confidence are in the whole."""
    least = ceil(Fraction(str(threshold)) * LEVELS)
    found = [one for step, one in known.items() if step >= least]
    accepted, errors = sum(map(sum, found)), sum(wrong for _, wrong in found)
    share = accepted / whole if whole else 0.0
    rate = errors / accepted if accepted else None
    ci = wilson(errors, accepted) if clusters is None else _of_clusters(clusters, range(least, LEVELS))
    return AcceptAbove(threshold, accepted, share, errors, rate, ci)


def _of_clusters(clusters: Clusters, steps: range, right: bool = False) -> Interval | None:
    """The interval of the share of wrong ones, or of right ones, in the bands that begin at such steps."""
    bands = ([counts for band, counts in one.items() if band in steps] for one in clusters)
    found = ((sum(wrong for wrong, _ in one), sum(n for _, n in one)) for one in bands)
    return share_interval(moments_of_clusters((n, Fraction(n - wrong if right else wrong)) for wrong, n in found))


def least_rows(max_errors: float) -> int:
    """How many rows without an error show that there are at most so many: 149 for 2 %."""
    return ceil(log(SURE) / log(1 - max_errors))


def safe_threshold(known: Steps, max_errors: float) -> float | None:
    """The smallest confidence from which on the share of errors is at most `max_errors`, wrong in one of twenty test sets; None
    without any.

    Thresholds are tested in a fixed order, from the highest that accepts enough rows to pass without an error downwards, each at
    the whole level. The first whose one-sided 95 % upper bound is above `max_errors` ends the search, so that looking at many
    thresholds costs nothing. Rows must be independent.

    Source: Clopper and Pearson 1934, Biometrika 26 (the bound); fixed-sequence testing as in Angelopoulos et al. 2021, "Learn then
    test: Calibrating predictive algorithms to achieve risk control", section 3.
    """
    accepted = errors = 0
    found, least = None, least_rows(max_errors)
    for step in sorted(known, reverse=True):
        right, wrong = known[step]
        accepted, errors = accepted + right + wrong, errors + wrong
        if accepted < least:
            continue
        if at_most(errors, accepted, max_errors) > SURE:
            break
        found = step / LEVELS
    return found
