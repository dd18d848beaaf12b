"""The files of a run that hold rows, and the line that says how far a run has come."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

from evaluators.api.execute import finish
from evaluators.api.finished_run import write_again
from evaluators.api.loading import loads
from evaluators.api.run_options import RunOptions
from evaluators.api.suite import Suite
from evaluators.cli._progress import ProgressLine, SendingProgress
from evaluators.model.issues import Problems
from evaluators.reports.report_files import check_files
from evaluators.runs.reader import Run
from evaluators.scoring.values.files import note_read, noting_reads
from evaluators.testsets.selection import Selection
from tests.kit import problem_of

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


def run_of(tmp_path: Path, count: int, **request: Any) -> Path:
    rows = rows_of(tmp_path / "rows.csv", count)
    folder = finish(suite(), **{"test_set": str(rows), "results": tmp_path / "runs", "name": "x", **request}).folder
    assert folder is not None
    return folder


@pytest.mark.parametrize("count", [1_000, 1_001])
def test_up_to_a_thousand_rows_everything_is_kept(tmp_path: Path, count: int) -> None:
    folder, small = run_of(tmp_path, count), count == 1_000
    record = Run(folder)
    assert (folder / "rows.csv").exists() is bool(list(record.cells())) is small
    assert [one.every_outcome for one in record.facts.variants] == [small]
    lines = [line for line in record.outcomes() if line.evaluator == "keys"]
    wrong = {line.row for line in lines if line.row > 21}
    assert len(wrong) == (490 if small else 190)  # ten of the first twenty rows are wrong
    line = "rows.csv not written (1,001 rows): evaluators report RUN -o rows.csv"
    assert (line in " ".join((folder / "summary.txt").read_text(encoding="utf-8").split())) is not small


def test_what_counts_is_the_rows_that_were_scored(tmp_path: Path) -> None:
    folder = run_of(tmp_path, 1_200, selection=Selection(limit=50))
    assert (folder / "rows.csv").exists()


@pytest.mark.parametrize("asked", [{"formats": ("csv",)}, {"documents": "all"}], ids=["formats", "documents"])
def test_what_is_asked_for_is_written_at_any_size(tmp_path: Path, asked: dict[str, Any]) -> None:
    folder = run_of(tmp_path, 1_001, **asked)
    assert len(marked_rows(folder / "rows.csv")) == 1_001
    assert len(list(Run(folder).cells())) == (1_001 if "documents" in asked else 0)


def marked_rows(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def test_rows_csv_of_a_finished_run_is_what_the_run_would_have_written(tmp_path: Path) -> None:
    asked = tmp_path / "asked.csv"
    folder = run_of(tmp_path, 1_001, files=(asked,))
    assert not list(Run(folder).cells())
    later = tmp_path / "later.csv"
    write_again(folder, [later])
    assert later.read_bytes() == asked.read_bytes()
    assert [row["id"] for row in marked_rows(later)] == [f"r{number}" for number in range(1_001)]


@pytest.mark.parametrize("change", ["touched", "gone"])
def test_cells_of_another_test_set_are_refused_with_how_to_keep_them(tmp_path: Path, change: str) -> None:
    folder = run_of(tmp_path, 1_001)
    rows = tmp_path / "rows.csv"
    if change == "gone":
        rows.unlink()
    else:
        rows.write_bytes(rows.read_bytes().replace(b"r17,", b"r71,"))
    issue = problem_of(lambda: write_again(folder, [tmp_path / "later.csv"]))
    assert issue.code == "not-recorded"
    assert "evaluators run SUITE -o later.csv" in (issue.hint or "")
    assert "documents: all" in (issue.hint or "")
    assert not (tmp_path / "later.csv").exists()


def test_a_moved_folder_finds_its_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows_of(tmp_path / "rows.csv", 1_001)
    folder = finish(suite(), test_set="rows.csv", results=Path("runs"), name="x").folder
    (tmp_path / "elsewhere").mkdir()
    moved = folder.rename(tmp_path / "elsewhere" / "moved")
    monkeypatch.chdir(tmp_path / "elsewhere")
    (written,) = write_again(Path("moved"), [Path("later.csv")])
    assert moved.exists()
    assert len(marked_rows(written)) == 1_001


def test_rows_that_cannot_be_read_again_keep_their_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of(tmp_path / "rows.csv", 1_001)
    with open(rows, encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        folder = run_of(tmp_path, 1_001, test_set="-", test_set_settings={"format": "csv"})
    assert not (folder / "rows.csv").exists()
    rows.unlink()
    (written,) = write_again(folder, [tmp_path / "later.csv"])
    assert len(marked_rows(written)) == 1_001


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["no mark", "mark"])
@pytest.mark.parametrize("count", [3, 1_001])
def test_rows_csv_is_spelled_as_the_test_set(tmp_path: Path, delimiter: str, mark: str, count: int) -> None:
    rows, later = tmp_path / "rows.csv", tmp_path / "later.csv"
    lines = [["id", "output", "expected", "price"], *([f"r{n}", "{}", "{}", "1,5"] for n in range(count))]
    with open(rows, "w", encoding="utf-8", newline="") as stream:
        stream.write(mark)
        csv.writer(stream, delimiter=delimiter).writerows(lines)
    folder = finish(suite(), test_set=str(rows), results=tmp_path / "runs", name="x").folder
    write_again(folder or tmp_path, [later])
    text = later.read_text(encoding="utf-8")
    assert text.startswith("\ufeff") is bool(mark)
    found = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter))
    assert [row["price"] for row in found] == ["1,5"] * count
    point = "." if delimiter == "," else ","
    assert {row["contains_json.score"] for row in found} == {f"1{point}0"}


SPELLED = """
evaluators:
  - schema_match: {name: form, fields: {a: exact, b: exact}}
