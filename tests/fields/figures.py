"""The figures of a row that was scored, by name."""

from __future__ import annotations

from fractions import Fraction

from evaluators.fields.events import Credit, events_of, figures_of
from evaluators.fields.schema_scoring import SCORES
from evaluators.fields.scored import Scored


def figures_by_name(scored: Scored) -> dict[str, Fraction | None]:
    """Each figure, exact; None where it is undefined."""
    return {
        name: Fraction(num, den) if den else None for name, (num, den) in zip(SCORES, figures_of(scored), strict=True)
    }


def entries(scored: Scored) -> list[Credit]:
    """What the totals of extract-bench are over."""
    return [credit for event in events_of(scored) if event.entry for credit in event.credits]
