"""One table of everything that a schema can ask for: each way of scoring a row says the same of it, and what the table says."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from evaluators.model.rows import MISSING, Outcome
from evaluators.scoring.evaluators._evaluator import Evaluator
from evaluators.scoring.fields.outcomes import WRONG
from evaluators.scoring.fields.schema_scoring import SchemaScoring
from tests.laws.structures import evaluator
from tests.scoring.fields.alone import counted_one_by_one, scored_by, wrong_by
from tests.scoring.fields.test_walk import exact, tallies

Counts = tuple[int, int, int, int]

EXACT = {"type": "string", "x-eval-compare": "exact"}
ITEMS = {"lines": {"align": "hungarian"}, "lines[*].sku": "exact", "lines[*].n": "numeric"}
THREE = [{"sku": "a", "n": 1}, {"sku": "b", "n": 2}, {"sku": "c", "n": 3}]
BRANCHES = {
    "anyOf": [
        {"type": "object", "properties": {"card": EXACT, "owner": EXACT}},
        {"type": "object", "properties": {"iban": EXACT, "owner": EXACT}},
    ]
}


def schema(**properties: Any) -> dict[str, Any]:
    return {"schema": {"type": "object", "properties": properties}}


def config(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"schema": {"type": "object", "properties": properties, "required": required}}


METRICS = {"type": "string", "evaluation_config": {"metrics": [
    {"metric_id": "string_exact", "weight": 3}, {"metric_id": "string_fuzzy", "weight": 1},
]}}  # fmt: skip
NUMBER = {"type": "integer", "evaluation_config": "integer_exact"}

TABLE: dict[str, tuple[dict[str, Any], Any, Any, Counts, Fraction]] = {
    "weights of places": (
        {"fields": {"a": {"compare": "exact", "weight": 3}, "b": "exact"}, "score": "mean_score"},
        {"a": 1, "b": 2}, {"a": 1, "b": 3}, (1, 1, 0, 0), Fraction(3, 4),
    ),
    "a required place that neither side has": (
        {"fields": {"a": {"compare": "exact", "required": True}, "b": "exact"}},
        {"b": 2}, {"b": 2}, (1, 0, 1, 0), Fraction(2, 3),
    ),
    "partial credit": (
        {"fields": {"a": {"compare": {"fuzzy": {"partial": True}}}, "b": "exact"}, "score": "mean_score"},
        {"a": "abcd", "b": 1}, {"a": "abcx", "b": 1}, (1, 1, 0, 0), Fraction(7, 8),
    ),
    "keys that are compared as one value": (
        schema(who={
            "type": "object", "properties": {"first": EXACT, "last": EXACT, "age": EXACT},
            "x-eval-compare": {"compound": {"fields": ["first", "last"], "compare": "normalized"}},
        }),
        {"who": {"first": "Ann", "last": "Lee", "age": "3"}}, {"who": {"first": "ann", "last": "lee", "age": "4"}},
        (1, 1, 0, 0), Fraction(1, 2),
    ),
    "several metrics on one field": (
        {**config([], a=METRICS, n=NUMBER), "score": "field_score"},
        {"a": "colour", "n": 1}, {"a": "color", "n": 1}, (1, 1, 0, 0), Fraction(11, 30),  # 0 of 3, 5/6 of 1, 1 of 1
    ),
    "the branch of a choice that fits": (
        schema(pay=BRANCHES), {"pay": {"iban": "7", "owner": "A"}}, {"pay": {"iban": "8", "owner": "A"}},
        (1, 1, 0, 0), Fraction(1, 2),
    ),
    "a branch for what is not there": (
        schema(pay=BRANCHES), {"pay": {"iban": "7", "owner": "A"}}, {}, (0, 0, 2, 0), Fraction(0),
    ),
    "a schema that refers to itself": (
        {"schema": {"$ref": "#/$defs/n", "$defs": {"n": {
            "type": "object", "properties": {"v": EXACT, "kids": {"type": "array", "items": {"$ref": "#/$defs/n"}}},
        }}}},
        {"v": "a", "kids": [{"v": "b", "kids": [{"v": "c"}]}]}, {"v": "a", "kids": [{"v": "x", "kids": [{"v": "c"}]}]},
        (2, 1, 0, 0), Fraction(2, 3),
    ),
    "items that are paired freely": (
        {"fields": ITEMS}, {"lines": THREE}, {"lines": [THREE[2], {"sku": "a", "n": 9}]}, (3, 1, 2, 0), Fraction(3, 5),
    ),
    "items that must be alike to be paired": (
        {"fields": {**ITEMS, "lines": {"align": {"hungarian": {"at_least": 0.9}}}}},
        {"lines": THREE[:1]}, {"lines": [{"sku": "a", "n": 9}]}, (0, 0, 2, 2), Fraction(0),
    ),
    "complete items in any order": (
        {"fields": {**ITEMS, "lines": {"align": "any_order"}}},
        {"lines": THREE}, {"lines": [THREE[1], THREE[0], {"sku": "c", "n": 4}]}, (4, 0, 2, 2), Fraction(2, 3),
    ),
    "items that are paired by a key inside them": (
        {"fields": {**ITEMS, "lines": {"align": {"key_field": {"key": "of.id"}}}, "lines[*].of.id": "exact"}},
        {"lines": [{"of": {"id": 1}, "n": 1}, {"of": {"id": 2}, "n": 2}]},
        {"lines": [{"of": {"id": 2}, "n": 2}, {"of": {"id": 1}, "n": 3}]}, (3, 1, 0, 0), Fraction(3, 4),
    ),
    "items in order, of which the last ones are missing": (
        {"fields": {**ITEMS, "lines": {"align": "ordered"}}},
        {"lines": THREE}, {"lines": [THREE[0]]}, (2, 0, 4, 0), Fraction(1, 2),
    ),
    "items in order, of which the last ones are made up": (
        {"fields": {**ITEMS, "lines": {"align": "ordered"}}},
        {"lines": [THREE[0]]}, {"lines": [THREE[0], {"sku": "b", "n": 2}, {"x": 1}]}, (2, 0, 0, 3), Fraction(4, 7),
    ),
    "text and null in order where items stand": (
        {"fields": {**ITEMS, "lines": {"align": "ordered"}}},
        {"lines": THREE}, {"lines": ["-", None, THREE[2]]}, (2, 0, 4, 1), Fraction(4, 9),
    ),
    "items in order where text and null stand": (
        {"fields": {**ITEMS, "lines": {"align": "ordered"}}},
        {"lines": ["-", None, THREE[2]]}, {"lines": THREE}, (2, 1, 0, 2), Fraction(1, 2),
    ),
    "text where items that are paired freely stand": (
        {"fields": ITEMS}, {"lines": THREE}, {"lines": ["-", THREE[2], THREE[0]]}, (4, 0, 2, 1), Fraction(8, 11),
    ),
    "a list that is missing": ({"fields": ITEMS}, {"lines": THREE}, {}, (0, 0, 6, 0), Fraction(0)),
    "text where a list stands": ({"fields": ITEMS}, {"lines": THREE}, {"lines": "-"}, (0, 0, 6, 1), Fraction(0)),
    "null where a list stands": ({"fields": ITEMS}, {"lines": None}, {"lines": THREE}, (0, 0, 0, 6), Fraction(0)),
    "keys that are made up": (
        {"fields": ["a"]}, {"a": 1}, {"a": 1, "b": {"c": 2, "d": [3, 4]}}, (1, 0, 0, 3), Fraction(2, 5),
    ),
    "keys that the schema lacks": ({"fields": ["a"]}, {"a": 1, "b": 2}, {"a": 1, "b": 3}, (1, 0, 0, 0), Fraction(1)),
    "null that says nothing": (
        {"fields": ["a", "b"], "nulls": "absent"}, {"a": 1, "b": None}, {"a": 1, "b": 2}, (1, 0, 0, 1), Fraction(2, 3),
    ),
    "a post-processor": (
        {"fields": ["a", "b"], "post_process": ["reclassify_nulls"]},
        {"a": 1, "b": 2}, {"a": 1, "b": None}, (1, 0, 1, 0), Fraction(2, 3),
    ),
    "surplus items that count": (
        {"fields": ITEMS, "extra_items": "penalize", "score": "overall_score"},
        {"lines": THREE[:2]}, {"lines": THREE}, (4, 0, 0, 2), Fraction(2, 3),
    ),
    "an item without a listed field beside one that is made up": (
        {"fields": ["l[*].sku", "b"], "score": "overall_score"},
        {"l": [{"q": 1}], "b": 1}, {"l": [{"q": 2}, {"sku": 1}], "b": 1}, (1, 0, 0, 1), Fraction(1, 2),
    ),
    "an item without a listed field beside one that is right": (
        {"fields": ["l[*].sku"], "score": "overall_score"},
        {"l": [{"q": 1}, {"sku": 1}]}, {"l": [{"q": 2}, {"sku": 1}]}, (1, 0, 0, 0), Fraction(1),
    ),
    "an item without a listed field beside one that is missing": (
        {"fields": ["l[*].sku"], "score": "overall_score"},
        {"l": [{"q": 1}, {"sku": 1}]}, {"l": [{"q": 1}]}, (0, 0, 1, 0), Fraction(0),
    ),
    "items without a listed field alone": (
        {"fields": ["l[*].sku", "b"], "score": "overall_score"},
        {"l": [{"q": 1}], "b": 1}, {"l": [{"q": 2}], "b": 1}, (1, 0, 0, 0), Fraction(1),
    ),
    "an output that cannot be read": ({"fields": ["a", "b"]}, {"a": 1, "b": 2}, MISSING, (0, 0, 2, 0), Fraction(0)),
    "a skipped place": (
        {"fields": {"a": "exact", "b": "skip"}}, {"a": 1, "b": 2}, {"a": 1, "b": 3}, (1, 0, 0, 0), Fraction(1),
    ),
    "a pattern, which looks at the output alone": (
        {"fields": {"a": {"compare": {"regex": {"pattern": "^x"}}}, "b": "exact"}},
        {"a": "y", "b": 1}, {"a": "y", "b": 1}, (1, 1, 0, 0), Fraction(1, 2),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLE)
def test_a_row_comes_to_what_the_table_says(case: str) -> None:
    settings, expected, output, counts, score = TABLE[case]
    one = evaluator("schema_match", settings)
    verdict = one.compile()(expected, output)
    assert (verdict.counts, Fraction(verdict.num, verdict.den)) == (counts, score)
    all_agree(one, expected, output)


def all_agree(one: Evaluator, expected: Any, output: Any) -> None:
    """A check, an explanation and what is recorded of a row say the same."""
    scoring: SchemaScoring = one.scored_fields().tree
    fast, slow = one.compile(), counted_one_by_one(scoring)
    verdict = fast(expected, output)
    assert exact(verdict) == exact(slow(expected, output))
    assert (tallies(fast), verdict.statuses) == (tallies(slow), slow(expected, output).statuses)
    found = scored_by(scoring, expected, output).fields
    wrong = [result for result in found if result.status in WRONG]
    assert wrong_by(scoring, expected, output) == wrong
    for name in (*scoring.row_fields, ""):
        mine = [result for result in wrong if _key(result, scoring.row_fields) == name]
        assert list(wrong_by(scoring, expected, output, {name})) == mine


def _key(result: Outcome, listed: tuple[str, ...]) -> str:
    return result.field if result.field in listed else ""
