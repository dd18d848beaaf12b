"""Items without a key, and with the key of an earlier one: counted in each list of each document, from the walk that scored it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluators.api.loading import load
from evaluators.runs.exact_sums import plus
from evaluators.runs.split_result import EvaluatorSums, SplitResult, pack, unpack
from evaluators.scoring.fields.key_counts import FIRST_ROWS, KeyCounts, KeyFault
from evaluators.scoring.fields.row_checks import ChunkCheck, release_rows

Row = tuple[Any, Any]


def check(fields: dict[str, Any], family: str = "json_multi_field_match") -> ChunkCheck[Any]:
    (line,) = load({"evaluators": [{family: {"fields": fields}}]}).lines
    found = line.settings.compile()
    assert isinstance(found, ChunkCheck)
    return found


def by(key: Any, **options: Any) -> dict[str, Any]:
    return {"align": {"key_field": {"key": key, **options}}}


LISTED = check({"l": by("k"), "l[*].x": "exact"})


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


def test_a_key_is_read_as_the_alignment_reads_it() -> None:
    items = {"l": [{"k": "a", "n": 1}, {"k": "A", "n": 2}, {"n": 1}]}

    def read(key: Any, **options: Any) -> dict[tuple[str, str], int]:
        return said(met(check({"l": by(key, **options), "l[*].n": "exact"}), items, {}))

    assert read("k") == {("expected", "without_key"): 1}
    assert read("k", transforms=["lowercase"]) == {("expected", "without_key"): 1, ("expected", "duplicate_key"): 1}
    assert read(["k", "n"]) == {}


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
        result = SplitResult(evaluators=[EvaluatorSums(keys=counted(LISTED, *documents))])
        result.set_row_numbers("rows", start)
        parts.append(unpack(pack(result), SplitResult).evaluators[0].keys)
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
