"""The tree of a list of fields, and how it scores."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import evaluators
from evaluators.comparators._comparator import COMPARATORS
from evaluators.fields.listed import read_listed, tree_of_lines
from evaluators.fields.metrics import fallbacks
from evaluators.fields.reading import Align, read_transforms
from evaluators.fields.tree import FieldNode
from evaluators.model import FieldStatus
from evaluators.settings import BadSettings, Detail
from evaluators.values.paths import ANY
from tests.fields.alone import score_document


@pytest.fixture(autouse=True)
def nothing_stays_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(COMPARATORS, "_registered", dict(COMPARATORS._registered))


def listed(data: object, context: dict[str, Any] | None = None) -> FieldNode:
    return tree_of_lines(read_listed(data, context))


def mistakes(data: object) -> list[Detail]:
    with pytest.raises(BadSettings) as caught:
        listed(data)
    return list(caught.value.details)


def mistake(data: object) -> Detail:
    (found,) = mistakes(data)
    return found


def statuses(fields: object, expected: Any, output: Any, **context: Any) -> dict[str, FieldStatus]:
    found = score_document(listed(fields, context), expected, output)
    return {result.path: result.status for result in found.fields}


def items_of(node: FieldNode) -> FieldNode:
    assert node.below.items is not None
    return node.below.items


def test_keys_make_objects_and_the_ends_of_paths_are_leaves() -> None:
    root = listed(
        {"vendor.name": "fuzzy", "total": {"compare": "numeric", "weight": 3, "required": True}, "/vendor/id": None}
    )
    assert (root.kind, root.path, list(root.below.keys)) == ("object", (), ["vendor", "total"])
    vendor, total = root.below.keys.values()
    assert [node.name for node in vendor.below.keys.values()] == ["vendor.name", "vendor.id"]
    assert vendor.below.keys["name"].metrics[0].name == "fuzzy"
    assert (total.kind, total.weight, total.required, total.metrics[0].rule) == ("leaf", Fraction(3), True, "numeric")


def test_stars_make_arrays_with_the_alignment_of_their_own_line() -> None:
    root = listed({"items": {"align": "hungarian"}, "items[*].sku": "exact", "items[*].tags[*]": "exact"})
    items = root.below.keys["items"]
    assert (items.kind, items.align.how, items.path) == ("array", "hungarian", ("items",))
    assert items_of(items).path == ("items", ANY)
    assert items_of(items).kind == "object"
    tags = items_of(items).below.keys["tags"]
    assert (tags.kind, tags.align, items_of(tags).kind) == ("array", Align(), "leaf")


def test_a_root_may_be_an_array_or_a_single_unit() -> None:
    root = listed(["$[*].name"])
    assert (root.kind, items_of(root).below.keys["name"].name) == ("array", "[*].name")
    assert listed({"$": "exact"}).unit


def test_an_alignment_without_lines_below_compares_the_items_as_wholes() -> None:
    root = listed({"tags": {"align": "any_order", "compare": "fuzzy", "weight": 2}})
    tags = root.below.keys["tags"]
    assert (tags.kind, tags.align.how) == ("array", "any_order")
    assert tags.weight == 2
    assert items_of(tags).metrics[0].name == "fuzzy"
    assert statuses({"tags": {"align": "any_order"}}, {"tags": ["a", "b"]}, {"tags": ["b", "a"]}) == {
        "tags[0]": FieldStatus.MATCH,
        "tags[1]": FieldStatus.MATCH,
    }


def test_a_skipped_line_is_one_skipped_result() -> None:
    found = statuses({"a": "skip", "b": "exact"}, {"a": {"x": 1}, "b": 1}, {"a": 2, "b": 1})
    assert found == {"a": FieldStatus.SKIPPED, "b": FieldStatus.MATCH}


def test_transforms_of_every_field_come_before_those_of_the_line() -> None:
    root = tree_of_lines(read_listed({"a": {"transforms": ["lowercase"]}}), read_transforms(["strip"]))
    assert [each.name for each in root.below.keys["a"].transforms] == ["strip", "lowercase"]


def test_a_key_that_only_the_output_has_counts_and_an_unlisted_one_of_both_does_not() -> None:
    found = statuses(
        ["a", "b.c"], {"a": 1, "b": {"c": 1, "d": 1}, "e": 1}, {"a": 1, "b": {"c": 1, "d": 2, "f": 3}, "e": 2}
    )
    assert found == {"a": FieldStatus.MATCH, "b.c": FieldStatus.MATCH, "b.f": FieldStatus.HALLUCINATION}


def test_compound_keys_are_one_unit_beside_the_other_keys() -> None:
    author = {"compound": {"fields": ["surname", "name"], "compare": {"normalized": {"case": "ignore"}}}}
    fields = {"author": author, "author.born": "exact"}
    expected = {"author": {"surname": "Lem", "name": "Stanislaw", "born": 1921}}
    output = {"author": {"surname": "LEM STANISLAW", "born": 1922}}
    assert statuses(fields, expected, output) == {"author": FieldStatus.MATCH, "author.born": FieldStatus.MISMATCH}
    assert statuses(fields, expected, {"author": {"born": 1921}}) == {
        "author": FieldStatus.OMISSION,
        "author.born": FieldStatus.MATCH,
    }


def test_a_compound_of_ones_own_gets_objects_and_transforms_change_their_values() -> None:
    seen = []

    def same_person(expected: Any, actual: Any, params: Any) -> bool:
        seen.append((expected, actual))
        return True

    evaluators.register("same_person", same_person)
    fields = {
        "people[*]": {
            "compare": {"compound": {"fields": ["a", "b"], "compare": "same_person"}},
            "transforms": ["lowercase"],
        }
    }
    assert statuses(fields, {"people": [{"a": "X"}]}, {"people": [{"a": "Y", "b": "Z"}]}) == {
        "people[0]": FieldStatus.MATCH
    }
    assert seen == [({"a": "x"}, {"a": "y", "b": "z"})]


def test_array_llm_becomes_the_alignment_that_stands_in_for_it() -> None:
    context = {"fallback": {"array_llm": "hungarian", "semantic": "fuzzy"}}
    root = listed({"items": "array_llm", "items[*].name": "semantic", "note": "semantic"}, context)
    assert (root.below.keys["items"].align.how, root.below.keys["items"].fallback_for) == ("hungarian", "array_llm")
    assert list(fallbacks(root)) == [
        ("items", "array_llm"),
        ("note", "semantic"),
        ("items[*].name", "semantic"),
    ]


@pytest.mark.parametrize(
    ("fields", "loc", "message", "hint"),
    [
        (
            {"$..sku": "exact"},
            ("$..sku",),
            '"$..sku" is a query; schema_match takes the places of a schema',
            "use keys, and [*] for every item of a list",
        ),
        (
            {"items[0].sku": "exact"},
            ("items[0].sku",),
            '"items[0].sku" picks a single item; schema_match compares all items of a list',
            "write items[*].sku for every item; json_multi_field_match takes single items",
        ),
        (
            {"a": {"when": {"row.x": 1}}},
            ("a", "when"),
            '"a" cannot have a condition of its own: schema_match compares every field in every row',
            "write when beside the evaluator, or list the field in json_multi_field_match",
        ),
        (
            {"a": "exact", "a.b": "exact"},
            ("a.b",),
            '"a.b" is below "a", which is compared as one value',
            "take one of the two lines away",
        ),
        (
            {"a": "skip", "a.b": "exact"},
            ("a.b",),
            '"a.b" is below "a", which is skipped',
            "take one of the two lines away",
        ),
        (
            {"a": {"compound": {"fields": ["b", "c"]}}, "a.b": "exact"},
            ("a.b",),
            '"a.b" is below the compound of "a", which compares it',
            "take one of the two away",
        ),
        (
            {"a[*].b": "exact", "a.c": "exact"},
            ("a.c",),
            '"a" is a list in one line and an object in another',
            "write [*] after the name of a list, in every line below it",
        ),
        (
            {"a": {"align": "ordered"}, "a.c": "exact"},
            ("a",),
            '"a" is an object, and an alignment pairs the items of a list',
            "write [*] after the name of a list",
        ),
        (
            {"a": {"compound": {"fields": ["b", "c"]}}, "a[*].d": "exact"},
            ("a",),
            '"a" is a list, and compound compares keys of an object',
            "write it on a[*]",
        ),
    ],
)
def test_what_a_schema_cannot_hold_is_refused(fields: Any, loc: tuple[str, ...], message: str, hint: str) -> None:
    found = mistake(fields)
    assert (found.loc, found.message, found.hint) == (loc, message, hint)


def test_every_mistake_is_said() -> None:
    assert len(mistakes({"items[0]": "exact", "a": {"when": {"row.kind": "x"}}, "b": "exact"})) == 2


def test_an_optional_field_is_compared_like_any_other() -> None:
    fields = {"a": {"optional": True}, "b": "exact"}
    assert statuses(fields, {"a": 1, "b": 1}, {"b": 1}) == {"a": FieldStatus.OMISSION, "b": FieldStatus.MATCH}
    assert statuses(fields, {"b": 1}, {"b": 1}) == {"b": FieldStatus.MATCH}
