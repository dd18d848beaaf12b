"""Reports of a run that has ended: with its documents while they are what they were, and with what it recorded after."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from evaluators.cli import command
from evaluators.issues import Problems
from evaluators.running.again import again
from evaluators.suite.presets import gallery_folder


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a run of the gallery's two models, with a page that was written with it."""
    shutil.copytree(gallery_folder() / "comparing_models", tmp_path / "models")
    monkeypatch.chdir(tmp_path / "models")
    CliRunner().invoke(command, ["run", "suite.yaml", "--name", "x", "-q", "-o", "first.html"])
    return Path("runs") / "x"


def invoke(*words: str) -> tuple[int, str]:
    ended = CliRunner().invoke(command, words)
    return ended.exit_code, ended.output


def test_a_report_written_later_is_the_report_of_the_run(run: Path) -> None:
    assert invoke("report", str(run), "-o", "later.html") == (0, "later.html\n")
    assert Path("later.html").read_bytes() == Path("first.html").read_bytes()


def test_a_report_is_the_same_from_another_folder(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run.parent)
    assert invoke("report", "x", "-o", "later.html")[0] == 0
    assert Path("later.html").read_bytes() == Path("../first.html").read_bytes()


def test_rows_are_written_again_in_every_format(run: Path) -> None:
    code, said = invoke("report", str(run / "run.json"), "-o", "a.csv", "-o", "a.jsonl", "-o", "a.md", "-o", "a.xml")
    assert (code, said.split()) == (
        0,
        ["a.careful.csv", "a.fast.csv", "a.careful.jsonl", "a.fast.jsonl", "a.md", "a.xml"],
    )
    assert Path("a.fast.jsonl").read_bytes() == (run / "rows.fast.jsonl").read_bytes()


def test_without_a_file_the_summary_is_printed(run: Path) -> None:
    code, said = invoke("report", str(run))
    assert code == 0
    assert said.startswith("comparing models: FAILED")


def test_view_writes_the_page_into_the_run_folder(run: Path) -> None:
    assert invoke("view", str(run), "--no-open") == (0, f"{run / 'report.html'}\n")
    assert (run / "report.html").read_bytes() == Path("first.html").read_bytes()


def test_view_opens_the_page(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr("webbrowser.open", seen.append)
    invoke("view", str(run))
    assert seen == [(run / "report.html").resolve().as_uri()]


def append(file: str, text: str) -> None:
    with open(file, "a", encoding="utf-8") as stream:
        stream.write(text)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda: append("fast.jsonl", "\n"), "The test set has changed since the run"),
        (lambda: Path("rows.csv").unlink(), "The test set is not there any more, or cannot be read"),
        (lambda: append("suite.yaml", "description: another\n"), "The suite has changed since the run"),
        (lambda: append("suite.yaml", "nonsense: ["), "The suite is not there any more, or cannot be read"),
        (lambda: Path("suite.yaml").unlink(), "The suite is not there any more, or cannot be read"),
        (lambda: Path("runs/x/environment.json").unlink(), "The run does not say where its suite is"),
    ],
)
def test_what_is_gone_is_said_and_the_record_is_shown(run: Path, change: Callable[[], None], said: str) -> None:
    change()
    found = again(run)
    assert found.gone == said
    material = found.material()
    assert material.note.startswith(said)
    rows = [row for group in material.groups for row in group.rows]
    assert len(rows) == 24
    wrong = next(row for row in rows if row.id == "M-08" and row.verdicts[1].passed is not None and row.detail())
    detail = wrong.detail()
    assert detail is not None
    (field,) = [field for one in detail.explanations if one.result.score for field in one.result.score.fields]
    assert (field.path, field.expected) == ("title", "Stocktaking")
    assert invoke("report", str(run), "-o", "later.html")[0] == 0


def test_rows_that_are_gone_are_not_made_up(run: Path) -> None:
    Path("rows.csv").unlink()
    with pytest.raises(Problems, match="so the rows cannot be written"):
        again(run).write([Path("rows-again.csv")])


def test_a_run_on_standard_input_keeps_what_it_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("suite.yaml").write_text("evaluators: [exact_match]", encoding="utf-8")
    rows = "id,output,expected\na,x,x\nb,y,x\n"
    CliRunner().invoke(command, ["run", "suite.yaml", "-", "--name", "x"], input=rows)
    assert again(Path("runs/x")).gone == "The rows came from standard input"


def test_a_file_that_cannot_be_is_said_before_anything_is_written(run: Path) -> None:
    assert invoke("report", str(run), "-o", "a.html", "-o", "a.pdf")[0] == 2
    assert not Path("a.html").exists()
