"""The x-eval dialect: defaults, what a schema is read into, and every problem with its place."""

from __future__ import annotations

import copy
import threading
from typing import Any

import pytest

import evaluators
from evaluators.integrations.compat import struct_extract_eval
from evaluators.model.issues import Problems
from evaluators.model.settings import BadSettings, build
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.fields.references import resolve_schema_references
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.fields.type_defaults import (
    annotate_xeval,
    read_entry,
    reset_type_defaults,
    set_type_default,
    type_defaults,
)
from evaluators.scoring.fields.xeval import parse_eval_schema, read_xeval

TEXT = {"type": "string", "x-eval-compare": "exact"}
ALIGN_OF_A = "#/properties/a/x-eval-align"
COMPARE_OF_A = "#/properties/a/x-eval-compare"
NUMBER = {"type": "number", "x-eval-compare": "numeric"}


def an_object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def an_array(items: Any, **rest: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **rest}


def problems_of(schema: Any) -> dict[str, str]:
    with pytest.raises(Problems) as caught:
        parse_eval_schema(schema)
    return {(issue.where or "").removeprefix("schema "): issue.message for issue in caught.value.issues}


def a_of(schema: Any, context: dict[str, Any] | None = None) -> FieldNode:
    return read_xeval(an_object(a=schema), context).below.keys["a"]


# Defaults


def test_items_keys_branches_and_kept_targets_are_annotated() -> None:
    schema: dict[str, Any] = {
        **an_object(t=an_array(an_object(x={"type": "string"})), c={"anyOf": [an_object(y={"type": "number"}), {"type": "string"}]}),
        "$defs": {"N": an_object(z={"type": "string"})},
    }  # fmt: skip
    annotate_xeval(schema)
    assert schema["properties"]["t"]["items"]["properties"]["x"]["x-eval-compare"] == "exact"
    first, second = schema["properties"]["c"]["anyOf"]
    assert (first["properties"]["y"]["x-eval-compare"], second["x-eval-compare"]) == ("numeric", "exact")
    assert "x-eval-compare" not in schema["properties"]["c"]
    assert schema["$defs"]["N"]["properties"]["z"]["x-eval-compare"] == "exact"


def test_a_default_can_be_set_and_reset() -> None:
    set_type_default("string", {"fuzzy": {}})
    try:
        assert type_defaults()["string"] == {"fuzzy": {}}
    finally:
        reset_type_defaults()
    assert type_defaults()["string"] == "exact"


def test_a_default_is_not_seen_by_another_thread() -> None:
    seen: list[Any] = []
    with set_type_default("string", "fuzzy"):
        thread = threading.Thread(target=lambda: seen.append(type_defaults()["string"]))
        thread.start()
        thread.join()
    assert seen == ["exact"]


@pytest.mark.parametrize(
    ("json_type", "comparator"),
    [
        (3, "exact"), ("", "exact"), ("string", None), ("string", {}), ("string", ""), ("strng", "exact"),
        ("string", "skip"), ("number", {"numeric": {"tolerence": 1}}), ("multy", "exact"),
    ],
)  # fmt: skip
def test_a_default_that_says_nothing_is_refused(json_type: Any, comparator: Any) -> None:
    with pytest.raises(Problems):
        set_type_default(json_type, comparator)


def test_a_default_may_name_a_comparator_that_is_registered_later() -> None:
    schema = an_object(a={"type": "string"}, b={"type": "number"})
    with set_type_default("string", "later"), set_type_default("number", {"later": {"most": 1}}):
        annotated = annotate_xeval(copy.deepcopy(schema))
        assert [one["x-eval-compare"] for one in annotated["properties"].values()] == ["later", {"later": {"most": 1}}]
        with pytest.raises(Problems) as caught:
            struct_extract_eval.evaluate([{"a": "x"}], [{"a": "x"}], schema)
        assert [str(issue).splitlines()[0] for issue in caught.value.issues] == [
            'schema.properties.a: the default of "string": unknown comparator "later"',
            'schema.properties.b: the default of "number": unknown comparator "later"',
        ]
        assert {issue.blame.value for issue in caught.value.issues} == {"config"}
        evaluators.register("later", lambda expected, actual, params: len(str(expected)) == len(str(actual)))
        assert struct_extract_eval.evaluate([{"a": "x", "b": 10}], [{"a": "y", "b": 9}], schema).mean_f1 == 0.5
        assert parse_eval_schema(annotated).below.keys["a"].metrics[0].name == "later"


