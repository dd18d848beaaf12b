"""What a run says of items without a key, and of items that share one: for every family, on both sides."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from evaluators.api.loading import load, loads
from evaluators.integrations.compat.struct_extract_eval import evaluate
from evaluators.model.issues import Blame
from evaluators.runs.result import KeyStats, RunResult
from evaluators.runs.run_json import read_as, run_body, run_json
from evaluators.testsets.readers import jsonl
from tests.kit import write_rows

FIELDS = """
evaluators:
  - %s:
      name: orders
      fields:
        items: {align: {key_field: {key: sku%s}}}
        items[*].sku: exact
        items[*].qty: numeric
"""
X_EVAL = """
evaluators:
  - schema_match:
      name: orders
      schema:
        type: object
        properties:
          items:
            type: array
            x-eval-align: {match_by: key_field, key: sku}
            items: {type: object, properties: {sku: {type: string}, qty: {type: integer}}}
"""
PLACES = {"json_multi_field_match": "suite.yaml:6:42", "schema_match": "suite.yaml:6:42", "x-eval": "suite.yaml:10:54"}
SUITES = {
    "json_multi_field_match": FIELDS % ("json_multi_field_match", ""),
    "schema_match": FIELDS % ("schema_match", ""),
    "x-eval": X_EVAL,
}
ALL = pytest.mark.parametrize("family", list(SUITES))
A, B, A2, NONE = {"sku": "A", "qty": 1}, {"sku": "B", "qty": 2}, {"sku": "A", "qty": 3}, {"qty": 4}


def run(text: str, tmp_path: Path, *rows: tuple[Any, Any], **more: Any) -> RunResult:
    """A run over (expected items, output items); text stands for a cell that is no list."""
    written = [
        {side: cell if isinstance(cell, str) else json.dumps({"items": cell})
         for side, cell in zip(("expected", "output"), row, strict=True)} | more
        for row in rows
    ]  # fmt: skip
    path = tmp_path / "rows.jsonl"
    write_rows(path, written)
    return loads(text).run(path).result


def found(result: RunResult) -> list[tuple[Any, ...]]:
    return [(k.path, k.key, k.side, k.what, k.items, k.rows, k.first_rows) for k in result.evaluators[0].keys]


def said(result: RunResult) -> list[str]:
    return [issue.message for issue in result.warnings if issue.code.startswith("items-")]


@ALL
def test_each_side_is_counted_with_its_rows(family: str, tmp_path: Path) -> None:
    rows = ([A, B], [A, B]), ([A, NONE, NONE], [B, A]), ([A], [A, A2, NONE]), ([NONE, A], [A, A, A, B])
    result = run(SUITES[family], tmp_path, *rows)
    assert found(result) == [
        ("items", "sku", "expected", "without_key", 3, 2, (2, 4)),
        ("items", "sku", "output", "without_key", 1, 1, (3,)),
        ("items", "sku", "output", "duplicate_key", 3, 2, (3, 4)),
    ]
    warnings = [issue for issue in result.warnings if issue.code.startswith("items-")]
    assert [issue.message for issue in warnings] == [
        '"orders": 3 expected items of "items" have no key "sku", in 2 rows (rows 2, 4)',
        '"orders": 1 item of "items" in the outputs has no key "sku", in 1 row (row 3)',
        '"orders": 3 items of "items" in the outputs have the same key "sku" as an earlier item, in 2 rows (rows 3, 4)',
    ]
    assert {issue.where for issue in warnings} == {PLACES[family]}
    assert [issue.blame for issue in warnings] == [Blame.TESTSET, Blame.OUTPUT, Blame.OUTPUT]
    assert result.exit_code == 0


@ALL
def test_equal_documents_are_counted_too(family: str, tmp_path: Path) -> None:
    result = run(SUITES[family], tmp_path, ([A, A2, NONE], [A, A2, NONE]), ([A, B], [A, B]))
    assert result.evaluators[0].mean == 1
    assert found(result) == [
        ("items", "sku", side, what, 1, 1, (1,))
        for side in ("expected", "output")
        for what in ("without_key", "duplicate_key")
    ]


@ALL
def test_items_with_keys_of_their_own_are_not_spoken_of(family: str, tmp_path: Path) -> None:
    result = run(SUITES[family], tmp_path, ([A, B], [B, A]), ([A], []), ([], [B]), ([B], "prose"))
    assert (found(result), result.warnings) == ([], ())


@ALL
def test_an_unreadable_output_leaves_the_expected_side(family: str, tmp_path: Path) -> None:
    result = run(SUITES[family], tmp_path, ([A, A2], "there is none"), ("not json", [A, A2]))
    assert found(result) == [("items", "sku", "expected", "duplicate_key", 1, 1, (1,))]


@ALL
def test_the_first_rows_are_named(family: str, tmp_path: Path) -> None:
    result = run(SUITES[family], tmp_path, *[([A, B], [A, B]), ([A, NONE], [A, B])] * 6)
    assert said(result) == ['"orders": 6 expected items of "items" have no key "sku", in 6 rows (rows 2, 4, 6, 8, 10, …)']


def test_a_skipped_row_is_not_looked_at(tmp_path: Path) -> None:
    text = SUITES["json_multi_field_match"].replace("name: orders", "name: orders\n      when: {row.kind: order}")
    assert found(run(text, tmp_path, ([A, A2], [A]), kind="note")) == []
    assert len(found(run(text, tmp_path, ([A, A2], [A]), kind="order"))) == 1


def test_the_hint_says_what_becomes_of_such_items(tmp_path: Path) -> None:
    in_order, apart = "such items pair with each other in list order", "such items pair with nothing"
    for keyless, start in (("", in_order), (", keyless: apart", apart)):
        result = run(FIELDS % ("schema_match", keyless), tmp_path, ([A, NONE], [A]))
        (hint,) = [issue.hint for issue in result.warnings if issue.code == "items-without-key"]
        assert hint.startswith(start)


def test_a_key_that_no_item_has_is_said_once(tmp_path: Path) -> None:
    result = run(SUITES["schema_match"].replace("key: sku", "key: code"), tmp_path, ([A, B], [A, B]))
    assert [issue.code for issue in result.issues] == ["key-found-nowhere"]
    assert said(result) == []
    assert [fault[:6] for fault in found(result)] == [
        ("items", "code", side, "without_key", 2, 1) for side in ("expected", "output")
    ]


def test_a_schema_in_a_column_is_counted_by_its_own_key(tmp_path: Path) -> None:
    def schema(key: str) -> str:
        items = {"type": "object", "properties": {"sku": {"type": "string"}, "qty": {"type": "integer"}}}
        align = {"match_by": "key_field", "key": key}
        return json.dumps(
            {"type": "object", "properties": {"items": {"type": "array", "x-eval-align": align, "items": items}}}
        )

    rows = [
        {"expected": json.dumps({"items": one}), "output": json.dumps({"items": [A, B]}), "schema": schema(key)}
        for one, key in (([A, A2], "sku"), ([A, A2], "qty"), ([A, {"sku": "B", "qty": 1}], "qty"))
    ]
    path = tmp_path / "rows.jsonl"
    write_rows(path, rows)
    result = loads("evaluators:\n  - schema_match: {name: orders, schema: {column: schema}}\n").run(path)
    assert found(result) == [
        ("items", "qty", "expected", "duplicate_key", 1, 1, (3,)), ("items", "sku", "expected", "duplicate_key", 1, 1, (1,))
    ]  # fmt: skip


def test_variants_share_what_is_said_of_the_expected_side(tmp_path: Path) -> None:
    (tmp_path / "expected.jsonl").write_text(json.dumps({"id": 1, "expected": {"items": [A, A2]}}), encoding="utf-8")
    for name, items in (("v1", [A, A2]), ("v2", [A])):
        row = {"id": 1, "output": json.dumps({"items": items})}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row), encoding="utf-8")
    test_set = "test_set: {expected: expected.jsonl, outputs: {v1: v1.jsonl, v2: v2.jsonl}}\n"
    (tmp_path / "suite.yaml").write_text(test_set + SUITES["schema_match"], encoding="utf-8")
    assert said(load(tmp_path / "suite.yaml").run()) == [
        '"orders": 1 expected item of "items" has the same key "sku" as an earlier item, in 1 row (row 1)',
        'variant "v1": "orders": 1 item of "items" in the outputs has the same key "sku" as an earlier item, in 1 row (row 1)',
    ]


def some_items(random: Random) -> list[Any]:
    return [random.choice([A, B, A2, NONE, {"sku": "C"}]) for _ in range(random.randrange(5))]


@ALL
def test_the_counts_of_a_run_are_those_of_its_documents_however_it_is_cut(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(7)
    rows = [(some_items(random), some_items(random)) for _ in range(150)]
    rows += [(items, items) for items, _ in rows[:20]]
    wanted = {}
    for side in (0, 1):
        lists = [[item.get("sku") for item in row[side]] for row in rows]
        for what, counts in (
            ("without_key", [keys.count(None) for keys in lists]),
            ("duplicate_key", [len(known) - len({*known}) for known in ([key for key in keys if key] for keys in lists)]),
        ):
            met = [number for number, count in enumerate(counts, 1) if count]
            wanted["expected" if side == 0 else "output", what] = (sum(counts), len(met), tuple(met[:5]))
    results = []
    for size in (10**7, 8_000, 2_000):
        monkeypatch.setattr(jsonl, "SPLIT_BYTES", size)
        monkeypatch.setattr(jsonl, "CHUNK_BYTES", 500)
        results.append(run(SUITES[family], tmp_path, *rows))
    assert {(fault[2], fault[3]): fault[4:] for fault in found(results[0])} == wanted
    texts = [run_json(result) for result in results]
    assert texts[1:] == texts[:-1]
    kept = results[0].evaluators[0].keys
    assert read_as(run_body(run_json(results[0]).encode(), "run.json"), RunResult, "run.json").evaluators[0].keys == kept


NULLS = """
evaluators:
  - schema_match: {name: orders, %s}
