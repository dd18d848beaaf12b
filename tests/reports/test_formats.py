"""Each format on its own, and how formats are found."""

from __future__ import annotations

import csv
import json
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import PurePath
from typing import Literal
from xml.etree.ElementTree import Element

import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace

from evaluators.api.loading import load
from evaluators.model.issues import Blame, Problems
from evaluators.reports.display import clip, pad, visible, width
from evaluators.reports.document import Head, Item, Listing, Page, PageTable, Paragraph, Section
from evaluators.reports.format import FORMATS, check_words, format_for
from evaluators.reports.github import run_annotations
from evaluators.reports.headline import Options
from evaluators.reports.markdown import page_markdown
from evaluators.reports.text import page_text
from evaluators.runs.reader import Run
from evaluators.runs.result import GateResult, RunResult
from evaluators.runs.run_json import read_as, run_body, run_json
from tests.gallery import GALLERY
from tests.kit import EVERY_FIGURE, EVERY_FIGURE_ROWS, written


def table_of(*cells: str) -> Page:
    columns = tuple(Head(f"c{index}") for index in range(len(cells)))
    return Page("t", (Section(None, (PageTable(columns, (cells,)),)),))


# --- finding a format


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("a.json", "JsonFile"),
        ("deep/a.TXT", "TextFormat"),
        ("a.b.md", "MarkdownFormat"),
        ("junit.xml", "JUnit"),
        ("rows.csv", "Csv"),
        ("fields.csv", "Csv"),
        ("a.Fields.csv", "FieldsTable"),
        ("a.jsonl", "JsonLines"),
        ("rows.jsonl", "JsonLines"),
        ("a.rows.jsonl", "Rows"),
        ("a.codes.jsonl", "Codes"),
        ("a.outcomes.jsonl", "Outcomes"),
        ("a.cells.jsonl", "CellLines"),
        ("a.answers.jsonl", "Answers"),
        ("a.parquet", "Parquet"),
    ],
)
def test_the_extension_says_what_is_written(file: str, name: str) -> None:
    assert type(format_for(PurePath(file))).__name__ == name


@pytest.mark.parametrize(
    ("file", "hint"),
    [
        ("a.jsn", 'did you mean ".json"?'),
        ("a", "known: .csv, .htm, .html, .json, .jsonl, .markdown, .md, .parquet, .txt, .xml"),
    ],
)
def test_an_unknown_extension_is_a_config_problem(file: str, hint: str) -> None:
    with pytest.raises(Problems) as error:
        format_for(PurePath(file))
    (issue,) = error.value.issues
    assert (issue.blame, issue.hint) == (Blame.CONFIG, hint)


def test_unknown_words_are_config_problems_all_at_once() -> None:
    issues = check_words(("markdwon", "csv", "zzz", "jsonl"))
    assert [issue.blame for issue in issues] == [Blame.CONFIG] * 3
    assert issues[0].hint == 'did you mean "markdown"?'
    assert (
        issues[1].hint
        == "known: answers, cells, codes, confidence, csv, field_sums, fields, html, json, junit, labels, markdown, md, "
        "measures, outcomes, parquet, repeats, report, rows, text, xml"
    )


def test_annotations_are_no_file_of_a_run_folder() -> None:
    (issue,) = check_words(("csv", "github"))
    assert issue.message == 'the format "github" writes no file into a run folder'
    assert issue.hint == "`evaluators run … --format github` prints the annotations for GitHub Actions"


def test_no_two_formats_share_an_extension_or_a_file() -> None:
    formats = [FORMATS.find(name) for name in FORMATS.names()]
    suffixes = [suffix for each in formats for suffix in each.suffixes]
    files = [each.file for each in formats if each.file]
    assert len({*suffixes}) == len(suffixes)
    assert len({*files}) == len(files)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Run:
    results = tmp_path_factory.mktemp("runs")
    folder = load(GALLERY / "field_scoring" / "suite.yaml").run(results=results).folder
    assert folder is not None
    return Run(folder)


@pytest.mark.parametrize("name", FORMATS.names())
def test_every_format_writes_the_rows_of_a_run_the_same_twice(name: str, recorded: Run) -> None:
    found = []
    for _ in range(2):
        stream = TextIOWrapper(BytesIO(), "utf-8", newline="")
        FORMATS.find(name)().write(recorded, stream, Options(evaluator="listing"))
        stream.flush()
        found.append(stream.buffer.getvalue())  # type: ignore[attr-defined]  # a BytesIO
    assert found[0] == found[1]
    # nobody was asked, and Parquet ends with its own mark
    assert found[0][-1:] == {"answers": b"", "parquet": b"1"}.get(name, b"\n")


