"""The page of the studio in a real browser: the whole way from a CSV to a gate, and what must not happen on it."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest

from tests.gallery import GALLERY
from tests.reports.html.test_in_a_browser import AXE, HOSTILE
from tests.studio.page.conftest import Start, Tab

pytestmark = pytest.mark.slow
Open = Callable[..., Tab]


def write_rows(file: Path, rows: list[list[str]]) -> None:
    with open(file, "w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)


def test_from_a_file_to_a_gate_with_the_mouse(
    start: Start, opened: Open, invoices: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A file is chosen, its suite is made, a field and a gate are changed, it is saved and run twice, and the runs are compared."""
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "bills.csv"
    elsewhere.write_bytes((invoices / "invoices.csv").read_bytes())
    tab = opened(start(invoices))
    page = tab.page
    page.locator("#file").set_input_files(elsewhere)
    page.get_by_label("Role of model_output").wait_for()
    assert page.get_by_label("Role of model_output").input_value() == "output"
    assert (invoices / "bills.csv").read_bytes() == elsewhere.read_bytes()
    tab.button("Make the suite").click()
    tab.wait_for(".live-said", "16 rows scored")
    assert not (invoices / "bills.yaml").exists()
    page.get_by_label("How issued_on is compared").select_option("exact")
    tab.wait_for(".yaml", "issued_on: exact")
    page.get_by_label("Metric of the new gate").select_option("fields")
    tab.button("Add gate").click()
    slider = page.get_by_label("fields fails below", exact=True)
    slider.fill("0.95")
    tab.wait_for(".gate-note", "is below 0.95")
    tab.button("Save").click()
    tab.wait_for(".file-name", "· saved")
    written = (invoices / "bills.yaml").read_text(encoding="utf-8")
    assert "fail_below: 0.95" in written
    assert "# A first suite for bills.csv" in written
    tab.go("Runs")
    for count in (1, 2):
        tab.button("Run all rows").click()
        tab.wait_for(".run-end", "a gate failed")
        page.locator(".run-list tbody tr").nth(count - 1).wait_for()
        assert "FAILED  fields: mean" in tab.text(".run-end pre")
    for box in page.locator(".run-list input").all():
        box.check()
    tab.button("Compare the two").click()
    tab.wait_for(".run-comparison .badge", "no difference")
    with page.context.expect_page() as other:
        page.get_by_role("link", name="Open its report").click()
    other.value.wait_for_selector("[data-ready]")
    assert tab.complaints == []


def test_a_change_of_the_form_is_a_change_of_the_text_and_undo_is_one_stack(
    start: Start, opened: Open, invoice_suite: Path
) -> None:
    tab = opened(start(invoice_suite, "suite.yaml"))
    page = tab.page
    tab.wait_for(".live-said", "16 rows scored")
    menu = page.get_by_label("How issued_on is compared")
    menu.select_option("exact")
    tab.wait_for(".live-turned", "became wrong")
    assert "issued_on: exact" in tab.yaml()
    page.locator(".cm-line", has_text="issued_on: exact").click()
    page.keyboard.press("End")
    for _ in "exact":
        page.keyboard.press("Backspace")
    page.keyboard.type("money", delay=10)
    page.keyboard.press("Escape")
    tab.wait_for_value("How issued_on is compared", "money")
    tab.button("Undo").click()
    tab.wait_for_value("How issued_on is compared", "exact")
    tab.button("Undo").click()
    tab.wait_for_value("How issued_on is compared", "european_date")
    assert page.get_by_role("button", name="Undo").is_disabled()
    assert tab.yaml().count("#") == (invoice_suite / "suite.yaml").read_text(encoding="utf-8").count("#")
    assert "· saved" in tab.text(".file-name")


def test_what_the_last_change_turned_is_said_with_its_rows(start: Start, opened: Open, invoice_suite: Path) -> None:
    tab = opened(start(invoice_suite, "suite.yaml"))
    tab.wait_for(".live-said", "16 rows scored")
    tab.page.get_by_label("How totals.net is compared").select_option("exact")
    tab.wait_for(".live-turned", "became wrong")
    assert "header · totals.net" in tab.text(".turned")
    first = tab.page.locator(".turned .turned-rows button").first
    number = first.inner_text()
    first.click()
    tab.wait_for("#row-title", f"Row {number}")


