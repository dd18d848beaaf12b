"""Reading `fields:`: the shapes of a line, and what each mistake is answered."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.model.settings import BadSettings, Detail
from evaluators.scoring.fields.lines import FieldLine, read_fields, read_skipped
from evaluators.scoring.fields.named_comparators import read_comparator

MONEY = {"comparators": {"money": read_comparator({"numeric": {"tolerance": {"abs": 0.01}}}, {})}}


def line(body: Any, path: str = "a") -> FieldLine:
    return read_fields({path: body}, MONEY)[0]


def mistakes(data: object) -> list[Detail]:
    with pytest.raises(BadSettings) as caught:
        read_fields(data, MONEY)
    return list(caught.value.details)


def mistake(data: object) -> Detail:
    found = mistakes(data)
    assert len(found) == 1
    return found[0]


Said = tuple[tuple[Any, ...], str, str | None]
MISTAKES: dict[str, tuple[Any, Said]] = {
    "a text": ("a, b", ((), 'fields must be a list of paths, or a map from paths to comparators; found the text "a, b"',
        "write fields: [a, b]")),
    "nothing": (None, ((), "fields must be a list of paths, or a map from paths to comparators; found nothing", None)),
    "an empty list": ([], ((), "fields must name at least one path", None)),
    "an empty map": ({}, ((), "fields must name at least one path", None)),
    "options of skip": ({"a": {"skip": {"b": 1}}}, (("a", "skip"), '"skip" takes no options', "write the word alone: skip")),
    "only skipped": ({"a": "skip"}, ((), "every field is skipped, so nothing would count", None)),
    "only weights of 0": ({"a": {"weight": 0}}, ((), "every weight is 0, so nothing would count", None)),
    "a map in a list": ([{"a": "exact"}], ((0,), "a path is text; found a map",
        "paths with comparators are a map: take the dashes away")),
    "an unknown comparator": ({"a": "numerc"}, (("a",), 'unknown comparator "numerc"', 'did you mean "numeric"?')),
    "an unknown comparator of one's own": ({"a": "mony"}, (("a",), 'unknown comparator "mony"', 'did you mean "money"?')),
    "an unknown option": ({"a": {"numeric": {"tolerence": 1}}}, (("a", "numeric", "tolerence"),
        'unknown setting "tolerence" for comparator "numeric"', 'did you mean "tolerance"?')),
    "a misspelled setting alone": ({"a": {"wieght": 2}}, (("a", "wieght"), 'unknown comparator "wieght"',
        'did you mean "weight"?')),
    "a huge weight": ({"a": {"weight": 10**400}}, (("a", "weight"), "weight must be at most 1,000,000,000,000",
        "only the proportions of weights matter")),
    "a misspelled setting beside": ({"a": {"compare": "exact", "wieght": 2}}, (("a", "wieght"),
        'unknown setting "wieght" for a field', 'did you mean "weight"?')),
    "a comparator beside its neighbours": ({"a": {"date": {"formats": ["YYYY-MM-DD"]}, "weight": 2}}, (("a", "date"),
        '"date" is beside "weight"; here the comparator goes under "compare"',
        "write {compare: {date: {formats: [YYYY-MM-DD]}}, weight: 2}")),
    "a word beside its neighbours": ({"a": {"exact": None, "required": True}}, (("a", "exact"),
        '"exact" is beside "required"; here the comparator goes under "compare"',
        "write {compare: exact, required: true}")),
    "one's own beside its neighbours": ({"a": {"money": None, "weight": 2}}, (("a", "money"),
        '"money" is beside "weight"; here the comparator goes under "compare"', "write {compare: money, weight: 2}")),
    "a compound beside its neighbours": ({"a": {"compound": {"fields": ["b", "c"]}, "weight": 2}}, (("a", "compound"),
        '"compound" is beside "weight"; here the comparator goes under "compare"',
        "write {compare: {compound: {fields: [b, c]}}, weight: 2}")),
    "an option without its name": ({"a": {"regex": "("}}, (("a", "regex"),
        'the options of "regex" must be a map; found the text "("', 'write regex: {pattern: "("}')),
    "a number without its name": ({"a": {"fuzzy": 0.9}}, (("a", "fuzzy"),
        'the options of "fuzzy" must be a map; found the number 0.9', "write fuzzy: {at_least: 0.9}")),
    "a tolerance without its name": ({"a": {"numeric": 0.01}}, (("a", "numeric"),
        'the options of "numeric" must be a map; found the number 0.01', "write numeric: {tolerance: {abs: 0.01}}")),
    "a list without its name": ({"a": {"one_of": ["b", "c"]}}, (("a", "one_of"),
        'the options of "one_of" must be a map; found a list', "write one_of: {values: [b, c]}")),
    "a format without its name": ({"a": {"date": "YYYY-MM-DD"}}, (("a", "date"),
        'the options of "date" must be a map; found the text "YYYY-MM-DD"', "write date: {formats: [YYYY-MM-DD]}")),
    "a comparator switched on": ({"a": {"normalized": True}}, (("a", "normalized"),
        'the options of "normalized" must be a map; found true', "write the word alone: normalized")),
    "an option that nothing takes": ({"a": {"numeric": "about"}}, (("a", "numeric"),
        'the options of "numeric" must be a map; found the text "about"', "known options: tolerance, parse, between")),
    "an option of an old word": ({"a": {"oneof": {"valus": ["b"]}}}, (("a", "oneof", "valus"),
        'unknown setting "valus" for comparator "one_of"', 'did you mean "values"?')),
    "options for one's own": ({"a": {"money": {"tolerance": 1}}}, (("a", "money"),
        '"money" is one of your own comparators and takes no options here', None)),
    "two comparators": ({"a": {"exact": None, "numeric": None}}, (("a",),
        'a comparator is a word or a map with one key; found "exact", "numeric"', None)),
    "a negative weight": ({"a": {"weight": -1}}, (("a", "weight"), "weight must be a number, 0 or more; found the number -1",
        "0 leaves the field out of the score; 2 counts it twice as much as a field without a weight")),
    "a weight in quotes": ({"a": {"weight": "2"}}, (("a", "weight"), 'weight must be a number; found the text "2"',
        '"2" is in quotes, so it is text; remove the quotes')),
    "a weight that is true": ({"a": {"weight": True}}, (("a", "weight"), "weight must be a number; found true", None)),
    "an endless weight": ({"a": {"weight": float("inf")}}, (("a", "weight"), "weight must be a number; found the number inf",
        None)),
    "required: yes": ({"a": {"required": "yes"}}, (("a", "required"), 'expected true or false; found the text "yes"',
        "write required: true")),
    "an unknown transform": ({"a": {"transforms": ["stripp"]}}, (("a", "transforms", 0), 'unknown transform "stripp"',
        'did you mean "strip"?')),
    "transforms as a word": ({"a": {"transforms": "strip"}}, (("a", "transforms"),
        'transforms must be a list; found the text "strip"', "write transforms: [strip]")),
    "a skipped field with a weight": ({"a": {"compare": "skip", "weight": 2}, "b": "exact"}, (("a", "weight"),
        '"weight" says nothing here: the field is skipped', "write a: skip, or another comparator")),
    "a field that must be there and need not be": ({"a": {"required": True, "optional": True}}, (("a", "optional"),
        '"required" and "optional" contradict each other: a required field that is absent counts as missing',
        "keep one of them")),
    "an unknown alignment": ({"a": {"align": "anyorder"}}, (("a", "align"), 'unknown alignment "anyorder"',
        'did you mean "any_order"?')),
    "options for an alignment": ({"a": {"align": {"ordered": {"key": "b"}}}}, (("a", "align", "ordered"),
        'alignment "ordered" takes no options', 'write align: ordered')),
    "an alignment without its key": ({"a": {"align": "key_field"}}, (("a", "align"),
        'alignment "key_field" needs "key"', "write key_field: {key: sku}")),
    "an alignment key of many places": ({"a": {"align": {"key_field": {"key": "b[*]"}}}}, (("a", "align", "key_field", "key"),
        'the key "b[*]" must be one place in an item', None)),
    "an alignment on the items": ({"tags[*]": {"align": "any_order"}}, (("tags[*]",),
        'the alignment of "tags[*]" is on the items of a list; it goes on the list itself', "write tags: {align: …}")),
    "an alignment on the items of the whole": ({"$[*]": {"align": "any_order"}}, (("$[*]",),
        'the alignment of "[*]" is on the items of a list; it goes on the list itself', "write $: {align: …}")),
    "an empty condition": ({"a": {"when": {}}}, (("a", "when"),
        "when must be a map from a reference to a value; found a map", "when: {row.kind: invoice}")),
    "a condition on nothing known": ({"a": {"when": {"kind": 1}}}, (("a", "when", "kind"), '"kind" is not a reference',
        "for a column write row.kind; references are row.COLUMN, output.PATH and expected.PATH")),
}  # fmt: skip


@pytest.mark.parametrize(("data", "said"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_has_its_place_its_fact_and_its_way_out(data: Any, said: Said) -> None:
    found = mistake(data)
    assert (found.loc, found.message, found.hint) == said


@pytest.mark.parametrize("path", ["a[0]", "$..a", "$.a[0:2]"])
def test_single_items_cannot_be_skipped(path: str) -> None:
    with pytest.raises(BadSettings) as caught:
        read_skipped(["b", path])
    assert caught.value.details[0].loc == (1,)
    assert caught.value.details[0].message == f'"{path}" cannot be skipped: it picks single items'
