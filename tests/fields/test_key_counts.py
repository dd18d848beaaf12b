"""Items without a key, and with the key of an earlier one: counted in each list of each document."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.fields.align import Align, read_align
from evaluators.fields.key_counts import FIRST_ROWS, KeyCounts, KeyFault, KeyReader
from evaluators.model import MISSING
from evaluators.run.exact_sums import plus
from evaluators.run.split_result import SplitResult, opened, sealed
from evaluators.values.paths import Path, parse


def by(key: Any, **options: Any) -> Align:
    return read_align({"key_field": {"key": key, **options}})


def reader(**lists: Align) -> KeyReader:
    return KeyReader([(parse(path), align) for path, align in lists.items()])


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
def test_the_items_of_a_list_are_counted(items: list[Any], keyless: int, again: int) -> None:
    wanted = {what: count for what, count in (("without_key", keyless), ("duplicate_key", again)) if count}
    read = reader(l=by("k"))
    assert said(read.met({"l": items}, MISSING)) == {("expected", what): count for what, count in wanted.items()}
    assert said(read.met({}, {"l": items})) == {("output", what): count for what, count in wanted.items()}
    same = {"l": items}
    both = {(side, what): count for what, count in wanted.items() for side in ("expected", "output")}
    assert said(read.met(same, same)) == both
    assert said(read.met(same, {"l": list(items)})) == both


def test_a_key_is_read_as_the_alignment_reads_it() -> None:
    items = {"l": [{"k": "a", "n": 1}, {"k": "A", "n": 2}, {"n": 1}]}
    assert said(reader(l=by("k")).met(items, {})) == {("expected", "without_key"): 1}
    lowered = reader(l=by("k", transforms=["lowercase"]))
    assert said(lowered.met(items, {})) == {("expected", "without_key"): 1, ("expected", "duplicate_key"): 1}
    assert said(reader(l=by(["k", "n"])).met(items, {})) == {}


def test_lists_in_lists_are_looked_at_one_by_one() -> None:
    read = KeyReader([(parse("o"), by("id")), (parse("o[*].l"), by("k"))])
    document = {"o": [{"id": 1, "l": [A, A]}, {"id": 2, "l": [A, NONE]}, {"id": 2, "l": "none"}]}
    assert read.met({}, document) == {
        KeyFault("o", "id", "output", "duplicate_key"): 1,
        KeyFault("o[*].l", "k", "output", "without_key"): 1,
        KeyFault("o[*].l", "k", "output", "duplicate_key"): 1,
    }


def test_the_output_follows_the_reading_of_the_expected_side() -> None:
    read = reader(**{"a.l": by("k")})
    assert said(read.met({"a.l": [A]}, {"a.l": [A, A], "a": {"l": [NONE]}})) == {("output", "duplicate_key"): 1}


def test_branches_that_pair_one_list_by_different_keys_share_it() -> None:
    path = Path(("l",))
    read = KeyReader([(path, by("k")), (path, by("x"))])
    assert read.met({"l": [{"x": 1}, {"x": 1}]}, {"l": [A, A]}) == {
        KeyFault("l", "x", "expected", "duplicate_key"): 1,
        KeyFault("l", "k", "output", "duplicate_key"): 1,
    }


ITEMS = st.lists(st.sampled_from([A, B, {"k": "c"}, NONE, "text"]), max_size=6)
ROWS = st.lists(st.tuples(ITEMS, ITEMS), max_size=15)


@given(ROWS, st.integers(1, 7), st.randoms(use_true_random=False))
def test_counts_of_parts_in_any_order_are_a_naive_count(
    rows: list[tuple[list[Any], list[Any]]], size: int, random: Any
) -> None:
    read, parts = reader(l=by("k")), []
    for start in range(0, len(rows), size):
        part = KeyCounts()
        for offset, (one, other) in enumerate(rows[start : start + size]):
            part.add(offset, read.met({"l": one}, {"l": other}))
        result = SplitResult(keys=[part])
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