def test_a_suggestion_is_tried_before_it_is_kept(start: Start, opened: Open, invoice_suite: Path) -> None:
    tab = opened(start(invoice_suite, "suite.yaml"))
    page = tab.page
    before = tab.yaml()
    card = page.locator(".field-line", has_text="issued_on").locator(".advice").first
    card.get_by_role("button", name="Try").click()
    tab.wait_for(".live-turned", "It would turn: 1 became right")
    assert tab.yaml() == before
    tab.button("Back").click()
    page.locator(".trial").wait_for(state="detached")
    assert tab.page.locator(".turned").count() == 0
    card.get_by_role("button", name="Try").click()
    tab.wait_for(".live-turned", "It would turn: 1 became right")
    tab.button("Keep").click()
    tab.wait_for(".live-turned", "The last change: 1 became right")
    assert "MMMM D, YYYY" in tab.yaml()


def test_a_row_is_opened_as_in_a_report(start: Start, opened: Open, invoice_suite: Path) -> None:
    tab = opened(start(invoice_suite, "suite.yaml"))
    page = tab.page
    page.locator("[data-row='2'] [aria-colindex='11']").click()
    dialog = page.get_by_role("dialog")
    dialog.wait_for()
    assert tab.text("#row-title") == "Row 4 · D-003"
    assert "totals.gross" in tab.text(".row-dialog .field-wrong")
    assert page.locator(".row-dialog .field-wrong .pair del").count() > 0
    page.keyboard.press("j")
    tab.wait_for("#row-title", "Row 5 · D-004")
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")


def test_problems_of_the_text_are_said_at_their_line_and_the_last_form_stays(
    start: Start, opened: Open, invoice_suite: Path
) -> None:
    tab = opened(start(invoice_suite, "suite.yaml"))
    page = tab.page
    tab.wait_for(".live-said", "16 rows scored")
    page.locator(".cm-line", has_text="vendor.name: company").click()
    page.keyboard.press("End")
    page.keyboard.type("y")
    page.keyboard.press("Escape")
    tab.wait_for(".pane-problems", "companyy")
    tab.wait_for(".live-said", "The rows are those of the last suite that could be scored.")
    assert page.get_by_label("How vendor.name is compared").input_value() == "company"
    assert page.locator(".cm-lint-marker-error").count() > 0
    page.keyboard.press("Control+z")
    page.locator(".pane-problems li.badge-bad").wait_for(state="detached")


def test_the_text_is_completed_by_the_schema(start: Start, opened: Open, invoice_suite: Path) -> None:
    tab = opened(start(invoice_suite, "suite.yaml"))
    page = tab.page
    page.locator(".cm-line", has_text="vendor.name: company").click()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.type("totals.tax: nume")
    page.locator(".cm-tooltip-autocomplete li", has_text="numeric").click()
    page.get_by_label("How totals.tax is compared").wait_for()
    assert page.get_by_label("How totals.tax is compared").input_value() == "numeric"


def test_a_file_that_changed_underneath_is_not_written_over_unseen(
    start: Start, opened: Open, invoice_suite: Path
) -> None:
    file = invoice_suite / "suite.yaml"
    tab = opened(start(invoice_suite, "suite.yaml"))
    tab.page.get_by_label("How issued_on is compared").select_option("exact")
    tab.wait_for(".file-name", "not saved")
    theirs = file.read_text(encoding="utf-8").replace("name: invoice extraction", "name: theirs")
    file.write_text(theirs, encoding="utf-8")
    tab.page.keyboard.press("Control+s")
    tab.wait_for("dialog", "changed by someone else")
    assert file.read_text(encoding="utf-8") == theirs
    tab.button("Take the file").click()
    tab.wait_for(".yaml", "name: theirs")
    tab.button("Undo").click()
    tab.wait_for(".yaml", "issued_on: exact")
    assert file.read_text(encoding="utf-8") == theirs


