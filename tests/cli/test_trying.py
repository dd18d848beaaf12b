"""The command `try`: one row, and why it scores what it scores."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import Result

from evaluators.cli import command
from tests.kit import cli, folder_with

SUITE = """\
test_set: {file: rows.csv, columns: {id: doc}}
evaluators:
  - contains_json
  - json_multi_field_match:
      name: header
      needs: [contains_json]
      fields: {number: exact, city: normalized, total: {numeric: {tolerance: {abs: 0.01}}}}
"""
ROWS = """\
doc,output,expected
A,"Here: {""number"": ""7"", ""city"": ""malaga"", ""total"": 3}","{""number"": ""7"", ""city"": ""Málaga"", ""total"": 2}"
B,nothing,"{""number"": ""8"", ""city"": ""Oslo"", ""total"": 1}"
C,{},oops
"""


folder = folder_with({"suite.yaml": SUITE, "rows.csv": ROWS})


def tried(*words: str, stdin: str | None = None) -> Result:
    return cli("try", *words, stdin=stdin)


def test_the_first_row_is_shown_with_every_why() -> None:
    found = tried("suite.yaml")
    assert (found.exit_code, found.stderr) == (0, "")
    assert (
        found.stdout
        == """\
suite: row 2 of rows.csv, A
===========================

Column "output": the JSON is inside other text.

contains_json: 1, passes
------------------------
an object: found inside other text

header: 0.6667, does not pass (it takes 1)
------------------------------------------
- wrong: total
    expected: 2
    output:   3
  3 differs from 2 by 1; allowed: 0.01
  rule: numeric {tolerance: {abs: 0.01}}
- right: number = "7"
- right: city = "malaga" for "Málaga" (equal once normalised, normalized)
"""
    )


@pytest.mark.parametrize("which", [("--row", "3"), ("--id", "B")])
def test_a_row_is_chosen_by_number_or_id(which: tuple[str, str]) -> None:
    found = tried("suite.yaml", *which)
    assert found.exit_code == 0
    assert found.stdout.startswith("suite: row 3 of rows.csv, B\n")
    assert "header: 0, does not pass (it takes 1)\n" in found.stdout
    assert "blocked: contains_json did not pass\n" in found.stdout


def test_an_expected_cell_that_cannot_be_read_ends_in_3() -> None:
    found = tried("suite.yaml", "--row", "4")
    assert found.exit_code == 3
    assert "header: no score (the test set is at fault)\n" in found.stdout


def test_a_row_that_is_not_there() -> None:
    found = tried("suite.yaml", "--row", "1")
    assert found.exit_code == 2
    assert found.stderr == (
        "rows.csv: there is no row 1\n  hint: rows are numbered as in a spreadsheet, from 2 to 4\n1 problem found.\n"
    )
    assert 'no row has the id "Z"' in tried("suite.yaml", "--id", "Z").stderr


def test_a_type_is_tried_without_a_file() -> None:
    found = tried("length", "--set", "max=5", "--output", "too long")
    assert found.exit_code == 0
    assert (
        found.stdout
        == """\
length
======

