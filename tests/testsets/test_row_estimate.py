"""About how many rows a file has, from its beginning."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from evaluators.testsets.byte_source import locate
from evaluators.testsets.opening import open_table
from evaluators.testsets.row_estimate import estimated_rows

ROW = json.dumps({"shipment": "SH-1", "parcels": [{"kg": 1.5, "said": 'a "quoted" word'}]}, indent=2)


@pytest.mark.parametrize("count", [1, 40, 3_000])
@pytest.mark.parametrize("text", ["plain", ROW, 'one "quote", and a comma'])
def test_lines_inside_a_cell_are_no_rows(tmp_path: Path, count: int, text: str) -> None:
    file = tmp_path / "rows.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([["output", "expected"], *[[text, text]] * count])
    found = estimated_rows(open_table(locate(str(file), Path())))
    assert found is not None
    assert count <= found <= 1.02 * count + 1


def test_objects_are_rows_whatever_quotes_they_hold(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"output": "it\'s 5\\" long"}\n' * 500, encoding="utf-8")
    assert estimated_rows(open_table(locate(str(file), Path()))) == 500
