"""Dates and numbers are recognised by how they are written."""

from __future__ import annotations

import datetime

from hypothesis import given
from hypothesis import strategies as st

from evaluators.scoring.values.dates import USUAL_FORMATS, _day_text, formats_of, read_date, rival_format


@given(st.dates(datetime.date(1970, 1, 1), datetime.date(2060, 1, 1)), st.sampled_from(USUAL_FORMATS[1:]))
def test_a_date_in_a_usual_format_is_recognised_as_that_day(day: datetime.date, spelled: str) -> None:
    text = _day_text(datetime.datetime.combine(day, datetime.time()), spelled)
    assert (read_date(text, spelled) or ())[:3] == (day.year, day.month, day.day)
    assert formats_of([text])


def test_a_day_beyond_twelve_settles_which_part_is_the_day() -> None:
    assert formats_of(["03/04/2024", "25/03/2024"]) == ("DD/MM/YYYY",)
    assert rival_format(["03/04/2024", "25/03/2024"], ("DD/MM/YYYY",)) is None
    assert rival_format(["03/04/2024"], ("DD/MM/YYYY",)) == "MM/DD/YYYY"
    assert formats_of(["25/03/2024", "03/25/2024"]) == ()
