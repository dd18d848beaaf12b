"""Suggestions of values that say that nothing is there: the line to write, and in words what it comes to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.kit import cli, write_files

SUITE = """
test_set: rows.jsonl
evaluators: [{schema_match: {name: doc, fields: {a: exact, b: {compare: exact, optional: true}}}}]
"""


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("outputs", "suggested"),
    [
        ([[], []], "absent_values: [[]] (empty lists count as missing)"),
        (["", ""], 'absent_values: [""] (empty texts count as missing)'),
        ([None, None], "nulls: absent (nulls count as missing)"),
        ([[], {}, None], "absent_values: [[], {}, null] (empty lists, empty objects and nulls count as missing)"),
    ],
)
def test_an_empty_value_where_the_expected_side_has_nothing_is_told_in_words(outputs: list[Any], suggested: str) -> None:
    rows = [{"id": at, "output": {"a": 1, "b": value}, "expected": {"a": 1}} for at, value in enumerate(outputs)]
    write_files(Path(), {"suite.yaml": SUITE, "rows.jsonl": "\n".join(map(json.dumps, rows))})
    assert suggested in " ".join(cli("run", "suite.yaml").stdout.split())
