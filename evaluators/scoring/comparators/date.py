"""The comparator `date`: two texts name the same day."""

from __future__ import annotations

import datetime
import re
from functools import cached_property
from typing import Any, Final, Self

from pydantic import Field, field_validator, model_validator

from evaluators.model.issues import Blame, Issue
from evaluators.model.rows import Comparison
from evaluators.model.settings import Settings, spell
from evaluators.scoring.comparators._comparator import Comparator, Pair, Readable
from evaluators.scoring.values.dates import Moment, Read, check_formats, from_percent, gap_between, reader, same_moment
from evaluators.scoring.values.differences import difference_text
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.quoting import quote

_UNITS: Final = ("days", "hours", "minutes", "seconds")


class DateTolerance(Settings):
    """The largest difference allowed between a date and the expected one: the sum of the given units."""

    days: float | None = Field(None, ge=0, le=100_000, strict=True)
    """Days, of 24 hours each."""
    hours: float | None = Field(None, ge=0, le=100_000, strict=True)
    """Hours."""
    minutes: float | None = Field(None, ge=0, le=100_000, strict=True)
    """Minutes."""
    seconds: float | None = Field(None, ge=0, le=100_000, strict=True)
    """Seconds."""

    @model_validator(mode="after")
    def _check_not_empty(self) -> Self:
        """Refuses a tolerance that names no unit."""
        if not self.model_fields_set:
            raise ValueError("tolerance needs days, hours, minutes or seconds\nhint: write tolerance: {days: 1}")
        return self

    @cached_property
    def gap(self) -> datetime.timedelta:
        """The greatest gap."""
        return datetime.timedelta(**{name: value for name in _UNITS if (value := getattr(self, name)) is not None})


