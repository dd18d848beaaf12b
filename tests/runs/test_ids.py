"""Ids that are missing or stand in several rows are said, with row numbers."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import pytest

import evaluators
from evaluators.runs import ids


def warned(folder: Path, *names: str, **options: object) -> list[str]:
    rows = folder / "rows.csv"
    rows.write_text("id,output,expected\n" + "".join(f"{name},a,a\n" for name in names), encoding="utf-8")
    result = evaluators.load({"evaluators": ["exact_match"]}).run(rows, **options)
    assert result.exit_code == 0
    return [issue.message for issue in result.warnings]


def test_an_id_in_several_rows_is_named_with_its_rows(tmp_path: Path) -> None:
    assert warned(tmp_path, "1", "2", "1", "3", "1") == ['1 id is in several rows: "1" in rows 2, 4 and 6']


def test_rows_without_an_id_are_named(tmp_path: Path) -> None:
    assert warned(tmp_path, "1", "", "3") == ["row 3 has no id"]


def test_two_ids_that_share_a_number_are_told_apart(tmp_path: Path) -> None:
    assert crc32(b"plumless") == crc32(b"buckeroo")  # a known pair of texts with one number
    assert warned(tmp_path, "plumless", "buckeroo") == []


@pytest.mark.parametrize("workers", [1, 2])
def test_rows_beyond_the_first_ones_are_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    monkeypatch.setattr(ids, "MOST_IDS", 2)
    assert warned(tmp_path, "1", "2", "1", workers=workers) == []


def test_long_ids_are_named_by_their_beginning() -> None:
    from evaluators.reports.data_warnings import id_warnings

    (found,) = id_warnings({"x" * 2_000_000: [1, 2]}, "rows.csv")
    assert len(found.message) < 200
    assert '"xxxx' in found.message
