"""Why two values differ, in one sentence: of objects and lists, what differs inside of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import evaluators
from evaluators.scoring.values.differences import MOST_COUNTED, MOST_LEVELS, MOST_SHOWN, difference_text, reason_in_full
from evaluators.scoring.values.equality import json_equal


@pytest.mark.parametrize(
    ("expected", "actual", "said"),
    [
        ({"total": 3}, {"total": 4}, "the objects differ: total: 3 → 4"),
        ({"a": 1}, {"a": 1, "d": 1}, "the objects differ: d added: 1"),
        ({"a": 1, "b": [1]}, {"a": 1}, "the objects differ: b removed: [1]"),
        ({"items": [1, 2, 3, 4]}, {"items": [1, 2, 4]}, "the objects differ: items[2] removed: 3"),
        ([{"sku": "A"}, {"sku": "B"}], [{"sku": "A"}, {"sku": "C"}], 'the lists differ: [1].sku: "B" → "C"'),
        ([1, 2], [2, 1], "the lists differ: [0]: 1 → 2; [1]: 2 → 1"),
        ({"order number": 1}, {"order number": "1"}, 'the objects differ: order number: 1 → "1"'),
        ({"a": None}, {"a": {}}, "the objects differ: a: null → {}"),
        ({"a": 1, "b": 1.0}, {"a": 2, "b": 1}, "the objects differ: a: 1 → 2"),
        ({"a": 1}, {"a": True}, "the objects differ: a: 1 → true"),
        ({"__class__": 10**400}, {"__class__": 1}, f"the objects differ: __class__: 1{'0' * 28}… → 1"),
        ({"a": "x" * 50 + "b"}, {"a": "x" * 50 + "c"}, "the objects differ: a: two texts that differ at character 51"),
        ({"a": "x" * 200 + "b"}, {"a": "x" * 200}, "the objects differ: a: two texts that differ after character 100"),
        (
            {"tags": ["a", "b", "c", "d"]},
            {"tags": ["b", "x", "d"]},
            'the objects differ: tags[0] removed: "a"; tags[2]: "c" → "x"',
        ),
        ([*range(500)], [*range(300), 7, *range(300, 500)], "the lists differ: [300] added: 7"),
        ([True, 2, 3], [1, 2], "the lists differ: [0]: true → 1; [2] removed: 3"),
        ([1, {"a": [0]}, 5], [1, {"a": [False]}], "the lists differ: [1].a[0]: 0 → false; [2] removed: 5"),
        (
            [[True], 2],
            [[False], 3, {"b": True}],
            'the lists differ: [0][0]: true → false; [1]: 2 → 3; [2] added: {"b": true}',
        ),
        (
            ["x" * 200, 1],
            ["x" * 150 + "y", 2, 3],
            "the lists differ: [0]: two texts that differ after character 100; [1]: 1 → 2; [2] added: 3",
        ),
        ([], [1, 2, 3, 4, 5], "the lists differ: [0] added: 1; [1] added: 2; [2] added: 3; and 2 more"),
    ],
)
def test_what_differs_inside_is_named_by_its_place(expected: Any, actual: Any, said: str) -> None:
    assert difference_text(expected, actual) == said


def test_what_is_the_same_takes_no_room_however_much_it_is() -> None:
    expected = {f"k{number}": {"values": [number] * 10} for number in range(5_000)}
    actual = {**expected, "k7": {"values": [7] * 9 + [8]}}
    assert difference_text(expected, actual) == "the objects differ: k7.values[9]: 7 → 8"


def _deep(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = [value]
    return value


DEEP = "[0]" * MOST_LEVELS


@pytest.mark.parametrize(
    ("expected", "actual", "said"),
    [
        (_deep(1, 190), _deep(2, 190), f"the lists differ: {DEEP} differs inside: {'[' * 29}…"),
        ({"a": list(range(10_000))}, {"a": [*range(1, 10_000), 7, 7]}, "the objects differ: a: [0, 1, 2, 3, 4, 5"),
        (list(range(10_000)), [*range(1, 10_000), 7, 7], "[1, 2, 3, 4, 5, 6, 7"),
        (
            [[at] for at in range(20_000)],
            [[at + 1] for at in range(20_000)],
            "the lists differ: [0][0]: 0 → 1; [1][0]: 1 → 2",
        ),
    ],
)
def test_what_is_too_large_or_too_deep_is_not_looked_through(
    expected: Any, actual: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "deepdiff", None)  # importing it would fail
    found = difference_text(expected, actual)
    assert (found.startswith(said), len(found) < 300) == (True, True)


def test_differences_are_counted_up_to_a_bound() -> None:
    expected, actual = {str(key): 0 for key in range(MOST_COUNTED)}, {str(key): 1 for key in range(MOST_COUNTED)}
    assert difference_text(expected, actual).endswith(f"; and {MOST_COUNTED - MOST_SHOWN} more")
    assert difference_text({**expected, "a": 0}, {**actual, "a": 1}).endswith(
        f"; and over {MOST_COUNTED - MOST_SHOWN} more"
    )


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=15,
)


@given(expected=VALUES, actual=VALUES)
def test_any_two_values_that_differ_have_a_sentence(expected: Any, actual: Any) -> None:
    assume(not json_equal(expected, actual))
    said = difference_text(expected, actual)
    assert said.splitlines() == [said]


def test_a_cell_a_field_and_a_page_say_it_alike(tmp_path: Any) -> None:
    row = {"expected": {"a": {"b": [1, 2], "c": 3}}, "output": {"a": {"b": [1], "c": 4}}}
    suite = {"evaluators": [{"exact_match": {}}, {"json_multi_field_match": {"fields": ["a"]}}]}
    run = evaluators.evaluate([row], suite)
    said = "the objects differ: {0}b[1] removed: 2; {0}c: 3 → 4"
    assert run.failures().column("reason") == [said.format("a."), said.format("")]
    run.report(tmp_path / "page.md")
    assert said.format("") in (tmp_path / "page.md").read_text("utf-8").replace("\\", "")


@pytest.mark.parametrize(
    ("expected", "actual", "said"),
    [
        (
            [{"sku": "A", "qty": 1}, {"sku": "B", "qty": 2}, {"sku": "C", "qty": 3}],
            [{"sku": "B", "qty": 5}, {"sku": "C", "qty": 4}],
            'the lists differ: [0] removed: {"sku": "A", "qty": 1}; [1].qty: 2 → 5; [2].qty: 3 → 4',
        ),
        ([1, 2], [2, 1, 1], "the lists differ: [0] added: 2; [1]: 2 → 1"),
        ([True, 2], [1, 2, 3], "the lists differ: [0]: true → 1; [2] added: 3"),
        ({"a": [1, 2, 3]}, {"a": [2, 1]}, "the objects differ: a[0] added: 2; a[1] removed: 2; a[2] removed: 3"),
        ({"a": 1}, {"a": 2}, "the objects differ: a: 1 → 2"),
        (1, 2, "2 differs from 1"),
    ],
)
def test_in_full_the_items_that_are_alike_go_together(expected: Any, actual: Any, said: str) -> None:
    assert (
        reason_in_full(f"items: {difference_text(expected, actual)}, once read", expected, actual)
        == f"items: {said}, once read"
    )


def test_another_reason_stays_as_it_is() -> None:
    assert reason_in_full("2 of 3 items right", [1, 2, 3], [2, 4]) == "2 of 3 items right"


@given(expected=VALUES, actual=VALUES)
def test_in_full_any_two_values_that_differ_have_a_sentence(expected: Any, actual: Any) -> None:
    assume(not json_equal(expected, actual))
    said = reason_in_full(difference_text(expected, actual), expected, actual)
    assert said.splitlines() == [said]


def test_a_run_with_its_folder_loads_nothing_to_pair_items_with(tmp_path: Path) -> None:
    """Three rows in which lists of unlike length are compared as a cell, as a field and as a document."""
    suite = {
        "evaluators": [
            "exact_match",
            {"json_multi_field_match": {"fields": ["items"]}},
            "json_field_match",
            "json_diff_match",
        ]
    }
    (tmp_path / "suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    row = {
        "output": {"items": [{"a": 1}, {"a": 3}], "b": 1},
        "expected": {"items": [{"a": 1}, {"a": 2}, {"a": 4}], "b": 1},
    }
    (tmp_path / "rows.jsonl").write_text(f"{json.dumps(row)}\n" * 3, encoding="utf-8")
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from evaluators.cli import command\n"
        "found = CliRunner().invoke(command, ['run', 'suite.yaml', 'rows.jsonl', '--results', 'runs', '--name', 'one'])\n"
        "assert found.exit_code == 0, found.output\n"
        "assert not {'deepdiff', 'pandas'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
    assert "items[1].a: 2 → 3; items[2] removed" in (tmp_path / "runs" / "one" / "rows.csv").read_text("utf-8")
