"""A suite is read once: what is edited while it runs is no part of the run, whoever scores the rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluators import load
from evaluators.api.loading import load_shipped
from evaluators.api.suite import Suite
from evaluators.testsets.readers import jsonl
from tests.kit import write_rows

BASE = "evaluators:\n  - json_multi_field_match: {name: fields, fields: {FIELD: exact}}\n"
SUITE = """
extends: base.yaml
evaluators+:
  - schema_match: {name: listed, schema: schema.json}
  - json_schema_valid: {name: valid, schema: schema.yaml}
"""


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A suite of four files, read; then all but its rows are edited, so that nothing of them holds any more."""
    rows = [{"id": str(number), "output": '{"a": 1, "b": 2}', "expected": '{"a": 1, "b": 3}'} for number in range(40)]
    write_rows(tmp_path / "rows.jsonl", rows)
    write(tmp_path, "a", {"a": {"type": "integer"}})
    monkeypatch.setattr(jsonl, "SPLIT_BYTES", 500)
    monkeypatch.chdir(tmp_path)
    suite = load("suite.yaml")
    write(tmp_path, "b", {"b": {"type": "integer"}})
    return suite


def write(folder: Path, field: str, properties: dict[str, Any]) -> None:
    (folder / "base.yaml").write_text(BASE.replace("FIELD", field))
    (folder / "suite.yaml").write_text(SUITE.replace("evaluators+:", "evaluators:"))
    (folder / "schema.json").write_text(json.dumps({"type": "object", "properties": properties}))
    (folder / "schema.yaml").write_text(json.dumps({"type": "object", "required": [*properties]}))


@pytest.mark.parametrize("workers", [1, 2])
def test_what_is_edited_while_a_suite_runs_is_no_part_of_the_run(suite: Suite, workers: int) -> None:
    found = suite.run("rows.jsonl", workers=workers, results="runs", name="x")
    assert [stats.mean for stats in found.evaluators] == [1.0] * len(found.evaluators)
    texts = "".join(file.read_text() for file in sorted(Path("runs/x/suite").iterdir()))
    assert "b: exact" not in texts
    assert '"b"' not in texts


@pytest.mark.parametrize("gone", [False, True])
def test_a_worker_reads_nothing_of_what_it_is_sent(suite: Suite, gone: bool) -> None:
    if gone:
        for name in ("base.yaml", "schema.json", "schema.yaml", "suite.yaml"):
            Path(name).unlink()
    shipped = suite.for_workers()
    assert [str(line.settings) for line in shipped.lines()] == [str(line.settings) for line in suite.lines]
    assert [str(line.settings) for line in load_shipped(shipped).lines] == [str(line.settings) for line in suite.lines]
    assert load_shipped(shipped).fingerprint == suite.fingerprint
