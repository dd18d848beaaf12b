"""The comparator `date`: two texts name the same day."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from pydantic import Field, field_validator

from evaluators.comparators._comparator import Comparator, Pair, Readable
from evaluators.issues import Blame, Issue
from evaluators.model import Comparison
from evaluators.values.dates import Read, check_formats, from_percent, reader, same_moment
from evaluators.values.equality import same
from evaluators.values.quoting import differs, quote


class Date(Comparator):
    """The two texts name the same day, however it is written.

    Say in `formats` how dates are written. When both texts give a time of day, the times must be the same too; when only
    one does, the days are compared. An expected text that fits no format is a problem of the test set, whatever the output
    is: such a row has no score.
    """

    formats: tuple[str, ...] = Field(("iso",), min_length=1)
    """How dates are written, such as `YYYY-MM-DD` or `D MMMM YYYY`. Tokens: YYYY YY, MMMM (May) MMM MM M, DD D, HH mm ss.
    Other letters go in brackets: `D [de] MMMM`. `iso` is ISO 8601 (2024-05-31, 2024-05-31T10:00:00Z). Two formats that
    would read one text as two different days are refused. Python's codes are read as well: `%d.%m.%Y` is `D.M.YYYY`."""

    examples = (
        Pair("the same day", "2024-05-31", "2024-05-31", True),
        Pair("another day", "2024-05-31", "2024-06-01", False),
        Pair("a time on one side", "2024-05-31", "2024-05-31T10:00:00Z", True),
        Pair("two ways to write it", "2024-05-31", "31/05/2024", True, {"formats": ["YYYY-MM-DD", "DD/MM/YYYY"]}),
        Pair("a month by name", "2024-05-31", "May 31, 2024", True, {"formats": ["iso", "MMMM D, YYYY"]}),
        Pair("a format that is not listed", "2024-05-31", "31.05.2024", False),
        Pair("a day that does not exist", "2024-02-29", "2023-02-29", False),
    )

    @field_validator("formats")
    @classmethod
    def _readable_and_unambiguous(cls, formats: tuple[str, ...]) -> tuple[str, ...]:
        check_formats(formats)
        return formats

    def compare(self, expected: Any, actual: Any) -> bool:
        if same(expected, actual):
            return True
        if expected.__class__ is not str or actual.__class__ is not str:
            return False
        wanted, found = self._read(expected), self._read(actual)
        return wanted is not None and found is not None and same_moment(wanted, found)

    def readable(self, expected: Any) -> Readable:
        if expected.__class__ is not str or self._read(expected) is not None:
            return True
        message = f"the expected value {quote(expected)} is not a date written as {self._spelled()}"
        return Issue("expected-not-a-date", Blame.TESTSET, message, hint="correct it, or add its format")

    def applies_to(self, expected: Any) -> bool:
        return isinstance(expected, str)

    def reason(self, expected: Any, actual: Any, found: Comparison) -> str:
        if found.passed:
            return "equal" if same(expected, actual) else "the same date"
        if isinstance(actual, str) and isinstance(expected, str) and self._read(actual) is None:
            return f"{quote(actual)} is not a date written as {self._spelled()}"
        return differs(expected, actual)

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(
            f'the date format "{spelled}" is "{tokens}" here'
            for spelled in self.formats
            if (tokens := from_percent(spelled)) != spelled
        )

    @cached_property
    def _read(self) -> Read:
        return reader(map(from_percent, self.formats))

    def _spelled(self) -> str:
        return " or ".join(
            "ISO 8601 (2024-05-31)" if spelled == "iso" else self.written(spelled) for spelled in self.formats
        )
