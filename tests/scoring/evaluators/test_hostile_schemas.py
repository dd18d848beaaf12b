"""Outputs that are made to break, or to slow down, the library that checks JSON Schemas."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluators.api.loading import loads
from evaluators.model.issues import Blame, Problems
from evaluators.model.limits import row_clock
from evaluators.model.rows import Result, RowStatus
from evaluators.scoring.evaluators._json_schema import MOST_ERRORS


def asked(schema: Any, output: str, **settings: Any) -> Result:
    text = json.dumps({"evaluators": [{"json_schema_valid": {"schema": schema, **settings}}]})
    return loads(text).evaluate({"output": output})["json_schema_valid"]


def passes(schema: Any, output: str) -> bool:
    found = asked(schema, output)
    assert found.status is RowStatus.SCORED
    assert found.score is not None
    return found.score == 1.0


@pytest.mark.parametrize(
    ("number", "multiple"),
    [("1" * 400, True), ("0.125", False), ("19.99", True), ("1e308", True), ("0.001", False), ("true", True)],
)
def test_multiples_are_exact_however_long_the_number_is(number: str, multiple: bool) -> None:
    assert passes({"multipleOf": 0.01}, number) is multiple


@pytest.mark.parametrize(
    ("items", "unique"),
    [
        ("[1, true, 0, false]", True),
        ("[1, 1.0]", False),
        ('[{"a": 1, "b": true}, {"b": true, "a": 1.0}]', False),
        ('[{"a": 1}, {"a": true}]', True),
        ("[[1], [1.0]]", False),
        ('["1", 1, null]', True),
    ],
)
def test_unique_items_are_equal_as_json_has_it(items: str, unique: bool) -> None:
    assert passes({"uniqueItems": True}, items) is unique


def test_unique_items_are_each_looked_at_once() -> None:
    """No comparison of each with each: 20,000 objects take no longer than reading them."""
    assert passes({"uniqueItems": True}, json.dumps([{"a": number, "b": [number]} for number in range(20_000)]))


@pytest.mark.parametrize(
    "schema",
    [
        {"patternProperties": {"(a|aa)+$": {}}},
        {"patternProperties": {"(a|aa)+$": {}}, "additionalProperties": False},
        {"propertyNames": {"pattern": "(a|aa)+$"}},
    ],
)
def test_every_pattern_has_the_time_limit(schema: Any) -> None:
    found = asked(schema, json.dumps({"a" * 60 + "b": 1}), timeout_seconds=0.01)
    assert found.status is RowStatus.UNJUDGED
    assert found.issue is not None
    assert (found.issue.code, found.issue.blame) == ("regex-timeout", Blame.ENVIRONMENT)


@pytest.mark.parametrize("schema", [{"patternProperties": {"(a": {}}}, {"properties": {"x": {"pattern": "(a"}}}])
def test_a_malformed_pattern_is_a_problem_of_the_suite(schema: Any) -> None:
    with pytest.raises(Problems) as caught:
        asked(schema, "{}")
    assert [issue.blame for issue in caught.value.issues] == [Blame.CONFIG]


def test_keys_that_no_pattern_fits_are_named() -> None:
    schema = {"patternProperties": {"^a": {"type": "integer"}}, "properties": {"x": {}}, "additionalProperties": False}
    assert passes(schema, '{"a": 1, "x": 2}')
    assert not passes(schema, '{"a": "1"}')
    assert asked(schema, '{"b": 1}').reason == '$: "b" does not match any of the patterns "^a"'
    assert not passes({"patternProperties": {"^a": {}}, "additionalProperties": {"type": "null"}}, '{"b": 1}')


ROOT = {"$ref": "#"}
ALIKE = {
    "oneOf": {"oneOf": [{"properties": {"a": ROOT}}, {"properties": {"a": ROOT}}]},
    "anyOf": {"anyOf": [{"properties": {"a": ROOT}, "required": [name]} for name in "xyz"]},
    "allOf": {"allOf": [{"properties": {"a": ROOT}}] * 3, "type": "object"},
    "if": {"if": {"properties": {"a": ROOT}}, "then": {"properties": {"a": ROOT}}, "else": {"properties": {"a": ROOT}}},
    "not": {"not": {"properties": {"a": ROOT}}, "anyOf": [{"properties": {"a": ROOT}}, {"properties": {"a": ROOT}}]},
    "beside other keys": {"properties": {"a": {**ROOT, "anyOf": [ROOT, ROOT]}}, "required": ["a"]},
    "dynamic": {"anyOf": [{"properties": {"a": {"$dynamicRef": "#"}}, "required": ["x"]}] * 2},
}


@pytest.mark.parametrize("name", ALIKE)
def test_a_schema_that_leads_to_itself_asks_once_for_each_level(name: str) -> None:
    def steps(depth: int) -> int:
        clock = row_clock()
        before = clock.steps
        assert asked(ALIKE[name], '{"a": ' * depth + "1" + "}" * depth).status is RowStatus.SCORED
        return clock.steps - before

    short, long = steps(20), steps(40)
    assert 0 < short < long <= 2.3 * short


def test_what_is_wrong_is_bounded_in_number_and_length() -> None:
    found = asked({"items": {"enum": ["a" * 5_000]}}, json.dumps(["b" * 5_000] * 2_000))
    assert found.reason is not None
    assert "and more than" in found.reason
    assert len(found.details["errors"]) == MOST_ERRORS
    assert len(json.dumps(found.details["errors"])) < 500 * MOST_ERRORS
