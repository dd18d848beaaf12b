"""The laws of scoring, over random trees and random documents."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from evaluators.model.rows import FieldStatus
from evaluators.model.settings import build
from evaluators.scoring.comparators.fuzzy import Fuzzy
from evaluators.scoring.comparators.numeric import Numeric
from evaluators.scoring.fields.outcomes import MEASURED
from evaluators.scoring.fields.reading import read_align
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.values.transforms import parse_transform
from tests.scoring.fields.alone import score_document
from tests.scoring.fields.figures import counted, figures_by_name
from tests.scoring.fields.trees import Planned, array, choice, leaf, metric, obj, tree

KEYS = ["a", "b", "c", "A"]
SCALARS: st.SearchStrategy[Any] = st.sampled_from([None, True, 0, 1, 1.0, 1.5, "", "a", "A", "ab", "x y"])
DOCUMENTS: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)
OBJECTS: st.SearchStrategy[Any] = st.dictionaries(st.sampled_from(KEYS), DOCUMENTS, min_size=1, max_size=4)
METRICS = [
    metric(),
    metric(build(Numeric, {"tolerance": {"abs": 0.5}}), "numeric", Fraction(1, 3)),
    metric(build(Fuzzy, {"partial": True, "at_least": 0.5}), "fuzzy"),
]
ALIGNMENTS: list[Any] = [
    "ordered",
    "any_order",
    "hungarian",
    {"hungarian": {"at_least": 0.5}},
    {"key_field": {"key": "a"}},
]


@st.composite
def leaves(draw: st.DrawFn) -> Planned:
    metrics = draw(st.lists(st.sampled_from(METRICS), min_size=1, max_size=2))
    transforms = draw(st.sampled_from([(), (), (parse_transform("strip"), parse_transform("lowercase"))]))
    weight = draw(st.sampled_from([Fraction(1), Fraction(1, 10), Fraction(0), Fraction(2)]))
    skip = draw(st.integers(0, 7)) == 0
    return leaf(*metrics, transforms=transforms, weight=weight, skip=skip)


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Planned]) -> Planned:
    keys = draw(st.dictionaries(st.sampled_from(KEYS), inner, max_size=4))
    others = draw(st.none() | st.none() | inner)
    compound = (("a", "b"), metric()) if draw(st.integers(0, 6)) == 0 else None
    return obj(keys, others, compound, skip=draw(st.integers(0, 12)) == 0)


@st.composite
def arrays(draw: st.DrawFn, inner: st.SearchStrategy[Planned]) -> Planned:
    return array(draw(inner), read_align(draw(st.sampled_from(ALIGNMENTS))))


def choices(inner: st.SearchStrategy[Planned]) -> st.SearchStrategy[Planned]:
    return st.lists(inner, min_size=1, max_size=3).map(lambda branches: choice(*branches))


PLAIN: st.SearchStrategy[Planned] = st.recursive(
    leaves(), lambda inner: objects(inner) | objects(inner) | arrays(inner), max_leaves=8
)
TREES = st.recursive(
    leaves(), lambda inner: objects(inner) | objects(inner) | arrays(inner) | choices(inner), max_leaves=8
).map(tree)


@st.composite
def edited(draw: st.DrawFn, document: Any) -> Any:
    """A document like another one: with values changed, left out and put in."""
    if draw(st.integers(0, 5)) == 0:
        return draw(DOCUMENTS)
    if isinstance(document, dict):
        kept = {key: draw(edited(value)) for key, value in document.items() if draw(st.integers(0, 4))}
        return kept | draw(st.just({}) | st.just({}) | OBJECTS)
    if isinstance(document, list):
        kept_items = [draw(edited(value)) for value in document if draw(st.integers(0, 4))]
        return draw(st.permutations(kept_items))
    return document


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    expected = draw(DOCUMENTS | OBJECTS)
    return expected, draw(edited(expected))


def shuffled(value: Any) -> Any:
    """The same document with the keys of its objects in another order."""
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(value)}
    return [shuffled(inner) for inner in value] if isinstance(value, list) else value


@given(TREES, DOCUMENTS | OBJECTS)
def test_a_document_matches_itself(root: FieldNode, document: Any) -> None:
    scored = score_document(root, document, document)
    assert {one.status for one in scored.fields} <= {FieldStatus.MATCH, FieldStatus.SKIPPED}
    assert all(value in (None, 1) for value in figures_by_name(scored).values())
    assert all(each.passed for each in scored.arrays)


@given(TREES, pairs())
def test_every_figure_is_between_0_and_1_or_undefined(root: FieldNode, pair: tuple[Any, Any]) -> None:
    scored = score_document(root, *pair)
    assert all(value is None or 0 <= value <= 1 for value in figures_by_name(scored).values())
    measured = [one for one in scored.fields if one.status in MEASURED]
    assert bool(measured) == bool(counted(scored.fields).measured)
    assert all(one.score is not None and 0 <= one.score <= 1 for one in measured)


@given(TREES, pairs())
def test_the_order_of_keys_never_matters(root: FieldNode, pair: tuple[Any, Any]) -> None:
    expected, output = pair
    one, other = score_document(root, expected, output), score_document(root, shuffled(expected), shuffled(output))
    assert [replace(each, reason=None) for each in one.fields] == [replace(each, reason=None) for each in other.fields]
    assert (one.arrays, one.outside) == (other.arrays, other.outside)


@given(
    st.sampled_from(ALIGNMENTS),
    st.lists(OBJECTS, min_size=1, max_size=4),
    st.lists(OBJECTS, max_size=4),
    st.integers(0, 3),
    DOCUMENTS,
)
def test_a_key_that_an_expected_item_has_is_made_up_in_no_item(
    align: Any, expected: list[Any], output: list[Any], place: int, value: Any
) -> None:
    root = tree(array(obj({"a": leaf(), "b": obj({"c": leaf()})}), read_align(align)))
    expected[place % len(expected)]["not declared"] = value
    for item in output:
        item["not declared"] = value
    paired = {row for row in range(len(expected)) if "not declared" not in expected[row]}
    scored = score_document(root, expected, output)
    assert '[*]["not declared"]' in scored.outside
    made_up = [one.path for one in scored.fields if "not declared" in one.path]
    assert [path for path in made_up if not any(path.startswith(f"[{row}]") for row in paired)] == []


@given(PLAIN, OBJECTS, st.data())
def test_an_invented_key_never_raises_a_score(below: Planned, expected: Any, data: st.DataObject) -> None:
    # a choice may turn to another branch for it, so there is none here
    root = tree(obj({"a": below, "b": leaf(), "c": obj({"a": leaf(), "c": below})}))
    output = data.draw(edited(expected).filter(lambda value: isinstance(value, dict) and value))
    before = score_document(root, expected, output)
    more = {**output, "extra": data.draw(DOCUMENTS)}
    if (
        isinstance(output.get("c"), dict)
        and output["c"]
        and isinstance(expected.get("c"), dict)
        and data.draw(st.booleans())
    ):
        more = {**output, "c": {**output["c"], "extra": 1}}
    after = score_document(root, expected, more)
    for name in ("f1", "mean_score"):
        was, now = figures_by_name(before)[name], figures_by_name(after)[name]
        assert (now is None) is (after.problem is not None)
        assert was is None or now is None or now <= was
    assert (after.problem is None) is (before.problem is None)


@given(PLAIN, st.lists(DOCUMENTS, min_size=1, max_size=3), st.data())
def test_an_item_appended_to_an_ordered_list_never_raises_a_score(
    item: Planned, expected: Any, data: st.DataObject
) -> None:
    root = tree(array(item))
    output = data.draw(st.lists(DOCUMENTS, min_size=len(expected), max_size=4))
    before, after = (score_document(root, expected, each) for each in (output, [*output, data.draw(DOCUMENTS)]))
    was, now = counted(before.fields).as_fraction("f1"), counted(after.fields).as_fraction("f1")
    assert was is None or (now is not None and now <= was)
    mean_was, mean_now = (figures_by_name(each)["mean_score"] for each in (before, after))
    assert mean_was is None or (mean_now is not None and mean_now <= mean_was)


@given(TREES, pairs())
def test_the_items_of_an_array_are_matched_missed_or_spurious(root: FieldNode, pair: tuple[Any, Any]) -> None:
    for each in score_document(root, *pair).arrays:
        assert min(each.matched, each.missing, each.extra) >= 0
        assert each.matched <= each.paired
        if isinstance(each.expected, list) and isinstance(each.actual, list):
            expected, actual = (len(nothing) for nothing in each.unmeasured or ((), ()))
            assert each.matched + each.missing + expected == len(each.expected)
            assert each.matched + each.extra + actual == len(each.actual)
