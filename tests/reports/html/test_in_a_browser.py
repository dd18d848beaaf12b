"""The HTML report as people meet it: in a browser, from disk, with a mouse, a keyboard, a phone, a screen reader."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.execute import finish
from evaluators.api.finished_run import write_again
from evaluators.api.loading import load
from evaluators.reports.document import Head, Listing, Page, PageTable, Paragraph, Section
from evaluators.reports.document import Item as ListItem
from evaluators.reports.html.page import page as page_html
from evaluators.reports.html.payload import page_payload
from evaluators.runs.compare.comparison import Difference, RegressionCheckResult, RunComparison
from tests.gallery import GALLERY
from tests.kit import cli, comparison_written, write_rows
from tests.reports.html.conftest import write_report

Open = Callable[..., Any]


@pytest.mark.slow
def test_it_says_how_the_run_ended_and_what_each_evaluator_found(opened: Open, invoices: Path) -> None:
    page = opened(invoices)
    assert page.text("h1") == "invoice extraction"
    assert "passed, with warnings" in page.text(".headline").lower()
    assert page.tab.title() == "invoice extraction: passed, with warnings"
    cards = page.texts(".card h3")
    assert cards == ["contains_json", "header", "lines", "tax_id", "same_shape", "overall", "ready_to_pay"]
    assert "0.8828 mean score" in page.text(".card:nth-child(2) .mean").replace("\n", " ")
    assert "6 failed" in page.text(".card:nth-child(2) .chips")
    page.tab.locator(".card summary").first.click()
    assert page.tab.get_by_role("img", name="Scores: 1 row at 0").count() > 0
    assert "mean 0.8571 is below 0.95" in page.text("#section-gates")
    assert page.complaints == []


@pytest.mark.slow
def test_what_is_to_know_of_the_rows_of_an_evaluator_is_in_sight(opened: Open, invoices: Path) -> None:
    page = opened(invoices)
    assert "1 of the 16 scored rows had an output that could not be read: it scores 0" in page.text(".remarks")
    assert page.tab.locator(".remarks").is_visible()
    assert "failed: the row's score is below" not in page.text(".remarks")


@pytest.mark.slow
def test_it_asks_the_network_for_nothing(opened: Open, invoices: Path) -> None:
    page = opened(invoices)
    assert page.asked == [page.tab.url.partition("#")[0]]


def test_a_key_beside_the_schema_leads_to_its_row_which_names_it(opened: Open, tmp_path: Path) -> None:
    rows = [
        {"id": "plain", "output": {"total": 1}, "expected": {"total": 1}},
        {"id": "beside", "output": {"total": 2, "iban": "DE1"}, "expected": {"total": 1}},
    ]
    write_rows(tmp_path / "rows.jsonl", rows)
    suite = {"evaluators": [{"schema_match": {"name": "fields", "fields": {"total": "numeric"}}}]}
    (tmp_path / "suite.yaml").write_text(json.dumps(suite))
    page = opened(write_report(tmp_path, tmp_path / "suite.yaml", tmp_path / "rows.jsonl"))
    page.tab.locator("button[aria-label='iban: 1 extra, show rows']").click()
    assert "field=iban" in page.fragment()
    assert page.ids() == ["beside"]
    assert "iban" in page.text(".lines tbody .column-wrong")
    assert "iban" in page.texts("label:has-text('Field') option")
    page.tab.locator(".lines tbody button").first.click()
    assert "iban" in page.text("dialog .fields")


def test_fields_are_told_by_words_and_counts_the_weakest_first(opened: Open, invoices: Path) -> None:
    page = opened(invoices)
    heads = page.texts(".heat thead th")
    assert heads[:6] == ["field", "accuracy", "right", "wrong", "missing", "extra"]
    shown = page.texts(".heat tbody th .path")
    assert shown[0] == "totals.gross"
    assert "vendor.iban" not in shown, "no answer expects it, so that it stands behind the other wrong ones"
    assert page.texts(".heat tbody tr:nth-child(1) td")[:3] == ["0.8125", "13", "2"]


def mails(folder: Path) -> Path:
    """The report of mails whose order numbers mostly lack their "A-"; one output is no JSON."""
    expected = [{"order number": f"A-{place}", "name": name} for place, name in enumerate(["Ann", "Ben", "Cai", "Dag"])]
    outputs: list[Any] = [dict(one) for one in expected]
    outputs[0]["order number"], outputs[1]["order number"], outputs[1]["name"] = "0", "1", "Bne"
    rows = [{"id": f"M{n}", "output": outputs[n] if n < 3 else "no", "expected": one} for n, one in enumerate(expected)]
    write_rows(folder / "rows.jsonl", rows)
    suite = {"evaluators": [{"schema_match": {"name": "mail", "fields": {"order number": "exact", "name": "exact"}}}]}
    (folder / "suite.yaml").write_text(json.dumps(suite))
    return write_report(folder, folder / "suite.yaml", folder / "rows.jsonl")


def test_the_first_screen_says_which_field_is_worst_and_why_in_the_words_of_the_terminal(
    opened: Open, tmp_path: Path
) -> None:
    page = opened(mails(tmp_path))
    folder = tmp_path / "runs"
    done = finish(load(tmp_path / "suite.yaml"), test_set=str(tmp_path / "rows.jsonl"), results=folder, name="x")
    assert done.folder is not None
    printed = (done.folder / "summary.txt").read_text().replace("\n  ", " ")
    sentence = page.text(".sentence")
    assert sentence.startswith(
        '3 of 8 values right; 1 of 4 rows passed; 1 row unreadable; worst: order number (1 of 4 right), mostly without "A-"'
    )
    assert sentence in printed
    titles = page.texts("main h2")
    assert titles[:2] == ["Fields", "Evaluators"]
    assert page.texts("#section-fields .path") == ["order number", "name"]
    first = page.text(".mistakes li")
    assert first.startswith('2 of 3 without "A-" · rows 1, 2')


def test_a_mistake_leads_to_its_rows_which_show_both_values(opened: Open, tmp_path: Path) -> None:
    page = opened(mails(tmp_path))
    page.tab.locator(".mistakes li button").first.click()
    page.tab.locator(".arrowed").first.wait_for()
    assert page.ids() == ["M0", "M1"]
    assert page.texts(".arrowed > bdi") == ['"A-0"', '"0"', '"A-1"', '"1"']
    assert page.texts(".arrowed ins") == ["A-", "A-"]
    page.tab.get_by_role("button", name="Clear").click()
    page.tab.get_by_role("combobox", name="Field", exact=True).select_option(label="name")
    page.tab.locator(".arrowed").first.wait_for()
    assert page.texts(".arrowed > bdi")[:2] == ['"Ben"', '"Bne"']


def test_metrics_that_say_again_what_stands_above_are_folded(opened: Open, tmp_path: Path) -> None:
    page = opened(mails(tmp_path))
    section = page.tab.locator("#section-metrics")
    assert not section.locator("table").is_visible()
    section.locator("summary").click()
    assert section.locator("table").is_visible()
    assert "`" not in page.tab.inner_text("body")


def test_a_table_that_is_too_wide_for_a_phone_says_that_it_scrolls(opened: Open, tmp_path: Path) -> None:
    report = mails(tmp_path)
    page = opened(report, width=390)
    frame = page.tab.locator("#section-fields .frame")
    assert frame.get_attribute("class").split() == ["frame", "has-right", "is-wide"]
    assert frame.locator(".more-aside").is_visible()
    frame.locator(".scroll").evaluate("(box) => { box.scrollLeft = box.scrollWidth; }")
    page.fragment()
    assert set(frame.get_attribute("class").split()) == {"frame", "has-left", "is-wide"}
    assert not opened(report).tab.locator("#section-fields .more-aside").is_visible()


@pytest.mark.slow
def test_two_evaluators_side_by_side_take_the_width(opened: Open, labels: Path) -> None:
    page = opened(labels)
    cards = [one.bounding_box() for one in page.tab.locator(".card").all()]
    whole = page.tab.locator("#section-evaluators").bounding_box()
    assert len(cards) == 2
    assert cards[1]["x"] + cards[1]["width"] - cards[0]["x"] > whole["width"] - 2


@pytest.mark.slow
def test_a_count_of_a_field_leads_to_its_rows(opened: Open, invoices: Path) -> None:
    page = opened(invoices)
    page.tab.get_by_role("button", name="totals.gross: 2 wrong, show rows").click()
    assert page.text(".found") == "2 of 16 rows"
    assert page.fragment() == "evaluator=header&field=totals.gross&status=2"


@pytest.mark.slow
def test_a_slice_leads_to_its_rows(opened: Open, invoices: Path) -> None:
    page = opened(invoices)
    page.tab.get_by_role("button", name="supplier = Nordwind Papier GmbH").first.click()
    assert page.text(".found") == "4 of 16 rows"


@pytest.mark.slow
def test_a_count_in_a_label_table_leads_to_its_rows(opened: Open, labels: Path) -> None:
    page = opened(labels)
    assert page.texts("#section-labels-0 .labels tbody tr:nth-child(3) > *") == [
        "refund",
        "1",
        "0",
        "1",
        "1",
        "0",
    ]
    table = page.tab.locator("#section-labels-0")
    table.get_by_role("button", name="refund expected, billing in the output: 1 row, show them").click()
    assert (page.text(".found"), page.ids()) == ("1 of 16 rows", ["T3"])
    page.tab.get_by_role("combobox", name="Variant").select_option("second")
    assert page.ids() == ["T3", "T5"]
    page.tab.get_by_role("button", name="Clear").click()
    table.get_by_role("button", name="refund → (no label)").click()
    assert page.ids() == ["T5"]
    assert page.complaints == []


@pytest.mark.slow
def test_rows_of_labels_show_the_reason_and_both_texts(opened: Open, labels: Path) -> None:
    page = opened(labels, "result=wrong&variant=first")
    page.tab.get_by_text("Refund it!", exact=True).wait_for()
    assert page.texts(".lines thead th")[-2:] == ["Expected", "Output"]
    assert page.texts(".lines tbody .column-text") == [
        "refund",
        "billing",
        "refund",
        "Refund it!",
        "other",
        "nothing is there",
    ]
    assert page.texts(".lines tbody .column-wrong")[0] == 'differs from character 1: "billing" instead of "refund"'
    table, box = page.tab.locator(".lines").bounding_box(), page.tab.locator(".rows").bounding_box()
    assert box["width"] - table["width"] < 20, "the table takes the width that there is"
    last = page.tab.locator(".lines thead th").last.bounding_box()
    assert abs(last["x"] + last["width"] - table["x"] - table["width"]) < 2, "and its columns fill it"


@pytest.mark.slow
def test_the_page_says_what_the_score_of_a_row_is(opened: Open, labels: Path, invoices: Path) -> None:
    assert opened(labels).texts(".found")[1] == "Score: the row's score by label."
    page = opened(invoices)
    assert (
        page.texts(".found")[1]
        == "Score: the mean of the row's scores over the 7 evaluators; one without a score is left out."
    )
    page.tab.get_by_role("combobox", name="Evaluator").select_option("lines")
    assert page.texts(".found")[1] == "Score: the row's score by lines."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fragment", "ids"),
    [
        ("q=d-01", ["D-010", "D-011", "D-012", "D-013", "D-014", "D-015", "D-016"]),
        ("q=nothing+has+this", []),
        ("evaluator=header&result=blocked", ["D-010"]),
        ("evaluator=same_shape&result=unreadable", ["D-010"]),
        ("evaluator=tax_id&result=skipped", ["D-007", "D-015"]),
        ("evaluator=header&field=totals.gross&status=3", ["D-010"]),
        ("evaluator=same_shape&field=vendor.iban&status=4", ["D-006"]),
        ("field=vendor.iban", ["D-006"]),
        ("slice=supplier%3DNordwind+Papier+GmbH&result=failed", ["D-005", "D-009", "D-013"]),
    ],
)  # fmt: skip
def test_an_address_chooses_rows(opened: Open, invoices: Path, fragment: str, ids: list[str]) -> None:
    page = opened(invoices, fragment)
    found = page.ids()
    assert sorted(one for one in found if one in ids) == ids
    if "slice" not in fragment and "skipped" not in fragment:
        assert sorted(found) == ids


@pytest.mark.slow
def test_choices_are_kept_in_the_address(opened: Open, invoices: Path) -> None:
    page = opened(invoices)
    page.tab.get_by_role("combobox", name="Evaluator").select_option("lines")
    page.tab.get_by_role("combobox", name="Result").select_option("failed")
    page.tab.get_by_role("combobox", name="supplier").select_option("supplier=Nordwind Papier GmbH")
    page.tab.get_by_role("button", name="Score").click()
    assert page.fragment() == "result=failed&evaluator=lines&slice=supplier%3DNordwind+Papier+GmbH&sort=score"
    assert page.ids() == ["D-009"]
    page.tab.get_by_role("button", name="Clear").click()
    assert page.text(".found") == "16 rows"


@pytest.mark.slow
def test_rows_are_sorted_both_ways_and_not_at_all(opened: Open, invoices: Path) -> None:
    page = opened(invoices)
    unsorted = page.ids()
    head = page.tab.locator(".column-id[aria-sort]")
    orders = []
    for _ in range(3):
        head.get_by_role("button").click()
        orders.append((head.get_attribute("aria-sort"), page.ids()))
    assert orders == [("ascending", sorted(unsorted)), ("descending", sorted(unsorted)[::-1]), ("none", unsorted)]


@pytest.mark.slow
def test_a_search_looks_inside_the_documents_when_asked(opened: Open, invoices: Path) -> None:
    page = opened(invoices)
    page.tab.get_by_label("Search").fill("sirop de noisette")
    page.tab.get_by_text("0 of 16 rows").wait_for()
    page.tab.get_by_label("also inside the documents").check()
    page.tab.locator(".found", has_text="of 16 rows").filter(has_not_text="0 of").wait_for()
    assert "D-002" in page.ids()


@pytest.mark.slow
def test_a_row_opens_with_both_sides_the_rule_and_the_reason(opened: Open, invoices: Path) -> None:
    page = opened(invoices)
    page.tab.get_by_text("D-003", exact=True).click()
    page.tab.get_by_role("dialog").wait_for()
    assert page.text("#row-title") == "Row 4 · D-003"
    card = page.text(".field-wrong")
    assert "totals.gross" in card
    assert "249.27 differs from 294.27 by 45; allowed: 0.01" in card
    assert "rule: money = numeric {tolerance: {abs: 0.01}}" in card
    assert "suite.yaml:43:7" in card
    assert (page.texts(".field-wrong del"), page.texts(".field-wrong ins")) == (["9"], ["9"])
    assert page.texts(".side h4") == ["Expected correct_answer", "Output model_output"]
    (node,) = page.texts(".side:nth-child(2) .node-wrong")
    assert node.endswith("gross: 249.27")
    assert "row=4" in page.fragment()
    page.tab.keyboard.press("Escape")
    assert page.tab.locator("dialog[open]").count() == 0
    assert "row=" not in page.fragment()


@pytest.mark.slow
def test_it_says_how_the_json_was_found(opened: Open, invoices: Path) -> None:
    page = opened(invoices, "row=3&as=header")
    assert "The JSON is inside a code fence." in page.text("dialog")
    assert page.texts("dialog .aside summary")[0].startswith("set aside before it: ")


@pytest.mark.slow
def test_an_unreadable_output_is_shown_as_it_is(opened: Open, invoices: Path) -> None:
    page = opened(invoices, "row=11&as=same_shape")
    assert "The output could not be read, so the row scores 0." in page.text("dialog")
    assert page.text(".side:nth-child(2) pre") != ""
    heads = page.texts(".explained h3")
    assert heads[0] == "Side by side"
    assert heads[1].endswith("not right")


@pytest.mark.slow
def test_another_evaluator_of_the_row_is_one_step_away(opened: Open, invoices: Path) -> None:
    page = opened(invoices, "row=4")
    page.tab.get_by_role("button", name="ready_to_pay").click()
    page.tab.locator("[aria-pressed=true]", has_text="ready_to_pay").wait_for()
    assert "header 0.75, lines 1, tax_id 1" in page.text(".verdict-line")
    assert page.fragment() == "row=4&as=ready_to_pay"


@pytest.mark.slow
def test_everything_works_by_keyboard(opened: Open, invoices: Path) -> None:
    page = opened(invoices, "result=wrong&sort=row")
    keyboard = page.tab.keyboard
    page.tab.locator(".rows").focus()
    keyboard.press("ArrowDown")
    keyboard.press("ArrowDown")
    assert page.tab.locator(":focus").get_attribute("aria-label") == "Open row 6"
    keyboard.press("Enter")
    page.tab.get_by_role("dialog").wait_for()
    assert page.text("#row-title") == "Row 6 · D-005"
    keyboard.press("j")
    page.tab.get_by_text("Row 7 · D-006").wait_for()
    keyboard.press("k")
    page.tab.get_by_text("Row 6 · D-005").wait_for()
    keyboard.press("Escape")
    assert page.tab.locator(":focus").get_attribute("aria-label") == "Open row 6"
    keyboard.press("End")
    assert page.tab.locator(":focus").get_attribute("data-place") == str(len(page.ids()) - 1)


@pytest.mark.slow
def test_variants_stand_side_by_side(opened: Open, variants: Path) -> None:
    page = opened(variants, "variant=fast&result=failed&evaluator=event")
    assert "FAILED" in page.text(".headline").upper()
    assert page.texts("#section-evaluators thead th") == ["evaluator", "careful", "fast"]
    assert page.text(".found") == "4 of 24 rows"
    page.tab.locator(".lines tbody tr").first.click()
    page.tab.get_by_role("dialog").wait_for()
    assert page.fragment().endswith("row=5%3Afast")


AXE = "async () => (await axe.run()).violations.map((one) => [one.id, one.nodes.map((node) => node.html + node.failureSummary)])"


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("fragment", ["", "row=4", "row=11&as=header"])
@pytest.mark.parametrize("report", ["invoices", "labels"])
def test_axe_finds_nothing_to_complain_about(
    opened: Open, request: pytest.FixtureRequest, report: str, fragment: str, dark: bool
) -> None:
    page = opened(
        request.getfixturevalue(report),
        fragment.replace("header", "label" if report == "labels" else "header"),
        dark=dark,
    )
    page.tab.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    pytest.importorskip("axe_playwright_python")
    page.tab.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    found = page.tab.evaluate(AXE)
    assert found == []


@pytest.mark.slow
def test_the_theme_follows_the_system_until_it_is_chosen(opened: Open, invoices: Path) -> None:
    page = opened(invoices, dark=True)
    color = "() => getComputedStyle(document.body).backgroundColor"
    dark = page.tab.evaluate(color)
    page.tab.get_by_role("button", name="Light theme").click()
    assert page.tab.evaluate(color) != dark
    assert page.fragment() == "theme=light"
    assert opened(invoices, "theme=dark").tab.evaluate(color) == dark


@pytest.mark.slow
@pytest.mark.parametrize("fragment", ["", "row=4"])
def test_nothing_is_wider_than_a_phone(opened: Open, variants: Path, invoices: Path, labels: Path, fragment: str) -> None:
    for report in (variants, invoices, labels):
        page = opened(report, fragment, width=390)
        assert page.tab.evaluate("() => document.documentElement.scrollWidth") <= 390
        assert page.tab.evaluate("() => (document.querySelector('dialog[open]') || document.body).scrollWidth") <= 390


def test_many_causes_are_counted_at_the_top_and_listed_below(opened: Open, many_gates: Path) -> None:
    page = opened(many_gates)
    assert len(page.texts(".result li")) == 5
    page.tab.get_by_role("button", name="2 more causes").click()
    assert page.tab.locator(":focus").text_content() == "Result"
    assert len(page.texts("#section-result li")) >= 7


@pytest.mark.slow
def test_every_part_has_a_link_in_sight(opened: Open, many_gates: Path) -> None:
    page = opened(many_gates)
    links = page.tab.locator("nav")
    assert links.evaluate("(nav) => nav.scrollWidth - nav.clientWidth") == 0
    links.get_by_role("button", name="Evaluators").click()
    below = page.tab.locator("#section-evaluators").bounding_box()["y"] - links.bounding_box()["height"]
    assert abs(below) < 2


@pytest.mark.slow
def test_of_many_parts_seven_links_are_seen_until_the_others_are_asked_for(opened: Open, many_gates: Path) -> None:
    page = opened(many_gates)
    links, parts = page.tab.locator("nav button:visible"), page.tab.locator("main > section").count()
    assert (links.count(), parts > 7) == (7, True)
    assert "Rows" in links.all_text_contents()
    links.last.click()
    assert links.count() == parts
    assert page.tab.locator(":focus").text_content() == page.texts("main > section h2")[5]


@pytest.mark.slow
def test_paper_gets_the_rows_and_no_buttons(opened: Open, invoices: Path) -> None:
    page = opened(invoices)
    page.tab.emulate_media(media="print")
    assert not page.tab.locator(".filters").is_visible()
    assert not page.tab.locator("nav").is_visible()
    assert page.tab.locator(".card").first.is_visible()
    assert len(page.tab.pdf()) > 10_000


HOSTILE = (
    "<script>window.harmed=1</script>", "</script><script>window.harmed=1</script>",
    "<img src=x onerror='window.harmed=1'>", "<!--<script>", "]]><svg onload=window.harmed=1>",
    "javascript:window.harmed=1", "\u202edrawkcab\u202c \u2066inside", "مرحبا بالعالم",
    "👩‍👩‍👧‍👦🏳️‍🌈 e\u0301\u0301\u0301", "\u2028\u2029\x0b\x7f", "${alert(1)} {{constructor.constructor('alert(1)')()}}",
    "x" * 300_000, "__proto__",
)  # fmt: skip


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """The report of a test set whose every name and value wants to be more than text."""
    from tests.reports.html.conftest import write_report

    with open(tmp_path / "rows.csv", "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "</script><b>group", "output", "expected"])
        for text in HOSTILE:
            expected = json.dumps({"text": text, text[:40]: [text], "__proto__": {"x": 1}, "big": 12345678901234567890})
            output = f"{text} ```json\n{json.dumps({'text': text[::-1], text[:40]: {'deep': text}})}\n``` {text[:200]}"
            writer.writerow([text[:300], text[:50], output, expected])
    suite = {
        "name": HOSTILE[1],
        "evaluators": [
            {"type": "json_multi_field_match", "name": "<b>fields</b>", "fields": {"text": "exact", "big": "exact"}},
            {"json_diff_match": {"name": "diff </script>", "extra_fields": "penalize"}},
            {"exact_match": {"name": "text"}},
        ],
        "slices": ["row.</script><b>group"],
    }
    (tmp_path / "suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    return write_report(tmp_path, tmp_path / "suite.yaml", tmp_path / "rows.csv")


@pytest.mark.slow
def test_a_hostile_test_set_stays_text(opened: Open, hostile: Path) -> None:
    page = opened(hostile)
    page.tab.evaluate(
        "() => { window.violations = []; "
        "document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.violatedDirective)); }"
    )
    assert page.text("h1") == HOSTILE[1]
    for number in range(2, 2 + len(HOSTILE)):
        for evaluator in ("<b>fields</b>", "diff </script>", "text"):
            page.tab.evaluate("(hash) => { location.hash = hash }", f"row={number}&as={evaluator.replace('<', '%3C')}")
            page.tab.locator("[aria-pressed=true]", has_text=evaluator).wait_for()
            page.tab.locator("#row-title", has_text=f"Row {number}").wait_for()
    assert page.tab.evaluate("() => window.harmed") is None
    assert page.tab.evaluate("() => window.violations") == []
    assert page.tab.locator("#report script, #report img, #report b b, #report svg[onload]").count() == 0
    assert page.complaints == []
    assert len(page.asked) == 1


@pytest.mark.slow
def test_numbers_keep_their_digits_and_long_cells_say_that_they_are_cut(opened: Open, hostile: Path) -> None:
    page = opened(hostile, "row=2&as=diff+%3C%2Fscript%3E")
    assert "12345678901234567890" in page.text(".side")
    page = opened(hostile, "row=13&as=text")
    assert "Cut: the first 100,000 of" in page.text("dialog")


def test_any_other_page_can_be_read_too(opened: Open, tmp_path: Path) -> None:
    table = PageTable(
        (Head("evaluator"), Head("finding")), (("header", "better"), ("<i>", "the same")), ("good", "plain")
    )
    blocks = (Paragraph("Two runs.", "note"), table, Listing((ListItem("one", ("hint",), ("a: b", "   ^")),)))
    file = tmp_path / "page.html"
    document = Page("a and b: better", (Section(None, (Paragraph("16 rows"),)), Section("Differences", blocks)), "good")
    file.write_text(page_html(page_payload(document)), encoding="utf-8")
    page = opened(file)
    assert page.text("h1") == "a and b: better"
    assert page.texts("#section-differences td") == ["header", "✓\nbetter", "<i>", "the same"]
    assert page.complaints == []


def test_a_comparison_says_how_it_ended_and_what_became_worse(opened: Open, tmp_path: Path) -> None:
    drop = Difference("header", None, 20, 1.0, 0.5, -0.5, None, 0.001, 0.001, "worse", 0, 10, 0, None)
    guard = RegressionCheckResult("significant_drop", None, "failed", "clearly worse: header by 0.5")
    found = RunComparison(
        "a", "b", "bills: old", 20, 0, 10, 10, (drop,), regression_checks=(guard,), exit_code=1, causes=("header",)
    )
    file = tmp_path / "comparison.html"
    file.write_text(comparison_written("html", found), encoding="utf-8")
    page = opened(file)
    assert page.text("h1") == "bills: old"
    assert page.text(".verdict-bad .headline").split() == ["✕", "FAILED"]
    assert page.tab.title() == "bills: old: FAILED"
    assert page.texts("#section-evaluators .badge") == ["✕\nworse"]


def test_a_comparison_that_fails_though_nothing_differs_clearly_names_the_check_below_the_word(
    opened: Open, tmp_path: Path
) -> None:
    drop = Difference("header", None, 20, 1.0, 0.9, -0.1, None, 0.6, 0.6, "no clear difference", 0, 2, 18, None)
    check = RegressionCheckResult("max_drop", "header", "failed", "lower by 0.1; the most is 0.05")
    cause = "max_drop of header: lower by 0.1; the most is 0.05"
    found = RunComparison(
        "a", "b", "bills", 20, 0, 2, 18, (drop,), regression_checks=(check,), exit_code=1, causes=(cause,)
    )
    file = tmp_path / "comparison.html"
    file.write_text(comparison_written("html", found), encoding="utf-8")
    lines = [line for line in opened(file).text("header.verdict").splitlines() if line]
    assert lines.index(cause) == lines.index("FAILED") + 1
    assert "no clear difference" in lines[lines.index(cause) + 1]


@pytest.fixture(scope="session")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a comparison of two runs that have pages: one row fixed, two broken, one with another value. Ids want to be markup."""
    folder = tmp_path_factory.mktemp("compared")
    expected = {"order number": "A-1", "name": "Greta", "text": HOSTILE[1]}
    outputs = {
        "old": [{**expected, "order number": "1"}, expected, expected, {**expected, "name": "x"}],
        "new": [expected, {**expected, "name": "Grta"}, {**expected, "text": HOSTILE[2]}, {**expected, "name": "y"}],
    }
    fields = dict.fromkeys(expected, "exact")
    suite = {"name": "mails", "evaluators": [{"schema_match": {"name": "mail", "fields": fields}}]}
    (folder / "suite.yaml").write_text(json.dumps(suite))
    for name, given in outputs.items():
        rows = [{"id": f"<b>{n}", "output": one, "expected": expected} for n, one in enumerate(given)]
        write_rows(folder / f"{name}.jsonl", rows)
        test_set = str(folder / f"{name}.jsonl")
        finish(load(folder / "suite.yaml"), test_set=test_set, results=folder, name=name, formats=("html",))
    done = cli("compare", str(folder / "old"), str(folder / "new"), "-o", str(folder / "page.html"))
    assert done.exit_code == 0, done.output
    return folder / "page.html"


