"""`invented_rate` and `left_empty_rate`: what a recount by hand says, with their gates, and what `{}` would score."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import evaluators
from evaluators.runs.document_sums import EmptySums
from evaluators.runs.exact_sums import plus
from evaluators.runs.intervals import RatioSums, share_interval
from evaluators.runs.result import EvaluatorStats, FieldStats
from evaluators.scoring.fields.empty_values import InRow
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


def test_where_an_empty_answer_is_right_and_another_too_neither_rate_counts_the_value() -> None:
    rows: list[dict[str, Any]] = [
        {"expected": {"a": None}, "output": {"a": None}, "also": "Paris"},
        {"expected": {"a": None}, "output": {"a": "Paris"}, "also": "Paris"},
        {"expected": {"a": None}, "output": {"a": "Rome"}, "also": ""},
        {"expected": {"a": "Oslo"}, "output": {"a": None}, "also": ["Bergen"]},
        {"expected": {"a": "Oslo"}, "output": {"a": "Bergen"}, "also": ["Bergen"]},
        {"expected": {"a": "Oslo"}, "output": {"a": ""}, "also": ["Bergen", None]},
    ]
    every = [[None, "Paris"], [None, "Paris"], [None], ["Oslo", "Bergen"], ["Oslo", "Bergen"], ["Oslo", "Bergen", None]]
    listed = [{"expected": {"a": answers}, "output": row["output"]} for row, answers in zip(rows, every, strict=True)]
    for answers, given_so in (("row.also", rows), ("expected", listed)):
        fields = {"a": {"one_of": {"answers": answers}}}
        lines = [{kind: {"name": kind, "fields": fields}} for kind in ("json_multi_field_match", "schema_match")]
        for one in evaluators.load({"evaluators": lines}).run(given_so).result.evaluators:
            assert counts(one.fields[0]) == counts(one) == (1, 1.0, 2, 0.5)


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
    assert "invents    a                  0.7500  [0.3006, 0.9544]  4" in done.output
    result = evaluators.load(tmp_path / "suite.yaml").run()
    assert [(one.metric, one.value, one.n, one.verdict) for one in result.gates] == [
        ("invented_rate", 0.75, 4, "failed"), ("left_empty_rate", 0.0, 4, "passed"),
    ]  # fmt: skip


def test_a_rate_is_refused_where_there_is_none(tmp_path: Path) -> None:
    gates = (
        "{length: {metric: invented_rate, fail_above: 0.5}, json_diff_match: {metric: invented_rate, fail_above: 0.5}}"
    )
    lines = "[length: {max: 5}, json_diff_match]"
    write_files(tmp_path, {"suite.yaml": f"evaluators: {lines}\ngates: {gates}\n"})
    done = cli("check", str(tmp_path / "suite.yaml"))
    assert done.exit_code == 2
    assert 'the gate "length" asks for the metric invented_rate' in done.output
    assert 'the gate "json_diff_match" asks for the metric invented_rate' in done.output
    assert "micro_f1, left_empty_rate" in done.output


def gated(gate: dict[str, Any], rows: list[dict[str, Any]], **more: Any) -> list[tuple[Any, ...]]:
    """The value, n and verdict of a gate on the listed field `a`, in each slice or over all rows, and the exit code."""
    one = {"json_multi_field_match": {"name": "f", "fields": ["a", "b"]}}
    result = evaluators.load({"evaluators": [one], "gates": {"f.a": gate}, **more}).run(rows)
    return [(each.slice, each.value, each.n, each.verdict) for each in result.gates] + [(result.exit_code,)]


def test_a_gate_holds_in_each_slice() -> None:
    rows = [
        {"id": 1, "kind": "x", "output": {"a": 1}, "expected": {"b": 1}},
        {"id": 2, "kind": "x", "output": {"b": 1}, "expected": {"b": 1}},
        {"id": 3, "kind": "y", "output": {"b": 1}, "expected": {"b": 1}},
        {"id": 4, "kind": "z", "output": {"a": 1}, "expected": {"a": 1}},
    ]
    gate = {"metric": "invented_rate", "fail_above": 0.4, "each_slice": "row.kind"}
    assert gated(gate, rows, slices=["row.kind"]) == [
        (("kind", "x"), 0.5, 2, "failed"), (("kind", "y"), 0.0, 1, "passed"), (("kind", "z"), None, 0, "undecided"), (1,),
    ]  # fmt: skip


def test_a_gate_on_a_rate_that_nothing_measured_is_undecided() -> None:
    rows = [{"id": 1, "output": {"a": 1}, "expected": {"a": 1, "b": 1}}]
    assert gated({"metric": "invented_rate", "fail_above": 0.4}, rows) == [(None, None, 0, "undecided"), (3,)]


GROUPED = {"statistics": {"cluster": "row.doc"}}


@given(
    st.lists(st.tuples(st.sampled_from("uvw"), DOCUMENTS, OUTPUTS), min_size=1, max_size=12),
    st.sampled_from([None, GROUPED, {"repeats": "row.doc"}]),
)
def test_slices_and_clusters_are_those_of_a_recount(
    drawn: list[tuple[str, Any, Any]], groups: dict[str, Any] | None
) -> None:
    rows = [
        {**row, "doc": name, "kind": name}
        for (name, *_), row in zip(drawn, written([pair[1:] for pair in drawn]), strict=True)
    ]
    result = evaluators.load({**SUITE, **(groups or {}), "slices": ["row.kind"]}).run(rows)
    for stats in result.slices:
        mine = [pair[1:] for pair in drawn if stats.slice == ("kind", pair[0])]
        assert counts(stats) == rates(recounted(mine, "abc"))
        assert [counts(field) for field in stats.fields] == [rates(recounted(mine, field.path)) for field in stats.fields]
    if groups is None:
        return
    for stats in result.evaluators:
        for found in stats.metric_cis:
            keys = found.field or "abc"
            parts = [recounted([pair[1:] for pair in drawn if pair[0] == name], keys) for name in "uvw"]
            units = RatioSums()
            for empty_, invented, filled, left in parts:
                units.add(*((invented, empty_) if found.metric == "invented_rate" else (left, filled)))
            assert found.ci == share_interval(units.moments())
            assert found.n == sum(
                bool(recounted([pair[1:]], keys)[0 if found.metric == "invented_rate" else 2]) for pair in drawn
            )


LEAVES = st.sampled_from([None, "", [], {}, 0, False, "x", 3])
TREES = st.recursive(
    LEAVES,
    lambda inner: st.dictionaries(st.sampled_from("ab"), inner, max_size=2) | st.lists(inner, max_size=3),
    max_leaves=6,
)
WHOLE = st.dictionaries(st.sampled_from("abc"), TREES, max_size=3)
GONE = object()


def pairs_at(expected: Any, output: Any, steps: list[str]) -> list[tuple[Any, Any]]:
    """The values of both sides at a place, item by item. What is one value that is extra is not looked into."""
    pairs = [(expected, output)]
    for step in steps:
        found: list[tuple[Any, Any]] = []
        for e, o in pairs:
            both = all(isinstance(side, dict | list) and side for side in (e, o))
            o = GONE if both and type(e) is not type(o) else o
            if step == "[*]":
                ours, theirs = (side if isinstance(side, list) else [] for side in (e, o))
                found += zip_longest(ours, theirs, fillvalue=GONE)
            else:
                ours, theirs = (side.get(step, GONE) if isinstance(side, dict) else GONE for side in (e, o))
                found.append((ours, theirs))
        pairs = found
    return [pair for pair in pairs if "[*]" not in steps or set(map(id, pair)) != {id(GONE)}]


@given(
    st.lists(st.tuples(st.sampled_from("uv"), WHOLE, WHOLE | st.just("no JSON here")), min_size=1, max_size=5),
    st.sampled_from(["json_diff_match", "json_field_match", "json_field_match_normalized"]),
    st.sampled_from([1, 5]),
    st.sampled_from(["ignore", "penalize"]),
)
def test_fields_that_documents_have_are_those_of_a_recount(
    drawn: list[tuple[str, Any, Any]], kind: str, times: int, extra: str
) -> None:
    drawn = drawn * times
    rows = [{**row, "doc": name} for (name, *_), row in zip(drawn, written([pair[1:] for pair in drawn]), strict=True)]
    (stats,) = evaluators.load({"evaluators": [{kind: {"extra_fields": extra}}], **GROUPED}).run(rows).evaluators
    for field in stats.fields:
        steps = re.findall(r"\[\*\]|[abc]", field.path) if kind == "json_diff_match" else [field.path]
        by_group = {name: [0, 0, 0, 0] for name in "uv"}
        for name, expected, output in drawn:
            for e, o in pairs_at(expected, GONE if isinstance(output, str) else output, steps):
                wanted, got = e is GONE or empty(e), o is GONE or empty(o)
                each = (wanted, wanted and not got, not wanted, not wanted and got)
                by_group[name] = [a + b for a, b in zip(by_group[name], each, strict=True)]
        a, b, c, d = (sum(column) for column in zip(*by_group.values(), strict=True))
        assert counts(field) == rates((a, b, c, d)), field.path
        for metric, part, whole in (("invented_rate", 1, 0), ("left_empty_rate", 3, 2)):
            units = RatioSums()
            for group in by_group.values():
                units.add(group[part], group[whole])
            found = stats.metric_ci(field.path, metric)
            assert (found.ci if found else None) == share_interval(units.moments())


def test_rows_that_say_nothing_of_the_output_do_not_count_whoever_scores_them() -> None:
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("json_multi_field_match", {"fields": ["a"]}), ("schema_match", {"fields": ["a"]}), ("json_diff_match", {}),
        ("json_field_match", {}), ("json_field_match_normalized", {}),
    ]  # fmt: skip
    rows = [
        {"id": 1, "output": '{"a": "x"}', "expected": '{"a": null}'},
        {"id": 2, "output": "not JSON", "expected": '{"a": "x"}'},
        {"id": 3, "output": "not JSON", "expected": '{"a": ""}'},
        {"id": 4, "output": '{"a": "much too long an answer"}', "expected": '{"a": null}'},
        {"id": 5, "output": '{"a": "x"}', "expected": "not JSON"},
        {"id": 6, "output": '{"a": "x"}', "expected": ""},
    ]
    for kind, settings in kinds:
        suite = {"evaluators": [{"length": {"max": 20}}, {kind: {"name": "one", "needs": ["length"], **settings}}]}
        stats = evaluators.load(suite).run(rows).evaluators[1]
        (field,) = (one for one in stats.fields if one.path == "a")
        assert (stats.invalid, stats.blocked, stats.unreadable) == (2, 1, 2), kind
        assert counts(field) == (2, 0.5, 1, 1.0), kind


def test_what_many_clusters_share_does_not_depend_on_how_rows_are_cut() -> None:
    def sums(names: range) -> EmptySums:
        found = EmptySums()
        found.add_clusters({f"c{name}": {"a": {InRow(1, name % 2, 0, 0): 1}} for name in names})
        return found

    whole = sums(range(5_000))
    assert len(whole.clusters) == 512
    assert plus(sums(range(300)), sums(range(300, 5_000))).clusters == whole.clusters
    assert [sum(column) for column in zip(*(one["a"] for one in whole.clusters.values()), strict=True)] == [
        5_000,
        2_500,
        0,
        0,
    ]


def test_a_check_says_what_an_empty_answer_would_score_and_a_run_does_not(tmp_path: Path) -> None:
    lines = "[json_multi_field_match: {name: f, both_missing: match, fields: [a, b]}, json_schema_valid: {schema: {type: object}}]"
    write_files(tmp_path, {"suite.yaml": f"test_set: rows.jsonl\nevaluators: {lines}\n"})
    write_rows(tmp_path / "rows.jsonl", written([({"a": 1}, {"a": 1})]))
    said = "{} in place of every output would score: f 0.5000 (1 row), json_schema_valid 1.0000 (1 row)"
    assert f"note: {said}" in cli("check", str(tmp_path / "suite.yaml")).output
    done = cli("run", str(tmp_path / "suite.yaml"), "-v", "--results", str(tmp_path / "runs"))
    assert "{} in place" not in done.output
    assert f"{said}." in " ".join(cli("advice", str(next((tmp_path / "runs").iterdir()))).output.split())


def test_rows_in_which_nothing_is_measured_count_and_so_do_outputs_that_cannot_be_read() -> None:
    suite = evaluators.load(
        {"evaluators": [{"json_multi_field_match": {"fields": ["fax"], "when": {"row.kind": "form"}}}]}
    )
    outputs = [("{}", {}), ("{}", {}), ({"fax": 7}, {}), ("I cannot read it.", {}), ({"fax": 1}, {"fax": 1})]
    rows = [
        {"id": at, "output": output, "expected": expected, "kind": "form"}
        for at, (output, expected) in enumerate(outputs)
    ]
    left_out = {"id": 9, "output": {"fax": 7}, "expected": {}, "kind": "letter"}
    (found,) = suite.run([*rows, left_out, {**left_out, "kind": "form", "expected": "{"}]).evaluators
    assert (found.not_measured, found.skipped, found.invalid) == (2, 1, 1)
    assert (found.expected_empty, found.invented_rate) == (4, 0.25)
