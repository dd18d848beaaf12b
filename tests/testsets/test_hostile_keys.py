"""JSON lines whose keys and values are made to break a reader, and cells that a spreadsheet would run."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluators.api.loading import loads
from evaluators.integrations.compat.given_documents import evaluate
from evaluators.reports.csv_cells import guard_cell
from tests.kit import write_rows

KEYS = ['a"b', "a\\b", "\x00", "x\x1fy", "\udc00", "\ud800", "", "\n", "$", "é"]


@pytest.mark.parametrize("key", KEYS, ids=ascii)
def test_any_key_of_a_json_line_may_be_a_column(key: str, tmp_path: Path) -> None:
    rows = [{"id": str(number), "output": "a", "expected": "a", key: "\ud800"} for number in range(3)]
    path = tmp_path / "rows.jsonl"
    write_rows(path, rows)
    found = loads("evaluators: [exact_match]").run(path, results=tmp_path / "runs" / "one")
    assert (found.exit_code, found.n_rows, found.evaluators[0].mean) == (0, 3, 1.0)


def test_half_characters_from_python_are_values_like_others(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "\ud802": {"type": "string"}}}
    found = evaluate([{"a": "\ud800"}, {"a": "\ud800"}], [{"a": "\ud801"}, {"a": "\ud800"}], schema, ids=["\ud800", "b"])
    assert found.stats.rows == 2
    found.save(tmp_path / "saved")
    assert (tmp_path / "saved").is_dir()


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("a;=1+cmd|' /C calc'!A0", "a;'=1+cmd|' /C calc'!A0"), ("=1;=2", "'=1;'=2"), ("x; @SUM(1)", "x;' @SUM(1)"),
        ('{"a": ";=1"}', '{"a": ";\'=1"}'), ('a;"=1"', "a;'\"=1\""), ("a;\u200b+x", "a;'\u200b+x"),
        ("1;-2;+3.5", "1;-2;+3.5"), ("a;b;c=1", "a;b;c=1"), ("a=1;b", "a=1;b"),
    ],
)  # fmt: skip
def test_no_formula_hides_behind_a_semicolon(cell: str, written: str) -> None:
    assert guard_cell(cell) == written


@pytest.mark.parametrize(
    "character", "\u00ad\u034f\u061c\u115f\u180e\u202e\u2060\u2800\u3164\ufe0f\uffa0\x7f\x85\U000e0041"
)
def test_no_invisible_character_hides_a_formula(character: str) -> None:
    assert guard_cell(f"{character}=1+1") == f"'{character}=1+1"
    assert guard_cell(f" {character} @x").startswith("'")
    assert guard_cell(f"{character}text") == f"{character}text"


def test_a_long_run_of_blanks_is_looked_at_once() -> None:
    blanks = "\x1c\u2028" * 100_000
    assert guard_cell(blanks + "x") == blanks + "x"
