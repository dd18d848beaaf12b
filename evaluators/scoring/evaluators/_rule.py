"""One rule between fields: what it names, and whether it holds in a document.

Strategy: a rule reads the values that it names (`_rule_fields`), in the document or in each item of a list, and says of them one
thing: it holds, it does not, or it lacks a field. Numbers are exact: those that JSON holds are the decimals that people write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from math import isfinite
from typing import Annotated, Any, Final, Literal, NamedTuple, Self, TypeAlias

from msgspec import Struct
from pydantic import BeforeValidator, StrictBool, field_validator, model_validator

from evaluators.model.rows import JSON, MISSING, FieldStatus
from evaluators.model.settings import BadSettings, Detail, ReadBy, Settings, bad, spell
from evaluators.scoring.comparators._closeness import Tolerance, allowed_text, decimal_text, exact_room, limits_of
from evaluators.scoring.evaluators._rule_fields import Field, FieldOrNumber, Fields, OneField, Place, Read, WrongKind
from evaluators.scoring.needs import Condition, read_conditions
from evaluators.scoring.values.dates import Moment, check_formats, from_percent, is_in_order
from evaluators.scoring.values.dates import reader as date_reader
from evaluators.scoring.values.numbers import Parse, decimal_reader
from evaluators.scoring.values.pairing import lookup_key
from evaluators.scoring.values.path_text import ANY, display
from evaluators.scoring.values.quoting import first_texts, flow_text, kind, quote

MATCH, MISMATCH, OMISSION = FieldStatus.MATCH, FieldStatus.MISMATCH, FieldStatus.OMISSION
_MOST_NAMED: Final = 3
"""Places that a reason names one by one."""
_EXACT: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
_FARTHEST: Final = 30_000
"""Powers of ten beyond which a product is as far from any number that a document or a suite holds as it can be: those have up to
4,300 digits before or after a power of up to four."""


class Written(Parse):
    """The notations of numbers and dates in text."""

    formats: tuple[str, ...] = ("iso",)
    """How dates are written, such as `DD/MM/YYYY`: what the comparator `date` takes."""

    @field_validator("formats")
    @classmethod
    def _check_formats(cls, formats: tuple[str, ...]) -> tuple[str, ...]:
        """The formats, as they are. Raises ValueError for one that cannot be used, and for two that read one text as two days."""
        check_formats(formats)
        return formats


def _read_parse(data: object) -> object:
    """The setting `parse`: true as the usual notations, false as None, a map as it is. Raises ValueError for any other value."""
    if isinstance(data, bool):
        return Written() if data else None
    if data is None or isinstance(data, Mapping | Written):
        return data
    hint = 'write parse: true, or parse: {thousands: ".", decimal: ","}'
    raise ValueError(f"parse must be true, or say how numbers and dates are written; found {spell(data)}\nhint: {hint}")


def _read_tolerance(data: object) -> object:
    """The setting `tolerance`, in which a number alone becomes `{abs: NUMBER}`. Raises BadSettings for a text."""
    if isinstance(data, str):
        raise bad(f"a tolerance is a number, or a map; found {spell(data)}", hint="0.01, or {rel: 0.01} for 1 %")
    return {"abs": data} if isinstance(data, int | float) and not isinstance(data, bool) else data


ParseSetting: TypeAlias = Annotated[Written | None, BeforeValidator(_read_parse, json_schema_input_type=bool | Written)]
Missing: TypeAlias = Literal["fail", "skip"]
Empty: TypeAlias = Literal["missing", "holds"]


class Reading(Struct, frozen=True):
    """The settings by which a rule reads numbers and dates, and its result where values are missing."""

    number_in: Callable[[str], Decimal | None] | None
    """Reads a number in text; None where text is no number."""
    date_in: Callable[[str], Moment | None]
    missing: Missing
    empty: Empty

    @staticmethod
    def of(parse: Written | None, missing: Missing, empty: Empty) -> Reading:
        """The reading by the settings `parse`, `missing` and `empty` of a suite."""
        formats = ("iso",) if parse is None else parse.formats
        dates = date_reader(map(from_percent, formats))
        return Reading(None if parse is None else decimal_reader(parse), dates, missing, empty)

    def number(self, value: Any) -> Decimal | None:
        """The exact number that a value is; None for any other value. true is no number."""
        if value.__class__ is int:
            return Decimal(value)
        if value.__class__ is float:
            return Decimal(repr(value)) if isfinite(value) else None
        return self.number_in(value) if self.number_in is not None and isinstance(value, str) else None

    def date(self, value: Any) -> Moment | None:
        """The date in a text; None for any other value."""
        return self.date_in(value) if isinstance(value, str) else None


class Held(NamedTuple):
    """The result of a rule in a document, or in an item of a list."""

    status: FieldStatus
    why: Callable[[], str]
    expected: Any = MISSING
    """What its fields should come to."""
    actual: Any = MISSING
    no_items: Place | None = None
    """The path of a list without items, for which the rule lacks something or holds over nothing."""


KINDS: Final = ("sum", "product", "order", "exactly_one_of", "present", "unique")
_ASKS_IF_GIVEN: Final = ("exactly_one_of", "present")


class Rule(Settings):
    """What must hold between fields of one document."""

    sum: Fields = ()
    """Numbers whose sum must be what `equals` says: a path, or a list of paths."""
    product: Fields = ()
    """Numbers whose product must be what `equals` says."""
    order: Fields = ()
    """Numbers or dates, none of which may be greater, or later, than the next."""
    exactly_one_of: Fields = ()
    """Fields of which one must be there, and no other. Null is not there."""
    present: Fields = ()
    """Fields that must be there. Null is not there."""
    unique: OneField = None
    """Values of which no two may be equal: `items[*].sku`."""
    equals: FieldOrNumber = None
    """What a sum or a product must be: the path of one number, or a number."""
    tolerance: Annotated[
        Tolerance | None, BeforeValidator(_read_tolerance, json_schema_input_type=float | Tolerance | None)
    ] = None
    """How far it may be from that: 0.01 is `{abs: 0.01}`, and `{rel: 0.01}` is one hundredth of it. Without it, not at all."""
    each: OneField = None
    """A list, such as `items[*]`: the rule must hold in each of its items, and its paths begin there."""
    when: Annotated[tuple[Condition, ...], ReadBy(lambda data, _: read_conditions(data), "conditions")] = ()
    """In which rows the rule is for: `{output.status: rejected}`."""
    parse: ParseSetting = None
    """How numbers and dates are written in text, where this differs from the other rules."""
    missing: Missing | None = None
    """What becomes of the rule where it lacks a field, where this differs from the other rules."""
    empty: Empty | None = None
    """What an empty list is, where this differs from the other rules."""
    optional: StrictBool = False
    """`true`: no row need have its fields. Without it, a path that no row has is an error, for it may be misspelt."""

    @model_validator(mode="after")
    def _check_kinds(self) -> Self:
        """Raises BadSettings or ValueError for a rule that says nothing, or two things, and for settings that do not fit what it says."""
        kinds = [word for word in KINDS if getattr(self, word)]
        if not kinds:
            raise ValueError(f"the rule says nothing that must hold; it has one of {', '.join(KINDS)}")
        if len(kinds) > 1:
            message = f'"{kinds[0]}" and "{kinds[1]}" are two rules'
            raise BadSettings([Detail((kinds[1],), message, "give each of them a name of its own", key=True)])
        if details := [*self._setting_problems(kinds[0])]:
            raise BadSettings(details)
        return self

    def _setting_problems(self, word: str) -> Iterator[Detail]:
        """Yields the problems of settings that do not go together with the kind of the rule, `word`."""
        adds = word in ("sum", "product")
        if adds and self.equals is None:
            yield Detail(
                (word,), f'"{word}" needs "equals"', "add equals: with the path of a number, or a number", key=True
            )
        for other in ("equals", "tolerance") if not adds else ():
            if getattr(self, other) is not None:
                yield Detail((other,), f'"{other}" goes with sum and product; this rule has "{word}"', key=True)
        if self.parse is not None and not adds and word != "order":
            yield Detail(("parse",), f'"parse" goes with sum, product and order; this rule has "{word}"', key=True)
        if isinstance(self.equals, Field) and not self.equals.path.definite:
            yield Detail(("equals",), f'"{self.equals.name}" is many values; "equals" takes one', "sum what is many")
        if word in ("order", "exactly_one_of") and len(self.fields) == 1 and self.fields[0].path.definite:
            yield Detail((word,), f'"{word}" needs two paths or more', f"write {word}: [{self.fields[0].name}, …]")
        many = next((field for field in self.exactly_one_of if not field.path.definite), None)
        if many is not None:
            yield Detail((word,), f'"{many.name}" is many values; "{word}" takes paths of one value each')
        if self.unique is not None and self.unique.path.definite:
            message = f'"{self.unique.name}" is one value; "unique" takes a path with [*]'
            *above, last = (display((step,)) for step in self.unique.path.steps)
            hint = f"{'.'.join(above)}[*].{last}" if above else f"{last}[*]"
            yield Detail(("unique",), message, f'write unique: "{hint}"')
        if self.each is not None and self.each.path.steps[-1:] != (ANY,):
            name, plain = self.each.name, self.each.path.query is None
            message = f'"{name}" is no list of items' if plain else f'"{name}" is a filter, which "each" does not take'
            yield Detail(("each",), message, f'write each: "{name}[*]"' if plain else 'write each: "items[*]"')
        query = next((field for field in self.all_fields if field.path.query is not None), None)
        if self.each is not None and query is not None:
            yield Detail((word,), f'"{query.name}" is a filter, which a rule with "each" does not take')

    @cached_property
    def kind(self) -> str:
        """The word that says what must hold."""
        return next(word for word in KINDS if getattr(self, word))

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The fields that the rule combines, without the one they are compared with."""
        value = getattr(self, self.kind)
        return value if isinstance(value, tuple) else (value,)

    @cached_property
    def all_fields(self) -> tuple[Field, ...]:
        """Every field that the rule names: those that it combines, and the one they are compared with."""
        return (*self.fields, self.equals) if isinstance(self.equals, Field) else self.fields

    @cached_property
    def from_top(self) -> tuple[Field, ...]:
        """All its fields, with paths from the top of the document; those of a rule for `each` item are written from the item on."""
        return self.all_fields if self.each is None else tuple(field.below(self.each) for field in self.all_fields)

    @cached_property
    def words(self) -> str:
        """The rule in a few words, as reports show it: `sum: [net, tax], equals: total`."""
        names = [field.name for field in self.fields]
        against = self.equals.name if isinstance(self.equals, Field) else self.equals
        equals = "" if against is None else f", equals: {flow_text(against)}"
        return f"{self.kind}: {flow_text(names if len(names) > 1 else names[0])}{equals}"

    @cached_property
    def limits(self) -> Any:
        """The limits of its tolerance."""
        return limits_of(self.tolerance)

    def is_close(self, wanted: Decimal, number: Decimal) -> bool:
        """Whether a number is within the tolerance of the wanted one, computed exactly."""
        if wanted == number or self.tolerance is None:
            return wanted == number
        room = exact_room(self.limits, Fraction(wanted))
        gap = _EXACT.multiply(_gap(wanted, number), Decimal(room.denominator))
        return gap <= Decimal(room.numerator)

    def judge(self, document: JSON, expected: Any, reading: Reading) -> Held:
        """The result of the rule in a document. `expected` is the row's expected document, or MISSING; `reading` says how numbers and
        dates are read. A value of the wrong kind is a mismatch.

        Where the rule lacks a field, it is not measured if `missing` is `skip`, or if the expected document lacks the field as well; else
        it is an omission.
        """
        try:
            if self.each is None:
                held = self._result_in(document, (), reading)
            else:
                items, no_items = _without_empty_lists(self.each.values_in(document), reading)
                held = self._worst_of([self._result_in_item(item, reading) for item in items], no_items)
        except WrongKind as error:
            held = Held(MISMATCH, partial(str, error))
        if held.status is not OMISSION:
            return held
        if reading.missing == "skip" and self.kind not in _ASKS_IF_GIVEN:
            return held._replace(status=FieldStatus.NOT_MEASURED)
        if expected is not MISSING and all(field.is_missing_as_expected(document, expected) for field in self.from_top):
            return Held(FieldStatus.NOT_MEASURED, lambda: f"{held.why()}, as in the expected answer")
        return held

    def values(self, document: JSON) -> dict[str, Any]:
        """The values that a document has for the fields, by name."""
        values = {field.name: field.path.get(document) for field in self.from_top}
        return {name: value for name, value in values.items() if value is not MISSING}

    def _result_in_item(self, item: Read, reading: Reading) -> Held:
        """The result of the rule in one item of the list that `each` names: an omission where the item is missing, a mismatch where a
        value in it is of the wrong kind. The path of a list without items is given from the top of the document."""
        if item.value is MISSING:
            return Held(OMISSION, partial(_missing_text, [item]), no_items=item.no_items)
        try:
            held = self._result_in(item.value, item.place, reading)
        except WrongKind as error:
            return Held(MISMATCH, partial(str, error))
        if held.no_items is None or self.each is None:
            return held
        return held._replace(no_items=(*self.each.path.steps, *held.no_items))

    def _worst_of(self, items: Sequence[Held], no_items: Place | None) -> Held:
        """The result of a rule in a list: the first of the worst in its `items`, and how many are as bad. `no_items` is the path of a
        list without items that was left out."""
        statuses = {held.status for held in items}
        worst = next((status for status in (MISMATCH, OMISSION) if status in statuses), MATCH)
        of_worst = [held for held in items if held.status is worst]
        left_out = no_items if worst is MATCH else None
        no_items = next((held.no_items for held in of_worst if held.no_items is not None), left_out)
        if worst is MATCH:
            return Held(MATCH, lambda: f"it holds in all {len(items):,} items" if items else _NO_ITEMS, no_items=no_items)
        more = f" (and {len(of_worst) - 1:,} more of {len(items):,} items)" if len(of_worst) > 1 else ""
        return of_worst[0]._replace(why=lambda: f"{of_worst[0].why()}{more}", no_items=no_items)

    def _result_in(self, document: JSON, place: Place, reading: Reading) -> Held:
        """The result of the rule in a document, or in the item of a list at `place`. Raises WrongKind for a value of the wrong kind.

        An `order`, `present` or `unique` without a value to look at holds: lists without items may be left out. Values that are out of
        order, or equal where they must be `unique`, are a mismatch even where other fields are missing; any other rule that lacks a field
        is an omission.
        """
        values, no_items = _without_empty_lists(
            (value for field in self.fields for value in field.values_in(document, place)), reading
        )
        if self.exactly_one_of:  # here a missing field is no omission
            return _exactly_one_result(values)
        if not values and self.equals is None:
            return Held(MATCH, lambda: _NO_ITEMS, no_items=no_items)
        against = [*self.equals.values_in(document, place)] if isinstance(self.equals, Field) else []
        there = [value for value in values if value.value is not MISSING]
        lacking = [value for value in (*values, *against) if value.value is MISSING]
        if self.unique is not None or self.order:
            held = _unique_result(there) if self.unique is not None else _order_result(there, reading)
            if held.status is MISMATCH or not lacking:
                return held._replace(no_items=no_items if held.status is MATCH else None)
        numbers = [] if self.equals is None else [_exact_number(value, reading) for value in there]
        wanted = next((_exact_number(value, reading) for value in against if value.value is not MISSING), self.equals)
        if lacking:
            return Held(OMISSION, partial(_missing_text, lacking), no_items=no_items)
        if self.present:
            return Held(
                MATCH, lambda: f"{_names_text(values)} {'is' if len(values) == 1 else 'are'} there", no_items=no_items
            )
        # what is left is a sum or a product
        total = _combine_in_pairs(_EXACT.add, numbers, Decimal(0)) if self.sum else _product(numbers)
        status = MATCH if self.is_close(wanted, total) else MISMATCH
        names = ", ".join(
            display((*place, *value.path.steps)) if value.path.query is None else value.name for value in self.fields
        )
        why = partial(self._comparison_text, names, total, against[0].name if against else None, wanted, status)
        return Held(status, why, _json_number(wanted), _json_number(total), no_items if status is MATCH else None)

    def _comparison_text(
        self, names: str, number: Decimal, name: str | None, wanted: Decimal, status: FieldStatus
    ) -> str:
        """A sentence on the `number` computed from the fields `names`, and the `wanted` one: the value of the field `name`, or a
        number of the suite (`name` is None)."""
        must = f"{name} is {decimal_text(wanted)}" if name is not None else f"{decimal_text(wanted)} is wanted"
        off = ""
        if status is MISMATCH:
            off = f"; they differ by {decimal_text(_gap(wanted, number))}, allowed: {allowed_text(self.limits, Fraction(wanted))}"
        return f"the {self.kind} of {names} is {decimal_text(number)}, {must}{off}"


