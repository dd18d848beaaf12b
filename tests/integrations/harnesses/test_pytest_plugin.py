"""A suite as tests of pytest, with pytest itself."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest

from evaluators.integrations.harnesses.pytest_plugin import assert_suite
from evaluators.model.issues import Problems
from tests.hosts.table import SUITE, register

ROOT = Path(__file__).parents[3]
SUITE_TEXT = """
name: cities
test_set: rows.csv
evaluators:
  - json_multi_field_match: {name: header, fields: {city: exact, "items[*].price": numeric}}
  - contains_json
slices: [row.shop]
gates:
  header: {fail_below: 0.9}
  header.city:
    - {fail_below: 0.5}
    - {metric: recall, fail_below: 0.9, slice: {row.shop: south}}
  contains_json: {fail_below: 0.1}
"""
ROWS = """id,shop,output,expected
a,north,"{""city"": ""Oslo""}","{""city"": ""Oslo""}"
b,south,"{""city"": ""Roma""}","{""city"": ""Rome""}"
c,south,prose,"{""city"": ""Bern""}"
d,north,"{""city"": ""Kiel""}","{""city"": ""Kiel"", ""items"": [{""price"": 1}]}"
"""


def run_pytest(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    plugin = ["-p", "no:evaluators", "-p", "evaluators.integrations.harnesses.pytest_plugin"]
    command = [sys.executable, "-m", "pytest", *plugin, "-p", "no:randomly", "-p", "no:cacheprovider", *words]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "cities.evaluators.yaml").write_text(SUITE_TEXT)
    (tmp_path / "rows.csv").write_text(ROWS)
    return tmp_path


@pytest.mark.slow
def test_a_suite_file_is_a_test_for_each_gate_with_the_rows_behind_it(place: Path) -> None:
    done = run_pytest(place, "-v", "--junitxml=junit.xml")
    assert done.returncode == 1
    lines = [line.split("::")[1].partition("  ")[0] for line in done.stdout.splitlines() if "::" in line and "%]" in line]
    assert lines == [
        "gate header FAILED", "gate header.city PASSED", "gate header.city (recall, row.shop = south) FAILED",
        "gate contains_json PASSED", "everything was measured PASSED",
    ]  # fmt: skip
    assert "gate header failed: mean 0.3750 is below 0.9" in done.stdout
    assert 'row 3 "b": city is wrong ("Roma" differs from "Rome")' in done.stdout
    assert 'row 5 "d": items[*].price is missing' in done.stdout
    assert "Traceback" not in done.stdout
    found = ElementTree.parse(place / "junit.xml").getroot().find("testsuite")
    assert found is not None
    assert (found.get("tests"), found.get("failures")) == ("5", "2")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "lines"),
    [
        ("{city: exact, zip: {compare: exact, optional: true}}", ["gate header.city PASSED", "gate header.zip SKIPPED"]),
        ("{zip: {compare: exact, optional: true}}", ["gate header.zip FAILED"]),
    ],
    ids=["one of two is there", "none is there"],
)
def test_a_gate_on_every_field_leaves_out_a_field_that_no_row_has_and_fails_where_none_is_there(
    tmp_path: Path, fields: str, lines: list[str]
) -> None:
    suite = f"test_set: rows.csv\nevaluators:\n  - json_multi_field_match: {{name: header, fields: {fields}}}\n"
    (tmp_path / "cities.evaluators.yaml").write_text(f"{suite}gates: {{header.*: {{fail_below: 0.5}}}}\n")
    (tmp_path / "rows.csv").write_text(ROWS)
    done = run_pytest(tmp_path, "-v", "-k", "gate")
    found = [line.split("::")[1].partition("  ")[0] for line in done.stdout.splitlines() if "::" in line and "%]" in line]
    assert [line.partition(" (no row")[0] for line in found] == lines, done.stdout


@pytest.mark.slow
def test_rows_of_other_slices_are_not_listed(place: Path) -> None:
    done = run_pytest(place, "-k", "south")
    assert 'row 3 "b": city is wrong' in done.stdout
    assert 'row 4 "c": city is missing' in done.stdout
    assert "row 5" not in done.stdout


@pytest.mark.slow
def test_a_file_that_is_no_suite_by_name_is_left_alone(place: Path) -> None:
    (place / "other.yaml").write_text("a: 1\n")
    (place / "cities.evaluators.yaml").rename(place / "cities.yaml")
    assert run_pytest(place).returncode == pytest.ExitCode.NO_TESTS_COLLECTED
    assert "2 failed, 3 passed" in run_pytest(place, "cities.yaml").stdout
    assert "2 failed, 3 passed" in run_pytest(place, "-o", "evaluators_suites=cit*.yaml").stdout


@pytest.mark.slow
def test_a_suite_with_mistakes_says_where(place: Path) -> None:
    (place / "cities.evaluators.yaml").write_text("evaluators: [contains_jsn]\n")
    done = run_pytest(place)
    assert done.returncode == pytest.ExitCode.INTERRUPTED
    assert 'did you mean "contains_json"?' in done.stdout


@pytest.mark.slow
def test_rows_that_could_not_be_measured_fail_a_test_of_their_own(place: Path) -> None:
    (place / "rows.csv").write_text(ROWS.replace('"{""city"": ""Rome""}"', "Rome"))
    done = run_pytest(place, "-k", "everything")
    assert "not everything was measured: " in done.stdout
    assert "not JSON" in done.stdout


def test_assert_suite_gives_the_result_when_all_is_well(place: Path) -> None:
    text = SUITE_TEXT.replace("0.9", "0.0")
    (place / "suite.yaml").write_text(text)
    assert assert_suite(place / "suite.yaml")["header"].passed == 1
    assert not (place / "runs").exists()


def test_assert_suite_says_what_failed_and_where() -> None:
    register()
    with pytest.raises(AssertionError) as caught:
        assert_suite(SUITE)
    said = str(caught.value)
    assert said.startswith("table: 3 of its checks failed")
    assert "gate page.number failed" in said
    assert 'row 3 "wrong": number is wrong ("A-7" differs from "A-2")' in said
    assert "gate header undecided" in said
    assert "the judge gave no answer" in said


def test_assert_suite_of_a_suite_that_cannot_run_raises_problems(tmp_path: Path) -> None:
    with pytest.raises(Problems):
        assert_suite(tmp_path / "none.yaml")


def test_the_plugin_is_known_to_pytest() -> None:
    known = {point.name: point.value for point in entry_points(group="pytest11")}
    assert known["evaluators"] == "evaluators.integrations.harnesses.pytest_plugin"
