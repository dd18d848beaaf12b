"""Suggestions for texts: what is forgiven one thing at a time, and which line is offered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evaluators
from evaluators.api.finished_run import advice_page
from evaluators.reports.suggestion_search import suggestions_for
from evaluators.reports.suggestions import Suggestion
from evaluators.runs.reader import Run
from evaluators.scoring.evaluators._texts import Forgiven, forgiving_reader
from evaluators.scoring.evaluators.exact_match import ExactMatch

ROWS = """id,output,expected
P1,Refund,refund
P2,refund.,refund
P3,late_delivery,late delivery
P4,The answer is refund,refund
P5,billing,refund
P6,refund,refund
P7,refunded,refund
"""


def found_in(place: Path, rows: str = ROWS, **settings: object) -> list[Suggestion]:
    (place / "rows.csv").write_text(rows, encoding="utf-8")
    suite = evaluators.load({"test_set": str(place / "rows.csv"), "evaluators": [{"exact_match": settings}]})
    suite.run(results=place, name="run", force=True)
    return suggestions_for(suite.lines, Run(place / "run"))


def test_each_thing_is_counted_with_its_rows(tmp_path: Path) -> None:
    found = {one.switch: (one.turned, one.of, one.rows) for one in found_in(tmp_path)}
    assert found == {
        "contains": (3, 6, (2, 3, 5)),
        "forgive: [case, spaces, final_punctuation, underscores]": (3, 6, (2, 3, 4)),
        "forgive: [case]": (1, 6, (2,)),
        "forgive: [final_punctuation]": (1, 6, (3,)),
        "forgive: [underscores]": (1, 6, (4,)),
    }


def test_what_is_forgiven_already_is_not_offered(tmp_path: Path) -> None:
    switches = [one.switch for one in found_in(tmp_path, forgive=["case"])]
    assert "forgive: [case]" not in switches
    assert "forgive: [case, final_punctuation]" in switches


def test_nothing_is_offered_where_nothing_would_change(tmp_path: Path) -> None:
    assert found_in(tmp_path, "id,output,expected\n1,a,a\n2,b,c\n") == []


def test_an_answer_inside_a_longer_number_or_word_is_not_mentioned(tmp_path: Path) -> None:
    rows = "id,output,expected\n1,I count 14 apples,4\n2,There are 25,5\n3,It is 7,7\n4,yesterday,yes\n"
    assert {one.switch: one.rows for one in found_in(tmp_path, rows)} == {"contains": (4,)}
    assert found_in(tmp_path, rows.replace("It is 7", "37")) == []


def test_the_line_that_is_offered_does_what_it_says(tmp_path: Path) -> None:
    for one in found_in(tmp_path):
        written = evaluators.load({"evaluators": json.loads(json.dumps(_parsed(one.write)))})
        result = written.run(tmp_path / "rows.csv")
        assert (result.evaluators[0].name, result.evaluators[0].passed) == ("exact_match", 1 + one.turned)


def test_a_row_that_passes_already_is_not_counted_among_the_wrong_ones(tmp_path: Path) -> None:
    rows = "id,output,expected\n1,Refund,refund\n2,refund.,refund\n3,billing,refund\n"
    found = {one.switch: (one.turned, one.of, one.rows) for one in found_in(tmp_path, rows, forgive=["case"])}
    assert found["forgive: [case, final_punctuation]"] == (1, 2, (3,))


def test_a_change_that_makes_a_right_answer_wrong_is_not_offered(tmp_path: Path) -> None:
    rows = "id,output,expected\n1,refund,refund.\n2,my refund,refund\n"
    assert "contains" in [one.switch for one in found_in(tmp_path, rows)]
    assert "contains" not in [one.switch for one in found_in(tmp_path, rows, forgive=["final_punctuation"])]


def test_the_line_keeps_the_other_settings(tmp_path: Path) -> None:
    rows = "id,output,said,expected\n1,x,Refund,refund\n2,x,billing,billing\n"
    found = found_in(tmp_path, rows, output="said", labels=["refund", "billing"])
    assert [one.write for one in found][:1] == [
        "- exact_match: {output: said, labels: [refund, billing], forgive: [case]}"
    ]


@pytest.mark.parametrize(
    ("rows", "written"),
    [
        ("1,12.0,12\n2,7.5,7.50\n3,8,9\n", "- exact_match: {compare: {numeric: {parse: true}}}"),
        ("1,2024-01-25,25/01/2024\n2,2024-02-05,05/02/2024\n", "- exact_match: {compare: {date: {formats: [DD/MM/YYYY, iso]}}}"),
        ("1,https://a.org:443/x,https://a.org/x\n", "- exact_match: {compare: url}"),
    ],
    ids=["numbers", "dates", "addresses"],
)  # fmt: skip
def test_a_comparator_is_offered_for_cells_that_are_no_texts(tmp_path: Path, rows: str, written: str) -> None:
    assert written in [one.write for one in found_in(tmp_path, f"id,output,expected\n{rows}")]


def test_the_comparator_of_a_cell_is_offered_under_its_own_key(tmp_path: Path) -> None:
    rows = "id,output,expected\n1,12.01,12\n2,7,7\n"
    (one, *_) = found_in(tmp_path, rows, compare={"numeric": {"parse": True}})
    assert (one.place, one.write, one.turned) == ("compare", "numeric: {tolerance: {abs: 0.01}, parse: true}", 1)


def test_nothing_is_offered_for_answers_that_are_in_the_suite(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id,output\n1,12.0\n", encoding="utf-8")
    settings = {"correctness": {"answer": "12"}}
    suite = evaluators.load({"test_set": str(tmp_path / "rows.csv"), "evaluators": [settings]})
    suite.run(results=tmp_path, name="run")
    assert suggestions_for(suite.lines, Run(tmp_path / "run")) == []


def _parsed(line: str) -> object:
    import yaml

    return yaml.safe_load(line)


def test_the_advice_shows_the_line(tmp_path: Path) -> None:
    found_in(tmp_path)
    items = [item for section in advice_page(tmp_path / "run").sections for block in section.blocks
             for item in getattr(block, "items", ())]  # fmt: skip
    assert any(item.quote == ("- exact_match: {forgive: [case]}",) for item in items)


@pytest.mark.parametrize(
    ("forgiven", "one", "other", "same"),
    [
        (["case"], "Straße", "STRASSE", True),
        (["case"], "a.", "A", False),
        (["spaces"], " a\n b ", "a b", True),
        (["final_punctuation"], "refund.", "refund", True),
        (["final_punctuation"], "re.fund", "refund", False),
        (["final_punctuation"], "refund?! ", "refund", True),
        (["underscores"], "late_delivery", "late delivery", True),
        (["underscores"], "late-delivery", "late_delivery", True),
        (["underscores"], "latedelivery", "late delivery", False),
        ([], "a", "A", False),
    ],
)
def test_a_table_of_what_is_forgiven(forgiven: list[Forgiven], one: str, other: str, same: bool) -> None:
    read = forgiving_reader(forgiven)
    assert (read(one) == read(other)) is same
    evaluator = ExactMatch(forgive=tuple(forgiven))
    assert evaluator.score(one, other).score == float(same)
    assert evaluator.compile()(one, other).passed is same
