"""What the events of one row come to for each of its fields."""

from __future__ import annotations

from evaluators.fields.events import Event, Items, row_counts, row_statuses, row_values
from evaluators.model import Status

PLACES = {"a": 0, "rows[*].b": 1, "c": 2, "d": 3}
EVENTS = [
    Event("a", Status.MATCH),
    Event("rows[*].b", Status.MATCH),
    Event("rows[*].b", Status.MISMATCH),
    Event("rows[*].b", Status.OMISSION),
    Event("rows[*].b", Status.SKIPPED),
    Event("rows[*].b", Status.MATCH),
    Event("c", Status.HALLUCINATION),
    Event("c", Status.MATCH, items=Items(1, 1, 0, 0)),
    Event("d", Status.MATCH, outside=True),
    Event("d", Status.MATCH, outside=True),
    Event("e", Status.MISMATCH),
]


def test_each_field_has_its_four_counts() -> None:
    assert row_counts(EVENTS, PLACES) == ((1, 0, 0, 0), (2, 1, 1, 0), (0, 0, 0, 1), (0, 0, 0, 0))
    assert row_counts([], {"a": 0}) == ((0, 0, 0, 0),)


def test_a_field_of_several_values_says_how_many_are_right() -> None:
    assert row_values(EVENTS, PLACES) == (1, 2, 4)
    assert row_values(EVENTS[:2], PLACES) == ()
    assert row_values([EVENTS[2], EVENTS[2], EVENTS[0], EVENTS[0]], PLACES) == (0, 2, 2, 1, 0, 2)


def test_a_field_has_one_status() -> None:
    found = [Status(one) for one in row_statuses(EVENTS, PLACES)]
    assert (found[0], found[2]) == (Status.MATCH, Status.HALLUCINATION)
