from __future__ import annotations

import csv
import re
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue
from evaluators.model.rows import FieldStatus, Outcome, Result, RowStatus
from evaluators.reports.csv_cells import BYTE_ORDER_MARK, Spelling, guard_cell
from evaluators.reports.names import flat_columns
from evaluators.reports.rows import RowView, field_numbers
from evaluators.reports.rows_csv import AGGREGATE, WHY, write_rows

HEADER = ("id", "output")
Listed = tuple[tuple[str, tuple[str, ...]], ...]
HEADED: Listed = (("header", ("total", "vendor.name")), ("exact_match", ()))
FULL, UNSCORED = Result(RowStatus.SCORED, True, 1, 1), Result(RowStatus.SKIPPED, evaluator="exact_match")


def row_of(cells: tuple[str, ...], *results: Result, header: tuple[str, ...] = HEADER) -> RowView:
    return RowView(2, "A-1", None, dict(zip(header, cells, strict=False)), results)


def added_columns(header: tuple[str, ...], evaluators: Listed) -> tuple[str, ...]:
    columns = flat_columns(evaluators, ("score",), listing=(AGGREGATE,), before=header, after=(WHY,))
    return columns[len(header) :]


def written(*rows: RowView, header: tuple[str, ...] = HEADER, evaluators: Listed = HEADED) -> list[list[str]]:
    stream = StringIO(newline="")
    write_rows(stream, header, evaluators, rows)
    text = stream.getvalue()
    assert text.startswith(BYTE_ORDER_MARK)
    return list(csv.reader(StringIO(text.removeprefix(BYTE_ORDER_MARK), newline="")))


# --- the file


def test_the_rows_come_back_with_verdicts_beside_them() -> None:
    fields = (Outcome("vendor.name", FieldStatus.OMISSION),)
    half = Result(
        RowStatus.SCORED, None, 1, 2, bytes([FieldStatus.MATCH, FieldStatus.OMISSION]), fields=fields, evaluator="header"
    )
    head, row = written(row_of(("A-1", '{"total": 3}'), half, FULL))
    assert head == [
        "id", "output", "header.score", "header.aggregate_score", "header.total", "header.total.score",
        "header.vendor.name", "header.vendor.name.score", "exact_match.score", "why",
    ]  # fmt: skip
    assert row == [
        "A-1", '{"total": 3}', "0.5", "0.5", "right", "1.0", "missing", "0.0", "1.0", "header: vendor.name is missing",
    ]  # fmt: skip


def test_a_field_scores_the_share_of_its_values_that_are_right() -> None:
    every = bytes(range(len(FieldStatus)))
    assert field_numbers(Result(RowStatus.SCORED, True, 1, 1, every)) == (None, 1.0, 0.0, 0.0, 0.0, None, 0.0, None)
    items = Result(RowStatus.SCORED, False, 3, 4, bytes([FieldStatus.MATCH, FieldStatus.MISMATCH]), values=(1, 3, 4))
    assert field_numbers(items) == (1.0, 0.75)
    assert field_numbers(Result(RowStatus.INVALID, None, 0, 0)) == ()


def test_columns_of_fields_never_meet() -> None:
    fields = ("aggregate_score", "total", "total.score", "score")
    columns = added_columns(("id",), (("a", fields),))
    assert len(columns) == len(set(columns)) == 3 + 2 * len(fields)
    assert columns[:6] == ("a.score", "a.aggregate_score", "a.aggregate_score (2)", "a.aggregate_score.score", "a.total",
                           "a.total.score")  # fmt: skip


def test_a_row_without_a_score_has_empty_cells() -> None:
    row = written(row_of(("A-1", ""), UNSCORED, UNSCORED))[1]
    assert row == ["A-1", *[""] * 8, "exact_match: skipped; exact_match: skipped"]


def test_a_column_that_the_file_has_already_gets_a_number() -> None:
    header = ("id", "why", "header.score", "header.score (2)")
    assert added_columns(header, (("header", ()),)) == ("header.score (3)", "why (2)")


@given(st.lists(st.tuples(st.text(max_size=8), st.text(max_size=8)), max_size=4))
def test_every_cell_comes_back_but_for_the_apostrophe(rows: list[tuple[str, str]]) -> None:
    # "\0" is refused by the reader of older Pythons
    rows = [(a.replace("\0", ""), b.replace("\0", "")) for a, b in rows]
    read = written(*map(row_of, rows), evaluators=())
    assert [tuple(row[:2]) for row in read[1:]] == [(guard_cell(a), guard_cell(b)) for a, b in rows]


@given(
    rows=st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 10**6)), max_size=4),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    decimal=st.sampled_from([".", ","]),
)
def test_written_results_read_back_the_same_numbers(rows: list[tuple[int, int]], delimiter: str, decimal: str) -> None:
    results = [Result(RowStatus.SCORED, None, num, num + den, evaluator="x") for num, den in rows]
    stream = StringIO(newline="")
    views = [row_of(("a", "b"), result) for result in results]
    write_rows(stream, HEADER, (("x", ()),), views, Spelling(delimiter, decimal))
    text = stream.getvalue().removeprefix(BYTE_ORDER_MARK)
    read = [row["x.score"] for row in csv.DictReader(StringIO(text, newline=""), delimiter=delimiter)]
    assert [float(one.replace(decimal, ".")) for one in read] == [result.score for result in results]


