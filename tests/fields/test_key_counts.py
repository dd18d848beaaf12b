"""Items without a key, and with the key of an earlier one: counted in each list of each document, from the walk that scored it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.api.loading import load
from evaluators.fields.key_counts import FIRST_ROWS, KeyCounts, KeyFault
from evaluators.fields.path_check import ChunkCheck, release_rows
from evaluators.model import MISSING
from evaluators.run.exact_sums import plus
from evaluators.run.split_result import SplitResult, opened, sealed

Row = tuple[Any, Any]


def check(fields: dict[str, Any], family: str = "json_multi_field_match") -> ChunkCheck[Any]:
    (line,) = load({"evaluators": [{family: {"fields": fields}}]}).lines
    found = line.settings.compile()
    assert isinstance(found, ChunkCheck)
    return found


def by(key: Any, **options: Any) -> dict[str, Any]:
    return {"align": {"key_field": {"key": key, **options}}}


LISTED = check({"l": by("k"), "l[*].x": "exact"})
SCHEMA = check({"l": by("k"), "l[*].x": "exact"}, "schema_match")
WHOLE = check({"l": by("k")})
FAMILIES = pytest.mark.parametrize("one", [LISTED, SCHEMA, WHOLE])


def counted(one: ChunkCheck[Any], *rows: Row, nulls: bool = False) -> KeyCounts:
    """What the walk through some rows met. Two documents that are the same object are read once."""
    counts, scored = KeyCounts(), one.score(*map(list, zip(*rows, strict=True)))
    counts.take(scored, range(len(rows)), nulls)
    release_rows(scored)
    return counts


def met(one: ChunkCheck[Any], expected: Any, output: Any) -> dict[KeyFault, int]:
    return {fault: count.items for fault, count in counted(one, (expected, output)).faults()}


def said(found: dict[KeyFault, int]) -> dict[tuple[str, str], int]:
    return {(fault.side, fault.what): items for fault, items in found.items()}


A, B, NONE = {"k": "a"}, {"k": "b"}, {"x": 1}


@pytest.mark.parametrize(
    ("items", "keyless", "again"),
    [
        ([], 0, 0),
        ([A, B], 0, 0),
        ([A, NONE], 1, 0),
        ([NONE, NONE, NONE], 3, 0),
        ([A, A], 0, 1),
        ([A, B, A, NONE, A, NONE, B], 2, 3),
        ([{"k": 1}, {"k": 1.0}, {"k": True}, {"k": "1"}], 0, 1),
        ([{"k": None}, {"k": None}], 0, 1),
        (["a", "a", 3], 3, 0),
    ],
)
@FAMILIES
def test_the_items_of_a_list_are_counted(one: ChunkCheck[Any], items: list[Any], keyless: int, again: int) -> None:
    wanted = {what: count for what, count in (("without_key", keyless), ("duplicate_key", again)) if count}
    ours = {("expected", what): count for what, count in wanted.items()}
    theirs = {("output", what): count for what, count in wanted.items()}
    same = {"l": items}
    lacking: list[Any] = [{}, {"l": None}, {"l": []}, {"l": "text"}]
    for nothing in lacking:
        assert said(met(one, same, nothing)) == ours
        assert said(met(one, nothing, same)) == theirs
    assert said(met(one, same, MISSING)) == ours
    assert said(met(one, same, same)) == ours | theirs
    assert said(met(one, same, {"l": list(items)})) == ours | theirs


def test_a_key_is_read_as_the_alignment_reads_it() -> None:
    items = {"l": [{"k": "a", "n": 1}, {"k": "A", "n": 2}, {"n": 1}]}

    def read(key: Any, **options: Any) -> dict[tuple[str, str], int]:
        return said(met(check({"l": by(key, **options), "l[*].n": "exact"}), items, {}))

    assert read("k") == {("expected", "without_key"): 1}
    assert read("k", transforms=["lowercase"]) == {("expected", "without_key"): 1, ("expected", "duplicate_key"): 1}
    assert read(["k", "n"]) == {}


@pytest.mark.parametrize("family", ["json_multi_field_match", "schema_match"])
def test_lists_in_lists_are_looked_at_one_by_one(family: str) -> None:
    one = check({"o": by("id"), "o[*].l": by("k"), "o[*].l[*].x": "exact"}, family)
    document = {"o": [{"id": 1, "l": [A, A]}, {"id": 2, "l": [A, NONE]}, {"id": 2, "l": "none"}]}
    assert met(one, {}, document) == {
        KeyFault("o", "id", "output", "duplicate_key"): 1,
        KeyFault("o[*].l", "k", "output", "without_key"): 1,
        KeyFault("o[*].l", "k", "output", "duplicate_key"): 1,
    }


def test_the_output_follows_the_reading_of_the_expected_side() -> None:
    one = check({"a.l": by("k"), "a.l[*].x": "exact"})
    assert said(met(one, {"a.l": [A]}, {"a.l": [A, A], "a": {"l": [NONE]}})) == {("output", "duplicate_key"): 1}


def test_the_hits_of_a_query_are_named_as_it_is_written() -> None:
    one = check({"$.l[?(@.x > 0)]": by("k")})
    document = {"l": [{"x": 1, "k": "a"}, {"x": 2, "k": "a"}, {"x": 0}]}
    assert met(one, document, {}) == {KeyFault("$.l[?(@.x > 0)]", "k", "expected", "duplicate_key"): 1}


def test_a_list_that_branches_pair_by_different_keys_is_looked_at_by_the_key_that_pairs_it() -> None:
    def branch(key: str) -> dict[str, Any]:
        align = {"match_by": "key_field", "key": key}
        items = {"type": "object", "properties": {key: {"type": "number"}}}
        return {"type": "object", "properties": {"l": {"type": "array", "x-eval-align": align, "items": items}}}

    (line,) = load({"evaluators": [{"schema_match": {"schema": {"anyOf": [branch("k"), branch("x")]}}}]}).lines
    one = line.settings.compile()
    assert isinstance(one, ChunkCheck)
    counts = counted(one, ({"l": [{"x": 1}, {"x": 1}]}, {"l": [{"x": 1}, {"k": 1}]}))
    assert {fault: count.items for fault, count in counts.faults()} == {
        KeyFault("l", "x", "expected", "duplicate_key"): 1,
        KeyFault("l", "x", "output", "without_key"): 1,
    }
    assert counts.looked_for == counts.met == {("l", "x")}


def test_the_keys_of_a_skipped_list_are_counted() -> None:
    align = {"match_by": "key_field", "key": "k"}
    items = {"type": "object", "properties": {"k": {"type": "string"}}}
    skipped = {"type": "array", "x-eval-align": align, "x-eval-skip": True, "items": items}
    (line,) = load({"evaluators": [{"schema_match": {"schema": {"properties": {"l": skipped}}}}]}).lines
    one = line.settings.compile()
    assert isinstance(one, ChunkCheck)
    assert said(met(one, {"l": [A, A, B]}, {})) == {("expected", "duplicate_key"): 1}


def test_a_value_where_null_is_expected_is_counted_by_the_keys_that_lead_there() -> None:
    one = check({"a": "exact", "o.b": "exact", "l[*].c": "exact"}, "schema_match")
    expected = {"a": None, "o": {"b": None}, "l": [{"c": None}]}
    rows = [
        (expected, {"a": 1, "o": {"b": 2}, "l": [{"c": 3}]}),
        (expected, {"a": None, "o": {"b": 2}}),
        (expected, {"o": {}}),
        (expected, {"a": 1, "o": None}),
        (expected, expected),
    ]
    assert counted(one, *rows, nulls=True).made_up == {'["a"]': 2, '["o", "b"]': 2}
    assert counted(one, *rows).made_up == {}


ITEMS = st.lists(st.sampled_from([A, B, {"k": "c"}, NONE, "text"]), max_size=6)
ROWS = st.lists(st.tuples(ITEMS, ITEMS), max_size=15)


@given(ROWS, st.integers(1, 7), st.randoms(use_true_random=False))
def test_counts_of_parts_in_any_order_are_a_naive_count(
    rows: list[tuple[list[Any], list[Any]]], size: int, random: Any
) -> None:
    parts = []
    for start in range(0, len(rows), size):
        documents = [({"l": one}, {"l": other}) for one, other in rows[start : start + size]]
        result = SplitResult(keys=[counted(LISTED, *documents)])
        result.number("rows", start)
        parts.append(opened(sealed(result), SplitResult).keys[0])
    random.shuffle(parts)
    whole = KeyCounts()
    for part in parts:
        plus(whole, part)
    found = {(fault.side, fault.what): (count.items, count.rows, [*count.first]) for fault, count in whole.faults()}
    assert found == naive(rows)


def naive(rows: list[tuple[list[Any], list[Any]]]) -> dict[tuple[str, str], tuple[int, int, list[int]]]:
    met: dict[tuple[str, str], dict[int, int]] = {}
    for number, sides in enumerate(rows):
        for side, items in zip(("expected", "output"), sides, strict=True):
            keys = [item["k"] for item in items if isinstance(item, dict) and "k" in item]
            for what, count in (
                ("without_key", len(items) - len(keys)),
                ("duplicate_key", sum(times - 1 for times in Counter(keys).values())),
            ):
                if count:
                    met.setdefault((side, what), {})[number] = count
    return {fault: (sum(each.values()), len(each), sorted(each)[:FIRST_ROWS]) for fault, each in met.items()}
