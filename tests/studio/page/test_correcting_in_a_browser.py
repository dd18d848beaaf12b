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
    page.get_by_label("Why").fill("the stamp was misread")
    tab.button("Keep the correction").click()
    page.locator("dialog.small").wait_for(state="detached")
    page.keyboard.press("Escape")
    tab.wait_for(".live-turned", "became right")
    (line,) = (invoice_suite / "corrections.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["reason"] == "the stamp was misread"
    assert "corrections: corrections.jsonl" in tab.yaml()
    assert (invoice_suite / "rows.csv").read_bytes() == rows
    assert tab.complaints == []
