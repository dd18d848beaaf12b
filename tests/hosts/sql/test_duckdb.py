"""Rows of a real DuckDB file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from evaluators.model.issues import Blame
from evaluators.model.rows import MISSING
from evaluators.testsets.databases import query_rows
from evaluators.testsets.documents import open_file
from evaluators.testsets.fetched_rows import FetchedRows
from evaluators.testsets.query_settings import DatabaseConnection
from evaluators.testsets.reader import all_chunks
from tests.kit import problem_of

CONNECTION = DatabaseConnection(env="ROWS_DATABASE")


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "rows.duckdb"
    with duckdb.connect(str(place)) as made:
        made.execute(
            "create table answers as select i as id, 'text ' || i as output, 1.50::decimal(8, 2) as price from range(3000) t(i)"
        )
    monkeypatch.setenv("ROWS_DATABASE", f"duckdb:///{place}")
    return place


def cells(found: FetchedRows, column: str) -> list[Any]:
    return [
        cell for chunk in all_chunks(open_file(found.file, Path(), "jsonl"), [column]) for cell in chunk.columns[column]
    ]


def test_rows_are_read(database: Path) -> None:
    found = query_rows("from answers order by id", CONNECTION, Path())
    assert found.header == ("id", "output", "price")
    assert cells(found, "id") == [*range(3000)]
    assert cells(found, "price")[:1] == ["1.50"]
    found = query_rows(
        "select date '2026-03-01' as a, [1, 2] as b, {'k': 1.5} as c, null as d order by 1", CONNECTION, Path()
    )
    assert [cells(found, name) for name in "abcd"] == [["2026-03-01"], [[1, 2]], [{"k": "1.5"}], [MISSING]]


@pytest.mark.parametrize(
    "statement", ["with x as (select 1) insert into answers select 1, 'x', 2", "create table more(a int)"]
)
def test_nothing_is_changed(database: Path, statement: str) -> None:
    issue = problem_of(lambda: query_rows(statement, CONNECTION, Path()))
    assert (issue.code, issue.blame) == ("changes-data", Blame.CONFIG)
    with duckdb.connect(str(database), read_only=True) as opened:
        assert opened.execute("select count(*) from answers").fetchone() == (3000,)


def test_a_mistake_is_the_suites(database: Path) -> None:
    issue = problem_of(lambda: query_rows("select * from answer", CONNECTION, Path()))
    assert issue.blame is Blame.CONFIG
    assert str(database.parent) not in str(issue)
