"""Stored rows: the same in both formats, whatever the parts they were written in."""

from __future__ import annotations

import json
import zlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.issues import Blame, Issue
from evaluators.model import FieldStatus, Result, RowStatus
from evaluators.run import rows as stored_rows
from evaluators.run.reader import lines as lines_of
from evaluators.run.record_lines import CodeLine
from evaluators.run.rows import JoinedRows, RowsFormat, RowWriter
from evaluators.run.tally import Ledger

NAMES = ("plain", "fields", "open")
LOST = Issue("expected-not-json", Blame.TESTSET, 'not JSON: "é" \ud800')

VERDICTS = st.tuples(
    st.sampled_from(
        [
            Result(RowStatus.SCORED, True, 1, 1),
            Result(RowStatus.SCORED, False, 1, 3),
            Result(RowStatus.SKIPPED, None, 0, 0),
        ]
    ),
    st.one_of(
        st.builds(
            lambda statuses, num: Result(RowStatus.SCORED, num == 4, num, 4, bytes(statuses)),
            st.lists(st.sampled_from(FieldStatus), min_size=4, max_size=4),
            st.integers(0, 4),
        ),
        st.just(Result(RowStatus.INVALID, None, 0, 0, issue=LOST)),
    ),
    st.builds(
        lambda right: Result(RowStatus.SCORED, right == 7, right, 7, counts=(right, 7 - right, 0, 2)), st.integers(0, 7)
    ),
)
IDS = st.text(st.sampled_from('a"\\\n,é\ud800 '), max_size=4) | st.text(max_size=3)
ROWS = st.lists(st.tuples(IDS, VERDICTS), max_size=25)


def write(folder: Path, kind: RowsFormat, rows: Any, cuts: list[int], ids: bool = True, first: int = 2) -> Path:
    """The rows, cut into splits and joined. Every split is written in two chunks."""
    places = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    target = folder / f"whole.{kind}"
    joined = JoinedRows(kind, target, NAMES, ["kind"], clustered=True)
    for start, end in pairwise(places):
        ledgers = [Ledger(4 if name == "fields" else 0) for name in NAMES]
        blocks: list[bytes] = []
        writer = RowWriter(blocks.append, ledgers)
        middle = (start + end) // 2
        for low, high in ((start, middle), (middle, end)):
            some = rows[low:high]
            codes = [ledger.codes([verdicts[place] for _, verdicts in some]) for place, ledger in enumerate(ledgers)]
            names = [one for one, _ in some]
            given = [zlib.crc32(str(place).encode()) for place in range(low, high)]
            writer.add(range(low - start, high - start), names if ids else None, codes, given, names, [names])
        writer.flush()
        joined.begin()
        for block in blocks:
            joined.add(block, first + start)
    joined.close(folder / f"codes.{kind}")
    return target


def of_lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines, in the columns of Parquet."""
    found = []
    for line in map(json.loads, path.read_bytes().splitlines()):
        codes = {f"code {name}": code for name, code in zip(NAMES, line.pop("codes"), strict=True)}
        (value,) = line.pop("slices")
        found.append({**line, "slice kind": value, **codes})
    return found


def of_parquet(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    return found


@given(ROWS, st.lists(st.integers(0, 25), max_size=3), st.booleans())
def test_both_formats_hold_the_same_rows(tmp_path: Path, rows: Any, cuts: list[int], ids: bool) -> None:
    lines = of_lines(write(tmp_path, "jsonl", rows, cuts, ids))
    assert lines == of_parquet(write(tmp_path, "parquet", rows, cuts, ids))
    assert [line["row"] for line in lines] == list(range(2, 2 + len(rows)))
    if not ids:
        assert [line["id"] for line in lines] == [str(line["row"]) for line in lines]


YES = (
    Result(RowStatus.SCORED, True, 1, 1),
    Result(RowStatus.SCORED, True, 4, 4, bytes([1, 1, 1, 1])),
    Result(RowStatus.SCORED, True, 7, 7, counts=(7, 0, 0, 0)),
)


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
@pytest.mark.parametrize(
    ("given", "kept"),
    [('a "b"', 'a "b"'), ("c\\d\n", "c\\d\n"), ("é 日", "é 日"), ("", ""), ("null", "null"), ("\ud800", "\\ud800")],
)
def test_an_id_is_kept_as_it_is(tmp_path: Path, kind: RowsFormat, given: str, kept: str) -> None:
    path = write(tmp_path, kind, [(given, YES), ("other", YES)], [])
    found = of_lines(path) if kind == "jsonl" else of_parquet(path)
    assert [row["id"] for row in found] == [kept, "other"]


@given(ROWS, st.lists(st.integers(0, 25), max_size=3))
def test_a_code_stands_for_the_verdict_of_its_row(tmp_path: Path, rows: Any, cuts: list[int]) -> None:
    lines = of_lines(write(tmp_path, "jsonl", rows, cuts))
    verdicts: dict[str, list[Result]] = {}
    for code in lines_of(tmp_path / "codes.jsonl", CodeLine):
        verdicts.setdefault(code.evaluator, []).append(code.verdict)
    for line, (_, given_verdicts) in zip(lines, rows, strict=True):
        assert tuple(verdicts[name][line[f"code {name}"]] for name in NAMES) == given_verdicts
    for name in verdicts:
        seen = dict.fromkeys(line[f"code {name}"] for line in lines)
        assert list(seen) == list(range(len(verdicts[name]))), "codes are numbered by the first row that has them"


def test_the_table_of_codes_says_everything_that_was_found(tmp_path: Path) -> None:
    lost = Result(RowStatus.INVALID, None, 0, 0, issue=LOST)
    half = Result(
        RowStatus.SCORED, False, 1, 3, bytes([FieldStatus.MATCH, FieldStatus.MISMATCH, FieldStatus.OMISSION, FieldStatus.SKIPPED]),
        metrics=((1, 2), (0, 0)),
    )  # fmt: skip
    write(tmp_path, "jsonl", [("x", (lost, half, YES[2]))], [])
    lines = [json.loads(line) for line in (tmp_path / "codes.jsonl").read_bytes().splitlines()]
    issue = {"code": "expected-not-json", "blame": "testset", "message": 'not JSON: "é" \ud800'}
    assert lines == [
        {"evaluator": "plain", "code": 0, "status": "invalid", "issue": issue},
        {"evaluator": "fields", "code": 0, "status": "scored", "score": [1, 3], "passed": False, "fields": "=x-s",
         "metrics": [[1, 2], [0, 0]]},
        {"evaluator": "open", "code": 0, "status": "scored", "score": [7, 7], "passed": True, "counts": [7, 0, 0, 0]},
    ]  # fmt: skip


def test_rows_are_written_in_groups_of_one_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_rows, "FLUSH_ROWS", 4)
    monkeypatch.setattr(stored_rows, "GROUP_ROWS", 4)
    path = write(tmp_path, "parquet", [(str(number), YES) for number in range(22)], [3, 10])
    groups = pyarrow.parquet.ParquetFile(path)
    assert [groups.metadata.row_group(place).num_rows for place in range(groups.num_row_groups)] == [4, 4, 4, 4, 4, 2]
    groups.close()
