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


def test_annotated_rows_are_separated_as_the_test_set_is(tmp_path: Path) -> None:
    for name, separator in (("comma", ","), ("semicolon", ";")):
        rows = [separator.join(line) for line in (("id", "output", "expected"), ("1", "a", "a"), ("2", "a", "b"))]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        evaluators.load({"evaluators": ["exact_match"]}).run(tmp_path / f"{name}.csv", results=tmp_path, name=name)

        head = (tmp_path / name / "rows.csv").read_text(encoding="utf-8-sig").splitlines()[0]
        assert head == separator.join(f'"{cell}"' for cell in ("id", "output", "expected", "exact_match.score", "why"))
