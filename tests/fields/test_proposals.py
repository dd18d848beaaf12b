"""How the values of a field are best compared, and why."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.fields.inference.proposals import InitQuestion, propose
from evaluators.fields.inference.suggested_lines import key_of


def first(question: InitQuestion) -> str:
    return question.answers[0]


MANY = [f"{day:02}/03/2024" for day in range(1, 29)]


@pytest.mark.parametrize(
    ("values", "compare", "why"),
    [
        ([], "exact", "null wherever it stands"),
        ([True, False], "exact", "all 2 are true or false"),
        ([1, 2, 3], "numeric", "3 of 3 are whole numbers"),
        (
            [1.25, 3],
            "numeric",
            "2 of 2 are numbers with up to two decimals: every digit counts",
        ),
        (
            [0.123456, 2],
            "numeric",
            "2 of 2 are numbers with up to 6 decimals: every digit counts",
        ),
        (["2024-03-01", "2024-03-02"], "date", "all 2 values parse as dates written as ISO 8601 (2024-05-31)"),
        (MANY, {"date": {"formats": ["DD/MM/YYYY"]}}, "all 28 values parse as dates written as DD/MM/YYYY"),
        (
            ["2024-03-01", "1 March 2024"],
            {"date": {"formats": ["iso", "D MMMM YYYY"]}},
            "all 2 values parse as dates written as ISO 8601 (2024-05-31) or D MMMM YYYY",
        ),
        (
            ["1,200.50", "12"],
            {"numeric": {"parse": {"thousands": ","}}},
            'all 2 values parse as numbers written in text, such as "1,200.50"',
        ),
        (
            ["€ 12,50", "$ 9,90"],
            "exact",
            "amounts in several currencies (€, $): as a number alone, one would pass for another",
        ),
        (
            ["12.50 EUR", "9.90 EUR"],
            {"numeric": {"parse": {"currency": True}}},
            'all 2 values parse as numbers written in text, such as "12.50 EUR"',
        ),
        (["00123", "45678"], "exact", 'codes or numbers in text, such as "00123": every character counts'),
        (["https://a.io", "www.b.org/x"], "url", "all 2 are web addresses"),
        (["red", "blue"] * 3, "exact", '2 distinct values: "red", "blue"'),
        (["no"] * 3, "exact", 'always the same value: "no"'),
        (["Ada Venn", "Lou Sorin"], "normalized", "short text: case, accents and spacing do not count"),
        ([1, "one"], "exact", "several kinds of values: number, text"),
    ],
)  # fmt: skip
def test_values_are_read_as_what_they_all_are(values: list[Any], compare: Any, why: str) -> None:
    found = propose(values, "field", first)
    assert (found.compare, found.why) == (compare, why)


def test_a_version_is_no_number() -> None:
    found = propose(["1.10", "1.9"], "app.version", first)
    assert (found.compare, found.why[:23]) == ("exact", 'versions, such as "1.10')
    assert propose(["1.10", "1.9"], "app.weight", first).compare == {"numeric": {"parse": True}}


def test_long_text_is_compared_by_its_letters() -> None:
    texts = [f"This is the {n}th sentence of a text that goes on and on for a while." for n in range(4)]
    found = propose(texts, "notes", first)
    assert (next(iter(found.compare)), found.why[:21]) == ("fuzzy", "long free text, about")


def test_one_value_that_is_no_date_is_named() -> None:
    found = propose([*MANY, "soon"], "due", first)
    assert found.compare == "normalized"
    assert found.why.endswith('; 28 of 29 are dates, but not "soon"')


def test_marks_that_could_be_either_are_asked_about() -> None:
    asked: list[InitQuestion] = []

    def second(question: InitQuestion) -> str:
        asked.append(question)
        return question.answers[1]

    found = propose(["1.234", "2.500"], "total", second)
    assert asked[0].hints[0] == '"1.234" is 1.234'
    assert found.compare == {"numeric": {"parse": {"thousands": ".", "decimal": ","}}}


@pytest.mark.parametrize(
    ("lists", "key"),
    [
        ([[{"sku": "a"}, {"sku": "b"}]], "sku"),
        ([[{"sku": ""}, {"sku": "b"}]], None),
        ([[{"sku": "", "code": "x"}, {"sku": "b", "code": "y"}]], "code"),
        ([[{"sku": "a"}, {"sku": "b"}], [{"sku": ""}]], None),
        ([[{"sku": "a" * 60}, {"sku": "b"}]], "sku"),
        ([[{"sku": "a" * 61}, {"sku": "b"}]], None),
        ([[{"sku": "a"}, {"sku": "a"}]], None),
        ([[{"sku": None}, {"sku": "b"}]], None),
        ([[{"sku": "a"}, {}]], None),
    ],
)
def test_a_key_tells_items_apart_by_a_text_that_is_there(lists: list[list[dict[str, Any]]], key: str | None) -> None:
    assert key_of(lists) == key
