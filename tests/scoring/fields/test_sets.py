"""Lists as sets: items that are the same count once, wherever they stand and however often they are there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators import load
from evaluators.model.rows import FieldStatus
from evaluators.scoring.values.pairing import lookup_key

SET = {"any_order": {"unique": True}}
WAYS: dict[str, tuple[dict[str, Any], Callable[[Any], Any]]] = {
    "exact": ({"align": SET}, lookup_key),
    "lowercase": ({"align": SET, "transforms": ["lowercase"]}, str.lower),
    "normalized": ({"align": SET, "compare": {"normalized": {"case": "ignore"}}}, str.casefold),
}
TEXTS = st.lists(st.sampled_from(["a", "A", "b", "B", "c", ""]), max_size=6)
ITEMS = st.lists(st.fixed_dictionaries({"n": st.integers(0, 2), "m": st.integers(0, 1)}), max_size=5)
OBJECTS = {"tags": {"align": SET}, "tags[*].n": "exact", "tags[*].m": "exact"}


def found(line: dict[str, Any], expected: Sequence[Any], output: Sequence[Any]) -> dict[str, Any]:
    lines = [
        {"schema_match": {"name": "schema", "fields": line}},
        {"json_multi_field_match": {"name": "listed", "fields": line}},
    ]
    row = {"expected": {"tags": [*expected]}, "output": {"tags": [*output]}}
    scores = load({"evaluators": lines}).evaluate(row)
    return {name: scores[name] for name in ("schema", "listed")}


@pytest.mark.parametrize("way", WAYS)
@given(expected=TEXTS, output=TEXTS)
def test_a_set_scores_as_sets_do(way: str, expected: list[str], output: list[str]) -> None:
    line, key = WAYS[way]
    scores = found({"tags": line}, expected, output)
    ours, theirs = {key(one) for one in expected}, {key(one) for one in output}
    both = len(ours & theirs)
    assert scores["schema"].score == (pytest.approx(2 * both / (len(ours) + len(theirs))) if ours or theirs else 1.0)
    assert scores["listed"].score == (ours == theirs)
    statuses = [one.status for one in scores["schema"].fields if one.path.startswith("tags[")]
    wanted = {
        FieldStatus.MATCH: both,
        FieldStatus.OMISSION: len(ours) - both,
        FieldStatus.HALLUCINATION: len(theirs) - both,
    }
    assert {status: statuses.count(status) for status in wanted} == wanted


@given(ITEMS, ITEMS, st.integers())
def test_order_and_repeats_do_not_count(expected: list[Any], output: list[Any], seed: int) -> None:
    draw = Random(seed)
    lists = []
    for items in (expected, output):
        more = [*items, *(draw.choice(items) for _ in range(draw.randint(0, 3)) if items)]
        draw.shuffle(more)
        lists.append(more)
    once, again = found(OBJECTS, expected, output), found(OBJECTS, *lists)
    for name in once:
        assert once[name].score == again[name].score
    assert sorted(one.status.word for one in once["schema"].fields) == sorted(
        one.status.word for one in again["schema"].fields
    )


@given(ITEMS, ITEMS)
def test_both_sides_are_treated_alike(expected: list[Any], output: list[Any]) -> None:
    here, there = found(OBJECTS, expected, output)["schema"], found(OBJECTS, output, expected)["schema"]
    assert here.score == there.score


@given(ITEMS, ITEMS)
def test_a_set_is_the_list_without_its_repeats(expected: list[Any], output: list[Any]) -> None:
    once = [list({lookup_key(item): item for item in items}.values()) for items in (expected, output)]
    plain = found({**OBJECTS, "tags": {"align": "any_order"}}, *once)
    for name, score in found(OBJECTS, expected, output).items():
        assert score.score == plain[name].score
        assert score.details.get("f1") == plain[name].details.get("f1")
        arrays = [
            [
                {key: one[key] for key in ("matched", "missing", "extra", "score")}
                for one in each.details.get("arrays", ())
            ]
            for each in (score, plain[name])
        ]
        assert arrays[0] == arrays[1]
