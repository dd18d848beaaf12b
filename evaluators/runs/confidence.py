"""How far the model's own confidence can be trusted: held against what was right.

A confidence is a number from 0 to 1, in a column of the row or at a path of its output; it is read to five decimals. What it speaks of
is right where the row passes, or where the field matches. Rows without a label (skipped, not measured, kept out) say nothing of it. A
confidence that is missing, or no such number, is counted, and its row is never accepted.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, log
from typing import Final, TypeAlias

from msgspec import Struct, field

from evaluators.model.rows import Result
from evaluators.runs.clusters import MOST_CONTENTS, Contents
from evaluators.runs.columns import Cells, Columns
from evaluators.runs.confidence_scores import LEVELS, Steps
from evaluators.runs.confidence_steps import NO_CONFIDENCE, OF_ROW, UNUSABLE, confidence_paths
from evaluators.runs.intervals import RatioSums, chance_of_at_most, share_interval, wilson
from evaluators.runs.metric_table import CONFIDENCE_METRICS, compute_metrics
from evaluators.runs.result import AcceptAbove, ConfidenceBin, ConfidenceStats, Interval
from evaluators.scoring.plan.graph import EvaluatorLine

BINS: Final = 10
SHOWN: Final = (0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.0)
"""The thresholds that are always shown."""
SURE: Final = 0.05
"""How likely a threshold may be that lets more errors pass than it says."""
Label: TypeAlias = Callable[[Result], tuple[bool | None, bool]]
"""See `confidence_steps.label_of`."""


class Confidence(Struct, frozen=True):
    """The confidence settings of the suite."""

    column: str | None = None
    """The column with the confidence in the row as a whole; None where only fields have one."""
    max_errors: float = 0.02
    """The share of errors among the accepted rows that a threshold may let pass."""


def _least_step(threshold: float) -> int:
    """The least step of confidence that is not below a threshold from 0 to 1."""
    return ceil(Fraction(str(threshold)) * LEVELS)


_BIN_STEPS: Final = tuple(place * LEVELS // BINS for place in range(BINS))
"""The steps at which bins begin."""
_SHOWN_STEPS: Final = tuple(_least_step(threshold) for threshold in SHOWN)
_BANDS: Final = tuple(sorted({*_BIN_STEPS, *_SHOWN_STEPS}))


class Confidences(Struct):
    """The confidences of one evaluator, or of one of its fields."""

    right: Counter[int] = field(default_factory=Counter)
    """How often each step was right."""
    wrong: Counter[int] = field(default_factory=Counter)
    kept_out: int = 0
    """Rows that could not be measured."""
    bins: dict[int, RatioSums] = field(default_factory=dict)
    """By the first step of a bin, how many rows of each cluster in it are right, of how many, where rows have clusters."""
    accepted: dict[int, RatioSums] = field(default_factory=dict)
    """By the step of a threshold that is always shown, how many rows of each cluster from it on are wrong, of how many."""
    unusable: tuple[tuple[int, str], ...] = ()
    """The first rows whose confidence is no number from 0 to 1, each with what it is."""


def confidence_counts(
    columns: Columns, place: int, verdicts: Sequence[Result], label: Label, unusable: tuple[tuple[int, str], ...] = ()
) -> Confidences:
    """The counts of right and wrong rows for each step of confidence, from the column of steps at index `place` and the verdicts of
    its evaluator. `label` says of a verdict whether it is right, and whether its row is kept out."""
    evaluator, _ = columns.layout.steps[place]
    names, labels = [f"step{place}", f"code{evaluator}"], [*map(label, verdicts)]
    confidences, times = Confidences(unusable=unusable), Counter[tuple[int, int]]()
    for steps, codes in columns.read(names):
        times.update(zip(steps, codes, strict=True))
    for (step, code), n in times.items():
        right, kept_out = labels[code]
        if kept_out:
            confidences.kept_out += n
        elif right:
            confidences.right[step] += n
        elif right is not None:
            confidences.wrong[step] += n
    return confidences


class ClusterConfidence:
    """Counts, for each cluster, the right rows in each bin of confidence and the wrong ones from each threshold on."""

    def __init__(
        self, place: int, evaluator: int, verdicts: Sequence[Result], label: Label, confidences: Confidences
    ) -> None:
        """`place` is the index of the column of steps, and `evaluator` that of its evaluator, whose codes stand for `verdicts`. Counts are
        added to `confidences`."""
        self.names, self._confidences = [f"step{place}", f"code{evaluator}"], confidences
        self._labels = [None if kept_out else right for right, kept_out in map(label, verdicts)]
        self._kinds, self._alike = dict[tuple[int, int], int](), Counter[Contents]()

    def add(self, group: str, cells: Sequence[Cells]) -> None:
        """Collects one cluster: `cells` are its column of steps and its column of codes. The name `group` does not matter. Settles what
        is collected once `MOST_CONTENTS` different clusters are."""
        known, kinds = self._kinds, []
        for pair in zip(*cells, strict=True):
            if pair not in known:
                known[pair] = _band_and_label(pair[0], self._labels[pair[1]])
            if known[pair] >= 0:
                kinds.append(known[pair])
        self._alike[tuple(sorted(kinds))] += 1
        if len(self._alike) > MOST_CONTENTS:
            self.settle()

    def settle(self) -> None:
        """Adds the clusters that `add` has collected to the confidences, and forgets them: for each bin the right rows of a cluster, and
        for each threshold that is shown the wrong ones from it on, both of how many."""
        bins, accepted = Counter[tuple[int, int, int]](), Counter[tuple[int, int, int]]()
        for kinds, times in self._alike.items():
            rows = [(_BANDS[kind // 2 - 1], kind % 2) for kind in kinds]  # see `_band_and_label`
            for low in _BIN_STEPS:
                if inside := [right for step, right in rows if low <= step < low + LEVELS // BINS]:
                    bins[low, sum(inside), len(inside)] += times
            for low in _SHOWN_STEPS:
                if inside := [right for step, right in rows if low <= step]:
                    accepted[low, len(inside) - sum(inside), len(inside)] += times
        for steps, counts in ((self._confidences.bins, bins), (self._confidences.accepted, accepted)):
            for (low, part, whole), times in counts.items():
                steps.setdefault(low, RatioSums()).add(part, whole, times)
        self._alike.clear()


def _band_and_label(step: int, right: bool | None) -> int:
    """One number for the band of a step and whether its row is right: 2 × band + right; -1 for a row without a confidence or a label."""
    return -1 if step < 0 or right is None else 2 * bisect(_BANDS, step) + right


def confidence_stats(
    lines: Sequence[EvaluatorLine],
    confidences: Sequence[Mapping[str, Confidences]],
    confidence: Confidence,
    variant: str | None,
    clustered: bool,
) -> Iterator[ConfidenceStats]:
    """Yields the statistics of each confidence: by evaluator in the order of the suite, and of one evaluator by field.

    `confidences` are the counts of each evaluator by field, the empty name for the row as a whole; `clustered`: they have sums of
    clusters.
    """
    for line, of_line in zip(lines, confidences, strict=False):
        paths = confidence_paths(line)
        for name, counts in sorted(of_line.items()):
            source = f"row.{confidence.column}" if name == OF_ROW else paths[name].canonical
            yield _stats(line.name, name or None, source, counts, confidence.max_errors, variant, clustered)


def _stats(
    evaluator: str,
    name: str | None,
    source: str,
    confidences: Confidences,
    max_errors: float,
    variant: str | None,
    clustered: bool,
) -> ConfidenceStats:
    """The statistics of one confidence, of a field or, without a name, of the row. `source` names where the confidence is read, and
    `max_errors` is the share of errors that a threshold may let through. Where rows are `clustered`, no threshold is looked for, and
    intervals come from the sums of clusters."""
    steps = {
        step: (confidences.right[step], confidences.wrong[step])
        for step in confidences.right.keys() | confidences.wrong.keys()
    }
    missing = sum(steps.pop(NO_CONFIDENCE, (0, 0)))
    unusable = sum(steps.pop(UNUSABLE, (0, 0)))  # what is left in `steps` are steps from 0 on
    n, right = sum(map(sum, steps.values())), sum(right_rows for right_rows, _ in steps.values())
    bins = tuple(_reliability_bins(steps, confidences.bins if clustered else None))
    gaps = (bin_.n * abs(bin_.accuracy - bin_.confidence) for bin_ in bins)
    whole = n + missing + unusable
    threshold = None if clustered else safe_threshold(steps, max_errors)
    shown = sorted({*SHOWN, *(() if threshold is None else (threshold,))}, reverse=True)
    accept = tuple(_accept_above(steps, at, whole, confidences.accepted if clustered else None) for at in shown)
    at_threshold = next((each for each in accept if each.threshold == threshold), None)
    accepted = None
    if whole and not clustered:
        accepted = at_threshold.share if at_threshold is not None else 0.0
    return ConfidenceStats(
        evaluator=evaluator, field=name, source=source, n=n, right=right, missing=missing, unusable=unusable, kept_out=confidences.kept_out,
        ece=sum(gaps) / n if n else None, bins=bins, accept=accept,
        max_errors=max_errors, threshold=threshold,
        accepted=accepted,
        least_rows=least_rows(max_errors), clustered=clustered, variant=variant, first_unusable=confidences.unusable,
        **compute_metrics(CONFIDENCE_METRICS, steps),
    )  # fmt: skip


def _reliability_bins(steps: Steps, clusters: Mapping[int, RatioSums] | None) -> Iterator[ConfidenceBin]:
    """Yields the reliability table: ten bins of equal width, without those that are empty. A bin goes from its lower end up to but without
    its upper one; 1 is in the last. `steps` has the counts of each step, `clusters` the sums of clusters by the first step of a bin.

    The mean of the gaps between confidence and share of right ones, weighted by rows, is the expected calibration error.

    Source: Guo et al. 2017, "On calibration of modern neural networks", ICML, section 2.
    """
    for place in range(BINS):
        in_bin = {step: counts for step, counts in steps.items() if min(step * BINS // LEVELS, BINS - 1) == place}
        right, n = sum(counts for counts, _ in in_bin.values()), sum(map(sum, in_bin.values()))
        if n:
            mean = Fraction(sum(step * sum(counts) for step, counts in in_bin.items()), n * LEVELS)
            ci = wilson(right, n) if clusters is None else _cluster_interval(clusters, _BIN_STEPS[place])
            yield ConfidenceBin(place / BINS, (place + 1) / BINS, n, right, float(mean), right / n, ci)


def _accept_above(steps: Steps, threshold: float, whole: int, clusters: Mapping[int, RatioSums] | None) -> AcceptAbove:
    """The statistics of the rows whose confidence is at least `threshold`: how many there are, and the share of errors among them. `whole`
    counts all rows, those without a usable confidence among them."""
    least = _least_step(threshold)
    counts_above = [counts for step, counts in steps.items() if step >= least]
    accepted, errors = sum(map(sum, counts_above)), sum(wrong for _, wrong in counts_above)
    share = accepted / whole if whole else 0.0
    rate = errors / accepted if accepted else None
    ci = wilson(errors, accepted) if clusters is None else _cluster_interval(clusters, least)
    return AcceptAbove(threshold, accepted, share, errors, rate, ci)


def _cluster_interval(clusters: Mapping[int, RatioSums], step: int) -> Interval | None:
    """The interval of the share whose sums of clusters stand under `step`, with a cluster as one unit; None where nothing does."""
    return share_interval(clusters[step].moments()) if step in clusters else None


def least_rows(max_errors: float) -> int:
    """How many rows it takes, all of them right, to show with 95 % confidence that the share of errors is at most `max_errors`: 149 for
    0.02."""
    return ceil(log(SURE) / log(1 - max_errors))


def safe_threshold(steps: Steps, max_errors: float) -> float | None:
    """The smallest confidence such that, among the rows with at least so much, the share of errors is at most `max_errors`. The claim is
    wrong for at most one of twenty test sets. None where no confidence allows it.

    Thresholds are tested in a fixed order, from the highest that accepts enough rows to pass without an error downwards, each at
    the whole level. The first whose one-sided 95 % upper bound is above `max_errors` ends the search, so that looking at many
    thresholds costs nothing. Rows must be independent.

    Source: Clopper and Pearson 1934, Biometrika 26 (the bound); fixed-sequence testing as in Angelopoulos et al. 2021, "Learn then
    test: Calibrating predictive algorithms to achieve risk control", section 3.
    """
    accepted = errors = 0
    threshold, least = None, least_rows(max_errors)
    for step in sorted(steps, reverse=True):
        right, wrong = steps[step]
        accepted, errors = accepted + right + wrong, errors + wrong
        if accepted < least:
            continue
        if chance_of_at_most(errors, accepted, max_errors) > SURE:
            break
        threshold = step / LEVELS
    return threshold
