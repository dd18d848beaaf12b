"""The evaluation_config dialect: a table of schemas with the tree that each makes, and what is wrong with others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml

from evaluators.api.loading import load
from evaluators.model.settings import BadSettings
from evaluators.scoring.comparators._comparator import COMPARATORS, Comparator
from evaluators.scoring.fields.evaluation_config import read_evaluation_config
from evaluators.scoring.fields.references import pointer
from evaluators.scoring.fields.tree import FieldNode, Shape
from evaluators.scoring.values.paths import ANY
from tests.fuzz.test_growth import calls
from tests.kit import read_yaml

TABLE: list[dict[str, Any]] = read_yaml(Path(__file__).parent / "evaluation_config.yaml")
FUZZY: Mapping[str, Any] = {"fallback": {"semantic": "fuzzy", "string_llm": "fuzzy", "array_llm": "hungarian"}}


@pytest.mark.parametrize("case", TABLE, ids=lambda case: case["it"])
def test_table(case: dict[str, Any]) -> None:
    context = case.get("context", FUZZY)
    if "wrong" in case:
        with pytest.raises(BadSettings) as wrong:
            read_evaluation_config(case["schema"], context)
        assert [said(detail) for detail in wrong.value.details] == case["wrong"]
        return
    root = read_evaluation_config(case["schema"], context)
    assert {node.name: how(node) for node in places(root) if node.path} == case["fields"]


def said(detail: Any) -> str:
    return f"{pointer(detail.loc)} · {detail.message}" + (f" ({detail.hint})" if detail.hint else "")


def how(node: FieldNode) -> str:
    if node.skip:
        return "skip"
    rules = [f"{metric.rule} × {metric.weight}" if metric.weight != 1 else metric.rule for metric in node.metrics]
    words = {"object": "by key", "array": f"aligned: {node.align.how}", "choice": "choice", "leaf": ""}
    weight = f", all × {node.weight}" if node.weight != 1 else ""
    return (" + ".join(rules) or words[node.kind]) + weight


def places(node: FieldNode) -> Iterator[FieldNode]:
    yield node
    if not node.unit and not node.skip:
        below = node.below
        for child in (*below.keys.values(), below.others, below.items):
            if child is not None:
                yield from places(child)


def child(root: FieldNode, *steps: Any) -> FieldNode:
    for step in steps:
        found = root.below.items if step is ANY else root.below.keys[step]
        assert found is not None
        root = found
    return root


def test_a_reference_that_only_leads_to_itself_is_refused() -> None:
    for schema in (
        {"$ref": "#"},
        {"$defs": {"a": {"$ref": "#/$defs/a"}}, "properties": {"v": {"$ref": "#/$defs/a"}}},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "properties": {"v": {"$ref": "#/$defs/a"}}},
    ):
        with pytest.raises(BadSettings, match="leads to itself"):
            read_evaluation_config(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"oneOf": [{"$ref": "#"}, {"type": "object", "properties": {"a": {"type": "integer"}}}]},
        {"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}, {"type": "array", "items": {"type": "integer"}}]},
                   "b": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "object", "properties": {"a": {"type": "integer"}}}]}},
         "properties": {"v": {"$ref": "#/$defs/a"}}},
    ],
)  # fmt: skip
def test_a_choice_that_is_its_own_branch_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(BadSettings, match="leads to itself"):
        read_evaluation_config(schema)


def doubling(levels: int, **beside: Any) -> dict[str, Any]:
    """A chain of choices in which every branch leads to the next choice, twice."""
    chain = {
        f"d{level}": {"anyOf": [{"$ref": f"#/$defs/d{level + 1}"}, {"$ref": f"#/$defs/d{level + 1}", **beside}]}
        for level in range(levels)
    }
    end = {"type": "object", "properties": {"a": {"type": "integer"}}}
    return {"$defs": {**chain, f"d{levels}": end}, "$ref": "#/$defs/d0"}


def test_choices_that_double_at_every_level_are_read_once() -> None:
    root = read_evaluation_config(doubling(40))
    for _ in range(40):
        root = root.below.branches[0]
    assert how(child(root, "a")) == "integer_exact"


@pytest.mark.slow
def test_choices_that_double_at_every_level_are_scored_in_as_many_steps_as_there_are_levels() -> None:
    work = []
    for levels in (15, 30):
        scored = load({"evaluators": [{"schema_match": {"schema": doubling(levels), "dialect": "evaluation_config"}}]})
        row = {"expected": {"a": 1, "b": 2}, "output": {"a": 2}}
        scored.evaluate(row)
        work.append(calls(scored, row))
    assert work[1] < 5 * work[0]


def test_a_schema_that_adds_to_itself_at_every_level_is_refused() -> None:
    inner = {"allOf": [{"$ref": "#"}, {"type": "object", "properties": {"a": {"$ref": "#"}}}]}
    with pytest.raises(BadSettings, match="more than 100 levels"):
        read_evaluation_config({"type": "object", "properties": {"v": {"type": "integer"}, "a": inner}})


def test_choices_that_multiply_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluators.scoring.fields.references.MOST_SCHEMAS", 500)
    with pytest.raises(BadSettings, match="larger than 500 schemas"):
        read_evaluation_config(doubling(40, required=["a"]))


def test_shapes_are_kept_for_checks() -> None:
    schema = {
        "type": "object",
        "required": ["a"],
        "title": "T",
        "description": "D",
        "properties": {
            "a": {"type": ["integer", "null"]},
            "b": {"type": "integer", "nullable": True},
            "c": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "d": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
        },
    }
    root = read_evaluation_config(schema)
    assert root.shape == Shape(frozenset({"object"}), False, frozenset({"a"}), "T", "D")
    assert [child(root, key).shape.nullable for key in "abcd"] == [True, True, True, False]
    assert child(root, "d").shape.types == {"integer", "boolean"}


class Rounded(Comparator):
    """Two numbers with the same whole part."""

    digits: int = 0
    seen: ClassVar[list[Any]] = []

    def compare(self, expected: Any, actual: Any) -> Any:
        return round(expected, self.digits) == round(actual, self.digits)


def test_a_registered_comparator_is_a_metric_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMPARATORS._registered, "rounded_for_this_test", Rounded)
    config = {"metrics": [{"metric_id": "rounded_for_this_test", "params": {"digits": 1}}]}
    root = read_evaluation_config({"properties": {"a": {"type": "number", "evaluation_config": config}}})
    assert child(root, "a").metrics[0].comparator == Rounded(digits=1)
    config["metrics"][0]["params"] = {"digit": 1}
    with pytest.raises(BadSettings, match='unknown setting "digit"'):
        read_evaluation_config({"properties": {"a": {"type": "number", "evaluation_config": config}}})


def test_the_schema_that_is_read_stays_as_it_is() -> None:
    schema = {"properties": {"v": {"type": ["integer", "string"], "properties": {}}, "w": {"$ref": "#/properties/v"}}}
    before = yaml.safe_dump(schema)
    read_evaluation_config(schema, FUZZY)
    assert yaml.safe_dump(schema) == before
