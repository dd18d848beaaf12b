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
from tests.kit import write_rows

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
    _from_units(lambda numbers: numbers.greatest - numbers.least if numbers.count else None),
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
LABEL_ATTRIBUTE = "    missed: Count = 0\n"
LABEL_ENTRY = """
_MISSED: Final = Metric(
    "missed", "missed", "The rows that expect the label, and lack it.", lambda counts: counts.missing, None, "count", "always"
)
_JACCARD: Final = Metric(
    "jaccard", "Jaccard", "right / all", lambda counts: counts.as_fraction("accuracy"), place="always", compared=True
)
"""
JACCARD_ATTRIBUTE = "    jaccard: Share | None = None\n"
PASS_ATTRIBUTE = "    pass_half_k: Share | None = None\n    pass_half_k_ci: Interval | None = None\n"
PASS_ENTRY = """
_HALF: Final = _over_groups(
    "pass_half_k", "pass%k", "half pass", "How likely.", lambda group, k: Fraction(group.passed, group.attempts)
)
"""
REPEAT_ATTRIBUTE = "    luck: Share | None = None\n"
REPEAT_ENTRY = """
_LUCK: Final = Metric(
    "luck", "luck", "How often an output passes.",
    partial(mean_over_groups, lambda group, _: Fraction(group.passed, group.attempts)), place="always",
)
"""
FLIP_ATTRIBUTE = "    steady: Share | None = None\n    steady_ci: Interval | None = None\n"
FLIP_ENTRY = """
_STEADY: Final = Metric(
    "steady", "steady", "The share in which it does not flip.", lambda counts: 1 - counts.flips / counts.groups, place="always",
    ci="steady_ci", bounds=lambda counts: wilson(counts.groups - counts.flips, counts.groups),
)
"""
SUITE = """
name: new
confidence: row.sure
repeats: row.question
test_set: rows.jsonl
measures: {cost: row.cost}
results: {formats: [field_sums, repeats, labels, measures]}
evaluators:
  - json_multi_field_match: {name: header, fields: {city: exact, zip: exact}}
  - exact_match: {name: mood, output: felt, expected: mood, labels: [glad, sad]}
"""
ROWS = [
    {
        "id": "1",
        "question": "q",
        "mood": "glad",
        "felt": "sad",
        "sure": 0.9,
        "cost": 2,
        "output": {"city": "Oslo", "zip": "1"},
        "expected": {"city": "Oslo", "zip": "2"},
    },
    {
        "id": "2",
        "question": "q",
        "mood": "sad",
        "felt": "sad",
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
    for struct, attribute, entries, names, metrics in (
        ("LabelMetrics", LABEL_ATTRIBUTE + JACCARD_ATTRIBUTE, LABEL_ENTRY, "LABEL_METRICS", "_MISSED, _JACCARD"),
        ("PassesAt", PASS_ATTRIBUTE, PASS_ENTRY, "PASS_METRICS", "_HALF"),
        ("RepeatStats", REPEAT_ATTRIBUTE, REPEAT_ENTRY, "REPEAT_METRICS", "_LUCK"),
        ("FieldFlips", FLIP_ATTRIBUTE, FLIP_ENTRY, "FLIP_METRICS", "_STEADY"),
    ):
        change(package / "runs" / "result.py", rf"(class {struct}\(.*?\n)(?=\n\nclass )", rf"\1{attribute}")
        change(table, rf"(?=\n{names})()", entries)
        change(table, rf"({names}: Final = \(\n)", rf"\1    {metrics},\n")
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
    write_rows(place / "rows.jsonl", ROWS)
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
    header, _ = json.loads((place / "runs" / "new" / "run.json").read_text(encoding="utf-8"))["evaluators"]
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
    assert [row[head.index("wrong rate")] for head, row in zip(heads, rows, strict=False)] == ["0.2500", "0.5000"]


def test_it_is_in_the_data_of_the_page_for_browsers(place: Path) -> None:
    page = (place / "page.html").read_text(encoding="utf-8")
    packed = re.search(r'id="head">([^<]+)<', page)
    assert packed is not None
    head: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(packed[1])))
    header, _ = head["run"]["evaluators"]
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
    assert "- cost: spread 3.5, mean " in (place / "runs" / "new" / "summary.txt").read_text("utf-8")
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
    sure, _ = json.loads((place / "runs" / "new" / "run.json").read_text(encoding="utf-8"))["confidence"]
    assert sure["surest"] == 0.9
    assert "row.sure in 2 rows: surest 0.9000, Brier" in (place / "tables.txt").read_text(encoding="utf-8")
    assert "surest 0.9000" in (place / "junit.xml").read_text(encoding="utf-8")
    code = IN_PYTHON.replace('endswith("wrong_rate")', 'endswith("surest")')
    assert json.loads(run(place, "-c", code))["metrics"] == {
        "evaluator/header/confidence/surest": 0.9,
        "evaluator/mood/confidence/surest": 0.9,
    }


