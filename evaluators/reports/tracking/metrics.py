"""The metrics of a run for platforms: one number under each name, with our own denominators beside every mean.

A metric that is not defined is left out: no name ever stands for something that is not a number. The few that a table of runs shows
are `headline_of`: `header/mean` is called as the platform calls the mean of the scores `header` of rows. Platforms that keep what a
metric is about beside its name get groups: the run, an evaluator of it, a field; of one variant or one slice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from math import isfinite
from typing import Any, Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import asdict

from evaluators.model.rows import Result
from evaluators.reports.names import field_name, segment
from evaluators.runs.metric_table import (
    CONFIDENCE_METRICS,
    EVALUATOR_METRICS,
    FIELD_METRICS,
    FLIP_METRICS,
    LABEL_METRICS,
    MEASURE_METRICS,
    PASS_METRICS,
    REPEAT_METRICS,
    Metric,
)
from evaluators.runs.overall import OVERALL, main_evaluators
from evaluators.runs.result import EvaluatorStats, FieldStats, NumericColumnStats, RunResult

Number: TypeAlias = int | float
Named: TypeAlias = Iterator[tuple[str, Number | None]]

_TABLES: Final = (EVALUATOR_METRICS, FIELD_METRICS, LABEL_METRICS, MEASURE_METRICS, REPEAT_METRICS, CONFIDENCE_METRICS)
_COUNTERS: Final = frozenset(
    {"warned", "undecided", *(metric.name for table in _TABLES for metric in table if metric.kind == "count")}
    - {"scored", "groups"}
)
"""The last parts of names of counts that say nothing where they are 0. How many rows and groups were scored is always said."""
_GROUPS: Final = frozenset({"run", "gates", "measure", "evaluator", "variant", "slice"})
"""What names of other metrics begin with: an evaluator that is called so has the number of its first letter in its own."""
_HEADLINE: Final = ("mean", "pass_rate")
"""What stands first in the group of an evaluator."""
MOST_MAIN: Final = 6
"""Metrics that a table of runs has room for."""
_OF_OVERALL: Final = ("mean", "pass_rate", "scored")
_VERDICTS: Final = ("passed", "warned", "failed", "undecided")


class MetricGroup(Struct):
    """What some metrics are about."""

    name: str
    """What the names of its metrics begin with: `evaluator/header/field/items.each.price`; nothing for the run."""
    about: dict[str, str] = field(default_factory=dict)
    """`evaluator`, `field` (the path as results spell it), `variant`, `slice_column` and `slice`: those that apply."""
    metrics: dict[str, Number] = field(default_factory=dict)
    """By the rest of their names: `accuracy`, `rows/scored`."""


def metrics_of(result: RunResult, every: bool = False) -> dict[str, Number]:
    """Metrics by their names, such as `evaluator/header/field/items.each.price/accuracy`; sorted.

    Counts that are 0, and metrics of slices, are among them only where `every` one is asked for.
    Raises ValueError should two metrics ever come to the same name.
    """
    metrics: dict[str, Number] = {}
    for name, _, _, value in _metrics(result, every):
        if name in metrics:
            raise ValueError(f"two metrics are called {name}")
        metrics[name] = value
    return dict(sorted(metrics.items()))


def metric_groups(result: RunResult, every: bool = False) -> tuple[MetricGroup, ...]:
    """The groups of metrics: the run, then each evaluator and each field that has metrics. Every metric of `metrics_of` with the same
    `every` is in one of them."""
    metrics = list(_metrics(result, every))
    groups = {group.name: group for _, group, _, _ in metrics}

    def headline_first(metric: tuple[str, MetricGroup, str, Number]) -> tuple[bool, str]:
        name, _, name_in_group, _ = metric
        return name_in_group not in _HEADLINE, name

    for _, group, rest, value in sorted(metrics, key=headline_first):
        groups[group.name].metrics[rest] = value
    return tuple(groups.values())


class Overall(Struct):
    """The overall scores of rows, added up."""

    scored: int = 0
    passed: int = 0
    failed: int = 0
    total: Fraction = Fraction()

    def add(self, row: Result, times: int = 1) -> None:
        """Counts the overall score of a row, or of so many `times` rows with the same; one without a score is not counted."""
        if row.score is not None:
            self.scored += times
            self.passed += times * (row.passed is True)
            self.failed += times * (row.passed is False)
            self.total += times * Fraction(row.num, row.den)

    def metrics(self) -> Named:
        """How many scores there are, their mean, and the share that pass, each behind its name; None where there is none."""
        yield "scored", self.scored
        yield "mean", float(self.total / self.scored) if self.scored else None
        yield "pass_rate", self.passed / (self.passed + self.failed) if self.passed + self.failed else None


def headline_of(result: RunResult, overall: Mapping[str | None, Overall]) -> dict[str, Number]:
    """The metrics that a table of runs shows, by their names, at most `MOST_MAIN`: how many gates failed; the mean of the evaluator that
    compares the most values, of five variants at most; of the overall score the mean, the pass rate and the rows that have one; the mean
    of each other evaluator, in their order. What has no room for all variants is left out. `overall` has the scores of each variant."""
    main = main_evaluators(result)
    of_rows = overall_metrics(overall)
    kinds: list[Mapping[str, Number | None]] = [
        {"gates/failed": sum(gate.verdict == "failed" for gate in result.gates)} if result.gates else {},
        _means(main[: MOST_MAIN - 1]),
        *({name: of_rows[name] for name in of_rows if name.endswith(f"/{last}")} for last in _OF_OVERALL),
    ]
    others = (stats.name for stats in result.evaluators if stats not in main)
    kinds += (_means(stats for stats in result.evaluators if stats.name == name) for name in dict.fromkeys(others))
    shown: dict[str, Number] = {}
    for kind in kinds:
        defined = {name: value for name, value in kind.items() if value is not None and isfinite(value)}
        if len(shown | defined) <= MOST_MAIN:
            shown |= defined
    return dict(sorted(shown.items()))


def overall_metrics(overall: Mapping[str | None, Overall]) -> dict[str, Number]:
    """The metrics of the overall scores of each variant, by their names."""
    named = {
        "/".join([*_of_variant(variant), OVERALL, name]): value
        for variant, whole in overall.items()
        for name, value in whole.metrics()
    }
    return {name: value for name, value in named.items() if value is not None}


def _means(evaluators: Iterable[EvaluatorStats]) -> dict[str, Number | None]:
    """The mean score of each evaluator, by the name of that metric; None where it has none."""
    return {f"{_prefix(stats)}/mean": stats.mean for stats in evaluators}


def nest(metrics: Mapping[str, Number]) -> dict[str, Any]:
    """Metrics as maps inside each other, one for each part between slashes."""
    whole: dict[str, Any] = {}
    for name, value in metrics.items():
        *above, last = name.split("/")
        inner = whole
        for part in above:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return whole


def field_prefix(stats: EvaluatorStats, field: FieldStats) -> str:
    """The prefix of the names of a field's metrics."""
    return f"{_prefix(stats, 'evaluator')}/field/{field_name(field.path)}"


