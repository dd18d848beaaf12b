"""A comparator that reads none of the expected values of its field measured nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import loads
from evaluators.guide.data_checks import check_data
from evaluators.runs.result import RunResult
from evaluators.testsets.selection import Selection
from tests.kit import write_rows

UNUSED = "comparator-reads-nothing"


def run(folder: Path, fields: Any, values: list[Any], kind: str = "json_multi_field_match", **options: Any) -> RunResult:
    """A run over one field, right in every row."""
    return loads(suite_text({"type": kind, "name": "it", "fields": fields})).run(rows(folder, values), **options).result


def suite_text(line: dict[str, Any]) -> str:
    return json.dumps({"evaluators": [line]})


def rows(folder: Path, values: list[Any]) -> Path:
    text = [json.dumps({"x": value}) for value in values]
    lines = ({"id": number, "output": one, "expected": one} for number, one in enumerate(text))
    return write_rows(folder / "rows.jsonl", lines)


def said(result: RunResult) -> list[str]:
    return [issue.message for issue in result.issues if issue.code == UNUSED]


NAMES = ["ACME", "Umbrella", None]


@pytest.mark.parametrize("kind", ["json_multi_field_match", "schema_match"])
@pytest.mark.parametrize(
    ("comparator", "values"),
    [
        ("numeric", NAMES),
        ({"numeric": {"tolerance": {"abs": 1}}}, ["30", "31"]),
        ("numeric", [True, False]),
        ("date", [20240101, 5]),
        ("european_date", [20240101]),
        ("boolean", ["yes", "no"]),
        ({"boolean": {"words": {"true": ["yes"], "false": ["no"]}}}, [1, 0]),
    ],
    ids=str,
)
def test_a_comparator_that_applies_to_nothing_is_an_error(
    tmp_path: Path, kind: str, comparator: Any, values: Any
) -> None:
    presets = {"european_date": {"date": {"formats": ["DD/MM/YYYY"]}}}
    result = run(tmp_path, {"x": presets.get(str(comparator), comparator)}, values, kind)
    assert len(said(result)) == 1
    assert '"x"' in said(result)[0]
    assert result.exit_code == 3
    assert result["it"].mean == 1.0


@pytest.mark.parametrize("kind", ["json_multi_field_match", "schema_match"])
@pytest.mark.parametrize(
    ("comparator", "values"),
    [
        ("numeric", [*NAMES, 3]),
        ("numeric", [None, None]),
        ({"numeric": {"parse": True}}, ["30"]),
        ({"date": {"formats": ["YYYY-MM-DD"]}}, ["2024-01-01"]),
        ("boolean", ["yes", True]),
        ({"boolean": {"words": {"true": ["yes"], "false": ["no"]}}}, ["yes"]),
        *((word, NAMES) for word in ("exact", "normalized", "fuzzy")),
        ("exact", [1, 2]),
        ("normalized", [1, 2]),
    ],
    ids=str,
)
def test_one_value_of_its_kind_is_enough_and_text_comparators_read_any(
    tmp_path: Path, kind: str, comparator: Any, values: Any
) -> None:
    result = run(tmp_path, {"x": comparator}, values, kind)
    assert said(result) == []
    assert not [issue for issue in result.warnings if issue.code.startswith(UNUSED)]


def test_the_value_may_stand_far_down_or_inside_a_list(tmp_path: Path) -> None:
    assert said(run(tmp_path, {"x": "numeric"}, ["a"] * 700 + [1])) == []
    assert said(run(tmp_path, {"x[*].n": "numeric"}, [[{"n": "a"}, {"n": 1}]])) == []
    assert len(said(run(tmp_path, {"x[*].n": "numeric"}, [[{"n": "a"}, {"n": "b"}]]))) == 1


@pytest.mark.parametrize("kind", ["json_multi_field_match", "schema_match"])
def test_for_an_optional_field_it_is_a_warning(tmp_path: Path, kind: str) -> None:
    result = run(tmp_path, {"x": {"compare": "numeric", "optional": True}}, NAMES, kind)
    assert (result.exit_code, len(result.warnings)) == (0, 1)
    assert '"x"' in result.warnings[0].message


def test_for_a_leaf_of_a_schema_it_is_a_warning(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"x": {"type": "number"}}}
    line = {"type": "schema_match", "name": "it", "schema": schema}
    result = loads(suite_text(line)).run(rows(tmp_path, NAMES))
    assert result.exit_code == 0
    assert [issue.code.startswith(UNUSED) for issue in result.warnings].count(True) == 1


@pytest.mark.parametrize("selection", [Selection(limit=2), Selection(sample=2), Selection(where=(("id", "1"),))], ids=str)
def test_over_some_of_the_rows_it_is_a_warning(tmp_path: Path, selection: Selection) -> None:
    result = run(tmp_path, {"x": "numeric"}, NAMES, selection=selection)
    assert (result.exit_code, said(result)) == (0, [])
    assert [issue.code for issue in result.warnings] == [UNUSED]


def test_check_says_it(tmp_path: Path) -> None:
    suite = loads(suite_text({"type": "json_multi_field_match", "name": "it", "fields": {"x": "numeric"}}))
    found = check_data(suite, str(rows(tmp_path, NAMES)), True, {})
    assert ([issue.code for issue in found.problems], found.exit_code) == ([UNUSED], 3)
