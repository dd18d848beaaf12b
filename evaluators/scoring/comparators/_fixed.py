"""The comparators of evaluation_config schemas: each is another comparator with some of its options fixed.

A class says which one and what it fixes; what it leaves open is a setting of its own, by the name that these schemas use.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cached_property
from math import isfinite
from typing import Any, ClassVar

from pydantic import Field, StrictBool

from evaluators.model.rows import Comparison
from evaluators.scoring.comparators._closeness import allowed_text, gap_text
from evaluators.scoring.comparators._comparator import COMPARATORS, Comparator, Pair
from evaluators.scoring.comparators._web_addresses import AddressReading
from evaluators.scoring.values.differences import difference_text
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.numbers import Number, Parse, reader
from evaluators.scoring.values.quoting import kind, quote


class _Fixed(Comparator):
    """A comparator that compares as another one does."""

    like: ClassVar[str] = "exact"

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that `delegate` is made with, by name: this comparator's own settings, unless a subclass says otherwise."""
        return {name: getattr(self, name) for name in type(self).model_fields}

    @cached_property
    def delegate(self) -> Comparator:
        """The comparator that compares in its place, with its settings."""
        return COMPARATORS.shipped_plug(self.like)(**self.options)

    def compare(self, expected: Any, actual: Any) -> bool | Comparison:
        return self.delegate.compare(expected, actual)

    def reason(self, expected: Any, actual: Any, comparison: Comparison) -> str | None:
        return self.delegate.reason(expected, actual, comparison)

    def key(self) -> Callable[[Any], Hashable] | None:
        return self.delegate.key()


class _PlainNumbers(_Fixed):
    """Two numbers are compared. Values that are no numbers must be equal.

    Text that is no number is compared as it is: a field that may hold 35 or "33-37" has both kinds of values.
    """

    like = "numeric"

    def applies_to(self, expected: Any) -> bool:
        """Whether an expected value is a number, or a text that Python reads as one."""
        return expected.__class__ in (int, float) or (expected.__class__ is str and _is_written_number(expected))

    def reason(self, expected: Any, actual: Any, comparison: Comparison) -> str:
        """A sentence on two numbers: equal, or how far apart; for other values, how they differ."""
        if json_equal(expected, actual):
            return "equal"
        parse, most = self.options["parse"], self.options.get("tolerance", {}).get("abs")
        wanted, number = _plain_number(expected, parse), _plain_number(actual, parse)
        if wanted is None or number is None:
            is_written = not parse and kind(expected) != kind(actual) and _plain_number(actual, True) is not None
            return difference_text(expected, actual) + ("; parse: true reads numbers in text" if is_written else "")
        if wanted == number:
            return f"{quote(actual)} is the same number as {quote(expected)}"
        limit = "" if most is None else f"; allowed: {allowed_text((most, None, False), wanted)}"
        return f"{quote(actual)} differs from {quote(expected)} by {gap_text(wanted, number)}{limit}"


_read = reader(Parse())


def _plain_number(value: Any, parse: bool) -> Number | None:
    """The value as a number; None for one that is none. `parse` says whether texts are read."""
    if value.__class__ is int or (value.__class__ is float and isfinite(value)):
        return value
    return _read(value) if parse and value.__class__ is str else None


def _is_written_number(text: str) -> bool:
    """Whether Python reads a text as a number, such as `12`, `-1.5` or `1e3`."""
    try:
        float(text)
    except ValueError:
        return False
    return True


class BooleanExact(_Fixed):
    """Both values are true, or both are false.

    true is not 1 and not the text "true". Values that are neither must be equal. It is a word of evaluation_config
    schemas; `boolean` can also read words such as yes and no.
    """

    word = "boolean_exact"
    examples = (
        Pair("both true", True, True, True),
        Pair("one of each", True, False, False),
        Pair("1 is not true", True, 1, False),
        Pair("text is not true", True, "true", False),
    )

    def applies_to(self, expected: Any) -> bool:
        return isinstance(expected, bool)


class IntegerExact(_PlainNumbers):
    """The two whole numbers are equal.

    3 and 3.0 are the same; 3 and 3.7 are not: nothing is cut off. true is never 1. Values that are not numbers must be
    equal. It is a word of evaluation_config schemas; where such a schema allows text, numbers in text are read too.
    """

    parse: StrictBool = False
    """`true`: also read plain numbers in text, such as "12"."""

    word = "integer_exact"
    examples = (
        Pair("the same number", 30, 30, True),
        Pair("another number", 30, 31, False),
        Pair("decimals are not cut off", 3, 3.7, False),
        Pair("text is not a number", 3, "3", False),
        Pair("unless it is read as one", 3, " 3 ", True, {"parse": True}),
    )


class NumberExact(_PlainNumbers):
    """The two numbers are equal; 1 and 1.0 are.

    Every digit of a large number counts, and true is never 1. Values that are not numbers must be equal. It is a word of
    evaluation_config schemas; where such a schema allows text, numbers in text are read too.
    """

    parse: StrictBool = False
    """`true`: also read plain numbers in text, such as "12.5"."""

    word = "number_exact"
    examples = (
        Pair("the same number", 12, 12.0, True),
        Pair("another number", 12.0, 12.01, False),
        Pair("text is not a number", 30, "30", False),
        Pair("unless it is read as one", 30, "30", True, {"parse": True}),
        Pair("text that is no number", "33-37", "35", False, {"parse": True}),
    )