class Date(Comparator):
    """The two texts name the same day, however it is written.

    Say in `formats` how dates are written. When both texts give a time of day, the times must be the same too; when only
    one does, the days are compared, as they are written. Where both times name their offset from UTC (`Z`, `+02:00`), they are
    compared as instants: 10:00Z is 12:00+02:00. Where only one does, the offset is set aside, and the times are compared as
    they are written. A time without a day is never the same as a day. An expected text that fits no format is a problem of the test
    set, whatever the output is: such a row has no score.
    """

    formats: tuple[str, ...] = Field(("iso",), min_length=1)
    """How dates are written, such as `YYYY-MM-DD` or `D MMMM YYYY`. Tokens: YYYY YY, MMMM (May) MMM MM M, DD D Do (1st), HH H
    mm ss, hh h A (2:30 PM). Those of one letter take one digit or two. Other letters go in brackets: `Do [of] MMMM`. A time
    alone is `HH:mm` or `h:mm A`. `iso` is ISO 8601 (2024-05-31, 2024-05-31T10:00:00Z, 10:00). Two formats that would read one
    text as two different days are refused. Python's codes are read as well: `%d.%m.%Y` is `D.M.YYYY`."""
    tolerance: DateTolerance | None = None
    """How far the date may be from the expected one, earlier or later: `{days: 1}`, `{hours: 2, minutes: 30}`. Where only one of
    the two gives a time, whole days are counted; a month without a day must be the same month."""

    examples = (
        Pair("the same day", "2024-05-31", "2024-05-31", True),
        Pair("another day", "2024-05-31", "2024-06-01", False),
        Pair("a time on one side", "2024-05-31", "2024-05-31T10:00:00Z", True),
        Pair("the same instant", "2024-05-31T10:00:00Z", "2024-05-31T12:00:00+02:00", True),
        Pair("an offset on one side", "2024-05-31T23:30:00", "2024-05-31T23:30:00-05:00", True),
        Pair("two ways to write it", "2024-05-31", "31/05/2024", True, {"formats": ["YYYY-MM-DD", "DD/MM/YYYY"]}),
        Pair("a month by name", "2024-05-31", "May 31, 2024", True, {"formats": ["iso", "MMMM D, YYYY"]}),
        Pair("a clock with twelve hours", "14:30", "2:30 PM", True, {"formats": ["HH:mm", "h:mm A"]}),
        Pair("an ordinal", "2024-05-01", "1st of May 2024", True, {"formats": ["iso", "Do [of] MMMM YYYY"]}),
        Pair("a day off", "2024-05-31", "2024-06-01", True, {"tolerance": {"days": 1}}),
        Pair("a format that is not listed", "2024-05-31", "31.05.2024", False),
        Pair("a day that does not exist", "2024-02-29", "2023-02-29", False),
    )

    @field_validator("formats")
    @classmethod
    def _check_formats(cls, formats: tuple[str, ...]) -> tuple[str, ...]:
        """Refuses a format that cannot be used, and two that read one text as two days."""
        check_formats(formats)
        return formats

    @field_validator("tolerance", mode="before")
    @classmethod
    def _check_unit(cls, tolerance: object) -> object:
        """Refuses a tolerance without a unit, with the line to write."""
        if isinstance(tolerance, str | int | float) and not isinstance(tolerance, bool):
            match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(day|hour|minute|second)?s?\s*", str(tolerance))
            hint = f"write tolerance: {{{match[2] or 'day'}s: {match[1]}}}" if match else "write tolerance: {days: 1}"
            raise ValueError(f"tolerance must say its unit; found {spell(tolerance)}\nhint: {hint}")
        return tolerance

    def compare(self, expected: Any, actual: Any) -> bool:
        """Whether two texts are the same date, or near enough. Other values must be equal."""
        if json_equal(expected, actual):
            return True
        if expected.__class__ is not str or actual.__class__ is not str:
            return False
        wanted, actual_date = self._reader(expected), self._reader(actual)
        if wanted is None or actual_date is None:
            return False
        return same_moment(wanted, actual_date) or (self.tolerance is not None and self._is_near(wanted, actual_date))

    def readable(self, expected: Any) -> Readable:
        """Whether an expected text is a date; if not, what is wrong with it."""
        if expected.__class__ is not str or self._reader(expected) is not None:
            return True
        message = f"the expected value {quote(expected)} is not a date written as {self._formats_text()}"
        return Issue("expected-not-a-date", Blame.TESTSET, message, hint="correct it, or add its format")

    def applies_to(self, expected: Any) -> bool:
        return isinstance(expected, str)

    def reason(self, expected: Any, actual: Any, comparison: Comparison) -> str:
        """A sentence on two dates: the same, how far apart, or that the output is no date; for other values, how they differ."""
        if json_equal(expected, actual):
            return "equal"
        texts = isinstance(actual, str) and isinstance(expected, str)
        wanted, actual_date = (self._reader(expected), self._reader(actual)) if texts else (None, None)
        if texts and actual_date is None:
            return f"{quote(actual)} is not a date written as {self._formats_text()}"
        if wanted is None or actual_date is None:
            return difference_text(expected, actual)
        if same_moment(wanted, actual_date):
            return "the same date"
        gap = gap_between(wanted, actual_date)
        if self.tolerance is None or gap is None:
            return difference_text(expected, actual)
        return f"{quote(actual)} differs from {quote(expected)} by {_gap_text(gap)}; allowed: {_gap_text(self.tolerance.gap)}"

    @property
    def notes(self) -> tuple[str, ...]:
        """A note for each format in another system's codes, such as %Y: what it is here."""
        return tuple(
            f'the date format "{spelled}" is "{tokens}" here'
            for spelled in self.formats
            if (tokens := from_percent(spelled)) != spelled
        )

    def _is_near(self, wanted: Moment, moment: Moment) -> bool:
        """Whether two dates are no further apart than the tolerance allows."""
        gap = gap_between(wanted, moment)
        return gap is not None and self.tolerance is not None and gap <= self.tolerance.gap

    @cached_property
    def _reader(self) -> Read:
        """A function that reads a date in a text, in one of the formats."""
        return reader(map(from_percent, self.formats))

    def _formats_text(self) -> str:
        """The formats as people read them."""
        return " or ".join(
            "ISO 8601 (2024-05-31)" if spelled == "iso" else self.written(spelled) for spelled in self.formats
        )


def _gap_text(gap: datetime.timedelta) -> str:
    """A gap as people say it: `1 day 2 hours`."""
    hours, rest = divmod(gap.seconds, 3600)
    seconds = rest % 60 + gap.microseconds / 1_000_000
    parts = zip((gap.days, hours, rest // 60, seconds), _UNITS, strict=True)
    words = [f"{count:g} {unit if count != 1 else unit[:-1]}" for count, unit in parts if count]
    return " ".join(words) or "0 days"