"""


@pytest.mark.parametrize(
    ("delimiter", "cell", "asked", "point"),
    [
        (";", "1,5", "", ","),
        (";", "1.234,50", "", ","),
        (";", "1.5", "", "."),
        (";", "12", "", ","),
        (";", "text", "", ","),
        (";", "1,5", "results: {decimal: '.'}", "."),
        ("\t", "1,5", "", ","),
        ("\t", "text", "", "."),
        ("\t", "text", "results: {decimal: ','}", ","),
        (",", "text", "", "."),
        (",", "text", "results: {decimal: ','}", ","),
    ],
)
def test_every_csv_file_is_spelled_as_the_cells_of_the_test_set(
    tmp_path: Path, delimiter: str, cell: str, asked: str, point: str
) -> None:
    with open(tmp_path / "rows.csv", "w", encoding="utf-8", newline="") as stream:
        rows = [["id", "output", "expected", "n"], ["x", '{"a": 1, "b": 3}', '{"a": 1, "b": 2}', cell]]
        csv.writer(stream, delimiter=delimiter).writerows(rows)
    files = (tmp_path / "later.csv", tmp_path / "later.fields.csv")
    finished = finish(
        loads(SPELLED + asked),
        test_set=str(tmp_path / "rows.csv"),
        results=tmp_path / "runs",
        formats=("field_sums",),
        files=files,
    )
    assert finished.folder is not None

    def numbers(file: Path, column: str) -> list[float]:
        text = file.read_text(encoding="utf-8").removeprefix("\ufeff")
        found = [row[column] for row in csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)]
        assert all(point in one for one in found)
        return [float(one.replace(point, ".")) for one in found]

    assert numbers(files[0], "form.score") == [0.5]
    assert numbers(files[1], "score") == [1.0, 0.0]
    assert numbers(finished.folder / "field_summary.csv", "mean_score") == [1.0, 0.0]


def test_rows_in_words_say_what_the_codes_say(tmp_path: Path) -> None:
    rows, words = rows_of(tmp_path / "rows.csv", 3_000), tmp_path / "words.jsonl"
    finished = finish(suite(), test_set=str(rows), results=tmp_path, name="x", files=(words,))
    assert finished.folder is not None
    record = Run(finished.folder)
    lines = [json.loads(line) for line in words.read_bytes().splitlines()]
    for line, row in zip(lines, record.each_row(), strict=True):
        assert (line["row"], line["id"], line["checksum"]) == (row.number, row.id, row.given)
        assert [one.get("score") for one in line["results"].values()] == [verdict.score for verdict in row.verdicts]


def test_a_run_that_is_stopped_has_shorter_files(tmp_path: Path) -> None:
    rows, marked = rows_of(tmp_path / "rows.csv", 9_000), tmp_path / "marked.csv"
    seen: list[int] = []
    request = RunOptions(
        results=tmp_path, name="x", files=(marked,), stopped=lambda: sum(seen) > 1_500,
        progress=lambda count, share: seen.append(count),
    )  # fmt: skip
    finished = finish(suite(), str(rows), **request)
    assert not finished.result.complete
    assert 1_500 < finished.result.rows < 9_000
    with open(marked, encoding="utf-8-sig", newline="") as stream:
        assert sum(1 for _ in csv.DictReader(stream)) == finished.result.rows


def test_a_selection_shows_in_every_file(tmp_path: Path) -> None:
    rows, lines = rows_of(tmp_path / "rows.csv", 50), tmp_path / "some.jsonl"
    finish(suite(), test_set=str(rows), selection=Selection(where=(("id", "r7"),)), files=(lines,))
    (line,) = [json.loads(text) for text in lines.read_text(encoding="utf-8").splitlines()]
    assert (line["row"], line["id"]) == (9, "r7")


def test_a_file_that_is_read_is_not_written(tmp_path: Path) -> None:
    rows = rows_of(tmp_path / "rows.csv", 1)
    with noting_reads():
        note_read(rows)
        (issue,) = check_files([str(tmp_path / "sub" / ".." / "rows.csv")])
    assert issue.code == "overwrites-input"
    with pytest.raises(Problems):
        finish(suite(), test_set=str(rows), files=(rows,))


def test_every_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "folder.md"
    folder.mkdir()
    assert [issue.code for issue in check_files([str(folder), str(tmp_path / "a.pdf")])] == [
        "not-a-file",
        "unknown-format",
    ]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_progress_line_says_how_far_and_how_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    clock = iter([0.0, 0.05, 2.0, 4.0])
    monkeypatch.setattr("evaluators.cli._progress.monotonic", lambda: next(clock))
    stream = Terminal()
    with ProgressLine(stream) as told:
        told(500, None)
        assert stream.getvalue() == "", "what is over in a moment shows nothing"
        told(500, None)
        assert "1,000 rows, 500 rows/s" in stream.getvalue()
        told(1_000, 0.5)
        (last,) = Text.from_ansi(stream.getvalue().split("\r\x1b[2K")[-1]).plain.splitlines()
    assert last.startswith("━" * 12)
    assert "2,000 rows, 500 rows/s" in last
    assert stream.getvalue().endswith("\x1b[1A\x1b[2K"), "it takes itself away"
    assert "\x1b[?25l" not in stream.getvalue(), "the cursor is never hidden"


def test_the_sending_is_a_line_of_a_terminal_and_lines_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        sending = SendingProgress(stream)
        sending("mlflow", 0, 10)
        sending("mlflow", 1, 10)
        sending("wandb", 0, 0)
        sending.clear()
    assert file.getvalue() == "sending to mlflow: 0 of 10 rows\nsending to wandb\n"
    assert "sending to mlflow: 0 of 10 rows" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[1A\x1b[2K")


def test_a_row_with_too_many_or_too_few_cells_keeps_them_in_the_annotated_rows(tmp_path: Path) -> None:
    rows, marked = tmp_path / "rows.csv", tmp_path / "marked.csv"
    rows.write_text("id,output,expected\na,{},{}\nb,Paris, France,Paris\nc\n", encoding="utf-8")
    finish(suite(), test_set=str(rows), files=(marked,))
    with open(marked, encoding="utf-8", newline="") as stream:
        again = [row[:3] for row in csv.reader(stream)]
    assert again[2:] == [["b", "Paris", " France,Paris"], ["c", "", ""]]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
@pytest.mark.parametrize(
    "place", ["/dev/zero", "pipe", "pip*", "/etc/passwd", "https://example.invalid/rows.csv", "s3://bucket/rows.csv"]
)
def test_a_folder_of_somebody_else_opens_no_other_file(tmp_path: Path, place: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    folder = run_of(tmp_path, 1_001)
    file = folder / "environment.json"
    environment = json.loads(file.read_text(encoding="utf-8"))
    there = json.loads(environment["test_set"])
    there = {**there, "folder": str(tmp_path), "settings": {"file": place, "format": "csv"}}
    file.write_text(json.dumps({**environment, "test_set": json.dumps(there)}), encoding="utf-8")
    with pytest.raises(Problems, match="did not keep the cells"):
        write_again(folder, [tmp_path / "later.csv"])
