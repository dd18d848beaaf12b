"""A wrong expected answer is corrected beside the test set, which stays as it is, and the next verdicts know of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit import cli, write_files
from tests.studio.serving import Page, serving

ROWS = 'id,output,expected\na,"{""x"": 1, ""y"": 2}","{""x"": 1, ""y"": 3}"\nb,"{""x"": 5}","{""x"": 6}"\n'
SUITE = (
    "test_set: data/rows.csv  # mine\nevaluators:\n  - type: json_multi_field_match\n    name: all\n    fields: [x, y]\n"
)


@pytest.fixture
def page(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    write_files(folder, {"suite.yaml": SUITE, "data/rows.csv": ROWS})
    monkeypatch.chdir(folder)
    with serving(folder) as found:
        yield found


def scored(page: Page, text: str = SUITE) -> Any:
    return page.done("score", {"text": text, "path": "suite.yaml", "tab": "one"})


def correction(found: Any, text: str = SUITE, **more: Any) -> dict[str, Any]:
    usual = {"score": found["id"], "row": 2, "evaluator": "all", "place": "y", "value": 2, "reason": "misread"}
    asked = {"text": text, "path": "suite.yaml", **usual, **more}
    return {**asked, "value": json.dumps(asked["value"])}


def test_a_corrected_answer_counts_and_the_test_set_stays_as_it_is(page: Page, folder: Path) -> None:
    found = page.done("correct", correction(scored(page)))
    assert found["path"] == "data/corrections.jsonl"
    assert found["said"] == '"a", y: 3 → 2 (misread)'
    assert found["text"] == SUITE.replace(
        "data/rows.csv  # mine", "{file: data/rows.csv, corrections: data/corrections.jsonl}  # mine"
    )
    line = json.loads((folder / found["path"]).read_text())
    assert line == {"id": "a", "path": "y", "old": 3, "new": 2, "reason": "misread"}
    assert (folder / "data/rows.csv").read_text() == ROWS
    assert [row["statuses"][0] for row in scored(page, found["text"])["table"]] == ["P", "F"]
    page.done("save", {"path": "corrected.yaml", "text": found["text"], "base": ""})
    assert "1 expected value is corrected" in " ".join(cli("run", "corrected.yaml", "--no-results").output.split())


def test_the_newest_correction_of_a_place_counts(page: Page, folder: Path) -> None:
    text = page.done("correct", correction(scored(page), value=9))["text"]
    again = page.done("correct", correction(scored(page, text), text, value=2, reason="looked again"))
    assert again["text"] == text
    assert again["said"] == '"a", y: 3 → 2 (looked again)'
    assert [row["statuses"][0] for row in scored(page, text)["table"]] == ["P", "F"]


def test_a_value_that_should_not_be_there_is_taken_out(page: Page) -> None:
    asked = correction(scored(page), row=3, place="x")
    del asked["value"]
    found = page.done("correct", asked)
    assert found["said"] == '"b", x: 6 → not there (misread)'
    whole = page.done(
        "correct", correction(scored(page, found["text"]), found["text"], row=3, place="", value='{"x": 5}')
    )
    assert [row["statuses"][0] for row in scored(page, whole["text"])["table"]] == ["F", "P"]


def test_a_number_keeps_all_its_digits(page: Page, folder: Path) -> None:
    page.done("correct", correction(scored(page), value=12345678901234567891))
    assert '"new": 12345678901234567891' in (folder / "data/corrections.jsonl").read_text()


def test_what_is_no_json_is_refused(page: Page, folder: Path) -> None:
    asked = {**correction(scored(page)), "value": "{x"}
    status, answer = page.ask("correct", asked)
    assert (status, answer["code"]) == (422, "no-value")
    assert not (folder / "data/corrections.jsonl").exists()


WHOLE = "test_set: {file: whole.csv, columns: {id: id, output: output, expected: expected}}\nevaluators: [%s]\n"


@pytest.mark.parametrize("evaluator", ["exact_match", "levenshtein"])
def test_the_whole_answer_of_an_evaluator_without_fields_is_corrected(evaluator: str, page: Page, folder: Path) -> None:
    (folder / "whole.csv").write_text("id,output,expected\na,3,4\nb,yes,yes\n")
    text = WHOLE % evaluator
    found = scored(page, text)
    assert [row["statuses"] for row in found["table"]] == ["F", "P"]
    asked = correction(found, text, evaluator=evaluator, place="", value=3)
    kept = page.done("correct", asked)
    assert kept["said"] == '"a": "4" → "3" (misread)'
    assert [row["statuses"] for row in scored(page, kept["text"])["table"]] == ["P", "P"]


def test_an_answer_with_a_column_for_each_field_is_corrected(page: Page, folder: Path) -> None:
    (folder / "columns.csv").write_text('id,output,x,y\na,"{""x"": ""1"", ""y"": ""2""}",1,3\n')
    text = (
        "test_set: {file: columns.csv, columns: {id: id, output: output}, expected: {columns: {x: x, y: y}}}\n"
        "evaluators: [{json_multi_field_match: {name: all, fields: [x, y]}}]\n"
    )
    kept = page.done("correct", correction(scored(page, text), text, value="2"))
    assert kept["said"] == '"a", y: "3" → "2" (misread)'
    assert scored(page, kept["text"])["table"][0]["statuses"][0] == "P"


def test_rows_without_ids_are_refused(page: Page, folder: Path) -> None:
    (folder / "data/rows.csv").write_text(ROWS.replace("id,", "n,"))
    status, answer = page.ask("correct", correction(scored(page)))
    assert (status, answer["code"]) == (422, "no-ids")
    assert not (folder / "data/corrections.jsonl").exists()


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"reason": " "}, "bad-correction"),
        ({"place": "a["}, ""),
        ({"evaluator": "none"}, "not-here"),
        ({"place": "x[*]"}, ""),
    ],
)
def test_a_correction_that_no_reader_would_take_is_not_written(
    more: dict[str, Any], code: str, page: Page, folder: Path
) -> None:
    status, answer = page.ask("correct", correction(scored(page), **more))
    assert status == 422, answer
    assert answer["code"] == code or not code
    assert not (folder / "data/corrections.jsonl").exists()


def test_no_row_and_a_row_whose_cells_are_others_by_now_get_no_correction(page: Page, folder: Path) -> None:
    status, answer = page.ask("correct", correction(scored(page), row=99))
    assert (status, answer["code"]) == (422, "not-here")
    more = "".join(f'{number},"{{""x"": 1}}","{{""x"": 1, ""y"": 3}}"\n' for number in range(12_000))
    (folder / "data/rows.csv").write_text(ROWS + more)
    found = page.done("score", {"text": SUITE, "path": "suite.yaml", "tab": "one", "rows": None})
    kept = page.done("correct", correction(found, row=11_000, reason="as it was"))
    assert '"10996", y: 3 → 2' in kept["said"]
    (folder / "data/corrections.jsonl").unlink()
    (folder / "data/rows.csv").write_text(ROWS + more.replace("3", "4"))
    status, answer = page.ask("correct", correction(found, row=11_000))
    assert (status, answer["code"]) == (422, "not-here")
    assert not (folder / "data/corrections.jsonl").exists()


def test_no_file_outside_of_the_folder_gets_a_correction(page: Page, folder: Path) -> None:
    text = SUITE.replace("data/rows.csv  # mine", "{file: data/rows.csv, corrections: ../up.jsonl}")
    found = scored(page)
    assert page.ask("correct", correction(found, text))[0] == 403
    assert not (folder.parent / "up.jsonl").exists()
