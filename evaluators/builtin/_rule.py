"""One rule between fields: what it names, and whether it holds in a document.

Strategy: a path is cut at each `[*]`, so that every place at which a value is missing is known by name. A rule reads the values
that it names, in the document or in each item of a list, and says of them one thing: it holds, it does not, or it lacks a field.
Numbers are exact: those that JSON holds are the decimals that people write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from math import isfinite, prod
from typing import Annotated, Any, Final, NamedTuple, Self, TypeAlias

from msgspec import Struct
from pydantic import BeforeValidator, field_validator, model_validator

from evaluators.comparators._closeness import Tolerance, allowed, closeness, gap_between, in_decimals, limits_of
from evaluators.fields.reading import read_path
from evaluators.model import JSON, MISSING, FieldStatus
from evaluators.needs import Condition, read_conditions
from evaluators.settings import BadSettings, Detail, ReadBy, Settings, bad, read_each, spell
from evaluators.values.dates import Moment, check_formats, from_percent, in_order
from evaluators.values.dates import reader as date_reader
from evaluators.values.numbers import Parse, exact_reader, written
from evaluators.values.pairing import identity
from evaluators.values.path_text import ANY, Step, display
from evaluators.values.paths import Path
from evaluators.values.quoting import first_ones, flow, kind, quote

MATCH, MISMATCH, OMISSION = FieldStatus.MATCH, FieldStatus.MISMATCH, FieldStatus.OMISSION
Place: TypeAlias = tuple[Step, ...]
_MOST_NAMED: Final = 3
"""Places that a reason names one by one."""


class WrongKind(Exception):
    """A value is of a kind that a rule cannot use; the text says which."""


class Read(NamedTuple):
    """A value that a rule reads, and its place. Where nothing is there, or null, the value is MISSING."""

    place: Place
    value: Any
    level: int = 0
    """How many `[*]` of the path lead to the place."""
    query: str = ""
    """The filter that found nothing, which has no place."""

    @property
    def name(self) -> str:
        return self.query or display(self.place)


class Field(Struct, frozen=True):
    """A path that a rule names, cut at each `[*]`."""

    path: Path
    parts: tuple[Path, ...]

    @property
    def name(self) -> str:
        return self.path.canonical

    def read(self, document: JSON, above: Place = (), level: int = 0) -> Iterator[Read]:
        """Every value that the path leads to, in order. `above` is the place of the document. Raises WrongKind where `[*]` meets
        neither a list nor an object."""
        if self.path.query is not None:
            yield from self._hits(document)
            return
        head = self.parts[level]
        value, place = head.get(document), (*above, *head.steps)
        if value is MISSING or value is None:
            yield Read(place, MISSING, level)
        elif level == len(self.parts) - 1:
            yield Read(place, value, level)
        elif isinstance(value, list | dict):
            for key, item in enumerate(value) if isinstance(value, list) else sorted(value.items()):
                yield from self.read(item, (*place, key), level + 1)
        else:
            raise WrongKind(f"{display(place)} is {quote(value)}, which is {kind(value)}, not a list")

    def _hits(self, document: JSON) -> Iterator[Read]:
        hits = list(self.path.hits(document))
        if not hits:
            yield Read((), MISSING, query=self.name)
        for place, value in hits:
            yield Read(place, MISSING if value is None else value)

    def below(self, outer: Field) -> Field:
        """The path inside each item of a list, as one from the top of the document."""
        return Field(Path((*outer.path.steps, *self.path.steps)), (*outer.parts[:-1], *self.parts))

    def excused(self, document: JSON, expected: JSON) -> bool:
        """Whether the expected document lacks the field as often as the document does, at the same step of the path; one that
        has the field nowhere lacks it in any number of items."""
        theirs = _up_to_wrong_kind(self, expected)
        lacks = Counter(one.level for one in theirs if one.value is MISSING)
        nowhere = all(one.value is MISSING for one in theirs)
        ours = Counter(one.level for one in _up_to_wrong_kind(self, document) if one.value is MISSING)
        return all(
            lacks[level] >= count or (nowhere and any(above <= level for above in lacks)) for level, count in ours.items()
        )


def _up_to_wrong_kind(field: Field, document: JSON) -> list[Read]:
    found: list[Read] = []
    with suppress(WrongKind):
        found.extend(field.read(document))
    return found


def _field(spelled: object) -> Field:
    path = read_path(spelled)
    cuts = [at for at, step in enumerate(path.steps) if step is ANY]
    starts, ends = (0, *(at + 1 for at in cuts)), (*cuts, None)
    return Field(path, tuple(path.part(start, end) for start, end in zip(starts, ends, strict=True)))


def _fields(data: object) -> tuple[Field, ...]:
    """The fields of one path, or of a list of paths, each of them once."""
    if not isinstance(data, list | tuple):
        return (_field(data),)
    found = read_each(enumerate(data), lambda _, spelled: _field(spelled))
    if not found:
        raise bad("a list of paths names at least one")
    paths = [one.path for one in found]
    twice = next((at for at, path in enumerate(paths) if path in paths[:at]), None)
    if twice is not None:
        message = f'"{data[twice]}" is the same place as "{data[paths.index(paths[twice])]}"'
        raise BadSettings([Detail((twice,), message, "name each place once", code="duplicate-field")])
    return found


def _field_or_number(data: object) -> Field | int | Fraction:
    if isinstance(data, int | float) and not isinstance(data, bool):
        return _decimal(data)
    return _field(data)


def _decimal(number: float) -> int | Fraction:
    if not isfinite(number):
        raise bad(f"a number is finite; found {spell(number)}")
    return written(number)


class Written(Parse):
    """How numbers and dates are written in text."""

    formats: tuple[str, ...] = ("iso",)
    """How dates are written, such as `DD/MM/YYYY`: what the comparator `date` takes."""

    @field_validator("formats")
    @classmethod
    def _readable(cls, formats: tuple[str, ...]) -> tuple[str, ...]:
        check_formats(formats)
        return formats


def _how_written(data: object) -> object:
    if isinstance(data, bool):
        return Written() if data else None
    if data is None or isinstance(data, Mapping | Written):
        return data
    hint = 'write parse: true, or parse: {thousands: ".", decimal: ","}'
    raise ValueError(f"parse must be true, or say how numbers and dates are written; found {spell(data)}\nhint: {hint}")


def _absolute(data: object) -> object:
    if isinstance(data, str):
        raise bad(f"a tolerance is a number, or a map; found {spell(data)}", hint="0.01, or {rel: 0.01} for 1 %")
    return {"abs": data} if isinstance(data, int | float) and not isinstance(data, bool) else data


ParseSetting: TypeAlias = Annotated[Written | None, BeforeValidator(_how_written, json_schema_input_type=bool | Written)]
Fields: TypeAlias = Annotated[tuple[Field, ...], ReadBy(lambda data, _: _fields(data), "path_or_paths")]
OneField: TypeAlias = Annotated[Field | None, ReadBy(lambda data, _: _field(data), "path")]


class Reading(Struct, frozen=True):
    """How values are read as numbers and as dates."""

    number_in: Callable[[str], Fraction | None] | None
    """Reads a number in text; None where text is no number."""
    date_in: Callable[[str], Moment | None]

    @staticmethod
    def of(parse: Written | None) -> Reading:
        formats = ("iso",) if parse is None else parse.formats
        return Reading(None if parse is None else exact_reader(parse), date_reader(map(from_percent, formats)))

    def number(self, value: Any) -> int | Fraction | None:
        """The exact number that a value is; None for any other value. true is no number."""
        if value.__class__ is int:
            return int(value)
        if value.__class__ is float:
            return written(value) if isfinite(value) else None
        return self.number_in(value) if self.number_in is not None and isinstance(value, str) else None

    def date(self, value: Any) -> Moment | None:
        return self.date_in(value) if isinstance(value, str) else None


class Held(NamedTuple):
    """What became of a rule in a document, or in an item of a list."""

    status: FieldStatus
    why: Callable[[], str]
    expected: Any = MISSING
    """What its fields should come to."""
    actual: Any = MISSING


KINDS: Final = ("sum", "product", "order", "exactly_one_of", "present", "unique")
_ASKS_IF_GIVEN: Final = ("exactly_one_of", "present")


class Rule(Settings):
    """What must hold between fields of one document."""

    sum: Fields = ()
    """Numbers whose sum must be what `equals` says: a path, or a list of paths. An empty list comes to 0."""
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
    equals: Annotated[Any, ReadBy(lambda data, _: _field_or_number(data), "path_or_number")] = None
    """What a sum or a product must be: the path of one number, or a number."""
    tolerance: Annotated[
        Tolerance | None, BeforeValidator(_absolute, json_schema_input_type=float | Tolerance | None)
    ] = None
    """How far it may be from that: 0.01 is `{abs: 0.01}`, and `{rel: 0.01}` is one hundredth of it. Without it, not at all."""
    each: OneField = None
    """A list, such as `items[*]`: the rule must hold in each of its items, and its paths begin there."""
    when: Annotated[tuple[Condition, ...], ReadBy(lambda data, _: read_conditions(data), "conditions")] = ()
    """In which rows the rule is for: `{output.status: rejected}`."""
    parse: ParseSetting = None
    """How numbers and dates are written in text, where this differs from the other rules."""

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        kinds = [word for word in KINDS if getattr(self, word)]
        if not kinds:
            raise ValueError(f"the rule says nothing that must hold; it has one of {', '.join(KINDS)}")
        if len(kinds) > 1:
            message = f'"{kinds[0]}" and "{kinds[1]}" are two rules'
            raise BadSettings([Detail((kinds[1],), message, "give each of them a name of its own", key=True)])
        if details := [*self._misused(kinds[0])]:
            raise BadSettings(details)
        return self

    def _misused(self, word: str) -> Iterator[Detail]:
        """Settings that do not go together with the kind of the rule."""
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
        many = next((one for one in self.exactly_one_of if not one.path.definite), None)
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
        query = next((one for one in self.named if one.path.query is not None), None)
        if self.each is not None and query is not None:
            yield Detail((word,), f'"{query.name}" is a filter, which a rule with "each" does not take')

    @cached_property
    def kind(self) -> str:
        """The word that says what must hold."""
        return next(word for word in KINDS if getattr(self, word))

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The fields that it is about, without the one that they are held against."""
        found = getattr(self, self.kind)
        return found if isinstance(found, tuple) else (found,)

    @cached_property
    def named(self) -> tuple[Field, ...]:
        """Every field that it names, as it names them."""
        return (*self.fields, self.equals) if isinstance(self.equals, Field) else self.fields

    @cached_property
    def from_top(self) -> tuple[Field, ...]:
        """The same as fields of the document."""
        return self.named if self.each is None else tuple(one.below(self.each) for one in self.named)

    @cached_property
    def words(self) -> str:
        """The rule in a few words."""
        names = [one.name for one in self.fields]
        against = self.equals.name if isinstance(self.equals, Field) else self.equals
        equals = "" if against is None else f", equals: {flow(against)}"
        return f"{self.kind}: {flow(names if len(names) > 1 else names[0])}{equals}"

    @cached_property
    def limits(self) -> Any:
        return limits_of(self.tolerance)

    @cached_property
    def close(self) -> Callable[[int | Fraction, int | Fraction], bool]:
        return closeness(self.limits)

    def judge(self, document: JSON, expected: Any, reading: Reading, skip_missing: bool) -> Held:
        """What becomes of the rule in a document. `expected` is the row's expected document, or MISSING."""
        try:
            if self.each is None:
                held = self._held(document, (), reading)
            else:
                held = self._together([self._in_item(one, reading) for one in self.each.read(document)])
        except WrongKind as error:
            held = Held(MISMATCH, partial(str, error))
        if held.status is not OMISSION:
            return held
        if skip_missing and self.kind not in _ASKS_IF_GIVEN:
            return held._replace(status=FieldStatus.NOT_MEASURED)
        if expected is not MISSING and all(one.excused(document, expected) for one in self.from_top):
            return Held(FieldStatus.NOT_MEASURED, lambda: f"{held.why()}, as in the expected answer")
        return held

    def values(self, document: JSON) -> dict[str, Any]:
        """What a document has of the fields, by name."""
        found = {one.name: one.path.get(document) for one in self.from_top}
        return {name: value for name, value in found.items() if value is not MISSING}

    def _in_item(self, item: Read, reading: Reading) -> Held:
        if item.value is MISSING:
            return Held(OMISSION, partial(_are_missing, [item]))
        try:
            return self._held(item.value, item.place, reading)
        except WrongKind as error:
            return Held(MISMATCH, partial(str, error))

    def _together(self, items: Sequence[Held]) -> Held:
        """What becomes of a rule in a list: the worst that becomes of it in an item."""
        worst = next((status for status in (MISMATCH, OMISSION) if any(one.status is status for one in items)), None)
        if worst is None:
            return Held(MATCH, lambda: f"it holds in all {len(items):,} items" if items else "there are no items")
        wrong = [one for one in items if one.status is worst]
        more = f" (and {len(wrong) - 1:,} more of {len(items):,} items)" if len(wrong) > 1 else ""
        return wrong[0]._replace(why=lambda: f"{wrong[0].why()}{more}")

    def _held(self, document: JSON, place: Place, reading: Reading) -> Held:
        """Whether it holds in a document that stands at a place. Raises WrongKind."""
        values = [one for field in self.fields for one in field.read(document, place)]
        if self.exactly_one_of:
            return _one_there(values)
        if not values and self.equals is None:
            return Held(MATCH, lambda: "there are no items")
        against = [*self.equals.read(document, place)] if isinstance(self.equals, Field) else []
        lacking = [one for one in (*values, *against) if one.value is MISSING]
        if self.unique is not None or self.order:
            there = [one for one in values if one.value is not MISSING]
            held = _no_two_equal(there) if self.unique is not None else _in_order(there, reading)
            if held.status is MISMATCH or not lacking:  # what is wrong stays so, whatever the others are
                return held
        if lacking:
            return Held(OMISSION, partial(_are_missing, lacking))
        if self.present:
            return Held(MATCH, lambda: f"{_names(values)} {'is' if len(values) == 1 else 'are'} there")
        numbers = [_number(one, reading) for one in values]
        wanted = _number(against[0], reading) if against else self.equals
        found = sum(numbers) if self.sum else prod(numbers)
        status = MATCH if self.close(wanted, found) else MISMATCH
        names = ", ".join(
            display((*place, *one.path.steps)) if one.path.query is None else one.name for one in self.fields
        )
        why = partial(self._compared, names, found, against[0].name if against else None, wanted, status)
        return Held(status, why, _plain(wanted), _plain(found))

    def _compared(
        self, names: str, found: int | Fraction, name: str | None, wanted: int | Fraction, status: FieldStatus
    ) -> str:
        must = f"{name} is {_words(wanted)}" if name is not None else f"{_words(wanted)} is wanted"
        off = ""
        if status is MISMATCH:
            off = f"; they differ by {gap_between(wanted, found)}, allowed: {allowed(self.limits, wanted)}"
        return f"the {self.kind} of {names} is {_words(found)}, {must}{off}"


