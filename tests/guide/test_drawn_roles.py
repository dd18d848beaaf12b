"""Roles of drawn tables: never wrong without a word, and mostly right without a question."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.guide.drawn_tables import drawn_table, outcome, verdict

_TABLES = 1_000


@pytest.mark.parametrize(("questions", "share"), [(0, 0.80), (1, 0.95)])
def test_roles_of_drawn_tables_are_right_or_asked_for(questions: int, share: float) -> None:
    found = Counter(verdict(table, outcome(table, questions)) for table in map(drawn_table, range(_TABLES)))
    print({what: count / _TABLES for what, count in found.items()})
    assert {*found} <= {"right", "refused", "told"}
    assert found["right"] >= share * _TABLES