"""
ORDERS = [
    ({"order": {"no": None if made_up else "A"}, "kind": "x"}, {"order": {"no": "A"}, "kind": "x"})
    for made_up in (1, 1, 0)
]


def null_warnings(text: str, tmp_path: Path, *rows: tuple[Any, Any]) -> list[tuple[str | None, str, str | None]]:
    texts = [(json.dumps(expected), json.dumps(output)) for expected, output in rows]
    found = run(text, tmp_path, *texts).warnings
    return [(one.where, one.message, one.hint) for one in found if one.code == "nulls-unsaid"]


def test_values_that_are_made_up_where_null_is_expected_are_said_with_the_line_to_write(tmp_path: Path) -> None:
    ((where, message, hint),) = null_warnings(NULLS % "fields: [order.no, kind]", tmp_path, *ORDERS)
    assert where == "suite.yaml:3:5"
    assert '"orders": null is expected at "order.no", and 2 rows have a value there' in message
    assert "write nulls: absent" in str(hint)
    schema = "schema: {properties: {order: {properties: {no: {type: string}}}, kind: {type: string}}}"
    assert null_warnings(NULLS % schema, tmp_path, *ORDERS)


@pytest.mark.parametrize("nulls", ["nulls: value", "nulls: absent", "absent_values: [null]"])
def test_nothing_is_said_of_nulls_where_the_suite_says_it(nulls: str, tmp_path: Path) -> None:
    assert null_warnings(NULLS % f"fields: [order.no, kind], {nulls}", tmp_path, *ORDERS) == []


def test_nothing_is_said_of_a_field_that_is_null_in_every_row(tmp_path: Path) -> None:
    assert null_warnings(NULLS % "fields: [order.no, kind]", tmp_path, *ORDERS[:2]) == []


def test_nothing_is_said_where_nothing_is_made_up(tmp_path: Path) -> None:
    rows = [(expected, expected) for expected, _ in ORDERS]
    assert null_warnings(NULLS % "fields: [order.no, kind]", tmp_path, *rows) == []


def test_evaluate_says_it_too_unless_it_is_told_what_null_is() -> None:
    schema = {"type": "object", "properties": {"no": {"type": ["string", "null"]}}}
    rows = [({"no": None}, {"no": "A"}), ({"no": "B"}, {"no": "B"})]
    expected, outputs = [row[0] for row in rows], [row[1] for row in rows]
    codes = [one.code for one in evaluate(expected, outputs, schema).warnings]
    assert codes == ["nulls-unsaid"]
    for nulls in ("value", "absent"):
        assert evaluate(expected, outputs, schema, nulls=nulls).warnings == ()
    assert evaluate(expected, outputs, schema).stats == evaluate(expected, outputs, schema, nulls="value").stats


def test_evaluate_says_where_a_comparator_reads_none_of_the_expected_values() -> None:
    schema = {"type": "object", "properties": {"company": {"type": ["string", "number"], "x-eval-compare": "numeric"}}}
    (found,) = evaluate([{"company": "Acme"}], [{"company": "Acme"}], schema).warnings
    assert found.message == (
        '"schema_match": no expected value of "company" is of the kind that `numeric` reads, so it measured nothing; one is "Acme"'
    )
    assert evaluate([{"company": 1}, {"company": "Acme"}], [{}, {}], schema).warnings == ()


SPELT = """
evaluators:
  - json_schema_valid: {name: valid, schema: {properties: {user_name: {type: string}}}, keys: {style: any}}
  - schema_match: {name: schema, fields: [user_name], keys: {style: any}}
  - json_multi_field_match: {name: fields, fields: [user_name], keys: {style: any}}
  - json_diff_match: {name: diff, keys: {style: any}}
  - json_field_match: {name: top, keys: {style: any}}
"""


def test_keys_that_could_stand_for_the_same_one_are_said_of_every_type(tmp_path: Path) -> None:
    wanted = '{"user_name": "b"}'
    outputs = [
        '{"userName": "a", "user_name": "b"}',
        '{"userName": "b"}',
        '{"UserName": "b", "User Name": "b"}',
        "sorry",
        wanted,
    ]
    result = run(SPELT, tmp_path, *((wanted, output) for output in outputs))
    message = 'it is unclear which key of an output stands for "user_name", in 2 rows (rows 1, 3)'
    names = ["valid", "schema", "fields", "diff", "top"]
    assert [one.message for one in result.warnings] == [f'"{name}": {message}' for name in names]
    assert {one.code for one in result.warnings} == {"unclear-keys"}
    assert {one.blame for one in result.warnings} == {Blame.OUTPUT}
    assert result.evaluators[0].keys == (KeyStats("", '"user_name"', "output", "unclear_key", 2, 2, (1, 3)),)
