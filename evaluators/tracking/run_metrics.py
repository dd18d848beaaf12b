"""The figures of a run as metrics: one number under each name, with our own denominators beside every mean.

A figure that is not defined is left out: no name ever stands for something that is not a number. The mean score and the pass
rate of each evaluator over all its rows are under `all`, which platforms that sort names show first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import Any, Final, TypeAlias

from msgspec.structs import asdict, replace

from evaluators.run.result import Counts, EvaluatorStats, FieldStats, MeasureStats, RunResult
from evaluators.tracking.metric_names import field_name, segment

Number: TypeAlias = int | float
Named: TypeAlias = Iterator[tuple[str, Number | None]]

_COUNTERS: Final = frozenset({
    "skipped", "not_measured", "invalid", "unjudged", "bugs", "passed", "failed", "unreadable", "blocked", "empty_expected",
    "outputs_without_values", "rows_without_fields", "fields_not_listed", "missing", "warned", "undecided", "rows", "n",
    *Counts.__struct_fields__,
})  # fmt: skip
"""The last parts of names of counts that say nothing where they are 0. How many rows there are and were scored is always said."""
_VERDICTS: Final = ("passed", "warned", "failed", "undecided")


def metrics_of(result: RunResult, every: bool = False) -> dict[str, Number]:
    """Metrics by their names, such as `evaluator/header/field/items.each.price/accuracy`; sorted.

    Counts that are 0, and figures of slices, are among them only where `every` one is asked for.
    Raises ValueError should two figures ever come to the same name.
    """
    found: dict[str, Number] = {}
    for name, value in _all(result, every):
        if value is None or not isfinite(value) or not (every or _says_something(name, value)):
            continue
        if name in found:
            raise ValueError(f"two figures are called {name}")
        found[name] = value
    return dict(sorted(found.items()))


def of_variant(result: RunResult, variant: str) -> RunResult:
    """The figures of one variant as those of a run that has no others."""
    return replace(
        result,
        variants=(),
        evaluators=tuple(replace(one, variant=None) for one in result.evaluators if one.variant == variant),
        slices=tuple(replace(one, variant=None) for one in result.slices if one.variant == variant),
        measures=tuple(replace(one, variant=None) for one in result.measures if one.variant == variant),
        gates=tuple(replace(one, variant=None) for one in result.gates if one.variant == variant),
    )


def _says_something(name: str, value: Number) -> bool:
    return value != 0 or name == "run/rows" or name.rpartition("/")[2] not in _COUNTERS


def nested(metrics: Mapping[str, Number]) -> dict[str, Any]:
    """Metrics as maps inside each other, one for each part between slashes."""
    whole: dict[str, Any] = {}
    for name, value in metrics.items():
        *above, last = name.split("/")
        inner = whole
        for part in above:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return whole


def about(stats: EvaluatorStats) -> str:
    """What the names of an evaluator's metrics begin with."""
    variant = ["variant", segment(stats.variant)] if stats.variant is not None else []
    part = ["slice", *map(segment, stats.slice)] if stats.slice is not None else []
    return "/".join([*variant, *part, "evaluator", segment(stats.name)])


def headline_about(stats: EvaluatorStats) -> str:
    """What the names of its mean score and its pass rate begin with: those over all rows stand before all others."""
    if stats.slice is not None:
        return about(stats)
    variant = ["variant", segment(stats.variant)] if stats.variant is not None else []
    return "/".join([*variant, "all", segment(stats.name)])


def field_about(stats: EvaluatorStats, field: FieldStats) -> str:
    """What the names of a field's metrics begin with."""
    return f"{about(stats)}/field/{field_name(field.path)}"


def _all(result: RunResult, slices: bool) -> Named:
    yield "run/rows", result.rows
    yield "run/complete", int(result.complete)
    yield "run/exit_code", result.exit_code
    for verdict in _VERDICTS:
        yield f"gates/{verdict}", sum(gate.verdict == verdict for gate in result.gates)
    for stats in (*result.evaluators, *(result.slices if slices else ())):
        yield from _under(headline_about(stats), (("mean_score", stats.mean), ("pass_rate", stats.pass_rate)))
        yield from _under(about(stats), _evaluator(stats))
    for one in result.measures:
        if one.slice is not None and not slices:
            continue
        yield from _under(_about_measure(one), _measure(one))
    for stats in result.evaluators:
        for field in stats.fields:
            yield from _under(field_about(stats, field), _field(field))


def _about_measure(one: MeasureStats) -> str:
    variant = ["variant", segment(one.variant)] if one.variant is not None else []
    part = ["slice", *map(segment, one.slice)] if one.slice is not None else []
    return "/".join([*variant, *part, "measure", segment(one.name)])


def _measure(one: MeasureStats) -> Named:
    for name in ("mean", "median", "p95", "sum", "min", "max", "rows", "n", "missing", "unreadable"):
        yield name, getattr(one, name)


def _evaluator(stats: EvaluatorStats) -> Named:
    yield "rows/total", stats.rows
    for name in ("scored", "skipped", "not_measured", "invalid", "unjudged", "bugs"):
        yield f"rows/{name}", getattr(stats, name)
    for name in ("passed", "failed", "unreadable", "blocked", "empty_expected", "outputs_without_values",
                 "rows_without_fields"):  # fmt: skip
        yield name, getattr(stats, name)
    for name in ("micro_precision", "micro_recall", "micro_f1"):
        yield name, getattr(stats, name)
    if stats.counts is not None:
        yield from _under("counts", asdict(stats.counts).items())
    for metric in stats.metrics:
        yield f"metric/{segment(metric.name)}/mean", metric.mean
        yield f"metric/{segment(metric.name)}/n", metric.n
    yield "fields_not_listed", stats.fields_not_listed


def _field(field: FieldStats) -> Named:
    for name in ("accuracy", "precision", "recall", "f1", "mean_score"):
        yield name, getattr(field, name)
    yield "n", field.counts.n
    yield from asdict(field.counts).items()


def _under(prefix: str, figures: Iterable[tuple[str, Number | None]]) -> Named:
    return ((f"{prefix}/{name}", value) for name, value in figures)
