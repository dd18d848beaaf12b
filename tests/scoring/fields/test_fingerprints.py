"""Fingerprints: items with different ones are no complete pair, so right items can be paired first. Pairs are those of all weighed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from random import Random
from typing import Any

import pytest
from hypothesis import given

from evaluators.model.rows import MISSING
from evaluators.model.settings import build
from evaluators.scoring.evaluators.json_multi_field_match import JsonMultiFieldMatch
from evaluators.scoring.fields import pairing
from evaluators.scoring.fields.fingerprints import Fingerprint, fingerprint, fingerprints
from evaluators.scoring.fields.pairing import WHOLE, Worth, f1
from evaluators.scoring.fields.places import Place
from evaluators.scoring.fields.presence import NONE_ABSENT
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.fields.walk import Walk
from tests.scoring.fields.alone import score_document
from tests.scoring.fields.paired import pair_items
from tests.scoring.fields.random_trees import pairs
from tests.scoring.fields.trees import array, leaf, obj, tree

VALUES = ["", "ab", "AB", 1, 1.0, True, None, [], ["ab"], {"b": 1}]
FIELDS: dict[str, dict[str, Any]] = {
    "plain": {"items[*].a": "exact", "items[*].b": "normalized"},
    "some without a key": {"items[*].a": "fuzzy", "items[*].b": "exact"},
    "objects": {"items[*].a.b": "exact", "items[*].b": {"compare": "exact", "transforms": ["lowercase"]}},
    "lists": {"items[*].b": "exact", "items[*].c[*].a": "exact", "items[*].c[*].b": "exact"},
    "lists in any order": {"items[*].b": "exact", "items[*].c": {"align": "hungarian"}, "items[*].c[*].a": "exact"},
    "values in any order": {"items[*].b": "exact", "items[*].c": {"compare": "exact", "align": "any_order"}},
    "whole items": {"items[*]": "exact"},
    "one side alone": {"items[*].a": {"regex": {"pattern": "b"}}, "items[*].b": "exact"},
}


@contextmanager
def fingerprints_from(pairs_of_items: int) -> Iterator[None]:
    """Lists with more pairs of items than this are paired by their fingerprints."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairing, "FEW", pairs_of_items)
        yield


def place_of(node: FieldNode) -> Place:
    return Place(node, NONE_ABSENT)


def worth(node: FieldNode, expected: Any, output: Any) -> Worth:
    """What a pair of items is worth."""
    return Walk().worths(place_of(node), [expected], [output], [(0, 0)], {})[0]


@given(pairs())
def test_items_of_a_complete_pair_have_one_fingerprint(drawn: tuple[FieldNode, Any, Any]) -> None:
    node, expected, output = drawn
    if f1(worth(node, expected, output)) == WHOLE:
        ours, theirs = fingerprints(partial(fingerprint, place_of(node)), [expected], [output]) or ([], [])
        assert [each.keys for each in ours] == [each.keys for each in theirs]


@given(pairs())
def test_items_with_a_match_in_common_have_a_value_in_common(drawn: tuple[FieldNode, Any, Any]) -> None:
    node, expected, output = drawn
    if worth(node, expected, output).matched:
        ours, theirs = fingerprints(partial(fingerprint, place_of(node)), [expected], [output]) or ([], [])
        for one, other in zip(ours, theirs, strict=True):
            assert one.values & other.values or not (one.known and other.known)


@given(pairs())
def test_lists_of_a_schema_pair_as_if_all_pairs_were_weighed(drawn: tuple[FieldNode, Any, Any]) -> None:
    with fingerprints_from(10**9):
        wanted = score_document(*drawn)
    with fingerprints_from(0):
        assert score_document(*drawn) == wanted


def document(random: Random) -> Any:
    def item(depth: int) -> Any:
        found = {key: random.choice(VALUES) for key in ("a", "b", "a.b", "d") if random.random() < 0.5}
        if depth and random.random() < 0.7:
            found["c"] = [item(depth - 1) for _ in range(random.randint(0, 2))]
        return found if random.random() < 0.9 else random.choice(VALUES)

    return {"items": [item(1) for _ in range(random.randint(0, 6))]}


@pytest.mark.slow
@pytest.mark.parametrize("fields", FIELDS)
@pytest.mark.parametrize("align", ["any_order", "hungarian"])
def test_listed_fields_pair_as_if_all_pairs_were_weighed(fields: str, align: str) -> None:
    one = build(JsonMultiFieldMatch, {"fields": {"items": {"align": align}, **FIELDS[fields]}})
    for seed in range(150):
        random = Random(seed)
        expected = document(random)
        items = [each if random.random() < 0.7 else random.choice(VALUES) for each in expected["items"]]
        random.shuffle(items)
        output = {"items": [*items, *document(random)["items"][:2]]}
        with fingerprints_from(0):
            found = one.explain(expected, output)
        assert found == one.explain(expected, output), seed


def test_what_may_come_to_no_result_is_in_no_fingerprint() -> None:
    item = tree(obj({"a": obj({"b": leaf(skip=True)}), "c": array(leaf())}))
    read = partial(fingerprint, place_of(item))
    assert read({}).keys == read({"a": {"b": 1}, "c": []}).keys == read({"x": 1}).keys == read(MISSING).keys
    assert read({"c": [1]}).keys != read({}).keys


def test_something_else_in_place_of_an_object_matches_its_like_alone() -> None:
    read = partial(fingerprint, place_of(tree(obj({"a": leaf()}))))
    assert read("x").keys == read("x").keys != read("y").keys


def paired(expected: list[str], output: list[str]) -> list[tuple[int, int]]:
    """Words of two letters, each of which is a result; the first one alone is known before they are weighed."""

    def weigh(row: int, column: int) -> Worth:
        return Worth(sum(one == other for one, other in zip(expected[row], output[column], strict=True)), 4)

    def first_letter(item: str) -> Fingerprint:
        return Fingerprint(item[0], frozenset(item[0]), False)

    with fingerprints_from(0):
        found = pair_items(Align("hungarian"), expected, output, weigh, fingerprint_of=first_letter).pairs
    assert found == pair_items(Align("hungarian"), expected, output, weigh).pairs
    return found


def test_right_items_of_a_long_list_are_not_weighed_with_each_other() -> None:
    items = [{"a": [number, number % 7]} for number in range(60)]
    output = [*items[50:], *items[1:50], {"a": [0, 1]}]
    node = tree(array(obj({"a": array(leaf())}), "hungarian"))
    asked = 0

    class Counted(Walk):
        def worths(self, item: Place, e: Any, o: Any, pairs: Sequence[tuple[int, int]], *more: Any) -> Any:
            nonlocal asked
            asked += len(pairs)
            return super().worths(item, e, o, pairs, *more)

    Counted().compare_row(Place(node, NONE_ABSENT), items, output)
    assert asked == len(items)
