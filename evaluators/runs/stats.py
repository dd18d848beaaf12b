"""Sums to metrics: the tally of an evaluator as the statistics that reports show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec.structs import replace

from evaluators.runs.clusters import ClusterSums
from evaluators.runs.document_sums import CREDIT_OVER, Details, DocumentSums, EmptySums, empty_sums
from evaluators.runs.figures import Figures, Measured
from evaluators.runs.intervals import (
    RatioSums,
    detectable_runs,
    mean_of,
    moments_of_powers,
    share_interval,
    wilson,
)
from evaluators.runs.measures import measure_stats
from evaluators.runs.metric_table import EVALUATOR_METRICS, FIELD_METRICS, Sums, compute_metrics
from evaluators.runs.number_cells import NumericColumn
from evaluators.runs.result import (
    ArrayStats,
    Counts,
    EvaluatorStats,
    ExtraItems,
    FieldStats,
    Interval,
    KeyStats,
    MetricCI,
    MetricStats,
    NumericColumnStats,
)
from evaluators.runs.row_samples import with_sampled
from evaluators.runs.slices import SliceKey
from evaluators.runs.tally import MetricSum, Tally
from evaluators.runs.watch import key_of, target_of
from evaluators.scoring.evaluators._scored_fields import ScoredFields
from evaluators.scoring.fields.empty_values import ALL_FIELDS, EACH_ROW, EMPTY_RATES, INVENTED, InRow
from evaluators.scoring.fields.instance_paths import is_in_items
from evaluators.scoring.fields.key_counts import KINDS, KeyCounts
from evaluators.scoring.fields.row_checks import (
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
    SURPLUS_DETAILS,
    SURPLUS_ITEMS,
    SURPLUS_ROWS,
    SURPLUS_VALUES,
)
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.values.confusion import Confusion

MOST_FIELDS = 2_000
NO_COUNTS = (0, 0, 0, 0)


def all_stats(lines: Sequence[EvaluatorLine], measured: Measured, variant: str | None = None) -> list[EvaluatorStats]:
    """The statistics of every evaluator over all rows of a variant, in the order of the suite."""
    sums, figures = measured
    every = []
    clusters: Sequence[ClusterSums | None] = figures.clusters or [None] * len(lines)
    for line, tally, own, units in zip(lines, figures.tallies, sums.evaluators, clusters, strict=True):
        fields = line.settings.scored_fields()
        stats = evaluator_stats(line.name, line.type, fields, tally, own.documents, own.empties, units, variant)
        every.append(replace(with_sampled(stats, line.settings.sampled_metric(), own.sample), keys=key_stats(own.keys)))
    return every


def slice_stats(lines: Sequence[EvaluatorLine], figures: Figures, variant: str | None) -> list[EvaluatorStats]:
    """The statistics of every evaluator in every slice, by column and then by value."""
    every, units = [], None if figures.clusters is None else ClusterSums()  # the clusters of slices are not counted
    for key, group in figures.slices.items():
        empties = [*group.empties, *(EmptySums() for _ in lines[len(group.empties) :])]
        for line, tally, own in zip(lines, group.tallies, empties, strict=True):
            fields = line.settings.scored_fields()
            every.append(evaluator_stats(line.name, line.type, fields, tally, None, own, units, variant, key))
    return every


def evaluator_stats(
    name: str,
    kind: str,
    fields: ScoredFields,
    tally: Tally,
    documents: DocumentSums | None = None,
    empties: EmptySums | None = None,
    clusters: ClusterSums | None = None,
    variant: str | None = None,
    slice_: SliceKey | None = None,
) -> EvaluatorStats:
    """The metrics of one evaluator, every one rounded once from exact sums: `tally` has those of the rows, `documents` and `empties` those
    of values in documents and of empty values, None where there are none. `kind` is the evaluator's type.

    Where rows belong together, intervals come from the `clusters`, and are unknown where these are empty; None means independent rows.
    """
    documents = documents or DocumentSums()
    details = documents.details
    pass_rate_ci, mean_ci, detectable = _row_intervals(tally) if clusters is None else _cluster_intervals(clusters)
    rates = _empty_rate_sums(empties or EmptySums(), documents, fields, clusters)
    if fields.names:
        counts: Counts | None = _status_counts(list(map(sum, zip(*tally.statuses, strict=True))))
        listed = tuple(
            _field_stats(
                name, Sums(_status_counts(each), empties=_rates_of(rates, name)), optional=name in fields.optional
            )
            for name, each in zip(fields.names, tally.statuses, strict=True)
        )
    else:
        counts = Counts(*tally.counts) if any(tally.counts) else None
        listed = _open_fields(documents, fields, rates)
    return EvaluatorStats(
        name=name,
        type=kind,
        pass_rate_ci=pass_rate_ci,
        fields=listed[:MOST_FIELDS],
        fields_not_listed=max(0, len(listed) - MOST_FIELDS),
        counts=counts,
        variant=variant,
        slice=slice_,
        metrics=_further_metrics(fields.metrics, tally),
        undeclared={path: kinds[OUTSIDE] for path, kinds in sorted(details.items()) if OUTSIDE in kinds},
        results=_total_of_kind(details, EVALUATED),
        results_passed=_total_of_kind(details, PASSED),
        extra_items=_extra_items(details, fields.extra_items_count),
        fallbacks=dict(fields.fallbacks or {}),
        mean_ci=mean_ci,
        metric_cis=tuple(_metric_intervals(tally, clusters, rates)),
        minimum_detectable_effect=detectable,
        **compute_metrics(EVALUATOR_METRICS, Sums(counts or Counts(), empties=_rates_of(rates, None), tally=tally)),
    )


_Intervals: TypeAlias = tuple[Interval | None, Interval | None, float | None]
"""Of the pass rate, and of the mean; and the smallest difference that is noticed."""


def _row_intervals(tally: Tally) -> _Intervals:
    """The interval of the pass rate, that of the mean, and the difference that a comparison would notice, from rows that are independent of
    each other. A mean of rows that are all wholly right or wrong has Wilson's interval, as a pass rate has."""
    moments = moments_of_powers(tally.scored, tally.score_powers())
    rate = wilson(tally.passed, tally.scored)
    if moments is None:
        return rate, None, None
    right_or_wrong = moments.second == moments.mean * (1 - moments.mean)  # x² = x for 0 and 1, and for nothing between
    hits = moments.mean * tally.scored
    mean = wilson(int(hits), tally.scored) if right_or_wrong else share_interval(moments)
    return rate, mean, detectable_runs(moments)


