"""The file of a baseline, letter by letter, and what is said of a file that is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluators.compare.baseline import baseline_text, read_baseline, write_baseline
from evaluators.compare.sides import RowVerdict, Side, SideRows
from evaluators.issues import Blame, Issue, Problems
from evaluators.value_class import replace

HINT = "`evaluators compare RUN --suite SUITE --update-baseline` writes one"
RIGHT = RowVerdict("scored", 1.0, True, ("match", "skipped"))
LISTED = RowVerdict("scored", 0.5, False, ("mismatch", "omission"), None, (0, 1, 2))
ODD = RowVerdict("unreadable", 0.0, False, ("hallucination", "error"), "not JSON")
BLANK = RowVerdict("invalid", None, None, ("not_measured", "not_measured"))
SIDE = Side(
    "runs/one", "invoices", "1.2.0", "rows.csv", "sha256:0", True, {"": {"parse": "1"}, "header": {"type": "3"}},
    {"header": ("total", "straße")}, "customer",
    {
        None: SideRows(
            [2, 3, 4, 5, 6], ["D-1", "D-2", "ß", "D-4", "D-5"], ["00", "01", "02", "03", "04"], ["a", "b", "a", "", "b"],
            {"header": [RIGHT, LISTED, RIGHT, ODD, BLANK]},
        )
    },
)  # fmt: skip
TEXT = """{
"kind": "evaluators baseline",
"format": 4,
"name": "invoices",
"version": "1.2.0",
"test_set": "rows.csv",
"data_fingerprint": "sha256:0",
"complete": true,
"cluster": "customer",
"fields": {"header": ["total", "straße"]},
"meaning": {"": {"parse": "1"}, "header": {"type": "3"}},
"variants": [
{"variant": null,
"said": {"header": [["scored", 1.0, true, "ms"], ["scored", 0.5, false, "xo", [0, 1, 2]], \
["unreadable", 0.0, false, "he"], ["invalid", null, null, "--"]]},
"rows": [
["D-1", 2, "00", "a", [0]],
["D-2", 3, "01", "b", [1]],
["ß", 4, "02", "a", [0]],
["D-4", 5, "03", "", [2]],
["D-5", 6, "04", "b", [3]]
]}
]
}
"""


def file_of(folder: Path, text: str) -> Path:
    file = folder / "main.json"
    file.write_text(text, encoding="utf-8")
    return file


def refused(file: Path) -> Issue:
    with pytest.raises(Problems) as found:
        read_baseline(file)
    (issue,) = found.value.issues
    return issue


def test_a_baseline_is_this_text(tmp_path: Path) -> None:
    write_baseline(tmp_path / "main.json", SIDE)
    assert (tmp_path / "main.json").read_text(encoding="utf-8") == baseline_text(SIDE) == TEXT


def test_a_baseline_is_the_run_again_without_its_reasons(tmp_path: Path) -> None:
    file = file_of(tmp_path, TEXT)
    (rows,) = SIDE.rows.values()
    rows = replace(rows, said={"header": [one._replace(reason=None) for one in rows.said["header"]]})
    assert read_baseline(file) == replace(SIDE, label=str(file), rows={None: rows})


def test_variants_are_kept_apart(tmp_path: Path) -> None:
    rows = {
        name: SideRows([2], ["D-1"], [given], [], {"header": [said]})
        for name, given, said in (("a", "00", RIGHT), ("b", "", BLANK))
    }
    file = file_of(tmp_path, baseline_text(replace(SIDE, cluster=None, rows=rows)))
    assert read_baseline(file).rows == rows
    assert [json.loads(baseline_text(replace(SIDE, rows=rows)))["variants"][n]["variant"] for n in (0, 1)] == ["a", "b"]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_baseline_of_an_earlier_format_is_refused_with_what_makes_it_again(tmp_path: Path, number: int) -> None:
    file = file_of(tmp_path, TEXT.replace('"format": 4', f'"format": {number}'))
    issue = refused(file)
    assert (issue.code, issue.blame) == ("older-baseline", Blame.CONFIG)
    assert issue.message == f"written in format {number}, and this version reads format 4"
    assert "evaluators compare RUN --suite SUITE --update-baseline" in str(issue.hint)


def test_a_baseline_that_is_not_there_says_how_one_is_written(tmp_path: Path) -> None:
    file = tmp_path / "main.json"
    assert refused(file) == Issue(
        "no-baseline", Blame.CONFIG, "the baseline cannot be read: no such file or directory", str(file), HINT
    )


@pytest.mark.parametrize("text", ["{", "[1]", "{}", '{"kind": "run", "format": 4}', '{"format": 4}'])
def test_another_file_is_no_baseline(tmp_path: Path, text: str) -> None:
    file = file_of(tmp_path, text)
    assert refused(file) == Issue("not-a-baseline", Blame.CONFIG, "not a baseline, and not a run folder", str(file), HINT)


def test_a_baseline_of_a_later_version_asks_for_that_version(tmp_path: Path) -> None:
    file = file_of(tmp_path, TEXT.replace('"format": 4', '"format": 5'))
    assert refused(file) == Issue(
        "newer-baseline", Blame.CONFIG, "written in format 5, and this version reads up to 4", str(file),
        'pip install "path/to/structured-evaluators", with the path of a newer copy',
    )  # fmt: skip


@pytest.mark.parametrize(
    ("was", "now", "message"),
    [
        ('"complete": true', '"complete": []', "not a baseline: Expected `bool`, got `array` - at `$.complete`"),
        ('"name": "invoices",\n', "", "not a baseline: Object missing required field `name`"),
        ('"ms"', '"mz"', "not a baseline: it is damaged"),
        ('"a", [0]]', '"a", [9]]', "not a baseline: it is damaged"),
        ('"a", [0]]', '"a", [0, 1]]', "not a baseline: it is damaged"),
    ],
)
def test_a_damaged_baseline_says_so(tmp_path: Path, was: str, now: Any, message: str) -> None:
    file = file_of(tmp_path, TEXT.replace(was, now, 1))
    assert refused(file) == Issue("not-a-baseline", Blame.CONFIG, message, str(file), HINT)
