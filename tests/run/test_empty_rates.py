"""`invented_rate` and `left_empty_rate`: what a recount by hand says, with their gates, and what `{}` would score."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import evaluators
from evaluators.run.result import EvaluatorStats, FieldStats
from tests.kit import cli, write_files, write_rows

VALUES = st.sampled_from([None, "", [], {}, 0, 0.0, False, "x", "n/a", 3, ["y"], {"z": 1}])
DOCUMENTS = st.dictionaries(st.sampled_from("abc"), VALUES)
OUTPUTS = DOCUMENTS | st.just("no JSON here")
SUITE: dict[str, Any] = {
    "evaluators": [
        {"json_multi_field_match": {"name": "listed", "fields": ["a", "b", "c"]}},
        {"schema_match": {"name": "schema", "fields": ["a", "b", "c"]}},
        {"schema_match": {"name": "absent", "fields": ["a", "b", "c"], "nulls": "absent"}},
    ]
}


def empty(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def recounted(rows: list[tuple[Any, Any]], keys: str) -> tuple[int, int, int, int]:
    """Expected to be empty, those invented, the others, those left empty: value by value."""
    found = [0, 0, 0, 0]
    for expected, output in rows:
        given = output if isinstance(output, dict) else {}
        for key in keys:
            wanted, got = empty(expected.get(key)), empty(given.get(key))
            found[0] += wanted
            found[1] += wanted and not got
            found[2] += not wanted
            found[3] += not wanted and got
    return found[0], found[1], found[2], found[3]


def counts(one: EvaluatorStats | FieldStats) -> tuple[int, float | None, int, float | None]:
    return one.expected_empty, one.invented_rate, one.expected_filled, one.left_empty_rate


def rates(found: tuple[int, int, int, int]) -> tuple[int, float | None, int, float | None]:
    wanted, invented, filled, left = found
    return wanted, invented / wanted if wanted else None, filled, left / filled if filled else None


def written(rows: list[tuple[Any, Any]]) -> Iterator[dict[str, Any]]:
    for number, (expected, output) in enumerate(rows):
        yield {"id": number, "output": output if isinstance(output, str) else json.dumps(output), "expected": expected}


@given(st.lists(st.tuples(DOCUMENTS, OUTPUTS), min_size=1, max_size=12))
def test_the_rates_are_those_of_a_recount_whatever_nulls_are(rows: list[tuple[Any, Any]]) -> None:
    for stats in evaluators.load(SUITE).run(list(written(rows))).evaluators:
        assert counts(stats) == rates(recounted(rows, "abc"))
        for field in stats.fields:
            if field.path in "abc":
                assert counts(field) == rates(recounted(rows, field.path))


def test_items_of_lists_count_one_by_one_and_what_has_no_partner_is_invented_or_left_empty() -> None:
    fields = {"items": {"align": {"key_field": {"key": "k"}}}, "items[*].v": "exact"}
    expected = {"items": [{"k": 1, "v": "x"}, {"k": 2, "v": None}, {"k": 3, "v": "z"}]}
    output = {"items": [{"k": 1, "v": ""}, {"k": 2, "v": "y"}, {"k": 4, "v": "w"}]}
    rows = [{"id": 1, "output": output, "expected": expected}]
    for kind in ("json_multi_field_match", "schema_match"):
        (stats,) = evaluators.load({"evaluators": [{kind: {"fields": fields}}]}).run(rows).evaluators
        (field,) = (one for one in stats.fields if one.path == "items[*].v")
        assert counts(field) == (2, 1.0, 2, 1.0), kind


def test_what_a_suite_calls_absent_is_empty_and_blocked_and_invalid_rows_do_not_count() -> None:
    one = {"schema_match": {"fields": ["a"], "absent_values": ["n/a"], "needs": ["length"]}}
    suite = {"evaluators": [{"length": {"max": 20}}, one]}
    rows = [
        {"id": 1, "output": '{"a": "n/a"}', "expected": {"a": "x"}},
        {"id": 2, "output": '{"a": "x"}', "expected": {"a": "n/a"}},
        {"id": 3, "output": '{"a": "much too long an answer"}', "expected": {"a": "x"}},
        {"id": 4, "output": '{"a": "x"}', "expected": "not JSON"},
    ]
    stats = evaluators.load(suite).run(rows).evaluators[1]
    assert counts(stats) == (1, 1.0, 1, 1.0)


def test_a_gate_and_an_interval_and_the_tables(tmp_path: Path) -> None:
    gates = "{invents.a: {metric: invented_rate, fail_above: 0.5}, invents: {metric: left_empty_rate, fail_above: 0.5}}"
    text = f"test_set: rows.jsonl\nevaluators:\n  - json_multi_field_match: {{name: invents, fields: [a, b]}}\ngates: {gates}\n"
    write_files(tmp_path, {"suite.yaml": text})
    rows = [({"b": 1}, {"a": 1, "b": 1})] * 3 + [({"a": None, "b": 1}, {"b": 1})]
    write_rows(tmp_path / "rows.jsonl", written(rows))
    done = cli("run", str(tmp_path / "suite.yaml"), "--no-results", "-v")
    assert done.exit_code == 1
    assert "failed: invented rate 0.7500 is above 0.5" in done.output
    assert "invents    a                  75.0 %  [30.1, 95.4]  4" in done.output
    result = evaluators.load(tmp_path / "suite.yaml").run()
    assert [(one.metric, one.value, one.n, one.verdict) for one in result.gates] == [
        ("invented_rate", 0.75, 4, "failed"), ("left_empty_rate", 0.0, 4, "passed"),
    ]  # fmt: skip


def test_a_rate_is_refused_in_slices_and_where_there_is_none(tmp_path: Path) -> None:
    gates = "{f: {metric: invented_rate, fail_above: 0.5, each_slice: row.kind}, length: {metric: invented_rate, fail_above: 0.5}}"
    lines = "[json_multi_field_match: {name: f, fields: [a]}, length: {max: 5}]"
    write_files(tmp_path, {"suite.yaml": f"evaluators: {lines}\nslices: [row.kind]\ngates: {gates}\n"})
    done = cli("check", str(tmp_path / "suite.yaml"))
    assert done.exit_code == 2
    assert 'the gate "f" asks for invented_rate in slices, and it is counted over the whole run only' in done.output
    assert 'the gate "length" asks for the metric invented_rate' in done.output


def test_a_check_says_what_an_empty_answer_would_score_and_a_run_does_not(tmp_path: Path) -> None:
    lines = "[json_multi_field_match: {name: f, both_missing: match, fields: [a, b]}, json_schema_valid: {schema: {type: object}}]"
    write_files(tmp_path, {"suite.yaml": f"test_set: rows.jsonl\nevaluators: {lines}\n"})
    write_rows(tmp_path / "rows.jsonl", written([({"a": 1}, {"a": 1})]))
    said = "{} in place of every output would score: f 0.5000 (1 row), json_schema_valid 1.0000 (1 row)"
    assert f"note: {said}" in cli("check", str(tmp_path / "suite.yaml")).output
    done = cli("run", str(tmp_path / "suite.yaml"), "-v", "--results", str(tmp_path / "runs"))
    assert "{} in place" not in done.output
    assert f"{said}." in " ".join(cli("advice", str(next((tmp_path / "runs").iterdir()))).output.split())
