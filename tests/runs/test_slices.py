"""Slices come to the same figures however the rows are cut, also when a column has more values than are shown."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluators
from evaluators.model.rows import MISSING, Result, RowStatus
from evaluators.runs import columns as module
from evaluators.runs import slices
from evaluators.runs.groups import OTHER_VALUES, cell_text
from evaluators.runs.measures import slice_measures
from evaluators.runs.split_rows import Layout
from tests.kit import cli, write_files
from tests.runs.given_columns import GivenColumns

RESULTS = [Result(RowStatus.SCORED, True, 1, 1), Result(RowStatus.SCORED, False, 0, 1)]
LINES = evaluators.load({"evaluators": ["exact_match"]}).lines
LAYOUT = Layout(("exact_match",), ("kind",), ("cost",))
MOST = 3
ROWS = st.lists(st.tuples(st.sampled_from([*"abcdefgh", "", OTHER_VALUES]), st.integers(0, 1)), max_size=40)


@given(ROWS, st.lists(st.integers(0, 40), max_size=5), st.integers(1, 9))
def test_the_first_values_have_their_own_figures_and_the_rest_shares_one(
    rows: list[tuple[str, int]], cuts: list[int], chunk: int
) -> None:
    first = sorted({text for text, _ in rows if text != OTHER_VALUES})[:MOST]
    expected: dict[str, Counter[int]] = defaultdict(Counter)
    for text, code in rows:
        expected[text if text in first else OTHER_VALUES][code] += 1
    cells = {"slice0": [text for text, _ in rows], "code0": [code for _, code in rows], "measure0": ["2"] * len(rows)}
    columns = GivenColumns(LAYOUT, cells, cuts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK_ROWS", chunk)
        patch.setattr(slices, "MOST_SLICES", MOST)
        found = {value: one for value, (one,) in slices.slice_tallies(columns, 0, LINES, [RESULTS], {}).items()}
        measured = dict(slice_measures(columns, 0, 0, "."))
    assert {value: (tally.scored, tally.passed) for value, tally in found.items()} == {
        value: (counts.total(), counts[0]) for value, counts in expected.items()
    }
    assert {value: one.numbers.count for value, one in measured.items()} == {
        value: counts.total() for value, counts in expected.items()
    }


@pytest.mark.parametrize(
    ("cell", "text"),
    [("a", "a"), ("", ""), (MISSING, ""), (None, ""), (True, "true"), (1, "1"), (1.5, "1.5"), ([1], "[1]"), ("é", "é")],
)
def test_a_cell_is_a_slice_under_its_text(cell: Any, text: str) -> None:
    assert cell_text(cell) == text


_REVIEWED = """\
id,reviewed,version,kind,output,expected
1,true,2,invoice,x,x
2,TRUE,2.0,Invoice,x,y
3,True,2.0,invoice ,x,y
4,false,007,x,x,y
"""
_TYPED = """\
test_set: rows.csv
evaluators:
  - exact_match: {name: all}
  - exact_match: {name: reviewed, when: {row.reviewed: true}}
  - exact_match: {name: version, when: {row.version: 2}}
  - exact_match: {name: kind, when: {row.kind: invoice}}
  - json_multi_field_match: {name: fields, fields: {a: {compare: exact, when: {row.kind: invoice}}}, output: json, expected: right}
  - rules: {name: rules, output: json, there: {present: a, when: {row.reviewed: "TRUE"}}, too: {present: a}}
slices: [row.reviewed, row.version]
measures: {length: row.length}
gates:
  reviewed: {fail_below: 0.9}
  all:
    - {slice: {row.version: 2}, fail_below: 0.1}
    - {slice: {row.reviewed: true}, fail_below: 0.1}
    - {slice: {row.reviewed: "TRUE"}, fail_below: 0.1}
    - {slice: {row.version: "2"}, fail_below: 0.1}
    - {each_slice: row.reviewed, fail_below: 0.1}
  length: {metric: mean, fail_above: 9, slice: {row.reviewed: true}}
