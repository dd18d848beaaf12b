"""The figure that a gate compares with its limits, and the rows that it rests on."""

from __future__ import annotations

from evaluators.run.gates import Figure, Gate, MeasureFigure
from evaluators.run.result import EvaluatorStats, FieldStats
from evaluators.values.confusion import Ratio


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
        case "precision":
            return (field or stats).precision
        case "recall":
            return (field or stats).recall
        case "f1":
            return (field or stats).f1
        case "mean_score" if field:
            return field.mean_score
        case _:
            found = None if field else stats.figure(figure)
            return found.mean if found else None


def _ratio(figure: Figure | MeasureFigure, field: FieldStats | None) -> Ratio | None:
    """The figure, where it is one sum over all values divided by another; the mean score of a field is over the same."""
    if field is not None and figure == "mean_score":
        return "accuracy"
    return figure if figure in ("accuracy", "precision", "recall", "f1") else None


def lower_bound(figure: Figure | MeasureFigure, stats: EvaluatorStats, field: FieldStats | None) -> float | None:
    """The lower end of the figure's 95 % interval; None where there is none."""
    ratio = _ratio(figure, field)
    if ratio is None:
        found = stats.mean_interval if figure == "mean" else stats.interval
        return found.low if found else None
    bound = stats.bound(field.path if field else None, ratio)
    if bound is not None and bound.interval is not None:
        return bound.interval.low
    return 0.0 if figure_of(figure, stats, field) == 0 else None


def rows_measured(figure: Figure | MeasureFigure, stats: EvaluatorStats, field: FieldStats | None) -> int:
    """The rows on which the figure is defined."""
    further = None if field else stats.figure(figure)
    if further is not None:
        return further.rows
    ratio = _ratio(figure, field)
    if ratio is None:
        return stats.scored - stats.empty_expected
    bound = stats.bound(field.path if field else None, ratio)
    return bound.rows if bound else 0
