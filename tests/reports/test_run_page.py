from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue
from evaluators.model.rows import Result, RowStatus
from evaluators.reports.document import Item, Listing, Page, PageTable, Paragraph, Section, table_of, text_column
from evaluators.reports.fields_page import fields_page
from evaluators.reports.headline import Options
from evaluators.reports.mistakes import Mistake
from evaluators.reports.rows import RowView
from evaluators.reports.run_page import hardest_rows, run_page
from evaluators.reports.sections.evaluators import MOST_SLICES, evaluator_section
from evaluators.reports.sections.fields import MOST_MISTAKES, lowest_section, mistake_section
from evaluators.reports.text import page_text
from evaluators.runs.intervals import Interval
from evaluators.runs.metrics import mean_interval_text
from evaluators.runs.result import Counts, FieldStats, RunResult
from tests.kit import run


def lines_of(result: RunResult, options: Options = Options()) -> list[str]:
    return page_text(run_page(result, options)).splitlines()


def lowest(result: RunResult, most: int) -> list[str]:
    return page_text(Page("page", lowest_section(result, most))).splitlines()


def mistakes(found: tuple[Mistake, ...], until: int | None = None) -> list[str]:
    return page_text(Page("page", mistake_section(found, until))).splitlines()[3:]


def titles(document: Page) -> list[str]:
    return [section.title for section in document.sections if section.title]


def test_a_key_of_several_words_is_written_as_it_is_in_every_table(tmp_path: Path) -> None:
    fields = {"fields": {'["order number"]': "exact", "seller.name": "exact"}}
    rows = [{"output": {"order number": 1}, "expected": {"order number": 2, "seller": {"name": "a"}}}]
    lines = lines_of(run(tmp_path, {"evaluators": [{"json_multi_field_match": fields}]}, rows))
    assert any("order number" in line for line in lines)
    assert not [line for line in lines if '["order number"]' in line]


def test_an_interrupted_run_says_so_in_the_first_line(runs: dict[str, RunResult]) -> None:
    assert "interrupted after 120 rows" in lines_of(runs["interrupted"])[0]
    assert "interrupted after 120 rows" in page_text(fields_page(runs["interrupted"]))


def test_a_field_that_is_only_skipped_is_no_gap(runs: dict[str, RunResult]) -> None:
    stats = runs["failed"].evaluators[0]
    summary_field = FieldStats("summary", Counts(skipped=3), None, None, None, None)
    skipped = replace(runs["failed"], evaluators=(replace(stats, fields=(*stats.fields, summary_field)),))
    assert not [line for line in lines_of(skipped) if line.startswith("Measured in no row") and "→ summary" in line]
    unmet = replace(summary_field, counts=Counts(skipped=3, not_measured=1))
    found = replace(runs["failed"], evaluators=(replace(stats, fields=(*stats.fields, unmet)),))
    assert [line for line in lines_of(found) if line.startswith("Measured in no row") and "→ summary" in line]


def test_gates_come_first_when_one_failed_or_is_undecided(runs: dict[str, RunResult]) -> None:
    assert titles(run_page(runs["failed"]))[0] == "Gates"
    assert titles(run_page(runs["unmeasured"]))[0] == "Gates"
    assert titles(run_page(runs["passed"]))[:2] == ["Evaluators", "Gates"]


def test_every_mean_stands_beside_its_counts(named_run: tuple[str, RunResult]) -> None:
    _, result = named_run
    lines = lines_of(result)
    for stats in result.evaluators:
        (line,) = [line for line in lines if line.startswith(f"{stats.name} ") and f" {stats.scored:,} of {stats.rows:,} " in line
                   and (stats.variant or "") in line and "=" not in line]  # fmt: skip
        assert f"{stats.scored:,} of {stats.rows:,}" in line


def test_intervals_say_what_counts_as_one(runs: dict[str, RunResult]) -> None:
    legend = "with many more rows like these"
    assert "count as one" not in page_text(run_page(runs["failed"]))
    clustered = page_text(run_page(replace(runs["failed"], cluster="doc_id")))
    assert clustered.count(f"{legend}; rows of one doc_id count as one") == clustered.count(legend) > 0


def test_an_undefined_mean_is_a_dash(runs: dict[str, RunResult]) -> None:
    assert any(line.split()[:4] == ["exact_match", "–", "–", "–"] for line in lines_of(runs["broken"]))


