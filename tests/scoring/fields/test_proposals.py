"""How the values of a field are best compared, and why."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.scoring.fields.inference.proposals import InitQuestion, propose
from evaluators.scoring.fields.inference.suggested_lines import key_of


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
            ["1st of May 2024", "22nd of June 2024"],
            {"date": {"formats": ["Do [of] MMMM YYYY"]}},
            "all 2 values parse as dates written as Do [of] MMMM YYYY",
        ),
        (
            ["May 1st, 2024", "2024-05-02"],
            {"date": {"formats": ["iso", "MMMM Do, YYYY"]}},
            "all 2 values parse as dates written as ISO 8601 (2024-05-31) or MMMM Do, YYYY",
        ),
        (
            ["31/05/2024 10:30", "01/06/2024 09:05"],
            {"date": {"formats": ["DD/MM/YYYY HH:mm"]}},
            "all 2 values parse as dates written as DD/MM/YYYY HH:mm",
        ),
        (
            ["05/31/2024 2:30 PM"],
            {"date": {"formats": ["MM/DD/YYYY h:mm A"]}},
            "the only value parses as dates written as MM/DD/YYYY h:mm A",
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
        (
            ["1.200,50", "1,200.50", "12"],
            {"numeric": {"parse": [{"thousands": ","}, {"thousands": ".", "decimal": ","}]}},
            'all 3 values parse as numbers in two notations, such as "1,200.50" and "1.200,50"',
        ),
        (
            ["€ 1.200,50", "EUR 1.100,20", "€ 1,200.50"],
            {"numeric": {"parse": [
                {"thousands": ".", "decimal": ",", "currency": True}, {"thousands": ",", "currency": True},
            ]}},
            'all 3 values parse as numbers in two notations, such as "€ 1.200,50" and "€ 1,200.50"',
        ),
        (
            ["2.5", "2,5", "1.234"],
            {"numeric": {"parse": [True, {"decimal": ","}]}},
            'all 3 values parse as numbers in two notations, such as "2.5" and "2,5"',
        ),
        (
            ["1.200,50", "1,200.50", "2,400.00", "1.234"],
            {"numeric": {"parse": [{"thousands": ","}, {"thousands": ".", "decimal": ","}]}},
            'all 4 values parse as numbers in two notations, such as "1,200.50" and "1.200,50"; in both, taken as in the first: "1.234"',
        ),
        (["$ 1,200.50", "€ 1.200,50"], "exact", "amounts in several currencies ($, €): as a number alone, one would pass for another"),
        (
            ["1,200", "3,400", "12"],
            {"numeric": {"parse": {"thousands": ","}}},
            'all 3 values parse as numbers written in text, such as "1,200"',
        ),
        (
            ["1,200", "3,5"],
            {"numeric": {"parse": {"decimal": ","}}},
            'all 2 values parse as numbers written in text, such as "1,200"',
        ),
        (
            ["0,125", "0,250"],
            {"numeric": {"parse": {"decimal": ","}}},
            'all 2 values parse as numbers written in text, such as "0,125"',
        ),
        (
            ["(1,200.50)", "300.00"],
            {"numeric": {"parse": {"thousands": ",", "currency": True}}},
            'all 2 values parse as numbers written in text, such as "(1,200.50)"',
        ),
        (["(1)", "(2)", "(3)"], "exact", 'codes or numbers in text, such as "(1)": every character counts'),
        (["KR1234", "KR5678"], "exact", 'codes or numbers in text, such as "KR1234": every character counts'),
        (["5-", "6-"], "exact", 'codes or numbers in text, such as "5-": every character counts'),
        (["00123", "45678"], "exact", 'codes or numbers in text, such as "00123": every character counts'),
        (["https://a.io", "www.b.org/x"], "url", "all 2 are web addresses"),
        (["red", "blue"] * 3, "exact", '2 distinct values: "red", "blue"'),
        (["no"] * 3, "exact", 'always the same value: "no"'),
        (["Ada Venn", "Lou Sorin"], "normalized", "short text: case, accents and spacing do not count"),
        ([1, "one"], "exact", "several kinds of values: number, text"),
        (["1.2", "1.10", "2.0"], "exact", 'codes or numbers in text, such as "1.2": every character counts'),
        (["75 001", "13 002"], "exact", 'codes or numbers in text, such as "75 001": every character counts'),
        (["12 345 678"], "exact", 'codes or numbers in text, such as "12 345 678": every character counts'),
        (["978 316 148"], "exact", 'codes or numbers in text, such as "978 316 148": every character counts'),
        (["1.2", "1.2.3"], "exact", 'codes or numbers in text, such as "1.2": every character counts'),
        (["1E5", "2E7"], "exact", 'codes or numbers in text, such as "1E5": every character counts'),
        (["3-4", "5-6"], "exact", 'codes or numbers in text, such as "3-4": every character counts'),
        (
            ["1.50"] * 19 + ["RM9.00"],
            {"numeric": {"parse": True}},
            'all 19 values parse as numbers written in text, such as "1.50"; 1 of 20 cannot be read so and has no score: "RM9.00"',
        ),
        (
            [7] * 19 + ["n/a"],
            "numeric",
            '19 of 19 are whole numbers; 1 of 20 cannot be read so and has no score: "n/a"',
        ),
    ],
)  # fmt: skip
def test_values_are_read_as_what_they_all_are(values: list[Any], compare: Any, why: str) -> None:
    found = propose(values, "field", first)
    assert (found.compare, found.why) == (compare, why)


def test_a_version_is_no_number() -> None:
    found = propose(["1.10", "1.9"], "app.version", first)
    assert (found.compare, found.why[:23]) == ("exact", 'versions, such as "1.10')
    assert propose(["1.15", "1.9"], "app.weight", first).compare == {"numeric": {"parse": True}}


def test_long_text_is_compared_by_its_letters() -> None:
    texts = [f"This is the {n}th sentence of a text that goes on and on for a while." for n in range(4)]
    found = propose(texts, "notes", first)
    assert (next(iter(found.compare)), found.why[:21]) == ("fuzzy", "long free text, about")


def test_one_value_that_is_no_date_is_named() -> None:
    found = propose([*MANY, "soon"], "due", first)
    assert (found.compare, found.several) == ({"date": {"formats": ["DD/MM/YYYY"]}}, True)
    assert found.why.endswith('; 1 of 29 cannot be read so and has no score: "soon"')
    found = propose([*MANY, *["soon"] * 4], "due", first)
    assert found.compare == "normalized"
    assert found.why.endswith('; 28 of 32 are dates, but not "soon"')


def test_marks_that_could_be_either_are_asked_about() -> None:
    asked: list[InitQuestion] = []

    def second(question: InitQuestion) -> str:
        asked.append(question)
        return question.answers[1]

    found = propose(["1.234", "2.500"], "total", second)
    assert asked[0].hints[0] == '"1.234" is 1.234'
    assert found.compare == {"numeric": {"parse": {"thousands": ".", "decimal": ","}}}


def test_a_comma_before_three_digits_is_never_taken_for_one_of_decimals_in_silence() -> None:
    asked: list[InitQuestion] = []

    def noting(question: InitQuestion) -> str:
        asked.append(question)
        return question.answers[0]

    found = propose(["1,200"], "total", noting)
    assert found.compare == {"numeric": {"parse": {"thousands": ","}}}
    assert [question.hints for question in asked] == [('"1,200" is 1200', '"1,200" is 1.2')]
    asked.clear()
    assert propose(["1,200", "2.50"], "total", noting).compare == {"numeric": {"parse": {"thousands": ","}}}
    assert propose(["1,200", "2,5"], "total", noting).compare == {"numeric": {"parse": {"decimal": ","}}}
    assert asked == []


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
