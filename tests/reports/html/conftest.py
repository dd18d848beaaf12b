"""Reports opened in a real browser, from disk. Tests that need one are skipped where there is no Chromium."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.execute import finish
from evaluators.api.loading import load
from tests.browser import Tabs
from tests.browser import browser as browser
from tests.browser import tabs as tabs
from tests.gallery import GALLERY

Write = Callable[..., Path]


def write_report(folder: Path, suite: Path, test_set: Path | None = None, **more: Any) -> Path:
    """The report of a run of a suite."""
    report = folder / "report.html"
    chosen = str(test_set) if test_set is not None else None
    finish(load(suite), test_set=chosen, files=(report,), **more)
    return report


@pytest.fixture(scope="session")
def invoices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the gallery's invoices."""
    return write_report(tmp_path_factory.mktemp("invoices"), GALLERY / "invoice_extraction" / "suite.yaml")


@pytest.fixture(scope="session")
def variants(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the gallery's two models."""
    return write_report(tmp_path_factory.mktemp("variants"), GALLERY / "comparing_models" / "suite.yaml")


@pytest.fixture(scope="session")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of two models that sort tickets: each takes some labels for others."""
    folder = tmp_path_factory.mktemp("labels")
    expected = ["billing", "billing", "refund", "refund", "refund", "other", "other", "billing"]
    outputs = {
        "first": ["billing", "billing", "billing", "refund", "Refund it!", "other", "", "billing"],
        "second": ["refund", "billing", "billing", "refund", "billing", "other", "other", "billing"],
    }
    rows = [["id", "expected"], *([f"T{place}", one] for place, one in enumerate(expected, 1))]
    _write_csv(folder / "rows.csv", rows)
    for name, given in outputs.items():
        _write_csv(
            folder / f"{name}.csv", [["id", "output"], *([f"T{place}", one] for place, one in enumerate(given, 1))]
        )
    test_set = {"file": "rows.csv", "outputs": {name: f"{name}.csv" for name in outputs}}
    suite = {"test_set": test_set, "evaluators": [{"exact_match": {"name": "label"}}]}
    (folder / "suite.yaml").write_text(json.dumps(suite))
    return write_report(folder, folder / "suite.yaml")


def _write_csv(file: Path, rows: list[list[str]]) -> None:
    with open(file, "w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)


@pytest.fixture(scope="session")
def many_gates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run with seven gates that fail, two models and a schema, so that it has many parts."""
    folder = tmp_path_factory.mktemp("gates")
    paths = [f"field_{place}" for place in range(7)]
    expected = json.dumps(dict.fromkeys(paths, 1))
    for name, value in (("good", 1), ("bad", 2)):
        line = {"id": "a", "output": json.dumps(dict.fromkeys(paths, value))}
        (folder / f"{name}.jsonl").write_text(json.dumps(line))
    (folder / "rows.jsonl").write_text(json.dumps({"id": "a", "shop": "north", "expected": expected}))
    evaluator = {"type": "schema_match", "name": "page", "fields": dict.fromkeys(paths, "numeric")}
    gates = {f"page.{path}": {"fail_below": 1, "variant": "bad"} for path in paths}
    test_set = {"file": "rows.jsonl", "outputs": {"good": "good.jsonl", "bad": "bad.jsonl"}}
    suite = {"test_set": test_set, "evaluators": [evaluator], "slices": ["row.shop"], "gates": gates}
    (folder / "suite.yaml").write_text(json.dumps(suite))
    return write_report(folder, folder / "suite.yaml")


SETTLED = "() => new Promise(done => requestAnimationFrame(() => setTimeout(() => done(location.hash.slice(1)))))"
"""The fragment of the address once the page has drawn itself."""


class Opened:
    """A report in a tab, and what went wrong in it."""

    def __init__(self, tab: Any) -> None:
        self.tab = tab
        self.complaints: list[str] = []
        self.asked: list[str] = []
        tab.on("console", lambda message: self.complaints.append(message.text))
        tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        tab.on("dialog", self._refuse)
        tab.on("request", lambda request: self.asked.append(request.url))

    def _refuse(self, dialog: Any) -> None:
        self.complaints.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def go(self, report: Path, fragment: str = "") -> Opened:
        self.tab.goto(f"{report.as_uri()}#{fragment}")
        self.tab.wait_for_selector("[data-ready]")
        return self

    def texts(self, selector: str) -> list[str]:
        return [text.strip() for text in self.tab.locator(selector).all_inner_texts()]

    def text(self, selector: str) -> str:
        return str(self.tab.locator(selector).first.inner_text()).strip()

    def ids(self) -> list[str]:
        return self.texts(".lines tbody .column-id")

    def fragment(self) -> str:
        return str(self.tab.evaluate(SETTLED))


@pytest.fixture
def opened(tabs: Tabs) -> Callable[..., Opened]:
    """Opens a report in a tab of its own: `opened(report, "q=x", dark=True, width=390)`."""
    return lambda report, fragment="", **look: Opened(tabs(**look)).go(report, fragment)