def test_a_comparison_shows_what_each_run_gave_and_marks_what_differs(opened: Open, compared: Path) -> None:
    page = opened(compared)
    assert page.texts(".compared h3") == ["Row 2 · <b>1", "Row 3 · <b>2", "Row 1 · <b>0", "Row 4 · <b>3"]
    assert page.texts(".compared .badge")[:3] == ["✕\nbroken", "✕\nbroken", "✓\nfixed"]
    first = page.tab.locator(".compared").first
    cells = first.locator("tbody tr").first.locator("th, td").all_inner_texts()
    assert [text.split("\n")[0].strip() for text in cells][:2] == ["name", '"Greta"']
    assert first.locator("ins").all_inner_texts() == ["e"]
    assert page.tab.locator(".compared").nth(2).locator(".values td:nth-child(3) del").count() == 0
    assert page.tab.locator(".compared").nth(2).locator("ins").all_inner_texts() == ["A-"]
    assert page.complaints == []
    assert page.asked == [page.tab.url.partition("#")[0]]


def test_a_comparison_is_filtered_by_what_changed_and_by_field(opened: Open, compared: Path) -> None:
    page = opened(compared)
    page.tab.get_by_role("combobox", name="Change").select_option("fixed")
    assert page.texts(".compared h3") == ["Row 1 · <b>0"]
    assert page.text("#section-changed-rows .found") == "1 of 4 changed rows"
    page.tab.get_by_role("button", name="Clear").click()
    page.tab.get_by_role("combobox", name="Field").select_option(label="name (2)")
    assert page.texts(".compared h3") == ["Row 2 · <b>1", "Row 4 · <b>3"]
    assert page.fragment() == "evaluator=mail&field=name"
    page.tab.get_by_role("combobox", name="Change").select_option("fixed")
    assert page.texts(".compared h3") == []
    assert "No row fits" in page.text(".compared-rows")
    assert opened(compared, "q=0").texts(".compared h3") == ["Row 1 · <b>0"]