def _prefix(stats: EvaluatorStats | NumericColumnStats, *kind: str) -> str:
    """The prefix of the names of an evaluator's or a measure's metrics: variant, slice, `kind` where one is given, and its name."""
    part = ["slice", *map(segment, stats.slice)] if stats.slice is not None else []
    name = segment(stats.name)
    if not kind and name in _GROUPS:
        name = f"_-{ord(name[0]):x}_{name[1:]}"
    return "/".join([*_of_variant(stats.variant), *part, *kind, name])


def _of_variant(variant: str | None) -> list[str]:
    return [] if variant is None else ["variant", segment(variant)]


def _metrics(result: RunResult, every: bool) -> Iterator[tuple[str, MetricGroup, str, Number]]:
    """Every metric that is defined: its name, its group, its name in the group, and its value. Counts of 0 that say nothing, and metrics of
    slices, are among them only where `every` one is asked for."""
    for group, prefix, metrics in _groups(result, every):
        for rest, value in metrics:
            name = f"{prefix}/{rest}" if prefix else rest
            if value is not None and isfinite(value) and (every or _says_something(name, value)):
                yield name, group, rest, value


def _says_something(name: str, value: Number) -> bool:
    """Whether a metric is worth sending: false for 0 of a count that says nothing then."""
    return value != 0 or name == "run/rows" or name.rpartition("/")[2] not in _COUNTERS