_NO_ITEMS: Final = "there are no items"


def _without_empty_lists(read: Iterable[Read], reading: Reading) -> tuple[list[Read], Place | None]:
    """(values, no_items): the values that were read, and the path of the first list without items, or None. Where a rule holds over
    such lists (`empty: holds`), they are left out of the values."""
    values = [*read]
    no_items = next((value.no_items for value in values if value.no_items is not None), None)
    if no_items is not None and reading.empty == "holds":
        values = [value for value in values if value.no_items is None]
    return values, no_items


def _combine_in_pairs(
    combine: Callable[[Decimal, Decimal], Decimal], numbers: Sequence[Decimal], nothing: Decimal
) -> Decimal:
    """The numbers combined into one by `combine`, which adds or multiplies two; `nothing` where there are none.

    They are combined in pairs, then the results, and so on: one after the other, a long product would meet every number.
    """
    while len(numbers) > 1:
        pairs = zip(numbers[::2], numbers[1::2], strict=False)
        unpaired = numbers[-1:] if len(numbers) % 2 else ()
        numbers = [*(combine(first, second) for first, second in pairs), *unpaired]
    return numbers[0] if numbers else nothing


def _product(numbers: Sequence[Decimal]) -> Decimal:
    """The product of the numbers, exactly. One beyond `_FARTHEST` powers of ten becomes a number at that bound: no number of a
    document is near it anyway."""
    product = _combine_in_pairs(_EXACT.multiply, numbers, Decimal(1))
    if not product:
        return Decimal(0)
    sign, far = product.is_signed(), product.adjusted()
    return product if abs(far) <= _FARTHEST else Decimal((int(sign), (1,), _FARTHEST if far > 0 else -_FARTHEST))