length: 0, does not pass (it takes 1)
-------------------------------------
8 characters, 3 too many
"""
    )


def test_settings_are_written_as_in_yaml() -> None:
    settings = ("--set", "fields={total: {numeric: {tolerance: {abs: 0.5}}}}", "--set", "pass_at=0.5")
    found = tried("json_multi_field_match", *settings, "--output", '{"total": 1.2}', "--expected", '{"total": 1}')
    assert "json_multi_field_match: 1, passes\n" in found.stdout
    assert "- right: total = 1.2 for 1 (1.2 differs from 1 by 0.2; allowed: 0.5, numeric)" in found.stdout


def test_what_differs_in_a_document_is_said_once() -> None:
    found = tried("json_diff_match", "--output", '```json\n{"a": 1}\n```', "--expected", '{"a": 2}')
    assert 'Column "output": the JSON is inside a code fence.\n' in found.stdout
    assert "- wrong: a\n    expected: 2\n    output:   1\n" in found.stdout
    assert "In words" not in found.stdout


def test_what_differs_inside_a_field_is_said_in_words() -> None:
    documents = "--output", '{"a": {"b": [1, 3]}}', "--expected", '{"a": {"b": [1, 2, 3], "c": 4}}'
    found = tried("json_multi_field_match", "--set", "fields=[a]", *documents)
    assert "the objects differ: b[1] removed: 2; c removed: 4" in found.stdout


def test_values_come_from_files_and_standard_input(folder: Path) -> None:
    (folder / "answer.txt").write_text("Paris", encoding="utf-8")
    found = tried("exact_match", "--output", "-", "--expected", "@answer.txt", stdin="Paris")
    assert "exact_match: 1, passes\n" in found.stdout
    missing = tried("exact_match", "--output", "a", "--expected", "@answr.txt")
    assert (missing.exit_code, missing.stderr) == (
        2, "answr.txt: the file cannot be read: no such file or directory\n1 problem found.\n"
    )  # fmt: skip


def test_other_columns_are_given_by_name() -> None:
    words = ("keywords", "--set", "keywords={column: must, separator: ;}", "--output", "red and blue")
    assert "keywords: 0.5, does not pass" in tried(*words, "--column", "must=red;green").stdout
    without = tried(*words)
    assert (without.exit_code, without.stderr) == (
        2,
        'the column "must" is read, and no value is given for it\n  hint: add --column must=TEXT\n1 problem found.\n',
    )


def test_a_value_that_is_read_must_be_given() -> None:
    found = tried("exact_match", "--output", "a")
    assert (found.exit_code, found.stderr) == (
        2, 'the column "expected" is read, and no value is given for it\n  hint: add --expected TEXT\n1 problem found.\n'
    )  # fmt: skip


def test_a_wrong_setting_is_placed_where_it_was_written() -> None:
    found = tried("length", "--set", "maxx=5", "--output", "a")
    assert (found.exit_code, found.stderr) == (
        2,
        '--set maxx: unknown setting "maxx" for evaluator "length"\n  hint: did you mean "max"?\n1 problem found.\n',
    )
    broken = tried("contains_any", "--set", "substrings=[a", "--output", "a")
    assert broken.exit_code == 2
    assert broken.stderr.startswith("--set substrings: ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("numeric", "--output", "1"), '"numeric" is a comparator, and evaluators are tried'),
        (("exact_mach", "--output", "1"), 'did you mean "exact_match"?'),
        (("suite.yaml", "--set", "a=1"), "--set goes with the name of an evaluator type"),
        (("suite.yaml", "--row", "2", "--output", "a"), "--row names a row of a test set"),
        (("suite.yaml", "--row", "2", "--id", "A"), "--row and --id both name a row"),
        (("suite.yaml", "--variant", "x"), 'the test set has no variant "x"'),
        (("length", "--set", "max", "--output", "a"), '"max" does not give a setting a value'),
        (("exact_match",), "there is no test set"),
    ],
)
def test_a_mistaken_command_is_explained(words: tuple[str, ...], said: str) -> None:
    found = tried(*words)
    assert found.exit_code == 2
    assert said in found.stderr


def test_a_word_of_another_system_is_tried_as_todays_type() -> None:
    assert "exact_match: 1, passes" in tried("auto_exact_match", "--output", "a", "--expected", "a").stdout


def test_the_output_of_a_variant_is_tried(folder: Path) -> None:
    (folder / "outputs").mkdir()
    for name, answer in (("large", "yes"), ("small", "no")):
        (folder / "outputs" / f"{name}.csv").write_text(f"id,output\n1,{answer}\n", encoding="utf-8")
    (folder / "asked.csv").write_text("id,expected\n1,yes\n", encoding="utf-8")
    (folder / "both.yaml").write_text(
        "test_set: {file: asked.csv, outputs: outputs}\nevaluators: [exact_match]\n", encoding="utf-8"
    )
    assert "exact_match: 1, passes" in tried("both.yaml").stdout
    assert "exact_match: 0, does not pass" in tried("both.yaml", "--variant", "small").stdout
    wrong = tried("both.yaml", "--variant", "smal")
    assert (wrong.exit_code, 'did you mean "small"?' in wrong.stderr) == (2, True)


def test_the_shell_is_offered_types_and_suites() -> None:
    from click.shell_completion import ShellComplete

    offered = ShellComplete(command, {}, "evaluators", "_EVALUATORS_COMPLETE").get_completions
    assert [item.value for item in offered(["try"], "length")] == ["length"]
    assert "suite.yaml" in [item.value for item in offered(["try"], "su")]
    assert "fuzzy" in [item.value for item in offered(["explain"], "fu")]


def test_which_of_several_documents_was_taken_is_said(folder: Path) -> None:
    output = '<think>{"number": "1"}</think>As {"number": "2"}, so {"number": "7"}'
    found = tried("suite.yaml", "--output", output, "--expected", '{"number": "7"}')
    said = "the JSON is inside other text. It is number 2 of 2 JSON documents there. "
    assert f'Column "output": {said}The reasoning in its tags is set aside first.' in " ".join(found.stdout.split())
    assert '- right: number = "7"\n' in found.stdout


def test_why_several_documents_are_refused_is_said(folder: Path) -> None:
    found = tried("json_diff_match", "--set", "pick=only", "--output", "{} or {}", "--expected", "{}")
    assert 'Column "output": the output is not usable JSON: the text holds 2 JSON documents' in found.stdout
