"""A metric more is an attribute and an entry: two files of a copy of the package are changed, and it is everywhere that metrics are."""

from __future__ import annotations

import base64
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import evaluators

ATTRIBUTE = "    wrong_rate: Share | None = None\n"
ENTRY = """
_WRONG_RATE: Final = Metric(
    "wrong_rate",
    "wrong rate",
    "Of all values, the share that is wrong.",
    lambda sums: share(sums.counts.mismatch, sums.counts.n),
)
"""
MEASURE_ATTRIBUTE = "    spread: float | None = None\n"
MEASURE_ENTRY = """
_SPREAD: Final = Metric(
    "spread",
    "spread",
    "how far the least number is from the greatest",
    _units(lambda numbers: numbers.greatest - numbers.least if numbers.count else None),
    None,
    "value",
    "always",
    compared=True,
)
"""
CONFIDENCE_ATTRIBUTE = "    surest: Share | None = None\n"
CONFIDENCE_ENTRY = """
_SUREST: Final = Metric(
    "surest", "surest", "The greatest confidence.", lambda known: max(known) / 100_000 if known else None, place="always"
)
"""
SUITE = """
name: new
confidence: row.sure
test_set: rows.jsonl
measures: {cost: row.cost}
results: {formats: [field_sums]}
evaluators:
  - json_multi_field_match: {name: header, fields: {city: exact, zip: exact}}
"""
ROWS = [
    {"id": "1", "sure": 0.9, "cost": 2, "output": {"city": "Oslo", "zip": "1"}, "expected": {"city": "Oslo", "zip": "2"}},
    {
        "id": "2",
        "sure": 0.6,
        "cost": 5.5,
        "output": {"city": "Bern", "zip": "3"},
        "expected": {"city": "Bern", "zip": "3"},
    },
]
IN_PYTHON = """
import json
from evaluators.api.run_object import Run
from evaluators.reports.tracking.metrics import metrics_of
run = Run("runs/new")
print(json.dumps({
    "evaluator": run["header"].wrong_rate,
    "fields": run.fields.column("wrong_rate"),
    "metrics": {name: value for name, value in metrics_of(run.result).items() if name.endswith("wrong_rate")},
}))
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the changed package and a run by it."""
    place = tmp_path_factory.mktemp("copy")
    package = place / "evaluators"
    shutil.copytree(
        Path(evaluators.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__", "*.pyc", "script")
    )
    change(
        package / "runs" / "result.py",
        r"(class (?:Field|Evaluator)Stats\(.*?\n)(?=    @property|    def )",
        r"\1" + ATTRIBUTE,
    )
    table = package / "runs" / "metric_table.py"
    change(table, r"(?=\nFIELD_METRICS)()", ENTRY)
    change(
        package / "runs" / "result.py", r"(class NumericColumnStats\(.*?\n)(?=    @property)", r"\1" + MEASURE_ATTRIBUTE
    )
    change(package / "runs" / "result.py", r"(class ConfidenceStats\(.*?\n)(?=\n\nclass )", r"\1" + CONFIDENCE_ATTRIBUTE)
    change(table, r"(?=\nCONFIDENCE_METRICS)()", CONFIDENCE_ENTRY)
    change(table, r"(CONFIDENCE_METRICS: Final = \(\n)", r"\1    _SUREST,\n")
    change(table, r"(?=\nMEASURE_METRICS)()", MEASURE_ENTRY)
    change(table, r"(MEASURE_METRICS: Final = \(\n)", r"\1    _SPREAD,\n")
    change(table, r"((?:FIELD|EVALUATOR)_METRICS: Final = \(\n)", r"\1    _WRONG_RATE,\n")
    (place / "suite.yaml").write_text(SUITE, encoding="utf-8")
    (place / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
    files = [word for name in ("tables.txt", "page.md", "page.html", "junit.xml") for word in ("-o", name)]
    run(place, "-m", "evaluators", "run", "suite.yaml", "--name", "new", *files)
    return place


def change(file: Path, pattern: str, new: str) -> None:
    text, times = re.subn(pattern, new, file.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert times
    file.write_text(text, encoding="utf-8")


def run(place: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(place), "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, *words], cwd=place, env=environment, encoding="utf-8", stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_it_is_in_run_json(place: Path) -> None:
    (header,) = json.loads((place / "runs" / "new" / "run.json").read_text(encoding="utf-8"))["evaluators"]
    assert header["wrong_rate"] == 0.25
    assert {field["path"]: field["wrong_rate"] for field in header["fields"]} == {"city": 0.0, "zip": 0.5}


def test_it_is_on_the_terminal_and_in_text(place: Path) -> None:
    shown = run(place, "-m", "evaluators", "report", "runs/new", "-v")
    for text in (shown, (place / "tables.txt").read_text(encoding="utf-8")):
        assert "0.2500" in text.partition("Fields with the lowest accuracy")[0]
        assert re.search(r"field +accuracy +wrong rate .*\n.* zip +0\.5000 +0\.5000 ", text)
        assert "- wrong rate: Of all values, the share that is wrong." in text


def test_it_is_in_markdown(place: Path) -> None:
    lines = (place / "page.md").read_text(encoding="utf-8").splitlines()
    heads = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "| wrong rate |" in line]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| header |")]
    assert [row[head.index("wrong rate")] for head, row in zip(heads, rows, strict=True)] == ["0.2500", "0.5000"]


def test_it_is_in_the_data_of_the_page_for_browsers(place: Path) -> None:
    page = (place / "page.html").read_text(encoding="utf-8")
    packed = re.search(r'id="head">([^<]+)<', page)
    assert packed is not None
    head: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(packed[1])))
    (header,) = head["run"]["evaluators"]
    assert ["wrong_rate", "wrong rate", "Of all values, the share that is wrong."] in head["metrics"]
    assert (header["wrong_rate"], [field["wrong_rate"] for field in header["fields"]]) == (0.25, [0.0, 0.5])


def test_it_is_in_the_table_of_fields(place: Path) -> None:
    with open(place / "runs" / "new" / "field_summary.csv", encoding="utf-8", newline="") as file:
        assert {row["field"]: row["wrong_rate"] for row in csv.DictReader(file)} == {"city": "0.0", "zip": "0.5"}


def test_it_is_in_the_file_for_ci(place: Path) -> None:
    properties = ElementTree.parse(place / "junit.xml").iter("property")
    assert {one.get("name"): one.get("value") for one in properties}["header: wrong rate"] == "0.2500"


def test_it_is_in_python_and_sent_to_trackers(place: Path) -> None:
    assert json.loads(run(place, "-c", IN_PYTHON)) == {
        "evaluator": 0.25,
        "fields": [0.0, 0.5],
        "metrics": {
            "evaluator/header/wrong_rate": 0.25,
            "evaluator/header/field/city/wrong_rate": 0.0,
            "evaluator/header/field/zip/wrong_rate": 0.5,
        },
    }


def test_one_of_measures_is_in_run_json_on_pages_and_sent_to_trackers(place: Path) -> None:
    (cost,) = json.loads((place / "runs" / "new" / "run.json").read_text(encoding="utf-8"))["measures"]
    assert cost["spread"] == 3.5
    tables = (place / "tables.txt").read_text(encoding="utf-8").partition("Measures\n")[2]
    assert re.search(r"measure .* spread .*\n.*cost .* 3\.5 ", tables)
    assert "- spread: how far the least number is from the greatest" in tables
    assert "| spread |" in (place / "page.md").read_text(encoding="utf-8")
    assert re.search(
        r"measure .* spread .*\n.*cost .* 3\.5 ", (place / "runs" / "new" / "summary.txt").read_text("utf-8")
    )
    code = (
        "from evaluators.api.run_object import Run\n"
        "from evaluators.reports.tracking.metrics import metrics_of\n"
        "print(metrics_of(Run('runs/new').result)['measure/cost/spread'])"
    )
    assert run(place, "-c", code) == "3.5\n"


def test_one_of_measures_is_compared(place: Path) -> None:
    found = run(place, "-m", "evaluators", "compare", "runs/new", "runs/new")
    assert re.search(r"cost +spread +3\.5 +3\.5 +0", found)


def test_one_of_confidences_is_in_run_json_on_pages_in_the_file_for_ci_and_sent_to_trackers(place: Path) -> None:
    (sure,) = json.loads((place / "runs" / "new" / "run.json").read_text(encoding="utf-8"))["confidence"]
    assert sure["surest"] == 0.9
    assert "row.sure in 2 rows: surest 0.9000, Brier" in (place / "tables.txt").read_text(encoding="utf-8")
    assert "surest 0.9000" in (place / "junit.xml").read_text(encoding="utf-8")
    code = IN_PYTHON.replace('endswith("wrong_rate")', 'endswith("surest")')
    assert json.loads(run(place, "-c", code))["metrics"] == {"evaluator/header/confidence/surest": 0.9}
