"""Dates and numbers are recognised by how they are written."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.values.dates import USUAL_FORMATS, _write, also_read_by, check_format, formats_of, read_date
from evaluators.values.numbers import are_codes, parses_of, readings


@pytest.mark.parametrize("spelled", USUAL_FORMATS)
def test_every_usual_format_is_one(spelled: str) -> None:
    check_format(spelled)


@given(st.dates(datetime.date(1970, 1, 1), datetime.date(2060, 1, 1)), st.sampled_from(USUAL_FORMATS[1:]))
def test_a_date_in_a_usual_format_is_recognised_as_that_day(day: datetime.date, spelled: str) -> None:
    text = _write(datetime.datetime.combine(day, datetime.time()), spelled)
    assert (read_date(text, spelled) or ())[:3] == (day.year, day.month, day.day)
    assert formats_of([text])


@pytest.mark.parametrize("text", ["20240531", "2024", "12", "31/02/2024x", "1.5", "v1.2.3", "", "A-12-2024"])
def test_what_only_looks_a_little_like_a_date_is_none(text: str) -> None:
    assert formats_of([text]) == ()


def test_a_day_beyond_twelve_settles_which_part_is_the_day() -> None:
    assert formats_of(["03/04/2024", "25/03/2024"]) == ("DD/MM/YYYY",)
    assert also_read_by(["03/04/2024", "25/03/2024"], ("DD/MM/YYYY",)) is None
    assert also_read_by(["03/04/2024"], ("DD/MM/YYYY",)) == "MM/DD/YYYY"
    assert formats_of(["25/03/2024", "03/25/2024"]) == ()


def test_numbers_are_read_with_the_fewest_marks() -> None:
    assert parses_of(["12.5", "7"])[0] == {}
    assert parses_of(["48,50", "1.234,50"])[0] == {"thousands": ".", "decimal": ","}
    assert parses_of(["5%"])[0] == {"percent": True}
    assert parses_of(["€ 5"])[0] == {"currency": True}
    assert parses_of(["five"]) == []
    assert readings(["1.234"], {"thousands": ".", "decimal": ","}) == [1234]


def test_digits_alone_are_codes() -> None:
    assert are_codes(["007", "12345"])
    assert not are_codes(["007", "1.5"])


def test_telephone_numbers_are_codes() -> None:
    assert are_codes(["+47 22 33 44", "+472233", "123"])
    assert not are_codes(["+5", "+7"])
    assert not are_codes(["+1234.50", "3"])