def _cluster_intervals(clusters: ClusterSums) -> _Intervals:
    """The intervals from clusters, each of which is one unit."""
    moments = clusters.scores.moments(clusters.common)
    return share_interval(clusters.passes.moments()), share_interval(moments), detectable_runs(moments)


_Empties: TypeAlias = Mapping[tuple[str | None, str], tuple[RatioSums, RatioSums]]
"""By field (None for all together) and rate, the sums over rows, and those over what counts as one: rows, or clusters."""


def _empty_rate_sums(
    empties: EmptySums, documents: DocumentSums, fields: ScoredFields, clusters: ClusterSums | None
) -> _Empties:
    """The sums of the rates of empty values (how often values that are expected to be empty are not, and the others are), by field and
    metric: each over all rows, and over the units of intervals, which are clusters where there are any. A rate that no value has, or
    the evaluator does not give, is left out.

    Where documents decide what fields there are, a field outside of lists is expected to be empty in each row that says nothing of it;
    how many empty values all fields together have is not known then.
    """
    rates: dict[tuple[str | None, str], tuple[RatioSums, RatioSums]] = {}
    names = {path for path, _ in map(target_of, empties.ratios) if path != EACH_ROW}
    cells: dict[str, list[tuple[list[int], int]]] = {}  # by field, of each cluster that has it: its counts, and its rows
    sizes = Counter[int]()  # how many clusters have so many rows
    for cluster in empties.clusters.values():
        size = cluster[EACH_ROW][0] if EACH_ROW in cluster else 0
        sizes[size] += 1
        for path, sums in cluster.items():
            cells.setdefault(path, []).append((sums, size))
    for name in names:
        if fields.of_documents and name is not None and name not in documents.paths:
            continue  # nothing but a place above others
        every_row = fields.of_documents and name is not None and not is_in_items(name)
        rows = {metric: empties.ratios.get(key_of((name, metric)), RatioSums()) for metric in EMPTY_RATES}
        units = rows
        if clusters is not None and fields.names:
            units = {metric: RatioSums() for metric in EMPTY_RATES} | empty_sums(
                clusters.empties.get(name or ALL_FIELDS, {})
            )
        elif clusters is not None:
            of_field = cells.get(name or ALL_FIELDS, ())
            in_clusters = Counter(
                InRow(size - values[2] if every_row else values[0], *values[1:]) for values, size in of_field
            )
            if every_row:  # clusters that say nothing of the field: it is expected to be empty in all their rows
                others = sizes - Counter(size for _, size in of_field)
                in_clusters.update({InRow(size, 0, 0, 0): times for size, times in others.items()})
            units = {metric: RatioSums() for metric in EMPTY_RATES} | empty_sums(in_clusters)
        if every_row:
            silent = empties.ratios[key_of((EACH_ROW, INVENTED))].units - sum(
                ratio_sums.units for ratio_sums in rows.values()
            )
            rows[INVENTED] = rows[INVENTED].with_more(silent)
        for metric in EMPTY_RATES:
            if rows[metric].units and metric in fields.empty_rates(of_field=name is not None):
                rates[name, metric] = rows[metric], units[metric]
    return rates


