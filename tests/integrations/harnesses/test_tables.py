"""Arrow batches and data frames: every row that comes in goes out, with the scores of `evaluators run`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evaluators.api.loading import load
from evaluators.integrations.harnesses.arrow import batch_schema, evaluate_batch
from evaluators.model.issues import Problems
from evaluators.scoring.values.paths import parse
from tests.hosts.table import SUITE, Figures, Found, assert_same_rows, register
from tests.hosts.table.rows import table_rows

pyarrow = pytest.importorskip("pyarrow")


def of_arrow() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = evaluate_batch(SUITE, pyarrow.RecordBatch.from_pylist(table_rows())).to_pylist()
    return found


def of_pandas() -> list[dict[str, Any]]:
    pandas = pytest.importorskip("pandas")
    import evaluators.integrations.harnesses.pandas  # noqa: F401  # registers the accessor

    scores = pandas.DataFrame(table_rows()).evaluators.score(SUITE)
    found: list[dict[str, Any]] = scores.astype(object).where(scores.notna(), None).to_dict("records")
    return found


@pytest.mark.parametrize("score", [of_arrow, of_pandas])
def test_a_table_has_the_scores_of_the_run(score: Callable[[], list[dict[str, Any]]], ours: Figures) -> None:
    register()
    rows = score()
    ids = [row["id"] for row in table_rows()]
    found = {
        id: {name: Found(row[f"{name}.score"], row[f"{name}.error"] is not None) for name in ours.evaluators}
        for id, row in zip(ids, rows, strict=True)
    }
    assert_same_rows(found, ours)
    for id, row in zip(ids, rows, strict=True):
        for name in ours.evaluators:
            mine = ours.rows[id][name]
            assert (row[f"{name}.status"], row[f"{name}.passed"]) == (mine.status, mine.passed)
            for path, status in mine.fields.items():
                assert row[f"{name}.{parse(path).canonical}"] == status


def test_the_schema_of_a_batch_is_known_from_the_suite() -> None:
    register()
    empty = pyarrow.RecordBatch.from_pylist(
        [], schema=pyarrow.schema([(name, pyarrow.string()) for name in table_rows()[0]])
    )
    assert evaluate_batch(SUITE, empty).schema == batch_schema(SUITE)
    assert evaluate_batch(SUITE, pyarrow.RecordBatch.from_pylist(table_rows())).schema == batch_schema(SUITE)
    names = batch_schema(SUITE).names
    assert names[:4] == ["short.score", "short.passed", "short.status", "short.error"]
    assert {"header.items[*].price", "header.items[*].price.score", "overall.score"} <= {*names}


def test_rows_may_hold_documents_and_lack_cells() -> None:
    suite = load({"evaluators": [{"json_diff_match": {"name": "diff"}}, {"length": {"max": 3}}]})
    rows = [{"output": {"a": 1}, "expected": {"a": 1}}, {"output": None, "expected": {"a": 1}}, {"output": {"a": 1}}]
    found = evaluate_batch(suite, pyarrow.RecordBatch.from_pylist(rows)).to_pylist()
    assert [row["diff.score"] for row in found] == [1.0, 0.0, None]
    assert [row["diff.status"] for row in found] == ["scored", "unreadable", "invalid"]
    assert [row["overall.score"] for row in found] == [0.5, 0.0, None]


def test_the_index_of_a_data_frame_stays() -> None:
    pandas = pytest.importorskip("pandas")
    from evaluators.integrations.harnesses.pandas import evaluate_batch as evaluate_frame

    suite = load({"evaluators": ["exact_match"]})
    frame = pandas.DataFrame({"said": ["a", float("nan")], "gold": ["a", "b"]}, index=["x", "y"])
    scores = evaluate_frame(suite, frame, columns={"output": "said", "expected": "gold"})
    assert list(scores.index) == ["x", "y"]
    assert list(frame.join(scores)["exact_match.score"]) == [1.0, 0.0]


def test_a_column_that_is_not_there_is_refused() -> None:
    suite = load({"evaluators": ["exact_match"]})
    with pytest.raises(Problems, match="no column is recognised as the output"):
        evaluate_batch(suite, pyarrow.RecordBatch.from_pylist([{"gold": "a"}]))


def test_two_columns_never_have_one_name() -> None:
    suite = load(
        {"evaluators": [{"json_multi_field_match": {"name": "a", "fields": {"score": "exact", "error": "exact"}}}]}
    )
    names = batch_schema(suite).names
    assert len(names) == len({*names})
    assert "a.score (2)" in names


@pytest.mark.parametrize("host", ["arrow", "pandas"])
def test_columns_of_fields_may_be_left_out(host: str) -> None:
    register()
    if host == "arrow":
        batch = pyarrow.RecordBatch.from_pylist(table_rows())
        whole, few = (evaluate_batch(SUITE, batch, fields=fields).to_pydict() for fields in (True, False))
        assert [*few] == batch_schema(SUITE, fields=False).names
    else:
        pandas = pytest.importorskip("pandas")
        import evaluators.integrations.harnesses.pandas  # noqa: F401  # registers the accessor

        frame = pandas.DataFrame(table_rows())
        tables = [frame.evaluators.score(SUITE, fields=fields).astype(object) for fields in (True, False)]
        whole, few = (table.where(table.notna(), None).to_dict("list") for table in tables)
    names = dict.fromkeys([*(one.name for one in load(SUITE).lines), "overall"])
    assert [*few] == [f"{name}.{end}" for name in names for end in ("score", "passed", "status", "error")]
    assert few == {name: whole[name] for name in few}
    assert len(whole) > len(few)
