"""What matches is not recorded of a small run: whoever lists it finds it in the cells, as the run would have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.finished_run import write_report
from evaluators.api.loading import load
from evaluators.model.rows import FieldStatus, Outcome
from evaluators.runs.reader import Run
from tests.api.test_schema_match import ORDER, rows_of
from tests.kit import change_table, problem_of, write_rows

LISTS = ("all.fields.csv", "all.report.json")


def run_in(folder: Path, schema: Any = ORDER, environment: dict[str, str] | None = None, **options: Any) -> Path:
    suite = load({"evaluators": [{"schema_match": {"name": "order", "schema": schema}}]}, environment=environment)
    suite.run(write_rows(folder / "rows.jsonl", rows_of()), results=folder, name="it", **options)
    return folder / "it"


def matches_in(place: Path) -> dict[int, int]:
    """How many matches are recorded of each row that has some."""
    found: dict[int, int] = {}
    for line in Run(place).outcomes():
        if isinstance(line, Outcome) and line.status is FieldStatus.MATCH:
            found[line.row] = found.get(line.row, 0) + 1
    return found


def wrong_in(place: Path) -> list[tuple[int, str]]:
    return [(one.row, one.path) for one in Run(place).outcomes() if isinstance(one, Outcome) and not one.passed]


def test_a_small_run_records_what_is_wrong_and_the_first_rows_whole(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    place, whole = run_in(tmp_path), run_in(tmp_path / "whole", evidence="all")
    assert set(matches_in(place)) <= set(range(1, 22))
    assert len(matches_in(whole)) > 30
    assert wrong_in(place) == wrong_in(whole)
    assert not Run(place).lists_everything
    assert Run(whole).lists_everything


def test_lists_of_every_field_are_those_that_the_run_would_have_written(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    at_once = [str(tmp_path / f"once.{name}") for name in LISTS]
    run_in(tmp_path / "whole", files=at_once)
    later = write_report(run_in(tmp_path), [str(tmp_path / f"later.{name}") for name in LISTS])
    for once, again in zip(at_once, later, strict=True):
        assert Path(again).read_text(encoding="utf-8") == Path(once).read_text(encoding="utf-8")


def test_a_page_written_later_is_that_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    run_in(tmp_path / "whole", files=[str(tmp_path / "once.html")])
    write_report(run_in(tmp_path), [str(tmp_path / "later.html")])
    once, later = (
        [line for line in (tmp_path / name).read_text(encoding="utf-8").splitlines() if '"outcomes-' in line]
        for name in ("once.html", "later.html")
    )
    assert once
    assert later == once


def test_cells_that_come_out_otherwise_are_not_listed(tmp_path: Path) -> None:
    place = run_in(tmp_path)
    row = json.dumps({"output": "{}", "expected": rows_of()[50]["expected"]})
    change_table(place, f"update cells set line = '{row}' where row = 51")
    issue = problem_of(lambda: write_report(place, [str(tmp_path / "later.fields.csv")]))
    assert (issue.code, "row 51" in issue.message) == ("scored-otherwise", True)


@pytest.mark.parametrize(("schema", "variables"), [("infer", {}), ("${SCHEMA}", {"SCHEMA": "infer"})])
def test_a_suite_that_reads_more_than_its_folder_has_records_what_matches(
    tmp_path: Path, schema: str, variables: dict[str, str]
) -> None:
    place = run_in(tmp_path, schema, variables)
    assert len(matches_in(place)) > 30
    assert Run(place).lists_everything
