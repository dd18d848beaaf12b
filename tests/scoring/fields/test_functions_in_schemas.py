"""Comparators of one's own, named in schemas of both dialects."""

from __future__ import annotations

from typing import Any

import pytest

import evaluators
from evaluators.model.rows import FieldStatus, RowStatus
from evaluators.model.settings import build
from evaluators.scoring.evaluators.schema_match import SchemaMatch

X_EVAL = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "x-eval-compare": "breaks"},
        "b": {"type": "number", "x-eval-compare": {"within": {"most": 2}}},
        "c": {"type": "array", "items": {"type": "string", "x-eval-compare": "together"}},
    },
}
EVALUATION_CONFIG = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "evaluation_config": {"metrics": [{"metric_id": "breaks"}]}},
        "b": {"type": "number", "evaluation_config": {"metrics": [{"metric_id": "within", "params": {"most": 2}}]}},
        "c": {
            "type": "array",
            "evaluation_config": {"metrics": [{"metric_id": "together"}]},
            "items": {"type": "string", "evaluation_config": "string_exact"},
        },
    },
}


@pytest.mark.parametrize("schema", [X_EVAL, EVALUATION_CONFIG], ids=["x-eval", "evaluation_config"])
def test_functions_are_named_in_both_dialects(schema: dict[str, Any]) -> None:
    def breaks(expected: Any, actual: Any, params: Any) -> bool:
        raise KeyError("unit")

    evaluators.register("breaks", breaks)
    evaluators.register("within", lambda expected, actual, params: abs(expected - actual) <= params["most"])
    evaluators.register("together", lambda questions, params: [True for _ in questions], batch=True)
    settings = build(SchemaMatch, {"schema": schema})
    expected, output = {"a": "x", "b": 1, "c": ["p", "q"]}, {"a": "y", "b": 3, "c": ["P", "q"]}
    found, verdict = settings.explain(expected, output), settings.compile()(expected, output)
    statuses = {field.path: field.status for field in found.fields}
    assert statuses.pop("a") is FieldStatus.NOT_JUDGED
    assert set(statuses.values()) == {FieldStatus.MATCH}
    assert (found.status, verdict.status) == (RowStatus.BUG, RowStatus.BUG)
    assert found.issue is not None
    assert found.issue.message == 'field "a": comparator "breaks" failed: KeyError: \'unit\''
    assert verdict.issue is not None
    assert verdict.issue.message == found.issue.message
