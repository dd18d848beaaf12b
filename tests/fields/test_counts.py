"""The figures of scored documents."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from evaluators.fields.scored import Scored
from evaluators.issues import Blame, Issue, RowProblem
from evaluators.model import MISSING, FieldStatus, Outcome
from tests.fields.alone import score_document
from tests.fields.figures import counted, entries, figures_by_name, figures_of
from tests.fields.trees import Planned, array, leaf, metric, obj, tree


def figures(planned: Planned, expected: Any, output: Any) -> dict[str, Fraction | None]:
    return figures_by_name(score_document(tree(planned), expected, output))


PERSON = obj({"name": leaf(), "age": leaf(), "items": array(leaf(), "hungarian")})


def test_the_worked_example_of_extract_bench() -> None:
    """Name and age right, 8 of 10 items: source, the README of extract-bench."""
    found = figures(PERSON, {"name": "n", "age": 1, "items": [*range(10)]}, {"name": "n", "age": 1, "items": [*range(8)]})
    assert found["field_score"] == Fraction(28, 30)
    assert found["overall_score"] == Fraction(10, 12)
    assert found["overall_pass_rate"] == Fraction(2, 3)


def test_a_figure_is_undefined_only_where_nothing_was_there_to_score() -> None:
    assert set(figures(PERSON, MISSING, MISSING).values()) == {None}
    assert set(figures(PERSON, {}, {}).values()) == {None}
    assert set(figures(PERSON, {"x": 1}, {"x": 1}).values()) == {None}


def test_a_figure_without_a_denominator_is_0_where_anything_went_wrong() -> None:
    assert set(figures(PERSON, {"name": "n"}, {}).values()) == {Fraction(0)}
    assert set(figures(PERSON, {}, {"x": 1}).values()) == {Fraction(0)}


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
    ("expected", "output", "score", "items"),
    [
        ([], [], 1, 1),
        (None, None, 1, 1),
        ([], [1], 0, 1),
        (None, [1], 0, 1),
        ([], None, 0, 1),
        ([1, 2], [2, 1, 3], 1, 2),
        ([1, 2], [1], Fraction(1, 2), 2),
        ([1, 2], "junk", 0, 2),
    ],
)
def test_an_array_is_one_entry_with_its_item_recall(expected: Any, output: Any, score: Any, items: int) -> None:
    scored = score_document(tree(PERSON), {"items": expected}, {"items": output})
    (entry,) = entries(scored)
    assert (Fraction(entry.num, entry.den), entry.passed) == (score, score == 1)
    (listed,) = scored.arrays
    assert max(1, listed.matched + listed.missing) == items


def test_only_outermost_arrays_are_entries_and_unknown_keys_are_none() -> None:
    planned = obj({"a": leaf(), "rows": array(obj({"tags": array(leaf()), "n": leaf()}))})
    document = {"a": 1, "rows": [{"n": 1, "tags": [1, 2]}]}
    scored = score_document(tree(planned), document, {**document, "x": 1})
    assert [each.path for each in scored.arrays] == ["rows", "rows[0].tags"]
    assert len(entries(scored)) == 2
    assert len(scored.fields) == 5


def test_an_array_of_skipped_items_is_no_entry() -> None:
    planned = obj({"a": leaf(), "rows": array(leaf(skip=True))})
    assert len(entries(score_document(tree(planned), {"a": 1, "rows": [1]}, {"a": 1, "rows": [2]}))) == 1


def test_metrics_of_one_field_are_entries_of_their_own_and_one_unit() -> None:
    scored = score_document(tree(obj({"a": leaf(metric(), metric(name="again"))})), {"a": 1}, {"a": 1})
    assert len(entries(scored)) == 2
    assert counted(scored.fields) == (1, 0, 0, 0)


def test_a_row_with_a_problem_has_no_figures() -> None:
    fault = Outcome("a", FieldStatus.NOT_JUDGED, details={"metric": "exact"})
    match = Outcome("b", FieldStatus.MATCH, 1.0, details={"metric": "exact"})
    scored = Scored((fault, match), problem=RowProblem(Issue("late", Blame.ENVIRONMENT, "late")))
    assert set(figures_of(scored)) == {(0, 0)}
    assert counted(scored.fields) == (1, 0, 0, 0)


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


def test_partial_credit_is_in_the_mean_score_alone() -> None:
    half = Outcome("a", FieldStatus.MISMATCH, 1 / 3, details={"metric": "fuzzy", "ratio": (1, 3)})
    assert figures_by_name(Scored((half, Outcome("b", FieldStatus.MATCH, 1.0))))["mean_score"] == Fraction(2, 3)
    assert counted([half]).exact("f1") == 0
