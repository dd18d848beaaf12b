"""Files that somebody else writes while the page is open, two tabs, and saves that follow each other."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.studio.page.conftest import Start, Tab

pytestmark = pytest.mark.slow
Open = Callable[..., Tab]
SAVE_TWICE = """() => { for (const _ of [1, 2])
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "s", ctrlKey: true, bubbles: true, cancelable: true }));
}"""


def test_two_saves_at_once_are_no_change_by_someone_else(start: Start, opened: Open, invoice_suite: Path) -> None:
    tab = opened(start(invoice_suite, "suite.yaml"))
    statuses: list[int] = []
    tab.page.on("response", lambda answer: answer.url.endswith("/api/save") and statuses.append(answer.status))
    tab.page.get_by_label("How issued_on is compared").select_option("exact")
    tab.wait_for(".file-name", "not saved")
    with tab.page.expect_response("**/api/save"):
        tab.page.evaluate(SAVE_TWICE)
    tab.wait_for(".file-name", "· saved")
    tab.page.get_by_label("How issued_on is compared").select_option("money")
    tab.wait_for(".file-name", "not saved")
    tab.button("Save").click()
    tab.wait_for(".file-name", "· saved")
    assert statuses == [200, 200]
    assert "issued_on: money" in (invoice_suite / "suite.yaml").read_text(encoding="utf-8")


def test_a_suite_that_is_gone_is_saved_again_only_when_somebody_says_so(
    start: Start, opened: Open, invoice_suite: Path
) -> None:
    tab = opened(start(invoice_suite, "suite.yaml"))
    (invoice_suite / "suite.yaml").unlink()
    tab.page.get_by_label("How issued_on is compared").select_option("exact")
    tab.wait_for(".file-name", "not saved")
    tab.button("Save").click()
    tab.wait_for("dialog", "is no longer there")
    assert not (invoice_suite / "suite.yaml").exists()
    tab.button("Save it again").click()
    tab.wait_for(".file-name", "· saved")
    assert "issued_on: exact" in (invoice_suite / "suite.yaml").read_text(encoding="utf-8")


def test_rows_that_changed_underneath_are_scored_anew(start: Start, opened: Open, invoice_suite: Path) -> None:
    tab = opened(start(invoice_suite, "suite.yaml"))
    tab.wait_for(".live-said", "16 rows scored")
    with tab.page.expect_response("**/api/state"):
        pass  # what the data was when the page looked first
    file = invoice_suite / "rows.csv"
    with file.open(encoding="utf-8", newline="") as stream:
        rows = [*csv.reader(stream)]
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows[:6])
    tab.wait_for(".alarm", "rows.csv was changed by someone else")
    assert "5 rows scored" in tab.text(".live-said")


def test_a_row_is_opened_after_another_tab_scored_much(start: Start, opened: Open, invoice_suite: Path) -> None:
    address = start(invoice_suite, "suite.yaml")
    tab, other = opened(address), opened(address)
    tab.wait_for(".live-said", "16 rows scored")
    for at in range(8):
        with other.page.expect_response("**/api/score"):
            other.page.get_by_label("How issued_on is compared").select_option(["exact", "money"][at % 2])
    tab.page.locator("[data-row='2'] [aria-colindex='11']").click()
    tab.wait_for("#row-title", "Row 4 · D-003")
    assert tab.text(".alarm") == ""


def test_a_suite_is_listed_once_it_is_saved(start: Start, opened: Open, invoices: Path) -> None:
    tab = opened(start(invoices, "invoices.csv"))
    tab.button("Make the suite").click()
    tab.button("Save").click()
    tab.wait_for(".file-name", "· saved")
    tab.go("Data")
    tab.page.get_by_role("button", name="invoices.yaml").wait_for()


def test_a_change_that_is_under_way_is_not_written_into_another_suite(
    start: Start, opened: Open, invoice_suite: Path
) -> None:
    text = (invoice_suite / "suite.yaml").read_text(encoding="utf-8")
    (invoice_suite / "other.yaml").write_text(text + "# other\n", encoding="utf-8")
    tab = opened(start(invoice_suite, "suite.yaml"))
    held: list[Any] = []
    tab.page.route("**/api/edit", lambda route: held.append(route), times=1)
    with tab.page.expect_request("**/api/edit"):
        tab.page.get_by_label("How issued_on is compared").select_option("exact")
    tab.go("Data")
    tab.page.get_by_role("button", name="other.yaml").click()
    tab.wait_for(".file-name", "other.yaml")
    held[0].continue_()
    tab.page.get_by_label("How totals.net is compared").select_option("exact")
    tab.wait_for(".yaml", "totals.net: exact")
    assert "issued_on: exact" not in tab.yaml()


def test_a_suite_with_mistakes_is_saved_after_a_question(start: Start, opened: Open, invoice_suite: Path) -> None:
    file = invoice_suite / "suite.yaml"
    before = file.read_text(encoding="utf-8")
    tab = opened(start(invoice_suite, "suite.yaml"))
    tab.page.locator(".cm-line", has_text="vendor.name: company").click()
    tab.page.keyboard.press("End")
    tab.page.keyboard.type("y")
    tab.page.keyboard.press("Escape")
    tab.button("Save").click()
    tab.wait_for("dialog", "companyy")
    tab.button("Not yet").click()
    tab.page.locator("dialog.small").wait_for(state="detached")
    assert file.read_text(encoding="utf-8") == before
    tab.button("Save").click()
    tab.button("Save it all the same").click()
    tab.wait_for(".file-name", "· saved")
    assert "companyy" in file.read_text(encoding="utf-8")


def test_a_change_that_is_refused_leaves_no_trace(start: Start, opened: Open, invoice_suite: Path) -> None:
    """While the text cannot be read the form cannot be changed: its menu shows what is written, and the alarm goes with the mistake."""
    tab = opened(start(invoice_suite, "suite.yaml"))
    tab.page.locator(".cm-line", has_text="vendor.name: company").click()
    tab.page.keyboard.press("End")
    tab.page.keyboard.type(": [")
    tab.wait_for(".pane-problems", "line")
    tab.page.get_by_label("How issued_on is compared").select_option("exact")
    tab.page.locator(".alarm:not(:empty)").wait_for()
    tab.wait_for_value("How issued_on is compared", "european_date")
    tab.button("Undo").click()
    tab.page.locator(".alarm:empty").wait_for(state="attached")


def test_a_folder_of_documents_is_data(start: Start, opened: Open, tmp_path: Path) -> None:
    for side in ("expected", "output"):
        (tmp_path / "forms" / side).mkdir(parents=True)
        for number in range(3):
            (tmp_path / "forms" / side / f"{number}.json").write_text('{"city": "Rome"}', encoding="utf-8")
    tab = opened(start(tmp_path, "forms"))
    tab.button("Make the suite").click()
    tab.wait_for(".live-said", "3 rows scored")
    assert tab.complaints == []
