"""Columns: a file and memory give the same cells in the same order, and rows of one group come together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.rows import Result, RowStatus
from evaluators.runs import columns as module
from evaluators.runs import run_rows
from evaluators.runs.columns import pieces_by_value, rows_by_value
from evaluators.runs.recorder import Recording
from evaluators.runs.row_writer import RowWriter
from evaluators.runs.run_db import RunDb
from evaluators.runs.run_rows import RunRows
from evaluators.runs.split_result import Part, SplitResult
from evaluators.runs.split_rows import Layout, SplitRows
from tests.runs.given_columns import GivenColumns

LAYOUT = Layout(("one",), ("kind",), ("cost",), ((0, ""),), clustered=True)
NOTHING = Recording(0, "none", small=0)
Row = tuple[str, str, str, int, int]
"""Cluster, slice, measure, step and score."""
TEXTS = st.sampled_from(["", " ", "a", "B", "b", "é", "日本", "\U0001f600", "(other values)", "~", "\uffff"])
ROWS = st.lists(st.tuples(TEXTS, TEXTS, TEXTS, st.integers(-2, 100_000), st.integers(0, 3)), max_size=30)


def stored(found: RunRows, given_rows: Sequence[Row], size: int) -> RunRows:
    """The rows, added in splits of so many."""
    writer = RowWriter(found)
    writer.begin(2)
    for index, start in enumerate(range(0, len(given_rows), size)):
        some = given_rows[start : start + size]
        clusters, kinds, costs, steps, scores = (list(column) for column in zip(*some, strict=True))
        known = sorted(set(scores), reverse=True)  # codes of a split are its own
        columns: dict[str, list[Any]] = {
            "row": list(range(len(some))), "id": [one or None for one in costs], "given": [0] * len(some), "cluster": clusters,
            "slice0": kinds, "measure0": costs, "step0": steps, "code0": [known.index(one) for one in scores],
        }  # fmt: skip
        verdicts = [[Result(RowStatus.SCORED, False, one, 4) for one in known]]
        writer.add(Part(SplitRows(columns, verdicts), SplitResult(index, rows=len(some), span=len(some))), NOTHING, start)
    return found


def read(rows: RunRows, order: str) -> list[tuple[Any, ...]]:
    """All rows in an order, with what their codes stand for."""
    names, (verdicts,) = ["row", "cluster", "slice0", "measure0", "id", "step0", "code0"], rows.verdicts()
    every = [row for columns in rows.read(names, order) for row in zip(*columns, strict=True)]
    return [(*row[:-1], verdicts[row[-1]].num) for row in every]


@pytest.mark.parametrize("chunk", [1, 3, 16_384])
def test_a_file_and_memory_give_the_same_rows_in_every_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    for one in (module, run_rows):
        monkeypatch.setattr(one, "CHUNK_ROWS", chunk)

    @given(ROWS, st.integers(1, 9), st.integers(1, 9))
    def same(given_rows: list[Row], size: int, other: int) -> None:
        file, memory = RunDb(tmp_path / "run.db"), RunDb()
        found = [
            stored(RunRows(file, 0, LAYOUT), given_rows, size),
            stored(RunRows(memory, 0, LAYOUT), given_rows, other),
        ]
        for place, order in enumerate(["row", "cluster", "slice0", "measure0"]):
            of_file, of_memory = (read(rows, order) for rows in found)
            assert of_file == of_memory
            assert [row[place] for row in of_file] == sorted(row[place] for row in of_file)
        for one in (file, memory):
            one.close()
        (tmp_path / "run.db").unlink()

    same()


@given(ROWS, st.integers(1, 40))
def test_the_rows_of_a_group_come_together_and_in_their_order(rows: list[Row], chunk: int) -> None:
    expected: dict[str, list[int]] = {}
    for number, (cluster, *_) in enumerate(rows, 2):
        expected.setdefault(cluster, []).append(number)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK_ROWS", chunk)
        columns = GivenColumns(LAYOUT, {"cluster": [cluster for cluster, *_ in rows]})
        found = [(name, list(numbers)) for name, (numbers,) in rows_by_value(columns, ["cluster", "row"])]
        runs = [name for name, _ in pieces_by_value(columns, ["cluster", "row"])]
    assert found == sorted(expected.items())
    assert runs == sorted(runs)


def test_rows_of_batches_that_lie_between_each_other_are_read_in_their_order() -> None:
    columns = GivenColumns(LAYOUT, {"row": [5, 9, 2, 7], "cluster": ["b", "a", "a", "b"]}, [2])
    assert [list(cells) for (cells,) in columns.read(["row"])] == [[2, 5, 7, 9]]
    assert [list(cells) for (cells,) in columns.read(["row"], "cluster")] == [[2, 9, 5, 7]]
