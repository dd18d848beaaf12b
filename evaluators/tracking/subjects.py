"""The metrics of a run by what they are about: the run, an evaluator of it, a field; of one variant or one slice.

Platforms that keep what a figure is about beside its name get it from here, with paths as results spell them.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from evaluators.run.result import EvaluatorStats, FieldStats, RunResult
from evaluators.tracking.run_metrics import Number, about, field_about, headline_about, metrics_of


class Subject(Struct):
    """What some metrics are about."""

    name: str
    """What the names of its metrics begin with: `evaluator/header/field/items.each.price`; nothing for the run."""
    about: dict[str, str] = field(default_factory=dict)
    """`evaluator`, `field` (the path as results spell it), `variant`, `slice_column` and `slice`: those that apply."""
    metrics: dict[str, Number] = field(default_factory=dict)
    """By the rest of their names: `accuracy`, `rows/scored`."""


def subjects_of(result: RunResult, every: bool = False) -> tuple[Subject, ...]:
    """The run, then each evaluator and each field that has metrics. Every metric of the run is in one of them."""
    whole = {one.name: one for one in (Subject(""), *_subjects(result))}
    known = {**whole, **{headline_about(stats): whole[about(stats)] for stats in result.evaluators}}
    for name, value in metrics_of(result, every).items():
        above, rest = name, ""
        while above not in known:
            above, _, last = above.rpartition("/")
            rest = f"{last}/{rest}" if rest else last
        known[above].metrics[rest] = value
    return tuple(one for one in whole.values() if one.metrics)


def _subjects(result: RunResult) -> Iterator[Subject]:
    for stats in (*result.evaluators, *result.slices):
        yield Subject(about(stats), _about(stats))
    for stats in result.evaluators:
        yield from (Subject(field_about(stats, one), _about(stats, one)) for one in stats.fields)


def _about(stats: EvaluatorStats, one: FieldStats | None = None) -> dict[str, str]:
    found = {"evaluator": stats.name}
    if one is not None:
        found["field"] = one.path
    if stats.variant is not None:
        found["variant"] = stats.variant
    if stats.slice is not None:
        found["slice_column"], found["slice"] = stats.slice
    return found
