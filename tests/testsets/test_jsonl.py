"""JSON lines: one object per line, read in blocks; a bad line spoils nothing but itself."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.issues import Blame, CellError, Problems
from evaluators.model.rows import MISSING
from evaluators.testsets.reader import Reader
from evaluators.testsets.readers import jsonl
from tests.kit import problem_of
from tests.testsets.kit import numbered, open_reader

open_jsonl = partial(open_reader, format="jsonl")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jsonl") / "rows.jsonl"


def test_values_stay_what_they_are(file: Path) -> None:
    table = open_jsonl(file, '{"id": 1, "output": "{\\"a\\": 1}"}\n{"id": "2", "output": {"a": [1.0, null]}}\n')
    assert table.header == ("id", "output")
    assert numbered(table, ["id", "output"]) == [(1, [1, '{"a": 1}']), (2, ["2", {"a": [1.0, None]}])]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not a JSON object"),
        ("[1]", "an object in braces was expected"),
        ('{"a": 1} {"a": 2}', "the text goes on"),
        ('{"a": NaN}', "not a JSON object"),
        ('{"a": 1e999}', "not a JSON object"),
        (b'{"a": "\xff"}', "UTF-8"),
    ],
)
def test_an_unreadable_line_keeps_its_place_and_the_others_are_read(file: Path, line: str | bytes, reason: str) -> None:
    content = b'{"a": 1}\n' + (line if isinstance(line, bytes) else line.encode()) + b'\n{"a": 3}\n'
    (_, first), (number, (second,)), (_, third) = numbered(open_jsonl(file, content), ["a"])
    assert (first, number, third) == ([1], 2, [3])
    assert isinstance(second, CellError)
    assert reason in second.issue.message
    assert second.issue.blame is Blame.TESTSET


def test_a_byte_order_mark_is_set_aside(file: Path) -> None:
    assert numbered(open_jsonl(file, b'\xef\xbb\xbf{"a": 1}\n{"a": 2}\n'), ["a"]) == [(1, [1]), (2, [2])]


def test_a_key_that_appears_late_is_known_after_a_closer_look(file: Path) -> None:
    with patch.object(jsonl, "_LOOK_BYTES", 10):
        table = open_jsonl(file, '{"a": 1}\n{"a": 1}\n{"a": 1, "b": 0}\n')
        assert table.header == ("a",)
        assert table.knows("b")
        assert not table.knows("c")


def test_nesting_without_end_is_refused_like_everywhere_else(file: Path) -> None:
    deep, shallow = "[" * 400 + "]" * 400, "[" * 200 + "]" * 200
    (_, (first,)), (_, (second,)) = numbered(open_jsonl(file, f'{{"a": {deep}}}\n{{"a": {shallow}}}\n'), ["a"])
    assert isinstance(first, CellError)
    assert second == json.loads(shallow)


keys = st.sampled_from(["a", "b", "the output", 'quo"te'])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)


@given(
    rows=st.lists(st.dictionaries(keys, values, max_size=3), max_size=20),
    ends=st.sampled_from(["\n", "\r\n", "\n\n"]),
    split=st.integers(10, 200),
    chunk=st.integers(1, 100),
)
def test_written_rows_come_back_however_the_file_is_cut(
    file: Path, rows: list[dict[str, object]], ends: str, split: int, chunk: int
) -> None:
    content = "".join(json.dumps(row) + ends for row in rows)
    with patch.object(jsonl, "SPLIT_BYTES", split), patch.object(jsonl, "CHUNK_BYTES", chunk):
        found = numbered(open_jsonl(file, content), ["a", "the output"])
    step = ends.count("\n")
    assert found == [
        (1 + index * step, [row.get("a", MISSING), row.get("the output", MISSING)]) for index, row in enumerate(rows)
    ]


@given(content=st.binary(max_size=80) | st.text(alphabet='{}[]":,a1\n\r ', max_size=60).map(str.encode))
def test_any_bytes_are_rows_or_faults(file: Path, content: bytes) -> None:
    with suppress(Problems):  # where no line holds an object
        numbered(open_jsonl(file, content), ["a"])


def long_lines(path: Path, monkeypatch: pytest.MonkeyPatch, *lines: str, end: str = "\n") -> Reader:
    monkeypatch.setattr(jsonl, "LONGEST", 100)
    monkeypatch.setattr(jsonl, "_LOOK_BYTES", 30)
    monkeypatch.setattr(jsonl, "CHUNK_BYTES", 30)
    return open_jsonl(path, "\n".join(lines) + end)


SHORT = '{"a": 1, "b": 2}'
LONG = '{"a": "%s"}' % ("x" * 500)


@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("place", range(6))
def test_a_line_that_is_too_long_spoils_nothing_but_itself(
    file: Path, monkeypatch: pytest.MonkeyPatch, place: int, end: str
) -> None:
    lines = [SHORT] * 5
    lines.insert(place, LONG)
    table = long_lines(file, monkeypatch, *lines, end=end)
    assert table.header == ("a", "b")
    rows = numbered(table, ["a", "b"])
    assert [number for number, _ in rows] == [1, 2, 3, 4, 5, 6]
    assert [cells for _, cells in rows[:place] + rows[place + 1 :]] == [[1, 2]] * 5
    for cell in rows[place][1]:
        assert isinstance(cell, CellError)
        size = len(LONG) + (place < 5 or end != "")
        assert cell.issue.message == f"the line has {size} bytes; up to 100 are read"
    assert table.knows("b")
    assert not table.knows("c")


@pytest.mark.parametrize("most", [40, 101, 300, 2000])
def test_pieces_of_a_file_begin_after_a_long_line(file: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(jsonl, "SPLIT_BYTES", most)
    table = long_lines(file, monkeypatch, SHORT, SHORT, LONG, SHORT, LONG, LONG, SHORT, SHORT)
    assert [number for number, cells in numbered(table, ["a"]) if cells == [1]] == [1, 2, 4, 7, 8]
    assert [number for number, _ in numbered(table, ["a"])] == [*range(1, 9)]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([LONG], f"the line has {len(LONG) + 1} bytes; up to 100 are read"),
        (["[1]", "2"], "the line is not a JSON object: an object in braces was expected at character 1"),
        (["", LONG, LONG], f"the line has {len(LONG) + 1} bytes; up to 100 are read"),
    ],
)
def test_a_file_of_which_no_line_can_be_read_names_the_first(
    file: Path, monkeypatch: pytest.MonkeyPatch, lines: list[str], message: str
) -> None:
    issue = problem_of(lambda: long_lines(file, monkeypatch, *lines))
    assert (issue.blame, issue.message) == (Blame.TESTSET, message)
    assert issue.where == f"rows.jsonl row {2 if not lines[0] else 1}"
