"""Dates in text: the tokens of a format, and formats that cannot stand side by side."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.values.dates import Moment, ambiguity, check_format, reader, same_moment


@given(st.dates(datetime.date(1969, 1, 1), datetime.date(2068, 12, 31)))
def test_every_token_reads_what_it_names(day: datetime.date) -> None:
    spellings = {
        "YYYY-MM-DD": day.isoformat(),
        "D/M/YYYY": f"{day.day}/{day.month}/{day.year}",
        "DD.MM.YY": f"{day:%d.%m.%y}",
        "MMMM D, YYYY": f"{day:%B} {day.day}, {day.year}",
        "DD-MMM-YYYY": f"{day:%d-%b-%Y}",
        "iso": day.isoformat(),
    }
    for spelled, text in spellings.items():
        assert reader([spelled])(text) == Moment(day.year, day.month, day.day)


def test_times_are_read_to_the_second() -> None:
    read = reader(["YYYY-MM-DDTHH:mm:ss", "DD/MM/YYYY HH:mm"])
    one, other = read("2024-05-31T10:20:00"), read("31/05/2024  10:20")
    assert one is not None
    assert other is not None
    assert same_moment(one, other)


@pytest.mark.parametrize(
    ("formats", "ambiguous"),
    [
        (["DD/MM/YYYY", "MM/DD/YYYY"], True),
        (["D/M/YYYY", "M/D/YYYY"], True),
        (["DD/MM/YYYY", "M/D/YYYY"], True),
        (["DD/MM/YY", "YY/MM/DD"], True),
        (["DD/MM/YYYY", "D/M/YYYY"], False),
        (["DD/MM/YYYY", "MM-DD-YYYY"], False),
        (["DD/MM/YYYY", "YYYY-MM-DD", "iso", "D MMM YYYY"], False),
        (["MMM D, YYYY", "MMMM D, YYYY"], False),
        (["iso", "YYYY-DD-MM"], True),
        (["DD/MM/YYYY", "DD/MM/YYYY"], False),
    ],
)
def test_formats_that_read_one_text_as_two_days(formats: list[str], ambiguous: bool) -> None:
    assert (ambiguity(formats) is not None) is ambiguous


@pytest.mark.parametrize(
    ("first", "second"),
    [("DD/MM/YYYY", "MM/DD/YYYY"), ("DD/MM/YYYY HH:mm:ss", "MM/DD/YYYY HH:mm:ss"), ("[on] D.M.YYYY", "[on] M.D.YYYY")],
)
def test_two_formats_come_with_a_text_that_both_read(first: str, second: str) -> None:
    found = ambiguity([first, second])
    assert found is not None
    assert found[:2] == (first, second)
    one, other = reader([first])(found[2]), reader([second])(found[2])
    assert one is not None
    assert other is not None
    assert (one.year, one.month, one.day) == (other.year, other.day, other.month)
    assert one.month != one.day


def test_a_moment_says_its_year_month_day_and_time() -> None:
    assert reader(["YYYY-MM-DDTHH:mm:ss"])("2024-05-31T10:20:30") == Moment(
        2024, 5, 31, datetime.datetime(2024, 5, 31, 10, 20, 30)
    )
    assert reader(["HH:mm DD/MM/YYYY"])("10:20 31/05/2024") == Moment(2024, 5, 31, datetime.datetime(2024, 5, 31, 10, 20))


@pytest.mark.parametrize(
    "spelled", ["", "DD", "MM-DD", "YYYY-DD", "YYYY-MM-DD ss", "yyyy-MM-DD", "%Y-%m-%d", "MM MMM YYYY"]
)
def test_formats_that_cannot(spelled: str) -> None:
    with pytest.raises(ValueError, match="the format"):
        check_format(spelled)
