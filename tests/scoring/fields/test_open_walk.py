"""The walk of whole documents says what the naive scorer says: counts, figures by path, results, their order and words."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from evaluators.model.rows import MISSING, FieldStatus, Result
from evaluators.scoring.evaluators.json_diff_match import JsonDiffMatch
from evaluators.scoring.evaluators.json_field_match import JsonFieldMatch
from evaluators.scoring.evaluators.json_field_match_normalized import JsonFieldMatchNormalized
from evaluators.scoring.fields.open_rows import OpenCheck
from evaluators.scoring.fields.open_tree import OpenTree
from evaluators.scoring.fields.row_checks import SURPLUS_ITEMS, SURPLUS_ROWS, SURPLUS_VALUES, Detail
from evaluators.scoring.values.paths import ANY, Path, display, parse
from tests.reference import open_tree as naive
from tests.reference.documents import KEYS, objects, pairs, scalars
from tests.reference.settled import counts_of, settle

DOCUMENTS: list[tuple[str, dict[str, Any], Any, Any]] = [
    ("equal documents", {}, {"a": 1, "b": [1, {"c": "x"}]}, {"b": [1, {"c": "x"}], "a": 1}),
    ("numbers that are equal, and look different", {}, {"a": 1, "b": 2.5}, {"a": 1.0, "b": 2}),
    ("true is not 1", {}, {"a": True, "b": 0}, {"a": 1, "b": False}),
    ("null is not absent", {}, {"a": None, "b": None, "c": 1}, {"a": None, "c": None, "d": None}),
    ("empty containers", {}, {"a": {}, "b": [], "c": {}, "d": []}, {"a": {}, "b": {}, "c": {"x": 1}, "d": [1]}),
    ("containers that become empty", {}, {"a": {"x": 1}, "b": [1, [2]]}, {"a": {}, "b": []}),
    ("an empty document", {}, {}, {"a": 1}),
    ("an empty output", {}, {"a": {"b": [1, 2]}}, {}),
    ("an object in place of a list", {}, {"a": [1, {"b": 2}]}, {"a": {"0": 1, "b": [2, 3]}}),
    ("a list in place of an object", {}, {"a": {"b": 1, "c": {}}}, {"a": [1, {"b": 1}, []]}),
    ("a scalar in place of an object", {}, {"a": {"b": 1, "c": [2]}}, {"a": "b"}),
    ("an object in place of a scalar", {}, {"a": "b", "c": 1}, {"a": {"b": 1, "c": [2]}, "c": [[]]}),
    ("a list as a whole, an object as a whole", {}, [1, 2], {"a": 1}),
    ("scalars as a whole", {}, "x", "y"),
    ("items too many and too few", {}, {"a": [1], "b": [1, 2, 3], "c": [[1]]}, {"a": [1, 2, {"x": 3}], "b": [1], "c": [[1, 2]]}),
    ("keys in another order, with extras on every level", {}, {"a": {"x": 1}, "b": 2}, {"z": 1, "b": 3, "y": [4], "a": {"w": 5, "x": 1}}),
    ("keys with dots", {}, {"a.b": 1, "a": {"b": 2}}, {"a": {"b": 1}, "a.b": 1}),
    ("a list inside a list", {}, [[1, [2]], [3]], [[1, [2, 3]], 3]),
    ("extra keys are penalized", {"penalize_extra": True}, {"a": 1, "b": [1]}, {"a": 1, "b": [1, {"c": 2}], "c": {"d": 1, "e": []}}),
    ("extra items are penalized", {"penalize_items": True}, {"a": 1, "b": [1]}, {"a": 1, "b": [1, {"c": 2}], "c": {"d": [1]}}),
    ("both are penalized", {"penalize_extra": True, "penalize_items": True}, {"b": {"x": 1}}, {"b": [1, {"c": 2}], "c": 1}),
    ("types alone", {"types_only": True}, {"a": 1, "b": "x", "c": None, "d": []}, {"a": 2.5, "b": "y", "c": 0, "d": [1]}),
    ("a key left out", {"skip": ("a",)}, {"a": 1, "b": 2}, {"a": 3, "b": 2}),
    ("a key left out that only the output has", {"skip": ("c",)}, {"a": {"c": 1}}, {"a": {"c": 2}, "c": {"d": 1}}),
    ("all keys left out", {"skip": ("a", "b")}, {"a": 1, "b": 2}, {"a": 1, "c": 3}),
    ("a key inside items left out", {"skip": ("a[*].b",)}, {"a": [{"b": 1, "c": 2}]}, {"a": [{"b": 2, "c": 3}, {"b": 1}]}),
    ("all items left out", {"skip": ("a[*]",)}, {"a": [1, 2], "b": 1}, {"a": [1, 3, 4], "b": 2}),
    ("items left out where there is no list", {"skip": ("a[*]",)}, {"a": {"b": 1}}, {"a": [1]}),
    ("empty where all is left out", {"skip": ("a.b", "c[*]")}, {"a": {}, "c": [], "d": {}}, {"a": {"b": 1}, "c": [1], "d": {"b": 1}}),
    ("all left out in place of another kind", {"skip": ("a[*]", "b.c")}, {"a": {"x": 1}, "b": {"c": 1}}, {"a": [1], "b": [1]}),
    ("the top level alone", {"depth": 1}, {"a": {"b": 1}, "c": 2, "d": [1]}, {"a": {"b": 1}, "c": 3, "d": [1, 2], "e": {"f": 1}}),
    ("the top level, keys missing and made up", {"depth": 1}, {"a": 1, "b": 2, "c": 3}, {"a": 1, "x": 2}),
    ("the top level of no object", {"depth": 1}, {"a": 1, "b": None}, [1]),
    ("the top level, nothing expected", {"depth": 1}, {}, {"a": 1, "b": ""}),
    ("the top level, nothing expected, extra keys are penalized", {"depth": 1, "penalize_extra": True}, {}, {"a": 1, "b": {}}),
    ("the top level, a key left out", {"depth": 1, "skip": ("a",)}, {"a": 1, "b": 2}, {"a": 2, "b": 2, "c": 1}),
    ("an output that cannot be read", {}, {"a": 1, "b": {"c": [1, []]}}, MISSING),
    ("an output that cannot be read, a key left out", {"skip": ("b.c",)}, {"a": 1, "b": {"c": [1], "d": 2}}, MISSING),
    ("an output that cannot be read, top level", {"depth": 1}, {"a": 1, "b": {"c": [1]}}, MISSING),
]  # fmt: skip


def tree_of(settings: dict[str, Any]) -> OpenTree:
    """The tree that `json_diff_match` makes of its settings, or the top level that the field matches look at."""
    from evaluators.scoring.values.equality import json_equal, same_json_type

    rest = {name: value for name, value in settings.items() if name != "types_only"}
    skip = tuple(parse(path) for path in settings.get("skip", ()))
    return OpenTree(same_json_type if settings.get("types_only") else json_equal, **{**rest, "skip": skip})


@pytest.mark.parametrize(
    ("settings", "expected", "output"), [row[1:] for row in DOCUMENTS], ids=[row[0] for row in DOCUMENTS]
)
def test_the_walk_says_what_the_naive_scorer_says(settings: dict[str, Any], expected: Any, output: Any) -> None:
    agrees(tree_of(settings), [(expected, output), (expected, output)])
    if isinstance(expected, dict | list) and isinstance(output, dict | list) and "depth" not in settings:
        agrees(tree_of(settings), [(output, expected), (expected, output)])
        agrees(tree_of(settings), [(expected, expected), (expected, copy.deepcopy(expected))])


TREES = st.builds(
    lambda skip, types, extra, items: tree_of(
        {"skip": skip, "types_only": types, "penalize_extra": extra, "penalize_items": items}
    ),
    st.sampled_from([[], ["a"], ["b.c", "c"], ["a[*]"], ["b[*].a", "A"]]),
    *[st.booleans()] * 3,
)


@given(st.lists(pairs(), min_size=1, max_size=3), TREES)
def test_drawn_documents_are_walked_as_the_naive_scorer_lists_them(rows: list[tuple[Any, Any]], tree: OpenTree) -> None:
    agrees(tree, [*rows, *rows])


@pytest.mark.parametrize("kind", [JsonFieldMatch, JsonFieldMatchNormalized])
@given(rows=st.lists(pairs(), min_size=1, max_size=3), extra=st.sampled_from(["ignore", "penalize"]))
def test_top_level_fields_are_walked_as_the_naive_scorer_lists_them(
    kind: type[JsonFieldMatch | JsonFieldMatchNormalized], rows: list[tuple[Any, Any]], extra: str
) -> None:
    evaluator = kind.model_validate({"extra_fields": extra})
    agrees(evaluator.tree, [*rows, *rows])
    check: Any = evaluator.compile()
    for expected, output in rows:
        assert scored(check(expected, output)) == scored(settle(evaluator, evaluator.explain(expected, output)))


def scored(result: Result) -> tuple[object, ...]:
    return result.status, result.passed, result.num, result.den


def agrees(tree: OpenTree, rows: Sequence[tuple[Any, Any]]) -> None:
    """Verdicts, results, evidence, counts by path and surplus of some rows are those of the naive scorer, for one and for many."""
    check, tally = OpenCheck(tree, 0.5), dict[str, Counter[FieldStatus]]()
    before = copy.deepcopy(rows)
    scores = [naive.explain_open(tree, *row) for row in rows]
    for (expected, output), score in zip(rows, scores, strict=True):
        verdict = check(expected, output)
        nothing = not score.den and tree.depth is not None
        assert (verdict.num, verdict.den) == ((1, 1) if nothing else (score.num, score.den))
        assert nothing or verdict.counts == (counts_of(score.fields) or (0, 0, 0, 0))
        assert nothing or replace(explained(tree, expected, output), details={}) == score
        for result in () if nothing else score.fields:
            tally.setdefault(general(result.path), Counter())[result.status] += 1
        if not nothing:
            watches_every_path(tree, expected, output)
    together(tree, rows, scores)
    assert rows == before
    many = [row for row in rows for _ in range(5)]  # enough of a kind to be compared column by column
    together(tree, many, [score for score in scores for _ in range(5)])
    assert check.counts() == {path: tuple(found[kind] for kind in KINDS) for path, found in tally.items()}
    assert check.details() == surplus_details(tree, rows)
    chunk = OpenCheck(tree, 0.5)
    chunk.verdicts(*zip(*many, strict=True))
    five = {path: tuple(5 * found[kind] for kind in KINDS) for path, found in tally.items()}
    assert chunk.counts() == five
    assert chunk.details() == surplus_details(tree, many)


KINDS = (FieldStatus.MATCH, FieldStatus.MISMATCH, FieldStatus.OMISSION, FieldStatus.HALLUCINATION)


def together(tree: OpenTree, rows: Sequence[tuple[Any, Any]], scores: Sequence[Any]) -> None:
    """What is said of rows that are scored together."""
    found = OpenCheck(tree, 0.5).begin(*zip(*rows, strict=True))
    for at, score in enumerate(scores):
        if not score.den and tree.depth is not None:
            assert found.reason(at).details == {"empty_expected": True}
            continue
        right, wrong, lost, extra, surplus = found.patterns[at].counts
        assert (right, wrong, lost, extra + surplus) == (counts_of(score.fields) or (0, 0, 0, 0))
        assert (found.reason(at).text, found.reason(at).fields) == (score.reason, score.fields)
        assert found.wrong_outcomes(at, {""}, ()) == [
            result for result in score.fields if result.status is not FieldStatus.MATCH
        ]
        assert found.wrong_outcomes(at, {"a"}, ()) == []
    found.release()


def explained(tree: OpenTree, expected: Any, output: Any) -> Any:
    """The score of one row alone."""
    (found,) = OpenCheck(tree, 0.5).score([expected], [output])
    assert found.rows is not None
    score = replace(found.verdict, passed=None).with_reason(found.rows.reason(found.at))
    found.rows.release()
    return score


def watches_every_path(tree: OpenTree, expected: Any, output: Any) -> None:
    """A check that watches paths says what became of each in this row."""
    score = naive.explain_open(tree, expected, output)
    paths = sorted({general(result.path) for result in score.fields} | {"no.such"})
    verdict = OpenCheck(tree, 0.5).watch_fields(paths)(expected, output)
    for path, counts in zip(paths, verdict.watched, strict=True):
        here = [result.status for result in score.fields if general(result.path) == path]
        assert counts == tuple(map(here.count, KINDS))


def surplus_details(tree: OpenTree, rows: Sequence[tuple[Any, Any]]) -> dict[Detail, int]:
    """The items that only the output has, found leaf by leaf."""
    found: Counter[Detail] = Counter()
    for expected, output in rows if tree.depth is None else ():
        places = [
            place
            for place, ours, _ in naive.gather(tree, expected, output)
            if ours is MISSING and naive.in_surplus_item(expected, place)
        ]
        found.update((general(display(place)), SURPLUS_VALUES, 1) for place in places)
        found["", SURPLUS_ITEMS, 1] += len({first_of(expected, place) for place in places})
        found["", SURPLUS_ROWS, 1] += bool(places)
    return {key: count for key, count in found.items() if count}


def first_of(document: Any, place: naive.Location) -> naive.Location:
    """The outermost place on the way to a leaf that a document lacks."""
    for depth, step in enumerate(place, 1):
        inside = isinstance(document, dict) and step in document
        if not inside and not (isinstance(document, list) and isinstance(step, int) and step < len(document)):
            return place[:depth]
        document = document[step]
    return place


def general(path: str) -> str:
    """The path with `[*]` for every index."""
    return Path(tuple(ANY if isinstance(step, int) else step for step in parse(path).steps)).canonical


@given(objects, st.lists(scalars, min_size=1, max_size=3), st.sampled_from(KEYS))
def test_an_item_too_many_that_is_penalized_costs_something(expected: Any, items: list[Any], key: str) -> None:
    ours = {**expected, key: items}
    evaluator = JsonDiffMatch.model_validate({"extra_items": "penalize"})
    check: Any = evaluator.compile()
    assert check(ours, copy.deepcopy(ours)).score == 1.0
    assert check(ours, {**ours, key: [*items, "one more"]}).score < 1.0
