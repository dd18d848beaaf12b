"""Two folders, or two files, named on the command line in place of the suite's own test set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import loads
from evaluators.model.issues import Problems
from evaluators.runs.result import RunResult

SUITE = """
test_set:
  file: away.csv
  columns: {output: answer, expected: right, id: doc}
  attach: {note: "{folder}.txt"}
evaluators: [exact_match]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "typed/gold/f/a.json": "1", "typed/gold/f/b.json": "2", "typed/out/f/a.json": "1", "typed/out/f/b.json": "3",
        "typed/gold.json": '[{"doc": 1, "x": 1}]', "typed/out.json": '[{"doc": 1, "x": 1}]', "f.txt": "",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "typed")
    return tmp_path


def run(folder: Path, text: str = SUITE, **settings: Any) -> RunResult:
    return loads(text, folder=folder).run(test_set_settings=settings)


def test_two_folders_take_the_place_of_the_test_set_of_the_suite(folder: Path) -> None:
    result = run(folder, expected="gold", output="out")
    (stats,) = result.evaluators
    assert (result.exit_code, result.n_rows, stats.mean) == (0, 2, 0.5)
    assert result.columns == {"id": "id", "output": "output", "expected": "expected"}


def test_two_lists_are_paired_by_the_id_that_the_suite_names(folder: Path) -> None:
    text = SUITE.replace('  attach: {note: "{folder}.txt"}\n', "").replace("exact_match", "json_diff_match")
    result = run(folder, text, expected="gold.json", output="out.json")
    assert 'gold.json and out.json are lists of documents, paired by the key "doc"' in result.notes
    assert result.evaluators[0].mean == 1.0


def test_outputs_alone_go_with_the_rows_of_the_suite(folder: Path) -> None:
    (folder / "away.csv").write_text("doc,answer,right\nf/a,9,1\nf/b,9,2\n", encoding="utf-8")
    text = SUITE.replace('  attach: {note: "{folder}.txt"}\n', "")
    assert run(folder, text).evaluators[0].mean == 0.0
    assert run(folder, text, output="out").evaluators[0].mean == 0.5


def test_a_test_set_on_the_command_line_stays_beside_the_folders(folder: Path) -> None:
    (folder / "typed" / "rows.csv").write_text("doc\nf/a\n", encoding="utf-8")
    text = SUITE.replace('  attach: {note: "{folder}.txt"}\n', "")
    result = loads(text, folder=folder).run("rows.csv", test_set_settings={"expected": "gold", "output": "out"})
    assert (result.n_rows, result.evaluators[0].mean) == (1, 1.0)


def test_expected_documents_without_outputs_say_what_is_missing(folder: Path) -> None:
    with pytest.raises(Problems, match="there are expected documents, but no outputs"):
        run(folder, "evaluators: [exact_match]", expected="gold")


def test_the_annotated_rows_leave_attached_files_out(folder: Path) -> None:
    marked = folder / "marked.csv"
    loads(SUITE, folder=folder).run(test_set_settings={"expected": "gold", "output": "out"}, files=(marked,))
    assert marked.read_text(encoding="utf-8-sig").startswith('"id","folder","file","expected","output",')
