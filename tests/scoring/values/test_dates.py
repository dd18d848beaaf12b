"""Dates in text: the tokens of a format, and formats that cannot stand side by side."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.settings import build
from evaluators.scoring.comparators.date import Date
from evaluators.scoring.values.dates import Moment, ambiguity, check_format, from_percent, reader, same_moment


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


@given(st.datetimes(datetime.datetime(1969, 1, 1), datetime.datetime(2068, 12, 31)))
def test_a_time_is_read_on_both_clocks(moment: datetime.datetime) -> None:
    moment = moment.replace(microsecond=0)
    ending = {1: "st", 2: "nd", 3: "rd"}.get(moment.day % 10 if moment.day not in (11, 12, 13) else 0, "th")
    day = f"{moment.day}{ending} of {moment:%B %Y}"
    of_twelve = moment.hour % 12 or 12
    for spelled, text in {
        "Do [of] MMMM YYYY h:mm:ss A": f"{day} {of_twelve}:{moment:%M:%S %p}",
        "Do [of] MMMM YYYY hh:mm:ssA": f"{day} {of_twelve:02}:{moment:%M:%S%p}",
        "Do [of] MMMM YYYY H:mm:ss": f"{day} {moment.hour}:{moment:%M:%S}",
        "%d %B %Y %I:%M:%S %p": f"{moment:%d %B %Y %I:%M:%S %p}",
        "iso": moment.isoformat(),
    }.items():
        assert reader([from_percent(spelled)])(text) == Moment(moment.year, moment.month, moment.day, moment)
    alone = reader(["iso", "h:mm:ss A"])
    assert alone(f"{moment:%H:%M:%S}") == alone(f"{of_twelve}:{moment:%M:%S %p}")


MOMENTS = st.one_of(
    st.datetimes(timezones=st.none() | st.just(datetime.UTC)).map(str), st.dates().map(str), st.times().map(str)
)


@given(MOMENTS, MOMENTS, st.floats(0, 10**5), st.sampled_from(["days", "hours", "minutes", "seconds"]))
def test_a_tolerance_is_the_same_from_both_sides(one: str, other: str, allowed: float, unit: str) -> None:
    compare = build(Date, {"tolerance": {unit: allowed}}).compare
    assert compare(one, other) is compare(other, one)
    assert compare(one, one)


@given(st.datetimes(datetime.datetime(1000, 1, 1), datetime.datetime(9000, 1, 1)), st.timedeltas(), st.integers(0, 10**5))
def test_what_is_within_a_tolerance_is_right(moment: datetime.datetime, gap: datetime.timedelta, minutes: int) -> None:
    gap = min(max(gap, datetime.timedelta(-(10**5))), datetime.timedelta(10**5))
    compare = build(Date, {"tolerance": {"minutes": minutes}}).compare
    assert compare(str(moment), str(moment + gap)) is (abs(gap) <= datetime.timedelta(minutes=minutes))


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
