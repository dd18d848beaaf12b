"""The figure that a gate compares with its limits, and the rows that it rests on."""

from __future__ import annotations

from evaluators.run.gates import MICRO, POOLED, Figure, Gate, MeasureFigure
from evaluators.run.result import EvaluatorStats, FieldStats


def field_of(gate: Gate, stats: EvaluatorStats) -> FieldStats | None:
    """What the run found of the gate's field; None where the gate has no field, or no row had it."""
    return next((field for field in stats.fields if field.path == gate.target.field), None)


def figure_of(figure: Figure | MeasureFigure, stats: EvaluatorStats, field: FieldStats | None) -> float | None:
    """The figure itself; None where there is nothing to divide by."""
    match figure:
        case "accuracy":
            return field.accuracy if field else None
        case "mean":
            return None if field else stats.mean
        case "pass_rate":
            return None if field else stats.pass_rate
        case "precision" | "recall" | "f1" | "mean_score":
            found: float | None = getattr(field, figure) if field else None
            return found
        case "micro_precision" | "micro_recall" | "micro_f1":
            pooled: float | None = None if field else getattr(stats, figure)
            return pooled
        case _:
            further = None if field else stats.metric(figure)
            return further.mean if further else None


def _ratio(figure: Figure | MeasureFigure, field: FieldStats | None) -> str | None:
    """The figure, where it is one sum over all values divided by another; the mean score of a field is over the same."""
    if field is not None and figure == "mean_score":
        return "accuracy"
    return figure if figure in ("accuracy", *POOLED, *MICRO) else None


def lower_bound(figure: Figure | MeasureFigure, stats: EvaluatorStats, field: FieldStats | None) -> float | None:
    """The lower end of the figure's 95 % CI; None where there is none."""
    ratio = _ratio(figure, field)
    if ratio is None:
        found = stats.mean_ci if figure == "mean" else stats.pass_rate_ci
        return found.low if found else None
    bound = stats.metric_ci(field.path if field else None, ratio)
    if bound is not None and bound.ci is not None:
        return bound.ci.low
    return 0.0 if figure_of(figure, stats, field) == 0 else None


def rows_measured(figure: Figure | MeasureFigure, stats: EvaluatorStats, field: FieldStats | None) -> int:
    """The rows on which the figure is defined."""
    further = None if field else stats.metric(figure)
    if further is not None:
        return further.n
    ratio = _ratio(figure, field)
    if ratio is None:
        return stats.scored - stats.empty_expected
    bound = stats.metric_ci(field.path if field else None, ratio)
    return bound.n if bound else 0
