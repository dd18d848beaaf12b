"""The figure of a field is the same number in the report of a run and in a comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluators.api.comparisons import compare, update_baseline
from evaluators.api.loading import load
from evaluators.runs.result import RunResult
from tests.kit import write_rows

FIELDS = {
    "total": "exact",
    "items": {"align": "any_order"},
    "items[*].sku": "exact",
    "items[*].qty": "exact",
    "tags": {"align": "ordered"},
    "tags[*]": "exact",
}


def document(place: int, wrong: int) -> dict[str, Any]:
    """A document with 0 to 4 items, some of whose codes are wrong."""
    items = [{"sku": "X" if (place + one) % 7 < wrong else f"P{one}", "qty": one} for one in range(place % 5)]
    return {"total": place if place % 3 else place + wrong, "items": items, "tags": ["a", "b" if place % 4 else "c"]}


def scored(folder: Path, name: str, wrong: int) -> RunResult:
    file = folder / f"{name}.jsonl"
    lines = [{"id": one, "output": document(one, wrong), "expected": document(one, 0)} for one in range(24)]
    lines[5]["output"], lines[6]["output"] = "no JSON at all", {}
    write_rows(file, lines)
    suite = load({"name": "figures", "evaluators": [{"schema_match": {"name": "invoice", "fields": FIELDS}}]})
    return suite.run(file, results=folder / "runs", name=name).result


def test_run_and_compare_show_the_same_figure_of_every_field(tmp_path: Path) -> None:
    runs = {name: scored(tmp_path, name, wrong) for name, wrong in (("base", 1), ("new", 3))}
    leaves = {path for path, rule in FIELDS.items() if rule == "exact"}
    accuracies = {
        name: {one.path: one.accuracy for one in run["invoice"].fields if one.path in leaves}
        for name, run in runs.items()
    }
    baseline = tmp_path / "main"
    update_baseline(tmp_path / "runs" / "base", baseline)
    for base in (tmp_path / "runs" / "base", baseline):
        found = compare(base, tmp_path / "runs" / "new")
        assert not found.notes
        assert {one.field: one.base for one in found.fields} == accuracies["base"]
        assert {one.field: one.new for one in found.fields} == accuracies["new"]
        assert {one.field: one.unit for one in found.fields} == {
            "total": "rows", "items[*].sku": "values", "items[*].qty": "values", "tags[*]": "values",
        }  # fmt: skip