def table_of(place: Path, name: str) -> list[dict[str, str]]:
    with open(place / "runs" / "new" / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def sent(place: Path, pattern: str) -> dict[str, float]:
    """The metrics for trackers whose names match."""
    found = json.loads(run(place, "-c", IN_PYTHON.replace('name.endswith("wrong_rate")', "True")))["metrics"]
    return {name: value for name, value in found.items() if re.fullmatch(pattern, name)}


def test_one_of_labels_is_wherever_labels_are(place: Path) -> None:
    (matrix,) = json.loads((place / "runs" / "new" / "run.json").read_text(encoding="utf-8"))["confusion_matrices"]
    assert [(one["label"], one["missed"], one["jaccard"]) for one in matrix["labels"]] == [
        ("glad", 1, 0.0),
        ("sad", 0, 0.5),
    ]
    assert {one["label"]: one["jaccard"] for one in matrix["averages"]} == {
        "macro": 0.25,
        "micro": 1 / 3,
        "weighted": 0.25,
    }
    assert re.search(r"label +missed +Jaccard .*\n.*\n? *glad +1 +0\.0000", (place / "tables.txt").read_text("utf-8"))
    assert "| missed | Jaccard |" in (place / "page.md").read_text(encoding="utf-8")
    assert {one["label"]: one["jaccard"] for one in table_of(place, "labels.csv")}["sad"] == "0.5"
    assert "macro average of labels: Jaccard 0.2500" in (place / "junit.xml").read_text(encoding="utf-8")
    assert sent(place, "evaluator/mood/labels?/(macro|sad)/(missed|jaccard)") == {
        "evaluator/mood/label/sad/jaccard": 0.5,
        "evaluator/mood/labels/macro/jaccard": 0.25,
        "evaluator/mood/labels/macro/missed": 1,
    }
    compared = run(place, "-m", "evaluators", "compare", "runs/new/run.json", "runs/new", "-o", "compared.json")
    assert compared
    labels = json.loads((place / "compared.json").read_text(encoding="utf-8"))["labels"]
    assert {one["base"] for one in labels if (one["label"], one["metric"]) == ("sad", "jaccard")} == {0.5}


def test_one_of_repeats_is_wherever_repeats_are(place: Path) -> None:
    header = json.loads((place / "runs" / "new" / "run.json").read_text(encoding="utf-8"))["repeats"][0]
    assert (header["luck"], [one["pass_half_k"] for one in header["passes"]]) == (0.5, [0.5, 0.5])
    assert [(one["path"], one["steady"]) for one in header["fields"]] == [("city", 1.0), ("zip", 0.0)][1:]
    tables, markdown = ((place / name).read_text(encoding="utf-8") for name in ("tables.txt", "page.md"))
    assert "How often an output passes: 0.5000." in tables
    assert re.search(r"k +pass%k +95 % CI ", tables)
    assert re.search(r"field that flips +groups +steady +95 % CI ", tables)
    assert "| k | pass%k | 95 % CI |" in markdown
    junit = (place / "junit.xml").read_text(encoding="utf-8")
    assert all(text in junit for text in ("half pass 0.5000", "How often an output passes: 0.5000", "steady 0.0000"))
    assert [one["pass_half_k"] for one in table_of(place, "repeats.passes.csv")][:2] == ["0.5", "0.5"]
    assert [one["steady"] for one in table_of(place, "repeats.flips.csv")] == ["0.0"]
    assert sent(place, "evaluator/header/.*(luck|half|steady).*") == {
        "evaluator/header/field/zip/repeats/steady": 0.0,
        "evaluator/header/repeats/luck": 0.5,
        "evaluator/header/repeats/pass_half_1": 0.5,
        "evaluator/header/repeats/pass_half_2": 0.5,
    }


def test_one_of_measures_is_in_its_table_and_the_file_for_ci(place: Path) -> None:
    assert [(one["measure"], one["spread"]) for one in table_of(place, "measures.csv")] == [("cost", "3.5")]
    properties = ElementTree.parse(place / "junit.xml").iter("property")
    assert "spread 3.5, mean 3.75" in {one.get("name"): one.get("value") for one in properties}["cost"]