def _groups(result: RunResult, slices: bool) -> Iterator[tuple[MetricGroup, str, Named]]:
    """The metrics of a run, some at a time: their group, the prefix of their names, and for each the rest of its name and its value. A
    group may come several times. Metrics of slices are among them only where `slices` are asked for."""
    run = MetricGroup("")
    yield run, "", _run(result)
    for measure in result.measures:
        if measure.slice is None or slices:
            yield (
                run,
                "",
                (
                    (f"{_prefix(measure, 'measure')}/{name}", value)
                    for name, value in _metric_values(MEASURE_METRICS, measure)
                ),
            )
    for stats in (*result.evaluators, *(result.slices if slices else ())):
        group = MetricGroup(_prefix(stats, "evaluator"), _about(stats))
        headline = group.name if stats.slice is not None else _prefix(stats)
        yield group, headline, ((name, getattr(stats, name)) for name in _HEADLINE)
        yield group, group.name, _evaluator(stats)
        if stats.slice is None:
            yield group, group.name, _labels(result, stats)
            yield group, group.name, _repeats(result, stats)
            yield group, group.name, _confidence(result, stats, None)
    for stats in result.evaluators:
        for one_field in stats.fields:
            group = MetricGroup(field_prefix(stats, one_field), {**_about(stats), "field": one_field.path})
            yield group, group.name, _metric_values(FIELD_METRICS, one_field)
            yield group, group.name, _flips(result, stats, one_field.path)
            yield group, group.name, _confidence(result, stats, one_field.path)


def _about(stats: EvaluatorStats) -> dict[str, str]:
    """The attributes by which platforms group metrics: the evaluator, and the variant and slice where they have one."""
    attributes = {"evaluator": stats.name}
    if stats.variant is not None:
        attributes["variant"] = stats.variant
    if stats.slice is not None:
        attributes["slice_column"], attributes["slice"] = stats.slice
    return attributes


def _run(result: RunResult) -> Named:
    """The metrics of the run as a whole, and how many gates have each verdict."""
    yield "run/rows", result.rows
    yield "run/complete", int(result.complete)
    yield "run/exit_code", result.exit_code
    for verdict in _VERDICTS:
        yield f"gates/{verdict}", sum(gate.verdict == verdict for gate in result.gates)


def _metric_values(metrics: Iterable[Metric], stats: object) -> Named:
    """The values in `stats` of those metrics that platforms get, each behind its name there."""
    return ((metric.sent or metric.name, metric.value(stats)) for metric in metrics if metric.sent is not None)


def _with_prefix(prefix: str, metrics: Named) -> Named:
    return ((f"{prefix}/{name}", value) for name, value in metrics)


def _evaluator(stats: EvaluatorStats) -> Named:
    """The metrics of an evaluator by name: the declared ones, the counts of its fields, and its own metrics with their n."""
    yield from _metric_values(EVALUATOR_METRICS, stats)
    if stats.counts is not None:
        yield from ((f"counts/{name}", count) for name, count in asdict(stats.counts).items())
    for metric in stats.metrics:
        yield f"metric/{segment(metric.name)}/mean", metric.mean
        yield f"metric/{segment(metric.name)}/n", metric.n


def _labels(result: RunResult, stats: EvaluatorStats) -> Named:
    """The metrics of each label, and of the averages over labels."""
    for matrix in result.confusion_matrices:
        if (matrix.evaluator, matrix.variant) == (stats.name, stats.variant):
            for each in matrix.averages:
                yield from _with_prefix(f"labels/{each.label}", _metric_values(LABEL_METRICS, each))
            for each in matrix.labels:
                yield from _with_prefix(f"label/{segment(each.label)}", _metric_values(LABEL_METRICS, each))


def _repeats(result: RunResult, stats: EvaluatorStats) -> Named:
    """The metrics of an evaluator on several outputs of one question, and those for each k."""
    for repeat in result.repeats:
        if (repeat.evaluator, repeat.variant) == (stats.name, stats.variant):
            yield from _with_prefix("repeats", _metric_values(REPEAT_METRICS, repeat))
            for each in repeat.passes:
                yield f"repeats/groups_at_{each.k}", each.groups or None
                names = ((name.removesuffix("k"), value) for name, value in _metric_values(PASS_METRICS, each))
                yield from ((f"repeats/{name}{each.k}", value) for name, value in names)


def _flips(result: RunResult, stats: EvaluatorStats, field: str) -> Named:
    """The metrics on how often a field is right in some outputs of a question and wrong in others."""
    for repeat in result.repeats:
        if (repeat.evaluator, repeat.variant) == (stats.name, stats.variant):
            for each in repeat.fields:
                if each.path == field:
                    yield from _with_prefix("repeats", _metric_values(FLIP_METRICS, each))


def _confidence(result: RunResult, stats: EvaluatorStats, field: str | None) -> Named:
    """The metrics on how far the confidence in an evaluator's rows can be trusted, or, with a `field`, that in the field."""
    for confidence in result.confidence:
        if (confidence.evaluator, confidence.field, confidence.variant) == (stats.name, field, stats.variant):
            yield from _with_prefix("confidence", _metric_values(CONFIDENCE_METRICS, confidence))
