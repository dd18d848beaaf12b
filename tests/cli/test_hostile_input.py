"""What once ended in a traceback, or was called a bug: each is said in words, with the exit code of whoever is to blame."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from evaluators.api.loading import loads
from evaluators.model.issues import Blame, Problems
from evaluators.scoring.fields.metrics import scored_nodes
from evaluators.testsets.byte_source import locate
from evaluators.testsets.reader import Split
from evaluators.testsets.readers.csv import Csv
from tests.kit import cli, folder_with, write_rows

ROWS = 'id,output,expected\n1,"{""a"":1}","{""a"":1}"\n'
NOT_UTF8 = os.fsdecode(b"\xff")


folder = folder_with({"rows.csv": ROWS, "suite.yaml": "test_set: rows.csv\nevaluators: [exact_match]\n"})


@pytest.mark.parametrize("choice", ["oneOf", "anyOf"])
def test_a_branch_that_leads_back_to_its_own_choice_is_refused(choice: str) -> None:
    schema = {choice: [{"properties": {"a": {"evaluation_config": "fuzzy"}}, "allOf": [{"$ref": "#"}]}]}
    with pytest.raises(Problems) as caught:
        loads(json.dumps({"evaluators": [{"schema_match": {"schema": schema}}]}))
    assert [issue.message for issue in caught.value.issues] == ['$ref "#" leads to itself and says nothing else']


def test_a_reference_with_more_beside_it_may_lead_back_from_further_down() -> None:
    more = {"$ref": "#", "properties": {"a": {"evaluation_config": "string_exact"}}}
    schema = {"type": "object", "properties": {"next": {"anyOf": [more, {"type": "null"}]}}}
    loads(json.dumps({"evaluators": [{"schema_match": {"schema": schema, "dialect": "evaluation_config"}}]}))


@pytest.mark.parametrize("keyword", ["items", "additionalProperties"])
def test_lists_inside_lists_without_end_cost_next_to_nothing(keyword: str) -> None:
    schema = {"type": "array" if keyword == "items" else "object", keyword: {"$ref": "#"}}
    suite = loads(json.dumps({"evaluators": [{"schema_match": {"schema": schema, "dialect": "x-eval"}}]}))
    assert len(list(scored_nodes(suite.lines[0].settings.scored_fields().tree.root))) < 20


@pytest.mark.parametrize(
    "row", [{"": "a"}, {"output": "{}", "\ud800": "{}"}, {"": "1", "\ud800": "2", "output": "{}", "expected": "{}"}]
)
def test_a_first_suite_for_keys_that_no_suite_can_name(row: dict[str, str]) -> None:
    write_rows(Path("data.jsonl"), [row])
    done = cli("init", "data.jsonl")
    assert done.exit_code == (0 if "output" in row else 2), done.stderr
    if "output" in row:
        assert cli("run", "data.yaml", "--name", "first").exit_code == 0
        for words in (["report"], ["advice"], ["track", "--to", "files"]):
            assert cli(words[0], "runs/first", *words[1:]).exit_code == 0


def test_a_format_with_a_space_behind_it_is_no_format() -> None:
    Path("suite.yaml").write_text('evaluators: [exact_match]\nresults: {formats: [json, "csv "]}\n', encoding="utf-8")
    done = cli("check", "suite.yaml")
    assert done.exit_code == 2
    assert 'suite.yaml:2:27: unknown report format "csv "' in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["run", "suite.yaml", f"{NOT_UTF8}.csv"], ["run", "suite.yaml", "--outputs-from", f"{NOT_UTF8}.csv"],
        ["check", "suite.yaml", f"{NOT_UTF8}.csv"], ["init", f"{NOT_UTF8}.csv"], ["infer-schema", f"{NOT_UTF8}.csv"],
    ],
)  # fmt: skip
def test_a_name_that_is_not_utf_8_is_said_to_be_that(words: list[str]) -> None:
    try:
        shutil.copy("rows.csv", f"{NOT_UTF8}.csv")
    except OSError:
        pytest.skip("this system has no such names")
    done = cli(*words)
    assert done.exit_code == 2
    assert "must be text in UTF-8" in done.stderr


def test_a_suite_and_a_folder_of_files_whose_names_are_not_utf_8_give_a_run_that_can_be_read() -> None:
    Path("rows").mkdir()
    try:
        shutil.copy("rows.csv", f"rows/{NOT_UTF8}.csv")
    except OSError:
        pytest.skip("this system has no such names")
    shutil.copy("suite.yaml", f"{NOT_UTF8}.yaml")
    assert cli("run", f"{NOT_UTF8}.yaml", "rows", "--name", "odd").exit_code == 0
    for words in (["report"], ["advice"], ["track", "--to", "files"]):
        done = cli(words[0], "runs/odd", *words[1:])
        assert done.exit_code == 0, done.stderr


def test_a_name_too_long_for_the_system_has_its_place() -> None:
    Path("suite.yaml").write_text(f"evaluators: [exact_match]\nextends: {'a' * 300}\n", encoding="utf-8")
    done = cli("check", "suite.yaml")
    assert done.exit_code == 2
    assert done.stderr.startswith('suite.yaml:2:10: "aaa')
    assert "the file cannot be read: File name too long" in done.stderr


def test_a_file_that_became_shorter_while_it_was_read_is_the_fault_of_neither() -> None:
    table = Csv.open(locate("rows.csv", Path()))
    with pytest.raises(Problems) as caught:
        list(table.read(Split("rows.csv", 0, 19, 10_000), ["output"]))
    assert [(issue.code, issue.blame) for issue in caught.value.issues] == [("unreadable-file", Blame.ENVIRONMENT)]


def test_a_record_without_the_columns_of_an_evaluator_is_damaged() -> None:
    Path("suite.yaml").write_text("test_set: rows.csv\nevaluators: [exact_match: {labels: [a, b]}]\n", encoding="utf-8")
    assert cli("run", "suite.yaml", "--name", "it").exit_code in (0, 3)
    file = Path("runs/it/run.json")
    body = json.loads(file.read_text(encoding="utf-8"))
    body["record"]["evaluators"][0]["readings"] = []
    file.write_text(json.dumps(body), encoding="utf-8")
    for words in (["report"], ["advice"], ["report", "-o", "page.html"]):
        done = cli(words[0], "runs/it", *words[1:])
        assert done.exit_code in (0, 2), done.stderr
        assert "bug" not in done.stderr
    assert "run.json: this run folder is damaged" in cli("advice", "runs/it").stderr


@pytest.mark.parametrize("words", [["track", "--to", "files"], ["advice"], ["report"], ["compare", "runs/it"]])
def test_a_recorded_suite_that_is_not_utf_8_is_said_or_not_needed(words: list[str]) -> None:
    cli("run", "suite.yaml", "--name", "it")
    with open("runs/it/suite/suite.yaml", "ab") as stream:
        stream.write(b"\xff")
    done = cli(words[0], "runs/it", *words[1:])
    assert done.exit_code in (0, 2)
    assert done.exit_code == 0 or "the file is not UTF-8 text" in done.stderr