"""


@pytest.fixture
def reviewed(tmp_path: Path) -> Path:
    header, *rows = _REVIEWED.splitlines()
    cells = [f"{header},json,right,length", *(f'{row},"{{""a"": 1}}","{{""a"": 1}}",1' for row in rows)]
    write_files(tmp_path, {"suite.yaml": _TYPED, "rows.csv": "\n".join(cells)})
    return tmp_path


@pytest.mark.parametrize("workers", [1, 2])
def test_a_boolean_or_a_number_of_the_suite_fits_cells_that_read_as_it(reviewed: Path, workers: int) -> None:
    result = evaluators.load(reviewed / "suite.yaml").run(results=None, workers=workers).result
    found = {one.name: (one.scored, one.mean) for one in result.evaluators}
    assert found["reviewed"] == found["version"] == (3, pytest.approx(1 / 3))
    assert found["kind"] == (1, 1)
    values = {one.slice for one in result.slices if one.name == "all"}
    assert values == {("reviewed", one) for one in ("false", "true")} | {("version", one) for one in ("007", "2", "2.0")}
    measured = {one.slice[1]: one.n for one in result.measures if one.slice is not None and one.slice[0] == "reviewed"}
    assert measured == {"false": 1, "true": 3}
    gates = [(one.target, one.slice and one.slice[1], one.n, one.verdict) for one in result.gates]
    assert gates == [
        ("reviewed", None, 3, "failed"),
        ("all", "2", 1, "passed"), ("all", "2.0", 2, "failed"),
        ("all", "true", 3, "passed"), ("all", "true", 3, "passed"), ("all", "2", 1, "passed"),
        ("all", "false", 1, "failed"), ("all", "true", 3, "passed"),
        ("length", "true", 3, "passed"),
    ]  # fmt: skip
    warned = [one.message for one in result.warnings if one.code == "nearly-equal"]
    near = 'row.kind: invoice, and 2 rows have nearly that: "Invoice" (1), "invoice " (1)'
    assert warned == [
        f'"kind": `when` asks for {near}',
        f'"fields": `when` asks for {near}',
        '"rules": `when` asks for row.reviewed: "TRUE", and 2 rows have nearly that: "True" (1), "true" (1)',
    ]


def test_what_is_nearly_equal_and_left_out_is_said_by_check_and_is_no_problem(reviewed: Path) -> None:
    done = cli("check", str(reviewed / "suite.yaml"), "--with-data")
    assert done.exit_code == 0
    said = " ".join(done.output.split())
    assert "warning: " in said
    assert '"kind": `when` asks for row.kind: invoice, and 2 rows have nearly that: "Invoice" (1), "invoice " (1)' in said
    assert "The suite fits the test set." in said


@pytest.mark.parametrize(
    ("where", "rows", "near"),
    [
        ("reviewed=true", 3, None),
        ("reviewed=False", 1, None),
        ("version=2", 3, None),
        ("version=2.0", 3, None),
        ("version=007", 1, None),
        ("kind=invoice", 1, '2 of the first 4 rows whose cell is nearly that: "Invoice", "invoice "'),
        ("kind=Invoice", 1, '2 of the first 4 rows whose cell is nearly that: "invoice", "invoice "'),
        ("version=7", 0, None),
    ],
)
def test_rows_are_chosen_by_what_their_cells_read_as(reviewed: Path, where: str, rows: int, near: str | None) -> None:
    done = cli("run", str(reviewed / "suite.yaml"), "--no-results", "--where", where)
    said = " ".join(done.output.split())
    assert f"{rows} row{'' if rows == 1 else 's'} of" in said
    assert (f"--where {where} leaves out {near}" in said) is (near is not None)


def test_a_cell_of_json_keeps_its_kind(tmp_path: Path) -> None:
    suite = {"evaluators": [{"exact_match": {"when": {"row.x": True}}}], "slices": ["row.x"]}
    cells = [True, 1, "TRUE", "1", False, 1.0]
    rows = [{"id": at, "output": "a", "expected": "a", "x": cell} for at, cell in enumerate(cells)]
    result = evaluators.load(suite).run(rows).result
    assert result.evaluators[0].scored == 2
    assert {one.slice[1]: one.rows for one in result.slices if one.slice} == {"1": 2, "1.0": 1, "false": 1, "true": 2}


def test_half_of_a_surrogate_pair_is_the_same_slice_wherever_the_rows_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kinds = ["\\ud83d", "a", "é", "|", "\\ud83d", "zz"]
    lines = [f'{{"id":"{at}","output":"{kind}","expected":"a","kind":"{kind}"}}\n' for at, kind in enumerate(kinds)]
    suite = "evaluators: [exact_match]\nslices: [row.kind]\n"
    write_files(tmp_path, {"suite.yaml": suite, "rows.jsonl": "".join(lines)})
    kept, in_memory = (cli("run", "suite.yaml", "rows.jsonl", *more) for more in (["--name", "x"], ["--no-results"]))
    lines = [done.output.partition("lowest slice: ")[2].partition("\n")[0] for done in (kept, in_memory)]
    assert lines[0] == "kind = \\ud83d (exact_match: mean 0.0000, 0 of 2 rows passed)"
    assert lines[1] == lines[0]
