"""The same rows in different kinds of files are the same question, row by row."""

from __future__ import annotations

import csv
import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.comparisons import compare
from evaluators.api.loading import load
from tests.kit import write_rows

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

SUITE = {
    "name": "formats",
    "evaluators": [
        {"schema_match": {"name": "invoice", "schema": "infer"}},
        {"keywords": {"keywords": {"column": "word"}, "output": "output"}},
        {"length": {"max": 4000, "when": {"row.urgent": ["true", True]}}},
    ],
}


def rows() -> list[dict[str, Any]]:
    documents = [
        {"n": place, "price": place * 1.5, "name": 'Zoë "Z"' if place % 2 else "New York", "ok": place % 2 == 0,
         "none": None, "lines": [{"sku": "A", "qty": place}, {"sku": "B", "qty": 1}]}
        for place in range(1, 9)
    ]  # fmt: skip
    return [
        {"id": place, "output": document, "expected": document, "word": None if place == 4 else 7, "urgent": place < 3}
        for place, document in enumerate(documents, start=1)
    ]


def written(folder: Path, ids: bool) -> dict[str, Path]:
    """The rows as CSV in two spellings, as JSON lines and as Parquet with typed cells."""
    plain = [{key: value for key, value in row.items() if ids or key != "id"} for row in rows()]
    files = {name: folder / name for name in ("rows.csv", "compact.csv", "rows.jsonl", "rows.parquet")}
    for name, separators in (("rows.csv", None), ("compact.csv", (",", ":"))):
        with open(files[name], "w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(plain[0])
            for row in plain:
                cells = [
                    json.dumps(one, separators=separators) if isinstance(one, (dict, bool)) else one
                    for one in row.values()
                ]
                writer.writerow(["" if cell is None else cell for cell in cells])
    write_rows(files["rows.jsonl"], plain)
    pq.write_table(pa.Table.from_pylist(plain), files["rows.parquet"])
    return files


@pytest.mark.parametrize("ids", [True, False])
def test_the_same_rows_pair_with_each_other_whatever_file_they_are_in(tmp_path: Path, ids: bool) -> None:
    suite = load(SUITE)
    runs = {}
    for name, file in written(tmp_path, ids).items():
        suite.run(file, results=tmp_path / "runs", name=name)
        runs[name] = tmp_path / "runs" / name
    for one, other in combinations(runs.values(), 2):
        found = compare(one, other)
        assert (found.incomparable, found.rows, found.unchanged, found.exit_code) == ((), 8, 8, 0)
