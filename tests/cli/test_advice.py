"""The command `advice`: the suggestions of a run that has ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit import cli, folder_with

SUITE = """\
test_set: rows.csv
evaluators:
  - json_multi_field_match: {name: fields, fields: [city]}
  - name: by_schema
    type: schema_match
    schema: {type: object, properties: {city: {type: string}}}
"""


folder = folder_with({
    "suite.yaml": SUITE, "rows.csv": 'output,expected\n"{""city"": ""ROME""}","{""city"": ""Rome""}"\n',
})  # fmt: skip


def test_the_changes_are_listed_with_the_line_to_write() -> None:
    assert cli("run", "suite.yaml", "--name", "one", "-q").exit_code == 0
    found = cli("advice", "runs/one")
    assert (found.exit_code, found.stdout.split("changed.\n")[1]) == (
        0,
        (
            "- fields: `case: ignore` on city would turn the only wrong value right; see row 2\n"
            "    city: {normalized: {case: ignore, accents: keep, whitespace: keep}}\n"
            "- by_schema: `case: ignore` on city would turn the only wrong value right; see row 2\n"
            "\nAn empty answer\n---------------\n"
            "{} in place of every output would score: fields 0.0000 (1 row), by_schema 0.0000 (1 row).\n"
        ),
    )


@pytest.mark.parametrize("suffix", ["md", "txt", "html"])
def test_a_report_of_the_run_has_them_too(suffix: str) -> None:
    cli("run", "suite.yaml", "--name", "one", "-q", "-o", f"first.{suffix}")
    assert cli("report", "runs/one", "-o", f"again.{suffix}").exit_code == 0
    first, again = (Path(f"{name}.{suffix}").read_text(encoding="utf-8") for name in ("first", "again"))
    assert suffix == "html" or ("Suggestions" in first and "Suggestions" in again)


def test_the_suite_of_the_run_is_the_one_that_its_folder_holds(folder: Path) -> None:
    cli("run", "suite.yaml", "--name", "one", "-q")
    before = cli("advice", "runs/one").stdout
    (folder / "suite.yaml").write_text(SUITE.replace("[city]", "[town]"), encoding="utf-8")
    (folder / "rows.csv").unlink()
    assert cli("advice", "runs/one").stdout == before


def test_a_suite_that_needs_what_is_not_here_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROWS_FILE", "rows.csv")
    (folder / "suite.yaml").write_text(SUITE.replace("rows.csv", "${ROWS_FILE}"), encoding="utf-8")
    assert cli("run", "suite.yaml", "--name", "one", "-q").exit_code == 0
    monkeypatch.delenv("ROWS_FILE")
    found = cli("advice", "runs/one")
    assert found.exit_code == 2
    assert "runs/one/suite/suite.yaml: the suite that it holds cannot be used here" in found.stderr
    assert "ROWS_FILE" in found.stderr


def test_what_is_no_run_is_refused() -> None:
    assert cli("advice", "away").exit_code == 2


def test_a_file_that_is_no_json_is_no_run() -> None:
    found = cli("advice", "suite.yaml")
    assert (found.exit_code, found.stderr.splitlines()[0]) == (2, "suite.yaml: not a run: it is not JSON")
