"""A blocked row never passes, whatever its evaluator asks for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from evaluators.api.loading import loads
from evaluators.scoring.evaluators._evaluator import BUILTIN

NEEDED: Final[dict[str, dict[str, Any]]] = {
    "json_multi_field_match": {"fields": ["a"]}, "schema_match": {"fields": ["a"]}, "field_match": {"field": "a"},
    "keywords": {"keywords": ["x"]}, "length": {"max": 5}, "regex_match": {"pattern": "x"}, "starts_with": {"prefix": "x"},
    "ends_with": {"suffix": "x"}, "contains": {"substring": "x"}, "contains_any": {"substrings": ["x"]},
    "contains_all": {"substrings": ["x"]}, "json_schema_valid": {"schema": {}}, "format_valid": {"format": "json"},
    "completeness": {"sections": ["x"]}, "llm_judge": {"rubric": "is it so?"},
    "rules": {"given": {"present": "a"}}, "grounded": {"source": "input"},
    **{name: {"of": ["other"]} for name in ("all_of", "any_of", "weighted_mean", "min_of", "max_of")},
}  # fmt: skip
"""The settings that a type must have."""
ROW: Final = {"id": "1", "input": "a", "output": '{"a": 1}', "expected": '{"a": 1}'}


@pytest.mark.parametrize("output", ['{"a": 1}', "prose", ""], ids=repr)
@pytest.mark.parametrize("kind", BUILTIN.shipped_names())
def test_a_blocked_row_never_passes(tmp_path: Path, kind: str, output: str) -> None:
    line = {"type": kind, "name": "it", "needs": ["gate"], "pass_at": 0, **NEEDED.get(kind, {})}
    gate, other = (
        {"regex_match": {"name": name, "pattern": pattern}} for name, pattern in (("gate", "never"), ("other", "^"))
    )
    suite: dict[str, Any] = {"evaluators": [gate, other, line]}
    if kind == "llm_judge":
        suite["judge"] = {"recorded": {"file": "answers.jsonl"}}
        (tmp_path / "answers.jsonl").write_text("", encoding="utf-8")
    row = {**ROW, "output": output}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), encoding="utf-8")
    loaded = loads(json.dumps(suite), folder=tmp_path)
    it = loaded.run(tmp_path / "rows.jsonl")["it"]
    assert (it.scored, it.blocked, it.passed, it.failed, it.mean) == (1, 1, 0, 1, 0.0)
    found = loaded.evaluate(row)["it"]
    assert (found.passed, found.score) == (False, 0.0)