def test_every_mean_has_its_interval_where_one_differs_from_that_of_the_pass_rate(runs: dict[str, RunResult]) -> None:
    same, other = (replace(stats, mean_ci=ci) for stats, ci in zip(
        runs["passed"].evaluators, (runs["passed"].evaluators[0].pass_rate_ci, Interval(0.25, 0.75)), strict=False
    ))  # fmt: skip
    page = page_text(Page("page", evaluator_section(replace(runs["passed"], evaluators=(same, other)))))
    assert page.count(mean_interval_text(same.mean_ci)) == 2
    assert "[0.2500, 0.7500]" in page
    assert "its 95 % CI" not in page_text(Page("page", evaluator_section(replace(runs["passed"], evaluators=(same,)))))


def test_the_lowest_fields_are_the_lowest_first(runs: dict[str, RunResult]) -> None:
    lines = lowest(runs["failed"], 2)
    start = lines.index("Fields with the lowest accuracy")
    assert [line.split()[1] for line in lines[start + 3 : start + 5]] == ["地址.城市", "line_items[*].qty"]
    assert lines[start + 5] == "5 more fields are below 1.0000; run.json has all."


def test_no_lowest_field_may_be_asked_for(runs: dict[str, RunResult]) -> None:
    assert "7 more fields are below 1.0000; run.json has all." in lowest(runs["failed"], 0)


def test_one_more_field_is_not_plural(runs: dict[str, RunResult]) -> None:
    assert "1 more field is below 1.0000; run.json has all." in lowest(runs["failed"], 6)


def test_the_page_with_every_table_lists_what_the_summary_left_for_it(runs: dict[str, RunResult]) -> None:
    lines = lines_of(runs["failed"], Options(lowest_fields=2))
    start = lines.index("Fields with the lowest accuracy")
    assert len({line.split()[1] for line in lines[start + 3 : start + 10]}) == 7
    assert not [line for line in lines if " below 1.0000" in line]


def test_every_mistake_is_listed_with_its_rows_and_whole() -> None:
    long = "the output is not usable JSON: no object or array in the text that the model gave"
    found = (
        Mistake("json", "", None, long, 4, (2, 3, 4, 9)),
        Mistake("fields", "sum", None, '"1" for 1: text, not a number', 1, (7,)),
    )
    assert mistakes(found) == [
        "Most frequent mistakes",
        "----------------------",
        f"- 4 × json, rows 2, 3, 4 …: {long}",
        '- 1 × fields: sum, row 7: "1" for 1: text, not a number',
    ]
    assert mistakes(found, until=1_200)[0] == "Most frequent mistakes up to row 1,200"


def test_a_page_says_how_many_mistakes_it_leaves_out() -> None:
    found = tuple(Mistake("fields", f"field_{n}", None, "missing", 1, (n,)) for n in range(MOST_MISTAKES + 2))
    lines = mistakes(found)
    assert lines[-1] == "- and 2 less frequent mistakes not listed"
    assert len(lines) == 2 + MOST_MISTAKES + 1


def test_fields_that_are_all_right_are_said_in_one_sentence(runs: dict[str, RunResult]) -> None:
    header = runs["passed"].evaluators[1]
    result = replace(runs["passed"], evaluators=(replace(header, fields=header.fields[:1], failed=0),))
    assert "Every field that was measured is right in every row." in lines_of(result)


def test_issues_say_how_many_more_there_are(runs: dict[str, RunResult]) -> None:
    lines = lines_of(runs["unmeasured"])
    assert lines.count("- and 39 more like this") == 1
    assert lines.index("- and 39 more like this") < lines.index(
        "- contracts.csv row 30: the pattern ran out of its 2 seconds"
    )


def test_a_count_without_a_listed_issue_is_still_told(runs: dict[str, RunResult]) -> None:
    assert "- lost: 12" in lines_of(replace(runs["passed"], issue_counts={"lost": 12}))


def test_an_issue_without_a_place_says_whose_it_is(runs: dict[str, RunResult]) -> None:
    result = replace(runs["passed"], issues=(Issue("refused", Blame.ENVIRONMENT, "the tracker refused"),))
    assert "- outside: the tracker refused" in lines_of(result)


def test_the_last_lines_are_the_verdict_and_the_files(runs: dict[str, RunResult]) -> None:
    lines = lines_of(runs["failed"], Options(files=("runs/nightly", "rows.csv")))
    assert lines[-6:-4] == [
        "Exit code 1: a gate failed.",
        "- gate header./totals/gross failed: accuracy 0.9731 is below 0.99",
    ]
    assert lines[-3:] == ["The files:", "- runs/nightly", "- rows.csv"]


