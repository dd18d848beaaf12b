"""Whatever name of a figure a summary shows, a gate takes that name, and finds the figure that stands beside it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.api.loading import load
from evaluators.reports.document import PageTable, Section
from evaluators.reports.fields_page import fields_page
from evaluators.reports.run_page import run_page
from evaluators.runs.metrics import quantity_text, score_text
from evaluators.runs.result import RunResult
from tests.kit import write_rows

SUITE: Final[dict[str, Any]] = {
    "name": "shown",
    "evaluators": [
        {"json_multi_field_match": {"name": "listed", "fields": {"shop": "exact", "total": "numeric"}}},
        {"schema_match": {"name": "schema", "fields": {"shop": "exact", "items[*].sku": "exact"}}},
        {"exact_match": {"name": "kind", "output": "given", "expected": "kind", "labels": ["a", "b"]}},
    ],
    "measures": {"cost": "row.cost"},
}
DOCUMENTS: Final = st.fixed_dictionaries(
    {"shop": st.sampled_from("AB"), "total": st.integers(1, 3)},
    optional={"items": st.lists(st.fixed_dictionaries({"sku": st.sampled_from("XYZ")}), max_size=3)},
)
ROWS: Final = st.lists(
    st.fixed_dictionaries(
        {
            "expected": DOCUMENTS, "output": DOCUMENTS, "kind": st.sampled_from("ab"), "given": st.sampled_from("ab"),
            "cost": st.integers(1, 9),
        }
    ),
    min_size=3, max_size=8,
)  # fmt: skip
OF_ROWS: Final = ("mean score", "pass rate")
OF_FIELDS: Final = ("accuracy", "precision", "recall", "F1")
OF_MEASURES: Final = ("mean", "median", "p95", "sum", "min", "max")


def tables(sections: tuple[Section, ...]) -> Iterator[tuple[str, list[dict[str, str]]]]:
    for section in sections:
        for block in section.blocks:
            if isinstance(block, PageTable):
                heads = [column.head for column in block.columns]
                yield section.title or "", [dict(zip(heads, map(str, row), strict=True)) for row in block.rows]


def shown(result: RunResult) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Target, figure and cell of everything that the summary and the page of fields show."""
    for title, rows in tables(run_page(result).sections):
        for row in rows:
            if title == "Evaluators":
                yield from ((row["evaluator"], {"metric": name}, row[name]) for name in OF_ROWS)
            elif title.startswith("Metrics of "):
                yield title.removeprefix("Metrics of "), {"metric": row["metric"]}, row["value"]
            elif title.startswith("Confusion matrix: ") and "label" in row:
                target, (label, _, average) = title.removeprefix("Confusion matrix: "), row["label"].partition(" ")
                for name in OF_FIELDS[1:]:
                    about = {"metric": f"{label} {name}"} if average else {"metric": name, "label": label}
                    yield target, about, row[name]
            elif title == "Measures":
                yield from ((row["measure"], {"metric": name}, row[name]) for name in OF_MEASURES)
    for title, rows in tables(fields_page(result).sections):
        for row in rows:
            if "field" in row and title in ("listed", "schema"):
                yield from ((f"{title}.{row['field']}", {"metric": name}, row[name]) for name in OF_FIELDS)


def run(folder: Path, gates: dict[str, Any]) -> RunResult:
    return load({**SUITE, **({"gates": gates} if gates else {})}).run(folder / "rows.jsonl").result


@settings(max_examples=10, deadline=None)
@given(ROWS)
def test_every_figure_that_is_shown_can_be_gated_by_the_name_that_is_shown(rows: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_rows(folder / "rows.jsonl", ({"id": f"r{number}", **row} for number, row in enumerate(rows)))
        found = list(shown(run(folder, {})))
        assert {figure["metric"] for _, figure, _ in found} >= {
            *OF_ROWS,
            *OF_FIELDS,
            *OF_MEASURES,
            "micro F1",
            "mean field score",
        }
        gates: dict[str, list[dict[str, Any]]] = {}
        for target, figure, _ in found:
            gates.setdefault(target, []).append({**figure, "fail_below": 0})
        judged = list(run(folder, gates).gates)
        by_target = [one for target in gates for one in found if one[0] == target]
        assert len(judged) == len(by_target)
        for gate, (target, figure, cell) in zip(judged, by_target, strict=True):
            texts = {score_text(gate.value), quantity_text(gate.value)}
            assert gate.target == target
            assert cell.partition(" (")[0] in texts, (target, figure)
