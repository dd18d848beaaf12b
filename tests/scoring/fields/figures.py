"""The figures of a row that was scored, by name."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from evaluators.model.rows import Outcome
from evaluators.scoring.fields.events import Credit, events_of
from evaluators.scoring.fields.outcomes import Scored
from evaluators.scoring.fields.row_metrics import METRICS, UNDEFINED, Ratio, row_metrics
from evaluators.scoring.fields.schema_scoring import SCORES
from evaluators.scoring.values.confusion import Confusion


def figures_of(scored: Scored) -> tuple[Ratio, ...]:
    """One exact fraction for each of METRICS; (0, 0) where it is undefined, and everywhere in a row without a score."""
    return row_metrics(events_of(scored)).metrics if scored.problem is None else (UNDEFINED,) * len(METRICS)


def counted(results: Iterable[Outcome]) -> Confusion:
    """The counts of the results of one row."""
    return Confusion(*row_metrics(events_of(Scored(tuple(results)))).counts)


def figures_by_name(scored: Scored) -> dict[str, Fraction | None]:
    """Each figure, exact; None where it is undefined."""
    return {
        name: Fraction(num, den) if den else None for name, (num, den) in zip(SCORES, figures_of(scored), strict=True)
    }


def entries(scored: Scored) -> list[Credit]:
    """What the totals of extract-bench are over."""
    return [credit for event in events_of(scored) if event.entry for credit in event.credits]