def test_a_question_is_asked_where_nothing_is_recognised(start: Start, opened: Open, tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.csv", [["a", "b", "c"], *([f"x{n}", f"y{n % 3}", f"z{n % 4}"] for n in range(12))])
    tab = opened(start(tmp_path, "rows.csv"))
    tab.page.locator(".question.is-open").first.wait_for()
    assert tab.button("Make the suite").is_disabled()
    tab.page.get_by_label("Role of b").select_option("output")
    tab.page.get_by_label("Role of c").select_option("expected")
    tab.button("Make the suite").click()
    tab.wait_for(".live-said", "12 rows scored")


def test_the_address_gives_its_token_away_to_nobody(start: Start, opened: Open, invoices: Path) -> None:
    address = start(invoices)
    tab = opened(address)
    token = address.split("token=")[1]
    assert token not in tab.page.url
    assert not any(token in one for one in tab.asked)
    tab.page.reload()
    tab.page.wait_for_selector("[data-ready]")


# what must not happen


def test_nothing_is_fetched_from_elsewhere_and_the_policy_has_no_exceptions(
    start: Start, opened: Open, invoice_suite: Path
) -> None:
    address = start(invoice_suite, "suite.yaml")
    tab = opened(address)
    tab.wait_for(".live-said", "16 rows scored")
    home = address.split("#")[0]
    assert all(one.startswith((home, "data:")) for one in tab.asked)
    answer = tab.page.request.get(home)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert tab.complaints == []


def test_hostile_cells_and_names_stay_text(start: Start, opened: Open, tmp_path: Path) -> None:
    """Markup in the names of columns, fields, evaluators and in cells is shown as it is written."""
    name = HOSTILE[0]
    document = {text[:40]: text for text in HOSTILE}
    wrong = {text[:40]: text + "!" for text in HOSTILE}
    rows = [[name, *(json.dumps(one) for one in pair)] for pair in ((document, wrong), (document, document))]
    write_rows(
        tmp_path / "rows.csv",
        [[f"id {HOSTILE[2]}", "output", "expected", HOSTILE[2]], *([*row, HOSTILE[1]] for row in rows)],
    )
    fields = {f"$[{json.dumps(text)}]": "exact" for text in document}
    suite = {
        "name": HOSTILE[1], "test_set": {"file": "rows.csv", "columns": {"id": f"id {HOSTILE[2]}"}},
        "evaluators": [{"type": "json_multi_field_match", "name": "x <img src=x onerror=alert(1)>", "fields": fields}],
    }  # fmt: skip
    (tmp_path / "suite.yaml").write_text(json.dumps(suite, indent=1), encoding="utf-8")
    tab = opened(start(tmp_path, "suite.yaml"))
    tab.wait_for(".live-said", "2 rows scored")
    tab.page.locator("[data-row='0'] [aria-colindex='2']").click()
    tab.page.get_by_role("dialog").wait_for()
    tab.page.keyboard.press("Escape")
    for page in ("Data", "Runs", "Suite"):
        tab.go(page)
    assert tab.page.evaluate("window.harmed") is None
    assert tab.page.locator("main img, main script, main svg:not(.trend-line)").count() == 0
    assert tab.complaints == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_to_complain_about(start: Start, opened: Open, invoice_suite: Path, dark: bool) -> None:
    pytest.importorskip("axe_playwright_python")
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    tab = opened(start(invoice_suite, "suite.yaml"), dark=dark)
    page = tab.page
    page.evaluate(axe)
    tab.wait_for(".advice", "would turn")
    page.evaluate("() => document.querySelectorAll('.form details').forEach((one) => { one.open = true; })")
    assert page.evaluate(AXE) == []
    tab.button("Add check").click()
    assert page.evaluate(AXE) == []
    page.keyboard.press("Escape")
    page.locator("[data-row='2'] [aria-colindex='3']").click()
    page.get_by_role("dialog").wait_for()
    assert page.evaluate(AXE) == []
    page.keyboard.press("Escape")
    tab.go("Data")
    assert page.evaluate(AXE) == []
    tab.go("Runs")
    for _ in range(2):
        tab.button("Run all rows").click()
        tab.page.locator("progress").wait_for(state="detached")
        tab.wait_for(".run-end", "Open its report")
    tab.page.locator(".trend-line").first.wait_for()
    for box in page.locator(".run-list input").all():
        box.check()
    tab.button("Compare the two").click()
    tab.wait_for(".run-comparison h2", "Fields")
    assert page.evaluate(AXE) == []


def test_nothing_is_wider_than_a_phone(start: Start, opened: Open, invoice_suite: Path) -> None:
    tab = opened(start(invoice_suite, "suite.yaml"), width=390)
    tab.wait_for(".advice", "would turn")
    tab.page.evaluate("() => document.querySelectorAll('.form details').forEach((one) => { one.open = true; })")
    for page in ("Suite", "Data", "Runs"):
        tab.go(page)
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390, page


def test_from_a_file_to_a_gate_with_the_keyboard(start: Start, opened: Open, invoices: Path) -> None:
    """The whole way without a mouse: nothing holds the focus fast, and nothing is out of its reach."""
    tab = opened(start(invoices))
    press = tab.page.keyboard.press
    tab.tab_to("invoices.csv")
    press("Enter")
    tab.page.get_by_label("Role of doc_id").wait_for()
    tab.tab_to("Make the suite")
    press("Enter")
    tab.wait_for(".live-said", "16 rows scored")
    tab.tab_to("How invoice_number is compared")
    tab.page.keyboard.type("nearly")
    tab.wait_for_value("How invoice_number is compared", "fuzzy")
    tab.wait_for(".yaml", "invoice_number: fuzzy")
    tab.tab_to("Add gate")
    press("Enter")
    slider = "contains_json fails below"
    tab.page.get_by_label(slider, exact=True).wait_for()
    tab.tab_to(slider, backwards=True)
    for _ in range(8):
        press("ArrowRight")
    tab.wait_for_value(f"{slider}, as a number", "0.94")
    tab.wait_for(".yaml", "fail_below: 0.94")
    tab.tab_to("Suite as YAML")
    press("Control+Home")
    tab.page.keyboard.type("# mine")
    press("Enter")
    tab.tab_to("Copy as command")
    tab.tab_to("row")
    press("ArrowDown")
    press("ArrowRight")
    press("Enter")
    tab.wait_for("#row-title", "Row 3")
    press("Escape")
    tab.page.locator("dialog").first.wait_for(state="hidden")
    assert tab.focused()["row"] == "1"
    press("Control+s")
    tab.wait_for(".file-name", "· saved")
    written = (invoices / "invoices.yaml").read_text(encoding="utf-8")
    assert written.startswith("# mine\n")
    assert "fail_below: 0.94" in written
    tab.tab_to("Runs", backwards=True)
    press("Enter")
    tab.tab_to("Run all rows")
    press("Enter")
    tab.wait_for(".run-end", "a gate failed")
    assert tab.complaints == []


def test_each_variant_has_its_rows_and_its_figures(start: Start, opened: Open, tmp_path: Path) -> None:
    shutil.copytree(GALLERY / "comparing_models", tmp_path / "models")
    tab = opened(start(tmp_path / "models", "suite.yaml"))
    tab.wait_for(".live-said", "12 rows scored")
    assert tab.page.locator(".grid").get_attribute("aria-rowcount") == "25"
    tab.page.locator("[data-row='12'] [aria-colindex='1']").click()
    tab.wait_for("#row-title", "fast")
    tab.page.keyboard.press("k")
    tab.wait_for("#row-title", "careful")
    assert "careful" in tab.text(".check-card .mark-here")


def test_rows_of_a_database_are_fetched_after_a_click(start: Start, opened: Open, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "rows.db")) as database:
        database.execute("create table answers (output text, expected text)")
        database.executemany("insert into answers values (?, ?)", [("a", "a"), ("b", "c")])
        database.commit()
    suite = "test_set: {sql: 'select * from answers', connection: {sqlite: rows.db}}\nevaluators:\n  - exact_match\n"
    (tmp_path / "suite.yaml").write_text(suite, encoding="utf-8")
    tab = opened(start(tmp_path, "suite.yaml"))
    tab.wait_for(".live-problems", "in a database or on another machine")
    assert not tab.page.locator(".grid").is_visible()
    tab.button("Fetch them once").click()
    tab.wait_for(".live-said", "2 rows scored")


def test_pairs_of_columns_are_compared_as_the_menu_says(start: Start, opened: Open, tmp_path: Path) -> None:
    """Two columns side by side, as an export has them: no word of YAML is typed to forgive how a name is written."""
    names = ["Café du Nord", "O'Neil & Sons", "ACME Inc.", "Ångström AB"]
    rows = [
        [f"R-{n}", name, name.upper() if n % 3 == 0 else name, f"{n}.5", f"{n}.5"] for n, name in enumerate(names * 6)
    ]
    heads = ["nr", "vendor_gold", "vendor_model", "total_gold", "total_model"]
    write_rows(tmp_path / "export.csv", [heads, *rows])
    tab = opened(start(tmp_path, "export.csv"))
    tab.button("Make the suite").click()
    tab.wait_for(".check-compare", "vendor_model with vendor_gold")
    tab.wait_for(".live-said", "24 rows scored")
    tab.page.get_by_label("How vendor is compared").select_option("normalized")
    tab.wait_for(".live-turned", "8 became right")
    tab.wait_for(".yaml", "compare: normalized")
    assert tab.complaints == []
