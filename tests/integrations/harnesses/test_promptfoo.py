"""The Python assertion of promptfoo, called as promptfoo calls it. With promptfoo itself: `python -m tests.tools.promptfoo_table`."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluators.integrations.harnesses.promptfoo import get_assert
from evaluators.model.issues import Problems
from tests.hosts.table import SUITE, figures, register
from tests.hosts.table.rows import inputs_of, table_rows


def test_every_row_is_ours(tmp_path: Path) -> None:
    register()
    ours = figures(tmp_path)
    for row in table_rows():
        variables = {**inputs_of(row), "expected": row["expected"]}
        answer = get_assert(row["output"], {"vars": variables, "config": {"suite": str(SUITE)}})
        mine = ours.rows[row["id"]]
        named = answer["namedScores"]
        assert {name: named.get(name) for name in mine} == {name: one.score for name, one in mine.items()}
        assert answer["reason"].startswith("error: ") == mine["overall"].error
        assert answer["pass"] == (mine["overall"].passed is True)
        parts = dict(zip(ours.evaluators, answer["componentResults"], strict=True))
        assert {name: part["pass"] for name, part in parts.items()} == {
            name: not one.error and one.passed is not False for name, one in mine.items()
        }


def test_an_assertion_without_a_suite_says_what_to_write() -> None:
    with pytest.raises(Problems, match=r"config: \{suite: suite.yaml\}"):
        get_assert("", {"vars": {}, "config": {}})
