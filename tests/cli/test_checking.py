"""The command `check`: the suite alone, and the suite beside its rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import Result

from tests.kit import cli, folder_with

SUITE = """\
test_set: rows.csv
evaluators:
  - contains_json
  - json_multi_field_match: {name: header, fields: [name, adress.city]}
gates:
  header: {fail_below: 1}
"""
ROWS = """\
output;expected
{"name": "Ann", "address": {"city": "Oslo"}};{"name": "Ann", "address": {"city": "Oslo"}}
sorry;{"name": "Bo"}
{"name": "Cy"};{"name": "Cy"
"""


folder = folder_with({"suite.yaml": SUITE, "rows.csv": ROWS})


def check(*words: str) -> Result:
    return cli("check", *words)


def test_a_suite_without_problems_says_what_it_holds(folder: Path) -> None:
    (folder / "suite.yaml").write_text(SUITE.replace("test_set: rows.csv\n", ""), encoding="utf-8")
    found = check("suite.yaml")
    assert (found.exit_code, found.stdout, found.stderr) == (0, "suite.yaml: no problems; 2 evaluators, 1 gate\n", "")


def test_a_test_set_that_is_there_is_looked_at_unasked(folder: Path) -> None:
    assert check("suite.yaml").output == check("suite.yaml", "--with-data").output
    assert check("suite.yaml").exit_code == 3
    (folder / "rows.csv").unlink()
    assert check("suite.yaml").stdout.startswith("suite.yaml: no problems; 2 evaluators, 1 gate\nwarning: ")


def test_every_problem_of_a_suite_is_shown_at_once(folder: Path) -> None:
    (folder / "bad.yaml").write_text(
        "evaluators:\n  - exact_mach\n  - length: {max: '40'}\nslice: [row.a]\n", encoding="utf-8"
    )
    found = check("bad.yaml")
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == (
        'bad.yaml:2:5: unknown evaluator type "exact_mach"\n'
        "    - exact_mach\n"
        "      ^\n"
        '  hint: did you mean "exact_match"?\n'
        'bad.yaml:3:19: "max" must be a whole number; found the text "40"\n'
        "    - length: {max: '40'}\n"
        "                    ^\n"
        '  hint: "40" is in quotes, so it is text; remove the quotes\n'
        'bad.yaml:4:1: unknown setting "slice"\n'
        "  slice: [row.a]\n"
        "  ^\n"
        '  hint: did you mean "slices"?\n'
        "3 problems found.\n"
    )


def test_a_gate_about_a_field_that_is_not_listed_is_a_problem(folder: Path) -> None:
    (folder / "suite.yaml").write_text(SUITE.replace("  header: {", "  header.nane: {"), encoding="utf-8")
    found = check("suite.yaml")
    assert found.exit_code == 2
    assert found.stderr == (
        'suite.yaml:6:3: the gate "header.nane" names the field "nane", and the evaluator "header" has none of that path\n'
        "    header.nane: {fail_below: 1}\n"
        "    ^\n"
        '  hint: did you mean "name"?\n'
        "1 problem found.\n"
    )


def test_the_rows_are_looked_at_when_asked() -> None:
    found = check("suite.yaml", "--with-data")
    assert found.exit_code == 3
    assert found.stdout == (
        "suite.yaml: the suite itself has no problems; 2 evaluators, 1 gate\n"
        "rows.csv: looked at all 3 rows\n"
        "columns: output = output, expected = expected\n"
        "note: rows.csv: the columns are separated by a semicolon\n"
        "note: {} in place of every output would score: contains_json 1.0000 (3 rows), header 0.0000 (2 rows)\n"
        "note: header: 1 row has an output that holds no usable JSON: it scores 0\n"
    )
    assert found.stderr == (
        'rows.csv row 4, column "expected": not JSON: the text ends inside the value at character 14\n'
        "  hint: the expected cell must hold JSON and nothing else; in a CSV file, JSON with commas is quoted\n"
        'suite.yaml:4:59: "header": the field "adress.city" was found in no row, so it measured nothing\n'
        '  hint: did you mean "address.city"?\n'
        "2 problems found.\n"
    )


@pytest.mark.parametrize("output", ["n/a", "2024-01-31", "never"])
def test_an_expected_value_that_a_comparator_cannot_read_is_named_whatever_the_output_is(
    folder: Path, output: str
) -> None:
    (folder / "due.csv").write_text(
        f'''output,expected
"{{""due"": ""2024-01-31""}}","{{""due"": ""2024-01-31""}}"
"{{""due"": ""{output}""}}","{{""due"": ""n/a""}}"
''',
        encoding="utf-8",
    )
    (folder / "due.yaml").write_text(
        "test_set: due.csv\nevaluators: [{json_multi_field_match: {fields: {due: date}}}]\n", encoding="utf-8"
    )
    found = check("due.yaml", "--with-data")
    assert found.exit_code == 3
    assert found.stderr == (
        'due.csv row 3, column "expected": field "due": the expected value "n/a" is not a date written as '
        "ISO 8601 (2024-05-31)\n"
        "  hint: correct it, or add its format\n"
        "1 problem found.\n"
    )


def test_a_partial_look_only_warns_of_gaps(folder: Path) -> None:
    lines = ['"{""name"": 1}","{""name"": 1}"'] * 250 + ['"{""name"": 1, ""late"": 2}","{""name"": 1, ""late"": 2}"']
    (folder / "long.csv").write_text("\n".join(["output,expected", *lines]) + "\n", encoding="utf-8")
    (folder / "late.yaml").write_text(SUITE.replace("adress.city", "late"), encoding="utf-8")
    first = check("late.yaml", "long.csv")
    assert first.exit_code == 0
    assert "looked at the first 200 rows; --all looks at every row\n" in first.stdout
    assert 'warning: late.yaml:4:59: "header": the field "late" was found in no row' in first.stdout
    whole = check("late.yaml", "long.csv", "--all")
    assert whole.exit_code == 0
    assert "looked at all 251 rows\n" in whole.stdout
    assert "warning" not in whole.stdout


def test_many_problems_of_a_kind_are_counted(folder: Path) -> None:
    (folder / "worse.csv").write_text("output,expected\n" + "{},oops\n" * 30, encoding="utf-8")
    found = check("suite.yaml", "worse.csv")
    assert found.exit_code == 3
    assert "warning: 30 problems of this kind, 5 of them are shown below, such as: not JSON" in found.stdout


def test_a_file_without_rows_measures_nothing(folder: Path) -> None:
    (folder / "none.csv").write_text("output,expected\n", encoding="utf-8")
    found = check("suite.yaml", "none.csv")
    assert found.exit_code == 3
    assert found.stderr == "none.csv: there are no rows, so nothing can be measured\n1 problem found.\n"


def test_an_evaluator_that_leaves_out_every_row_is_named(folder: Path) -> None:
    (folder / "never.yaml").write_text(
        "evaluators:\n  - length: {when: {row.expected: nobody}}\n  - contains_json\n", encoding="utf-8"
    )
    found = check("never.yaml", "rows.csv")
    assert found.exit_code == 3
    assert 'never.yaml:2:5: "length" measured nothing' in found.stderr


def test_a_test_set_that_is_not_there_is_a_warning(folder: Path) -> None:
    (folder / "away.yaml").write_text("test_set: row.csv\nevaluators: [contains_json]\n", encoding="utf-8")
    found = check("away.yaml")
    assert found.exit_code == 0
    assert found.stdout == (
        "away.yaml: no problems; 1 evaluator, 0 gates\n"
        'warning: away.yaml:1:11: there is no such file: "row.csv"\n'
        '  hint: did you mean "rows.csv"?\n'
        "  `evaluators run` needs it, unless the command line names another test set\n"
        "Not looked at: rows, columns, and whether the fields are in them.\n"
    )


def test_every_place_of_a_test_set_that_is_not_there_is_named(folder: Path) -> None:
    (folder / "away.yaml").write_text(
        "test_set:\n  expected: gold/*.json\n  outputs: {a: one, b: {file: two.csv}, c: rows.csv}\n"
        "evaluators: [contains_json]\n",
        encoding="utf-8",
    )
    found = check("away.yaml")
    assert found.exit_code == 0
    assert 'away.yaml:2:13: no file fits the pattern "gold/*.json"' in found.stdout
    assert 'away.yaml:3:16: there is no such file: "one"' in found.stdout
    assert 'away.yaml:3:31: there is no such file: "two.csv"' in found.stdout


def test_a_key_that_an_expected_answer_has_twice_is_a_warning(folder: Path) -> None:
    (folder / "twice.csv").write_text(
        'output,expected\n{},{}\n"{""a"": 1}","{""a"": 1, ""b"": [{""c"": 1, ""c"": 1}], ""b"": 2}"\n'
        + '{},"{""d"":1,""d"":1}"\n' * 6,
        encoding="utf-8",
    )
    (folder / "diff.yaml").write_text("evaluators: [json_diff_match]\n", encoding="utf-8")
    found = check("diff.yaml", "twice.csv")
    assert found.exit_code == 0
    assert 'warning: twice.csv row 3, column "expected": a key is given twice in one object: "b"' in found.stdout
    assert "warning: twice.csv: 2 more rows have a key twice in one object\n" in found.stdout
    assert "The suite fits the test set." in found.stdout


def test_an_output_without_the_place_of_the_suite_is_not_only_called_no_json(folder: Path) -> None:
    (folder / "at.yaml").write_text("evaluators:\n  - exact_match: {name: total, output_at: a.total}\n", encoding="utf-8")
    (folder / "at.csv").write_text("output,expected\n{},1\n" + '"{""a"": {""total"": 1}}",1\n', encoding="utf-8")
    said = 'note: total: 1 row has an output that holds no usable JSON, or nothing at "a.total": it scores 0\n'
    assert said in check("at.yaml", "at.csv").stdout