# --- text


def test_columns_line_up_whatever_the_script() -> None:
    page = Page(
        "t",
        (
            Section(
                None, (PageTable((Head("name"), Head("n", True)), (("株式会社", "5"), ("é", "10"), ("e\u0301", "7"))),)
            ),
        ),
    )
    lines = page_text(page).splitlines()[3:]
    assert [width(line) for line in lines] == [12, 12, 12, 12]
    assert lines[1] == "株式会社   5"


def test_a_cell_cannot_disturb_the_terminal() -> None:
    text = page_text(table_of("\x1b[31mred\r\nnext\u202etxt\x9b"))
    assert r"\x1b[31mred\r\nnext\u202etxt\x9b" in text


@given(st.text(max_size=80), st.integers(3, 40))
def test_a_cut_text_fits_and_keeps_both_ends(text: str, columns: int) -> None:
    shown = visible(text)
    cut = clip(shown, columns)
    assert width(cut) <= columns
    assert width(pad(cut, columns)) == columns
    assert "\n" not in cut
    if width(shown) <= columns:
        assert cut == shown


def test_a_long_path_gives_way_in_the_middle() -> None:
    assert clip("orders.items.lines.quantity", 11) == "order…ntity"


# --- Markdown


def html_cells(markdown: str) -> list[str]:
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    inlines = [tokens[at + 1] for at, token in enumerate(tokens) if token.type == "td_open"]
    for inline in inlines:
        assert {child.type for child in inline.children or ()} <= {"text", "text_special"}
    return ["".join(child.content for child in inline.children or ()) for inline in inlines]


@pytest.mark.parametrize(
    "cell",
    [
        "a|b", "a\\|b", "**bold**", "_it_", "snake_case", "`code`", "<script>alert(1)</script>", "[x](http://a.b)",
        "&lt;", "# head", "- item", "1. one", "1.5", "~~gone~~", "$x$", "line_items[*].qty", "!", "+1", "=1+1",
    ],
)  # fmt: skip
def test_markdown_shows_a_cell_as_it_stands(cell: str) -> None:
    shown = html_cells(page_markdown(table_of(cell, "end")))
    assert [text.replace("\u200b", "") for text in shown] == [cell, "end"]


@given(st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=12))
def test_no_cell_breaks_out_of_its_markdown_table(cell: str) -> None:
    shown = html_cells(page_markdown(table_of(cell, "end")))
    assert [text.replace("\u200b", "") for text in shown] == [cell, "end"]


def test_markdown_makes_no_link_and_calls_nobody() -> None:
    text = page_markdown(table_of("see https://a.b or www.a.b", "@someone"))
    assert "https://" not in text
    assert "www.a" not in text
    assert "@someone" not in text


def test_a_quoted_line_keeps_its_place_over_the_caret() -> None:
    item = Item("suite.yaml:7:5: odd", ("hint: do",), ("  a: ``` b", "  ^"))
    text = page_markdown(Page("t", (Section(None, (Listing((item,)),)),)))
    fences = [token for token in MarkdownIt("commonmark").parse(text) if token.type == "fence"]
    assert [fence.content for fence in fences] == ["  a: ``` b\n  ^\n"]


def test_a_paragraph_that_starts_like_a_list_stays_a_paragraph() -> None:
    page = Page("t", (Section(None, tuple(Paragraph(text) for text in ("- a", "1. b", "2) c", "+ d", "# e"))),))
    kinds = {token.type for token in MarkdownIt("commonmark").parse(page_markdown(page))}
    assert "list_item_open" not in kinds


# --- CSV


def test_the_field_table_opens_in_a_spreadsheet(runs: dict[str, RunResult]) -> None:
    text = written("field_sums", runs["failed"])
    assert text.startswith("\ufeff")
    rows = list(csv.DictReader(StringIO(text.removeprefix("\ufeff"), newline="")))
    (gross,) = [row for row in rows if row["field"] == "totals.gross"]
    assert (gross["evaluator"], gross["match"], gross["mismatch"], gross["omission"]) == ("header", "398", "7", "4")
    assert float(gross["accuracy"]) == 398 / 409
    (never,) = [row for row in rows if row["field"] == "purchase_order"]
    assert (never["n"], never["accuracy"]) == ("0", "")


