"""What gates come to: judged once, when the run's metrics are exact.

A gate without enough measured rows is undecided, never passed. Nor is one whose metric speaks of too few of the rows
(`coverage`). Then it fails only where it would fail whatever the rows that were kept out came to; that is known for means
over rows, whose every row weighs the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from evaluators.model.registry import suggestion
from evaluators.runs.gates import (
    MICRO,
    OF_CONFIDENCE,
    OF_ROWS,
    POOLED,
    REPEATED,
    AnyGateConfig,
    ColumnMetric,
    Gate,
    ScoreMetric,
    bare_column,
)
from evaluators.runs.metrics import Coverage, best_mean, count_text, coverage_of, worst_mean
from evaluators.runs.repeats import passes_at
from evaluators.runs.result import (
    ConfidenceStats,
    ConfusionMatrix,
    EvaluatorStats,
    FieldStats,
    GateResult,
    NumericColumnStats,
    RepeatStats,
)
from evaluators.runs.wording import Finding, sentence
from evaluators.scoring.fields.empty_values import EMPTY_RATES

Judged: TypeAlias = Literal["passed", "warned", "failed", "undecided"]
_UNDECIDED: Final[Judged] = "undecided"
_NO_ROWS: Final = Finding("no-rows")
_MOST_LABELS: Final = 5  # that a hint names


def judge_gates(
    gates: Iterable[Gate],
    evaluators: Iterable[EvaluatorStats],
    slices: Iterable[EvaluatorStats] = (),
    measures: Iterable[NumericColumnStats] = (),
    tables: Iterable[ConfusionMatrix] = (),
    repeats: Iterable[RepeatStats] = (),
    confidence: Iterable[ConfidenceStats] = (),
) -> tuple[GateResult, ...]:
    """One result per gate, variant and slice, in the order of the gates and then of the metrics. `evaluators`, `slices` and `measures` are
    the statistics that gates can be about; `tables`, `repeats` and `confidence` have what gates on labels, on several outputs of a question
    and on confidences need beside them."""
    every: tuple[EvaluatorStats | NumericColumnStats, ...] = (*evaluators, *slices, *measures)
    whole = [stats for stats in every if stats.slice is None]
    parts = [stats for stats in every if stats.slice is not None]
    by_labels = {(stats.evaluator, stats.variant): stats for stats in tables}
    by_groups = {(stats.evaluator, stats.variant): stats for stats in repeats}
    sure = {(stats.evaluator, stats.field, stats.variant): stats for stats in confidence}
    return tuple(
        result
        for gate in gates
        for result in _judge_gate(gate, parts if gate.config.slice_column else whole, by_labels, by_groups, sure)
    )


def _judge_gate(
    gate: Gate,
    candidates: Sequence[EvaluatorStats | NumericColumnStats],
    tables: Mapping[tuple[str, str | None], ConfusionMatrix],
    repeats: Mapping[tuple[str, str | None], RepeatStats],
    confidence: Mapping[tuple[str, str | None, str | None], ConfidenceStats],
) -> Iterable[GateResult]:
    """The results of one gate: one for each of the candidates that it is about, by variant and slice, or a single undecided one where
    there are none. Tables, repeats and confidences are by evaluator and variant, the last by field, too."""
    concerned = [stats for stats in candidates if _concerns(gate, stats)]
    for stats in concerned:
        if gate.of_every is not None and isinstance(stats, EvaluatorStats) and _is_left_out(gate.target.field, stats):
            continue  # a gate on every field has no result for this one
        if isinstance(stats, NumericColumnStats):
            answer = _judge_measure(gate, stats)
        elif gate.metric in OF_CONFIDENCE:
            answer = _judge_confidence(gate, confidence.get((stats.name, gate.target.field, stats.variant)))
        elif gate.metric in REPEATED:
            answer = _judge_groups(gate, repeats.get((stats.name, stats.variant)))
        elif gate.is_on_labels_of({evaluator for evaluator, _ in tables}):
            answer = _judge_labels(gate, stats, tables.get((stats.name, stats.variant)))
        else:
            answer = _judge_metric(gate, stats)
        value, measured, verdict, findings = answer
        yield GateResult(
            gate.written, gate.shown_metric, value, measured, gate.config.limit, verdict, sentence(*findings), stats.variant,
            stats.slice, gate.config.label,
        )  # fmt: skip
    if not concerned:
        wanted = gate.config.slice_words
        one_slice = next(((bare_column(column), value) for column, value in wanted.items()), None)
        yield GateResult(
            gate.written, gate.shown_metric, None, 0, gate.config.limit, "undecided",
            sentence(_no_such_slice(one_slice, candidates) if one_slice else _NO_ROWS), gate.config.variant, one_slice,
        )  # fmt: skip


def _is_left_out(path: str | None, stats: EvaluatorStats) -> bool:
    """Whether a gate on every field says nothing of the field `path`, since no row has it, though some row has another field."""
    occurring = {field.path for field in stats.fields if field.counts.n or field.counts.not_judged}
    return path not in occurring and bool(occurring)


def _no_such_slice(wanted: tuple[str, str], slices: Iterable[EvaluatorStats | NumericColumnStats]) -> Finding:
    """Why a gate on the slice `wanted`, a column and its value, has nothing to judge: the column has other values only, or no rows were
    measured."""
    column, value = wanted
    values = dict.fromkeys(
        slice_.slice[1] for slice_ in slices if slice_.slice and bare_column(slice_.slice[0]) == column
    )
    if not values or value in values:
        return _NO_ROWS
    return Finding("no-such-slice", {"column": column, "values": list(values)})


def _concerns(gate: Gate, stats: EvaluatorStats | NumericColumnStats) -> bool:
    """Whether the gate is about these statistics: the evaluator or measure, the variant, and the slice."""
    config = gate.config
    if (
        gate.is_on_measure is not isinstance(stats, NumericColumnStats)
        or stats.name != gate.target.evaluator
        or config.variant not in (None, stats.variant)
    ):
        return False
    column = config.slice_column
    if column is None:
        return True
    if stats.slice is None or bare_column(stats.slice[0]) != column:
        return False
    return config.is_about_slice(stats.slice[1])


_Findings: TypeAlias = tuple[Finding, ...]
_Answer: TypeAlias = tuple[float | None, int, Judged, _Findings]
"""The metric, the rows that it rests on, what the gate comes to, and why."""


def _judge_metric(gate: Gate, stats: EvaluatorStats) -> _Answer:
    """The answer of a gate on a metric of an evaluator or a field, or on its lower bound; undecided where the field is not there."""
    config = gate.config
    field = next((field for field in stats.fields if field.path == gate.target.field), None)
    if gate.target.field is not None and field is None:
        return None, 0, _UNDECIDED, (_unmet_field(gate.target.field, stats),)
    bound = config.using == "lower_bound"
    value = lower_bound(gate.metric, stats, field) if bound else metric_of(gate.metric, stats, field)
    measured = rows_measured(gate.metric, stats, field)
    metric = Finding("lower-bound" if bound else "metric", {"metric": gate.metric})
    unknown = "undefined"
    if bound:
        unknown = "no-bound" if stats.slice is None else "no-bound-in-slices"
    verdict, findings = _compare_limits(config, value, measured, metric, unknown)
    several = field is not None and field.counts.n > measured > 0 and gate.metric not in EMPTY_RATES
    if field is not None and several:  # a row may have several values of it
        findings += (Finding("items", {"items": field.counts.n, "rows": measured}),)
    if verdict != _UNDECIDED:
        verdict, findings = _unless_uncovered(gate, stats, field, verdict, findings)
    return value, measured, verdict, findings


def _judge_labels(gate: Gate, stats: EvaluatorStats, table: ConfusionMatrix | None) -> _Answer:
    """The answer of a gate on the metric of one label, or on an average of all; undecided where answers are kept out of the table."""
    label = gate.config.label
    if table is None:
        return None, 0, _UNDECIDED, (Finding("no-labels", {"label": label or "…"}),)
    average, _, short = gate.metric.partition("_")
    metrics = table.average(average) if label is None else table.metrics(label)
    if metrics is None:
        known = [each.label for each in table.labels]
        near = suggestion(str(label), known) or f"labels: {', '.join(known[:_MOST_LABELS])}"
        return None, 0, _UNDECIDED, (Finding("no-such-label", {"label": label, "near": near}),)
    value: float | None = getattr(metrics, gate.metric if label is not None else short)
    metric = Finding("metric" if label is None else "label-metric", {"metric": gate.metric, "label": label})
    verdict, findings = _compare_limits(gate.config, value, metrics.support, metric)
    if table.withheld:
        findings = (Finding("other-answers", {"metric": metric}),)
    elif verdict != _UNDECIDED:
        verdict, findings = _unless_uncovered(gate, stats, None, verdict, findings)
    return value, metrics.support, verdict, findings


def _judge_measure(gate: Gate, stats: NumericColumnStats) -> _Answer:
    """The answer of a gate on a number of a measure; cells that are empty or no numbers count against coverage."""
    value: float | None = getattr(stats, gate.metric)
    metric = Finding("metric", {"metric": gate.metric})
    decided = _compare_limits(gate.config, value, stats.n, metric, kind="quantity-")
    return value, stats.n, *_unless_short(gate, Coverage(stats.n, stats.missing + stats.unreadable), *decided)


def _judge_groups(gate: Gate, stats: RepeatStats | None) -> _Answer:
    """The answer of a gate on k outputs of a question, which rests on a number of groups. One of fewer outputs says nothing, and counts
    against coverage like one that was kept out: what is easy may be asked less often than what is hard."""
    config = gate.config
    if stats is None or config.k is None:
        return None, 0, _UNDECIDED, (_NO_ROWS,)
    passes = passes_at(stats.shares, config.k, stats.kept_out_sizes)
    bound = config.using == "lower_bound"
    interval = passes.pass_at_k_ci if gate.metric == "pass_at_k" else passes.pass_all_k_ci
    value = passes.pass_at_k if gate.metric == "pass_at_k" else passes.pass_all_k
    if bound:
        value = interval.low if interval is not None else None
    metric = Finding("lower-bound" if bound else "metric", {"metric": gate.shown_metric})
    if not passes.groups and passes.smaller and not passes.kept_out:
        return None, 0, _UNDECIDED, (Finding("small-groups", {"k": config.k, "largest": stats.largest}),)
    covered = Coverage(passes.groups, passes.kept_out + stats.nameless + passes.smaller, "group")
    verdict, findings = _unless_short(gate, covered, *_compare_limits(config, value, passes.groups, metric, noun="group"))
    if passes.groups and passes.smaller:
        findings += (Finding("left-out", {"count": passes.smaller, "k": config.k}),)
    return value, passes.groups, verdict, findings


def _judge_confidence(gate: Gate, stats: ConfidenceStats | None) -> _Answer:
    """The answer of a gate on how far a confidence can be trusted. A row without a usable one is never accepted, and in no other metric."""
    if stats is None:
        return None, 0, _UNDECIDED, (_NO_ROWS,)
    unsure = stats.missing + stats.unusable
    measured, lost = (stats.n + unsure, 0) if gate.metric == "accepted" else (stats.n, unsure)
    value: float | None = getattr(stats, gate.metric)
    unknown = "no-threshold" if gate.metric == "accepted" and stats.clustered else "undefined"
    decided = _compare_limits(gate.config, value, measured, Finding("metric", {"metric": gate.metric}), unknown)
    return value, measured, *_unless_short(gate, Coverage(measured, lost + stats.kept_out), *decided)


def _unless_short(gate: Gate, coverage: Coverage, verdict: Judged, findings: _Findings) -> tuple[Judged, _Findings]:
    """The verdict and its findings; undecided where `coverage` is less than the gate asks for."""
    required_coverage = gate.config.coverage
    if verdict == _UNDECIDED or required_coverage == "any" or not coverage.short_of(required_coverage):
        return verdict, findings
    return _UNDECIDED, (*findings, Finding("short", {"found": coverage, "asked": required_coverage}))


def _unmet_field(path: str, stats: EvaluatorStats) -> Finding:
    """Why the field of a gate has no statistics. Items of a list are counted together, so that `lines[0].price` is `lines[*].price`."""
    known = [field.path for field in stats.fields]
    together = re.sub(r"\[\d+\]", "[*]", path)
    if together != path and together in known:
        return Finding("items-together", {"together": together, "path": path})
    return Finding("no-such-field", {"path": path, "near": suggestion(path, known)})


def _compare_limits(
    config: AnyGateConfig,
    value: float | None,
    measured: int,
    metric: Finding,
    unknown: str = "undefined",
    kind: Literal["", "quantity-"] = "",
    noun: str = "row",
) -> tuple[Judged, _Findings]:
    """What a gate comes to by its limits, and why: undecided with fewer than `min_rows`, or without a value. `unknown` is the
    code of the finding where there is no value, `noun` says what `measured` counts, and `kind` stands before the codes of
    findings on measures."""
    if measured < config.min_rows:
        few = Finding("few-rows", {"rows": count_text(measured, noun), "asked": config.min_rows})
        return _UNDECIDED, (few if measured else _NO_ROWS,)
    if value is None:
        return _UNDECIDED, (Finding(unknown, {"metric": metric}),)
    for name in ("fail_below", "fail_above", "warn_below", "warn_above"):
        limit, side = getattr(config, name), name.partition("_")[2]
        if limit is not None and (value < limit if side == "below" else value > limit):
            verdict: Judged = "failed" if name.startswith("fail") else "warned"
            missed = {"metric": metric, "value": (value, limit), "side": side, "limit": limit}
            return verdict, (Finding(f"{kind}missed", missed),)
    tightest = next(
        limit
        for limit in (config.warn_below, config.fail_below, config.warn_above, config.fail_above)
        if limit is not None
    )
    return "passed", (Finding(f"{kind}held", {"metric": metric, "value": (value, tightest)}),)


def _unless_uncovered(
    gate: Gate, stats: EvaluatorStats, field: FieldStats | None, verdict: Judged, findings: _Findings
) -> tuple[Judged, _Findings]:
    """The verdict and its findings; undecided where the metric covers too few of the rows, unless the gate fails whatever the
    rows left out came to."""
    required_coverage = gate.config.coverage
    unseen = stats.outputs_without_values if gate.metric == "micro_precision" else 0  # a precision says nothing of them
    if required_coverage != "any" and (coverage := coverage_of(stats, field)).short_of(required_coverage):
        certain = _certain_failure(gate, stats, field)
        if verdict == "failed" and certain:
            return verdict, (*findings, Finding("fails-anyway", {"certain": certain}))
        return _UNDECIDED, (*findings, Finding("short", {"found": coverage, "asked": required_coverage}))
    if not unseen:
        return verdict, findings
    findings += (Finding("unseen", {"count": unseen, "scored": stats.scored}),)
    if (
        required_coverage != "any"
        and verdict != "failed"
        and Coverage(stats.scored - unseen, unseen).short_of(required_coverage)
    ):
        return _UNDECIDED, findings
    return verdict, findings


def _certain_failure(gate: Gate, stats: EvaluatorStats, field: FieldStats | None) -> str | None:
    """How it is certain that a gate fails, whatever the rows that were kept out came to: `right` where it fails though all of them are
    taken as right, `wrong` where it does though all are taken as wrong (a gate with `fail_above`).

    None where these rows could save it, and for metrics in which a row has no fixed weight.
    """
    if field is not None or gate.metric in (*MICRO, *EMPTY_RATES):
        return None
    config, further = gate.config, stats.metric(gate.metric)
    mean, rows = (further.mean, further.n) if further else (metric_of(gate.metric, stats, None), stats.scored)
    if mean is None:
        return None
    if config.fail_below is not None and best_mean(mean, rows, stats.kept_out) < config.fail_below:
        return "right"
    if config.fail_above is not None and worst_mean(mean, rows, stats.kept_out) > config.fail_above:
        return "wrong"
    return None


def metric_of(metric: ScoreMetric | ColumnMetric, stats: EvaluatorStats, field: FieldStats | None) -> float | None:
    """The value of a metric of an evaluator, or of its `field`; None where there is nothing to divide by."""
    if field is not None:
        of_field: float | None = getattr(field, metric, None)
        return of_field
    if metric in (*OF_ROWS, *MICRO, *EMPTY_RATES):
        whole: float | None = getattr(stats, metric)
        return whole
    further = stats.metric(metric)
    return further.mean if further else None


def _ratio_of(metric: ScoreMetric | ColumnMetric, field: FieldStats | None) -> str | None:
    """The ratio of two sums over all values whose interval a metric has; None for a mean over rows. The mean score of a field has that of
    its accuracy, which is over the same values."""
    if field is not None and metric == "mean_score":
        return "accuracy"
    return metric if metric in ("accuracy", *POOLED, *MICRO, *EMPTY_RATES) else None


def lower_bound(metric: ScoreMetric | ColumnMetric, stats: EvaluatorStats, field: FieldStats | None) -> float | None:
    """The lower end of the metric's 95 % CI; None where there is none."""
    ratio = _ratio_of(metric, field)
    if ratio is None:
        interval = stats.mean_ci if metric == "mean" else stats.pass_rate_ci
        return interval.low if interval else None
    bound = stats.metric_ci(field.path if field else None, ratio)
    if bound is not None and bound.ci is not None:
        return bound.ci.low
    # a metric of 0 cannot be lower, with an interval or without
    return 0.0 if metric_of(metric, stats, field) == 0 else None


def rows_measured(metric: ScoreMetric | ColumnMetric, stats: EvaluatorStats, field: FieldStats | None) -> int:
    """How many rows have the metric."""
    further = None if field else stats.metric(metric)
    if further is not None:
        return further.n
    ratio = _ratio_of(metric, field)
    if ratio is None:
        return stats.scored - stats.empty_expected
    bound = stats.metric_ci(field.path if field else None, ratio)
    return bound.n if bound else 0
