"""A property: whatever the rows, lists give what asking row by row gives, and the store has the answers of every row."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evaluators
from evaluators.runs.reader import Run
from tests.kit import exported

WORDS = st.sampled_from(["a", "b", "cc", "A", ""])
ITEMS = st.lists(st.fixed_dictionaries({}, optional={"n": WORDS, "k": WORDS}), max_size=3)
DOCUMENT = st.fixed_dictionaries({}, optional={"a": st.one_of(WORDS, st.none()), "b": WORDS, "items": ITEMS})
ROWS = st.lists(st.tuples(DOCUMENT, DOCUMENT), min_size=1, max_size=6)
FIELDS = st.sampled_from(
    [
        {"a": "ruled", "b": {"compare": "ruled", "transforms": ["lowercase"]}},
        {"a": "ruled", "items": {"align": "hungarian"}, "items[*].n": "ruled", "items[*].k": "exact"},
        {"a": {"ruled": {"size": 2}}, "items": {"align": {"key_field": {"key": "k"}}}, "items[*].n": "ruled"},
        {"items[*]": {"compound": {"fields": ["n", "k"], "compare": "ruled"}}, "a": "exact"},
    ]
)


def rule(expected: Any, actual: Any, params: Any) -> float | None:
    """Half of the pairs match, some have a share, some no answer."""
    found = sum(json.dumps([expected, actual, dict(params)]).encode()) % 7
    return None if found == 6 else min(found, 4) / 4


async def waits(expected: Any, actual: Any, params: Any) -> float | None:
    return rule(expected, actual, params)


def batch(questions: Any, params: Any) -> list[Any]:
    return [rule(one.expected, one.actual, params) for one in questions]


WAYS: dict[str, Any] = {"row": batch, "list": batch, "async": waits}


def scored(way: str, fields: dict[str, Any], rows: list[tuple[Any, Any]], folder: Path) -> dict[str, bytes]:
    """The files of a run, by name, and the answers by place."""
    evaluators.register("ruled", WAYS[way], overwrite=True, batch={"row": "row", "list": True}.get(way, False))
    suite = evaluators.load(
        {
            "evaluators": [
                {"schema_match": {"name": "first", "fields": fields, "pass_at": 0.5}},
                {"json_multi_field_match": {"name": "second", "fields": fields}},
                {"schema_match": {"name": "third", "needs": ["first"], "fields": fields}},
            ]
        }
    )
    file = folder / "rows.jsonl"
    lines = [json.dumps({"id": str(at), "expected": one, "output": other}) for at, (one, other) in enumerate(rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    suite.run(file, results=folder / "runs", name=way)
    place = folder / "runs" / way
    found = {word: exported(place, word).encode() for word in ("rows", "codes", "outcomes")}
    by_place = {each: (line.answer.score, line.answer.reason) for line in Run(place).answers() for each in line.places}
    return {**found, "answers": repr(sorted(by_place.items())).encode()}


@pytest.mark.slow
@settings(max_examples=15)
@given(FIELDS, ROWS)
def test_lists_give_what_asking_row_by_row_gives(fields: dict[str, Any], rows: list[tuple[Any, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ways = [scored(way, fields, rows, Path(folder)) for way in WAYS]
    assert ways[0]["rows"] == ways[1]["rows"] == ways[2]["rows"]
    assert ways[0]["answers"] == ways[1]["answers"] == ways[2]["answers"]
    assert ways[0]["codes"] == ways[1]["codes"] == ways[2]["codes"]
    assert ways[0]["outcomes"] == ways[1]["outcomes"]
