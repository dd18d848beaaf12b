"""Names in a suite that become names of files are looked at before anything is scored."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluators import load
from evaluators.model.issues import Blame, Issue
from evaluators.scoring.values.file_names import MOST_NAME_BYTES, as_file_name, why_no_file_name
from tests.kit import problem_of

UNUSABLE = ["x/../../../../up", "a/b", "a\\b", "nul\0", "x" * 300, ".hidden", "dot.", "é" * 100, "half\ud800"]


def refused(suite: Path) -> Issue:
    issue = problem_of(lambda: load(suite).run(results=suite.parent / "runs"))
    assert issue.blame is Blame.CONFIG
    return issue


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inner = tmp_path / "deep" / "in" / "here"
    inner.mkdir(parents=True)
    (inner / "rows.csv").write_text("id,output,expected\n1,a,a\n", encoding="utf-8")
    (inner / "other.csv").write_text("id,output\n1,a\n", encoding="utf-8")
    return inner


def test_a_variant_cannot_lead_out_of_the_run_folder(folder: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    suite = folder / "suite.yaml"
    text = 'test_set:\n  file: rows.csv\n  outputs: {"x/../../../../up": other.csv}\nevaluators: [exact_match]\n'
    suite.write_text(text, encoding="utf-8")
    issue = refused(suite)
    assert issue.where == f"{suite}:3:13"
    assert issue.message == (
        '"x/../../../../up" cannot be the name of a variant, which has files of its name: it has the character / in it'
    )
    assert issue.hint == 'call it "x_.._.._.._.._up"'
    assert sorted(tmp_path.rglob("*")) == sorted([*before, suite])


def test_a_file_that_a_pattern_finds_is_no_variant_either(folder: Path) -> None:
    outputs = folder / "outputs"
    outputs.mkdir()
    (outputs / f"{'x' * 200}.csv").write_text("id,output\n1,a\n", encoding="utf-8")
    suite = folder / "suite.yaml"
    suite.write_text("test_set: {file: rows.csv, outputs: outputs}\nevaluators: [exact_match]\n", encoding="utf-8")
    assert "is longer than 150 bytes (200)" in refused(suite).message


def test_an_evaluator_with_a_file_of_its_name_has_such_a_name(folder: Path) -> None:
    suite = folder / "suite.yaml"
    text = "test_set: rows.csv\nevaluators:\n  - {type: schema_match, name: a/b, schema: infer}\n  - {type: exact_match, name: c/d}\n"
    suite.write_text(text, encoding="utf-8")
    issue = refused(suite)
    assert issue.where == f"{suite}:3:32"
    assert issue.hint == 'call it "a_b"'


@pytest.mark.parametrize("name", UNUSABLE)
def test_what_cannot_be_a_file_name_has_a_neighbour_that_can(name: str) -> None:
    assert why_no_file_name(name)
    assert why_no_file_name(as_file_name(name)) is None


@pytest.mark.parametrize("name", ["gpt-4o", "model a", "v1.2", "Größe", "x" * MOST_NAME_BYTES, "模型", "a,b"])
def test_ordinary_names_are_fine(name: str) -> None:
    assert why_no_file_name(name) is None
    assert as_file_name(name) == name
