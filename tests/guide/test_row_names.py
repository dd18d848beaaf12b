"""What names the rows of two files together, and how often they are read for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest

from evaluators.guide.row_names import names_in_both
from evaluators.testsets.memory_rows import MemoryRows, memory_rows
from evaluators.testsets.reader import Chunk, Split

_ROWS = 5000
_MOST_READS = 2.5
"""The rows of both tables twice, and some first ones."""


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows of each chunk that was read."""
    read, counts = MemoryRows.read, list[int]()

    def counted(table: MemoryRows, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        for chunk in read(table, split, columns):
            counts.append(chunk.count)
            yield chunk

    monkeypatch.setattr(MemoryRows, "read", counted)
    return counts


def numbers(seed: int, most: int, count: int = _ROWS) -> dict[str, list[str]]:
    """Eight columns of numbers that name nothing alone."""
    random = Random(seed)
    return {name: [str(random.randrange(most)) for _ in range(count)] for name in "abcdefgh"}


@pytest.mark.parametrize("most", [3, 40, 3000], ids=["labels", "small numbers", "large numbers"])
def test_two_files_in_which_nothing_names_the_rows_are_read_at_most_twice(counts: list[int], most: int) -> None:
    assert names_in_both(memory_rows(numbers(1, most)), memory_rows(numbers(2, most)), None) is None
    assert sum(counts) <= _MOST_READS * 2 * _ROWS


def test_columns_that_repeat_in_the_first_rows_are_not_read_to_the_end(counts: list[int]) -> None:
    assert names_in_both(memory_rows(numbers(1, 2)), memory_rows(numbers(2, 2)), None) is None
    assert sum(counts) < 2 * _ROWS


@pytest.mark.parametrize("names", ["ab", "gh", "beh"])
def test_the_fewest_columns_that_name_the_rows_of_both_come_first(counts: list[int], names: str) -> None:
    ours, theirs = numbers(1, 40), numbers(2, 40)
    sizes = dict(zip(names, [20, 25, 10] if len(names) > 2 else [70, 72], strict=False))
    for at in range(_ROWS):
        place = at
        for name, size in sizes.items():
            ours[name][at] = theirs[name][-1 - at] = str(place % size)
            place //= size
    text = "/".join(f"{{{name}}}" for name in names)
    assert names_in_both(memory_rows(ours), memory_rows(theirs), None) == (text, text)
    assert sum(counts) <= _MOST_READS * 2 * _ROWS


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"a": [], "b": []}, {"a": [], "b": []}),
        ({"a": ["1", "1", "2"], "b": ["1", "2", ""]}, {"a": ["1", "1", "2"], "b": ["1", "2", "1"]}),
        ({"a": ["1", "1", "2"], "b": ["1", "2", "1\n"]}, {"a": ["1", "1", "2"], "b": ["1", "2", "1\n"]}),
        ({"a": ["x/y", "x", "x"], "b": ["z", "y/z", "z"]}, {"a": ["x/y", "x", "x"], "b": ["z", "y/z", "z"]}),
        ({"a": ["1", "1", "2", "2"], "b": ["1", "2", "1", "2"]}, {"a": ["1", "1", "5", "5"], "b": ["1", "3", "3", "1"]}),
    ],
    ids=["no rows", "an empty cell", "a cell of two lines", "two rows with one text", "one name of four shared"],
)
def test_columns_that_do_not_name_each_row_of_both(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert names_in_both(memory_rows(ours), memory_rows(theirs), None) is None
