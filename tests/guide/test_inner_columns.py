"""Outputs inside objects, as programming interfaces and logs hold them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from evaluators.guide.first_suite import draft_suite
from evaluators.guide.wrapped_outputs import values_in_objects
from evaluators.model.issues import Problems
from evaluators.scoring.fields.inference.proposals import DefaultAnswers
from evaluators.scoring.values.path_text import display
from tests.guide.drawn_tables import DrawnTable, drawn_table, outcome, verdict
from tests.kit import write_rows

WRAPPED: Final[Mapping[str, Callable[[Any], Any]]] = {
    "choices[0].message.content": lambda text: {
        "id": "c1", "model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"total_tokens": 12},
    },
    "content[0].text": lambda text: {"role": "assistant", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"},
    "message.content": lambda text: {"message": {"role": "assistant", "content": text}},
}  # fmt: skip


@cache
def plain_tables() -> list[DrawnTable]:
    """Tables whose roles are found when no output is inside of anything."""
    return [
        table
        for table in map(drawn_table, range(150))
        if table.output is not None and table.expected is not None
        if verdict(table, outcome(table, 0)) == "right"
        if not any(str(cell).lstrip().startswith("{") for cell in table.cells[table.expected])
    ]


@pytest.mark.parametrize("path", WRAPPED)
def test_an_output_inside_an_object_is_found_or_asked_for(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found: Counter[str] = Counter()
    for table in plain_tables():
        assert table.output is not None
        cells = {**table.cells, table.output: [WRAPPED[path](str(cell)) for cell in table.cells[table.output]]}
        rows = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
        write_rows(Path("rows.jsonl"), rows)
        try:
            drafted = draft_suite("rows.jsonl", None, None, {}, None, DefaultAnswers(), {})
        except Problems:
            found["refused"] += 1
            continue
        columns = yaml.safe_load(drafted.text)["test_set"]["columns"]
        top = display((table.output,))
        right = (columns["output"], columns.get("expected")) == (f"{top}.{path}", table.expected)
        found["right" if right else f"{columns} for {top}, {table.expected}"] += 1
    assert {*found} <= {"right", "refused"}
    assert found["right"] >= 0.8 * found.total()


def test_of_keys_that_are_right_as_often_the_first_of_the_document_is_taken() -> None:
    document = {f"k{n}": n for n in range(8)}
    output = {key: {"x": n, "y": n} if n < 4 else {"y": n, "x": n} for key, n in document.items()}
    values = values_in_objects([(document, output)] * 3)
    assert values is not None
    assert values.key == "x"
