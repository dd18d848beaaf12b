"""Schemas without references: what is merged, what stays, and where a problem is placed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evaluators.model.issues import Problems
from evaluators.model.settings import BadSettings
from evaluators.scoring.fields.expected_check import check_expected
from evaluators.scoring.fields.references import resolve_schema_references
from tests.laws.structures import evaluator
from tests.scoring.fields.alone import wrong_by

TEXT = {"type": "string"}


def with_a(schema: Any, **rest: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}, **rest}


def resolved_a(schema: Any, **rest: Any) -> Any:
    return resolve_schema_references(with_a(schema, **rest))["properties"]["a"]


@pytest.mark.parametrize("reference", ["#/properties/b", "#/$defs/a~1b", "#/$defs/a%2Fb", "#named", "#/definitions/C"])
def test_a_reference_may_lead_anywhere_in_the_document(reference: str) -> None:
    schema = with_a({"$ref": reference})
    schema["properties"]["b"] = TEXT
    schema["$defs"] = {"a/b": TEXT, "n": {"$anchor": "named", **TEXT}}
    schema["definitions"] = {"C": TEXT}
    if reference == "#/$defs/a%2Fb":
        schema["$defs"] = {"a": {"b": TEXT}}
    assert resolve_schema_references(schema)["properties"]["a"]["type"] == "string"


def test_all_references_that_lead_nowhere_are_named_with_their_places() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/Adress"}, "b": {"$ref": "https://example.org/s.json"}, "c": {"$ref": 3}},
        "$defs": {"Address": TEXT},
    }
    with pytest.raises(Problems) as caught:
        resolve_schema_references(schema)
    first, second, third = caught.value.issues
    assert (first.where, first.hint) == ("schema #/properties/a/$ref", 'did you mean "#/$defs/Address"?')
    assert "another document" in second.message
    assert "must be text" in third.message


def test_the_only_branch_wins_over_what_stands_beside_except_how_it_is_compared() -> None:
    branch = {"type": "string", "title": "inner", "x-eval-compare": "exact"}
    found = resolved_a({"title": "outer", "x-eval-compare": "fuzzy", "anyOf": [branch, {"type": "null"}]})
    assert found == {"type": "string", "title": "inner", "x-eval-compare": "fuzzy"}


def test_references_that_multiply_without_end_are_refused() -> None:
    defs: dict[str, Any] = {"L0": TEXT}
    for level in range(1, 30):
        one = {"$ref": f"#/$defs/L{level - 1}"}
        defs[f"L{level}"] = {"type": "object", "properties": {"l": one, "r": one}}
    with pytest.raises(Problems, match="larger than"):
        resolve_schema_references({"$ref": "#/$defs/L29", "$defs": defs})


def test_the_schema_that_was_given_stays_as_it_is() -> None:
    schema = with_a({"$ref": "#/$defs/M", "title": "t"}, **{"$defs": {"M": {"allOf": [TEXT]}}})
    before = repr(schema)
    resolve_schema_references(schema)["properties"]["a"]["title"] = "other"
    assert repr(schema) == before


NOTHING_ELSE: dict[str, dict[str, Any]] = {
    "the document itself, with words beside it": {"$ref": "#", "x-eval-compare": "exact"},
    "itself": {"$ref": "#/$defs/n", "$defs": {"n": {"$ref": "#/$defs/n"}}},
    "itself, with keys beside it": {"$ref": "#/$defs/n", "$defs": {"n": {"$ref": "#/$defs/n", "title": "n"}}},
    "each other": {"$ref": "#/$defs/n", "$defs": {"n": {"$ref": "#/$defs/m"}, "m": {"$ref": "#/$defs/n"}}},
    "itself, as one of all": {"$ref": "#/$defs/n", "$defs": {"n": {"allOf": [{"$ref": "#/$defs/n"}, TEXT]}}},
}


@pytest.mark.parametrize("case", NOTHING_ELSE)
def test_a_reference_that_describes_a_value_by_itself_is_a_problem(case: str) -> None:
    with pytest.raises(Problems, match=r'\$ref "#[^"]*" leads to itself') as raised:
        resolve_schema_references(NOTHING_ELSE[case])
    assert [issue.where for issue in raised.value.issues] == ["schema #/$ref"]


def both_dialects(schema: Callable[[dict[str, Any]], dict[str, Any]]) -> list[dict[str, Any]]:
    return [schema({**TEXT, "x-eval-compare": "exact"}), schema({**TEXT, "evaluation_config": "string_exact"})]


def twice(leaf: dict[str, Any]) -> dict[str, Any]:
    """A tree with two ways down, each with words beside its reference."""
    ways = {"a": {"$ref": "#/$defs/n", "title": "left"}, "b": {"$ref": "#/$defs/n", "description": "right"}}
    return {"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"v": leaf, **ways}}}}


def adding(leaf: dict[str, Any]) -> dict[str, Any]:
    """References that add keys to what they lead to."""
    more = {"$ref": "#/$defs/n", "properties": {"w": leaf}}
    ways = {"a": {"$ref": "#/$defs/n", "properties": {"q": more}}, "b": more}
    return {"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"v": leaf, **ways}}}}


def alike(leaf: dict[str, Any]) -> dict[str, Any]:
    """A choice of three branches that are the same."""
    choice = {"oneOf": [{"$ref": "#/$defs/n"}] * 3}
    return {"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"v": leaf, "a": choice}}}}


def nearly_alike(leaf: dict[str, Any]) -> dict[str, Any]:
    """A choice of two branches that both lead to it."""
    choice = {"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/m"}]}
    return {
        "$ref": "#/$defs/n",
        "$defs": {
            "n": {"type": "object", "properties": {"v": leaf, "a": {"$ref": "#/$defs/c"}}},
            "m": {"type": "object", "properties": {"v": leaf, "a": {"$ref": "#/$defs/c"}, "x": leaf}},
            "c": choice,
        },
    }


def all_of_all(leaf: dict[str, Any]) -> dict[str, Any]:
    """Eight schemas, each of which has all of them as keys."""
    names = [f"d{number}" for number in range(8)]
    defs = {
        name: {"type": "object", "properties": {"v": leaf, "a": {"$ref": "#/$defs/d1"}, **ways}}
        for name in names
        for ways in [{f"k{other}": {"$ref": f"#/$defs/{other}"} for other in names}]
    }
    return {"$ref": "#/$defs/d0", "$defs": defs}


@pytest.mark.slow
@pytest.mark.parametrize("schema", [twice, adding, alike, nearly_alike, all_of_all])
def test_a_schema_that_refers_to_itself_is_read_as_deep_as_the_documents_go(
    schema: Callable[[dict[str, Any]], dict[str, Any]],
) -> None:
    expected: dict[str, Any] = {"v": "x"}
    output: dict[str, Any] = {"v": "y"}
    for _ in range(20):
        expected, output = {"v": "x", "a": expected}, {"v": "x", "a": output}
    for written in both_dialects(schema):
        one = evaluator("schema_match", {"schema": written})
        verdict = one.compile()(expected, output)
        assert verdict.counts == (20, 1, 0, 0)
        assert one.explain(expected, output).score == 20 / 21
        found = wrong_by(one.scored_fields().tree, expected, output)
        assert [result.path for result in found] == ["a." * 20 + "v"]
        assert list(check_expected([expected], one.scored_fields().tree.root, warn_missing=False)) == []


def test_a_choice_that_is_its_own_branch_is_a_problem_in_both_dialects() -> None:
    def schema(leaf: dict[str, Any]) -> dict[str, Any]:
        defs = {
            "n": {"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/m"}]},
            "m": {"anyOf": [{"$ref": "#/$defs/n"}, leaf]},
        }
        return {"$ref": "#/$defs/n", "$defs": defs}

    for written in both_dialects(schema):
        with pytest.raises(BadSettings, match="this choice leads to itself"):
            evaluator("schema_match", {"schema": written})


def test_a_schema_is_inferred_in_the_words_of_x_eval_alone() -> None:
    with pytest.raises(BadSettings, match="a schema that is inferred says how to compare in the words of x-eval"):
        evaluator("schema_match", {"schema": "infer", "dialect": "evaluation_config"})