def test_a_field_that_is_wrong_in_its_only_row_stands_behind_surer_ones(runs: dict[str, RunResult]) -> None:
    once = FieldStats("rare", Counts(mismatch=1), 0.0, 0.0, 0.0, 0.0)
    often = FieldStats("usual", Counts(match=60, mismatch=40), 0.6, 0.6, 0.6, 0.6)
    stats = replace(runs["failed"].evaluators[0], fields=(once, often), fields_not_listed=0)
    lines = lines_of(replace(runs["failed"], evaluators=(stats,)))
    start = lines.index("Fields with the lowest accuracy")
    assert [line.split()[1] for line in lines[start + 3 : start + 5]] == ["usual", "rare"]
    assert lines[start + 5] == "A low metric from few rows may be chance, so it comes after a surer one."


def test_a_field_that_may_be_absent_is_no_gap(runs: dict[str, RunResult]) -> None:
    listed = FieldStats("totl", Counts(not_measured=3), None, None, None, None)
    free = FieldStats("notes", Counts(skipped=3), None, None, None, None, optional=True)
    stats = replace(runs["failed"].evaluators[0], fields=(listed, free), fields_not_listed=0)
    lines = lines_of(replace(runs["failed"], evaluators=(stats,)))
    assert f"Measured in no row: {stats.name} → totl." in lines
    lines = lines_of(replace(runs["failed"], evaluators=(replace(stats, fields=(free,)),)))
    assert "Fields with the lowest accuracy" not in lines


def test_one_row_is_spoken_of_as_one(runs: dict[str, RunResult]) -> None:
    stats = replace(runs["failed"].evaluators[0], blocked=1, unreadable=1)
    said = [line for line in lines_of(replace(runs["failed"], evaluators=(stats,))) if " scored rows " in line]
    assert [line.partition(" scored rows ")[2] for line in said] == [
        "had an output that could not be read: it scores 0", "was blocked by an evaluator that it needs: it scores 0",
    ]  # fmt: skip


def test_a_run_without_gates_says_that_none_decides(runs: dict[str, RunResult]) -> None:
    lines = lines_of(replace(runs["passed"], gates=()))
    assert lines[0] == "invoice extraction: finished"
    assert "Exit code 0: the suite sets no gates, so no score is too low." in lines


def test_only_gates_make_a_run_good(runs: dict[str, RunResult]) -> None:
    passed = runs["passed"]
    assert run_page(passed).tone == "good"
    assert run_page(replace(passed, gates=())).tone == "note"


def test_a_warned_gate_shows_in_the_first_line(runs: dict[str, RunResult]) -> None:
    warned = replace(runs["passed"], gates=tuple(replace(gate, verdict="warned") for gate in runs["passed"].gates))
    assert lines_of(warned)[0] == "invoice extraction: passed, with warnings"


def test_many_slices_show_the_lowest_and_count_the_rest(runs: dict[str, RunResult]) -> None:
    one = runs["compared"].slices[0]
    many = tuple(replace(one, slice=("row.n", str(n)), mean=n / 100) for n in range(30, 0, -1))
    document = run_page(replace(runs["compared"], slices=many))
    (section,) = [section for section in document.sections if section.title == "Slices"]
    table, more = section.blocks
    assert isinstance(table, PageTable)
    assert isinstance(more, Paragraph)
    assert [row[0] for row in table.rows] == [f"n = {n}" for n in range(MOST_SLICES, 0, -1)]
    assert more.text == "The lowest 20; 10 more slices are in run.json."


def test_hard_rows_are_a_section_on_request(runs: dict[str, RunResult]) -> None:
    section = hardest_rows(
        1,
        [
            RowView(
                57,
                "INV-0042",
                None,
                None,
                (Result(RowStatus.SCORED, False, 1, 4, reason="totals.gross is wrong", evaluator="header"),),
            ),
        ],
    )
    lines = lines_of(runs["passed"], Options(extra=(section,)))
    start = lines.index("Hardest rows")
    assert lines[start + 2 : start + 4] == ["- row 57 (INV-0042): mean score 0.2500", "  header: totals.gross is wrong"]
    assert hardest_rows(1, []).blocks == (Paragraph("There are none."),)


def test_optional_columns_that_say_nothing_are_left_out() -> None:
    cells = {"a": ("1", "2"), "b": ("0", "0"), "c": ("", "–"), "d": ("0", "0")}
    columns = [text_column(head, told.__getitem__, optional=head != "d") for head, told in cells.items()]
    assert [column.head for column in table_of((0, 1), columns).columns] == ["a", "d"]


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4, 70, 130])
def test_every_exit_code_has_words(runs: dict[str, RunResult], code: int) -> None:
    assert f"Exit code {code}: " in "\n".join(lines_of(replace(runs["passed"], exit_code=code)))


def test_details_stand_under_their_item() -> None:
    page = Page("t", (Section(None, (Listing((Item("place: said", ("hint: do", "more"), ("a", "^")),)),)),))
    assert page_text(page).splitlines()[3:] == ["- place: said", "    a", "    ^", "  hint: do", "  more"]
