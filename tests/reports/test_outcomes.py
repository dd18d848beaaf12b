"""What became of every field of a row, as reports list it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from evaluators.model.rows import FieldStatus
from evaluators.reports.outcomes import LISTED, array_items, entries_of, failed_outcomes, full_path, outcomes_of
from evaluators.runs.record_lines import outcome_line
from evaluators.scoring.fields.outcomes import ListOutcome, Scored
from tests.scoring.fields.alone import score_document
from tests.scoring.fields.figures import entries, figures_by_name
from tests.scoring.fields.random_trees import documents, nodes
from tests.scoring.fields.trees import Planned, array, leaf, obj, tree

SKIPPED = leaf(skip=True)


@given(data=st.data())
def test_the_totals_are_those_of_the_entries_that_are_listed(data: st.DataObject) -> None:
    root = data.draw(nodes())
    scored = score_document(root, data.draw(documents(root)), data.draw(documents(root)))
    listed = entries_of(outcomes_of(scored))
    counted = entries(scored)
    assert sorted((one.score, one.passed) for one in listed) == sorted((one.num / one.den, one.passed) for one in counted)
    if listed:
        share = Fraction(sum(one.passed for one in listed), len(listed))
        assert share == figures_by_name(scored)["overall_pass_rate"]


@given(data=st.data())
def test_every_result_is_listed_once_and_every_list_before_its_items(data: st.DataObject) -> None:
    root = data.draw(nodes())
    scored = score_document(root, data.draw(documents(root)), data.draw(documents(root)))
    outcomes = list(outcomes_of(scored))
    said_by_lists = {array.path for array in scored.arrays if array.alike}
    results = [one for one in scored.fields if one.status in LISTED and one.path not in said_by_lists]
    assert [one.outcomes[0] for one in outcomes if one.array is None] == results
    assert sorted(one.path for one in outcomes if one.array is not None) == sorted(one.path for one in scored.arrays)
    places = [one.path for one in outcomes]
    for each in scored.arrays:
        first = next((at for at, one in enumerate(places) if one.startswith(f"{each.path}[")), len(places))
        assert each.path == "$" or places.index(each.path) <= first


@given(data=st.data())
def test_failed_fields_are_wrong_and_there_are_some_where_something_is(data: st.DataObject) -> None:
    root = data.draw(nodes())
    expect_failed_fields(score_document(root, data.draw(documents(root)), data.draw(documents(root))))


@pytest.mark.parametrize(
    ("items", "expected", "output"),
    [
        (SKIPPED, [], [None]), (SKIPPED, [None], []), (obj({"q": SKIPPED}), [], [{"q": 1}]), (leaf(), [], [None]),
        (leaf(), [None], []), (leaf(), None, [None]), (array(SKIPPED), [], [[1]]),
    ],
)  # fmt: skip
def test_failed_fields_of_lists_of_which_one_is_empty(items: Planned, expected: Any, output: Any) -> None:
    expect_failed_fields(score_document(tree(obj({"a": array(items)})), {"a": expected}, {"a": output}))


def expect_failed_fields(scored: Scored) -> None:
    """The failed fields of a row are wrong, and there are some where something is."""
    failed = list(failed_outcomes(scored))
    wrong = [one for one in scored.fields if one.status in LISTED and one.status is not FieldStatus.MATCH]
    assert not any(one.passed for one in failed)
    assert bool(failed) is bool(wrong)


def test_the_items_of_a_list_are_told_apart() -> None:
    array = ListOutcome(
        "items", "items", "hungarian", "mismatch", 1, 1, 2, 2, ((1, 1),), expected=["a", "b"], actual=["x", "b", "c"]
    )
    assert array_items(array) == (["b"], ["a"], ["x", "c"])


def test_items_without_a_field_that_is_looked_at_are_neither_missed_nor_made_up() -> None:
    plan = tree(obj({"items": array(obj({"sku": leaf()}))}))
    expected, output = [{"q": 2}, {"sku": 1}], [{"q": 1}, {"sku": 2}, {"q": 3}]
    (found,) = score_document(plan, {"items": expected}, {"items": output}).arrays
    assert array_items(found) == ([], [{"sku": 1}], [{"sku": 2}])
    assert (found.missing, found.extra) == (1, 1)
    kept = msgspec.json.decode(b'{"row":3,"evaluator":"e",' + outcome_line(found, 1_000)[1:], type=ListOutcome)
    assert kept == replace(found, row=3, evaluator="e")


def test_paths_are_spelled_in_full() -> None:
    assert [full_path(path) for path in ("$", "a.b[0]", '["x.y"].z', "[0].a")] == [
        "$", "$.a.b[0]", '$["x.y"].z', "$[0].a",
    ]  # fmt: skip