def _rates_of(rates: _Empties, path: str | None) -> dict[str, RatioSums]:
    """The sums of both rates of a field, or of all fields together, over rows."""
    return {metric: rates[path, metric][0] for metric in EMPTY_RATES if (path, metric) in rates}


def _metric_intervals(tally: Tally, clusters: ClusterSums | None, rates: _Empties) -> Iterator[MetricCI]:
    """Yields the intervals of the metrics that are watched and of the rates of empty values, over rows or over clusters, by field and
    metric."""
    watched = {target_of(key): sums for key, sums in tally.ratios.items()}
    for target in sorted([*watched, *rates], key=lambda target: (target[0] or "", target[1])):
        path, ratio = target
        rows, units = rates[target] if target in rates else (watched[target], watched[target])
        if clusters is not None and target in watched:
            units = clusters.ratios.get(key_of(target), RatioSums())
        metric = ratio if path is not None or ratio in EMPTY_RATES else f"micro_{ratio}"
        yield MetricCI(path, metric, rows.rows, _ratio_interval(units, rows=clusters is None))


def _ratio_interval(sums: RatioSums, rows: bool) -> Interval | None:
    """The interval of a ratio: Wilson's where units are rows and each has one value, or none; else the one of a ratio of sums."""
    if rows and sums.units and sums.power_sum(0, 1) == sums.power_sum(0, 2) == sums.units:
        return wilson(sums.power_sum(1, 0), sums.units)
    return share_interval(sums.moments())


def _further_metrics(names: Sequence[str], tally: Tally) -> tuple[MetricStats, ...]:
    """The mean of each further metric; a metric that no row had is undefined."""
    sums = [*tally.metrics, *(MetricSum() for _ in range(len(names) - len(tally.metrics)))]
    return tuple(
        MetricStats(name, mean_of(each.sums, each.rows), each.rows) for name, each in zip(names, sums, strict=True)
    )


def _total_of_kind(details: Details, kind: str) -> int:
    """The sum of the counts of one kind of detail, over all paths."""
    return sum(kinds.get(kind, 0) for kinds in details.values())


def _extra_items(details: Details, penalized: bool) -> ExtraItems | None:
    """The extra items of lists, with the values in them; None where no row has any. `penalized` says whether they count as mistakes."""
    of_all = details.get("", {})
    rows = of_all.get(SURPLUS_ROWS, 0)
    values = _total_of_kind(details, SURPLUS_VALUES)
    return ExtraItems(of_all[SURPLUS_ITEMS], rows, values or None, penalized) if rows else None


def key_stats(counts: KeyCounts) -> tuple[KeyStats, ...]:
    """The faults of keys, by list, side and kind."""
    return tuple(
        KeyStats(*fault, items=count.items, rows=count.rows, first_rows=count.first)
        for fault, count in sorted(counts.faults(), key=lambda each: (each[0][:3], KINDS.index(each[0].what)))
    )


