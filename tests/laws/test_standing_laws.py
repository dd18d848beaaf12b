"""Law 14: whether a row is measured, skipped or invalid never depends on how wrong its output is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.issues import Problems
from evaluators.model.rows import MISSING, Result, RowStatus
from evaluators.scoring.evaluators._evaluator import Evaluator
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.plan.need_steps import Reading
from evaluators.scoring.plan.suite_plan import Plan, compile_plan
from tests.laws.schemas import Drawn, Wishes, drawn
from tests.laws.structures import DOCUMENTS, ITEMS, OBJECTS, changed, evaluator, evaluators, spoiled

ROLES = {role: role for role in ("id", "input", "output", "expected")}
WITHOUT_JSON: list[Any] = ["", " ", "no JSON here", "{}", "[]", "null", "3", '{"a":', None, MISSING]
"""Outputs that have nothing of what is expected."""


def plan_of(one: Evaluator) -> Plan:
    return compile_plan([EvaluatorLine("it", one)], ROLES)


def verdicts(plan: Plan, expected: Any, outputs: list[Any], **cells: Any) -> list[Result]:
    """The verdict of each output for the same expected cell and the same other cells."""
    count = len(outputs)
    columns = {
        "output": outputs,
        "expected": [expected] * count,
        **{name: [cell] * count for name, cell in cells.items()},
    }
    found: list[Result] = plan.run(columns, count)[plan.evaluators[0].verdicts]
    return found


def check(right: Result, others: list[Result]) -> None:
    """Another output changes neither whether the row is invalid nor that it is measured."""
    for other in others:
        assert (other.status is RowStatus.INVALID) is (right.status is RowStatus.INVALID)
        assert other.status not in (RowStatus.UNJUDGED, RowStatus.BUG)
        if right.status.scored:
            assert other.status.scored


@st.composite
def wrong_outputs(draw: st.DrawFn, expected: Any) -> list[Any]:
    """Outputs of every kind: changed and spoiled answers, other documents, and no JSON at all."""
    found = [draw(changed(expected)), draw(spoiled(expected)), draw(DOCUMENTS | ITEMS | OBJECTS)]
    return [json.dumps(one) for one in found] + draw(st.permutations(WITHOUT_JSON))


@given(st.data(), evaluators(two_sided=False), OBJECTS | ITEMS)
def test_no_output_changes_whether_a_row_is_measured(data: st.DataObject, one: Evaluator, expected: Any) -> None:
    if any(condition.source == "output" for line in getattr(one, "fields", ()) for condition in line.when):
        return  # a condition may ask for the output
    text = json.dumps(expected)
    right, *others = verdicts(plan_of(one), text, [text, *data.draw(wrong_outputs(expected))])
    check(right, others)


@given(st.data(), drawn(Wishes(two_sided=False)))
def test_no_output_changes_whether_a_row_of_a_schema_is_measured(data: st.DataObject, each: Drawn) -> None:
    text = json.dumps(each.expected)
    right, *others = verdicts(plan_of(each.one), text, [text, *data.draw(wrong_outputs(each.expected))])
    for other in others:
        assert (other.status is RowStatus.INVALID) is (right.status is RowStatus.INVALID)


TEN_OF_TWENTY = ["2024-01-31"] * 10 + ["n/a"] * 10
WAYS: list[tuple[str, dict[str, Any]]] = [
    ("json_multi_field_match", {"fields": {"due": "date", "name": "exact"}}),
    ("json_multi_field_match", {"fields": {"due": {"compare": "date", "align": "any_order"}, "name": "exact"}}),
    ("schema_match", {"fields": {"due": "date", "name": "exact"}}),
    ("schema_match", {"schema": {
        "type": "object",
        "properties": {"due": {"type": "string", "x-eval-compare": "date"}, "name": {"type": "string"}},
    }}),
    ("schema_match", {"fields": {"due": "date", "name": "exact"}, "nulls": "absent"}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "options"), WAYS)
@pytest.mark.parametrize("output", ['{"due": "n/a", "name": "x"}', '{"due": "2024-01-31"}', "{}", "prose", "[]", MISSING])
def test_an_expected_value_that_cannot_be_read_is_invalid_whatever_the_output_is(
    kind: str, options: dict[str, Any], output: Any
) -> None:
    plan = plan_of(evaluator(kind, options))
    found, right = verdicts(plan, '{"due": "n/a", "name": "x"}', [output, '{"due": "n/a", "name": "x"}'])
    assert (found.status, right.status) == (RowStatus.INVALID, RowStatus.INVALID)
    assert found.issue is not None
    assert found.issue.message == 'field "due": the expected value "n/a" is not a date written as ISO 8601 (2024-05-31)'


@pytest.mark.parametrize(("kind", "options"), WAYS)
def test_rows_with_unreadable_expected_values_are_counted_the_same_right_or_wrong(
    kind: str, options: dict[str, Any]
) -> None:
    plan = plan_of(evaluator(kind, options))
    expected = [json.dumps({"due": due, "name": "x"}) for due in TEN_OF_TWENTY]
    outputs = [*expected[:5], *['{"due": "1999-01-01", "name": "x"}'] * 5, *expected[10:15], *["{}"] * 5]
    found = plan.run({"output": outputs, "expected": expected}, 20)[plan.evaluators[0].verdicts]
    assert [one.status for one in found] == [RowStatus.SCORED] * 10 + [RowStatus.INVALID] * 10
    assert [one.score for one in found[:10]] == [1.0] * 5 + [0.5] * 5


ANSWERED: list[tuple[str, dict[str, Any]]] = [
    ("exact_match", {}),
    ("correctness", {}),
    ("correctness", {"normalize": False}),
    ("similarity", {}),
    ("similarity", {"method": "characters"}),
    ("levenshtein", {}),
    ("field_match", {"field": "a"}),
]
"""The types that compare the output with an expected cell as it stands."""
EMPTY: list[Any] = ["", " \n", None, MISSING]


@pytest.mark.parametrize(("kind", "options"), ANSWERED)
@pytest.mark.parametrize("expected", EMPTY)
def test_an_expected_cell_without_an_answer_is_invalid_whatever_the_output_is(
    kind: str, options: dict[str, Any], expected: Any
) -> None:
    one = evaluator(kind, options)
    for found in verdicts(plan_of(one), expected, ["Paris", '{"a": ""}', *WITHOUT_JSON]):
        assert found.status is RowStatus.INVALID
        assert found.issue is not None
        assert found.issue.message == "the cell is empty"
        assert found.issue.hint is not None
        assert "empty_expected: value" in found.issue.hint
    with pytest.raises(Problems, match="the cell is empty"):
        one.score("Paris", expected)


@pytest.mark.parametrize(("kind", "options"), ANSWERED[:-1])
@pytest.mark.parametrize("expected", ["", None, MISSING])
def test_an_empty_answer_may_be_the_right_one(kind: str, options: dict[str, Any], expected: Any) -> None:
    reading = Reading(empty_expected="value")
    plan = compile_plan([EvaluatorLine("it", evaluator(kind, options))], ROLES, reading)
    right, wrong = verdicts(plan, expected, ["", "Paris"])
    assert (right.score, wrong.score) == (1.0, 0.0)
    assert plan.explain({"output": "", **({} if expected is MISSING else {"expected": expected})})["it"].score is not None


@given(st.sampled_from(ANSWERED), st.text(max_size=3) | st.sampled_from(EMPTY), st.lists(st.text(max_size=3), min_size=2))
def test_no_output_changes_whether_a_row_with_a_text_is_measured(
    way: tuple[str, dict[str, Any]], expected: Any, outputs: list[Any]
) -> None:
    right, *others = verdicts(plan_of(evaluator(*way)), expected, [*outputs, *WITHOUT_JSON])
    check(right, others)