def test_a_row_of_a_comparison_leads_to_the_row_in_both_runs(opened: Open, compared: Path) -> None:
    page = opened(compared)
    links = page.tab.locator(".compared").first.locator(".leads a")
    assert [one.get_attribute("href") for one in links.all()] == ["old/report.html#row=2", "new/report.html#row=2"]
    with page.tab.context.expect_page() as beside:
        links.nth(1).click()
    row = beside.value
    row.wait_for_selector("dialog[open]")
    assert row.locator("#row-title").inner_text() == "Row 2 · <b>1"
    assert '"Grta"' in row.locator("dialog .field-wrong").inner_text()


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_in_a_comparison(opened: Open, compared: Path, dark: bool) -> None:
    pytest.importorskip("axe_playwright_python")
    for width in (390, 1280):
        page = opened(compared, dark=dark, width=width)
        page.tab.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
        assert page.tab.evaluate(AXE) == []
        assert page.tab.evaluate("() => document.documentElement.scrollWidth") <= width


def test_sections_with_titles_alike_are_told_apart(opened: Open, tmp_path: Path) -> None:
    sections = tuple(
        Section(title, (Paragraph("x"),)) for title in ("Été", "Metrics 1", "Metrics 2", "Ätä", "???", "!!!")
    )
    file = tmp_path / "page.html"
    file.write_text(page_html(page_payload(Page("a page", sections))), encoding="utf-8")
    ids = opened(file).tab.evaluate("() => Array.from(document.querySelectorAll('main > section'), (one) => one.id)")
    assert len(set(ids)) == len(sections)


