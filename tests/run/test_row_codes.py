"""Rows that share a trace are scored once, and nothing that is counted or written tells it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest

from evaluators.fields.path_details import OVERFLOW
from evaluators.fields.walk import OpenWalk
from evaluators.plan.suite_plan import Reading
from evaluators.plan.traced_rows import LEARNED_ROWS, TRIED_ROWS, TracedRows, shared_rows, view_of
from evaluators.run.engines.engine import ENGINES
from evaluators.run.record_files import record_files
from evaluators.run.runner import measure, store_parts

EXPECTED: dict[str, Any] = {
    "name": "Ana", "count": 3, "price": 2.5, "open": True, "note": None, "2": "two",
    "place": {"town": "Köln", "code": "50667"},
    "items": [{"sku": "a", "qty": 1}, {"sku": "b", "qty": 2}], "tags": ["x", "y"], "sizes": [1, 2.5],
}  # fmt: skip

FIELDS = {
    "name": {"normalized": {"case": "ignore"}},
    "count": {"numeric": {"tolerance": {"abs": 0.5}}},
    "price": "exact",
    "open": "exact",
    "note": "exact",
    "place.town": {"compare": "exact", "transforms": ["strip"], "required": True},
    "place": "exact",
    "items.0.qty": {"compare": "numeric", "weight": 2},
    "items.1.sku": "exact",
    "absent.here": "exact",
}

SUITE: dict[str, Any] = {
    "evaluators": [
        {"weighted_mean": {"name": "overall", "of": {"fields": 2, "json_diff_match": 1}}},
        "exact_match",
        "contains_json",
        {"json_multi_field_match": {"name": "fields", "fields": FIELDS}},
        "json_diff_match",
        {"json_diff_match": {"name": "strict", "extra_fields": "penalize", "needs": ["contains_json"]}},
        {"json_diff_match": {"name": "folded", "case_insensitive_keys": True}},
        {"json_diff_match": {"name": "types", "compare_schema_only": True}},
        {"json_diff_match": {"name": "skipping", "skip": ["items[*].qty"], "extra_items": "penalize"}},
        "json_field_match",
        "json_field_match_normalized",
        {"length": {"max": 200}},
        {"schema_match": {"fields": {"name": "exact", "items": {"align": {"key_field": {"key": "sku"}}}, "items[*].qty": "numeric"}}},
    ],
    "slices": ["row.group"],
}  # fmt: skip


def changed(**values: Any) -> str:
    return json.dumps(EXPECTED | values, ensure_ascii=False)


def without(*keys: str) -> str:
    return json.dumps({key: value for key, value in EXPECTED.items() if key not in keys})


PLAIN = json.dumps(EXPECTED)

OUTPUTS: dict[str, Any] = {
    "the very text": PLAIN,
    "another order": json.dumps(dict(reversed(EXPECTED.items()))),
    "spaces": json.dumps(EXPECTED, indent=2),
    "a fence": f"Here:\n```json\n{PLAIN}\n```",
    "two documents": f"{PLAIN} or {changed(name='Bo')}",
    "no JSON": "I cannot say.",
    "cut off": PLAIN[:40],
    "empty": "",
    "blanks": "  ",
    "null": "null",
    "a list": f"[{PLAIN}]",
    "an empty object": "{}",
    "a value and not a text": EXPECTED,
    "true for 1": changed(items=[{"sku": "a", "qty": True}, {"sku": "b", "qty": 2}]),
    "1 for true": changed(open=1),
    "3.0 for 3": changed(count=3.0),
    "within tolerance": changed(count=3.4),
    "beyond tolerance": changed(count=3.6),
    "a number as text": changed(count="3"),
    "another case": changed(name="ANA"),
    "an accent less": changed(place={"town": "Koln", "code": "50667"}),
    "spaces around": changed(place={"town": " Köln ", "code": "50667"}),
    "null for a value": changed(name=None),
    "a value for null": changed(note="n"),
    "an object for a value": changed(name={"first": "Ana"}),
    "a value for an object": changed(place="Köln"),
    "a list for an object": changed(place=["Köln"]),
    "an empty object inside": changed(place={}),
    "an empty list inside": changed(tags=[]),
    "a key less": without("name"),
    "an object less": without("place"),
    "lists less": without("items", "tags"),
    "a key more": changed(extra="e"),
    "an object more": changed(extra={"a": 1, "b": 2}),
    "a deep object more": changed(extra={"a": {"b": [1, {"c": 2}]}}),
    "a key with dots": changed(**{"place.town": "Köln"}),
    "a key in another case": json.dumps({"NAME" if key == "name" else key: value for key, value in EXPECTED.items()}),
    "an item less": changed(items=[{"sku": "a", "qty": 1}]),
    "an item more": changed(items=[*EXPECTED["items"], {"sku": "c", "qty": 3}]),
    "a deep item more": changed(items=[*EXPECTED["items"], {"sku": ["c"], "qty": 3}]),
    "items in another order": changed(items=EXPECTED["items"][::-1]),
    "an item of another kind": changed(items=["a", "b"]),
    "a key more in an item": changed(items=[{"sku": "a", "qty": 1, "new": 0}, {"sku": "b", "qty": 2}]),
    "a tag more": changed(tags=["x", "y", "z"]),
    "a tag that differs": changed(tags=["x", "Y"]),
    "1.0 among sizes": changed(sizes=[1.0, 2.5]),
    "true among sizes": changed(sizes=[True, 2.5]),
    "a key twice": PLAIN[:-1] + ', "name": "Bo"}',
    "a large number": changed(count=2**80),
    "not a number": PLAIN.replace("2.5", "NaN"),
    "an object in a list that is cut off": f"[{PLAIN}, ",
    "an object in a list that cannot be read": f"[{PLAIN}, none]",
    "a number with too many digits": changed(count=1).replace(" 1,", f" {'1' * 5000},", 1),
    "a number that is too large": PLAIN.replace("2.5", "1e400"),
    "half a character": PLAIN.replace("Ana", "\\ud800"),
    "reasoning first": f"<think>{changed(name='Bo')}</think>{PLAIN}",
}

DOCUMENTS: dict[str, Any] = {
    "as most": PLAIN,
    "a key less": without("note"),
    "a key more": changed(more=1),
    "null for an object": changed(place=None),
    "another kind": changed(count="three"),
    "an empty list": changed(items=[]),
    "a longer list": changed(items=[{"sku": str(number), "qty": number} for number in range(70)]),
    "a key with dots": changed(**{"place.town": "Bonn"}),
    "not JSON": "{",
    "empty": "",
    "a value and not a text": EXPECTED,
    "a list": "[1]",
}


def the_rows(usual: int = LEARNED_ROWS) -> list[dict[str, Any]]:
    """Usual rows to learn from, then every output beside every kind of document, twice."""
    pairs = [(output, wanted) for wanted in DOCUMENTS.values() for output in OUTPUTS.values()] * 2
    Random(5).shuffle(pairs)
    both = [*[(PLAIN, PLAIN), (changed(name="Bo"), PLAIN)] * (usual // 2), *pairs]
    return [
        {"id": str(number), "output": output, "expected": wanted, "group": "ab"[number % 2]}
        for number, (output, wanted) in enumerate(both)
    ]


def scored(bench: Any, traces: bool, splits: int = 1) -> tuple[Any, dict[str, bytes]]:
    """What a run comes to, and every byte that it writes."""
    suite, job = bench.job(splits=splits, most=5)
    job = replace(job, traces=traces)
    measured = measure(job, suite.lines, ENGINES.find("in_process")(), "rows.jsonl")
    store_parts(job, suite.lines, measured, record_files(Path(job.folder), job.rows))
    measured.parts = []
    files = {file.name: file.read_bytes() for file in sorted(Path(job.folder).iterdir())}
    return measured, files


@pytest.mark.parametrize("splits", [1, 3])
def test_figures_and_files_are_those_of_rows_scored_in_full(bench: Any, splits: int) -> None:
    bench.suite, bench.rows = SUITE, the_rows()
    assert scored(bench, True, splits) == scored(bench, False, splits)


def test_most_of_the_rows_have_a_trace(bench: Any) -> None:
    bench.suite, bench.rows = SUITE, the_rows()
    suite, job = bench.job()
    with shared_rows(suite.lines, job.roles, job.reading, {}) as traced:
        assert traced is not None
    assert [line.name for line in traced.view.lines] == [
        "overall", "exact_match", "contains_json", "fields", "json_diff_match", "strict", "skipping",
        "json_field_match", "json_field_match_normalized",
    ]  # fmt: skip
    wanted = [row["expected"] for row in bench.rows]
    traced.learn({"expected": wanted[:LEARNED_ROWS]})
    usual = {"output": [*OUTPUTS.values()], "expected": [PLAIN] * len(OUTPUTS)}
    found = dict(zip(OUTPUTS, traced.find(usual, len(OUTPUTS)), strict=True))
    in_full = [name for name, number in found.items() if number < 0]
    assert in_full == [
        "two documents", "empty", "blanks", "null", "a list", "a value and not a text", "an object for a value",
        "a value for an object", "a list for an object", "a deep object more", "a key with dots",
        "a deep item more", "an item of another kind", "not a number",
        "an object in a list that cannot be read",
    ]  # fmt: skip
    assert (
        found["the very text"]
        != found["spaces"]
        == found["another order"]
        == found["3.0 for 3"]
        == found["1.0 among sizes"]
    )
    assert found["within tolerance"] != found["beyond tolerance"]
    assert found["true for 1"] != found["spaces"] != found["1 for true"]


@pytest.mark.parametrize(
    ("evaluator", "shared"),
    [
        ({"json_multi_field_match": {"fields": {"name": {"regex": {"pattern": "A.*"}}}}}, False),
        ({"json_multi_field_match": {"fields": {"items[*].qty": "exact"}}}, False),
        ({"json_multi_field_match": {"fields": {"$.items[?(@.qty > 1)].sku": "exact"}}}, False),
        ({"json_multi_field_match": {"fields": {"name": {"compare": "exact", "when": {"row.group": ["a"]}}}}}, False),
        ({"json_multi_field_match": {"fields": {"name": "fuzzy"}}}, True),
        ({"json_multi_field_match": {"fields": {"name": "exact"}, "when": {"row.group": "a"}}}, False),
        ({"json_multi_field_match": {"fields": {"name": "exact"}, "parse": "strict"}}, False),
        ({"json_diff_match": {"compare_schema_only": True}}, False),
        ({"json_diff_match": {}}, True),
        ("exact_match", False),
        ({"keywords": {"keywords": ["a"]}}, False),
    ],
)
def test_who_looks_at_more_than_differences_shares_nothing(bench: Any, evaluator: Any, shared: bool) -> None:
    bench.suite = {"evaluators": [evaluator]}
    suite, job = bench.job()
    assert (view_of(suite.lines, job.roles, job.reading) is not None) is shared


def test_rows_that_are_all_different_are_scored_in_full(bench: Any) -> None:
    bench.suite = {"evaluators": ["json_diff_match"]}
    suite, job = bench.job()
    view = view_of(suite.lines, job.roles, job.reading)
    assert view is not None
    traced = TracedRows(view, job.roles, job.reading, {})
    traced.learn({"expected": [PLAIN] * LEARNED_ROWS})
    assert traced.ready
    outputs = [changed(**{f"extra {number}": number}) for number in range(TRIED_ROWS + 1)]
    traced.find({"output": outputs, "expected": [PLAIN] * len(outputs)}, len(outputs))
    assert traced.given_up
    assert not traced.ready


def test_an_expected_value_that_cannot_be_read_is_told_in_full(bench: Any) -> None:
    bench.suite = {"evaluators": [{"json_multi_field_match": {"fields": {"day": "date", "name": "exact"}}}]}
    fine = json.dumps({"day": "2024-05-01", "name": "Ana"})
    other = json.dumps({"day": "some day", "name": "Ana"})
    rows = [(fine, fine)] * LEARNED_ROWS + [(fine, fine), (fine, other), (other, other), ("{}", other), (other, fine)] * 3
    bench.rows = [{"id": str(number), "output": a, "expected": b, "group": "a"} for number, (a, b) in enumerate(rows)]
    assert scored(bench, True) == scored(bench, False)


def rows_of(pairs: list[tuple[Any, Any]], usual: Any, **others: Any) -> list[dict[str, Any]]:
    """Usual rows to learn from, then some pairs of an output and an expected document, several times."""
    both = [(usual, usual)] * LEARNED_ROWS + pairs * 5
    return [{"id": str(at), "output": a, "expected": b, "group": "a", **others} for at, (a, b) in enumerate(both)]


def test_an_output_with_objects_in_a_broken_list_is_not_one_that_holds_nothing(bench: Any) -> None:
    bench.suite = {"evaluators": ["json_diff_match", "contains_json"]}
    wanted = '{"a": 1}'
    bench.rows = rows_of(
        [('[{"a": 1}, oops]', wanted), ("none", wanted), ('[{"a": 1},]', wanted), ("[none", wanted)], wanted
    )
    assert scored(bench, True) == scored(bench, False)


def test_an_index_in_a_path_is_a_key_where_the_documents_have_an_object(bench: Any) -> None:
    fields = {"a.0": {"numeric": {"tolerance": {"abs": 1}}}, "b.0.1": {"numeric": {"tolerance": {"abs": 1}}}}
    bench.suite = {"evaluators": [{"json_multi_field_match": {"fields": fields}}]}
    wanted, near, far = (json.dumps({"a": {"0": at}, "b": [{"1": at}]}) for at in (5, 5.5, 9))
    bench.rows = rows_of([(near, wanted), (far, wanted)], wanted)
    assert scored(bench, True) == scored(bench, False)


@pytest.mark.parametrize("other", [{"output": "second"}, {"pick": "first"}])
@pytest.mark.parametrize("first", [True, False])
def test_outputs_with_several_documents_are_counted_in_every_column(bench: Any, other: Any, first: bool) -> None:
    both: list[Any] = ["json_diff_match", {"json_diff_match": {"name": "other", **other}}]
    bench.suite = {"evaluators": both[::-1] if first else both}
    wanted = '{"a": 1}'
    bench.rows = rows_of([('{"a": 2}', wanted), (f"{wanted} {wanted}", wanted)], wanted, second=f"{wanted} or {wanted}")
    measured = scored(bench, True)
    assert measured == scored(bench, False)
    assert measured[0].several == (len(bench.rows) + 5 if "output" in other else 5)


def test_documents_with_values_that_no_json_text_has_share_no_type(bench: Any) -> None:
    bench.suite = {"evaluators": ["json_diff_match"]}
    suite, job = bench.job()
    with shared_rows(suite.lines, job.roles, job.reading, {}) as traced:
        assert traced is not None
        traced.learn({"expected": [{"a": date(2024, 5, 1)}] * LEARNED_ROWS})
        assert traced.given_up


def test_a_run_beside_another_has_rows_of_its_own(bench: Any) -> None:
    bench.suite = {"evaluators": ["json_diff_match"]}
    suite, job = bench.job()
    run: Any = suite.lines, job.roles, job.reading, {}
    with shared_rows(*run) as one, shared_rows(*run) as other:
        assert one is not other
    with shared_rows(*run) as again:
        assert again is one


def test_what_an_interrupted_run_leaves_is_dropped(bench: Any) -> None:
    bench.suite = {"evaluators": ["json_diff_match"]}
    suite, job = bench.job()
    run: Any = suite.lines, job.roles, job.reading, {}
    with pytest.raises(KeyboardInterrupt), shared_rows(*run) as interrupted:
        raise KeyboardInterrupt
    with shared_rows(*run) as again:
        assert again is not interrupted


@pytest.mark.parametrize(
    "changes", [{"roles": {"output": "second"}}, {"reading": Reading(unreadable="skip")}, {"watched": {"a": ["b"]}}]
)
def test_rows_of_another_run_are_not_taken(bench: Any, changes: dict[str, Any]) -> None:
    bench.suite = {"evaluators": ["json_diff_match"]}
    suite, job = bench.job()
    run = {"lines": suite.lines, "roles": job.roles, "reading": job.reading, "watched": {}}
    with shared_rows(**run) as one:
        pass
    with shared_rows(**run | changes) as other:
        assert other is not one


def test_many_paths_of_one_run_are_not_held_against_the_next(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OpenWalk.__init__, "__defaults__", (40,))
    bench.suite = {"evaluators": ["json_diff_match"]}
    suite, job = bench.job()
    outputs = [json.dumps({"a": 1, f"more {number}": 1}) for number in range(100)]
    with shared_rows(suite.lines, job.roles, job.reading, {}) as traced:
        assert traced is not None
        traced.learn({"expected": ['{"a": 1}'] * LEARNED_ROWS})
        found = traced.find({"output": outputs, "expected": ['{"a": 1}'] * 100}, 100)
        assert traced.given_up
        notes = [traced.rows[row].notes[0] for row in found if row >= 0]
        assert 0 < len(notes) < 40
        assert not any(OVERFLOW in traced.summed(0, dict(note.counts)) for note in notes if note)
