"""A failure never helps: what it does to every figure of a row, for every evaluator that scores structure.

For a value that counted as a match, replacing it in place or removing its key never raises the score, recall, F1, or a
mean, and never takes the row out of a denominator; nor does an output that is empty or unreadable as a whole. Precision may
rise with what is *left out*, for what is wrong in the rest weighs the same: that is its formula.
"""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluators.model.issues import RowProblem
from evaluators.model.rows import MISSING, FieldStatus, Outcome, Result, RowStatus
from evaluators.scoring.evaluators._evaluator import Evaluator
from evaluators.scoring.fields.row_metrics import METRICS
from evaluators.scoring.values.paths import parse
from tests.laws.schemas import Drawn, Wishes, drawn
from tests.laws.structures import evaluator, evaluators, pairs, verdict, without_output
from tests.reference.settled import settle

STRAIGHT = Wishes(choices=False, aligned=False, changing=False)
UNMEASURED = (RowStatus.INVALID, RowStatus.UNJUDGED, RowStatus.BUG)


def figures(found: Result, precision: bool = True) -> dict[str, Fraction]:
    """Every figure that the row has, by name."""
    named = dict(zip(METRICS, found.metrics, strict=False)) | {"score": (found.num, found.den)}
    match, mismatch, omission, invented = found.counts or counts_of(found)
    named["recall"] = (match, match + mismatch + omission or invented)
    names = [name for name, (_, den) in named.items() if den and (precision or name != "mean_precision")]
    return {name: Fraction(*named[name]) for name in names}


def counts_of(found: Result) -> tuple[int, int, int, int]:
    count = found.statuses.count
    wrong = count(FieldStatus.MISMATCH) + count(FieldStatus.ERROR)
    return count(FieldStatus.MATCH), wrong, count(FieldStatus.OMISSION), count(FieldStatus.HALLUCINATION)


def raised(before: Result, after: Result, precision: bool = True) -> list[str]:
    """The figures that are higher than before, and those that are gone."""
    now = figures(after, precision)
    return [name for name, was in figures(before, precision).items() if name not in now or now[name] > was]