def test_suggestions_set_what_is_written_in_a_suite_as_code(opened: Open, invoices: Path) -> None:
    page = opened(invoices)
    assert "`" not in page.text("#section-suggestions")
    assert 'parse: {thousands: ",", currency: true}' in page.texts("#section-suggestions li code")


@pytest.mark.slow
def test_many_rows_are_one_table(opened: Open, tmp_path: Path) -> None:
    from tests.reports.html.conftest import write_report

    with open(tmp_path / "rows.csv", "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "output", "expected"])
        writer.writerows([f"r{number}", "yes" if number % 10 else "no", "yes"] for number in range(20_000))
    (tmp_path / "suite.yaml").write_text("evaluators: [exact_match]", encoding="utf-8")
    page = opened(write_report(tmp_path, tmp_path / "suite.yaml", tmp_path / "rows.csv"))
    assert page.text(".found") == "20,000 rows"
    assert len(page.ids()) < 100
    page.tab.locator(".rows").focus()
    page.tab.keyboard.press("End")
    assert page.ids()[-1] == "r19999"
    page.tab.evaluate("() => { location.hash = 'result=failed' }")
    page.tab.get_by_text("2,000 of 20,000 rows").wait_for()
    assert page.ids()[:2] == ["r0", "r10"]


@pytest.mark.slow
def test_where_a_run_was_sent_can_be_followed(opened: Open, tmp_path: Path) -> None:
    done = finish(load(GALLERY / "classification" / "suite.yaml"), results=tmp_path, name="x")
    assert done.folder is not None
    links = [
        {"platform": "mlflow", "url": "https://tracking.example/#/runs/1", "run_id": "1"},
        {"platform": "files", "url": "metrics", "run_id": "2"},
        {"platform": "odd", "url": "javascript:alert(1)", "run_id": "3"},
    ]
    (done.folder / "links.json").write_text(json.dumps(links), encoding="utf-8")
    (page,) = write_again(done.folder, [tmp_path / "page.html"])
    tab = opened(page).tab
    found = tab.locator("section:has(h2:text-is('Where it was sent')) a")
    assert [(one.inner_text(), one.get_attribute("href")) for one in found.all()] == [
        ("mlflow: https://tracking.example/#/runs/1 (run 1)", "https://tracking.example/#/runs/1")
    ]
    assert "files: metrics (run 2)" in tab.inner_text("body")
