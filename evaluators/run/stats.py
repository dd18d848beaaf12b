"""Sums to figures: the tally of an evaluator as the statistics that reports show."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

from msgspec.structs import replace

from evaluators.fields.key_counts import KINDS, KeyCounts
from evaluators.fields.path_details import (
    ERRORS,
    EVALUATED,
    FAULTS,
    MATCHED,
    MISSED,
    OUTSIDE,
    OVERFLOW,
    PAIRED,
    PASSED,
    SKIPPED,
    SPURIOUS,
    SURPLUS,
    SURPLUS_ITEMS,
    SURPLUS_ROWS,
    SURPLUS_VALUES,
)
from evaluators.model import RowStatus
from evaluators.run.intervals import (
    RatioSums,
    detectable_runs,
    mean_of,
    moments_of_clusters,
    moments_of_powers,
    ratios,
    share,
    share_interval,
    wilson,
)
from evaluators.run.result import (
    ArrayStats,
    Counts,
    EvaluatorStats,
    ExtraItems,
    FieldStats,
    Interval,
    KeyStats,
    MetricCI,
    MetricStats,
)
from evaluators.run.slices import SliceKey, by_slice
from evaluators.run.split_result import SplitResult
from evaluators.run.tally import CREDIT_OVER, Details, FigureSum, Tally
from evaluators.run.watch import target_of
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.values.confusion import Confusion

MOST_FIELDS = 2_000
NO_COUNTS = (0, 0, 0, 0)


def figures(
    lines: Sequence[EvaluatorLine], measured: SplitResult, variant: str | None = None, clustered: bool = False
) -> list[EvaluatorStats]:
    """The statistics of every evaluator, in the order of the suite."""
    every = zip(_stats(lines, measured.tallies, variant, None, clustered), measured.keys, strict=True)
    return [replace(one, keys=key_stats(keys)) for one, keys in every]


def slice_figures(
    lines: Sequence[EvaluatorLine], measured: SplitResult, variant: str | None = None, clustered: bool = False
) -> list[EvaluatorStats]:
    """The statistics of every evaluator in every slice, by column and then by value."""
    return [one for key, tallies in by_slice(measured.slices) for one in _stats(lines, tallies, variant, key, clustered)]


def _stats(
    lines: Sequence[EvaluatorLine], tallies: Sequence[Tally], variant: str | None, key: SliceKey | None, clustered: bool
) -> Iterator[EvaluatorStats]:
    for line, tally in zip(lines, tallies, strict=True):
        fields = line.settings.scored_fields()
        yield evaluator_stats(
            line.name, line.type, fields.names, tally, variant=variant, slice_=key, extra_counts=fields.surplus.keys,
            surplus_counts=fields.surplus.items, optional=fields.optional, figure_names=fields.figures,
            fallbacks=fields.fallbacks or {}, clustered=clustered,
        )  # fmt: skip


def evaluator_stats(
    name: str,
    kind: str,
    fields: Sequence[str],
    tally: Tally,
    *,
    variant: str | None = None,
    slice_: tuple[str, str] | None = None,
    extra_counts: bool = True,
    surplus_counts: bool = True,
    optional: Collection[str] = (),
    figure_names: Sequence[str] = (),
    clustered: bool = False,
    fallbacks: Mapping[str, int] | None = None,
) -> EvaluatorStats:
    """The figures of one evaluator, every one rounded once from exact sums.

    `extra_counts` says whether leaves that only the output has count against the accuracy of their path, as they do in
    the score, and `surplus_counts` the same of leaves in items of lists that only the output has. `optional` are the
    listed fields that may be absent from every row. `figure_names` are the further figures.
    `fallbacks` says how many fields a fallback of a judge scores, by what stands in for what.
    `clustered` says that rows belong together: intervals then come from the clusters, and are unknown without them.
    """
    scored, standings = tally.scored, tally.standings
    pass_rate_ci, mean_ci, detectable = _of_clusters(tally) if clustered else _of_rows(tally)
    if fields:
        counts: Counts | None = _status_counts(list(map(sum, zip(*tally.statuses, strict=True))))
        listed = tuple(
            _field(name, _status_counts(each), optional=name in optional)
            for name, each in zip(fields, tally.statuses, strict=True)
        )
    else:
        counts = Counts(*tally.counts) if any(tally.counts) else None
        listed = _open(tally, extra_counts, surplus_counts, optional, "mean_field_score" in figure_names)
    figures = ratios(counts or Counts())
    return EvaluatorStats(
        name=name,
        type=kind,
        rows=tally.rows,
        scored=scored,
        passed=tally.passed,
        failed=scored - tally.passed,
        skipped=standings[RowStatus.SKIPPED],
        not_measured=standings[RowStatus.NOT_MEASURED],
        invalid=standings[RowStatus.INVALID],
        unjudged=standings[RowStatus.UNJUDGED],
        bugs=standings[RowStatus.BUG],
        unreadable=standings[RowStatus.UNREADABLE],
        blocked=standings[RowStatus.BLOCKED],
        mean=mean_of(tally.sums, scored),
        pass_rate=share(tally.passed, scored),
        pass_rate_ci=pass_rate_ci,
        fields=listed[:MOST_FIELDS],
        fields_not_listed=max(0, len(listed) - MOST_FIELDS),
        counts=counts,
        micro_precision=figures.precision,
        micro_recall=figures.recall,
        micro_f1=figures.f1,
        variant=variant,
        slice=slice_,
        empty_expected=tally.empty_expected,
        outputs_without_values=tally.gave_nothing,
        rows_without_fields=tally.unread,
        metrics=_figures(figure_names, tally),
        undeclared={path: kinds[OUTSIDE] for path, kinds in sorted(tally.details.items()) if OUTSIDE in kinds},
        results=_total(tally.details, EVALUATED),
        results_passed=_total(tally.details, PASSED),
        extra_items=_surplus(tally.details, surplus_counts),
        fallbacks=dict(fallbacks or {}),
        mean_ci=mean_ci,
        metric_cis=tuple(_bounds(tally, clustered)),
        minimum_detectable_effect=detectable,
    )


_Intervals: TypeAlias = tuple[Interval | None, Interval | None, float | None]
"""Of the pass rate, and of the mean; and the smallest difference that is noticed."""


def _of_rows(tally: Tally) -> _Intervals:
    moments = moments_of_powers(tally.scored, tally.score_powers())
    rate = wilson(tally.passed, tally.scored)
    if moments is None:
        return rate, None, None
    right_or_wrong = moments.second == moments.mean * (1 - moments.mean)  # x² = x for 0 and 1, and for nothing between
    hits = moments.mean * tally.scored
    mean = wilson(int(hits), tally.scored) if right_or_wrong else share_interval(moments)
    return rate, mean, detectable_runs(moments)


def _of_clusters(tally: Tally) -> _Intervals:
    known = tally.clusters.values()
    moments = moments_of_clusters((one.rows, one.total) for one in known)
    rate = moments_of_clusters((one.rows, Fraction(one.passed)) for one in known)
    return share_interval(rate), share_interval(moments), detectable_runs(moments)


def _bounds(tally: Tally, clustered: bool) -> Iterator[MetricCI]:
    """The intervals of the figures that are watched, over rows or over clusters."""
    targets = {target_of(key): key for key in tally.ratios}
    for path, figure in sorted(targets, key=lambda target: (target[0] or "", target[1])):
        key = targets[path, figure]
        units = tally.ratios[key]
        if clustered:
            units = RatioSums()
            for cluster in tally.clusters.values():
                units.add(*cluster.ratios.get(key, (0, 0)))
        metric = figure if path is not None else f"micro_{figure}"
        yield MetricCI(path, metric, tally.ratios[key].rows, _ratio_interval(units, rows=not clustered))


def _ratio_interval(sums: RatioSums, rows: bool) -> Interval | None:
    """Wilson's where every row has one value, or none; else that of a ratio."""
    if rows and sums.units and sums.of(0, 1) == sums.of(0, 2) == sums.units:
        return wilson(sums.of(1, 0), sums.units)
    return share_interval(sums.moments())


