"""The file of a baseline, letter by letter, and what is said of a file that is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluators.compare.baseline import baseline_text, read_baseline, write_baseline
from evaluators.compare.pairs import side_of
from evaluators.issues import Blame, Issue, Problems
from tests.compare.sides import made_rows, made_side, packed, said

HINT = "`evaluators compare RUN --suite SUITE --update-baseline` writes one"
RIGHT = said("scored", 1.0, True, ("match", "skipped"))
LISTED = said("scored", 0.5, False, ("mismatch", "omission"), None, (0, 1, 2))
ODD = said("unreadable", 0.0, False, ("hallucination", "error"), "not JSON")
BLANK = said("invalid", None, None, ("not_measured", "not_measured"))
SIDE = made_side(
    "runs/one",
    made_rows(
        [2, 3, 4, 5, 6], ["D-1", "D-2", "ß", "D-4", "D-5"], ["00", "01", "02", "03", "04"], ["a", "b", "a", "", "b"],
        {"header": [RIGHT, LISTED, RIGHT, ODD, BLANK]},
    ),
    {"header": ("total", "straße")}, {"": {"parse": "1"}, "header": {"type": "3"}}, cluster="customer", version="1.2.0",
    causes=("what a cell holds",),
)  # fmt: skip
LINES = """
"codes.jsonl": [
{"evaluator":"header","code":0,"status":"scored","score":[1,1],"passed":true,"fields":"=s"},
{"evaluator":"header","code":1,"status":"scored","score":[1,2],"passed":false,"fields":"x-","values":[0,1,2]},
{"evaluator":"header","code":2,"status":"unreadable","score":[0,1],"passed":false,"fields":"+!","issue":{REASON}},
{"evaluator":"header","code":3,"status":"invalid","fields":".."}
],
"rows.jsonl": [
{"row":2,"id":"D-1","checksum":"00","cluster":"a","codes":[0]},
{"row":3,"id":"D-2","checksum":"01","cluster":"b","codes":[1]},
{"row":4,"id":"ß","checksum":"02","cluster":"a","codes":[0]},
{"row":5,"id":"D-4","checksum":"03","cluster":"","codes":[2]},
{"row":6,"id":"D-5","checksum":"04","cluster":"b","codes":[3]}
]
}
""".replace("REASON", '"code":"no-score","blame":"testset","message":"not JSON"')
TEXT = baseline_text(packed(SIDE))


def file_of(folder: Path, text: str) -> Path:
    file = folder / "main.json"
    file.write_text(text, encoding="utf-8")
    return file


def refused(file: Path) -> Issue:
    with pytest.raises(Problems) as found:
        side_of(read_baseline(file), "x")
    (issue,) = found.value.issues
    return issue


def test_a_baseline_is_this_text(tmp_path: Path) -> None:
    write_baseline(tmp_path / "main.json", packed(SIDE))
    text = (tmp_path / "main.json").read_text(encoding="utf-8")
    assert text.startswith('{\n"kind": "evaluators baseline",\n"format": 6,\n"run": {"format":2,"name":"invoices",')
    assert text.endswith(LINES)
    assert "what a cell holds" not in text
    run = json.loads(text)["run"]
    assert run["meaning"] == SIDE.result.meaning
    assert run["record"]["variants"] == [
        {"variant": None, "rows": 5, "every_outcome": False, "every_cell": False, "outcomes": 0, "cells": 0}
    ]


def test_a_baseline_is_the_run_again(tmp_path: Path) -> None:
    found = side_of(read_baseline(file_of(tmp_path, TEXT)), "runs/one")
    (rows,) = SIDE.rows.values()
    assert found.rows[None].verdicts == rows.verdicts
    assert found.rows[None].lines == rows.lines
    assert (found.fields, found.result.meaning) == (SIDE.fields, SIDE.result.meaning)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_a_baseline_of_an_earlier_format_is_refused_with_what_makes_it_again(tmp_path: Path, number: int) -> None:
    file = file_of(tmp_path, TEXT.replace('"format": 6', f'"format": {number}'))
    issue = refused(file)
    assert (issue.code, issue.blame) == ("older-baseline", Blame.CONFIG)
    assert issue.message == f"written in format {number}, and this version reads format 6"
    assert "evaluators compare RUN --suite SUITE --update-baseline" in str(issue.hint)


def test_a_baseline_that_is_not_there_says_so(tmp_path: Path) -> None:
    issue = refused(tmp_path / "none.json")
    assert (issue.code, issue.message, issue.hint) == (
        "no-baseline",
        "the baseline cannot be read: no such file or directory",
        HINT,
    )


def test_a_baseline_of_a_later_version_asks_for_that_version(tmp_path: Path) -> None:
    file = file_of(tmp_path, TEXT.replace('"format": 6', '"format": 7'))
    assert refused(file) == Issue(
        "newer-baseline", Blame.CONFIG, "written in format 7, and this version reads up to 6", str(file),
        'pip install "path/to/structured-evaluators", with the path of a newer copy',
    )  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"fields":"=s"', '"fields":"=z"', "main.json/codes.jsonl:1: this run folder is damaged"),
        ('"checksum":"00","cluster":"a","codes":[0]', '"codes":[9]', "the table of codes has no 9 for it"),
        ('"codes":[3]', '"codes":[3,1]', "main.json/rows.jsonl:5: this run folder is damaged"),
        ('"codes":[3]', '"codes":[-3]', "Expected `int` >= 0 - at `$.codes[0]`"),
        ('"rows.jsonl"', '"rows"', "there is no rows.jsonl"),
        ('"name":"invoices",', "", "Object missing required field `name`"),
        ('"complete":true', '"complete":[]', "Expected `bool`, got `array` - at `$.complete`"),
        ('"run": {"format":2', '"run": {"format":1', "written in format 1"),
        ('{"row":6,', '{"row":5,', "row 5 comes after row 5"),
    ],
)  # fmt: skip
def test_a_damaged_baseline_says_so(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in TEXT
    issue = refused(file_of(tmp_path, TEXT.replace(old, new, 1)))
    assert issue.blame is Blame.CONFIG
    assert said in str(issue)