def test_the_field_table_has_a_line_per_slice(runs: dict[str, RunResult]) -> None:
    fields = runs["failed"].evaluators[1].fields[:1]
    slices = (replace(runs["compared"].slices[-1], fields=fields),)
    text = written("field_sums", replace(runs["compared"], evaluators=(), slices=slices))
    head, line = csv.reader(StringIO(text.removeprefix("\ufeff"), newline=""))
    assert line[:5] == ["small, tuned", "supplier", "'=1+1", "header", "invoice_number"]
    assert len(line) == len(head)


# --- JUnit


def junit(result: RunResult) -> Element:
    root = fromstring(written("junit", result).encode())
    suite = root.find("testsuite")
    assert isinstance(suite, Element)
    return suite


def kinds(suite: Element) -> list[tuple[str, str]]:
    found = []
    for test in suite.findall("testcase"):
        outcome = "failure" if test.find("failure") is not None else "error" if test.find("error") is not None else "ok"
        found.append((test.attrib["name"], outcome))
    return found


def test_a_failed_gate_is_a_failed_test(runs: dict[str, RunResult]) -> None:
    suite = junit(runs["failed"])
    assert kinds(suite) == [
        ("contains_json", "ok"),
        ("header (pass rate)", "ok"),
        ("header./totals/gross", "failure"),
        ("header (micro precision)", "ok"),
        ("contains_json", "ok"),
        ("header", "ok"),
        ("overall", "ok"),
        ("everything was measured", "ok"),
    ]
    failure = suite.find("testcase/failure")
    assert failure.attrib["message"] == "accuracy 0.9731 is below 0.99"


def test_an_evaluator_says_its_rates_repeats_and_confidences() -> None:
    suite = junit(load(EVERY_FIGURE).run(EVERY_FIGURE_ROWS).result)
    said = {test.attrib["name"]: test.findtext("system-out", "").splitlines() for test in suite.findall("testcase")}
    invented, left_empty, groups, noise, flips, confidence, of_field = said["form"][1:]
    assert noise.startswith("Of two outputs of one group, one passes and the other does not: 0.")
    assert invented == "invented rate 0.3333 [0.0000, 1.0000] of 3 values"
    assert left_empty == "left empty rate 0.4000 [0.0000, 1.0000] of 5 values"
    assert groups.startswith("2 groups of 2 outputs: 0 always pass, 1 sometimes, 1 never; k = 1: one passes 0.2500")
    assert flips == "fields that flip: fax 0.5000 [0.0945, 0.9055] of 2 groups"
    assert confidence.startswith("confidence: row.sure in 3 rows: Brier 0.3133, ECE (ten bins of equal width) 0.4667")
    assert of_field.startswith("confidence in total: sure in 3 rows: Brier 0.0467")
    beside = [line.partition(" ")[2] for line in said["grounded"][1:3]]
    assert beside == ["found by chance (2 rows)", "of fields not given (4 rows)"]


def test_what_was_not_measured_is_an_error(runs: dict[str, RunResult]) -> None:
    assert kinds(junit(runs["unmeasured"])) == [
        ("facts.party", "error"), ("facts", "error"), ("facts", "error"), ("everything was measured", "error"),
    ]  # fmt: skip


def test_a_failed_gate_does_not_hide_that_rows_are_without_a_score(runs: dict[str, RunResult]) -> None:
    failed = runs["failed"]
    first, *others = failed.evaluators
    result = replace(failed, evaluators=(replace(first, rows=first.rows + 1, invalid=1), *others))
    assert dict(kinds(junit(result)))["everything was measured"] == "error"


def measured(result: RunResult) -> Element:
    (test,) = (test for test in junit(result) if test.attrib.get("name") == "everything was measured")
    return test


def test_a_test_fails_exactly_when_the_exit_code_is_not_zero(named_run: tuple[str, RunResult]) -> None:
    outcomes = [outcome for _, outcome in kinds(junit(named_run[1]))]
    assert (set(outcomes) == {"ok"}) == (named_run[1].exit_code == 0)