def _gap(wanted: Decimal, number: Decimal) -> Decimal:
    """How far two numbers are apart, exactly."""
    return _EXACT.abs(_EXACT.subtract(number, wanted))


def _exact_number(value: Read, reading: Reading) -> Decimal:
    """A value of a document as an exact number. Raises WrongKind for a value that is none."""
    number = reading.number(value.value)
    if number is None:
        raise WrongKind(f"{value.name} is {quote(value.value)}, which {_not_number_text(value.value, reading)}")
    return number


def _not_number_text(value: Any, reading: Reading) -> str:
    """The end of a sentence about a value that is no number: of which kind it is."""
    if not isinstance(value, str):
        return f"is {kind(value)}, not a number"
    return "is text, not a number; `parse` reads numbers in text" if reading.number_in is None else "is no number"


def _order_result(values: Sequence[Read], reading: Reading) -> Held:
    """The result of `order`: whether values rise, all of them dates, or else all of them numbers. Raises WrongKind for others."""
    dates = [reading.date(read.value) for read in values]
    if None not in dates:
        wrong = [at for at, (a, b) in enumerate(pairwise(dates)) if a and b and not is_in_order(a, b)]
        after = "later than"
    else:
        for value, date in zip(values, dates, strict=True):
            if date is None and reading.number(value.value) is None:
                raise WrongKind(f"{value.name} is {quote(value.value)}, which is no date and no number as `parse` says")
        mixed = next((read for read in values if reading.number(read.value) is None), None)
        if mixed is not None:
            raise WrongKind(f"{mixed.name} is {quote(mixed.value)}, a date, and others are numbers")
        numbers = [_exact_number(read, reading) for read in values]
        wrong = [at for at, (a, b) in enumerate(pairwise(numbers)) if a > b]
        after = "greater than"
    if not wrong:
        return Held(MATCH, lambda: f"{_names_text(values)} are in order")
    first, second = values[wrong[0]], values[wrong[0] + 1]
    return Held(MISMATCH, lambda: f"{first.name}, {quote(first.value)}, is {after} {second.name}, {quote(second.value)}")


