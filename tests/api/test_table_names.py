"""Every name at the head of a table is one of the glossary: columns for programs, figures that are sent, heads of pages."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from evaluators.api.comparisons import compare
from evaluators.api.loading import load
from evaluators.api.run_object import Run
from evaluators.integrations.harnesses._host_rows import HostRow
from evaluators.integrations.harnesses._scorer import SuiteScorer
from evaluators.reports.data_tables import TABLES
from evaluators.reports.formats.csv import CHANGED
from evaluators.reports.headline import Options
from evaluators.reports.html.payload import run_payload
from evaluators.reports.tracking.attachments import row_table
from evaluators.reports.tracking.metrics import metrics_of
from evaluators.runs.run_json import run_document

ROOT: Final = Path(__file__).parents[2]
GLOSSARY: Final = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8").partition("\n## Names\n")[2]
COLUMNS: Final = GLOSSARY.partition("\n### Columns\n")[2]
SENT: Final = (
    (ROOT / "docs" / "integrations" / "tracking.md").read_text(encoding="utf-8").partition("## Names of metrics\n")[2]
)
NAMES: Final = frozenset(re.findall(r"`([^`\n]+)`", GLOSSARY))
PARTS: Final = frozenset(part for name in (*NAMES, *re.findall(r"`([^`\n]+)`", SENT)) for part in name.split("/"))
HEADS: Final = frozenset(
    word.strip() for line in COLUMNS.partition("| at the head of a column |")[2].splitlines()[2:] for word in line.split("|")[1:2]
    for word in word.split(",")
)  # fmt: skip

SUITE: Final[dict[str, Any]] = {
    "name": "named",
    "evaluators": [
        {"json_multi_field_match": {"name": "EVALUATOR", "fields": {"FIELD": "exact"}}},
        {"schema_match": {"name": "schema", "fields": {"FIELD": "exact", "items[*].sku": "exact"}}},
        {"exact_match": {"name": "label", "output": "given", "expected": "kind", "labels": ["a", "b"]}},
    ],
    "measures": {"cost": "row.cost"},
    "repeats": "row.kind",
    "confidence": "row.conf",
    "slices": ["row.kind"],
    "gates": {"schema.FIELD": {"metric": "mean_score", "fail_below": 0.2}},
}
ROWS: Final = [
    {
        "id": f"r{number}", "kind": "ab"[number % 2], "given": "ab"[number % 3 % 2], "cost": number, "conf": number / 9,
        "expected": {"FIELD": "x", "items": [{"sku": 1}, {"sku": 2}]},
        "output": {"FIELD": "xy"[number % 2], "items": [{"sku": number % 3}]},
    }
    for number in range(9)
]  # fmt: skip
OF_ROWS: Final = frozenset(ROWS[0]) - {"id"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs")
    return load(SUITE).run(
        ROWS,
        results=folder,
        name="named",
        formats=("csv", "field_sums", "fields", "repeats", "confidence", "labels", "measures"),
    )


def plain(columns: Iterable[str]) -> Iterator[str]:
    """The columns that a run adds, with the words of the glossary in place of names."""
    for name in columns:
        text = re.sub(r"^(schema|label)\.", "EVALUATOR.", name).replace("items[*].sku", "FIELD")
        yield text


def test_every_column_of_a_table_is_in_the_glossary(run: Run) -> None:
    assert run.folder is not None
    texts = {path.name: path.read_text(encoding="utf-8-sig") for path in Path(run.folder).glob("*.csv")}
    files = {name: next(csv.reader([text.partition("\n")[0]])) for name, text in texts.items()}
    assert set(files) == {"rows.csv", "field_summary.csv", "fields.csv", *(f"{name}.csv" for name in TABLES)}
    tables = {
        **files,
        "rows": run.rows.columns, "to_arrow": run.to_arrow().column_names, "to_pandas": [*run.to_pandas().columns],
        "fields": run.fields.columns, "failures": run.failures().columns,
        "compare": compare(run, run).table.columns, "comparison.csv": CHANGED,
        "tracker": row_table(run)["columns"],
    }  # fmt: skip
    strange = {name: sorted({*plain(columns)} - NAMES - OF_ROWS) for name, columns in tables.items()}
    assert {name: columns for name, columns in strange.items() if columns} == {}


def test_every_part_of_a_figure_that_is_sent_is_in_the_glossary(run: Run) -> None:
    about = {
        "EVALUATOR", "FIELD", "schema", "label", "cost", "kind", "a", "b", "items", "items.each.sku", "slice",
        "counts", "metric",
    }  # fmt: skip
    names = metrics_of(run.result, every=True)
    parts = {re.sub(r"^(pass_at|pass_all|groups_at)_\d+$", r"\1_k", part) for name in names for part in name.split("/")}
    assert parts - about - PARTS == set()


def test_what_a_harness_says_of_a_row_is_in_the_glossary() -> None:
    scores = SuiteScorer(load({**SUITE, "slices": [], "gates": {}, "measures": {}})).score(
        HostRow(ROWS[1], more=(ROWS[1],))
    )
    assert {one.status.word for one in scores.every_score} <= NAMES
    assert {key for one in scores.every_score for key in one.metadata} - {"type", "credit"} <= NAMES
    assert {figure for one in scores.every_score for figure in one.metadata.get("metrics", ())} <= NAMES


def test_figures_of_a_page_are_those_of_run_json(run: Run) -> None:
    shown, written = run_payload(run.result, Options())["run"], run_document(run.result)
    assert shown["evaluators"] == written["evaluators"]
    assert [one["mean"] for one in shown["slices"]] == [one["mean"] for one in written["slices"]]


@pytest.mark.parametrize("page", sorted((ROOT / "evaluators" / "reports").rglob("*.py")), ids=lambda path: path.stem)
def test_every_head_of_a_page_is_in_the_glossary(page: Path) -> None:
    if page.stem != "reference":  # the reference is about settings
        assert set(re.findall(r'Head\("([^"]+)"', page.read_text(encoding="utf-8"))) <= HEADS
