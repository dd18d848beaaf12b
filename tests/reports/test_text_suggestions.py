"""Suggestions for texts: what is forgiven one thing at a time, and which line is offered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evaluators
from evaluators.api.finished_run import advice_page
from evaluators.builtin._texts import Forgiven, reading, text_changes
from evaluators.builtin.exact_match import ExactMatch
from evaluators.reports.suggestion_search import suggestions_for
from evaluators.reports.suggestions import Suggestion
from evaluators.run.reader import Run

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
        "contains": (4, 6, (2, 3, 4, 5)),
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


def test_the_line_that_is_offered_does_what_it_says(tmp_path: Path) -> None:
    for one in found_in(tmp_path):
        written = evaluators.load({"evaluators": json.loads(json.dumps(_parsed(one.write)))})
        result = written.run(tmp_path / "rows.csv")
        assert result.evaluators[0].passed >= 1 + one.turned


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
    read = reading(forgiven)
    assert (read(one) == read(other)) is same
    evaluator = ExactMatch(forgive=tuple(forgiven))
    assert evaluator.score(one, other).score == float(same)
    assert evaluator.compile()(one, other).passed is same


@pytest.mark.parametrize(
    ("expected", "output", "same"),
    [
        ("refund", "The answer is refund.", True),
        ("refund", "Answer: REFUND", True),
        ("refund", "refunded", False),
        ("...", "anything", False),
        ("a+b", "it is a+b", True),
    ],
)
def test_an_answer_that_stands_in_more_text(expected: str, output: str, same: bool) -> None:
    around = text_changes(())[-1]
    assert around.matches(expected, output) is same
