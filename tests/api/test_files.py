"""The files of a run that hold rows, and the line that says how far a run has come."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from evaluators.api.execute import finish
from evaluators.api.loading import Suite, loads
from evaluators.cli._progress import ProgressLine, progress_text
from evaluators.issues import Problems
from evaluators.reports.report_files import check_asked, named_for
from evaluators.run.preparing import RunRequest
from evaluators.run.record import read_record

SUITE = """
evaluators:
  - type: json_field_match
    name: keys
  - contains_json
"""


def suite() -> Suite:
    return loads(SUITE)


def rows_of(path: Path, count: int) -> Path:
    with open(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "output", "expected"])
        for number in range(count):
            answer = json.dumps({"a": number, "b": number % 3})
            writer.writerow([f"r{number}", answer if number % 2 else "{}", answer])
    return path


def test_the_annotated_rows_are_left_out_above_ten_thousand(tmp_path: Path) -> None:
    for count, annotated in ((10_000, True), (10_001, False)):
        rows = rows_of(tmp_path / "rows.csv", count)
        finished = finish(suite(), RunRequest(test_set=str(rows), results=tmp_path, name=f"of {count}"))
        assert finished.annotated is annotated
        assert finished.folder is not None
        assert (finished.folder / "rows.csv").exists() is annotated


def test_rows_in_words_say_what_the_codes_say(tmp_path: Path) -> None:
    rows, words = rows_of(tmp_path / "rows.csv", 3_000), tmp_path / "words.jsonl"
    finished = finish(suite(), RunRequest(test_set=str(rows), results=tmp_path, name="x", files=(words,)))
    assert finished.folder is not None
    record = read_record(finished.folder)
    lines = [json.loads(line) for line in words.read_bytes().splitlines()]
    for line, row in zip(lines, record.rows(), strict=True):
        assert (line["row"], line["id"], line["given"]) == (row.number, row.id, row.given)
        assert [one.get("score") for one in line["results"].values()] == [verdict.value for verdict in row.verdicts]


def test_a_run_that_is_stopped_has_shorter_files(tmp_path: Path) -> None:
    rows, marked = rows_of(tmp_path / "rows.csv", 9_000), tmp_path / "marked.csv"
    seen: list[int] = []
    request = RunRequest(
        test_set=str(rows), results=tmp_path, name="x", files=(marked,), stopped=lambda: sum(seen) > 1_500,
        progress=lambda count, share: seen.append(count),
    )  # fmt: skip
    finished = finish(suite(), request)
    assert not finished.result.complete
    assert 1_500 < finished.result.rows < 9_000
    with open(marked, encoding="utf-8-sig", newline="") as stream:
        assert sum(1 for _ in csv.DictReader(stream)) == finished.result.rows


def test_nothing_is_left_of_a_run_that_cannot_be_finished(tmp_path: Path) -> None:
    rows = rows_of(tmp_path / "rows.csv", 10)

    def fail(rows: int, share: float | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        finish(suite(), RunRequest(test_set=str(rows), results=tmp_path / "runs", name="x", progress=fail))
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_selection_shows_in_every_file(tmp_path: Path) -> None:
    from evaluators.testsets.selection import Selection

    rows, lines = rows_of(tmp_path / "rows.csv", 50), tmp_path / "some.jsonl"
    finish(suite(), RunRequest(test_set=str(rows), selection=Selection(where=(("id", "r7"),)), files=(lines,)))
    (line,) = [json.loads(text) for text in lines.read_text(encoding="utf-8").splitlines()]
    assert (line["row"], line["id"]) == (9, "r7")


def test_a_file_that_is_read_is_not_written(tmp_path: Path) -> None:
    rows = rows_of(tmp_path / "rows.csv", 1)
    (issue,) = check_asked([tmp_path / "sub" / ".." / "rows.csv"], [rows])
    assert issue.code == "overwrites-input"
    with pytest.raises(Problems):
        finish(suite(), RunRequest(test_set=str(rows), files=(rows,)))


def test_every_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "folder.md"
    folder.mkdir()
    assert [issue.code for issue in check_asked([folder, tmp_path / "a.pdf"], [])] == ["not-a-file", "unknown-format"]


def test_a_variant_has_its_name_before_the_ending() -> None:
    assert named_for("rows.csv", None) == "rows.csv"
    assert named_for("my.rows.csv", "gpt") == "my.rows.gpt.csv"


@pytest.mark.parametrize(
    ("rows", "total", "seconds", "text"),
    [
        (1_000, None, 2.0, "1,000 rows, 500 rows/s"),
        (0, None, 0.0, "0 rows, 0 rows/s"),
        (1_000, 4_000.0, 2.0, "██████░░░░░░░░░░░░░░░░░░  25%  1,000 rows, 500 rows/s, 0:06 left"),
        (5_000, 4_000.0, 2.0, "████████████████████████ 100%  5,000 rows, 2,500 rows/s, 0:00 left"),
        (100, 720_100.0, 1.0, "░░░░░░░░░░░░░░░░░░░░░░░░   0%  100 rows, 100 rows/s, 2:00:00 left"),
    ],
)
def test_the_progress_line_says_how_far_and_how_long(rows: int, total: float | None, seconds: float, text: str) -> None:
    assert progress_text(rows, total, seconds) == text


def test_the_progress_line_takes_itself_away() -> None:
    stream = io.StringIO()
    with ProgressLine(stream) as told:
        told(100, None)
        told(100, 0.5)
    assert stream.getvalue().endswith("\r\x1b[K")


def test_a_row_with_too_many_or_too_few_cells_keeps_them_in_the_annotated_rows(tmp_path: Path) -> None:
    rows, marked = tmp_path / "rows.csv", tmp_path / "marked.csv"
    rows.write_text("id,output,expected\na,{},{}\nb,Paris, France,Paris\nc\n", encoding="utf-8")
    finish(suite(), RunRequest(test_set=str(rows), files=(marked,)))
    with open(marked, encoding="utf-8", newline="") as stream:
        again = [row[:3] for row in csv.reader(stream)]
    assert again[2:] == [["b", "Paris", " France,Paris"], ["c", "", ""]]