# --- formulas


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1", "+1+1", "-1-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1+1", "=cmd|'/c calc'!A0", "-", "+49 170",
        "- item", "-1=1", "\ufeff=1",
    ],
)  # fmt: skip
def test_what_a_spreadsheet_would_run_becomes_text(cell: str) -> None:
    assert guard_cell(cell) == "'" + cell


@pytest.mark.parametrize(
    "cell", ["", "-12.5", "-12,5", "+3", "-1e-7", ".5", "-.5", "a=1", "1-1", "x@y.z", "'=1", "{}", "é"]
)
def test_other_cells_stay_as_they_are(cell: str) -> None:
    assert guard_cell(cell) == cell


def test_headers_reasons_and_field_names_are_guarded_too() -> None:
    right = bytes([FieldStatus.MATCH])
    result = Result(RowStatus.SCORED, False, 1, 1, right, reason="why", evaluator="@e")
    read = written(row_of(("x",), result, header=("=h",)), header=("=h",), evaluators=(("=e", ("f",)),))
    assert read == [
        ["'=h", "'=e.score", "'=e.aggregate_score", "'=e.f", "'=e.f.score", "why"],
        ["x", "1.0", "1.0", "right", "1.0", "'@e: why"],
    ]


@given(st.text(max_size=6))
def test_no_written_cell_starts_a_formula(cell: str) -> None:
    safe = guard_cell(cell)
    assert not re.match(r"[=@]", safe)
    if safe[:1] in {"+", "-"}:
        float(safe)


def test_a_separator_in_a_cell_never_starts_a_new_one() -> None:
    stream = StringIO(newline="")
    write_rows(stream, ("id",), (), [row_of(("a;=1+1",), header=("id",))])
    assert stream.getvalue().splitlines()[1] == '"a;\'=1+1",""'


# --- reasons


def why(**results: Result) -> str:
    return RowView(2, "A-1", None, None, tuple(replace(one, evaluator=name) for name, one in results.items())).why


def scored(value: float, *fields: Outcome, reason: str | None = None, passed: bool | None = None) -> Result:
    return Result(RowStatus.SCORED, passed, *value.as_integer_ratio(), fields=fields, reason=reason, evaluator="header")


@pytest.mark.parametrize(
    ("field", "said"),
    [
        (
            Outcome("total", FieldStatus.MISMATCH, expected=12.5, actual="13"),
            'total is wrong (expected 12.5, found "13")',
        ),
        (Outcome("total", FieldStatus.MISMATCH, reason="a day too late"), "total is wrong (a day too late)"),
        (Outcome("total", FieldStatus.OMISSION, expected=None), "total is missing (expected null)"),
        (Outcome("total", FieldStatus.OMISSION), "total is missing"),
        (Outcome("total", FieldStatus.HALLUCINATION, actual=["é"]), 'total is extra (["é"])'),
        (
            Outcome(
                "a[*]",
                FieldStatus.HALLUCINATION,
                expected=[1],
                actual=[1, 2],
                reason="1 of 2 match; a[1]: only the output has it",
            ),
            "a[*] is extra (1 of 2 match; a[1]: only the output has it)",
        ),
        (Outcome("total", FieldStatus.ERROR, reason="not a number"), "total is an error (not a number)"),
        (Outcome("total", FieldStatus.NOT_JUDGED, reason="time limit"), "total could not be judged (time limit)"),
    ],
)
def test_a_field_that_does_not_match_is_explained(field: Outcome, said: str) -> None:
    assert why(header=scored(0.5, field)) == f"header: {said}"


def test_only_the_first_fields_are_named() -> None:
    fields = [Outcome(f"f{number}", FieldStatus.OMISSION) for number in range(7)]
    assert why(h=scored(0.0, *fields)).endswith("f4 is missing and 2 more")


def test_a_long_value_is_cut() -> None:
    said = why(h=scored(0.0, Outcome("f", FieldStatus.HALLUCINATION, actual="x" * 500)))
    assert len(said) < 100
    assert "…" in said


def test_a_full_score_needs_no_reason() -> None:
    good = Outcome("total", FieldStatus.MATCH)
    assert why(a=scored(1.0, good, passed=True), b=scored(1.0)) == ""


def test_an_evaluator_without_fields_gives_its_own_reason() -> None:
    assert why(a=scored(0.0, reason="the texts differ"), b=scored(0.0, passed=False)) == (
        "a: the texts differ; b: did not pass"
    )


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (RowStatus.UNREADABLE, "the output could not be read: no JSON"),
        (RowStatus.BLOCKED, "blocked: no JSON"),
        (RowStatus.INVALID, "the test set is at fault: no JSON"),
        (RowStatus.UNJUDGED, "could not be judged: no JSON"),
        (RowStatus.BUG, "a fault in the program: no JSON"),
    ],
)
def test_a_row_that_was_not_judged_says_why(status: RowStatus, said: str) -> None:
    issue = Issue("x", Blame.OUTPUT, "no JSON")
    assert why(a=Result(status, den=int(status.scored), issue=issue)) == f"a: {said}"


def test_a_skipped_row_says_so_in_a_word() -> None:
    assert why(a=Result(RowStatus.SKIPPED)) == "a: skipped"