class NumberTolerance(_PlainNumbers):
    """The two numbers are at most so far apart.

    The tolerance is a difference, not a part of the number: 0.001 is one thousandth, whether the number is 1 or a
    million. Numbers are compared as they are written, so 1.001 is within 0.001 of 1. true is never 1. Values that are not
    numbers must be equal. It is a word of evaluation_config schemas; `numeric` can also allow a part of the number.
    """

    tolerance: float = Field(0.001, ge=0, strict=True, allow_inf_nan=False)
    """The greatest difference."""
    parse: StrictBool = False
    """`true`: also read plain numbers in text, such as "12.5"."""

    word = "number_tolerance"
    examples = (
        Pair("close enough", 1.0, 1.0005, True),
        Pair("exactly at the limit", 1.0, 1.001, True),
        Pair("too far", 1.0, 1.0011, False),
        Pair("a wider tolerance", 100, 105, True, {"tolerance": 5}),
        Pair("not a part of the number", 1000000, 1000001, False),
        Pair("text is not a number", 12, "12", False),
        Pair("unless it is read as one", 12, "12.0005", True, {"parse": True}),
    )

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of the comparator `numeric` that compares in its place."""
        return {"parse": self.parse, "tolerance": {"abs": self.tolerance}}


class StringExact(_Fixed):
    """The two texts are the same, letter by letter.

    Spaces, case and accents count. Values that are not text must be equal: the number 1 is not the text "1". It is a word
    of evaluation_config schemas, and does the same as `exact`.
    """

    word = "string_exact"
    examples = (
        Pair("the same text", "INV-1", "INV-1", True),
        Pair("case counts", "Paris", "paris", False),
        Pair("spaces count", "New York", "New  York", False),
        Pair("a number is not text", "1", 1, False),
    )


class StringCaseInsensitive(_Fixed):
    """The two texts are the same once upper and lower case are set aside.

    In every script: ß is ss. Spaces and accents count. In lists and objects every text is compared this way. Values that
    are not text must be equal. It is a word of evaluation_config schemas; `normalized` can set aside more.
    """

    word = "string_case_insensitive"
    like = "normalized"
    examples = (
        Pair("case", "John", "JOHN", True),
        Pair("case in another script", "straße", "STRASSE", True),
        Pair("accents count", "Málaga", "MALAGA", False),
        Pair("spaces count", "John", " john", False),
        Pair("texts in a list", ["EUR"], ["eur"], True),
    )

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of the comparator `normalized` that compares in its place."""
        return {"unicode": "none", "accents": "keep", "whitespace": "keep"}

    def reason(self, expected: Any, actual: Any, comparison: Comparison) -> str:
        if comparison.passed:
            return "equal" if json_equal(expected, actual) else "only the case differs"
        return difference_text(expected, actual)


class StringFuzzy(_Fixed):
    """The two texts are nearly the same, and the field earns its similarity.

    The similarity counts the letters to add, remove or replace to turn one text into the other: 1.0 is the same text,
    0.8 is one change in five letters. Upper and lower case are the same. Values that are not text must be equal. Do not
    use it for codes, dates or amounts: there one letter changes everything. It is a word of evaluation_config schemas;
    `fuzzy` can set aside more, and gives 1 or 0.
    """

    threshold: float = Field(0.8, ge=0.0, le=1.0, strict=True)
    """The texts match when their similarity is at least this."""
    case_sensitive: StrictBool = False
    """`true`: upper and lower case count."""

    word = "string_fuzzy"
    like = "fuzzy"
    slow = True
    examples = (
        Pair("one letter of eight is missing", "John Doe", "John Do", True),
        Pair("too many differ", "kitten", "sitting", False),
        Pair("exactly at the threshold", "abcde", "abcdX", True),
        Pair("case does not count", "ACME", "acme", True),
        Pair("unless you say so", "ACME", "acme", False, {"case_sensitive": True}),
        Pair("a lower threshold", "ab", "ac", True, {"threshold": 0.5}),
        Pair("numbers must be equal", 100, 101, False),
    )

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of the comparator `fuzzy` that compares in its place."""
        return {"at_least": self.threshold, "partial": True, "case": "keep" if self.case_sensitive else "ignore"}


class StringUrl(Comparator):
    """The two web addresses are the same once http or https, `www.`, slashes at the end and case are set aside.

    Upper and lower case are the same in the whole address. What follows `?` and `#` counts. Values that are not text must
    be equal. It is a word of evaluation_config schemas; `url` has settings, and there the case of a path counts.
    """

    word = "string_url"
    examples = (
        Pair("the scheme", "https://github.com/user", "github.com/user", True),
        Pair("www and the last slash", "https://www.example.com/page/", "http://example.com/page", True),
        Pair("case", "https://example.com/Page", "HTTPS://EXAMPLE.COM/page", True),
        Pair("another path", "https://example.com/a", "https://example.com/b", False),
        Pair("the query counts", "https://example.com/?id=1", "https://example.com/?id=2", False),
        Pair("what follows # counts", "https://example.com/#a", "https://example.com/#b", False),
    )

    def compare(self, expected: Any, actual: Any) -> bool:
        return _ADDRESS_READING.compare(expected, actual)

    def reason(self, expected: Any, actual: Any, comparison: Comparison) -> str:
        return _ADDRESS_READING.reason(expected, actual, comparison)


_ADDRESS_READING = AddressReading(fragment="keep", case="ignore")