def _figures(names: Sequence[str], tally: Tally) -> tuple[MetricStats, ...]:
    """The mean of each further figure; a figure that no row had is undefined."""
    sums = [*tally.figures, *(FigureSum() for _ in range(len(names) - len(tally.figures)))]
    return tuple(
        MetricStats(name, mean_of(each.sums, each.rows), each.rows) for name, each in zip(names, sums, strict=True)
    )


def _total(details: Details, kind: str) -> int:
    return sum(kinds.get(kind, 0) for kinds in details.values())


def _surplus(details: Details, penalized: bool) -> ExtraItems | None:
    of_all = details.get("", {})
    rows = of_all.get(SURPLUS_ROWS, 0)
    values = _total(details, SURPLUS_VALUES)
    return ExtraItems(of_all[SURPLUS_ITEMS], rows, values or None, penalized) if rows else None


def key_stats(counts: KeyCounts) -> tuple[KeyStats, ...]:
    """What was wrong with keys, by list, side and kind."""
    return tuple(
        KeyStats(*fault, items=count.items, rows=count.rows, first_rows=count.first)
        for fault, count in sorted(counts.faults(), key=lambda each: (each[0][:3], KINDS.index(each[0].what)))
    )


def _open(
    tally: Tally, extra_counts: bool, surplus_counts: bool, optional: Collection[str], scores: bool
) -> tuple[FieldStats, ...]:
    """The fields that the documents turned out to have. `scores` says that each has a mean score, with partial credit."""
    further = _by_path(tally.details)
    surplus = _surplus_values(tally)

    def of_path(path: str) -> FieldStats:
        counts = _with_details(tally.paths.get(path, NO_COUNTS), further.get(path, {}))
        items = surplus.get(path, 0)
        keys = counts.hallucination - items
        free = (0 if extra_counts else keys) + (0 if surplus_counts else items)
        return _field(path, counts, free, path in optional, further.get(path, {}) if scores else None)

    return tuple(map(of_path, sorted({*tally.paths, *further})))


