"""What is found wrong at once is what the whole scoring finds wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.fields.schema_scoring import SchemaScoring
from evaluators.fields.settle import WRONG
from evaluators.fields.tree import FieldNode
from evaluators.model import MISSING, FieldStatus, Outcome
from tests.fields.alone import score_document, wrong_by, wrong_of
from tests.fields.random_trees import pairs
from tests.laws.structures import evaluator


def wrong_in(root: FieldNode, expected: Any, output: Any) -> list[Outcome]:
    """The wrong results of the whole scoring: the reference."""
    return [result for result in score_document(root, expected, output).fields if result.status in WRONG]


@given(pairs(), st.randoms(use_true_random=False))
def test_the_wrong_results_are_those_of_the_whole_row(drawn: tuple[FieldNode, Any, Any], chance: Any) -> None:
    root, expected, output = drawn
    whole = wrong_in(root, expected, output)
    scoring = SchemaScoring(root, "f1", 1.0)
    assert wrong_by(scoring, expected, output) == whole
    wanted = {name for name in (*scoring.row_fields, "") if chance.random() < 0.4}
    listed = set(scoring.row_fields)
    assert wrong_by(scoring, expected, output, wanted) == [
        result for result in whole if (result.field if result.field in listed else "") in wanted
    ]


def listing(*required: str, align: object = None, **compare: object) -> dict[str, Any]:
    """The schema of an object with a list of things, `name` and `code` each."""
    item: dict[str, Any] = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "x-eval-compare": compare.get("name", "exact")},
            "code": {"type": "string", "x-eval-compare": "exact"},
        },
    }
    things = {"type": "array", "items": item, "x-eval-align": align or {"ordered": True}}
    title = {"type": "string", "x-eval-compare": compare.get("title", "exact")}
    return {"type": "object", "required": list(required), "properties": {"title": title, "things": things}}


A, B = {"name": "a", "code": "1"}, {"name": "b", "code": "2"}
BY_CODE = {"match_by": "key_field", "key": "code"}

CASES: dict[str, tuple[dict[str, Any], Any, Any, list[tuple[str, FieldStatus]]]] = {
    "equal documents": (listing(), {"title": "t", "things": [A]}, {"title": "t", "things": [A]}, []),
    "one field of one item": (
        listing(), {"title": "t", "things": [A, B]}, {"title": "t", "things": [A, {**B, "name": "c"}]},
        [("things[1].name", FieldStatus.MISMATCH)],
    ),
    "a list that is not there": (
        listing(), {"title": "t", "things": [A]}, {"title": "t"},
        [("things[0].name", FieldStatus.OMISSION), ("things[0].code", FieldStatus.OMISSION)],
    ),
    "an output that cannot be read": (listing(), {"title": "t"}, MISSING, [("title", FieldStatus.OMISSION)]),
    "equal lists whose items have no key pair in order": (
        listing(align=BY_CODE), {"things": [{"name": "a"}]}, {"things": [{"name": "a"}]}, [],
    ),
    "a pattern that equal texts do not match": (
        listing(title={"regex": {"pattern": "^[A-Z]"}}), {"title": "t"}, {"title": "t"}, [("title", FieldStatus.MISMATCH)],
    ),
    "an expected value that cannot be read, in equal items": (
        listing(name={"date": {}}), {"things": [{"name": "soon"}]}, {"things": [{"name": "soon"}]},
        [("things[0].name", FieldStatus.NOT_JUDGED)],
    ),
    "a key outside of the schema": (
        listing(), {"title": "t"}, {"title": "t", "more": 1}, [("more", FieldStatus.HALLUCINATION)],
    ),
    "text where a list stands": (
        listing(), {"things": [A]}, {"things": "none"},
        [("things[0].name", FieldStatus.OMISSION), ("things[0].code", FieldStatus.OMISSION), ("things", FieldStatus.HALLUCINATION)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_only_what_is_wanted_is_found(case: str) -> None:
    schema, expected, output, wrong = CASES[case]
    one = evaluator("schema_match", {"schema": schema})
    scoring = one.scored_fields().tree
    assert [(result.path, result.status) for result in wrong_by(scoring, expected, output)] == wrong
    assert wrong_by(scoring, expected, output) == wrong_in(scoring.root, expected, output)
    for name in ("title", "things[*].name", "things[*].code", ""):
        mine = [result for result in wrong_by(scoring, expected, output) if _key(result, scoring.row_fields) == name]
        assert wrong_of(one, {name}, expected, output) == mine


def _key(result: Outcome, listed: tuple[str, ...]) -> str:
    return result.field if result.field in listed else ""


def test_items_without_a_key_stay_apart_but_where_the_documents_are_equal_as_a_whole() -> None:
    item = {"things": {"align": {"key_field": {"key": "code", "keyless": "apart"}}}, "things[*].name": "exact"}
    scoring = evaluator("schema_match", {"fields": item}).scored_fields().tree
    document = {"things": [{"name": "a"}]}
    assert wrong_by(scoring, document, {"things": [{"name": "a"}]}) == []
    found = [(one.path, one.status) for one in wrong_by(scoring, document, {**document, "more": 1}, {"things[*].name"})]
    assert found == [("things[0].name", FieldStatus.OMISSION), ("things[+0].name", FieldStatus.HALLUCINATION)]


def test_a_required_key_that_neither_side_has_is_missing_from_equal_documents() -> None:
    leaf = {"type": "string", "evaluation_config": "string_exact"}
    schema = {"type": "object", "properties": {"a": leaf, "b": leaf}, "required": ["b"]}
    scoring = evaluator("schema_match", {"schema": schema}).scored_fields().tree
    found = wrong_by(scoring, {"a": "x"}, {"a": "x"})
    assert found == wrong_in(scoring.root, {"a": "x"}, {"a": "x"})
