"""What trackers say of rows and settings, for the table whose rows end in each way in which a row can end."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from evaluators.reports.rows import FieldView, row_views, scores_of, wrong_rows_first
from evaluators.reports.tracking.attachments import environment_of, flat_params, note_of, row_table
from evaluators.runs.reader import Run
from tests.hosts.table import Figures, Found, assert_same_rows


@pytest.fixture
def record(ours: Figures) -> Run:
    return ours.record


def of_row(record: Run, id: str) -> dict[str, FieldView]:
    (row,) = (one for one in row_views(record) if one.id == id)
    return {one.name: one for one in scores_of(record, row)}


def test_every_row_is_assessed_by_every_evaluator_as_the_run_did(ours: Figures, record: Run) -> None:
    found = {
        row.id: {
            str(each.evaluator): Found(each.score, each.issue is not None)
            for each in scores_of(record, row)
            if each.path is None
        }
        for row in row_views(record)
    }
    assert_same_rows(found, ours)


def test_fields_are_assessed_by_the_paths_of_the_suite(ours: Figures, record: Run) -> None:
    for row in row_views(record):
        for name in ("header", "page"):
            fields = {
                one.path: one.label for one in scores_of(record, row) if one.evaluator == name and one.path is not None
            }
            assert fields == ours.rows[row.id][name].fields


def test_a_field_has_a_score_a_word_and_a_reason(record: Run) -> None:
    price = of_row(record, "lacking")["page/field/items.each.price"]
    assert (price.path, price.score, price.label, price.passed) == ("items[*].price", 0.5, "omission", False)
    assert price.reason == "items[1].price: missing in the output"
    number = of_row(record, "wrong")["header/field/number"]
    assert (number.score, number.label, number.reason) == (0.0, "mismatch", '"A-7" differs from "A-2"')


def test_what_was_not_measured_has_an_error_and_no_number(record: Run) -> None:
    judged = of_row(record, "judge failed")
    header, note = judged["header"], judged["header/field/note"]
    assert (header.score, header.label, header.passed) == (None, "unjudged", None)
    assert (note.score, note.label, note.passed) == (None, "not_judged", None)
    assert header.issue is not None
    assert header.issue.message == "the judge gave no answer"
    assert note.issue == header.issue
    assert judged["header/field/number"].score == 1.0
    skipped = of_row(record, "skipped")["header"]
    assert (skipped.score, skipped.issue, skipped.is_measured) == (None, None, False)


@pytest.mark.parametrize(
    ("most", "ids"),
    [
        (0, []),
        (3, ["wrong", "lacking", "unreadable"]),
        (8, ["wrong", "lacking", "unreadable", "invalid", "blocked", "judge failed", "fenced", "right"]),
        (99, ["wrong", "lacking", "unreadable", "invalid", "blocked", "judge failed", "fenced", "right", "skipped"]),
    ],
)
def test_rows_with_something_wrong_go_first(record: Run, most: int, ids: list[str]) -> None:
    assert [row.id for row in wrong_rows_first(row_views(record), most)] == ids


def test_the_table_has_every_row_and_the_paths_as_they_are(ours: Figures, record: Run) -> None:
    table = row_table(record)
    lines = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    assert_same_rows(
        {
            line["id"]: {
                name: Found(line[f"{name}.score"], line[f"{name}.status"] in ("invalid", "unjudged"))
                for name in ours.evaluators
            }
            for line in lines
        },
        ours,
    )
    json.dumps(table, allow_nan=False)
    lacking = next(line for line in lines if line["id"] == "lacking")
    assert (lacking["page.items[*].price"], lacking["page.items[*].price.score"]) == ("omission", 0.5)
    assert (lacking["header.status"], lacking["header.passed"]) == ("failed", False)
    assert lacking["supplier"] == "R&D [north]"
    assert [name for name in table["columns"] if name.startswith("slice ") or name.endswith(")")] == []
    assert lacking["row"] == 4
    assert len({*table["columns"]}) == len(table["columns"])


def test_settings_have_names_without_brackets_and_values_with_the_path(record: Run) -> None:
    params = flat_params(record)
    assert params["evaluator/header/field/items.each.price"] == '{"items[*].price": numeric}'
    assert params["evaluator/short/type"] == "length"
    assert params["evaluator/short/setting/max"] == "200"
    assert params["suite/slices"] == "[row.supplier]"
    assert params["run/test_set_fingerprint"] == record.result.data_fingerprint
    assert not any(set(name) & set("[]*$") for name in params)


def test_the_machine_is_known_only_to_who_asks(record: Run, ours: Figures) -> None:
    told = environment_of(record)
    assert record.result.environment is not None
    assert told["host"] == record.result.environment.host
    assert told["folder"] == record.result.environment.folder
    for text in (json.dumps(flat_params(record)), json.dumps(row_table(record)), note_of(record, 8000)):
        assert told["folder"] not in text
    assert environment_of(record.but(result=replace(record.result, environment=None))) == {}


def test_a_note_has_the_sections_that_have_room(record: Run) -> None:
    whole, cut = note_of(record, 100_000), note_of(record, 1_000)
    assert whole.startswith("# table: FAILED")
    assert "## Result" in whole
    assert len(cut) <= 1_000
    assert "## Gates" in cut
    assert cut.endswith("The rest is in the run's report.\n")