def _number(one: Read, reading: Reading) -> int | Fraction:
    number = reading.number(one.value)
    if number is None:
        raise WrongKind(f"{one.name} is {quote(one.value)}, which {_is_no_number(one.value, reading)}")
    return number


def _is_no_number(value: Any, reading: Reading) -> str:
    if not isinstance(value, str):
        return f"is {kind(value)}, not a number"
    return "is text, not a number; `parse` reads numbers in text" if reading.number_in is None else "is no number"


def _in_order(values: Sequence[Read], reading: Reading) -> Held:
    """Whether values are in order: all of them dates, or else all of them numbers. Raises WrongKind."""
    dates = [reading.date(one.value) for one in values]
    if None not in dates:
        wrong = [at for at, (one, other) in enumerate(pairwise(dates)) if one and other and not in_order(one, other)]
        after = "later than"
    else:
        for one, date in zip(values, dates, strict=True):
            if date is None and reading.number(one.value) is None:
                raise WrongKind(f"{one.name} is {quote(one.value)}, which is no date and no number as `parse` says")
        mixed = next((one for one in values if reading.number(one.value) is None), None)
        if mixed is not None:
            raise WrongKind(f"{mixed.name} is {quote(mixed.value)}, a date, and others are numbers")
        numbers = [_number(one, reading) for one in values]
        wrong = [at for at, (one, other) in enumerate(pairwise(numbers)) if one > other]
        after = "greater than"
    if not wrong:
        return Held(MATCH, lambda: f"{_names(values)} are in order")
    first, second = values[wrong[0]], values[wrong[0] + 1]
    return Held(MISMATCH, lambda: f"{first.name}, {quote(first.value)}, is {after} {second.name}, {quote(second.value)}")


