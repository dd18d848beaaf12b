"""The tree of a list of fields, and how it scores."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.model.rows import FieldStatus
from evaluators.model.settings import BadSettings, Detail
from evaluators.scoring.fields.listed import read_listed, tree_of_lines
from evaluators.scoring.fields.tree import FieldNode
from tests.scoring.fields.alone import score_document


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
