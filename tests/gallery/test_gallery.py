"""The suites of the gallery, each run and compared with figures that were counted by hand.

A topic is a folder with a `suite.yaml` and an `expected.json`. In there a figure is a fraction, such as "13/16": what was
counted, over what was counted. A check is called by its name; a variant or a slice stands in brackets behind it, as in
`lines (supplier = Nordwind)`.
"""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import evaluators
from evaluators.runs.result import EvaluatorStats, RunResult
from evaluators.runs.wording import gate_label
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.evaluators._evaluator import BUILTIN
from evaluators.suites import source

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "configs" / "gallery"
SCHEMA = ROOT / "docs" / "suite.schema.json"
FIRST_LINE = "# yaml-language-server: $schema=../../../docs/suite.schema.json"
MOST_BYTES = 200_000
TOPICS = sorted(path.name for path in GALLERY.iterdir() if path.is_dir())
COUNTS = ("scored", "skipped", "not_measured", "invalid", "unreadable", "blocked")
METRICS = ("mean", "pass_rate", "micro_precision", "micro_recall", "micro_f1")


def run(topic: str) -> RunResult:
    return evaluators.load(GALLERY / topic / "suite.yaml").run()


def wanted(topic: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((GALLERY / topic / "expected.json").read_text(encoding="utf-8"))
    return found


def label(stats: EvaluatorStats) -> str:
    about = [] if stats.variant is None else [f"variant {stats.variant}"]
    if stats.slice is not None:
        about.append(f"{stats.slice[0]} = {stats.slice[1]}")
    return f"{stats.name} ({', '.join(about)})" if about else stats.name


def figure(text: str | None) -> Any:
    return None if text is None else pytest.approx(float(Fraction(text)), abs=1e-12)


def rows(topic: str, suite: evaluators.Suite, result: RunResult, variant: str | None) -> Iterator[dict[str, Any]]:
    """The cells of every row under their columns and their roles, read without the package."""
    settings, folder = suite.test_set, GALLERY / topic
    if settings.expected is not None:
        yield from documents(folder, variant)
        return
    outputs = {}
    if variant is not None:
        assert isinstance(settings.outputs, dict)
        lines = (folder / str(settings.outputs[variant])).read_text(encoding="utf-8").splitlines()
        outputs = {answer["id"]: answer["output"] for answer in map(json.loads, lines)}
    with table(folder, settings) as lines:
        for row in lines:
            roles = {role: row[column] for role, column in result.columns.items() if column in row}
            yield {**row, **roles, **({"output": outputs[row["id"]]} if variant is not None else {})}


@contextmanager
def table(folder: Path, settings: Any) -> Iterator[Iterator[dict[str, Any]]]:
    """The rows of a CSV file, of a sheet, or of a statement, by the names of their columns."""
    if settings.sql is not None:
        with closing(sqlite3.connect(folder / settings.connection.sqlite)) as database:
            database.row_factory = sqlite3.Row
            yield (dict(row) for row in database.execute(settings.sql))
        return
    file = folder / str(settings.file)
    if file.suffix == ".xlsx":
        sheet = openpyxl.load_workbook(file, data_only=True)[settings.sheet]
        header, *lines = sheet.iter_rows(min_row=settings.header_row, values_only=True)
        dates = ([str(cell.date()) if isinstance(cell, datetime) else cell for cell in line] for line in lines)
        yield ({str(name): cell for name, cell in zip(header, line, strict=True)} for line in dates)
        return
    with file.open(encoding="utf-8-sig", newline="") as stream:
        yield iter(csv.DictReader(stream, delimiter=settings.delimiter or ","))


def documents(folder: Path, variant: str | None) -> Iterator[dict[str, Any]]:
    """The same for documents that lie as those of ExtractBench do."""
    for expected in sorted((folder / "dataset").rglob("*.gold.json")):
        above = expected.parent.parent
        place = above.relative_to(folder / "dataset")
        (schema,) = above.glob("*-schema.json")
        (output,) = (folder / "outputs" / str(variant) / place).glob(expected.name.removesuffix(".gold.json") + ".*")
        files = {"expected": expected, "schema": schema, "output": output}
        yield {**{name: path.read_text(encoding="utf-8") for name, path in files.items()}, "folder": place.as_posix()}


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_has_a_suite_and_the_figures_to_expect(topic: str) -> None:
    assert {"suite.yaml", "expected.json"} <= {path.name for path in (GALLERY / topic).iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_ends_as_expected(topic: str) -> None:
    expected, result = wanted(topic), run(topic)
    assert result.exit_code == expected["exit_code"], result.causes
    assert result.n_rows == expected["rows"]
    assert {gate_label(gate): gate.verdict for gate in result.gates} == expected["gates"]


@pytest.mark.parametrize("topic", TOPICS)
def test_the_figures_of_a_topic_are_those_counted_by_hand(topic: str) -> None:
    expected, result = wanted(topic)["evaluators"], run(topic)
    found = {label(stats): stats for stats in result.evaluators}
    assert found.keys() == expected.keys()
    for name, figures in expected.items():
        stats = found[name]
        assert {word: getattr(stats, word) for word in COUNTS} == {word: figures[word] for word in COUNTS}, name
        for word in METRICS:
            if word in figures:
                assert getattr(stats, word) == figure(figures[word]), f"{name}: {word}"
        accuracies = {field.path: field.accuracy for field in stats.fields}
        for path, accuracy in figures.get("fields", {}).items():
            assert accuracies[path] == figure(accuracy), f"{name}: {path}"


@pytest.mark.parametrize("topic", TOPICS)
def test_the_slices_of_a_topic_are_those_counted_by_hand(topic: str) -> None:
    found = {label(stats): stats.mean for stats in run(topic).slices}
    for name, mean in wanted(topic).get("slices", {}).items():
        assert found[name] == figure(mean), name


@pytest.mark.parametrize("topic", [topic for topic in TOPICS if "measures" in wanted(topic)])
def test_the_measures_of_a_topic_are_those_counted_by_hand(topic: str) -> None:
    found = {one.name: one for one in run(topic).whole_measures}
    expected = wanted(topic)["measures"]
    assert found.keys() == expected.keys()
    for name, figures in expected.items():
        assert found[name].missing == figures["missing"]
        for word in ("sum", "mean", "median", "p95"):
            assert getattr(found[name], word) == figure(figures[word]), f"{name}: {word}"


@pytest.mark.parametrize("topic", TOPICS)
def test_rows_explained_one_by_one_give_the_figures_of_the_run(topic: str) -> None:
    suite, result = evaluators.load(GALLERY / topic / "suite.yaml"), run(topic)
    for variant in result.variants or (None,):
        explained = [suite.evaluate(cells) for cells in rows(topic, suite, result, variant)]
        for stats in result.evaluators:
            if stats.variant == variant:
                found = [row.results[stats.name].score for row in explained]
                values = [score for score in found if score is not None]
                assert len(values) == stats.scored, stats.name
                assert sum(values) / len(values) == pytest.approx(stats.mean, abs=1e-12), stats.name


@pytest.mark.parametrize("topic", TOPICS)
def test_a_suite_of_the_gallery_names_its_schema_and_explains_itself(topic: str) -> None:
    lines = (GALLERY / topic / "suite.yaml").read_text(encoding="utf-8").splitlines()
    assert lines[0] == FIRST_LINE
    assert sum(line.lstrip().startswith("# ") for line in lines) >= 8


@pytest.mark.parametrize("topic", TOPICS)
def test_a_suite_of_the_gallery_fits_the_schema_for_editors(topic: str) -> None:
    if SCHEMA.is_file():
        from jsonschema import Draft202012Validator

        validator = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
        data = source.load(GALLERY / topic / "suite.yaml", {}).data
        assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(data)] == []


def test_every_evaluator_type_is_shown() -> None:
    shown = {line.settings.type for topic in TOPICS for line in evaluators.load(GALLERY / topic / "suite.yaml").lines}
    current = {name for name in BUILTIN.shipped_names() if BUILTIN.find(name).retired is None}
    assert current - shown == set(), "a suite of configs/gallery uses them"


def test_every_comparator_is_shown() -> None:
    texts = [(GALLERY / topic / "suite.yaml").read_text(encoding="utf-8") for topic in TOPICS]
    without = {name for name in COMPARATORS.shipped_names() if not any(uses(text, name) for text in texts)}
    assert without == set(), "a suite of configs/gallery uses them, for a field that its rows have"


def test_the_gallery_is_small() -> None:
    assert sum(path.stat().st_size for path in GALLERY.rglob("*") if path.is_file()) < MOST_BYTES


def uses(text: str, comparator: str) -> bool:
    """Whether a comparator stands in a suite as a key or as a value, comments aside."""
    lines = [line.split(" #")[0] for line in text.splitlines() if not line.lstrip().startswith("#")]
    return any(f"{comparator}:" in line or f": {comparator}" in line for line in lines)
