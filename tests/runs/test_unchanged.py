"""A test set that somebody writes to while it is read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluators import load
from evaluators.model.issues import Blame, Problems

ROWS = 60_000
SUITE = {"evaluators": ["exact_match"]}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    text = "id,output,expected\n" + "".join(f'{number},"a, long enough","a, long enough"\n' for number in range(ROWS))
    (tmp_path / "rows.csv").write_text(text, encoding="utf-8")
    return tmp_path / "rows.csv"


def grown(file: Path) -> None:
    with open(file, "a", encoding="utf-8") as stream:
        stream.write("x,a,a\n")


def cut_in_a_cell(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2 - file.stat().st_size // 2 % 37 + 9)


def written_over(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(file.read_bytes())
    os.replace(other, file)


def at_the_first_rows(change: Callable[[Path], None], file: Path) -> dict[str, Any]:
    done: list[int] = []

    def progress(rows: int, _share: float | None) -> None:
        if not done:
            change(file)
        done.append(rows)

    return {"progress": progress}


@pytest.mark.parametrize("change", [grown, cut_in_a_cell, written_over])
def test_a_file_that_changes_while_it_is_read_is_said(rows: Path, change: Callable[[Path], None]) -> None:
    try:
        result = load(SUITE).run(rows, **at_the_first_rows(change, rows))
        issues, code = result.issues, result.exit_code
    except Problems as error:
        issues, code = error.issues, 3
    assert code == 3
    assert [issue.code for issue in issues] == ["test-set-changed"]
    assert issues[0].blame is Blame.ENVIRONMENT
    assert issues[0].message.startswith("the file changed while it was read")
    assert issues[0].where == str(rows)


def test_a_file_that_stays_is_not_mentioned(rows: Path) -> None:
    result = load(SUITE).run(rows)
    assert (result.exit_code, result.issues) == (0, ())
