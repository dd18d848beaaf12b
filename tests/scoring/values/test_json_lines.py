"""Blocks of JSON lines as columns: the quick way and the slow one say the same of each line."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.model.rows import MISSING
from evaluators.scoring.values import json_lines
from evaluators.scoring.values.json_lines import _lines_one_by_one, _one_object_per_line, reader

GAP = MISSING


@pytest.mark.parametrize(
    ("block", "offsets", "length", "columns", "refused"),
    [
        (b"", [], 0, [[], []], []),
        (b'{"a": 1, "b": "x"}\n{"b": null}\n', [0, 1], 2, [[1, GAP], ["x", None]], []),
        (b'{"a": 1}\r\n{"a": 2, "c": [1]}', [0, 1], 2, [[1, 2], [GAP, GAP]], []),
        (b'{"a": {"k": [1]}}\n{"a": [2]}\n', [0, 1], 2, [[{"k": [1]}, [2]], [GAP, GAP]], []),
        (b'\n{"a": 1}\n  \n{"a": 2}\n', [1, 3], 4, [[1, 2], [GAP, GAP]], []),
        (b'{"a": 1} {"a": 2}\n{"a": 3}\n', [0, 1], 2, [[GAP, 3], [GAP, GAP]], [0]),
        (b'{"a": 1}\n{"a":\n{"b": 3}\n', [0, 1, 2], 3, [[1, GAP, GAP], [GAP, GAP, 3]], [1]),
        (b'[1]\n{"a": 1}\n', [0, 1], 2, [[GAP, 1], [GAP, GAP]], [0]),
        (b'{"a":\n1}\n', [0, 1], 2, [[GAP, GAP], [GAP, GAP]], [0, 1]),
        (b'{"a": 1}\n\xff\n', [0, 1], 2, [[1, GAP], [GAP, GAP]], [1]),
    ],
)
def test_a_block_is_read_into_columns(
    block: bytes, offsets: list[int], length: int, columns: list[list[Any]], refused: list[int]
) -> None:
    for found in (reader(["a", "b"])(block), _lines_one_by_one(block, ["a", "b"])):
        assert ([*found.offsets], found.length, found.columns) == (offsets, length, columns)
        assert [index for index, _ in found.refused] == refused


@pytest.mark.parametrize(
    ("block", "count", "alone"),
    [
        (b'{"a": 1}\n{"a": 2}\n', 2, True),
        (b'{"a": 1}\n{"a": 2}', 2, True),
        (b'{"a": 1}\r\n{"a": 2}\r\n', 2, True),
        (b"{}\n{}\n", 2, True),
        (b'{"a": 1} {"a": 2}\n', 2, False),
        (b'{"a":\n{"b": 1}}\n', 1, False),
        (b'{"a": 1\n}\n', 1, False),
        (b'{"a": 1}\n\n{"a": 2}\n', 2, False),
        (b' {"a": 1}\n', 1, False),
        (b'{"a": 1} \n{"a": 2}\n', 2, False),
    ],
)
def test_objects_that_are_alone_on_their_lines_are_told_from_others(block: bytes, count: int, alone: bool) -> None:
    assert _one_object_per_line(block, count) is alone


@pytest.mark.parametrize("key", ['a"b', "a\\b", "a\nb", "\ud800"])
def test_keys_that_are_no_names_are_read_line_by_line(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []
    monkeypatch.setattr(json_lines, "_lines_one_by_one", lambda block, keys: asked.append(block))
    reader([key])(b"{}")
    assert asked == [b"{}"]
