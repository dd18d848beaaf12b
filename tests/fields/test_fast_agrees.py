"""Every fast scorer gives what its slow reference gives, on documents that differ in every way documents differ."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.builtin._evaluator import Evaluator, counts_of
from evaluators.builtin.json_diff_match import JsonDiffMatch
from evaluators.builtin.json_field_match import JsonFieldMatch
from evaluators.builtin.json_field_match_normalized import JsonFieldMatchNormalized
from evaluators.builtin.json_multi_field_match import JsonMultiFieldMatch
from evaluators.fields.open_tree import Location, OpenTree, gather, in_surplus_item
from evaluators.fields.path_details import SURPLUS_ITEMS, SURPLUS_ROWS, SURPLUS_VALUES, Detail
from evaluators.fields.walk import OpenCheck, PathTally
from evaluators.model import MISSING, Status, Verdict
from evaluators.values.paths import ANY, Path, display

KEYS = ("a", "b", "c", "A", "a.b", "b.c", "é")
scalars = st.sampled_from(["x", "X", "é", "e", "e\u0301", "ß", "ss", "", 0, 1, 1.0, 2.5, True, False, None, 10**30])
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=10,
)
objects = st.dictionaries(st.sampled_from(KEYS), documents, max_size=5)
FIELDS = ["a", "b", "c", "a.b", "a.b.c", "$.b.c", "/a/0", "b.a", "b[0].a", "c.a", "c.b", "b[-1]", "a[*].b", "$.c[*]", "é"]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """An expected object and an output: the same, edited in a few places, or another object."""
    expected = draw(objects)
    if draw(st.integers(0, 4)) == 0:
        return expected, draw(objects)
    output: dict[str, Any] = copy.deepcopy(expected)
    for _ in range(draw(st.integers(0, 3))):
        edit(draw, output)
    if draw(st.booleans()):
        output = dict(reversed(output.items()))
    return expected, expected if draw(st.integers(0, 5)) == 0 else output


def edit(draw: st.DrawFn, node: Any) -> None:
    """Changes, removes or adds one value somewhere in a document."""
    while True:
        places = list(node) if isinstance(node, dict) else list(range(len(node)))
        place = draw(st.sampled_from(places)) if places else None
        if place is None or not isinstance(node[place], (dict, list)) or draw(st.booleans()):
            break
        node = node[place]
    how = draw(st.sampled_from(["change", "remove", "add", "type"]))
    if how == "add" or place is None:
        if isinstance(node, dict):
            node[draw(st.sampled_from(KEYS))] = draw(documents)
        else:
            node.append(draw(documents))
    elif how == "remove":
        del node[place]
    elif how == "type":
        value = node[place]
        node[place] = {1: True, 0: False, "": None}.get(value, 1) if isinstance(value, (int, str)) else [value]
    else:
        node[place] = draw(documents)


def agree(evaluator: Evaluator, check: Any, expected: Any, output: Any) -> Verdict:
    verdict: Verdict = check(expected, output)
    assert verdict == evaluator.settle(evaluator.explain(expected, output))
    return verdict


@given(
    pairs(),
    st.lists(st.sampled_from(FIELDS), min_size=1, max_size=8, unique=True),
    st.sampled_from(["exact", "normalized", {"numeric": {"tolerance": {"abs": 1}}}, {"fuzzy": {"threshold": 0.5}}]),
    st.sampled_from(["not_measured", "match"]),
)
@settings(max_examples=300, deadline=None)
def test_listed_fields_are_scored_as_they_are_explained(
    pair: tuple[Any, Any], fields: list[str], comparator: Any, both_missing: str
) -> None:
    written = {name: comparator if number % 2 else "exact" for number, name in enumerate(fields)}
    try:
        evaluator = JsonMultiFieldMatch.model_validate({"fields": written, "both_missing": both_missing})
    except ValueError:  # the same place twice, or below another one
        return
    check = evaluator.compile()
    for _ in range(2):
        agree(evaluator, check, *pair)
    agree(evaluator, check, pair[1], pair[0])


@given(st.lists(pairs(), min_size=1, max_size=3), st.sampled_from([[], ["a"], ["b.c", "c"], ["a[*]"], ["b[*].a", "A"]]),
       st.booleans(), st.booleans(), st.sampled_from(["ignore", "penalize"]),
       st.sampled_from([None, "ignore", "penalize"]))  # fmt: skip
@settings(max_examples=300, deadline=None)
def test_whole_documents_are_scored_and_tallied_as_they_are_explained(
    rows: list[tuple[Any, Any]], skip: list[str], types_only: bool, fold: bool, extra: str, items: str | None
) -> None:
    evaluator = JsonDiffMatch.model_validate(
        {"skip": skip, "compare_schema_only": types_only, "case_insensitive_keys": fold, "extra_fields": extra,
         "extra_items": items}
    )  # fmt: skip
    compare_with_tally(evaluator, [*rows, *rows])
    check = evaluator.compile()
    assert isinstance(check, OpenCheck)
    counted: PathTally = check.counted()
    for row in rows:
        check(*row)
    assert counted.details() == surplus_details(evaluator.tree, rows)


def surplus_details(tree: OpenTree, rows: list[tuple[Any, Any]]) -> dict[Detail, int]:
    """The items that only the output has, found leaf by leaf."""
    found: Counter[Detail] = Counter()
    for expected, output in rows:
        places = [
            place
            for place, ours, _ in gather(tree, expected, output)
            if ours is MISSING and in_surplus_item(expected, place)
        ]
        found.update((general(display(place)), SURPLUS_VALUES, 1) for place in places)
        found["", SURPLUS_ITEMS, 1] += len({first_of(expected, place) for place in places})
        found["", SURPLUS_ROWS, 1] += bool(places)
    return {key: count for key, count in found.items() if count}


def first_of(document: Any, place: Location) -> Location:
    """The outermost place on the way to a leaf that a document lacks."""
    for depth, step in enumerate(place, 1):
        inside = isinstance(document, dict) and step in document
        if not inside and not (isinstance(document, list) and isinstance(step, int) and step < len(document)):
            return place[:depth]
        document = document[step]
    return place


LIST = {"tags": ["red", "blue"]}


@pytest.mark.parametrize(
    ("settings", "expected", "output", "ratio"),
    [
        ({}, LIST, {"tags": ["red", "blue", "green", ["a", "b"]]}, (2, 2)),
        ({"extra_items": "penalize"}, LIST, {"tags": ["red", "blue", "green", ["a", "b"]]}, (2, 5)),
        ({"extra_items": "penalize"}, LIST, {"tags": ["red", "blue"], "note": ["a"]}, (2, 2)),
        ({"extra_items": "penalize"}, [{"a": 1}], [{"a": 1, "b": 2}], (1, 1)),
        ({"extra_items": "penalize"}, [{"a": 1}], [{"a": 1}, {"a": 1, "b": 2}], (1, 3)),
        ({"extra_items": "penalize"}, {"a": []}, {"a": [1]}, (0, 2)),
        ({"extra_items": "penalize"}, {"a": "x"}, {"a": [1]}, (0, 2)),
        ({"extra_fields": "penalize"}, LIST, {"tags": ["red", "blue", "green"], "note": "a"}, (2, 4)),
        ({"extra_fields": "penalize", "extra_items": "ignore"}, LIST, {"tags": ["red", "blue", "green"], "note": "a"}, (2, 3)),
    ],
)  # fmt: skip
def test_items_too_many_count_apart_from_keys(
    settings: dict[str, Any], expected: Any, output: Any, ratio: tuple[int, int]
) -> None:
    evaluator = JsonDiffMatch.model_validate(settings)
    check: Any = evaluator.compile()
    verdict = check(expected, output)
    assert (verdict.num, verdict.den) == ratio
    assert evaluator.settle(evaluator.explain(expected, output))[:4] == verdict[:4]


@given(objects, st.lists(scalars, min_size=1, max_size=3), st.sampled_from(KEYS))
@settings(max_examples=100, deadline=None)
def test_an_item_too_many_that_is_penalized_costs_something(expected: Any, items: list[Any], key: str) -> None:
    ours = {**expected, key: items}
    evaluator = JsonDiffMatch.model_validate({"extra_items": "penalize"})
    check: Any = evaluator.compile()
    assert check(ours, copy.deepcopy(ours)).value == 1.0
    assert check(ours, {**ours, key: [*items, "one more"]}).value < 1.0


@pytest.mark.parametrize("kind", [JsonFieldMatch, JsonFieldMatchNormalized])
@given(rows=st.lists(pairs(), min_size=1, max_size=3), extra=st.sampled_from(["ignore", "penalize"]))
@settings(max_examples=200, deadline=None)
def test_top_level_fields_are_scored_and_tallied_as_they_are_explained(
    kind: type[Evaluator], rows: list[tuple[Any, Any]], extra: str
) -> None:
    compare_with_tally(kind.model_validate({"extra_fields": extra}), [*rows, *rows])


def compare_with_tally(evaluator: Evaluator, rows: list[tuple[Any, Any]]) -> None:
    check: Any = evaluator.compile()
    tally: dict[str, Counter[Status]] = {}
    for expected, output in rows:
        score = evaluator.explain(expected, output)
        verdict, settled = check(expected, output), evaluator.settle(score)
        assert verdict[:4] == settled[:4]
        assert (verdict.counts or (0, 0, 0, 0)) == (counts_of(score) or (0, 0, 0, 0))
        for result in score.fields:
            tally.setdefault(general(result.path), Counter())[result.status] += 1
    kinds = (Status.MATCH, Status.MISMATCH, Status.OMISSION, Status.HALLUCINATION)
    wanted = {path: tuple(found[kind] for kind in kinds) for path, found in tally.items()}
    counted: PathTally = check.counted()
    assert counted.counts() == wanted


def general(path: str) -> str:
    """The path with `[*]` for every index."""
    from evaluators.values.paths import parse

    return Path(tuple(ANY if isinstance(step, int) else step for step in parse(path).steps)).canonical


@pytest.mark.parametrize("document", [{}, [], {"a": 1}, [1, {"a": []}], "x", None, 0])
def test_an_output_that_cannot_be_read_loses_every_leaf(document: Any) -> None:
    evaluator = JsonDiffMatch()
    check: Any = evaluator.compile()
    verdict = check(document, MISSING)
    assert verdict.counts == (0, 0, verdict.den, 0)
    assert verdict.den == len(evaluator.explain(document, MISSING).fields)
