"""A walk through the rows of a chunk comes to what each of its rows comes to alone, with all its results."""

from __future__ import annotations

import gc
import tracemalloc
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluators.model.rows import MISSING, Result
from evaluators.scoring.fields.schema_check import SchemaCheck
from evaluators.scoring.fields.schema_rows import SchemaRows
from evaluators.scoring.fields.schema_scoring import SchemaScoring
from evaluators.scoring.fields.tree import FieldNode
from tests.scoring.fields.alone import counted_one_by_one, scored_by, wrong_by
from tests.scoring.fields.random_trees import alike_items, pairs
from tests.scoring.fields.trees import array, choice, leaf, obj, tree


def exact(verdict: Result) -> object:
    """A verdict with its fractions reduced, and a problem as a plain yes or no."""
    figures = [Fraction(num, den) if den else None for num, den in verdict.metrics]
    value = Fraction(verdict.num, verdict.den) if verdict.den else None
    by_field = verdict.statuses, verdict.values, verdict.watched
    return verdict.status, verdict.passed, value, verdict.counts, figures, verdict.issue is None, by_field


def tallies(check: Any) -> object:
    totals = {}
    for (path, kind, den), count in check.details().items():
        totals[path, kind] = totals.get((path, kind), 0) + Fraction(count, den)
    return check.counts(), {key: count for key, count in totals.items() if count}


@example((tree(array(leaf())), {}, [None]), False)
@given(st.one_of(pairs(), alike_items()), st.booleans())
def test_rows_together_come_to_what_each_of_them_comes_to_alone(
    drawn: tuple[FieldNode, Any, Any], surplus_counts: bool
) -> None:
    root, one, other = drawn
    scoring = SchemaScoring(root, "f1", 1.0, surplus_counts=surplus_counts)
    watched = scoring.fields[:2]
    slow = counted_one_by_one(scoring).watch_fields(watched)
    fast = SchemaCheck(scoring).watch_fields(watched)
    rows = [(one, other), (other, one), (one, one), (one, MISSING), (one, other)]
    together = fast.verdicts([a for a, _ in rows], [b for _, b in rows])
    assert [exact(found) for found in together] == [exact(slow(a, b)) for a, b in rows]
    assert tallies(fast) == tallies(slow)


@given(st.one_of(pairs(), alike_items()))
def test_a_row_of_a_chunk_has_the_results_that_it_has_alone(drawn: tuple[FieldNode, Any, Any]) -> None:
    root, one, other = drawn
    scoring = SchemaScoring(root, "f1", 1.0)
    sides = [(one, other), (other, one), (one, one), (one, MISSING), (one, other)]
    rows = SchemaRows(scoring, [a for a, _ in sides], [b for _, b in sides])
    try:
        for at, (expected, output) in enumerate(sides):
            assert rows.outcomes_of(at) == scored_by(scoring, expected, output)
            assert rows.wrong_outcomes(at, {""}, ()) == wrong_by(scoring, expected, output)
    finally:
        rows.release()


@pytest.mark.slow
def test_frames_are_let_go_of_without_the_collector() -> None:
    scoring = SchemaScoring(
        read_listed({"fields": {"a": "exact", "l[*].x": "exact", "l": {"align": "hungarian"}}}), "f1", 1.0
    )
    check = SchemaCheck(scoring)
    row = {"a": 1, "l": [{"x": 1}, {"x": 2}]}, {"a": 2, "l": [{"x": 2}, {"y": 3}, {"x": 1}]}
    gc.collect()
    gc.disable()
    try:
        check.verdicts([row[0]] * 50, [row[1]] * 50)
        before = len(gc.get_objects())
        for _ in range(20):
            check.verdicts([row[0]] * 50, [row[1]] * 50)
        assert len(gc.get_objects()) - before < 200
    finally:
        gc.enable()


def read_listed(settings: dict[str, Any]) -> FieldNode:
    from tests.laws.structures import evaluator

    return evaluator("schema_match", settings).scored_fields().tree.root


