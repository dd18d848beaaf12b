"""The comparator `numeric`: two numbers are equal, or close enough.

Numbers are compared as the decimals that people write. Text is a number only where `parse` is declared, and is read with all
of its digits once its marks are set aside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from pydantic import StrictBool, field_validator

from evaluators.comparators._closeness import Limits, Tolerance, allowed, closeness, exact_gap, gap_between, limits_of
from evaluators.comparators._comparator import Comparator, Pair, Readable
from evaluators.issues import Blame, Issue
from evaluators.model import Comparison
from evaluators.settings import build, spell
from evaluators.values.equality import same
from evaluators.values.numbers import Number, Parse, Read, reader
from evaluators.values.pairing import identity
from evaluators.values.quoting import differs, quote


class Numeric(Comparator):
    """The two numbers are equal, or close enough; of a tolerance with `abs` and `rel`, both must hold.

    Without settings the numbers must be equal; 1 and 1.0 are. Text is not a number unless `parse` says how numbers are
    written, and true is never 1. With `parse`, an expected text that is not a number is a problem of the test set, whatever
    the output is: such a row has no score.
    """

    tolerance: Tolerance | None = None
    """How far the number may be from the expected one: `{abs: 0.01}`, `{rel: 0.05}`, or both: then both must hold, or,
    with `{abs: 0.01, rel: 0.05, either: true}`, one of them."""
    parse: StrictBool | Parse = False
    """`true`: also read plain numbers in text, such as "12.5", with all of their digits. A map says how they are written:
    `{thousands: ",", decimal: ".", currency: true, percent: true}`."""

    examples = (
        Pair("the same number", 12, 12.0, True),
        Pair("another number", 12.0, 12.01, False),
        Pair("close enough", 12.0, 12.01, True, {"tolerance": {"abs": 0.01}}),
        Pair("within a part of the expected number", 200, 209, True, {"tolerance": {"rel": 0.05}}),
        Pair("both limits must hold", 200, 209, False, {"tolerance": {"rel": 0.05, "abs": 5}}),
        Pair("or one of them", 200, 209, True, {"tolerance": {"rel": 0.05, "abs": 5, "either": True}}),
        Pair("text is not a number", 30, "30", False),
        Pair("unless it is read as one", 30, "30", True, {"parse": True}),
        Pair("written with marks", 1200.5, "$1,200.50", True, {"parse": {"thousands": ",", "currency": True}}),
        Pair("percent", 0.05, "5 %", True, {"parse": {"percent": True}}),
    )

    @field_validator("tolerance", mode="before")
    @classmethod
    def _kind_is_given(cls, tolerance: object) -> object:
        if isinstance(tolerance, str):
            number = re.search(r"\d+(?:\.\d+)?", tolerance)
            share = f"{{rel: {float(number[0]) / 100:g}}}" if number and "%" in tolerance else None
            hint = f"write tolerance: {share or '{abs: 0.01}'}{'' if share else ', a number in the unit of the values'}"
            raise ValueError(f'tolerance must say which kind it is; found the text "{tolerance}"\nhint: {hint}')
        if isinstance(tolerance, int | float) and not isinstance(tolerance, bool):
            hint = f"write tolerance: {{abs: {tolerance}}}, or {{rel: {tolerance}}} for a part of the expected number"
            raise ValueError(f"tolerance must say which kind it is; found the number {tolerance}\nhint: {hint}")
        return tolerance

    @field_validator("parse", mode="before")
    @classmethod
    def _true_or_a_map(cls, parse: object) -> object:
        if isinstance(parse, Mapping):
            return build(Parse, parse, noun='"parse"')
        if isinstance(parse, bool | Parse):
            return parse
        hint = 'write parse: true, or parse: {thousands: ",", decimal: "."}'
        raise ValueError(f"parse must be true, or say how numbers are written; found {spell(parse)}\nhint: {hint}")

    def compare(self, expected: Any, actual: Any) -> bool:
        if _is_number(expected) and _is_number(actual):
            return bool(expected == actual) or self._close(expected, actual)
        if self._read is None or same(expected, actual):
            return same(expected, actual)
        wanted, found = _number(self._read, expected), _number(self._read, actual)
        return wanted is not None and found is not None and self._close(wanted, found)

    def key(self) -> Callable[[Any], Hashable] | None:
        return identity if self.tolerance is None and self.parse is False else None

    def readable(self, expected: Any) -> Readable:
        if expected.__class__ is not str or self._read is None or self._read(expected) is not None:
            return True
        message = f"the expected value {quote(expected)} cannot be read as a number"
        hint = "correct it, or say in parse: how numbers are written"
        return Issue("expected-not-a-number", Blame.TESTSET, message, hint=hint)

    def applies_to(self, expected: Any) -> bool:
        return _is_number(expected) or (self._read is not None and _number(self._read, expected) is not None)

    @property
    def reads_any(self) -> bool:
        return self.parse is False

    def reason(self, expected: Any, actual: Any, found: Comparison) -> str:
        read = self._read
        if same(expected, actual):
            return "equal"
        wanted, number = _number(read, expected), _number(read, actual)
        if wanted is None:
            unread = (
                "; both are text, and only parse reads numbers in text"
                if read is None and _texts(expected, actual)
                else ""
            )
            return differs(expected, actual) + unread
        if number is None:
            return _not_a_number(actual, read)
        if wanted == number:
            return f"{quote(actual)} is the same number as {quote(expected)}"
        gap, most = gap_between(wanted, number), allowed(self._limits, wanted)
        return f"{quote(actual)} differs from {quote(expected)} by {gap}; allowed: {most}"

    @property
    def remark(self) -> str:
        limit_abs, limit_rel, either = self._limits
        if limit_abs is None or limit_rel is None:
            return ""
        return "abs or rel is enough" if either else "abs and rel must both hold"

    def apart(self, expected: Any, actual: Any) -> Fraction | None:
        wanted, found = _number(self._read, expected), _number(self._read, actual)
        return None if wanted is None or found is None else exact_gap(wanted, found)

    @cached_property
    def _close(self) -> Callable[[Number, Number], bool]:
        return closeness(self._limits)

    @property
    def _limits(self) -> Limits:
        return limits_of(self.tolerance)

    @cached_property
    def _read(self) -> Read | None:
        if self.parse is False:
            return None
        return reader(Parse() if self.parse is True else self.parse)


def _is_number(value: Any) -> bool:
    return value.__class__ is int or value.__class__ is float


def _texts(expected: Any, actual: Any) -> bool:
    return expected.__class__ is str and actual.__class__ is str


def _number(read: Read | None, value: Any) -> Number | None:
    if value.__class__ is int or value.__class__ is float:
        return value
    return read(value) if read and value.__class__ is str else None


def _not_a_number(actual: Any, read: Read | None) -> str:
    if not isinstance(actual, str):
        return f"{quote(actual)} is not a number"
    if read is None:
        return f"{quote(actual)} is text, not a number; parse: true reads numbers in text"
    return f"{quote(actual)} cannot be read as a number"
