"""Many rows and many fields: what is asked for comes at once or says how far it is, and only what is in sight is drawn."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.studio.page.conftest import Start, Tab

pytestmark = pytest.mark.slow
Open = Callable[..., Tab]
FIELDS = 200
CELLS = "document.querySelectorAll('.grid [role=gridcell]').length"


def write_wide_rows(folder: Path, rows: int) -> None:
    """A test set of so many rows with 200 fields, of which the last is wrong in every third row, and its suite."""
    names = [f"field_{place}" for place in range(FIELDS)]
    right, wrong = (json.dumps({**dict.fromkeys(names, 1), names[-1]: last}).replace('"', '""') for last in (1, 2))
    with open(folder / "rows.csv", "w", encoding="utf-8") as stream:
        stream.write("id,output,expected\n")
        stream.writelines(f'{n},"{right if n % 3 else wrong}","{right}"\n' for n in range(rows))
    suite = {
        "test_set": {"file": "rows.csv"},
        "evaluators": [{"type": "json_multi_field_match", "fields": dict.fromkeys(names, "exact")}],
    }
    (folder / "suite.yaml").write_text(json.dumps(suite, indent=1), encoding="utf-8")


def test_only_what_is_in_sight_of_many_rows_and_fields_is_drawn(start: Start, opened: Open, tmp_path: Path) -> None:
    write_wide_rows(tmp_path, 900)
    tab = opened(start(tmp_path, "suite.yaml"))
    page = tab.page
    tab.wait_for(".live-said", "50 rows scored")
    page.locator(".live-choices select").first.select_option("")
    tab.wait_for(".live-said", "900 rows scored")
    assert 0 < page.evaluate(CELLS) < 1_500
    page.locator("[data-row='0'] [aria-colindex='1']").focus()
    page.keyboard.press("Control+End")
    tab.wait_for("[data-row='899'] [role=rowheader]", "901")
    assert page.evaluate("document.activeElement.getAttribute('aria-colindex')") == "202"
    assert 0 < page.evaluate(CELLS) < 1_500
    page.keyboard.press("Enter")
    tab.wait_for("#row-title", "Row 901")
    page.keyboard.press("Escape")
    page.locator(".live-choices select").nth(1).select_option("wrong")
    tab.wait_for("[data-row='1'] [role=rowheader]", "5")
    assert page.locator(".grid").get_attribute("aria-rowcount") == "301"


def test_all_rows_say_how_far_they_are_and_are_stopped(start: Start, opened: Open, tmp_path: Path) -> None:
    """A change is scored in the first rows where all of them take long; what was scored stays until then."""
    write_wide_rows(tmp_path, 40_000)
    tab = opened(start(tmp_path, "suite.yaml"))
    page = tab.page
    tab.wait_for(".live-said", "50 rows scored")
    page.locator(".live-choices select").first.select_option("")
    page.locator(".live-progress progress").wait_for()
    tab.button("Stop").click()
    tab.wait_for(".live-said", "the first 50 rows scored")
    assert page.locator(".live-choices select").first.input_value() == "50"
    tab.button("Score all rows").click()
    tab.wait_for(".live-progress", "rows scored")
    tab.wait_for(".live-said", "all 40,000 rows scored")
    page.get_by_label("How field_199 is compared").select_option("numeric")
    tab.wait_for(".live-hint", "changes are scored in the first 50")
    tab.wait_for(".live-said", "the first 50 rows scored")
    assert tab.complaints == []
