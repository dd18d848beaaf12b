"""A wrong expected answer is corrected on the page, and the verdict turns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.studio.page.conftest import Start, Tab

pytestmark = pytest.mark.slow


def test_a_wrong_expected_answer_is_corrected_beside_the_test_set(
    start: Start, opened: Callable[..., Tab], invoice_suite: Path
) -> None:
    rows = (invoice_suite / "rows.csv").read_bytes()
    tab = opened(start(invoice_suite, "suite.yaml"))
    page = tab.page
    tab.wait_for(".live-said", "16 rows scored")
    page.locator("[data-row='2'] [aria-colindex='11']").click()
    tab.wait_for("#row-title", "Row 4")
    tab.button("The expected answer is wrong").first.click()
    tab.button("Keep the correction").click()
    tab.wait_for("dialog.small .alarm", "A correction has a reason")
    page.locator("dialog.small input:focus").wait_for()
    page.get_by_label("Why").fill("the stamp was misread")
    tab.button("Keep the correction").click()
    page.locator("dialog.small").wait_for(state="detached")
    page.keyboard.press("Escape")
    tab.wait_for(".live-turned", "became right")
    assert tab.text("main .alarm") == ""
    (line,) = (invoice_suite / "corrections.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["reason"] == "the stamp was misread"
    assert "corrections: corrections.jsonl" in tab.yaml()
    assert (invoice_suite / "rows.csv").read_bytes() == rows
    assert tab.complaints == []


def test_a_number_that_no_script_can_hold_keeps_its_digits(
    start: Start, opened: Callable[..., Tab], tmp_path: Path
) -> None:
    """As it is proposed, and as somebody types it."""
    output = '"{""n"": 12345678901234567890}","{""n"": 1}"'
    (tmp_path / "rows.csv").write_text(f"id,output,expected\na,{output}\nb,{output}\n", encoding="utf-8")
    suite = "test_set: rows.csv\nevaluators:\n  - json_multi_field_match: {fields: {n: exact}}\n"
    (tmp_path / "suite.yaml").write_text(suite, encoding="utf-8")
    tab = opened(start(tmp_path, "suite.yaml"))
    for place, typed in ((0, None), (1, "98765432109876543210")):
        tab.page.locator(f"[data-row='{place}'] [aria-colindex='3']").click()
        tab.button("The expected answer is wrong").click()
        if typed is not None:
            tab.page.get_by_label("The right value").fill(typed)
        tab.page.get_by_label("Why").fill("a digit was lost")
        tab.button("Keep the correction").click()
        tab.page.locator("dialog.small").wait_for(state="detached")
        tab.page.keyboard.press("Escape")
    lines = (tmp_path / "corrections.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["new"] for line in lines] == [12345678901234567890, 98765432109876543210]
    assert tab.complaints == []


def test_the_whole_expected_answer_is_corrected(start: Start, opened: Callable[..., Tab], tmp_path: Path) -> None:
    """Of an evaluator without fields it is the answer itself that is wrong; what is proposed is what the model gave."""
    (tmp_path / "rows.csv").write_text("id,output,expected\na,ham,spam\nb,ham,ham\n", encoding="utf-8")
    (tmp_path / "suite.yaml").write_text("test_set: rows.csv\nevaluators:\n  - exact_match\n", encoding="utf-8")
    tab = opened(start(tmp_path, "suite.yaml"))
    page = tab.page
    tab.wait_for(".live-said", "2 rows scored")
    page.locator("[data-row='0'] [aria-colindex='2']").click()
    tab.button("The expected answer is wrong").click()
    assert page.get_by_label("The right value").input_value() == "ham"
    page.get_by_label("Why").fill("it is none")
    tab.button("Keep the correction").click()
    page.locator("dialog.small").wait_for(state="detached")
    page.keyboard.press("Escape")
    tab.wait_for(".live-turned", "1 became right")
    (line,) = (tmp_path / "corrections.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line) == {"id": "a", "old": "spam", "new": "ham", "reason": "it is none"}
    assert tab.complaints == []
