"""What the events of one row come to for each of its fields."""

from __future__ import annotations

from evaluators.fields.events import Event, Items, row_counts, row_statuses, row_values
from evaluators.model import FIELD_STATUSES, FieldStatus

PLACES = {"a": 0, "rows[*].b": 1, "c": 2, "d": 3}
EVENTS = [
    Event("a", FieldStatus.MATCH),
    Event("rows[*].b", FieldStatus.MATCH),
    Event("rows[*].b", FieldStatus.MISMATCH),
    Event("rows[*].b", FieldStatus.OMISSION),
    Event("rows[*].b", FieldStatus.SKIPPED),
    Event("rows[*].b", FieldStatus.MATCH),
    Event("c", FieldStatus.HALLUCINATION),
    Event("c", FieldStatus.MATCH, items=Items(1, 1, 0, 0)),
    Event("d", FieldStatus.MATCH, outside=True),
    Event("d", FieldStatus.MATCH, outside=True),
    Event("e", FieldStatus.MISMATCH),
]


def test_each_field_has_its_four_counts() -> None:
    assert row_counts(EVENTS, PLACES) == ((1, 0, 0, 0), (2, 1, 1, 0), (0, 0, 0, 1), (0, 0, 0, 0))
    assert row_counts([], {"a": 0}) == ((0, 0, 0, 0),)


def test_a_field_of_several_values_says_how_many_are_right() -> None:
    assert row_values(EVENTS, PLACES) == (1, 2, 4)
    assert row_values(EVENTS[:2], PLACES) == ()
    assert row_values([EVENTS[2], EVENTS[2], EVENTS[0], EVENTS[0]], PLACES) == (0, 2, 2, 1, 0, 2)


def test_a_field_has_one_status() -> None:
    found = [FIELD_STATUSES[one] for one in row_statuses(EVENTS, PLACES)]
    assert (found[0], found[2]) == (FieldStatus.MATCH, FieldStatus.HALLUCINATION)
