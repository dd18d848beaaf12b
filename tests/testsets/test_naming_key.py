"""Which key names the documents of two lists, and what is said where only their places pair them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluators
from evaluators.testsets.memory_rows import MemoryRows, memory_rows
from evaluators.testsets.naming_key import naming_columns, naming_keys
from evaluators.testsets.opening import open_test_set
from evaluators.testsets.reader import all_chunks
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import TestSetConfig
from tests.kit import write_rows


def opened(folder: Path, expected: list[Any], output: list[Any], **settings: Any) -> TestSet:
    write_rows(folder / "g.jsonl", expected)
    write_rows(folder / "p.jsonl", output)
    return open_test_set(TestSetConfig(expected="g.jsonl", output="p.jsonl", **settings), folder)


def paired(test_set: TestSet) -> list[tuple[Any, Any]]:
    chunks = all_chunks(test_set.table, ("expected", "output"))
    return [pair for chunk in chunks for pair in zip(chunk.columns["expected"], chunk.columns["output"], strict=True)]


def documents(key: str, names: str) -> list[dict[str, Any]]:
    return [{key: name, "x": f"of {name}"} for name in names]


@pytest.mark.parametrize("key", ["doc", "doc_id", "SubjectEntityID", "file", "uuid", "name"])
def test_documents_in_another_order_are_paired_by_the_key_that_names_them(tmp_path: Path, key: str) -> None:
    test_set = opened(tmp_path, documents(key, "ABC"), documents(key, "CAB"))
    assert all(expected == output for expected, output in paired(test_set))
    assert f'paired by the key "{key}"' in test_set.notes[0]
    assert test_set.warnings == ()


@pytest.mark.parametrize("key", ["name", "grid", "paid"])
def test_a_field_of_the_content_pairs_nothing_where_the_places_are_right(tmp_path: Path, key: str) -> None:
    test_set = opened(tmp_path, documents(key, "ABC"), [*documents(key, "AB"), {key: "c", "x": "of C"}])
    assert [output["x"] for _, output in paired(test_set)] == ["of A", "of B", "of C"]
    assert "paired by their places" in test_set.notes[0]
    assert "by the place in the list" in test_set.notes[1]
    assert test_set.warnings == ()


@pytest.mark.parametrize(
    ("expected", "output", "said"),
    [
        (documents("name", "ABC"), documents("name", "BCD"), '"name", which is unlike in every one, says otherwise: 2 of 2 shared'),
        (documents("SubjectEntityID", "AB"), documents("SubjectEntityID", "YZ"), '"SubjectEntityID", which is unlike in every one'),
        ([{"x": 1, "y": 1}, {"x": 1, "y": 2}], [{"x": 2, "y": 4}, {"x": 2, "y": 5}], "none has anything in common"),
        (["a", "b"], ["b", "a"], "none has anything in common"),
    ],
)  # fmt: skip
def test_where_places_may_be_wrong_it_is_said(tmp_path: Path, expected: list[Any], output: list[Any], said: str) -> None:
    (warning,) = opened(tmp_path, expected, output).warnings
    assert warning.message.startswith("the documents are paired by their places, and ")
    assert said in warning.message
    assert warning.where == "g.jsonl and p.jsonl"
    assert "`pair_by: position` says that the places are right" in str(warning.hint)
    assert opened(tmp_path, expected, output, pair_by="position").warnings == ()


def test_two_lists_of_a_program_in_another_order_are_told_of() -> None:
    suite = {"evaluators": ["json_diff_match"]}
    (said,) = evaluators.evaluate(suite, expected=documents("doc", "AB"), outputs=documents("doc", "BA")).result.warnings
    assert (
        '"doc", which is unlike in every one, says otherwise: 2 of 2 shared values are at another place' in said.message
    )
    assert said.hint == "give both lists in the same order"
    assert not evaluators.evaluate(suite, expected=documents("doc", "AB"), outputs=documents("doc", "AC")).result.warnings
    plain = evaluators.evaluate(suite, expected=documents("doc", "AB"), outputs=["A", "B"]).result.warnings
    assert [one.code for one in plain] == ["no-json"]


def test_one_document_and_its_output_need_no_key(tmp_path: Path) -> None:
    assert opened(tmp_path, documents("doc", "A"), documents("doc", "B")).warnings == ()


NAMES = st.lists(st.integers(0, 99) | st.text("abc", min_size=1, max_size=3), min_size=1, max_size=6, unique_by=str)


@given(NAMES, st.data())
def test_a_key_names_what_it_names_in_any_order(names: list[Any], data: st.DataObject) -> None:
    other = data.draw(st.permutations(names))
    (one,) = naming_keys([{"k": name, "n": None} for name in names], [{"k": name, "n": 1} for name in other])
    assert (one.key, one.shared, one.all_shared) == ("k", len(names), True)
    assert one.elsewhere == sum(a != b for a, b in zip(names, other, strict=True))


@pytest.mark.parametrize("value", [None, True, 1.5, "", [], {}])
def test_what_is_no_text_and_no_whole_number_names_nothing(value: Any) -> None:
    assert naming_keys([{"k": "a"}, {"k": value}], [{"k": "a"}, {"k": "b"}]) == []
    assert naming_keys([{"k": "a"}, {"k": "a"}], [{"k": "a"}, {"k": "b"}]) == []


CELLS = st.tuples(st.text("abc", min_size=1, max_size=3), st.integers(0, 3), st.integers(0, 99))
ROWS = st.lists(CELLS, min_size=2, max_size=6, unique_by=lambda row: row[0])


def table(name: str, rows: list[tuple[str, int, int]], shuffled: list[int]) -> MemoryRows:
    """Rows as columns, in any order: what names them, and two columns of the content."""
    columns = {name: [row[0] for row in rows], "kind": [row[1] for row in rows], "total": [row[2] for row in rows]}
    return memory_rows({list(columns)[at]: list(columns.values())[at] for at in shuffled})


@given(ROWS, st.sampled_from(["doc_id", "submission_id", "fileName", "image"]), st.data())
def test_rows_are_paired_by_the_column_that_names_them_or_it_is_asked(
    rows: list[tuple[str, int, int]], name: str, data: st.DataObject
) -> None:
    given = data.draw(st.permutations(rows))
    orders = st.permutations([0, 1, 2])
    one, other = table(name, rows, data.draw(orders)), table(name, given, data.draw(orders))
    found = naming_columns(one, one.header, other, other.header)
    content_names = any(len({row[at] for row in rows}) == len(rows) for at in (1, 2))
    assert found == (name, name) or (name in ("fileName", "image") and content_names)
    if found is not None:  # a column of the content may pair only where it pairs the same rows
        ours, theirs = (
            list(zip(*map(side.columns().__getitem__, (found[at], name)), strict=True))
            for at, side in enumerate((one, other))
        )
        assert sorted(ours, key=str) == sorted(theirs, key=str)
        assert len({key for key, _ in ours}) == len(rows)
