"""Where the paths of a suite start."""

from __future__ import annotations

from pathlib import Path

import evaluators


def test_a_test_set_stands_beside_the_file_that_names_it(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "rows.csv").write_text("id,output,expected\n1,a,a\n", encoding="utf-8")
    (shared / "base.yaml").write_text("test_set: {file: rows.csv}\nevaluators: [exact_match]\n", encoding="utf-8")
    (tmp_path / "mine.yaml").write_text("extends: shared/base.yaml\n", encoding="utf-8")

    assert evaluators.load(tmp_path / "mine.yaml").run()["exact_match"].mean == 1.0
