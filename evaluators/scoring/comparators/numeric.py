"""The comparator `numeric`: two numbers are equal, or close enough.

Numbers are compared as the decimals that people write. Text is a number only where `parse` is declared, and is read with all
of its digits once its marks are set aside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from pydantic import StrictBool, field_validator

from evaluators.model.issues import Blame, Issue
from evaluators.model.rows import MISSING, Comparison
from evaluators.model.settings import bad, build, spell, under
from evaluators.scoring.comparators._closeness import (
    Limits,
    Tolerance,
    allowed_text,
    closeness,
    decimal_text,
    exact_gap,
    gap_text,
    limits_of,
)
from evaluators.scoring.comparators._comparator import Comparator, Pair, Readable
from evaluators.scoring.comparators._limits_of_rows import EXPECTED, ROW, Between, no_limits_issue, side_outside
from evaluators.scoring.values.differences import difference_text
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.number_ranges import NumberRange, range_of
from evaluators.scoring.values.numbers import Number, Parse, Read, exact_number, parse_setting, reader
from evaluators.scoring.values.pairing import lookup_key
from evaluators.scoring.values.quoting import flow_text, quote

_PLAIN: Final = reader(Parse())
_ENGLISH: Final = {"thousands": ","}
_GERMAN: Final = {"thousands": ".", "decimal": ","}


class Numeric(Comparator):
    """The two numbers are equal, or close enough; of a tolerance with `abs` and `rel`, both must hold.

    Without settings the numbers must be equal; 1 and 1.0 are. Text is not a number unless `parse` says how numbers are
    written, and true is never 1. With `parse`, an expected text that is not a number is a problem of the test set, whatever
    the output is: such a row has no score.

    Units are not converted: 5 kg is not 5000 g. Ask the model for one unit and write the expected values in it, or make the
    number and its unit two fields. A unit that is always the same is set aside by
    `transforms: [{regex_replace: {pattern: " ?kg$", replacement: ""}}]`. To convert, write a comparator of your own.
    """

    tolerance: Tolerance | None = None
    """How far the number may be from the expected one: `{abs: 0.01}`, `{rel: 0.05}`, or both: then both must hold, or,
    with `{abs: 0.01, rel: 0.05, either: true}`, one of them."""
    parse: StrictBool | Parse | tuple[Parse, ...] = False
    """`true`: also read plain numbers in text, such as "12.5", with all of their digits. A map says how they are written:
    `{thousands: ",", decimal: ".", currency: true, percent: true}`. Of a list of such maps, the first one that fits the
    expected text is that of both sides; beside an expected number, the first one that fits the output. `check` lists
    expected texts that two of them read differently."""
    between: Between = None
    """Any number within limits is right. `expected`: the expected value is a range: `10-20`, `10..20`, `10 to 20`, `>= 5`,
    `> 5`, `<= 5`, `< 5`, or a list `[10, 20]`, in which null is no limit. Its limits are right, but for those of `>` and `<`.
    `row.COLUMN`: the expected value is the lower limit, and the upper one is in that column; an empty cell is none. With a
    tolerance, a number may be so far outside."""

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
        Pair("the first notation that fits", "1.200,50", "1.200,5", True, {"parse": [_ENGLISH, _GERMAN]}),
        Pair("that notation holds for the output, too", "1.200,50", "1,200.50", False, {"parse": [_ENGLISH, _GERMAN]}),
        Pair("within a range", "10-20", 15, True, {"between": "expected"}),
        Pair("outside of a range", "10-20", 20.5, False, {"between": "expected"}),
        Pair("a lower limit alone", ">= 5", 5, True, {"between": "expected"}),
    )

    @field_validator("tolerance", mode="before")
    @classmethod
    def _check_kind(cls, tolerance: object) -> object:
        """Refuses a tolerance that does not say whether it is absolute or a part of the number, with the line to write."""
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
    def _read_parse(cls, parse: object) -> object:
        """The notations in which numbers are read: one, several, or True for the usual one. Refuses other values."""
        if isinstance(parse, Mapping):
            return build(Parse, parse, noun='"parse"')
        if isinstance(parse, list | tuple) and parse:
            return tuple(_read_notation(notation, number) for number, notation in enumerate(parse))
        if isinstance(parse, bool | Parse):
            return parse
        hint = 'write parse: true, or parse: {thousands: ",", decimal: "."}'
        raise ValueError(f"parse must be true, or say how numbers are written; found {spell(parse)}\nhint: {hint}")

    def compare(self, expected: Any, actual: Any) -> bool:
        """Whether two numbers are equal or near enough, or a number is within its limits. Values that are no numbers must be equal."""
        if self.between is not None:
            limits, number = self._limits_and_number(expected, actual)
            return limits is not None and number is not None and side_outside(limits, number, self._is_near_limit) is None
        if _is_number(expected) and _is_number(actual):
            return bool(expected == actual) or self._is_close(expected, actual)
        if self._reader is None or json_equal(expected, actual):
            return json_equal(expected, actual)
        read = self._reader if self._notations is None else self._reader_for(expected)
        wanted, number = _number_of(read, expected), _number_of(read, actual)
        return wanted is not None and number is not None and self._is_close(wanted, number)

    def key(self) -> Callable[[Any], Hashable] | None:
        """A function that gives equal numbers one key; None where different numbers, or texts, may match."""
        return lookup_key if self.tolerance is None and self.reads_any else None

    def readable(self, expected: Any) -> Readable:
        """Whether an expected value is a number or limits; for a text that should be and is not, what is wrong with it."""
        if self.between is not None:
            return True if self._limits_and_number(expected, None)[0] is not None else no_limits_issue(expected)
        if expected.__class__ is not str or self._reader is None or self._reader(expected) is not None:
            return True
        message = f"the expected value {quote(expected)} cannot be read as a number"
        hint = "correct it, or say in parse: how numbers are written"
        return Issue("expected-not-a-number", Blame.TESTSET, message, hint=hint)

    def applies_to(self, expected: Any) -> bool:
        """Whether an expected value is a number, a text that is read as one, or limits where it compares with limits."""
        if self.between is not None:
            return self._limits_and_number(expected, None)[0] is not None
        return _is_number(expected) or (self._reader is not None and _number_of(self._reader, expected) is not None)

    @property
    def reads_any(self) -> bool:
        """Whether it can use any expected value: without `parse` and `between`, texts are compared as they are."""
        return self.parse is False and self.between is None

    @property
    def lists_answers(self) -> bool:
        """Whether the expected value that it gets is a list: the limits of a row."""
        return self.between is not None

    @property
    def answers_column(self) -> str | None:
        """The column with the upper limit of a row; None where the limits are in the expected value, or there are none."""
        return None if self.between in (None, EXPECTED) else str(self.between).removeprefix(ROW).strip()

    def answers_in(self, cell: Any, expected: Any) -> Sequence[Any]:
        """What completes the limits that an output may lie between: `(upper,)` beside an expected value, which is the lower limit, and
        `(None, upper)` without one. `upper` is the cell, None for a blank one; nothing where neither is there."""
        upper = None if cell is MISSING or (isinstance(cell, str) and not cell.strip()) else cell
        if expected is not MISSING:
            return (upper,)
        return () if upper is None else (None, upper)

    @property
    def may_doubt(self) -> bool:
        """Whether some expected values may have two meanings: where several notations are read."""
        return self._notations is not None

    def doubt(self, expected: Any) -> str | None:
        """The two numbers or ranges that an expected text is in two of the notations, in words; None where all read the same."""
        readings = [
            (parse, value) for parse, read in self._notations or () if (value := range_of(expected, read)) is not None
        ]
        other = next((reading for reading in readings[1:] if reading[1] != readings[0][1]), None)
        if expected.__class__ is not str or other is None:
            return None
        return " and ".join(
            f"{_range_text(value)} with parse: {flow_text(parse_setting(parse))}" for parse, value in (readings[0], other)
        )

    def reason(self, expected: Any, actual: Any, comparison: Comparison) -> str:
        """A sentence on two numbers: equal, or how far apart and how far is allowed; with `between`, where the number is. For other
        values, how they differ or which one is no number."""
        if self.between is not None:
            return self._place_in_limits(expected, actual)
        if json_equal(expected, actual):
            return "equal"
        read = self._reader_for(expected)
        wanted, number = _number_of(read, expected), _number_of(read, actual)
        if wanted is None:
            unread = (
                "; both are text, and only parse reads numbers in text"
                if read is None and _are_texts(expected, actual)
                else ""
            )
            return difference_text(expected, actual) + unread
        if number is None:
            return _not_a_number(actual, read) + self._notation_of(read, expected)
        if wanted == number:
            return f"{quote(actual)} is the same number as {quote(expected)}"
        gap, most = gap_text(wanted, number), allowed_text(self._limits, wanted)
        return f"{quote(actual)} differs from {quote(expected)} by {gap}; allowed: {most}"

    @property
    def remark(self) -> str:
        """Whether both limits of a tolerance must hold, or one; "" where it has one at most."""
        limit_abs, limit_rel, either = self._limits
        if limit_abs is None or limit_rel is None:
            return ""
        return "abs or rel is enough" if either else "abs and rel must both hold"

    def apart(self, expected: Any, actual: Any) -> Fraction | None:
        """The exact difference of two numbers; None for other values, and for a range."""
        if self.between is not None:
            return None
        read = self._reader_for(expected)
        wanted, number = _number_of(read, expected), _number_of(read, actual)
        return None if wanted is None or number is None else exact_gap(wanted, number)

    @cached_property
    def _is_close(self) -> Callable[[Number, Number], bool]:
        """A function that says whether two numbers are within the tolerance."""
        return closeness(self._limits)

    @property
    def _is_near_limit(self) -> Callable[[Number, Number], bool] | None:
        """A function that says whether a number is near enough to a limit; None without a tolerance."""
        return None if self.tolerance is None else self._is_close

    @property
    def _limits(self) -> Limits:
        """The limits of the tolerance, as `closeness` takes them."""
        return limits_of(self.tolerance)

    # How numbers are written

    @cached_property
    def _reader(self) -> Read | None:
        """A function that reads a number in text, in the first of several notations that fits it; None where text is no number."""
        if self.parse is False:
            return None
        if self._notations is None:
            return reader(self.parse if isinstance(self.parse, Parse) else Parse())
        reads = [read for _, read in self._notations]
        return lambda text: next((number for read in reads if (number := read(text)) is not None), None)

    @cached_property
    def _notations(self) -> Sequence[tuple[Parse, Read]] | None:
        """Each of several notations, and what reads it; None where there is one at most."""
        return [(notation, reader(notation)) for notation in self.parse] if isinstance(self.parse, tuple) else None

    def _reader_for(self, expected: Any) -> Read | None:
        """A function that reads the numbers of a row: in the first notation that fits the expected text, or a text of its limits.
        None where text is no number."""
        if self._notations is None:
            return self._reader
        texts = [text for text in (expected if isinstance(expected, list) else [expected]) if text.__class__ is str]
        fits = (read for _, read in self._notations if texts and range_of(texts[0], read) is not None)
        return next(fits, self._reader)

    def _notation_of(self, read: Read | None, expected: Any) -> str:
        """The end of a sentence: in which of several notations an expected text was read. Empty where there is one at most."""
        notation = next((notation for notation, each in self._notations or () if each is read), None)
        return "" if notation is None else f" in the notation of {quote(expected)}, {flow_text(parse_setting(notation))}"

    # Limits

    def _limits_and_number(self, expected: Any, actual: Any) -> tuple[NumberRange | None, Number | None]:
        """The limits that an expected value says, and the number of the output; None for what cannot be read."""
        read = self._reader_for(expected)
        return range_of(expected, read or _PLAIN), _number_of(read, actual)

    def _place_in_limits(self, expected: Any, actual: Any) -> str:
        """A sentence on where a number is: below, within or above its limits."""
        limits, number = self._limits_and_number(expected, actual)
        if number is None or limits is None:
            return _not_a_number(actual, self._reader)
        side = side_outside(limits, number, self._is_near_limit)
        if side is None:
            return f"{quote(actual)} is within {quote(expected)}"
        limit = limits.low if side == "below" else limits.high
        if limit is None or number == limit:
            return f"{quote(actual)} is no part of {quote(expected)}"
        gap, most = gap_text(limit, number), allowed_text(self._limits, limit)
        allowed_gap = f"; allowed: {most}" if self.tolerance is not None else ""
        return f"{quote(actual)} is {side} {quote(expected)} by {gap}{allowed_gap}"


def _is_number(value: Any) -> bool:
    """Whether a value is a number of JSON; true and false are none."""
    return value.__class__ is int or value.__class__ is float


def _are_texts(expected: Any, actual: Any) -> bool:
    """Whether both values are texts."""
    return expected.__class__ is str and actual.__class__ is str


def _number_of(read: Read | None, value: Any) -> Number | None:
    """The number that a value is, or as `read` reads it in a text; None for anything else."""
    if value.__class__ is int or value.__class__ is float:
        return value
    return read(value) if read and value.__class__ is str else None


def _read_notation(data: object, number: int) -> Parse:
    """The notation that a map, or true for plain numbers, stands for; `number` is its place in their list. Raises BadSettings."""
    with under(number):
        if data is True:
            return Parse()
        if isinstance(data, Parse):
            return data
        if not isinstance(data, Mapping):
            hint = 'write {thousands: ","}, or true for plain numbers'
            raise bad(f"a notation says how numbers are written; found {spell(data)}", hint=hint)
        return build(Parse, data, noun='"parse"')


def _range_text(number: NumberRange) -> str:
    """A range as people write it: both ends, or the one number that it is."""
    ends = [decimal_text(exact_number(end)) for end in (number.low, number.high) if end is not None]
    return " to ".join(dict.fromkeys(ends))


def _not_a_number(actual: Any, read: Read | None) -> str:
    """A sentence on why an output value is no number. `read` reads numbers in texts, if any does."""
    if not isinstance(actual, str):
        return f"{quote(actual)} is not a number"
    if read is None:
        return f"{quote(actual)} is text, not a number; parse: true reads numbers in text"
    return f"{quote(actual)} cannot be read as a number"
