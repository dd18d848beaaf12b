"""What a suite means, as checksums: the same for the same meaning, and different in the place that differs."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluators.api.loading import load, loads
from evaluators.runs.settings_fingerprint import meaning_of

PLAIN = """
comparators: {money: {numeric: {tolerance: {abs: 0.01}}}, unused: {numeric: {}}}
evaluators:
  - exact_match
  - json_multi_field_match: {name: header, fields: {total: money, town: exact}, pass_at: 0.5}
"""


def differing(one: str, other: str) -> set[tuple[str, str]]:
    """The (evaluator, setting) pairs in which two suites differ."""
    first, second = meaning_of(loads(one)), meaning_of(loads(other))
    return {
        (name, key)
        for name in {*first, *second}
        for key in {*first.get(name, {}), *second.get(name, {})}
        if first.get(name, {}).get(key) != second.get(name, {}).get(key)
    }


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("exact_match", "{type: exact_match}", set()),
        ("pass_at: 0.5", "pass_at: 0.75", {("header", "pass_at")}),
        ("town: exact", "town: normalized", {("header", "fields → town")}),
        ("abs: 0.01", "abs: 0.02", {("header", "comparators → money")}),
        ("unused: {numeric: {}}", "unused: exact", set()),
        ("evaluators:", "# a note\ngates: {header: {fail_below: 0.1}}\nresults: {folder: out}\nevaluators:", set()),
        ("evaluators:", "test_set: {file: other.csv, unreadable_output: skip}\nevaluators:", {("", "unreadable_output")}),
        ("exact_match", "exact_match: {needs: [header]}", {("exact_match", "needs")}),
    ],
)
def test_the_setting_that_differs_is_named(before: str, after: str, found: set[tuple[str, str]]) -> None:
    assert before in PLAIN
    assert differing(PLAIN, PLAIN.replace(before, after, 1)) == found


def test_a_schema_in_a_file_means_what_the_file_says(tmp_path: Path) -> None:
    suite = tmp_path / "suite.yaml"
    suite.write_text("evaluators: [json_schema_valid: {schema: s.json}]", encoding="utf-8")
    found = []
    for text in ('{"type": "object"}', '{"type": "array"}'):
        (tmp_path / "s.json").write_text(text, encoding="utf-8")
        found.append(meaning_of(load(suite))["json_schema_valid"])
    assert found[0]["type"] == found[1]["type"]
    assert found[0]["schema"] != found[1]["schema"]


def test_no_value_can_be_read_from_the_checksums() -> None:
    suite = load({"evaluators": [{"contains": {"substring": "${WORD}"}}]}, environment={"WORD": "sesame"})
    assert "sesame" not in repr(meaning_of(suite))
