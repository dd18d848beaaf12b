"""Expected values that two notations of a field read differently: told once by a run, listed by a check."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import loads
from evaluators.guide.data_checks import check_data
from tests.kit import write_rows

CODE = "expected-in-doubt"
BOTH = {"numeric": {"parse": [{"thousands": ","}, {"thousands": ".", "decimal": ","}]}}
SAID = '"1.234" is 1.234 with parse: {thousands: ","} and 1234 with parse: {thousands: ".", decimal: ","}'


def suite(compare: Any, **more: Any) -> str:
    return json.dumps({"evaluators": [{"type": "schema_match", "name": "it", "fields": {"total": compare}, **more}]})


def rows(folder: Path, values: list[Any], key: str = "total") -> Path:
    lines = [{"expected": {key: value}, "output": {key: value}} for value in values]
    return write_rows(folder / "rows.jsonl", lines)


@pytest.mark.parametrize(
    ("compare", "values", "count"),
    [
        (BOTH, ["1.200,50", "1.234", "1,200.50", "2.345", 1.234, None], 2),
        ({"compare": BOTH, "transforms": ["strip"]}, [" 1.234 ", "7"], 1),
        (BOTH, ["1.200,50", "1,200.50", "12"], 0),
        ({"numeric": {"parse": {"thousands": ","}}}, ["1.234"], 0),
        ({"numeric": {"between": "expected", **BOTH["numeric"]}}, ["1.234-5.678", "1-2"], 1),
    ],
    ids=str,
)
def test_a_run_tells_once_how_many_values_are_in_doubt(tmp_path: Path, compare: Any, values: Any, count: int) -> None:
    result = loads(suite(compare)).run(rows(tmp_path, values)).result
    found = [issue for issue in result.warnings if issue.code == CODE]
    assert len(found) == (1 if count else 0)
    assert all(f"{count} expected value" in issue.message for issue in found)
    assert result.exit_code == 0


def test_the_warning_names_the_first_value_and_both_of_its_meanings(tmp_path: Path) -> None:
    result = loads(suite(BOTH)).run(rows(tmp_path, ["5", "1.234", "2.345"])).result
    (found,) = (issue for issue in result.warnings if issue.code == CODE)
    assert found.message == f'"it": 2 expected values of "total" may be read in two ways; in row 2 {SAID}'
    assert "`evaluators check` lists them" in str(found.hint)


def test_a_check_lists_each_of_them_where_it_stands_and_finds_no_problem(tmp_path: Path) -> None:
    place = str(rows(tmp_path, ["5", "1.234", "2.345"]))
    found = check_data(loads(suite(BOTH)), place, True, {})
    listed = [issue for issue in found.warnings if issue.code == CODE]
    assert [str(issue).splitlines()[0] for issue in listed] == [
        f'{place} row 2, column "expected": "it": {SAID}',
        f'{place} row 3, column "expected": "it": {SAID}'.replace("1.234", "2.345").replace("1234", "2345"),
    ]
    assert (found.exit_code, found.problems) == (0, ())


def test_of_many_a_check_lists_the_first_ones(tmp_path: Path) -> None:
    place = str(rows(tmp_path, ["1.234"] * 30))
    listed = [one for one in check_data(loads(suite(BOTH)), place, True, {}).warnings if one.code == CODE]
    assert len(listed) == 21
    assert listed[-1].message == "more than 20 expected values may be read in two ways; these are the first"


def test_the_values_of_a_schema_are_in_doubt_as_well(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"total": {"type": "string", "x-eval-compare": BOTH}}}
    text = json.dumps({"evaluators": [{"type": "schema_match", "name": "it", "schema": schema}]})
    result = loads(text).run(rows(tmp_path, ["1.234", "1.200,50"])).result
    assert [issue.code for issue in result.warnings if issue.code == CODE] == [CODE]
