"""`when`: conditions as they are written, and when they hold."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.model.issues import Blame, CellError, Issue
from evaluators.model.rows import MISSING
from evaluators.model.settings import BadSettings
from evaluators.scoring.needs import columns_of, read_conditions


def holds(reference: str, wanted: Any, value: Any) -> bool:
    (condition,) = read_conditions({reference: wanted})
    return condition.holds(value)


@pytest.mark.parametrize(
    ("wanted", "cell", "held"),
    [
        ("a", "a", True),
        ("a", "A", False),
        (["a", "b"], "b", True),
        (7, "7", True),
        (7, 7, True),
        (True, "true", True),
        (True, "TRUE", True),
        ([False, 2], "2.0", True),
        (True, "1", False),
        ("true", "TRUE", False),
        (True, 1, False),
        (None, "", True),
        ("", "", True),
        ("a", MISSING, False),
        ({"present": True}, "x", True),
        ({"present": True}, "", False),
        ({"present": True}, MISSING, False),
        ({"present": False}, "", True),
        ({"present": False}, MISSING, True),
    ],
)
def test_a_condition_on_a_cell(wanted: Any, cell: Any, held: bool) -> None:
    assert holds("row.kind", wanted, cell) is held


@pytest.mark.parametrize(
    ("reference", "wanted", "document", "held"),
    [
        ("output.a", 1, {"a": 1.0}, True),
        ("output.a", 1, {"a": True}, False),
        ("output.a", "1", {"a": 1}, False),
        ("output.a", True, {"a": "TRUE"}, False),
        ("output.a", 2, {"a": "2"}, False),
        ("output.a.b", None, {"a": {"b": None}}, True),
        ("output.a.b", None, {"a": {}}, False),
        ("output.a", {"present": True}, {"a": None}, True),
        ("output.a", {"present": True}, {}, False),
        ("output.a", {"present": True}, MISSING, False),
        ("output.a", {"present": False}, MISSING, True),
        ("expected.l[*].k", ["x"], {"l": [{"k": "y"}, {"k": "x"}]}, True),
        ("expected.l[*].k", ["x"], {"l": [{"k": "y"}]}, False),
        ("expected.l[*].k", {"present": True}, {"l": []}, False),
        ("expected.$..k", "x", {"l": [{"k": "x"}]}, True),
    ],
)
def test_a_condition_on_a_document(reference: str, wanted: Any, document: Any, held: bool) -> None:
    assert holds(reference, wanted, document) is held


def test_a_document_that_could_not_be_read_is_absent() -> None:
    fault = CellError(Issue("unreadable-output", Blame.OUTPUT, "prose"))
    assert not holds("output.a", {"present": True}, fault)
    assert holds("output.a", {"present": False}, fault)


def test_the_columns_of_conditions_are_named_once() -> None:
    found = read_conditions({"row.a": 1, "output.x": 1, "row.b c": 2})
    assert columns_of([*found, *found]) == ("a", "b c")


@pytest.mark.parametrize(
    ("data", "loc", "message"),
    [
        ("row.a", (), 'when must be a map from a reference to a value; found the text "row.a"'),
        ({}, (), "when must be a map from a reference to a value; found a map"),
        ({"kind": 1}, ("kind",), '"kind" is not a reference'),
        ({"row.": 1}, ("row.",), '"row." is not a reference'),
        ({"output.a[": 1}, ("output.a[",), 'malformed path "a[": "[" without a "]" after it at character 2'),
        ({"row.a": {"equals": 1}}, ("row.a",), "a condition is a value, a list of values, or {present: true}"),
        ({"row.a": {"present": "yes"}}, ("row.a",), "a condition is a value, a list of values, or {present: true}"),
        ({"row.a": []}, ("row.a",), "a condition with no value never holds"),
        (
            {"row.a": ["x", {"b": 1}]},
            ("row.a", 1),
            "the values of a condition are texts, numbers, true, false or null; found a map",
        ),
        (
            {"output.a": [[1]]},
            ("output.a", 0),
            "the values of a condition are texts, numbers, true, false or null; found a list",
        ),
    ],
)
def test_a_mistake_in_a_condition_has_its_place(data: Any, loc: tuple[str | int, ...], message: str) -> None:
    with pytest.raises(BadSettings) as caught:
        read_conditions(data)
    (found,) = caught.value.details
    assert (found.loc, found.message) == (loc, message)


def test_every_mistake_is_told_at_once() -> None:
    with pytest.raises(BadSettings) as caught:
        read_conditions({"kind": 1, "row.a": [], "row.b": 1})
    assert [detail.loc for detail in caught.value.details] == [("kind",), ("row.a",)]