def _open_fields(documents: DocumentSums, fields: ScoredFields, rates: _Empties) -> tuple[FieldStats, ...]:
    """The statistics of the fields that documents turned out to have, where no list of fields says which there are."""
    scores = "mean_field_score" in fields.metrics  # each has a mean score, with partial credit
    further = _details_by_path(documents.details)
    surplus = _surplus_values(documents)

    def of_path(path: str) -> FieldStats:
        """The statistics of one path. Extra keys and extra items are free where the evaluator does not count them."""
        counts = _with_details(documents.paths.get(path, NO_COUNTS), further.get(path, {}))
        items = surplus.get(path, 0)
        keys = counts.hallucination - items
        free = (0 if fields.extra_keys_count else keys) + (0 if fields.extra_items_count else items)
        details = further.get(path, {})
        sums = Sums(counts, free, _partial_credit(details) if scores else None, _rates_of(rates, path))
        return _field_stats(path, sums, path in fields.optional, _array_stats(details) if scores else None)

    return tuple(map(of_path, sorted({*documents.paths, *further})))


def _surplus_values(documents: DocumentSums) -> dict[str, int]:
    """The values in items that only the output has, by path; those of paths without a line of their own are in the last."""
    counts: dict[str, int] = {}
    for path, kinds in documents.details.items():
        if SURPLUS_VALUES in kinds:
            line = path if path in documents.paths else OVERFLOW
            counts[line] = counts.get(line, 0) + kinds[SURPLUS_VALUES]
    return counts


def _field_stats(path: str, sums: Sums, optional: bool = False, array: ArrayStats | None = None) -> FieldStats:
    """The statistics of one field from its sums."""
    return FieldStats(path, sums.counts, optional=optional, array=array, **compute_metrics(FIELD_METRICS, sums))


def _details_by_path(details: Details) -> Details:
    """The details that are about fields, by path; paths without any are left out."""
    by_path = (
        (path, {kind: kinds[kind] for kind in kinds if kind not in _OF_NO_FIELD}) for path, kinds in details.items()
    )
    return {path: kinds for path, kinds in by_path if kinds}


_OF_NO_FIELD: Final = SURPLUS_DETAILS | {OUTSIDE}


def _with_details(counts: Sequence[int], further: Mapping[str, int]) -> Counts:
    """The counts of a path from its four `counts`, and from the `further` ones of results that only a schema tells apart: errors, which are
    among the mismatches, skipped values and faults."""
    match, mismatch, omission, hallucination = counts
    errors = further.get(ERRORS, 0)
    return Counts(
        match=match, mismatch=mismatch - errors, omission=omission, hallucination=hallucination, error=errors,
        skipped=further.get(SKIPPED, 0), not_judged=further.get(FAULTS, 0),
    )  # fmt: skip


def _partial_credit(further: Mapping[str, int]) -> dict[int, int]:
    """The partial credit of a path: denominator → sum of numerators."""
    return {int(kind.removeprefix(CREDIT_OVER)): num for kind, num in further.items() if kind.startswith(CREDIT_OVER)}


def _array_stats(further: Mapping[str, int]) -> ArrayStats | None:
    """The items of a list, matched, missing and extra, with their metrics; None where nothing was counted. `further` has the counts of the
    list by kind."""
    matched, missed, spurious, paired = (further.get(kind, 0) for kind in (MATCHED, MISSED, SPURIOUS, PAIRED))
    if not matched + missed + spurious:
        return None
    items = Confusion(matched, 0, missed, spurious)
    return ArrayStats(
        matched=matched, missing=missed, extra=spurious, paired=paired, precision=items.as_float("precision"),
        recall=items.as_float("recall"), f1=items.as_float("f1"),
        results=further.get(EVALUATED, 0), results_passed=further.get(PASSED, 0),
    )  # fmt: skip


def _status_counts(counts: Sequence[int]) -> Counts:
    """The counts of a field from how often each status was met, in the order of `FieldStatus`."""
    not_measured, match, mismatch, omission, hallucination, skipped, error, fault = counts  # as FieldStatus numbers them
    return Counts(match, mismatch, omission, hallucination, error, skipped, not_measured, fault)


def measure_stats_of(
    columns: Sequence[NumericColumn], measured: Sequence[tuple[str | None, Measured]]
) -> list[NumericColumnStats]:
    """The statistics of each measure: first over each variant, then over the slices of each, by column and then by value."""
    whole: list[NumericColumnStats] = []
    slices: list[NumericColumnStats] = []
    for variant, (_, figures) in measured:
        clustered = figures.clusters is not None
        counted = zip(columns, figures.measures, strict=False)  # no measures where no row was read
        for place, (column, measure) in enumerate(counted):
            whole.append(measure_stats(column, measure, variant, None, clustered))
            slices += [
                measure_stats(column, each.measures[place], variant, key, clustered)
                for key, each in figures.slices.items()
            ]
    return whole + slices
