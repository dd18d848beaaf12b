"""What a run in Python writes, shows and advises."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest

from evaluators import Problems, Run, evaluate
from tests.kit import cli

ROWS = [{"output": "Oslo", "expected": "oslo"}, {"output": "a", "expected": "a"}]
SUITE = {"name": "capitals", "evaluators": ["exact_match"]}


@pytest.fixture(params=["with a folder", "without"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    return evaluate(ROWS, SUITE, **({"results": tmp_path / "runs"} if request.param == "with a folder" else {}))


def test_a_run_is_written_as_the_ending_says(run: Run, tmp_path: Path) -> None:
    page, rows = tmp_path / "page.html", tmp_path / "rows.csv"
    assert run.report(page, str(rows)) == [str(page), str(rows)]
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert len(rows.read_text("utf-8").splitlines()) == 3


def test_the_command_writes_the_same_file(tmp_path: Path) -> None:
    run = evaluate(ROWS, SUITE, results=tmp_path / "runs")
    run.report(tmp_path / "python.md")
    assert cli("report", run.folder or "", "-o", str(tmp_path / "command.md")).exit_code == 0
    assert (tmp_path / "python.md").read_bytes() == (tmp_path / "command.md").read_bytes()


def test_a_file_without_a_format_is_refused(run: Run, tmp_path: Path) -> None:
    with pytest.raises(Problems, match="extension"):
        run.report(tmp_path / "page.foo")
    assert not (tmp_path / "page.foo").exists()


def test_a_notebook_shows_the_report_in_a_frame_of_its_own(run: Run, tmp_path: Path) -> None:
    run.report(tmp_path / "page.html")
    frame = run.show()._repr_html_()
    assert frame.startswith("<iframe ")
    assert 'sandbox="allow-scripts allow-popups"' in frame
    source = frame.partition('srcdoc="')[2].partition('"')[0]
    assert unescape(source) == (tmp_path / "page.html").read_text("utf-8")
    assert repr(run.show()).startswith("capitals: finished\n")


def test_advice_names_the_line_to_write(run: Run) -> None:
    assert "- exact_match: {forgive: [case]}" in repr(run.advice())
    assert "{forgive: [case]}" in run.advice()._repr_html_()


def test_completion_offers_what_a_reader_looks_for_and_no_workings(run: Run) -> None:
    names = {name for name in dir(run) if not name.startswith("_")}
    assert {"report", "show", "advice", "rows", "fields", "failures", "to_pandas", "gates", "slices"} <= names
    assert not names & {"again", "unpacked", "but", "row_lines", "of_variant", "scored", "facts"}
    assert not names & {"meaning", "suite_fingerprint", "data_fingerprint", "issue_counts", "without_output", "cluster"}
    assert all(hasattr(run, name) for name in names)
