"""`numeric: {between: …}`: limits in the expected cell, in the expected document, and in a column beside it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from evaluators.api.evaluate import evaluate
from evaluators.model.issues import Problems
from evaluators.scoring.comparators.numeric import Numeric


def passed(rows: list[dict[str, Any]], evaluator: dict[str, Any]) -> tuple[int, int]:
    run = evaluate(rows, {"evaluators": [{"name": "it", **evaluator}]})
    return run["it"].passed, run["it"].scored


@pytest.mark.parametrize(
    ("low", "high", "output", "right"),
    [
        ("10", "20", "15", True),
        ("10", "20", "20", True),
        ("10", "20", "20.01", False),
        ("10", "", "1000", True),
        ("10", "", "9", False),
        ("1,000", "2,000", "1,500", True),
    ],
)
def test_two_columns_hold_the_limits(low: str, high: str, output: str, right: bool) -> None:
    row = {"output": output, "low": low, "high": high}
    compare = {"numeric": {"parse": {"thousands": ","}, "between": "row.high"}}
    for kind in ("exact_match", "correctness"):
        assert passed([row], {"type": kind, "expected": "low", "compare": compare}) == (int(right), 1)


@pytest.mark.parametrize("kind", ["schema_match", "json_multi_field_match"])
@pytest.mark.parametrize(
    ("expected", "output", "right"),
    [("10-20", 12, 1), ("10-20", 21, 0), ([10, 20], 12, 1), ([10, None], 9, 0), (12, 12, 1)],
)
def test_a_field_of_a_document_holds_its_limits(kind: str, expected: Any, output: Any, right: int) -> None:
    row = {"expected": {"price": expected}, "output": {"price": output}}
    fields = {"price": {"numeric": {"between": "expected"}}}
    assert passed([row], {"type": kind, "fields": fields}) == (right, 1)


def test_a_field_has_its_lower_limit_and_a_column_the_upper_one() -> None:
    rows = [
        {"expected": {"price": low}, "output": {"price": 15}, "most": most}
        for low, most in ((10, 20), (None, 20), (10, 12))
    ]
    evaluator = {"type": "schema_match", "fields": {"price": {"numeric": {"between": "row.most"}}}}
    assert passed(rows, evaluator) == (2, 3)


def test_an_expected_value_without_limits_is_a_problem_of_the_test_set() -> None:
    row = {"expected": {"price": "cheap"}, "output": {"price": 15}}
    evaluator = {"type": "schema_match", "name": "it", "fields": {"price": {"numeric": {"between": "expected"}}}}
    run = evaluate([row], {"evaluators": [evaluator]})
    assert [issue.code for issue in run.issues] == ["expected-no-range", "comparator-reads-nothing"]


def test_the_limits_of_a_column_are_those_of_one_field() -> None:
    fields = {"[*]": {"compound": ["a", "b"], "compare": {"numeric": {"between": "row.most"}}}}
    with pytest.raises(Problems):
        evaluate([{"expected": [], "output": []}], {"evaluators": [{"schema_match": {"fields": fields}}]})


@pytest.mark.parametrize(("expected", "output", "right"), [("5 kg", "5.0kg", 1), ("5 kg", "5", 1), ("5 kg", "6 kg", 0)])
def test_a_unit_is_set_aside_as_the_page_of_numeric_says(expected: str, output: str, right: int) -> None:
    written = " ".join(str(Numeric.__doc__).split()).partition("set aside by `")[2].partition("`")[0]
    line = {"compare": {"numeric": {"parse": True}}, **yaml.safe_load(written)}
    for evaluator in ({"type": "exact_match", **line}, {"type": "schema_match", "fields": {"$": line}}):
        rows = [{"expected": expected, "output": output}]
        if evaluator["type"] == "schema_match":
            rows = [{side: f'"{text}"' for side, text in rows[0].items()}]
        assert passed(rows, evaluator) == (right, 1)


@pytest.mark.parametrize(("expected", "output"), [("5 kg", "5000 g"), ("5", "5000")])
def test_units_are_not_converted(expected: str, output: str) -> None:
    row = {"expected": expected, "output": output}
    line = {"type": "exact_match", "transforms": [{"regex_replace": {"pattern": " ?k?g$", "replacement": ""}}]}
    assert passed([row], {**line, "compare": {"numeric": {"parse": True}}}) == (0, 1)