def _one_there(values: Sequence[Read]) -> Held:
    there = [one for one in values if one.value is not MISSING]
    if len(there) == 1:
        return Held(MATCH, lambda: f"only {there[0].name} is there")
    if not there:
        return Held(OMISSION, lambda: f"none of {_names(values)} is there")
    return Held(MISMATCH, lambda: f"{_names(there)} are there, and only one may be")


def _no_two_equal(values: Sequence[Read]) -> Held:
    first: dict[Any, Read] = {}
    twice = [(first[key], one) for one in values if first.setdefault(key := identity(one.value), one) is not one]
    if not twice:
        return Held(MATCH, lambda: f"{len(values):,} values, no two of them equal")
    (one, other), more = twice[0], f" (and {len(twice) - 1:,} more)" if len(twice) > 1 else ""
    return Held(MISMATCH, lambda: f"{one.name} and {other.name} are both {quote(one.value)}{more}")


def _are_missing(lacking: Sequence[Read]) -> str:
    return f"{_names(lacking)} {'is' if len(lacking) == 1 else 'are'} missing"


def _names(values: Sequence[Read]) -> str:
    return first_ones([one.name for one in values], _MOST_NAMED)


def _words(number: int | Fraction) -> str:
    return in_decimals(Fraction(number))


def _plain(number: int | Fraction) -> float | str:
    """A number as JSON writes it exactly, or in words where it cannot."""
    number = Fraction(number)
    if number.denominator == 1 and abs(number) < 10**15:
        return int(number)
    text = in_decimals(number)
    return float(text) if abs(number) < 10**15 and written(float(text)) == number else text
