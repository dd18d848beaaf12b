"""The right answers of a row that stand in a cell, beside the expected value of a place or in its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.limits import limits_here
from evaluators.model.rows import MISSING
from evaluators.scoring.comparators._comparator import Comparator


def with_answers(
    comparator: Comparator, expected: Any, cells: Mapping[str, Any], counts: dict[int, int], place: int
) -> Any:
    """All the right answers of a place in a row: its expected value, then those of the cell. `counts` says of each place how many answers
    of the cell were compared in the row."""
    column = comparator.answers_column or ""
    given = comparator.answers_in(cells.get(column, MISSING), expected)
    counts[place] = counts.get(place, 0) + len(given)
    if len(given) > 1 and counts[place] > limits_here().list_cells:
        raise RowProblem(_too_many(len(given), column))
    answers = [*given] if expected is MISSING else [expected, *given]
    return answers[0] if len(answers) == 1 and not isinstance(answers[0], list) else answers


def own_pattern(comparator: Comparator, cells: Mapping[str, Any]) -> Any:
    """What the cell says of a place whose comparator reads the output alone. One that cannot be used is met in every row, whatever the
    output has."""
    return comparator.answers_in(cells.get(comparator.answers_column or "", MISSING), MISSING)[0]


def _too_many(answers: int, column: str) -> Issue:
    most = limits_here().list_cells
    message = (
        f"too many values are compared with the {answers:,} right answers of the row: {most:,} comparisons are the most"
    )
    hint = "list fewer answers, or write limits: {list_cells: NUMBER}"
    return Issue("too-many-answers", Blame.ENVIRONMENT, message, f'column "{column}"', hint)
