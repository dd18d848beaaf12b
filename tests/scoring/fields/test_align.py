"""What a suite says of how the items of two lists are paired."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.model.settings import BadSettings
from evaluators.scoring.fields.reading import read_align

Said = tuple[tuple[Any, ...], str, str | None]
MISTAKES: dict[str, tuple[object, Said]] = {
    "an unknown word": ("hungarain", ((), 'unknown alignment "hungarain"', 'did you mean "hungarian"?')),
    "an unknown option": (
        {"hungarian": {"atleast": 0.5}},
        (("hungarian", "atleast"), 'unknown setting "atleast" for alignment "hungarian"', 'did you mean "at_least"?'),
    ),
    "a threshold of 0": (
        {"hungarian": {"at_least": 0}},
        (
            ("hungarian", "at_least"),
            "at_least must be a number above 0, at most 1; found the number 0",
            "0.5: at least half of the items' fields agree",
        ),
    ),
    "options for a word that takes none": (
        {"ordered": {"key": "a"}},
        (("ordered",), 'alignment "ordered" takes no options', "write align: ordered"),
    ),
    "a set": ("set", ((), 'unknown alignment "set"', "write align: {any_order: {unique: true}}")),
    "unique that is neither true nor false": (
        {"any_order": {"unique": "yes"}},
        (
            ("any_order", "unique"),
            'unique must be true or false; found the text "yes"',
            "true: items that are the same count once",
        ),
    ),
    "unique where all items are paired": (
        {"ordered": {"unique": True}},
        (("ordered",), 'alignment "ordered" takes no options', "write align: ordered"),
    ),
    "no key": ("key_field", ((), 'alignment "key_field" needs "key"', "write key_field: {key: sku}")),
    "many places": (
        {"key_field": {"key": ["a", "b[*].c"]}},
        (("key_field", "key", 1), 'the key "b[*].c" must be one place in an item', None),
    ),
    "a place twice": (
        {"key_field": {"key": ["a", "$.a"]}},
        (("key_field", "key", 1), 'the key names "a" twice', "name each place once"),
    ),
    "an empty list": (
        {"key_field": {"key": []}},
        (("key_field", "key"), "key must name at least one path", "write key: sku, or key: [order, line]"),
    ),
    "an unknown transform": (
        {"key_field": {"key": "a", "transforms": ["stripp"]}},
        (("key_field", "transforms", 0), 'unknown transform "stripp"', 'did you mean "strip"?'),
    ),
    "keyless": (
        {"key_field": {"key": "a", "keyless": "drop"}},
        (
            ("key_field", "keyless"),
            'keyless must be ordered or apart; found the text "drop"',
            "ordered pairs items without a key in list order; apart pairs them with nothing",
        ),
    ),
}


@pytest.mark.parametrize(("data", "said"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_has_its_place_its_fact_and_its_way_out(data: object, said: Said) -> None:
    with pytest.raises(BadSettings) as caught:
        read_align(data)
    (detail,) = caught.value.details
    assert (detail.loc, detail.message, detail.hint) == said
