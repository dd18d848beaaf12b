"""Schemas are scored as a second scorer has it, which goes through one row at a time by plain recursion."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import assume, example, given
from hypothesis import strategies as st

from evaluators.scoring.fields.post_process import null_processors
from evaluators.scoring.fields.tree import FieldNode
from tests.laws.schemas import Drawn, Wishes, drawn
from tests.reference.schemas import NONE_ABSENT, Absent, compare, lines, settled
from tests.scoring.fields.alone import score_document
from tests.scoring.fields.random_trees import alike_items, pairs
from tests.scoring.fields.test_score_laws import DOCUMENTS, TREES
from tests.scoring.fields.trees import array, choice, leaf, obj, tree

PARTS = obj({"id": leaf(), "name": leaf(), "tags": array(leaf(), "any_order")})
ROOT = obj(
    {"a": leaf(required=True), "b": obj({"c": leaf(required=True)}, required=True), "l": array(PARTS, "hungarian")}
)
ITEMS = [{"id": 1, "name": "x", "tags": ["r", "g"]}, {"id": 2, "name": "y", "tags": []}, {"id": 3}]


def agrees(root: FieldNode, expected: Any, output: Any, absent: Absent = NONE_ABSENT) -> None:
    """Results in their order, with their values; lists with their counts of items; places outside of the schema."""
    processors = null_processors(absent_values=absent.values)
    processors = [partial(one, both_absent="skip" if absent.skip else "match") for one in processors]
    engine, second = score_document(root, expected, output, processors), compare(root, expected, output, absent)
    results = [(one.path, one.place, one.details.get("metric"), one.status) for one in engine.fields]
    statuses = [settled(one, absent) for one in second.results]
    assert results == [(*one[:3], status) for one, status in zip(lines(second), statuses, strict=True)]
    values = [(one.expected, one.actual) for one in engine.fields]
    assert values == [one[4:] for one in lines(second)]
    if not absent.values:  # items are counted from what results are in the end
        assert [(one.path, one.matched, one.missing, one.extra, one.paired) for one in engine.arrays] == second.lists
    assert {*engine.outside} == {*second.outside}


@example(
    (tree(ROOT), {"a": None, "l": ITEMS}, {"b": {}, "l": [ITEMS[1], {"id": 1, "name": "x", "tags": ["g", "r", "b"]}]})
)
@example((tree(ROOT), {"l": ITEMS}, {"b": None, "l": {"id": 1}, "more": [{"x": [1, {}]}]}))
@example((tree(obj({"l": array(choice(leaf(), PARTS), "any_order")})), {"l": [1, *ITEMS]}, {"l": [*ITEMS[::-1], "1", 1]}))
@example(
    (tree(array(obj({"a": leaf(), "b": leaf()}), "hungarian")), [{"a": 1, "b": 2}], [{"a": 8, "b": 2}, {"a": 1, "b": 9}])
)
@given(st.one_of(pairs(), alike_items()))
def test_documents_that_fit_their_tree(drawn: tuple[FieldNode, Any, Any]) -> None:
    root, expected, output = drawn
    agrees(root, expected, output)
    agrees(root, output, expected)


@given(TREES, DOCUMENTS, DOCUMENTS)
def test_documents_of_any_shape(root: FieldNode, expected: Any, output: Any) -> None:
    agrees(root, expected, output)
    agrees(root, expected, expected)


ABSENT = st.builds(Absent, st.sampled_from([(None,), (None, "", 0), ("", "N/A", 1), ([], {})]), st.booleans())


@given(TREES, DOCUMENTS, DOCUMENTS, ABSENT)
def test_documents_in_which_some_values_count_as_absent(root: FieldNode, e: Any, o: Any, absent: Absent) -> None:
    agrees(root, e, o, absent)
    agrees(root, e, e, absent)


@given(st.one_of(pairs(), alike_items()), ABSENT)
def test_documents_that_fit_in_which_some_values_count_as_absent(
    drawn: tuple[FieldNode, Any, Any], absent: Absent
) -> None:
    root, expected, output = drawn
    agrees(root, expected, output, absent)


@given(drawn(Wishes(changing=False, two_sided=False)))
def test_schemas_of_both_dialects(each: Drawn) -> None:
    settings: Any = each.one
    assume(settings.fields is None)
    agrees(settings.scoring().root, each.expected, each.output)
