"""The table of scored rows in the first guide is the `rows.csv` that its run writes."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.docs.blocks import blocks
from tests.kit import cli

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
EVALUATOR = "json_multi_field_match"


def test_the_table_of_rows_is_what_the_run_writes(tmp_path: Path) -> None:
    for block in blocks(PAGE):
        if block.file in ("receipts.csv", "receipts.yaml"):
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
    words = ["run", str(tmp_path / "receipts.yaml"), "--no-results", "--quiet", "-o", str(tmp_path / "rows.csv")]
    assert cli(*words).exit_code == 0
    with (tmp_path / "rows.csv").open(encoding="utf-8-sig", newline="") as file:
        written = list(csv.DictReader(file))
    shown = [
        [cell.strip() for cell in line.strip("|\n").split("|")]
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| R")
    ]
    assert len(shown) == len(written) > 0
    for (id, score, shop, date, total, why), row in zip(shown, written, strict=True):
        assert row["id"] == id
        assert round(float(row[f"{EVALUATOR}.score"]), 2) == float(score)
        assert [row[f"{EVALUATOR}.{field}"] for field in ("shop", "date", "total")] == [shop, date, total]
        told = row["why"].removeprefix(f"{EVALUATOR}: ")
        assert told.startswith(why.removesuffix(" …")) if why.endswith("…") else told == why
