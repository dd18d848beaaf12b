"""Corrections of expected answers: what a line does to a cell, which lines count, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluators.model.issues import Problems
from evaluators.model.rows import MISSING
from evaluators.testsets.corrections import Correction, Void, append_correction, corrected_cell, read_corrections
from tests.kit import read_yaml

CASES = read_yaml(Path(__file__).parent / "corrections.yaml")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["it"])
def test_a_correction(case: dict[str, Any]) -> None:
    cell: Any = case["cell"]
    before = repr(cell)
    for one in read_corrections("\n".join(case["lines"]).encode(), "corrections.jsonl"):
        cell = corrected_cell(cell, one)
    assert cell == (Void(case["void"]) if "void" in case else case["then"])
    assert repr(case["cell"]) == before


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[]", "a correction is an object"),
        ('{"id": "1", "new": 2, "reason": ""}', 'needs "reason"'),
        ('{"id": 1, "new": 2, "reason": "r"}', 'needs "id"'),
        ('{"id": "1", "path": "a", "reason": "r"}', 'needs "new"'),
        ('{"id": "1", "old": "a", "reason": "r"}', "of a whole cell"),
        ('{"id": "1", "path": "a[*]", "new": 2, "reason": "r"}', "one value"),
        ('{"id": "1", "path": "$", "new": 2, "reason": "r"}', "one value"),
        ('{"id": "1", "path": "a[", "new": 2, "reason": "r"}', "is no path"),
        ('{"id": "1", "new": 2, "reason": "r", "note": ""}', 'has no "note"'),
    ],
)
def test_a_line_that_is_no_correction_is_refused_with_its_place(line: str, message: str) -> None:
    good = '{"id": "1", "new": 2, "reason": "r"}'
    with pytest.raises(Problems, match=message) as refused:
        read_corrections(f"{good}\n\n{line}\n".encode(), "corrections.jsonl")
    assert [issue.where for issue in refused.value.issues] == ["corrections.jsonl:3"]


def test_what_is_appended_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "corrections.jsonl"
    append_correction(file, "1", "a", "ü\n", 12345678901234567890, "a long number")
    file.write_bytes(file.read_bytes().rstrip(b"\n"))  # an editor left out the last line end
    append_correction(file, "1", None, "Oslo", None, "unknown")
    append_correction(file, "2", "b", MISSING, [1], "overlooked")
    append_correction(file, "2", "c", 1, MISSING, "invented")
    assert read_corrections(file.read_bytes(), file.name) == (
        Correction("1", "a", "ü\n", 12345678901234567890, "a long number"),
        Correction("1", None, "Oslo", None, "unknown"),
        Correction("2", "b", MISSING, [1], "overlooked"),
        Correction("2", "c", 1, MISSING, "invented"),
    )


def test_what_no_reader_would_take_is_not_appended(tmp_path: Path) -> None:
    with pytest.raises(Problems, match="reason"):
        append_correction(tmp_path / "corrections.jsonl", "1", "a", 1, 2, " ")
    assert not (tmp_path / "corrections.jsonl").exists()
