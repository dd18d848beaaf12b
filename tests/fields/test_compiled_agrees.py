"""The compiled scorer of a tree gives what the slow, obvious one gives."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.fields.schema_check import ExplainedCheck, SchemaCheck
from evaluators.fields.schema_scoring import SchemaScoring
from evaluators.fields.tree import FieldNode
from evaluators.model import Verdict
from tests.fields.random_trees import alike_items, pairs


def exact(verdict: Verdict) -> object:
    """A verdict with its fractions reduced, and a problem as a plain yes or no."""
    figures = [Fraction(num, den) if den else None for num, den in verdict.figures]
    value = Fraction(verdict.num, verdict.den) if verdict.den else None
    return verdict.standing, verdict.passed, value, verdict.counts, figures, verdict.issue is None


def tallies(check: Any) -> object:
    totals = {}
    for (path, kind, den), count in check.details().items():
        totals[path, kind] = totals.get((path, kind), 0) + Fraction(count, den)
    return check.counts(), {key: count for key, count in totals.items() if count}


@settings(max_examples=300, deadline=None)
@given(pairs(), st.booleans())
def test_a_compiled_tree_scores_like_the_reference(drawn: tuple[FieldNode, Any, Any], surplus_counts: bool) -> None:
    root, expected, output = drawn
    scoring = SchemaScoring(root, "f1", 1.0, surplus_counts=surplus_counts)
    slow = ExplainedCheck(scoring.scored, scoring.place, 1.0)
    fast = SchemaCheck(root, scoring.place, 1.0, (), scoring.scored, surplus_counts)
    assert exact(fast(expected, output)) == exact(slow(expected, output))
    assert tallies(fast) == tallies(slow)


@settings(max_examples=300, deadline=None)
@given(alike_items())
def test_items_that_stay_in_their_places_are_the_ones_that_the_best_pairing_leaves_there(
    drawn: tuple[FieldNode, Any, Any],
) -> None:
    root, expected, output = drawn
    scoring = SchemaScoring(root, "f1", 1.0)
    slow, fast = ExplainedCheck(scoring.scored, scoring.place, 1.0), SchemaCheck(root, scoring.place, 1.0)
    assert exact(fast(expected, output)) == exact(slow(expected, output))
    assert tallies(fast) == tallies(slow)