def test_a_field_of_several_types_has_a_default_of_its_own() -> None:
    schema = an_object(
        a={"type": ["string", "number", "null"]}, b={"type": ["string", "null"]}, c={"type": ["integer", "number"]}
    )
    with set_type_default("multi", {"normalized": {"case": "ignore"}}):
        compared = [one["x-eval-compare"] for one in annotate_xeval(copy.deepcopy(schema))["properties"].values()]
        assert compared == [{"normalized": {"case": "ignore"}}, "exact", "numeric"]
        row = {"a": "AB", "b": "x", "c": 1}, {"a": "ab", "b": "x", "c": 1}
        assert struct_extract_eval.evaluate([row[0]], [row[1]], schema).mean_f1 == 1.0
    annotated = annotate_xeval(schema, {"multi": "fuzzy"})
    assert annotated["properties"]["a"]["x-eval-compare"] == "fuzzy"


def test_an_entry_is_a_word_or_a_map_with_one_key() -> None:
    assert read_entry("exact") == ("exact", {})
    assert read_entry({"numeric": {"tolerance": {"rel": 0.1}}}) == ("numeric", {"tolerance": {"rel": 0.1}})
    bad: Any
    for bad in ("", {}, {"a": {}, "b": {}}, {"a": 1}, None):
        with pytest.raises(BadSettings):
            read_entry(bad)


# The tree


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "properties": {}},
        {"type": "array"},
        {"type": "array", "items": [{"type": "string"}]},
        {"type": "array", "prefixItems": [{"type": "string"}]},
        {"type": "object", "additionalProperties": {}},
        {"type": "object", "additionalProperties": {"description": "anything"}},
        {"type": ["string", "object"], "properties": {"x": {"type": "string"}}},
        {"enum": ["a", "b"]},
        {"const": 1},
    ],
)
def test_what_is_not_described_inside_is_compared_as_a_whole(schema: dict[str, Any]) -> None:
    node = a_of({**schema, "x-eval-compare": "exact"})
    assert (node.kind, len(node.metrics)) == ("leaf", 1)


def test_a_container_with_a_comparator_is_one_unit_and_what_is_below_needs_none() -> None:
    node = a_of({**an_object(x={"type": "string"}), "x-eval-compare": "exact"})
    assert (node.kind, node.unit) == ("object", True)


def test_what_is_skipped_needs_no_comparator() -> None:
    node = a_of({**an_object(x={"type": "string"}), "x-eval-skip": True})
    assert node.skip


def test_without_a_type_the_keywords_tell_it() -> None:
    assert a_of({"properties": {"x": TEXT}}).kind == "object"
    assert a_of({"items": TEXT}).kind == "array"


def test_a_property_that_is_true_takes_any_value_and_is_compared_as_a_whole() -> None:
    node = parse_eval_schema(an_object(a=True)).below.keys["a"]
    assert (node.kind, [metric.name for metric in node.metrics], node.shape.types) == ("leaf", ["exact"], frozenset())
    found = read_xeval(an_object(a=True), {"defaults": {"string": "numeric"}}).below.keys["a"]
    assert [metric.name for metric in found.metrics] == ["exact"]


def test_an_object_of_which_only_what_is_not_allowed_is_said_is_compared_as_a_whole() -> None:
    assert "does not say how" in problems_of(an_object(a=False))["#"]
    assert read_xeval(an_object(a=False), {"defaults": {}}).kind == "leaf"


def test_a_branch_has_what_stands_beside_the_choice_too() -> None:
    node = a_of({**an_object(kind=TEXT), "oneOf": [{"properties": {"x": TEXT}}, {"properties": {"y": TEXT}}]})
    assert [list(branch.below.keys) for branch in node.below.branches] == [["x", "kind"], ["y", "kind"]]


def test_a_choice_with_a_comparator_is_one_unit() -> None:
    node = a_of({"anyOf": [an_object(x={"type": "string"}), {"type": "string"}], "x-eval-compare": "exact"})
    assert (node.kind, len(node.metrics)) == ("leaf", 1)


