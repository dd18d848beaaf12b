"""What queries hit, and how many values they look at: each place once, however many ways lead to it."""

from __future__ import annotations

import inspect
import sys
from typing import Any

import pytest

from evaluators.api.loading import load, loads
from evaluators.model.issues import Blame, RowProblem
from evaluators.model.limits import WorkLimits, limits_in_force, row_clock
from evaluators.model.rows import RowStatus
from evaluators.scoring.values.paths import parse


def chain(depth: int) -> Any:
    """`{"a": {"a": … 1}}`"""
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    return value


def steps(query: str, document: Any) -> int:
    """How many values a query looks at."""
    clock = row_clock()
    before = clock.steps
    parse(query).get(document)
    return clock.steps - before


@pytest.mark.parametrize(
    "query",
    ["$..a", "$..a..a", "$..a..a..a", "$..*..a..*..a", "$" + "..a" * 12, "$..[?(@.a)]..[?(@.a)]", "$..['a','a']..a"],
)
def test_steps_grow_with_the_document_and_no_faster(query: str) -> None:
    short, long = steps(query, chain(100)), steps(query, chain(200))
    assert 100 < short < long <= 2.3 * short


def test_steps_of_wide_documents_grow_with_them() -> None:
    small, large = ({"items": [{"a": [number, {"a": 1}]} for number in range(size)]} for size in (100, 200))
    for query in ("$..a..a", "$..*..*", "$.items[*]..a", "$.items[?(@.a)]..a", "$..[?(@.a)].a[0,1]"):
        assert 100 < steps(query, small) < steps(query, large) <= 2.3 * steps(query, small)


def test_a_place_that_several_ways_lead_to_is_hit_once() -> None:
    document = chain(3)
    assert parse("$..a..a").get(document) == [{"a": 1}, 1]
    assert [len(place) for place in parse("$..a..a").locate(document)] == [2, 3]
    assert parse("$..['a','a']").locate(document) == parse("$..a").locate(document)
    assert parse("$" + "[0,0]" * 60).get(_nested(60)) == [1]


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_a_filter_that_looks_down_is_refused_beyond_the_limit() -> None:
    query, document = parse("$..[?(@..x)]"), chain(300)
    assert query.get({**document, "x": 1}) == query.get({"x": 1, **document})
    with limits_in_force(WorkLimits(path_steps=1_000)), pytest.raises(RowProblem) as caught:
        query.get(document)
    assert (caught.value.issue.code, caught.value.issue.blame) == ("path-too-long", Blame.ENVIRONMENT)


def test_what_the_library_cannot_follow_is_a_problem_of_the_row() -> None:
    nested = parse("$" + "[?@" * 60 + "]" * 60)
    document = _nested(62)
    assert nested.get(document) == document

    def from_below(levels: int) -> Any:
        return from_below(levels - 1) if levels else nested.get(document)

    with pytest.raises(RowProblem) as caught:
        from_below(sys.getrecursionlimit() - len(inspect.stack(0)) - 150)
    assert (caught.value.issue.code, caught.value.issue.blame) == ("path-failed", Blame.CONFIG)
    assert "RecursionError" in caught.value.issue.message


SUITE = """
limits: {path_steps: %d}
evaluators:
  - json_multi_field_match: {name: fields, fields: {"$..a": exact}}
  - exact_match: {name: when, when: {"output.$..[?(@..a)]": {present: true}}}
"""


def test_the_limit_of_a_suite_leaves_fields_and_conditions_unjudged() -> None:
    row = {"output": chain(60), "expected": chain(60)}
    few, many = loads(SUITE % 50).evaluate(row), loads(SUITE % 50_000).evaluate(row)
    for name in ("fields", "when"):
        assert few[name].status is RowStatus.UNJUDGED, few[name]
        issue = few[name].issue
        assert issue is not None
        assert issue.code == "path-too-long"
        assert many[name].status is RowStatus.SCORED


def test_a_condition_that_takes_too_long_leaves_the_row_unjudged() -> None:
    condition = {"output.$..[?(@.a == 2)]": {"present": True}}
    suite = {"limits": {"row_seconds": 1e-10}, "evaluators": [{"exact_match": {"when": condition}}, "contains_json"]}
    found = load(suite).evaluate({"output": {"items": [chain(9)] * 40}, "expected": {}})
    assert found["exact_match"].status is RowStatus.UNJUDGED
    assert found["contains_json"].status is RowStatus.SCORED