def _exactly_one_result(values: Sequence[Read]) -> Held:
    """The result of `exactly_one_of`: an omission where none of the values is there, a mismatch where several are."""
    there = [read for read in values if read.value is not MISSING]
    if len(there) == 1:
        return Held(MATCH, lambda: f"only {there[0].name} is there")
    if not there:
        return Held(OMISSION, lambda: f"none of {_names_text(values)} is there")
    return Held(MISMATCH, lambda: f"{_names_text(there)} are there, and only one may be")


def _unique_result(values: Sequence[Read]) -> Held:
    """The result of `unique`: whether no two of the values are equal."""
    first: dict[Any, Read] = {}
    twice = [(first[key], read) for read in values if first.setdefault(key := lookup_key(read.value), read) is not read]
    if not twice:
        return Held(MATCH, lambda: f"{len(values):,} values, no two of them equal")
    (one, other), more = twice[0], f" (and {len(twice) - 1:,} more)" if len(twice) > 1 else ""
    return Held(MISMATCH, lambda: f"{one.name} and {other.name} are both {quote(one.value)}{more}")


def _missing_text(lacking: Sequence[Read]) -> str:
    """A sentence on the values that a rule lacks, and on the lists that have no items for it."""
    missing = [read for read in lacking if read.no_items is None]
    empty = [read for read in lacking if read.no_items is not None]
    are = f"{_names_text(missing)} {'is' if len(missing) == 1 else 'are'} missing" if missing else ""
    have = f"{_names_text(empty)} {'has' if len(empty) == 1 else 'have'} no items" if empty else ""
    return "; ".join(filter(None, (are, have)))


def _names_text(values: Sequence[Read]) -> str:
    """The names of the values, the first ones where there are many."""
    return first_texts([read.name for read in values], _MOST_NAMED)


def _json_number(number: Decimal) -> float | str:
    """The number as an int, or as a float that is it exactly; its decimal text where JSON could not hold it so."""
    small = abs(number) < 10**15
    if small and number == number.to_integral_value():
        return int(number)
    text = decimal_text(number)
    return float(text) if small and Decimal(repr(float(text))) == number else text