def _surplus_values(tally: Tally) -> dict[str, int]:
    """The values in items that only the output has, by path; those of paths without a line of their own are in the last."""
    found: dict[str, int] = {}
    for path, kinds in tally.details.items():
        if SURPLUS_VALUES in kinds:
            line = path if path in tally.paths else OVERFLOW
            found[line] = found.get(line, 0) + kinds[SURPLUS_VALUES]
    return found


def _field(
    path: str,
    counts: Counts,
    free: int = 0,
    optional: bool = False,
    further: Mapping[str, int] | None = None,
) -> FieldStats:
    """The figures of a field. So many of its hallucinations are `free`: they do not count against its accuracy."""
    figures = ratios(counts)
    accuracy = share(counts.match, counts.n - free)
    return FieldStats(
        path, counts, accuracy, figures.precision, figures.recall, figures.f1, optional,
        None if further is None else _mean_score(counts, further), _array(further) if further else None,
    )  # fmt: skip


def _by_path(details: Details) -> Details:
    found = ((path, {kind: kinds[kind] for kind in kinds if kind not in _OF_NO_FIELD}) for path, kinds in details.items())
    return {path: kinds for path, kinds in found if kinds}


_OF_NO_FIELD: Final = SURPLUS | {OUTSIDE}


def _with_details(counts: Sequence[int], further: Mapping[str, int]) -> Counts:
    """The counts of a path, the kinds of results that only a schema tells apart among them."""
    match, mismatch, omission, hallucination = counts
    errors = further.get(ERRORS, 0)
    return Counts(
        match=match, mismatch=mismatch - errors, omission=omission, hallucination=hallucination, error=errors,
        skipped=further.get(SKIPPED, 0), not_judged=further.get(FAULTS, 0),
    )  # fmt: skip


def _mean_score(counts: Counts, further: Mapping[str, int]) -> float | None:
    """The mean over what was measured: a match is 1, everything else 0 but for its partial credit."""
    partial = {int(kind.removeprefix(CREDIT_OVER)): num for kind, num in further.items() if kind.startswith(CREDIT_OVER)}
    return mean_of({1: counts.match, **{den: num + (counts.match if den == 1 else 0) for den, num in partial.items()}},
                   counts.n)  # fmt: skip


def _array(further: Mapping[str, int]) -> ArrayStats | None:
    matched, missed, spurious, paired = (further.get(kind, 0) for kind in (MATCHED, MISSED, SPURIOUS, PAIRED))
    if not matched + missed + spurious:
        return None
    items = Confusion(matched, 0, missed, spurious)
    return ArrayStats(
        matched, missed, spurious, paired, items.rounded("precision"), items.rounded("recall"), items.rounded("f1"),
        further.get(EVALUATED, 0), further.get(PASSED, 0),
    )  # fmt: skip


def _status_counts(counts: Sequence[int]) -> Counts:
    not_measured, match, mismatch, omission, hallucination, skipped, error, fault = counts  # as FieldStatus numbers them
    return Counts(match, mismatch, omission, hallucination, error, skipped, not_measured, fault)
