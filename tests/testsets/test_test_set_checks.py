"""What is odd about a test set: files that are not there, and keys that are given twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluators.model.settings import build
from evaluators.testsets.opening import open_test_set
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_checks import absent_places, answer_warnings, unused_columns
from evaluators.testsets.test_set_config import TestSetConfig


def config(**settings: Any) -> TestSetConfig:
    made: TestSetConfig = build(TestSetConfig, settings)
    return made


@pytest.mark.parametrize(
    ("settings", "places"),
    [
        ({"file": "rows.csv"}, []),
        ({"file": "-"}, []),
        ({}, []),
        ({"file": "away.csv"}, [("file",)]),
        ({"expected": "gold/*.json", "output": "gold"}, []),
        ({"expected": "gold/*.txt", "output": "out"}, [("expected",), ("output",)]),
        ({"file": "rows.csv", "output": {"file": "away.csv"}}, [("output", "file")]),
        ({"file": "rows.csv", "outputs": {"a": {"column": "x"}, "b": "away"}}, [("outputs", "b")]),
        ({"file": "rows.csv", "outputs": "away/*"}, [("outputs",)]),
    ],
)
def test_places_that_are_not_there_are_found(tmp_path: Path, settings: dict[str, Any], places: list[Any]) -> None:
    (tmp_path / "gold").mkdir()
    for name in ("rows.csv", "gold/a.json"):
        (tmp_path / name).write_text("", encoding="utf-8")
    assert [loc for loc, _ in absent_places(config(**settings), tmp_path)] == places


def test_keys_that_are_given_twice_are_named_with_their_rows(tmp_path: Path) -> None:
    texts = ['"{""a"": 1, ""a"": 2}"', "{}", "oops", '"{""b"": {""c"": 1, ""c"": 1}}"']
    (tmp_path / "rows.csv").write_text("\n".join(["expected", *texts]) + "\n", encoding="utf-8")
    found = answer_warnings(open_test_set(config(file="rows.csv"), tmp_path), "expected")
    assert [(issue.where, issue.message) for issue in found] == [
        ('rows.csv row 2, column "expected"', 'a key is given twice in one object: "a"; the last one counts'),
        ('rows.csv row 5, column "expected"', 'a key is given twice in one object: "b.c"; the last one counts'),
    ]


def test_many_rows_with_a_key_twice_are_counted(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("expected\n" + '"{""a"":1,""a"":1}"\n' * 9, encoding="utf-8")
    *first, last = answer_warnings(open_test_set(config(file="rows.csv"), tmp_path), "expected")
    assert (len(first), last.message) == (5, "4 more rows have a key twice in one object")


def rows(folder: Path, *lines: str) -> TestSet:
    (folder / "rows.csv").write_text("\n".join(["input,expected", *lines]) + "\n", encoding="utf-8")
    return open_test_set(config(file="rows.csv"), folder)


def test_the_same_input_with_another_answer_is_named_with_both_rows(tmp_path: Path) -> None:
    found = answer_warnings(rows(tmp_path, "Where?,Rome", "Who?,Ada", " Where? ,Oslo"), "expected", "input")
    assert [(issue.where, issue.message) for issue in found] == [
        ('rows.csv row 4, column "expected"', 'another answer than in row 2, where "input" is the same')
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ("Where?,Rome", "Where?, Rome "),
        ('Where?,"{""a"": 1, ""b"": 2}"', 'Where?,"{""b"": 2, ""a"": 1.0}"'),
        ("Where?,Rome", "Where?,"),
        (",Rome", ",Oslo"),
    ],
    ids=["the same text", "the same JSON", "no answer", "no input"],
)
def test_rows_that_say_the_same_or_nothing_contradict_nobody(tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert answer_warnings(rows(tmp_path, *lines), "expected", "input") == []


def test_many_contradictions_are_counted(tmp_path: Path) -> None:
    *first, last = answer_warnings(rows(tmp_path, "Who?,Ada", *(f"Where?,{n}" for n in range(9))), "expected", "input")
    assert (len(first), last.message) == (5, "3 more rows contradict an earlier one")


def test_columns_that_nothing_reads_are_listed() -> None:
    assert unused_columns(["id", "a", "b"], {"id"}) == 'never used: the columns "a", "b"'
    assert unused_columns(["id", "a"], {"id"}) == 'never used: the column "a"'
    assert unused_columns(["id"], {"id", "x"}) is None
    assert str(unused_columns(map(str, range(14)), ())).endswith('"9" and 4 more')


def test_an_input_that_is_the_same_everywhere_says_nothing(tmp_path: Path) -> None:
    assert answer_warnings(rows(tmp_path, *(f"Read it.,{n}" for n in range(9))), "expected", "input") == []