def test_a_transform_where_nothing_is_compared_and_numbers_in_text_are_noted() -> None:
    notes: list[str] = []
    context = {"notes": notes}
    a_of(an_array(TEXT, **{"x-eval-transform": ["lowercase"]}), context)
    a_of({"type": "string", "x-eval-compare": "numeric"}, context)
    assert len(notes) == 2


@pytest.mark.parametrize(
    ("align", "how"),
    [
        ({"ordered": True}, "ordered"),
        ({"ordered": True, "match_by": "hungarian"}, "ordered"),
        ({"ordered": False, "match_by": "hungarian"}, "hungarian"),
        ({"match_by": "key_field", "key": "id"}, "key_field"),
    ],
)
def test_alignments_are_read(align: dict[str, Any], how: str) -> None:
    node = a_of(an_array(an_object(id=TEXT), **{"x-eval-align": align}))
    assert node.align.how == how


# Problems


def test_all_problems_are_found_at_once_with_their_places() -> None:
    schema = an_object(
        amount={"type": "number", "x-eval-compare": {"numeric": {"tolerence": {"abs": 1}}}},
        name={"type": "strin", "x-eval-compare": "exat", "x-eval-transform": ["lower"]},
        tags=an_array({"type": "string", "x-eval-compar": "exact"}, **{"x-eval-align": {"match_by": "key_field", "key": "a"}}),
        skip={"type": "string", "x-eval-skip": "yes"},
    )  # fmt: skip
    found = problems_of(schema)
    assert list(found) == [
        "#/properties/amount/x-eval-compare/numeric/tolerence",
        "#/properties/name/type",
        "#/properties/name/x-eval-transform/0",
        "#/properties/name/x-eval-compare",
        "#/properties/tags/x-eval-align",
        "#/properties/tags/items/x-eval-compar",
        "#/properties/tags/items",
        "#/properties/skip/x-eval-skip",
        "#/properties/skip",
    ]


@pytest.mark.parametrize(
    ("schema", "place", "message"),
    [
        ({}, "#", "has no type"),
        (["x"], "#", "must be a map"),
        (an_object(a={"type": "string"}), "#/properties/a", "does not say how"),
        (an_object(a={"x-eval-compare": "exact"}), "#/properties/a", "has no type"),
        (an_object(a="string"), "#/properties/a", "must be a map"),
        (an_object(a={"type": "array", "properties": {"k": TEXT}}), "#/properties/a/properties", "belong to an object"),
        (an_object(a={**an_object(k=TEXT), "x-eval-align": {"ordered": True}}), "#/properties/a/x-eval-align", "is none"),
        (an_object(a=an_array(TEXT, **{"x-eval-align": "hungarian"})), "#/properties/a/x-eval-align", "must be a map"),
        (an_object(a=an_array(TEXT, **{"x-eval-align": {}})), "#/properties/a/x-eval-align", "does not say how items"),
        (an_object(a=an_array(TEXT, **{"x-eval-align": {"match_by": "hungarain"}})), ALIGN_OF_A + "/match_by", "unknown alignment"),
        (an_object(a=an_array(TEXT, **{"x-eval-align": {"ordered": True, "match_by": "x"}})), ALIGN_OF_A + "/match_by", "unknown"),
        (an_object(a=an_array(an_object(k=TEXT), **{"x-eval-align": {"match_by": "key_field"}})), ALIGN_OF_A, 'needs "key"'),
        (
            an_object(
                a=an_array(
                    {**an_object(sku=TEXT), "additionalProperties": False},
                    **{"x-eval-align": {"match_by": "key_field", "key": "skuu"}},
                )
            ),
            f"{ALIGN_OF_A}/key",
            'the items have no key "skuu", and the schema allows no others',
        ),
        (an_object(a=an_array(TEXT, **{"x-eval-align": {"ordered": 1}})), "#/properties/a/x-eval-align/ordered", "true or false"),
        (an_object(a={"type": "string", "x-eval-compare": "skip"}), "#/properties/a/x-eval-compare", "no comparator"),
        (an_object(a={**TEXT, "x-eval-compare": {"compound": {"fields": ["x", "y"]}}}), COMPARE_OF_A + "/compound", "has none"),
        ({"$ref": "#/$defs/N", "$defs": {"N": {"$ref": "#/$defs/N"}}}, "#/$ref", "leads to itself"),
    ],
)  # fmt: skip
def test_a_problem_says_where_and_what(schema: Any, place: str, message: str) -> None:
    found = problems_of(schema)
    assert place in found
    assert message in found[place]


