"""Stored rows: the same in both formats, whatever the parts they were written in."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluators.issues import Blame, Issue
from evaluators.model import Standing, Status, Verdict
from evaluators.runs import rows as stored_rows
from evaluators.runs.rows import RowsFormat, Stored, join_parts, open_part
from evaluators.runs.tally import Ledger

STORED = (Stored("plain", ()), Stored("fields", ("a", "score", 'b."c d"', "é")), Stored("open", ()))
LOST = Issue("expected-not-json", Blame.TESTSET, 'not JSON: "é" \ud800')

VERDICTS = st.tuples(
    st.sampled_from(
        [
            Verdict(Standing.SCORED, True, 1, 1),
            Verdict(Standing.SCORED, False, 1, 3),
            Verdict(Standing.SKIPPED, None, 0, 0),
        ]
    ),
    st.one_of(
        st.builds(
            lambda statuses, num: Verdict(Standing.SCORED, num == 4, num, 4, bytes(statuses)),
            st.lists(st.sampled_from(Status), min_size=4, max_size=4),
            st.integers(0, 4),
        ),
        st.just(Verdict(Standing.INVALID, None, 0, 0, issue=LOST)),
    ),
    st.builds(
        lambda right: Verdict(Standing.SCORED, right == 7, right, 7, counts=(right, 7 - right, 0, 2)), st.integers(0, 7)
    ),
)
IDS = st.text(st.sampled_from('a"\\\n,é\ud800 '), max_size=4) | st.text(max_size=3)
ROWS = st.lists(st.tuples(IDS, VERDICTS), max_size=25)


def write(folder: Path, kind: RowsFormat, rows: Any, cuts: list[int], ids: bool = True, first: int = 2) -> Path:
    """The rows, cut into parts and joined. Every part is written in two chunks."""
    places = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    parts = []
    for index, (start, end) in enumerate(pairwise(places)):
        ledgers = [Ledger(len(one.fields)) for one in STORED]
        path = folder / f"{kind}-{index}.part"
        writer = open_part(kind, path, STORED, ledgers)
        middle = (start + end) // 2
        for low, high in ((start, middle), (middle, end)):
            some = rows[low:high]
            codes = [ledger.codes([verdicts[place] for _, verdicts in some]) for place, ledger in enumerate(ledgers)]
            writer.add(range(low - start, high - start), [one for one, _ in some] if ids else None, codes)
        writer.close()
        parts.append((path, first + start))
    target = folder / f"whole.{kind}"
    join_parts(kind, parts, target)
    return target


def of_lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines, as far as Parquet has them too."""
    found = []
    for line in path.read_bytes().splitlines():
        row = json.loads(line)
        flat = {"row": row["row"], "id": row["id"]}
        for one in STORED:
            result = row["results"][one.name]
            flat[f"{one.name}.standing"] = result.get("standing", "scored")
            flat |= {f"{one.name}.{name}": result.get(name) for name in ("score", "passed")}
            flat |= {f"{one.name}.fields.{name}": result["fields"].get(name) for name in one.fields}
        found.append(flat)
    return found


