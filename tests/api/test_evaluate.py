"""`evaluate`: rows of a program in, and a run with figures, rows, reasons and tables out."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import evaluators
from evaluators.reports.headline import headline
from evaluators.reports.run_page import run_page
from evaluators.reports.text import page_text
from tests.kit import write_rows

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")

SUITE: dict[str, Any] = {
    "name": "invoices",
    "evaluators": [{"json_multi_field_match": {"name": "header", "fields": {"a": "exact", "b": "numeric"}}}],
    "gates": {"header": {"fail_below": 0.9}},
}
ROWS = [
    {"output": '{"a": 1, "b": 2}', "expected": '{"a": 1, "b": 2}'},
    {"output": None, "expected": '{"a": 1, "b": 2}'},
    {"output": '{"a": 2, "b": 2}', "expected": '{"a": 1, "b": 2}'},
]

THEIRS = "evaluators.integrations.compat.struct_extract_eval"


class Invoice(BaseModel):
    a: int
    b: int


def generated() -> Any:
    return (dict(row) for row in ROWS)


def in_a_file(folder: Path) -> Path:
    return write_rows(folder / "rows.jsonl", ROWS)


@pytest.mark.parametrize("rows", [
    ROWS,
    generated(),
    pandas.DataFrame(ROWS),
    pandas.DataFrame(ROWS).convert_dtypes(),
    pandas.DataFrame(ROWS).astype("category"),
    pyarrow.Table.from_pylist(ROWS),
    pyarrow.RecordBatch.from_pylist(ROWS),
    {"output": [row["output"] for row in ROWS], "expected": [row["expected"] for row in ROWS]},
    [{**row, "output": float("nan") if row["output"] is None else json.loads(row["output"])} for row in ROWS],
    [{**row, "output": pandas.NA if row["output"] is None else row["output"]} for row in ROWS],
    [{**row, "output": pandas.NaT if row["output"] is None else row["output"]} for row in ROWS],
    [evaluators.Row(row) for row in ROWS],
])  # fmt: skip
def test_rows_of_any_kind_are_scored_alike(rows: Any) -> None:
    run = evaluators.evaluate(rows, SUITE)
    header = run["header"]
    assert (run.n_rows, header.mean, header.unreadable, run.passed, run.exit_code) == (3, 0.5, 1, False, 1)
    assert [row["header.score"] for row in run.rows] == [1.0, 0.0, 0.5]


def test_a_file_the_settings_of_a_test_set_and_two_sequences_are_rows_too(tmp_path: Path) -> None:
    file = in_a_file(tmp_path)
    sides = {"expected": [row["expected"] for row in ROWS], "outputs": [row["output"] for row in ROWS]}
    for run in (
        evaluators.evaluate(file, SUITE),
        evaluators.evaluate({"file": str(file)}, SUITE),
        evaluators.evaluate({**SUITE, "test_set": {"file": str(file)}}),
        evaluators.evaluate(SUITE, **sides),
        evaluators.load(SUITE).run(ROWS),
        evaluators.load(SUITE).run(pandas.DataFrame(ROWS)),
    ):
        assert run["header"].mean == 0.5


def test_a_suite_may_be_given_by_its_name() -> None:
    sides = {"expected": [row["expected"] for row in ROWS], "outputs": [row["output"] for row in ROWS]}
    for run in (evaluators.evaluate(ROWS, suite=SUITE), evaluators.evaluate(suite=SUITE, **sides)):
        assert run["header"].mean == 0.5


def test_a_suite_alone_is_run_over_its_own_test_set(tmp_path: Path) -> None:
    suite = {**SUITE, "test_set": in_a_file(tmp_path).name}
    (tmp_path / "suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    assert evaluators.evaluate(str(tmp_path / "suite.yaml"))["header"].mean == 0.5
    assert evaluators.evaluate(tmp_path / "suite.yaml")["header"].mean == 0.5


@pytest.mark.parametrize("how", [
    {"schema": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}},
    {"schema": Invoice},
    {"schema": "infer"},
    {"fields": ["a", "b"]},
    {"fields": {"a": "exact", "b": "numeric"}},
    {"schema": {"fields": ["a", "b"]}},
])  # fmt: skip
def test_a_schema_or_fields_take_the_place_of_a_suite(how: dict[str, Any]) -> None:
    run = evaluators.evaluate(ROWS, **how)
    assert run["fields"].micro_f1 == pytest.approx(0.6)
    assert [field["path"] for field in run.fields] == ["a", "b"]
    assert evaluators.evaluate(ROWS, {"fields": ["a", "b"]})["fields"].mean == run["fields"].mean


def test_models_are_documents() -> None:
    run = evaluators.evaluate(expected=[Invoice(a=1, b=2)], outputs=[Invoice(a=1, b=3)], schema=Invoice)
    assert [(one["path"], one["expected"], one["output"]) for one in run.failures()] == [("b", 2, 3)]


def test_a_data_frame_comes_out_with_the_index_of_the_one_that_went_in() -> None:
    frame = pandas.DataFrame(ROWS, index=["x", "y", "z"])
    run = evaluators.evaluate(frame, SUITE)
    scores = run.to_pandas()
    assert list(scores.index) == ["x", "y", "z"]
    assert list(frame.join(scores)["header.a"]) == ["match", "omission", "mismatch"]
    assert list(run.to_arrow().column_names[:3]) == ["row", "id", "header.score"]
    one = evaluators.evaluate(frame, SUITE, selection=evaluators.Selection(limit=1)).to_pandas()
    assert list(one.index) == ["x"]


def test_rows_that_no_frame_holds_are_called_by_their_ids_or_their_numbers() -> None:
    assert list(evaluators.evaluate(ROWS, SUITE).to_pandas().index) == [1, 2, 3]
    named = [{"id": f"r{at}", **row} for at, row in enumerate(ROWS)]
    assert list(evaluators.evaluate(named, SUITE).to_pandas().index) == ["r0", "r1", "r2"]


def test_rows_of_a_file_are_called_by_their_numbers_in_a_frame(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    write_rows(file, ROWS)
    assert list(evaluators.evaluate(str(file), SUITE).to_pandas().index) == [1, 2, 3]
    assert list(evaluators.evaluate({"file": str(file)}, SUITE).to_pandas().index) == [1, 2, 3]


def test_the_accessor_gives_the_same() -> None:
    import evaluators.integrations.harnesses.pandas  # registers the accessor

    frame = pandas.DataFrame(ROWS)
    assert frame.evaluators.score(evaluators.load(SUITE)).equals(evaluators.evaluate(frame, SUITE).to_pandas())
    assert frame.evaluators.evaluate(evaluators.load(SUITE)) is not None


def test_fields_and_failures_are_tables() -> None:
    run = evaluators.evaluate(ROWS, SUITE)
    fields = run.fields.to_pandas()
    assert list(fields["path"]) == ["a", "b"]
    assert list(fields["n"]) == [3, 3]
    (lost, *_) = run.failures()
    assert (lost["row"], lost["path"], lost["status"]) == (2, "a", "omission")
    assert len(run.failures(2)) == 2
    wrong = run.failures()[-1]
    assert (wrong["expected"], wrong["output"], wrong["reason"]) == (1, 2, "2 differs from 1")


@pytest.mark.parametrize(
    ("expected", "gates", "said"),
    [
        ("Paris", {}, "finished"),
        ("Paris", {"exact_match": {"fail_below": 1.0}}, "passed"),
        ("Paris", {"exact_match": {"warn_below": 1.0}}, "passed"),
        ("Rome", {"exact_match": {"warn_below": 1.0}}, "passed, with warnings"),
        ("Rome", {"exact_match": {"fail_below": 1.0}}, "FAILED (exit code 1)"),
        (None, {}, "not everything could be measured (exit code 3)"),
    ],
)
def test_a_run_ends_in_the_words_of_the_command(expected: str | None, gates: dict[str, Any], said: str) -> None:
    row = {"output": "Paris", **({"expected": expected} if expected is not None else {})}
    rows = [row, {"output": "Rome", "expected": "Rome"}]
    run = evaluators.evaluate(rows, {"evaluators": ["exact_match"], "gates": gates})
    assert f": {said}, 2 rows of " in repr(run).splitlines()[0]
    assert headline(run.result) == said.partition(" (")[0]


def test_a_prompt_and_a_notebook_show_the_sentence_that_pages_begin_with() -> None:
    rows = [{"output": {"a": "<b>", "b": one}, "expected": {"a": "<b>", "b": 1}} for one in (1, 2, 3)]
    run = evaluators.evaluate(rows, fields=["a", "b"])
    sentence = "4 of 6 values right; 1 of 3 rows passed; worst: b (1 of 3 right)"
    assert repr(run).splitlines()[1] == sentence
    assert f"<p>{sentence}</p>" in run._repr_html_()
    assert sentence in page_text(run_page(run.result))


def test_a_run_is_shown_in_a_few_lines() -> None:
    many = {"evaluators": [{"length": {"name": f"l{number}", "max": 3}} for number in range(30)]}
    run = evaluators.evaluate(
        [{"output": "<b>" * 40}] * 30, {**many, "gates": {f"l{n}": {"fail_below": 1.0} for n in range(30)}}
    )
    assert len(repr(run).splitlines()) <= 12
    assert "<table>" in run._repr_html_()
    assert len(repr(run.rows).splitlines()) <= 12
    assert len(repr(run.failures()).splitlines()) <= 12
    assert "<b><b>" not in run.failures()._repr_html_()


def test_what_a_document_cannot_hold_is_the_fault_of_who_wrote_it() -> None:
    rows = [{"output": {"a": float("nan"), "b": 2}, "expected": {"a": 1, "b": 2}},
            {"output": {"a": 1, "b": 2}, "expected": {"a": float("nan"), "b": 2}}]  # fmt: skip
    header = evaluators.evaluate(rows, SUITE)["header"]
    assert (header.unreadable, header.invalid, header.mean) == (1, 1, 0.0)


def test_suggestions_that_nobody_reads_are_not_searched() -> None:
    program = (
        "import sys, evaluators\n"
        f"evaluators.evaluate({ROWS!r}, {SUITE!r}).failures()\n"
        "print('evaluators.reports.suggestion_search' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"


def test_nothing_of_a_run_is_left_when_it_is_let_go() -> None:
    run = evaluators.evaluate(ROWS, SUITE)
    place = run.place
    assert (place / "run.json").is_file()
    assert run.folder is None
    del run
    assert not place.exists()


@pytest.mark.parametrize(("call", "said"), [
    (lambda: evaluators.evaluate(ROWS, SUITE, resluts="runs"), 'did you mean "results"'),
    (lambda: evaluators.load(SUITE).run(ROWS, resluts="runs"), 'did you mean "results"'),
    (lambda: evaluators.evaluate([{}], [{}], {"type": "object"}), f"from {THEIRS} import evaluate"),
    (lambda: evaluators.evaluate(gold=[{}], extracted=[{}], schema={}), f"from {THEIRS} import evaluate"),
    (lambda: evaluators.evaluate("suite.yaml", pandas.DataFrame(ROWS)), "the rows come first"),
    (lambda: evaluators.evaluate(ROWS, SUITE, schema="infer"), "one of them"),
    (lambda: evaluators.evaluate(ROWS, SUITE, expected=[], outputs=[]), "not both"),
])  # fmt: skip
def test_a_call_that_is_none_says_what_to_write(call: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        call()


@pytest.mark.parametrize("rows", [ROWS, [], tuple(ROWS), iter(ROWS), pandas.DataFrame(ROWS), "rows.csv"])
def test_a_suite_asked_about_many_rows_says_what_it_takes_and_what_to_call(rows: Any) -> None:
    said = f"takes one row, a dict or a Row; found {type(rows).__name__}; for many rows call evaluators.evaluate(rows, suite=…)"
    with pytest.raises(TypeError, match=re.escape(said)):
        evaluators.load(SUITE).evaluate(rows)


def test_a_row_of_a_data_frame_is_a_row() -> None:
    suite = evaluators.load(SUITE)
    assert [suite.evaluate(row)["header"].score for _, row in pandas.DataFrame(ROWS).iterrows()] == [1.0, 0.0, 0.5]


@pytest.mark.parametrize(("rows", "said"), [
    (7, "rows are expected, and this is an int"),
    (["a"], "row 1 is a str"),
    ([], "there is nothing to score"),
    ({"output": ["a"], "expected": []}, "not of one length"),
    (pandas.DataFrame([[1, 2]], columns=["output", "output"]), 'two columns are called "output"'),
])  # fmt: skip
def test_what_is_no_rows_is_refused(rows: Any, said: str) -> None:
    with pytest.raises(evaluators.Problems, match=said):
        evaluators.evaluate(rows, SUITE)


def test_sequences_go_together_one_by_one() -> None:
    with pytest.raises(evaluators.Problems, match="2 expected documents and 1 outputs"):
        evaluators.evaluate(expected=[{}, {}], outputs=[{}], schema="infer")
    with pytest.raises(evaluators.Problems, match="nothing that says how"):
        evaluators.evaluate(ROWS)


def test_few_names_are_for_callers() -> None:
    assert len(evaluators.__all__) <= 24
    for name in ("Comparator", "Evaluator", "Example", "Issue", "Question", "Text", "MISSING", "RunResult"):
        assert getattr(evaluators, name) is not None
    assert inspect.signature(evaluators.evaluate).parameters["schema"].kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize(("expected", "output", "passed", "wrong"), [
    ({"a": 1}, {"a": 2}, False, [("a", "mismatch", "2 differs from 1")]),
    ({"a": 1}, '{"a": 1}', True, []),
    ('{"a": [1]}', {"a": [1, 2], "x": None}, False, [("a[1]", "hallucination", "only the output has it"),
                                                     ("x", "hallucination", "only the output has it")]),
    ("Paris", "paris", False, []),
    ("Paris", "Paris", True, []),
])  # fmt: skip
def test_two_documents_are_compared_without_a_suite(expected: Any, output: Any, passed: bool, wrong: Any) -> None:
    found = evaluators.evaluate_pair(expected, output)
    assert found.passed is passed
    assert [(f.path, f.status.word, f.reason) for f in found.fields if f.status.word != "match"] == wrong


def test_two_documents_are_compared_by_a_schema() -> None:
    for how in ({"schema": Invoice}, {"fields": ["a", "b"]}, {"schema": "infer"}):
        assert evaluators.evaluate_pair({"a": 1, "b": 2}, {"a": 1, "b": 3}, **how).score == 0.5


def test_a_result_is_a_few_lines_to_look_at() -> None:
    found = evaluators.evaluate_pair({"a": 1, "b": [{"c": "x"}]}, {"a": 2, "b": [{"c": "y"}]})
    assert repr(found).splitlines() == [
        "pair: failed, score 0.0000",
        "path    status    expected  output  reason",
        "a       mismatch  1         2       2 differs from 1",
        'b[0].c  mismatch  x         y       "y" differs from "x"',
    ]
    assert "<td>b[0].c</td>" in found._repr_html_()
    many = evaluators.evaluate_pair({str(n): n for n in range(100)}, {"x": "\n".join("x" * 20)})
    assert len(repr(many).splitlines()) <= 12
    marked = evaluators.evaluate_pair({"a": "<b>"}, {"a": "<i>"})._repr_html_()
    assert "&lt;b&gt;" in marked
    assert "<b></td>" not in marked
    assert repr(evaluators.evaluate_pair("Paris", "Paris")) == "pair: passed, score 1.0000"
    row = evaluators.load(SUITE).evaluate({"output": "no", "expected": "no JSON"})
    assert repr(row["header"]).splitlines()[0].startswith("header: invalid")
    assert len(repr(row).splitlines()) <= 12


def test_two_runs_of_a_program_are_compared() -> None:
    base = evaluators.evaluate(ROWS, SUITE)
    new = evaluators.evaluate([{**row, "output": row["expected"]} for row in ROWS], SUITE)
    found = evaluators.compare(base, new)
    frame = found.to_pandas()
    assert (found.fixed, found.broken, found.incomparable) == (2, 0, ())
    assert list(frame["evaluator"]) == ["header", "header", "header"]
    assert frame["base"].iloc[0] == 0.5
    assert {"field", "difference", "p_value", "verdict"} <= {*frame}
    assert found.to_arrow().column_names == list(frame)
    assert repr(found).splitlines()[0] == "invoices → invoices: 3 rows, 0 broken, 2 fixed, 1 unchanged"
    assert len(repr(found).splitlines()) <= 12
    assert "<table>" in found._repr_html_()
    other = evaluators.evaluate(ROWS, {"evaluators": ["exact_match"]})
    assert "not comparable" in repr(evaluators.compare(base, other))
    assert "<li>" in evaluators.compare(base, other)._repr_html_()
    assert len(repr(base["header"])) < 1000


def test_a_run_is_compared_with_one_in_a_folder(tmp_path: Path) -> None:
    evaluators.evaluate(ROWS, SUITE, results=tmp_path, name="base")
    assert evaluators.compare(tmp_path / "base", evaluators.evaluate(ROWS, SUITE)).unchanged == 3
