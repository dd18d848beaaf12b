"""What stands in place of what: one table, to which every family of evaluators is held."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from evaluators.scoring.fields.outcomes import MEASURED
from tests.kit import read_yaml
from tests.laws.structures import evaluator

RULES: Final[list[Any]] = read_yaml(Path(__file__).with_suffix("").with_name("presence_rules.yaml"))
PATHS: Final = ("a.x", "a.y")


def schema(key: str) -> dict[str, Any]:
    text = {"type": "string", key: "exact"}
    a, items = {"type": "object", "properties": {"x": text, "y": text}}, {"type": "array", "items": text}
    return {"schema": {"type": "object", "properties": {"a": a, "l": items}}}


FAMILIES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "listed": ("json_multi_field_match", {"fields": [*PATHS]}),
    "fields": ("schema_match", {"fields": [*PATHS, "l[*]"]}),
    "x-eval": ("schema_match", schema("x-eval-compare")),
    "config": ("schema_match", schema("evaluation_config")),
    "whole": ("json_diff_match", {"extra_fields": "penalize", "extra_items": "penalize"}),
}


def cases() -> Iterator[Any]:
    for rule in RULES:
        for case in rule["cases"]:
            for family in case["families"]:
                yield pytest.param(case, family, id=f"{case['it']}: {family}")


@pytest.mark.parametrize(("case", "family"), list(cases()))
def test_one_answer_for_every_family(case: dict[str, Any], family: str) -> None:
    kind, settings = FAMILIES[family]
    one = evaluator(kind, {**case.get("settings", settings), **case.get("more", {}).get(family, {})})
    explained, verdict = one.explain(case["expected"], case["output"]), one.compile()(case["expected"], case["output"])
    if "problem" in case:
        for issue in (explained.issue, verdict.issue):
            assert issue is not None
            assert case["problem"] in issue.message
        return
    assert explained.score == verdict.score
    assert verdict.passed is case.get("passed", verdict.passed)
    if "score" in case:
        assert verdict.score == case["score"]
    else:
        found = [f"{result.path} {result.status.word}" for result in explained.fields if result.status in MEASURED]
        assert found == case["results"]