def test_weights_that_get_smaller_at_every_turn_of_a_schema_give_whole_numbers() -> None:
    node = {
        "type": "object",
        "evaluation_config": {"aggregation_weight": 0.5},
        "properties": {"name": {"type": "string", "evaluation_config": "string_exact"}, "next": {"$ref": "#/$defs/n"}},
    }
    schema = {"type": "object", "properties": {"r": {"$ref": "#/$defs/n"}}, "$defs": {"n": node}}
    check = SchemaCheck(SchemaScoring(read_listed({"schema": schema}), "overall_score", 1.0))
    document = {"r": {"name": "a", "next": {"name": "b", "next": {"name": "c"}}}}
    verdict = check(document, {"r": {"name": "a", "next": {"name": "b", "next": {"name": "d"}}}})
    assert all(number.__class__ is int for figure in (*verdict.metrics, (verdict.num, verdict.den)) for number in figure)
    assert Fraction(verdict.num, verdict.den) == Fraction(6, 7)


def test_what_rows_came_to_is_remembered_for_further_checks_each_of_which_counts_its_own() -> None:
    scoring = SchemaScoring(tree(obj({"a": leaf(), "b": leaf()})), "f1", 1.0)
    first, second = SchemaCheck(scoring), SchemaCheck(scoring)
    watching = SchemaCheck(scoring).watch_fields(["a"])
    (one,) = first.verdicts([{"a": 1, "b": 2}], [{"a": 1, "b": 3, "c": 4}])
    others = second.verdicts([{"a": 1, "b": 2}] * 2, [{"a": 1, "b": 5, "c": 6}] * 2)
    assert all(other is one for other in others)
    assert watching.verdicts([{"a": 1, "b": 2}], [{"a": 1, "b": 3}])[0].watched == ((1, 0, 0, 0),)
    assert first.counts() == {"a": (1, 0, 0, 0), "b": (0, 1, 0, 0), "c": (0, 0, 0, 1)}
    assert second.counts() == {"a": (2, 0, 0, 0), "b": (0, 2, 0, 0), "c": (0, 0, 0, 2)}
    assert first.counts() == {"a": (1, 0, 0, 0), "b": (0, 1, 0, 0), "c": (0, 0, 0, 1)}


def test_which_places_are_counted_apart_hangs_on_the_rows_of_a_check_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluators.scoring.fields.schema_check.EXTRA_CAP", 2)
    scoring = SchemaScoring(tree(obj({"a": leaf()})), "f1", 1.0)
    for keys in ("pqr", "rst"):
        check = SchemaCheck(scoring)
        check.verdicts([{"a": 1}] * 3, [{"a": 1, key: 1} for key in keys])
        apart = {path: counts[3] for path, counts in check.counts().items() if path != "a"}
        assert apart == {keys[0]: 1, keys[1]: 1, "(other paths)": 1}


def test_what_is_remembered_of_rows_that_are_never_alike_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluators.scoring.fields.schema_check.MOST_EVENTS", 40)
    monkeypatch.setattr("evaluators.scoring.fields.schema_check.EXTRA_CAP", 30)
    check = SchemaCheck(SchemaScoring(tree(obj({"a": leaf()})), "f1", 1.0))
    for number in range(0, 200, 10):
        outputs = [{"a": 1, f"k{row}": row} for row in range(number, number + 10)]
        assert [found.counts for found in check.verdicts([{"a": 1}] * 10, outputs)] == [(1, 0, 0, 1)] * 10
        assert len(check._memory().events.known) <= 60
    counts = check.counts()
    assert counts["a"] == (200, 0, 0, 0)
    assert sum(extra for _, _, _, extra in counts.values()) == 200
    assert len(counts) == 32  # the field, thirty places, and all the others together


def test_items_without_a_partner_that_have_branches_take_memory_in_proportion_to_their_number() -> None:
    root = tree(array(choice(obj({"x": leaf(), "y": leaf()}), obj({"x": leaf(), "z": leaf()}))))
    check = SchemaCheck(SchemaScoring(root, "f1", 1.0))

    def peak(size: int) -> int:
        expected, output = [{"x": at} for at in range(size)], [{"x": at} for at in range(2 * size)]
        tracemalloc.start()
        try:
            check(expected, output)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(50)
    assert peak(3_200) < 8 * peak(800)