def of_parquet(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    return found


@given(ROWS, st.lists(st.integers(0, 25), max_size=3), st.booleans())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_both_formats_hold_the_same_rows(tmp_path: Path, rows: Any, cuts: list[int], ids: bool) -> None:
    lines = of_lines(write(tmp_path, "jsonl", rows, cuts, ids))
    assert lines == of_parquet(write(tmp_path, "parquet", rows, cuts, ids))
    assert [line["row"] for line in lines] == list(range(2, 2 + len(rows)))
    if not ids:
        assert [line["id"] for line in lines] == [str(line["row"]) for line in lines]


@given(ROWS, st.lists(st.integers(0, 25), max_size=4))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_the_parts_leave_no_trace(tmp_path: Path, rows: Any, cuts: list[int]) -> None:
    for kind in ("jsonl", "parquet"):
        whole = write(tmp_path, kind, rows, []).read_bytes()
        assert write(tmp_path, kind, rows, cuts).read_bytes() == whole


YES = (
    Verdict(Standing.SCORED, True, 1, 1),
    Verdict(Standing.SCORED, True, 4, 4, bytes([1, 1, 1, 1])),
    Verdict(Standing.SCORED, True, 7, 7, counts=(7, 0, 0, 0)),
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


def test_a_line_says_everything_that_was_found(tmp_path: Path) -> None:
    lost = Verdict(Standing.INVALID, None, 0, 0, issue=LOST)
    half = Verdict(Standing.SCORED, False, 1, 2, bytes([Status.MATCH, Status.MISMATCH, Status.OMISSION, Status.SKIPPED]))
    path = write(tmp_path, "jsonl", [("x", (lost, half, YES[2]))], [])
    assert json.loads(path.read_bytes()) == {
        "row": 2,
        "id": "x",
        "results": {
            "plain": {"standing": "invalid", "reason": 'not JSON: "é" \\ud800'},
            "fields": {
                "score": 0.5,
                "passed": False,
                "fields": {"a": "match", "score": "mismatch", 'b."c d"': "omission", "é": "skipped"},
            },
            "open": {
                "score": 1.0,
                "passed": True,
                "counts": {"match": 7, "mismatch": 0, "omission": 0, "hallucination": 0},
            },
        },
    }


def test_half_of_a_surrogate_pair_in_a_field_is_spelled_out(tmp_path: Path) -> None:
    stored, ledger = [Stored("fields", ("\ud800",))], Ledger(1)
    for kind in ("jsonl", "parquet"):
        writer = open_part(kind, tmp_path / kind, stored, [ledger])
        writer.add(range(1), ["x"], [ledger.codes([Verdict(Standing.SCORED, True, 1, 1, bytes([Status.MATCH]))])])
        writer.close()
    assert b'"\\\\ud800":"match"' in (tmp_path / "jsonl").read_bytes()
    join_parts("parquet", [(tmp_path / "parquet", 1)], tmp_path / "whole")
    assert "fields.fields.\\ud800" in pyarrow.parquet.read_schema(tmp_path / "whole").names


def test_a_row_of_five_evaluators_takes_at_most_fifteen_bytes_in_parquet(tmp_path: Path) -> None:
    names = tuple(f"field_{number}" for number in range(12))
    stored = [Stored("exact", ()), Stored("json", ()), Stored("fields", names), Stored("diff", ()), Stored("normal", ())]
    ledgers = [Ledger(len(one.fields)) for one in stored]
    many = 2 * stored_rows.FLUSH_ROWS
    columns: list[list[Verdict]] = [[], [], [], [], []]
    noise = 1
    for _ in range(many):
        noise = noise * 6364136223846793005 % 2**64
        wrong, where = noise >> 61, (noise >> 50) % 12
        right = 12 - (wrong == 0)
        columns[0].append(Verdict(Standing.SCORED, wrong > 2, int(wrong > 2), 1))
        columns[1].append(Verdict(Standing.SCORED, True, 1, 1))
        statuses = bytes(Status.MISMATCH if place == where and wrong == 0 else Status.MATCH for place in range(12))
        columns[2].append(Verdict(Standing.SCORED, right == 12, right, 12, statuses))
        leaves = 20 + (noise >> 40) % 8
        columns[3].append(Verdict(Standing.SCORED, wrong > 1, leaves - (wrong < 2), leaves, counts=(leaves, 0, 0, 0)))
        columns[4].append(Verdict(Standing.SCORED, right == 12, right, 12, counts=(right, 12 - right, 0, 0)))
    writer = open_part("parquet", tmp_path / "part", stored, ledgers)
    for start in range(0, many, 1_000):
        ids = [str(number) for number in range(start, min(start + 1_000, many))]
        writer.add(
            range(start, start + len(ids)),
            ids,
            [ledger.codes(column[start : start + 1_000]) for ledger, column in zip(ledgers, columns, strict=True)],
        )
    writer.close()
    join_parts("parquet", [(tmp_path / "part", 2)], tmp_path / "rows.parquet")
    assert (tmp_path / "rows.parquet").stat().st_size / many <= 15


def test_rows_are_written_in_groups_of_one_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_rows, "FLUSH_ROWS", 4)
    monkeypatch.setattr(stored_rows, "GROUP_ROWS", 4)
    path = write(tmp_path, "parquet", [(str(number), YES) for number in range(22)], [3, 10])
    groups = pyarrow.parquet.ParquetFile(path)
    assert [groups.metadata.row_group(place).num_rows for place in range(groups.num_row_groups)] == [4, 4, 4, 4, 4, 2]
    groups.close()
