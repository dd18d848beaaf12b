"""A suite for data is the one that `init` writes, and what the data does not settle is asked and never guessed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit import cli, write_files
from tests.studio.serving import Page, serving

USUAL = "id,question,output,expected,cost\n" + "".join(
    f'{number},what?,"{{""a"": {number}}}","{{""a"": {number}}}",0.{number}\n' for number in range(1, 30)
)
UNCLEAR = "one,two\nfoo,foo\nbar,baz\nqux,qux\n"
SEVERAL = "id,name_output,name_expected,age_output,age_expected\n" + "".join(
    f"{n},Ann,Ann,{n},{n}\n" for n in range(1, 9)
)
QUESTION = "Which column is the expected answer?"


@pytest.fixture
def page(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    write_files(
        folder, {"usual.csv": USUAL, "unclear.csv": UNCLEAR, "several.csv": SEVERAL, "<b>.csv": "<img src=x>,b\n1,2\n"}
    )
    monkeypatch.chdir(folder)
    with serving(folder) as found:
        yield found


def columns(data: Any) -> dict[str, tuple[str, str]]:
    return {one["name"]: (one.get("role", ""), one.get("why", "")) for one in data["columns"]}


def test_the_suite_is_the_one_that_init_writes(page: Page) -> None:
    found = page.done("draft", {"path": "usual.csv"})
    assert cli(*found["command"].split()[1:]).exit_code == 0
    written = Path("usual.yaml").read_text()
    assert written.endswith(found["text"])
    assert found["path"] == "usual.yaml"
    assert page.done("read", {"text": found["text"], "path": found["path"]})["form"]["checks"]


def test_every_column_says_what_it_was_taken_for_and_why(page: Page) -> None:
    data = page.done("open", {"path": "usual.csv"})["data"]
    assert columns(data) == {
        "id": ("id", "a usual name for it"), "question": ("input", "a usual name for it"),
        "output": ("output", "a usual name for it"), "expected": ("expected", "a usual name for it"),
        "cost": ("", "a number about the call"),
    }  # fmt: skip
    assert data["columns"][0]["samples"] == ["1", "2", "3"]
    assert data["rows"][0] == ["1", "what?", '{"a": 1}', '{"a": 1}', "0.1"]
    assert (len(data["rows"]), data["questions"]) == (20, [])


def test_columns_with_several_labels_in_a_cell_have_their_roles(page: Page) -> None:
    Path("labels.csv").write_text("id,gold,pred\n1,a;b,b;a\n2,a,a\n3,a;b,b\n4,b,b\n")
    found = page.done("draft", {"path": "labels.csv"})
    assert columns(found["data"]) == {
        "id": ("id", "a usual name for it"), "gold": ("expected", "several labels in a cell"),
        "pred": ("output", "several labels in a cell"),
    }  # fmt: skip
    assert 'split: {at: ";"}' in found["text"]


def test_what_nothing_points_to_is_asked_with_cells_beside_every_name(page: Page) -> None:
    found = page.done("draft", {"path": "unclear.csv"})
    (question,) = found["data"]["questions"]
    assert (found["text"], question.get("chosen", ""), question["role"]) == ("", "", "expected")
    assert question["answers"][:2] == ["one", "two"]
    assert question["hints"] == ['"foo", "bar", "qux"', '"foo", "baz", "qux"']
    answered = page.done("draft", {"path": "unclear.csv", "answers": {question["text"]: "two"}})
    assert "expected: two" in answered["text"]
    chosen = page.done("draft", {"path": "unclear.csv", "roles": {"output": "two", "expected": "one"}})
    assert columns(chosen["data"]) == {"one": ("expected", "as you said"), "two": ("output", "as you said")}
    assert chosen["command"] == "evaluators init unclear.csv --columns output=two --columns expected=one"


def test_an_answer_that_is_none_leaves_the_question_open(page: Page) -> None:
    found = page.done("draft", {"path": "unclear.csv", "answers": {QUESTION: "three"}})
    assert found["text"] == ""


def test_several_outputs_side_by_side_are_seen_as_such(page: Page) -> None:
    found = page.done("draft", {"path": "several.csv"})
    assert columns(found["data"])["age_expected"] == ("", "the expected answer of age")
    assert 'several outputs stand beside their expected answers: "name_output"' in found["data"]["notes"][0]
    assert len(page.done("read", {"text": found["text"], "path": found["path"]})["form"]["checks"]) == 2


def test_a_suite_comes_with_the_rows_that_it_names(page: Page) -> None:
    write_files(
        Path(),
        {"a/suite.yaml": "test_set: {file: ../usual.csv, columns: {output: output}}\nevaluators: [contains_json]\n"},
    )
    found = page.done("open", {"path": "a/suite.yaml"})
    assert found["data"]["path"] == "usual.csv"
    assert columns(found["data"])["output"] == ("output", "the suite says so")
    assert found["command"] == "evaluators check a/suite.yaml"


def test_markup_in_names_is_text(page: Page) -> None:
    data = page.done("open", {"path": "<b>.csv"})["data"]
    assert [one["name"] for one in data["columns"]] == ["<img src=x>", "b"]


def test_what_cannot_be_read_is_said(page: Page) -> None:
    write_files(Path(), {"empty.csv": "", "x.yaml": "a: [\n"})
    assert page.ask("open", {"path": "empty.csv"})[0] == 422
    assert page.ask("open", {"path": "none.csv"})[0] == 422
    assert page.done("open", {"path": "x.yaml"})["data"] is None


@pytest.mark.parametrize("name", ["titled.csv", "titled.xlsx"])
def test_a_title_above_the_names_of_the_columns_is_a_question(name: str, page: Page, folder: Path) -> None:
    rows = [["Invoices of March"], [], ["id", "output", "expected"], *([str(n), "ham", "ham"] for n in range(1, 9))]
    if name.endswith("xlsx"):
        book = pytest.importorskip("openpyxl").Workbook()
        for row in rows:
            book.active.append(row)
        book.save(folder / name)
    else:
        write_files(folder, {name: "\n".join(map(",".join, rows))})
    found = page.done("open", {"path": name})["drafted"]
    (question,) = found["data"]["questions"]
    assert (question["answers"], question["chosen"]) == (["row 3", "row 1"], "row 3")
    assert [one["name"] for one in found["data"]["columns"]] == ["id", "output", "expected"]
    assert "header_row: 3" in found["text"]
    assert found["command"].endswith("--header-row 3")
    found = page.done("draft", {"path": name, "answers": {question["text"]: "row 1"}})
    assert next(one["name"] for one in found["data"]["columns"]) == "Invoices of March"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("short.csv", "id,output,expected\n1,ham,ham\n2,ham\n3,ham,ham\n"),
        ("short.jsonl", '{"output": "ham", "expected": "ham"}\n{"output": "ham"}\nno row\n' * 2),
    ],
)
def test_rows_that_lack_cells_are_shown_with_what_is_wrong(name: str, text: str, page: Page, folder: Path) -> None:
    write_files(folder, {name: text})
    rows = page.done("open", {"path": name})["data"]["rows"]
    assert len(rows) == text.count("\n") - name.endswith("csv")
    assert rows[1][-1] == "" or "cells" in rows[1][-1]
