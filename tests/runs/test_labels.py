"""Confusion matrix: exact tables of what was taken for what, the same for any cut of the rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluators
from evaluators.model.issues import Problems
from evaluators.model.rows import MISSING, Result, RowStatus
from evaluators.reports.run_page import run_page
from evaluators.reports.text import page_text
from evaluators.runs.exact_sums import plus
from evaluators.runs.label_pairs import NO_LABELS, LabelColumn, LabelPair
from evaluators.runs.labels import LabelPairs, label_pairs_of, label_tables
from evaluators.runs.result import ConfusionMatrix, RunResult
from evaluators.runs.split_result import EvaluatorSums
from evaluators.runs.split_rows import Layout
from evaluators.scoring.evaluators.exact_match import ExactMatch
from evaluators.scoring.plan.graph import EvaluatorLine
from tests.runs.given_columns import GivenColumns

VERDICTS = [
    Result(RowStatus.SCORED, True, 1, 1),
    Result(RowStatus.SKIPPED, None, 0, 0),
    Result(RowStatus.BLOCKED, False, 0, 1),
    Result(RowStatus.UNREADABLE, False, 0, 1),
]
Row = tuple[Any, Any, int]


def pairs_of(rows: Sequence[Row], cuts: Sequence[int] = (), labels: Any = None, other: bool = True) -> LabelPairs:
    """The pairs of (expected, output, verdict) rows, scored in splits of so many rows each; the first row is row 2."""
    rule = ExactMatch(labels=labels, other=other).label_rule()
    assert rule is not None
    known: dict[LabelPair, int] = {}
    codes, sums = list[int](), EvaluatorSums()
    for start, end in pairwise([0, *sorted(cuts), len(rows)]):
        column, piece = LabelColumn(rule, ["output", "expected"]), rows[start:end]
        if piece:
            expected, outputs, verdicts = (list(cells) for cells in zip(*piece, strict=True))
            found = column.codes({"output": outputs, "expected": expected}, verdicts, VERDICTS, range(len(piece)))
            numbers = [known.setdefault(pair, len(known)) for pair in column.pairs]
            codes += [numbers[one] if one >= 0 else one for one in found]
        part = EvaluatorSums(unlisted=column.unlisted)
        part.set_row_numbers(2 + start)
        plus(sums, part)
    layout = Layout(("label",), labelled=(0,), listed=(0,) if labels is not None else ())
    columns = GivenColumns(layout, {"pair0": codes}, cuts, pairs={0: list(known)})
    return label_pairs_of(columns, 0, labels is not None, sums.unlisted)


def table(rows: Sequence[Row], labels: Any = None) -> ConfusionMatrix | None:
    line = EvaluatorLine("label", ExactMatch(labels=labels), ())
    return next(label_tables([line], [pairs_of(rows, labels=labels)], None), None)


def test_the_table_and_the_figures_are_those_of_paper_and_pencil() -> None:
    rows: list[Row] = [
        ("a", "a", 0), ("a", "a", 0), ("a", "b", 0), ("b", "b", 0), ("b", "zz", 0), ("b", MISSING, 3), ("b", "", 0),
        ("a", "a", 2), ("a", "a", 1),
    ]  # fmt: skip
    found = table(rows)
    assert found.columns == ("a", "b", "(no label)", "(missing)", "(blocked)")
    assert {(one.expected, one.output): one.count for one in found.cells} == {
        ("a", "a"): 2, ("a", "b"): 1, ("a", "(blocked)"): 1, ("b", "b"): 1, ("b", "(no label)"): 1, ("b", "(missing)"): 2,
    }  # fmt: skip
    a, b = found.labels
    assert (a.support, a.predicted, a.right, a.precision, a.recall, a.f1) == (4, 2, 2, 1.0, 0.5, 2 / 3)
    assert (b.support, b.predicted, b.right, b.precision, b.recall, b.f1) == (4, 2, 1, 0.5, 0.25, 1 / 3)
    macro, micro, weighted = (found.average(name) for name in ("macro", "micro", "weighted"))
    assert (macro.precision, macro.recall, macro.f1) == (0.75, 0.375, 0.5)
    assert (micro.precision, micro.recall, micro.f1) == (0.75, 0.375, 0.5)
    assert weighted.f1 == 0.5
    assert next(one for one in found.cells if one.output == "b").first_rows == ((4, "R2"),)


def test_weighted_and_micro_differ_where_labels_do() -> None:
    found = table([("a", "a", 0)] * 6 + [("b", "a", 0)] * 2)
    assert found.average("macro").f1 == float(Fraction(6, 7) / 2)
    assert found.average("micro").f1 == 0.75
    assert found.average("weighted").f1 == float(Fraction(6, 7) * 6 / 8)


def test_a_listed_label_that_no_row_has_is_in_no_average() -> None:
    found = table([("a", "a", 0), ("x", "a", 0)], ["a", "c"])
    a, c = found.labels
    assert (a.precision, a.recall, c.f1, c.support) == (0.5, 1.0, None, 0)
    assert found.average("macro").f1 == a.f1
    assert [(one.expected, one.output) for one in found.cells] == [("a", "a"), ("(no label)", "a")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "rows",
    [
        [(f"answer {number}", "x", 0) for number in range(60)] * 3,
        [("a", "a", 0), ("b" * 65, "b", 0)] * 5,
        [("a\nb", "a", 0), ("b", "b", 0)] * 5,
        [(["a"], "a", 0), ("b", "b", 0)] * 5,
        [(1, "a", 0), ("b", "b", 0)] * 5,
        [("a", "a", 0), ("b", "b", 0), ("c", "c", 0)],
        [("a", "a", 0)] * 9,
        [("a", f"other {number}", 0) for number in range(10_001)],
    ],
)
def test_what_does_not_look_like_labels_has_no_table(rows: list[Row]) -> None:
    assert table(rows) is None


@pytest.mark.parametrize("expected", ["name {} here", "a text that is far too long to be the name of anything: {}"])
def test_texts_that_are_no_labels_are_let_go(tmp_path: Path, expected: str) -> None:
    lines = (f"{number},out {number},{expected.format(number)}" for number in range(200))
    (tmp_path / "rows.csv").write_text("\n".join(["id,output,expected", *lines]), encoding="utf-8")
    suite = {"evaluators": ["exact_match"], "test_set": "rows.csv"}
    (tmp_path / "suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    result = evaluators.load(tmp_path / "suite.yaml").run(results=tmp_path / "runs", name="texts").result
    assert result.confusion_matrices == ()
    with closing(sqlite3.connect(tmp_path / "runs" / "texts" / "run.db")) as db:
        assert db.execute("select count(*) from pairs").fetchone() == (0,)
        assert db.execute("select min(pair0), max(pair0) from rows0").fetchone() == (NO_LABELS, NO_LABELS)


def test_outputs_that_differ_are_not_all_kept_where_labels_are_listed() -> None:
    rule = ExactMatch(labels=["a", "b"]).label_rule()
    assert rule is not None
    column, rows = LabelColumn(rule, ["output", "expected"]), 25_000
    outputs = [f"other {number}" for number in range(rows)]
    codes = column.codes({"output": outputs, "expected": ["a"] * rows}, [0] * rows, VERDICTS, range(rows))
    assert (set(codes), len(column.pairs)) == ({0}, 1)
    assert len(column._known) <= 10_000


def test_a_row_without_a_score_says_nothing_about_labels() -> None:
    assert table([("a", "a", 0), ("b", "b", 0)] * 3 + [("b" * 100, "x", 1)]) is not None


texts = st.sampled_from(["a", "b", "c", "", "zz", "long " * 20])
row_lists = st.lists(st.tuples(texts.filter(bool), texts, st.integers(0, 3)), max_size=40)


@given(row_lists, st.lists(st.integers(0, 40), max_size=5), st.sampled_from([None, ["a", "b"]]), st.booleans())
def test_any_cut_gives_the_same_sums(rows: list[Row], cuts: list[int], labels: list[str] | None, other: bool) -> None:
    cuts = sorted(min(cut, len(rows)) for cut in cuts)
    assert pairs_of(rows, cuts, labels, other) == pairs_of(rows, (), labels, other)


def with_labels(folder: Path, other: bool = False, kind: str = "exact_match", variants: bool = False) -> RunResult:
    """A run of which 17 rows expect a label with a typing error, and one something else."""
    expected = ["refund"] * 3 + ["billing"] * 3 + ["refnd"] * 17 + ["nobody knows"]
    lines = [f"{number},{'refund' if 'ref' in one else 'billing'},{one}" for number, one in enumerate(expected)]
    (folder / "rows.csv").write_text("\n".join(["id,output,expected", *lines]), encoding="utf-8")
    line = {"type": kind, "name": "it", "labels": ["billing", "refund"], **({"other": True} if other else {})}
    gates = [
        {"metric": "macro_f1", "fail_below": 0.1},
        {"metric": "recall", "label": "refund", "fail_above": 0.9},
        {"fail_below": 0.1},
    ]
    test_set = {"outputs": {"one": {"column": "output"}, "two": {"column": "output"}}} if variants else {}
    suite = {"evaluators": [line], "gates": {"it": gates}, "test_set": {"file": "rows.csv", **test_set}}
    (folder / "suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    return evaluators.load(folder / "suite.yaml").run().result


@pytest.mark.parametrize("kind", ["exact_match", "correctness", "similarity", "levenshtein"])
def test_an_expected_answer_outside_the_list_is_a_problem_of_the_data(tmp_path: Path, kind: str) -> None:
    result = with_labels(tmp_path, kind=kind)
    assert (result["it"].scored, result.exit_code) == (24, 3)
    assert [(issue.code, issue.blame.value, issue.where) for issue in result.issues] == [
        ("unlisted-label", "testset", 'rows.csv row 8, column "expected"'),
        ("unlisted-label", "testset", 'rows.csv row 25, column "expected"'),
    ]
    assert '"refnd" is none of the labels' in result.issues[0].message
    assert str(result.issues[0].hint).startswith('did you mean "refund"?')
    assert result.issue_counts == {"unlisted-label": 18}
    (table,) = result.confusion_matrices
    assert {(one.precision, one.recall, one.f1) for one in (*table.labels, *table.averages)} == {(None, None, None)}
    assert [gate.verdict for gate in result.gates] == ["undecided", "undecided", "passed"]
    assert "none of the labels" in result.gates[0].message


def test_answers_outside_the_list_may_be_meant(tmp_path: Path) -> None:
    result = with_labels(tmp_path, other=True)
    assert (result.issues, result.exit_code) == ((), 1)
    (table,) = result.confusion_matrices
    assert table.average("macro").f1 is not None
    assert [gate.verdict for gate in result.gates] == ["passed", "failed", "passed"]


def test_a_problem_of_the_data_is_named_once_for_all_variants(tmp_path: Path) -> None:
    result = with_labels(tmp_path, variants=True)
    assert [issue.where for issue in result.issues] == [
        'rows.csv row 8, column "expected"', 'rows.csv row 25, column "expected"',
    ]  # fmt: skip
    assert result.issue_counts == {"unlisted-label": 18}


def test_a_label_is_what_the_evaluator_takes_for_it(tmp_path: Path) -> None:
    rows = "id,output,expected\n1,Refund,REFUND\n2,billing, Billing\n"
    (tmp_path / "rows.csv").write_text(rows, encoding="utf-8")
    suite = {"evaluators": [{"type": "correctness", "name": "it", "labels": ["refund", "billing"]}]}
    assert evaluators.load(suite).run(tmp_path / "rows.csv").exit_code == 0


ROWS = "id,expected,output\n" + "".join(
    f"T{place},{expected},{output}\n"
    for place, (expected, output) in enumerate(
        [("billing", "billing")] * 3
        + [("refund", "billing"), ("refund", "refund"), ("refund", "Refund it!"), ("other", "")]
    )
)


def run(place: Path, gates: Any = None, **settings: Any) -> RunResult:
    (place / "rows.csv").write_text(ROWS, encoding="utf-8")
    suite = {"test_set": "rows.csv", "evaluators": [{"exact_match": {"name": "label", **settings}}], "gates": gates or {}}
    (place / "suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    return (
        evaluators.load(place / "suite.yaml")
        .run(results=place, name="run", force=True, formats=("html", "markdown"))
        .result
    )


def test_a_run_writes_its_labels_down(tmp_path: Path) -> None:
    (found,) = run(tmp_path).confusion_matrices
    stored = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["confusion_matrices"]
    assert [one["evaluator"] for one in stored] == ["label"]
    (cell,) = [one for one in found.cells if (one.expected, one.output) == ("refund", "billing")]
    assert cell.first_rows == ((5, "T3"),)
    assert "refund → billing: 1 row; row 5 (T3)" in page_text(run_page(run(tmp_path)))
    summary = (tmp_path / "run" / "summary.txt").read_text(encoding="utf-8")
    (head,) = [line.split() for line in summary.splitlines() if line.startswith("expected ")]
    (row,) = [line.split() for line in summary.splitlines() if line.startswith("refund ")]
    assert row[head.index("billing")] == "1"
    assert not run(tmp_path, labels="off").confusion_matrices


@pytest.mark.parametrize(
    ("gate", "verdict", "said"),
    [
        ({"metric": "f1", "label": "refund", "fail_below": 0.6}, "failed", 'F1 of "refund" 0.5000 is below 0.6'),
        ({"label": "refund", "fail_below": 0.5}, "passed", 'F1 of "refund" 0.5000'),
        ({"metric": "precision", "label": "billing", "fail_below": 0.7}, "passed", 'precision of "billing" 0.7500'),
        ({"metric": "recall", "label": "other", "warn_below": 0.7}, "warned", 'recall of "other" 0.0000 is below 0.7'),
        ({"metric": "micro_recall", "fail_below": 0.6}, "failed", "micro recall 0.5714 is below 0.6"),
        ({"label": "refnd", "fail_below": 0.6}, "undecided", 'no row expects the label "refnd"'),
    ],
)
def test_gates_on_labels(tmp_path: Path, gate: dict[str, Any], verdict: str, said: str) -> None:
    (found,) = run(tmp_path, {"label": gate}).gates
    assert (found.verdict, said in found.message) == (verdict, True), found.message


@pytest.mark.parametrize(
    ("gate", "settings", "said"),
    [
        ({"label": "refnd", "fail_below": 1}, {"labels": ["refund", "billing"]}, 'lists none of that name'),
        ({"label": "refund", "fail_below": 1}, {"labels": "off"}, "counts none"),
        ({"label": "refund", "metric": "mean", "fail_below": 1}, {}, "a label has the metrics"),
        ({"label": "refund", "fail_below": 1, "each_slice": "row.id"}, {}, "not by slice"),
        ({"fail_below": 1}, {"labels": "refund"}, "must be a list of texts, or off"),
        ({"fail_below": 1}, {"labels": []}, "the list is empty"),
        ({"fail_below": 1}, {"labels": ["a", "a"]}, "a label is there twice"),
    ],
)  # fmt: skip
def test_mistakes_are_found_before_row_1(
    tmp_path: Path, gate: dict[str, Any], settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(Problems) as caught:
        run(tmp_path, {"label": gate}, **settings)
    assert said in str(caught.value)
