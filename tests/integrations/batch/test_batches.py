"""Batches of rows: however they are cut and in whatever order they come, they make the result of a run."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict

import evaluators
from evaluators.model.issues import Blame, Problems
from evaluators.runs.result import RunResult
from tests.hosts.table import ROWS, SUITE, register
from tests.hosts.table.rows import table_rows
from tests.kit import write_rows

pyarrow = pytest.importorskip("pyarrow")

from evaluators.integrations.batch import BatchPlan, batch_plan, evaluate_batch, finish, merge  # noqa: E402  # needs pyarrow

OWN = ("data_fingerprint", "environment", "test_set")
"""What a run of batches says in its own way."""
MIXED = {
    "evaluators": [
        {"exact_match": {"name": "answer"}},
        {"schema_match": {"name": "fields", "output": "reply", "expected": "page",
                          "fields": {"a": "exact", "items": {"align": "any_order"}, "items[*].n": "numeric"}}},
        {"json_diff_match": {"name": "diff", "output": "reply", "expected": "page"}},
    ],
    "slices": ["row.kind"],
    "statistics": {"cluster": "row.group"},
    "repeats": "row.group",
    "confidence": "row.sure",
    "measures": {"cost": "row.cost"},
    "gates": {"fields.a": {"fail_below": 0.2}, "answer": {"metric": "f1", "label": "yes", "fail_below": 0.9}},
}  # fmt: skip
MIXED_ROWS: list[dict[str, Any]] = [
    {
        "id": f"r{number % 17}" if number % 5 else "",
        "output": ["yes", "no", "perhaps", ""][number % 4],
        "expected": ["yes", "no"][number % 3 % 2],
        "reply": [json.dumps({"a": number % 3, "items": [{"n": 1}, {"n": number % 2}]}), "broken {", "", '{"b": 1}'][number % 7 % 4],
        "page": json.dumps({"a": number % 2, "items": [{"n": 0}, {"n": 1}]}) if number % 11 else "not json",
        "kind": "ab"[number % 2],
        "group": str(number // 3),
        "sure": str(number % 9 / 8) if number % 13 else "sure",
        "cost": "dear" if number == 20 else str(number / 7),
    }
    for number in range(40)
]  # fmt: skip


def said(result: RunResult) -> dict[str, Any]:
    """Everything that a result says and that depends on its rows."""
    return {name: value for name, value in asdict(result).items() if name not in OWN}


def of_batches(plan: BatchPlan, rows: Sequence[Mapping[str, Any]], cuts: Sequence[int], swap: Any = None) -> RunResult:
    """The result of rows in batches that end at the cuts, merged in another order when `swap` says so."""
    schema = pyarrow.schema([(name, pyarrow.int64() if name == "row" else pyarrow.string()) for name in rows[0]])
    ends = sorted({*cuts, 0, len(rows)})
    batches = [rows[start:end] for start, end in pairwise(ends)]
    scored = [evaluate_batch(plan, pyarrow.RecordBatch.from_pylist(list(batch), schema=schema)) for batch in batches]
    if swap is not None:
        swap.shuffle(scored)
    return finish(plan, merge(plan, scored), rows=len(rows))


def numbered(rows: Sequence[Mapping[str, Any]], first: int) -> list[dict[str, Any]]:
    return [{**row, "row": number} for number, row in enumerate(rows, first)]


@pytest.mark.slow
@settings(max_examples=15)
@given(st.lists(st.integers(1, 30), max_size=6), st.randoms(use_true_random=False))
def test_batches_in_any_order_make_the_run_over_the_same_file(cuts: list[int], swap: Any) -> None:
    register()
    rows = numbered(table_rows(), 2)  # in a CSV file, the header is row 1
    plan = batch_plan(SUITE, list(rows[0]), row="row", name=str(ROWS))
    assert said(of_batches(plan, rows, cuts, swap)) == said(evaluators.load(SUITE).run(ROWS).result)


@pytest.mark.slow
@settings(max_examples=10)
@given(st.lists(st.integers(1, 39), max_size=6), st.randoms(use_true_random=False), st.booleans())
def test_slices_clusters_labels_and_measures_are_those_of_a_run(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], swap: Any, with_numbers: bool
) -> None:
    file = tmp_path_factory.mktemp("mixed") / "rows.jsonl"
    write_rows(file, MIXED_ROWS)
    suite = evaluators.load(MIXED)
    ours = suite.run(file).result
    assert all((ours.confusion_matrices, ours.measures, ours.slices, ours.warnings, ours.issues))
    rows = numbered(MIXED_ROWS, 1) if with_numbers else MIXED_ROWS
    plan = batch_plan(suite, list(rows[0]), row="row" if with_numbers else None, name=ours.test_set)
    assert said(of_batches(plan, rows, cuts, swap if with_numbers else None)) == said(ours)


def test_rows_of_a_batch_may_be_in_any_order() -> None:
    rows = numbered(MIXED_ROWS, 1)
    plan = batch_plan(evaluators.load(MIXED), list(rows[0]), row="row")
    straight, turned = of_batches(plan, rows, []), of_batches(plan, rows[::-1], [])
    assert straight == turned
    scores = evaluate_batch(plan, pyarrow.RecordBatch.from_pylist(rows[::-1]))
    assert scores.column("row").to_pylist() == [row["row"] for row in rows[::-1]]
    assert scores.column("answer.score").to_pylist()[::-1] == [
        None if row["expected"] == "" else float(row["output"] == row["expected"]) for row in rows
    ]


def test_the_fingerprint_is_that_of_the_rows_however_they_are_cut() -> None:
    rows = numbered(MIXED_ROWS, 1)
    plan = batch_plan(evaluators.load(MIXED), list(rows[0]), row="row")
    whole, cut = of_batches(plan, rows, []), of_batches(plan, rows, [7, 20])
    other = of_batches(plan, [*rows[:-1], {**rows[-1], "output": "other"}], [])
    assert whole.data_fingerprint == cut.data_fingerprint != other.data_fingerprint


def test_what_comes_out_is_known_from_the_plan_and_the_same_every_time() -> None:
    rows = numbered(MIXED_ROWS, 1)
    plan = pickle.loads(pickle.dumps(batch_plan(evaluators.load(MIXED), list(rows[0]), row="row")))
    batch = pyarrow.RecordBatch.from_pylist(rows)
    found = evaluate_batch(plan, batch)
    assert found.schema == plan.schema
    assert found.equals(evaluate_batch(plan, batch))
    assert evaluate_batch(plan, batch.slice(0, 0)).schema == plan.schema
    assert found.column("evaluators.sums").null_count == len(rows) - 1


def test_sums_may_travel_alone() -> None:
    rows = numbered(MIXED_ROWS, 1)
    plan = batch_plan(evaluators.load(MIXED), list(rows[0]), row="row")
    found = evaluate_batch(plan, pyarrow.RecordBatch.from_pylist(rows))
    sums = found.column("evaluators.sums")[0].as_py()
    results = [finish(plan, merge(plan, [each])) for each in (found, pyarrow.table(found), sums, bytearray(sums))]
    assert all(each == results[0] for each in results)


def test_a_data_frame_is_a_batch_too() -> None:
    pandas = pytest.importorskip("pandas")
    rows = numbered(MIXED_ROWS, 1)
    plan = batch_plan(evaluators.load(MIXED), list(rows[0]), row="row")
    scored = evaluate_batch(plan, pyarrow.RecordBatch.from_pandas(pandas.DataFrame(rows))).to_pandas()
    assert finish(plan, merge(plan, [scored])) == of_batches(plan, rows, [])


def test_no_batches_are_no_rows() -> None:
    plan = batch_plan(evaluators.load({"evaluators": ["exact_match"]}), ["output", "expected"])
    result = finish(plan, merge(plan, []))
    assert (result.rows, result.evaluators[0].mean) == (0, None)


def test_a_row_that_was_scored_twice_is_refused() -> None:
    rows = numbered(MIXED_ROWS, 1)
    plan = batch_plan(evaluators.load(MIXED), list(rows[0]), row="row")
    first, second = (evaluate_batch(plan, pyarrow.RecordBatch.from_pylist(part)) for part in (rows[:9], rows[8:]))
    with pytest.raises(Problems, match="row 9 was scored twice") as refused:
        merge(plan, [first, second])
    assert refused.value.issues[0].blame is Blame.ENVIRONMENT
    with pytest.raises(Problems, match="row 1 was scored twice"):
        merge(plan, [first, first])


def test_rows_that_were_lost_are_missed() -> None:
    rows = numbered(MIXED_ROWS, 1)
    plan = batch_plan(evaluators.load(MIXED), list(rows[0]), row="row")
    sums = merge(plan, [evaluate_batch(plan, pyarrow.RecordBatch.from_pylist(rows[:9]))])
    with pytest.raises(Problems, match="40 rows were to be scored, and 9 were"):
        finish(plan, sums, rows=40)


def test_sums_of_another_suite_are_refused() -> None:
    one, other = (batch_plan(evaluators.load({"name": name, "evaluators": ["exact_match"]}), ["output", "expected"])
                  for name in ("one", "other"))  # fmt: skip
    scored = evaluate_batch(one, pyarrow.RecordBatch.from_pylist([{"output": "a", "expected": "a"}]))
    with pytest.raises(Problems, match="scored with another plan"):
        merge(other, [scored])


@pytest.mark.parametrize("damage", [b"", b"{}", b"[1, 2]", b"\x00" * 100, b"null"])
def test_sums_that_are_damaged_are_refused(damage: bytes) -> None:
    plan = batch_plan(evaluators.load({"evaluators": ["exact_match"]}), ["output", "expected"])
    with pytest.raises(Problems, match=r"evaluators\.sums"):
        merge(plan, [damage])


def test_bytes_of_sums_that_changed_are_no_sums() -> None:
    plan = batch_plan(evaluators.load({"evaluators": ["exact_match"]}), ["output", "expected"])
    scored = evaluate_batch(plan, pyarrow.RecordBatch.from_pylist([{"output": "a", "expected": "a"}]))
    sums = bytearray(scored.column("evaluators.sums")[0].as_py())
    for place in range(0, len(sums), 7):
        changed = sums.copy()
        changed[place] ^= 1
        with pytest.raises(Problems):
            merge(plan, [changed])


@pytest.mark.parametrize("number", [None, 0, -3, "1", 1.0])
def test_the_number_of_a_row_is_a_whole_number_from_1_on(number: Any) -> None:
    plan = batch_plan(evaluators.load({"evaluators": ["exact_match"]}), ["output", "expected", "row"], row="row")
    with pytest.raises(Problems, match='the column "row" holds the numbers of rows'):
        evaluate_batch(plan, pyarrow.RecordBatch.from_pylist([{"output": "a", "expected": "a", "row": number}]))


def test_a_column_that_a_batch_lacks_is_named() -> None:
    plan = batch_plan(evaluators.load({"evaluators": ["exact_match"]}), ["output", "expected"])
    with pytest.raises(Problems, match='"expected"'):
        evaluate_batch(plan, pyarrow.RecordBatch.from_pylist([{"output": "a", "expcted": "a"}]))


@pytest.mark.parametrize(
    ("suite", "message"),
    [
        ({"evaluators": [{"schema_match": {"schema": "infer"}}]}, "infers its schema"),
        ({"evaluators": ["exact_match"], "test_set": {"outputs": {"a": "a.jsonl"}}}, "`outputs` fetches cells"),
        ({"evaluators": ["exact_match"], "slices": ["row.kind"]}, '"kind"'),
    ],
)
def test_a_suite_that_needs_more_than_a_batch_is_refused(suite: dict[str, Any], message: str) -> None:
    with pytest.raises(Problems, match=message):
        batch_plan(evaluators.load(suite), ["output", "expected"])


MADE = [
    {"id": str(number), "reply": {"text": f"v{number % 3}"}, "vendor": f"v{number % 2}", "total_gold": number % 4 or None,
     "output": json.dumps({"vendor": f"v{number % 2}", "total": number % 3})}
    for number in range(20)
]  # fmt: skip


@pytest.mark.parametrize(
    "test_set",
    [
        {"columns": {"output": "reply.text", "expected": "vendor"}},
        {"expected": {"columns": {"vendor": "vendor", "total": "total_gold"}}},
        {
            "expected": {"columns": {"vendor": "vendor"}},
            "output": {"columns": {"vendor": "reply.text"}},
            "columns": {"id": "id"},
        },
    ],
)
def test_columns_made_of_others_are_made_in_each_batch(test_set: dict[str, Any], tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", MADE)
    settings_ = {"evaluators": ["exact_match", "json_diff_match"][: 1 + ("expected" in test_set)]}
    suite = evaluators.load({**settings_, "test_set": {"file": str(tmp_path / "rows.jsonl"), **test_set}})
    ran = suite.run().result
    columns = [name for name in MADE[0] if name != "output" or "output" not in test_set]
    rows = [{name: row[name] for name in columns} for row in MADE]
    plan = batch_plan(suite, columns)
    scored = [evaluate_batch(plan, pyarrow.RecordBatch.from_pylist(part)) for part in (rows[:7], rows[7:])]
    merged = finish(plan, merge(plan, [one.column("evaluators.sums")[0].as_py() for one in scored]))
    assert [(one.mean, one.scored, one.invalid) for one in merged.evaluators] == [
        (one.mean, one.scored, one.invalid) for one in ran.evaluators
    ]


def test_a_column_for_numbers_that_is_not_there_is_named() -> None:
    with pytest.raises(Problems, match='"nr"'):
        batch_plan(evaluators.load({"evaluators": ["exact_match"]}), ["output", "expected"], row="nr")


def test_a_plan_is_small(tmp_path: Path) -> None:
    plan = batch_plan(evaluators.load(MIXED), [*MIXED_ROWS[0]])
    assert len(pickle.dumps(plan)) < 10_000


@pytest.mark.parametrize("column", [None, "note", "id", "output", "expected", "kind"])
def test_null_is_an_empty_cell_in_any_column(tmp_path: Path, column: str | None) -> None:
    """Programs that read CSV make null of an empty cell; the figures are those of the file."""
    import csv

    full = [
        {
            "id": f"r{number}",
            "output": f'{{"a": {number % 3}}}',
            "expected": f'{{"a": {number % 2}}}',
            "note": "n",
            "kind": "k",
        }
        for number in range(20)
    ]
    rows = [
        {name: None if number % 4 == 1 and column in (None, name) else cell for name, cell in row.items()}
        for number, row in enumerate(full)
    ]
    with open(tmp_path / "rows.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    suite = evaluators.load(
        {
            "evaluators": [
                "json_diff_match", "exact_match", {"json_multi_field_match": {"fields": {"a": "exact"}}},
                {"type": "exact_match", "name": "some", "when": {"row.kind": "k"}},
            ],
            "slices": ["row.kind"],
        }
    )  # fmt: skip
    wanted = suite.run(tmp_path / "rows.csv").result
    table = pyarrow.Table.from_pylist(rows)
    plan = batch_plan(suite, table.schema)
    found = finish(plan, merge(plan, [evaluate_batch(plan, batch) for batch in table.to_batches(max_chunksize=7)]))
    assert (found.evaluators, found.slices) == (wanted.evaluators, wanted.slices)
    assert found.exit_code == wanted.exit_code


def test_a_column_of_nothing_but_nulls_and_a_number_that_is_none_end_no_batch() -> None:
    table = pyarrow.table(
        {
            "id": ["1", "2"], "output": ["a", "b"], "expected": ["a", "a"],
            "empty": pyarrow.nulls(2), "price": [1.0, float("nan")], "inner": [{"x": None}, None],
        }
    )  # fmt: skip
    plan = batch_plan(evaluators.load({"evaluators": ["exact_match"]}), table.schema)
    found = finish(plan, merge(plan, [evaluate_batch(plan, batch) for batch in table.to_batches()]))
    assert (found.evaluators[0].scored, found.evaluators[0].mean) == (2, 0.5)
