"""Runs on the page: two of them compared with their changed rows, one stopped, and judges that are asked once somebody says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit import cli
from tests.scoring.judges.chat_server import Reply, chat_server, verdicts
from tests.studio.page.conftest import Start, Tab
from tests.studio.page.test_many_rows_in_a_browser import write_wide_rows

pytestmark = pytest.mark.slow
Open = Callable[..., Tab]
SUITE = "test_set: rows.csv\nevaluators:\n  - type: json_multi_field_match\n    name: all\n    fields: {city: exact, size: exact}\n"


def write_rows(folder: Path, cities: list[str]) -> None:
    """Rows whose expected city is Rome and whose expected size is 2."""
    lines = (
        f'{n},"{{""city"": ""{city}"", ""size"": 2}}","{{""city"": ""Rome"", ""size"": 2}}"\n'
        for n, city in enumerate(cities)
    )
    (folder / "rows.csv").write_text("id,output,expected\n" + "".join(lines), encoding="utf-8")


def choose_both(tab: Tab) -> None:
    for box in tab.page.locator(".run-list input").all():
        box.check()


def test_two_runs_are_compared_on_the_page(
    start: Start, opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fields with their verdicts, and below them the rows that changed: what was expected, what was given before and now."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    for name, cities in (("one", ["Rome", "Paris", "Rome"]), ("two", ["Roma", "Rome", "Rome"])):
        write_rows(tmp_path, cities)
        assert cli("run", "suite.yaml", "--name", name).exit_code == 0
    tab = opened(start(tmp_path, "suite.yaml"))
    page = tab.page
    tab.go("Runs")
    page.get_by_label("Choose one").wait_for()
    choose_both(tab)
    tab.button("Compare the two").click()
    part = page.locator(".run-comparison")
    part.locator("h2", has_text="Changed rows").wait_for()
    assert part.locator("h2", has_text="Fields").count() == 1
    assert part.locator("article.compared h3").all_inner_texts() == ["Row 2 · 0", "Row 3 · 1"]
    cells = part.locator("article.compared").first.locator("td")
    assert [cells.nth(at).get_attribute("data-head") for at in range(3)] == ["expected", "base", "new run"]
    assert [cells.nth(at).locator("bdi, ins, del").last.inner_text() != "" for at in range(3)] == [True] * 3
    assert "Roma" in cells.nth(2).inner_text().replace("\n", "")
    part.locator(".comparison-filters select").first.select_option("fixed")
    assert part.locator("article.compared h3").all_inner_texts() == ["Row 3 · 1"]
    part.locator(".comparison-filters select").first.select_option("")
    part.locator(".comparison-filters select").nth(1).select_option(label="city (2)")
    assert part.locator("article.compared").count() == 2
    with page.context.expect_page() as other:
        part.get_by_role("link", name="row in the new run").first.click()
    other.value.wait_for_selector("#row-title")
    assert page.locator(".run-comparison .command code").inner_text().endswith("evaluators compare runs/one runs/two")
    assert tab.complaints == []


def test_runs_of_other_settings_are_compared_in_what_they_have_in_common(
    start: Start, opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path, ["Rome", "rome"])
    for name, text in (("one", SUITE), ("two", SUITE.replace("city: exact", "city: normalized"))):
        (tmp_path / "suite.yaml").write_text(text, encoding="utf-8")
        assert cli("run", "suite.yaml", "--name", name).exit_code == 0
    tab = opened(start(tmp_path, "suite.yaml"), width=390)
    tab.go("Runs")
    tab.page.get_by_label("Choose one").wait_for()
    choose_both(tab)
    tab.button("Compare the two").click()
    tab.wait_for(".run-comparison", "the evaluator")
    assert "Exit code" not in tab.text(".run-comparison")
    tab.button("Compare what both have in common").click()
    tab.wait_for(".run-comparison article.compared h3", "Row 3 · 1")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_run_is_stopped_and_keeps_what_it_scored(start: Start, opened: Open, tmp_path: Path) -> None:
    write_wide_rows(tmp_path, 20_000)
    tab = opened(start(tmp_path, "suite.yaml"))
    tab.go("Runs")
    tab.button("Run all rows").click()
    tab.page.locator(".run-state progress").wait_for()
    tab.button("Stop").click()
    tab.wait_for(".run-end .badge", "interrupted")
    assert "nterrupted" in tab.text(".run-end pre")


def test_judges_are_asked_once_somebody_says_so(start: Start, opened: Open, tmp_path: Path) -> None:
    """Neither scoring on the page nor a run sends a question before."""
    write_rows(tmp_path, ["Roma", "Rome"])
    pytest.importorskip("openai")
    with chat_server() as server:
        server.respond = lambda request, number: Reply(verdicts(request))
        judge = {"openai_compatible": {"base_url": server.url, "model": "m", "cache": False}}
        fields = {"json_multi_field_match": {"name": "judged", "fields": {"city": "semantic"}}}
        suite = {"test_set": "rows.csv", "judge": judge, "evaluators": ["contains_json", fields]}
        (tmp_path / "suite.yaml").write_text(json.dumps(suite, indent=1), encoding="utf-8")
        tab = opened(start(tmp_path, "suite.yaml"))
        tab.wait_for(".judges", "Judges are asked only when you say so")
        tab.go("Runs")
        tab.button("Run all rows").click()
        tab.wait_for("dialog", "This suite asks judges")
        tab.page.keyboard.press("Escape")
        tab.page.locator("dialog.small").wait_for(state="detached")
        assert tab.page.locator(".run-state progress").count() == 0
        assert len(server.requests) == 0
        tab.go("Suite")
        tab.button("Ask them").click()
        tab.page.locator(".judges").wait_for(state="detached")
        assert len(server.requests) > 0
    assert tab.complaints == []