def places(document: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a document."""
    inner = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    return [place for key, value in inner for place in [(*at, key), *places(value, (*at, key))]]


def broken(document: Any, place: tuple[Any, ...], value: Any) -> Any:
    """The document with another value at a place, or without it."""
    found = copy.deepcopy(document)
    inner = found
    for step in place[:-1]:
        inner = inner[step]
    if value is MISSING:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return found


def right_places(results: tuple[Outcome, ...], output: Any) -> list[tuple[Any, ...]]:
    """Where the output has a value that matched."""
    there = set(places(output))
    found = [
        parse(one.path).steps for one in results if one.status is FieldStatus.MATCH and one.path and "+" not in one.path
    ]
    return [steps for steps in map(tuple, found) if steps in there]


WRONG: st.SearchStrategy[Any] = st.sampled_from([MISSING, {"broken": ["off"]}, "\x00off", None])


@given(st.data(), drawn(STRAIGHT), WRONG)
def test_breaking_a_right_value_raises_no_figure_of_a_schema(data: st.DataObject, each: Drawn, value: Any) -> None:
    before = each.one.explain(each.expected, each.output)
    chosen = right_places(tuple(one for one in before.fields if "metric" in one.details), each.output)
    assume(chosen)
    place = data.draw(st.sampled_from(chosen))
    assume(value is not MISSING or isinstance(place[-1], str))
    after = each.one.explain(each.expected, broken(each.output, place, value))
    was, now = settle(each.one, before), settle(each.one, after)
    at = ".".join(map(str, place))
    assume(now.issue is None)
    assume(
        not any(
            one.status is FieldStatus.MATCH and tuple(parse(one.path).steps) == place for one in after.fields if one.path
        )
    )
    assert raised(was, now, precision=value is not MISSING) == [], at
    assert figures(verdict(each.one, each.expected, broken(each.output, place, value))) == figures(now)


@given(drawn(Wishes()), st.sampled_from([{}, [], None, "", MISSING]))
def test_an_empty_or_unreadable_output_raises_no_figure_of_a_schema(each: Drawn, nothing: Any) -> None:
    before = verdict(each.one, each.expected, each.output)
    assume(before.status not in UNMEASURED)
    assume(verdict(each.one, each.expected, each.expected).den)  # where nothing is expected, an empty output is right
    if nothing is MISSING:
        after = without_output(each.one, each.expected, MISSING)
        assert after.status is RowStatus.UNREADABLE
    else:
        after = verdict(each.one, each.expected, nothing)
    assume(after.status not in UNMEASURED)
    assume(nothing is MISSING or nothing != each.expected)
    assert [name for name in raised(before, after) if before.counts != after.counts] == []


@given(evaluators(two_sided=True, queries=False), pairs())
def test_an_unreadable_output_raises_no_figure(one: Evaluator, pair: tuple[Any, Any]) -> None:
    before = verdict(one, *pair)
    assume(before.status not in UNMEASURED and before.status is not RowStatus.NOT_MEASURED)
    assume(not any(line.when for line in getattr(one, "fields", ())))
    try:
        after = without_output(one, pair[0], MISSING)
    except RowProblem:
        return
    assert after.status is RowStatus.UNREADABLE
    assert [name for name in raised(before, after) if name != "recall"] == []
    assert figures(after).get("recall", Fraction(0)) <= figures(before).get("recall", Fraction(1))


@given(st.data(), evaluators(two_sided=True, queries=False), pairs(), WRONG)
def test_breaking_a_right_value_raises_no_figure(
    data: st.DataObject, one: Evaluator, pair: tuple[Any, Any], value: Any
) -> None:
    expected, output = pair
    before = verdict(one, expected, output)
    assume(before.status is RowStatus.SCORED)
    assume(not any(line.when or line.align for line in getattr(one, "fields", ())))
    chosen = right_places(one.explain(expected, output).fields, output)
    assume(chosen)
    place = data.draw(st.sampled_from(chosen))
    assume(value is not MISSING or isinstance(place[-1], str))
    changed = broken(output, place, value)
    after = verdict(one, expected, changed)
    assume(after.status not in UNMEASURED)
    still = [steps for steps in right_places(one.explain(expected, changed).fields, changed) if steps == place]
    assume(not still)
    assert raised(before, after) == []


# --- the rows behind the rules


@pytest.mark.parametrize("output", [{}, {"a": 2}])
def test_a_branch_that_is_skipped_hides_no_failure(output: Any) -> None:
    branches = [{"type": "string", "x-eval-skip": True}, {"type": "string", "x-eval-compare": "exact"}]
    one = evaluator("schema_match", {"schema": {"type": "object", "properties": {"a": {"anyOf": branches}}}})
    assert verdict(one, {"a": "1"}, {"a": "1"}).score == 1.0
    assert verdict(one, {"a": "1"}, output).score == 0.0


FIELDS = {"fields": ["a", "b", "c"]}


def row(output: Any, expected: Any, **options: Any) -> dict[str, Fraction]:
    return figures(verdict(evaluator("schema_match", options or FIELDS), expected, output))


def test_leaving_out_a_wrong_value_raises_precision_and_f1_and_never_recall() -> None:
    wrong, left_out = (
        row({"a": 1, "b": 2, "c": 0}, {"a": 1, "b": 2, "c": 3}),
        row({"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 3}),
    )
    assert (wrong["mean_f1"], left_out["mean_f1"]) == (Fraction(2, 3), Fraction(4, 5))
    assert (wrong["mean_precision"], left_out["mean_precision"]) == (Fraction(2, 3), 1)
    assert wrong["mean_recall"] == left_out["mean_recall"] == Fraction(2, 3)


@pytest.mark.parametrize("align", ["any_order", {"hungarian": {"at_least": 0.9}}, {"key_field": {"key": "n"}}])
def test_leaving_out_a_leaf_of_an_item_without_a_partner_raises_f1(align: Any) -> None:
    """The one exception: an item without a partner is missing on one side and extra on the other, leaf by leaf."""
    options = {"fields": {"items": {"align": align}, "items[*].k": "exact", "items[*].n": "exact"}}
    expected = {"items": [{"k": "A", "n": 3}, {"k": "B", "n": 1}]}
    whole = row({"items": [{"k": "A", "n": 2}, {"k": "B", "n": 1}]}, expected, **options)
    leaf = row({"items": [{"n": 2}, {"k": "B", "n": 1}]}, expected, **options)
    assert (whole["mean_f1"], leaf["mean_f1"]) == (Fraction(1, 2), Fraction(4, 7))
    assert whole["mean_recall"] == leaf["mean_recall"]


@pytest.mark.parametrize(
    ("align", "scores"),
    [
        ("any_order", ("1/3", "2/5", "1/2")),
        ({"hungarian": {"at_least": 0.9}}, ("1/3", "2/5", "1/2")),
        ({"key_field": {"key": "qty"}}, ("1/3", "2/5", "1/2")),
        ("hungarian", ("2/3", "2/5", "1/2")),
    ],
)
def test_the_table_of_items_without_a_partner(align: Any, scores: tuple[str, ...]) -> None:
    options = {"fields": {"shop": "exact", "items": {"align": align}, "items[*].name": "exact", "items[*].qty": "exact"}}
    expected = {"shop": "S", "items": [{"name": "A", "qty": 3}]}
    for items, score in zip(([{"name": "A", "qty": 2}], [{"qty": 2}], []), scores, strict=True):
        found = row({"shop": "S", "items": items}, expected, **options)
        assert found["mean_f1"] == Fraction(score)
        assert found["mean_recall"] == (
            Fraction(2, 3) if align == "hungarian" and "name" in str(items) else Fraction(1, 3)
        )


def test_hungarian_keeps_the_pair_and_f1_falls() -> None:
    options = {"fields": {"items": {"align": "hungarian"}, "items[*].k": "exact", "items[*].n": "exact"}}
    expected = {"items": [{"k": "A", "n": 3}]}
    whole = row({"items": [{"k": "A", "n": 2}]}, expected, **options)
    leaf = row({"items": [{"n": 2}]}, expected, **options)
    assert whole["mean_f1"] == Fraction(1, 2)
    assert leaf["mean_f1"] < whole["mean_f1"]
