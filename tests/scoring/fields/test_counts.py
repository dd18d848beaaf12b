"""The figures of scored documents."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from evaluators.model.rows import FieldStatus, Outcome
from tests.scoring.fields.alone import score_document
from tests.scoring.fields.figures import counted, figures_by_name
from tests.scoring.fields.trees import Planned, array, leaf, obj, tree


def figures(planned: Planned, expected: Any, output: Any) -> dict[str, Fraction | None]:
    return figures_by_name(score_document(tree(planned), expected, output))


PERSON = obj({"name": leaf(), "age": leaf(), "items": array(leaf(), "hungarian")})


def test_the_worked_example_of_extract_bench() -> None:
    """Name and age right, 8 of 10 items: source, the README of extract-bench."""
    found = figures(PERSON, {"name": "n", "age": 1, "items": [*range(10)]}, {"name": "n", "age": 1, "items": [*range(8)]})
    assert found["field_score"] == Fraction(28, 30)
    assert found["overall_score"] == Fraction(10, 12)
    assert found["overall_pass_rate"] == Fraction(2, 3)


def test_weights_weigh() -> None:
    planned = obj(
        {"a": leaf(weight=Fraction(3)), "b": leaf(weight=Fraction(1, 10)), "rows": array(leaf(), weight=Fraction(2))}
    )
    document = {"a": 1, "b": 1, "rows": [1, 2, 3, 4]}
    found = figures(planned, document, {"a": 1, "b": 2, "rows": [1]})
    assert found["mean_score"] == Fraction(4) / (Fraction(31, 10) + 4)
    assert found["field_score"] == (3 + 2 * Fraction(1, 4)) / (Fraction(31, 10) + 2)
    assert found["overall_score"] == (3 + 8 * Fraction(1, 4)) / (Fraction(31, 10) + 8)


@pytest.mark.parametrize(
    ("statuses", "counts"),
    [
        ([FieldStatus.MATCH, FieldStatus.MATCH], (1, 0, 0, 0)),
        ([FieldStatus.MATCH, FieldStatus.MISMATCH], (0, 1, 0, 0)),
        ([FieldStatus.MATCH, FieldStatus.ERROR], (0, 1, 0, 0)),
        ([FieldStatus.MISMATCH, FieldStatus.NOT_JUDGED], (0, 0, 0, 0)),
        ([FieldStatus.MATCH, FieldStatus.SKIPPED], (1, 0, 0, 0)),
        ([FieldStatus.OMISSION, FieldStatus.OMISSION], (0, 0, 1, 0)),
    ],
)
def test_a_unit_with_several_metrics_counts_once(statuses: list[FieldStatus], counts: Any) -> None:
    assert counted([Outcome("a", each, details={"metric": str(n)}) for n, each in enumerate(statuses)]) == counts