# names as CI systems show them and key their tests by
ALIKE = st.one_of(
    st.text(st.sampled_from("zZ \t\n\x0b\ud800()2:"), max_size=5),
    st.sampled_from(["z", "z (2)", "z: at least 0.9", "z (variant z)", "everything was measured", "rows"]),
    st.text(max_size=5),
)
GATES = st.builds(
    GateResult, ALIKE, st.sampled_from(["mean", "recall"]), st.just(0.5), st.just(3), st.sampled_from(["at least 0.9", "at least 0.1"]),
    st.sampled_from(["passed", "failed"]), st.just("a message"), st.one_of(st.none(), ALIKE),
    st.one_of(st.none(), st.tuples(st.just("row.s"), ALIKE)), st.one_of(st.none(), ALIKE),
)  # fmt: skip


@given(st.lists(GATES, max_size=8), st.lists(st.tuples(ALIKE, st.one_of(st.none(), ALIKE)), max_size=6))
def test_no_two_tests_of_a_file_have_the_same_name(gates: list[GateResult], named: list[tuple[str, str | None]]) -> None:
    (one,) = load({"evaluators": ["exact_match"]}).run([{"output": "a", "expected": "a"}]).result.evaluators
    stats = tuple(replace(one, name=name, variant=variant) for name, variant in named)
    result = RunResult("x", "", "", "", "", 1, {}, stats, gates=tuple(gates))
    suite = junit(result)
    # a reader of XML makes spaces of line ends and tabs, and some set case aside
    found = [
        (each.attrib["classname"], " ".join(each.attrib["name"].split()).casefold()) for each in suite.findall("testcase")
    ]
    assert len({*found}) == len(found) == len(gates) + len(stats) + 1
    failures = [each.find("failure") is not None for each in suite.findall("testcase")][: len(gates)]
    assert failures == [gate.verdict == "failed" for gate in gates]


def test_gates_on_one_figure_are_told_apart_by_their_limits_and_slices_by_what_cannot_be_seen() -> None:
    suite = load({
        "evaluators": [{"exact_match": {"name": "m"}}],
        "slices": ["row.s"],
        "gates": {"m": [{"fail_below": 0.9}, {"fail_below": 0.1}, {"fail_below": 0.2, "warn_below": 0.3},
                        {"each_slice": "row.s", "fail_below": 0.1}]},
    })  # fmt: skip
    rows = [{"output": "a", "expected": "a", "s": "z"}, {"output": "a", "expected": "b", "s": "z\x0b"}]
    tests = [(name, kind) for name, kind in kinds(junit(suite.run(rows).result))]
    assert tests == [
        ("m: fail below 0.9", "failure"), ("m: fail below 0.1", "ok"), ("m: fail below 0.2, warn below 0.3", "ok"),
        ("m (s = z)", "ok"), ("m (s = z\\x0b)", "failure"), ("m", "ok"), ("everything was measured", "ok"),
    ]  # fmt: skip


@given(st.text(max_size=20))
def test_any_name_gives_xml_that_can_be_read(name: str) -> None:
    result = RunResult(name, "5f0c", "a41b", "0.1.0", name, 0, {}, (), causes=(name,), exit_code=3)
    assert junit(result).attrib["tests"] == "1"


def test_the_json_file_has_a_number_for_each_field(runs: dict[str, RunResult]) -> None:
    body = json.loads(run_json(runs["failed"]))
    header = next(one for one in body["evaluators"] if one["name"] == "header")
    assert header["aggregate_score"] == header["mean"]
    assert header["field_scores"] == {one["path"]: one["accuracy"] for one in header["fields"]}
    assert "field_scores" not in next(one for one in body["evaluators"] if one["name"] == "contains_json")
    assert read_as(run_body(run_json(runs["failed"]).encode(), "run.json"), RunResult, "run.json") == replace(
        runs["failed"], environment=None
    )


# --- what GitHub shows beside the code


@pytest.mark.parametrize(
    ("verdict", "level"), [("failed", "error"), ("undecided", "error"), ("warned", "warning"), ("passed", None)]
)
def test_each_gate_that_did_not_pass_is_an_annotation_as_weighty_as_its_exit_code(
    runs: dict[str, RunResult], verdict: Literal["failed", "undecided", "warned", "passed"], level: str | None
) -> None:
    gate = GateResult("header", "mean", 0.5, 10, "fail below 0.9", verdict, "mean 0.5")
    result = replace(runs["failed"], gates=(gate,), issues=(), warnings=())
    _, *lines = run_annotations(result, Options()).splitlines()
    assert lines == ([f"::{level} title=gate header::{verdict}: mean 0.5 (fail below 0.9)"] if level else [])