EITHER: dict[str, Any] = {"numeric": {"tolerance": {"abs": 5, "rel": 0.05, "either": True}}}


def refused(entry: Any) -> tuple[tuple[Any, ...], str, str | None]:
    with pytest.raises(BadSettings) as caught:
        read_xeval(an_object(a={**an_object(x=NUMBER, y=NUMBER), "x-eval-compare": entry}))
    (one,) = caught.value.details
    return one.loc[3:], one.message, one.hint


def test_either_of_two_limits_is_refused_with_what_to_write() -> None:
    message = 'x-eval has no "either": where a tolerance has abs and rel, both must hold'
    hint = (
        "write comparators: {close: {numeric: {tolerance: {abs: 5, rel: 0.05, either: true}}}} in the suite,"
        " and the comparator close here"
    )
    place = ("numeric", "tolerance", "either")
    assert refused(EITHER) == (place, message, hint)
    compound = {"compound": {"fields": ["x", "y"], "compare": EITHER}}
    assert refused(compound) == (("compound", "compare", *place), message, hint)
    assert refused({"numeric": {"tolerance": {"abs": 5, "either": False}}}) == (place, message, "leave it out")


def test_a_suite_says_that_either_of_two_limits_is_enough() -> None:
    close = (build(COMPARATORS.find("numeric"), EITHER["numeric"]), "numeric")
    entries: tuple[object, ...] = ("close", {"close": {}})
    for entry in entries:
        node = a_of({"type": "number", "x-eval-compare": entry}, {"comparators": {"close": close}})
        assert node.metrics[0].comparator.compare(100, 105)
    by_type = a_of({"type": "number"}, {"defaults": {"number": EITHER}})
    assert by_type.metrics[0].comparator.compare(200, 209)


def test_compound_names_keys_that_are_there() -> None:
    compound = {"compound": {"fields": ["first", "lst"], "compre": "exact"}}
    found = problems_of(an_object(a={**an_object(first=TEXT, last=TEXT), "x-eval-compare": compound}))
    assert list(found) == [
        "#/properties/a/x-eval-compare/compound/compre",
        "#/properties/a/x-eval-compare/compound/fields/1",
    ]


def test_an_alignment_stands_in_for_a_judged_list() -> None:
    schema = an_array(TEXT, **{"x-eval-compare": "array_llm"})
    node = a_of(schema, {"fallback": {"array_llm": "hungarian"}})
    assert (node.kind, node.align.how, node.fallback_for) == ("array", "hungarian", "array_llm")


def test_a_resolved_and_annotated_schema_can_be_read() -> None:
    schema = {
        "$defs": {"M": {"type": "object", "properties": {"v": {"anyOf": [{"type": "number"}, {"type": "null"}]}}}},
        **an_object(m={"allOf": [{"$ref": "#/$defs/M"}]}, t={"type": "array", "items": {"$ref": "#/$defs/M"}}),
    }
    root = parse_eval_schema(annotate_xeval(resolve_schema_references(schema)))
    assert root.below.keys["m"].below.keys["v"].metrics[0].name == "numeric"
    assert read_xeval(schema, {"defaults": {}}).below.keys["m"].below.keys["v"].shape.nullable


@pytest.mark.parametrize(
    "branch",
    [{"$ref": "#/$defs/C"}, {"anyOf": [{"$ref": "#/$defs/C"}, an_object(y=TEXT)]}, {"$ref": "#/$defs/C", "title": "c"}],
)
def test_a_choice_that_is_its_own_branch_is_refused(branch: dict[str, Any]) -> None:
    choice = {"anyOf": [an_object(x=TEXT), branch]}
    found = problems_of({**an_object(a={"$ref": "#/$defs/C"}), "$defs": {"C": choice}})
    assert any("leads to itself" in message for message in found.values())


def test_names_that_are_no_text_are_refused() -> None:
    assert "is text" in problems_of(an_object(a={"type": "string", "x-eval-compare": {3: {}}}))[COMPARE_OF_A]


def test_a_reference_that_adds_to_itself_without_end_is_refused() -> None:
    endless = {"$ref": "#", "additionalProperties": {"$ref": "#"}}
    found = problems_of({**an_object(k=TEXT), "additionalProperties": endless})
    assert any("levels deep" in message for message in found.values())
