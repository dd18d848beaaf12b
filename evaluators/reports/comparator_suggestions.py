"""Which one change of a field's comparison would turn its mismatches into matches.

Strategy: a field's mismatches are compared again, each time with one thing changed: a switch of its own comparator, or
another comparator that forgives one thing only. What a change forgives is what the changed rule says, never a guess. A
change that could not read an expected value is not offered: it would leave rows without a score. The caller decides what
is recorded and what is shown; nothing is applied.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import RowProblem
from evaluators.model.rows import FieldStatus
from evaluators.model.settings import build
from evaluators.scoring.comparators._comparator import COMPARATORS, Comparator, word_of
from evaluators.scoring.fields.rules import Ready, compile_rule, prepare_rule, status_of
from evaluators.scoring.values.dates import USUAL_FORMATS as DATE_FORMATS
from evaluators.scoring.values.dates import ambiguity, formats_of, read_date, reader, same_moment
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.scoring.values.numbers import USUAL_PARSES as NUMBER_FORMATS
from evaluators.scoring.values.numbers import parse_setting
from evaluators.scoring.values.pairing import lookup_key
from evaluators.scoring.values.quoting import flow_text, quote
from evaluators.scoring.values.text import Normalization
from evaluators.scoring.values.transforms import Transform

Options: TypeAlias = Mapping[str, Any]

_KEEP: Final = {"unicode": "none", "case": "keep", "accents": "keep", "whitespace": "keep"}
_LOOSER: Final = (
    ("unicode", "nfc"), ("case", "ignore"), ("accents", "ignore"), ("whitespace", "collapse"), ("whitespace", "ignore"),
    ("punctuation", "ignore"),
    ("accents", "transliterate"),
)  # fmt: skip
_BEFORE: Final = {"transliterate": ("ignore",), "nfc": ("none",)}
"""What a switch must stand on for a value to be tried, where that is not any of `_STRICTER`: one step at a time."""
_STRICTER: Final = ("keep", "none", "lower", "trim", "collapse")
"""What a switch may stand on for a value of `_LOOSER` to be tried."""
_ADDRESS: Final = late_pattern(r"\s*(?:[a-z]+://|www\.|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:/|\s*$))", re.IGNORECASE)
_YES_AND_NO: Final = {"true": ["true", "yes"], "false": ["false", "no"]}
_ABS: Final = (0.001, 0.01, 0.1)
_REL: Final = (0.0001, 0.001, 0.01)


class Mismatch(Struct, frozen=True):
    """Two values of one field that did not match, and the row they stand in."""

    row: int
    expected: Any
    actual: Any
    place: str = ""
    """The list that both are items of, with its row's own indices; empty where they are no items."""


class FieldRule(Struct, frozen=True):
    """How a field is compared."""

    comparator: Comparator
    transforms: tuple[Transform, ...] = ()
    ordered: bool = False
    """It is an item of a list whose order counts."""
    each: bool = False
    """It is a list of values, each compared with the one in its place."""
    whole: bool = False
    """A list is one result here, and one for each item once it is aligned."""
    by_schema: bool = False
    """A schema names the comparator."""


class Change(Struct, frozen=True):
    """One change to a field's comparison, and the mismatches that it would turn into matches, by their places."""

    switch: str
    """What changes, as it is written: `case: ignore`."""
    write: str
    """What to write for the whole comparison: `normalized: {case: ignore, …}`."""
    fixed: tuple[int, ...]
    says: str = ""
    """What else becomes of the field, or of its values; empty where nothing does."""
    comparator: Comparator | None = None
    """The changed comparator; None where the items of a list are paired in any order."""


class _Candidate(Struct, frozen=True):
    """A change to be tried."""

    switch: str
    comparator: Comparator
    write: str
    says: str = ""


def changes(compared: FieldRule, mismatches: Sequence[Mismatch]) -> list[Change]:
    """The changes that would turn some of a field's mismatches into matches, the one that turns most first. `compared` says how the field
    is compared today.

    Of changes to one switch that forgive the same mismatches, only the simplest is given; after these, `normalized` and `fuzzy` are tried.
    """
    changes = [
        Change(
            candidate.switch,
            candidate.write,
            fixed,
            _side_effects(candidate, compared, mismatches, fixed),
            candidate.comparator,
        )
        for candidates, among in _candidates(compared, mismatches)
        for candidate, fixed in _best(candidates, compared, mismatches, among)
    ]
    changes += _in_any_order(compared, mismatches)
    simplest: dict[tuple[int, ...], Change] = {}
    for change in changes:
        simplest.setdefault(change.fixed, change)
    several = _all_at_once(compared, mismatches, changes)
    several += _nearly_the_same(compared, mismatches, [*changes, *several])
    return sorted([*simplest.values(), *several], key=lambda change: -len(change.fixed))


def _best(
    candidates: Iterable[_Candidate], compared: FieldRule, mismatches: Sequence[Mismatch], among: Sequence[int]
) -> Iterator[tuple[_Candidate, tuple[int, ...]]]:
    """Yields the mildest candidate that turns as many mismatches as any, with the numbers of these; nothing where none turns any.

    The candidates are steps of one change, mildest first; `among` are the numbers of the mismatches to try.
    """
    best: tuple[_Candidate, tuple[int, ...]] | None = None
    for candidate in candidates:
        fixed = _fixed(candidate.comparator, compared, mismatches, among)
        if fixed and (best is None or len(fixed) > len(best[1])):
            best = candidate, fixed
            if len(fixed) == len(among):
                break
    if best is not None:
        yield best


def _fixed(
    comparator: Comparator, compared: FieldRule, mismatches: Sequence[Mismatch], among: Sequence[int]
) -> tuple[int, ...]:
    """The numbers, among some, of the mismatches that would match by this comparator; empty where it cannot read one of the expected
    values."""
    rule = compile_rule(comparator, compared.transforms)

    def matches(expected: Any, actual: Any) -> bool:
        return status_of(rule(expected, actual)) is FieldStatus.MATCH

    try:
        return tuple(number for number in among if all(matches(*pair) for pair in _pairs(compared, mismatches[number])))
    except RowProblem:
        return ()


def _side_effects(
    candidate: _Candidate, compared: FieldRule, mismatches: Sequence[Mismatch], fixed: Sequence[int]
) -> str:
    """What a change would do besides: what its candidate says, and the two values farthest apart that would match. Empty without either.
    `fixed` are the numbers of the mismatches that it turns, and `compared` says how the field is compared today."""
    worst, shown = Fraction(0), ""
    for mismatch in (mismatches[number] for number in fixed):
        for expected, actual in _pairs(compared, mismatch):
            ready = prepare_rule(candidate.comparator, compared.transforms, expected, actual)
            gap = candidate.comparator.apart(*ready) if isinstance(ready, Ready) else None
            if gap is not None and gap > worst:
                worst, shown = gap, f"at worst {quote(actual)} for {quote(expected)}, row {mismatch.row:,}"
    return "; ".join(part for part in (candidate.says, shown) if part)


def _pairs(compared: FieldRule, mismatch: Mismatch) -> list[tuple[Any, Any]]:
    """The pairs of an expected and an actual value in a mismatch: one pair, or those of two lists of one length, place by place."""
    expected, actual = mismatch.expected, mismatch.actual
    lists = compared.each and isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual)
    return list(zip(expected, actual, strict=True)) if lists else [(expected, actual)]


def _candidates(
    compared: FieldRule, mismatches: Sequence[Mismatch]
) -> Iterator[tuple[Iterable[_Candidate], Sequence[int]]]:
    """Groups of candidates, the simplest first, each with the mismatches to try, by their numbers. The candidates of a group are steps of
    one change. `compared` says how the field is compared today; which groups are tried depends on that and on the values."""
    comparator = compared.comparator
    word, every = word_of(comparator), range(len(mismatches))
    pairs = [pair for mismatch in mismatches for pair in _pairs(compared, mismatch)]
    texts = any(isinstance(expected, str) and isinstance(actual, str) for expected, actual in pairs)
    plain = word in ("exact", "normalized", "string_exact", "string_case_insensitive")
    if word == "exact" or isinstance(comparator, Normalization):
        # no single switch forgives what all of them together do not; a similarity is another matter
        alike = _fixed(_loosest(), compared, mismatches, every) if word in ("exact", "normalized") else every
        yield from ((candidates, alike) for candidates in (_text_candidates(comparator, word) if alike else ()))
    if plain or (word == "numeric" and not comparator.lists_answers):
        numeric = comparator if word == "numeric" else None
        yield from ((candidates, every) for candidates in _tolerance_candidates(numeric, pairs, compared.by_schema))
        # numbers in text: only where every expected text may be one
        exact = getattr(numeric, "tolerance", None) is None
        texts_in = [number for number, mismatch in enumerate(mismatches) if _may_read_alike(compared, mismatch, exact)]
        may_be_number = _has_digit if numeric is not None else _may_be_number
        if texts_in and all(expected.__class__ is not str or may_be_number(expected) for expected, _ in pairs):
            yield _reading_candidates(numeric), texts_in
    if texts and (plain or word == "date"):
        yield _date_candidates(comparator if word == "date" else None, pairs), every
    if plain and any({expected.__class__, actual.__class__} == {bool, str} for expected, actual in pairs):
        yield [_candidate(None, "boolean", {"words": _YES_AND_NO})], every
    if plain and any(isinstance(expected, str) and _ADDRESS.match(expected) for expected, _ in pairs):
        yield [_candidate(None, "url", {})], every


def _loosest() -> Comparator:
    """The comparator `normalized` with every switch at its loosest, but for case, which it ignores by itself."""
    options = {"unicode": "nfkc", "accents": "transliterate", "whitespace": "ignore", "punctuation": "ignore"}
    return build(COMPARATORS.shipped_plug("normalized"), options)


def _candidate(switch: str | None, word: str, options: Options) -> _Candidate:
    """The candidate that compares by the comparator called `word` with these options. `switch` is what changes, as it is written; without
    it, the comparator as a whole is the change."""
    write = flow_text({word: options})[1:-1] if options else word
    return _Candidate(switch or write, build(COMPARATORS.shipped_plug(word), options), write)


def _text_candidates(comparator: Comparator, word: str) -> Iterator[list[_Candidate]]:
    """For each switch about text that can be set looser, a list with the comparator of today, called `word`, with that switch set so.

    `exact` has no such switches: it is tried as `normalized`, with one switch on and all others off.
    """
    own = word if isinstance(comparator, Normalization) else "normalized"
    settings = {name: getattr(comparator, name) for name in type(comparator).model_fields} if own == word else _KEEP
    for name, value in _LOOSER:
        before = settings.get(name, "keep")
        if before != value and before in _BEFORE.get(value, _STRICTER):
            others = settings if own == word or name == "unicode" else {**settings, "unicode": "nfc"}
            yield [_candidate(f"{name}: {value}", own, {name: value, **_unlike_default(own, others, name)})]


def _unlike_default(word: str, settings: Options, apart: str) -> Options:
    """The settings of a comparator that are not its defaults, without the one called `apart`."""
    fields = COMPARATORS.shipped_plug(word).model_fields
    return {name: value for name, value in settings.items() if name != apart and value != fields[name].default}


def _tolerance_candidates(
    numeric: Comparator | None, pairs: Sequence[tuple[Any, Any]], by_schema: bool
) -> Iterator[list[_Candidate]]:
    """Candidates with a greater tolerance for numbers, and one that needs only one of its two limits. `numeric` is the comparator of today,
    or None where that is another one; `pairs` are the expected and the actual values; `by_schema` says that a schema names the
    comparator. Empty where no pair has two numbers and no text is read as one."""
    tolerance, reading = getattr(numeric, "tolerance", None), _parse_option(numeric)
    limits = {name: getattr(tolerance, name, None) for name in ("abs", "rel")}
    if reading or any(_is_number(expected) and _is_number(actual) for expected, actual in pairs):
        for name, other, steps in (("abs", "rel", _ABS), ("rel", "abs", _REL)):
            looser = [step for step in steps if limits[other] is None and step > (limits[name] or 0)]
            yield [_number_candidate(numeric, {"tolerance": {name: step}}, reading) for step in looser]
        if numeric is not None and None not in limits.values() and not getattr(tolerance, "either", True):
            both_limits = _number_candidate(numeric, {"tolerance": {**limits, "either": True}}, reading)
            says = f"{numeric.remark} today{_FROM_A_SCHEMA if by_schema else ''}"
            yield [replace(both_limits, says=says)]


_FROM_A_SCHEMA: Final = "; as a comparator of the suite, which the schema names"


def _reading_candidates(numeric: Comparator | None) -> Iterator[_Candidate]:
    """Candidates that read numbers in text in further ways, with the tolerance of today."""
    tolerance = getattr(numeric, "tolerance", None)
    kept_tolerance = {} if tolerance is None else {"tolerance": tolerance.model_dump(exclude_defaults=True)}
    return (
        _number_candidate(numeric, {"parse": way}, kept_tolerance)
        for way in _further_parses(getattr(numeric, "parse", False))
    )


def _parse_option(numeric: Comparator | None) -> dict[str, Any]:
    """The option `parse` of a comparator as a suite writes it; empty where it reads no numbers in text."""
    parse = getattr(numeric, "parse", False)
    return {} if parse is False else {"parse": parse_setting(parse)}


def _may_read_alike(compared: FieldRule, mismatch: Mismatch, exact: bool) -> bool:
    """Whether a way of reading texts may make the values match. All ways read two numbers alike, and two texts of digits alone: where
    no tolerance helps, these stay different."""
    pairs = _pairs(compared, mismatch)
    if exact and any(
        _is_digits(expected) and _is_digits(actual) and int(expected) != int(actual) for expected, actual in pairs
    ):
        return False
    return any(isinstance(value, str) for pair in pairs for value in pair)


def _is_digits(value: Any) -> bool:
    return isinstance(value, str) and len(value) < _FEW_DIGITS and value.isascii() and value.isdigit()


_FEW_DIGITS: Final = 100


def _has_digit(expected: str) -> bool:
    """Whether a text has a digit. Without one it is no number, by any way of reading."""
    return any(map(str.isdigit, expected))


_may_be_number: Final = re.compile("[^0-9]*[0-9](?:[0-9.,'\u2019 \u00a0\u2009\u202f]|[eE][+-]?)*[^0-9]*").fullmatch
"""What some usual way of reading may make a number of: no date, and no id of letters and digits."""


def _further_parses(parse: Any) -> list[Any]:
    """The settings of `parse`, as a suite writes them, that read more numbers in text than `parse` does, the plainest first."""
    if parse in (False, True):
        return [settings or True for settings in NUMBER_FORMATS if settings or parse is False]
    if isinstance(parse, tuple):
        listed = parse_setting(parse)
        return [[*listed, settings or True] for settings in NUMBER_FORMATS if (settings or True) not in listed]
    own = parse.model_dump(exclude_defaults=True)
    marks: list[dict[str, Any]] = [{"thousands": mark} for mark in _THOUSANDS if mark != own.get("decimal", ".")]
    further: list[dict[str, Any]] = [{"currency": True}, {"percent": True}, *marks]
    return [{**own, **way} for way in further if all(own.get(name) in _UNSAID for name in way)]


_THOUSANDS: Final = (",", ".", " ", "'")
_UNSAID: Final = (None, False)
_SETS_ASIDE: Final = {
    "currency": "which currency it is does not count then",
    "percent": "with %, a number is a hundredth of what is written",
}


def _number_candidate(numeric: Comparator | None, changed: Options, kept: Options) -> _Candidate:
    """`numeric` with changed options beside those that are kept.

    Where the field has `numeric` already, the changed options are the switch; otherwise the comparator as a whole is. It says what the
    new way to parse sets aside, and the comparator's remark.
    """
    candidate = _candidate(flow_text(changed)[1:-1] if numeric is not None else None, "numeric", {**changed, **kept})
    way, before = changed.get("parse"), getattr(numeric, "parse", False)
    says = [
        meaning
        for name, meaning in _SETS_ASIDE.items()
        if isinstance(way, dict) and name in way and not getattr(before, name, False)
    ]
    says += [candidate.comparator.remark] if candidate.comparator.remark else []
    return replace(candidate, says=", and ".join(says))


def _date_candidates(date: Comparator | None, pairs: Sequence[tuple[Any, Any]]) -> list[_Candidate]:
    """Candidates that compare dates: with the formats of today, or those of the expected values, and one more format, in which some output
    is the expected day. Where the field is not compared as a date yet, also with these formats alone."""
    wanted = [expected for expected, _ in pairs if isinstance(expected, str)]
    known: tuple[str, ...] = getattr(date, "formats", None) or formats_of(wanted)
    hits = {
        spelled
        for spelled in DATE_FORMATS
        if known
        and spelled not in known
        and any(_same_day(expected, actual, known, spelled) for expected, actual in pairs)
    }
    tried = [(*known, spelled) for spelled in DATE_FORMATS if spelled in hits]
    if known and date is None:
        tried.insert(0, known)
    listed = [{"formats": list(formats)} for formats in tried if not ambiguity(formats)]
    tolerance = getattr(date, "tolerance", None)
    kept_tolerance = {} if tolerance is None else {"tolerance": tolerance.model_dump(exclude_defaults=True)}
    return [
        _candidate(
            flow_text(format)[1:-1] if date is not None else None,
            "date",
            {} if format["formats"] == ["iso"] else {**format, **kept_tolerance},
        )
        for format in listed
    ]


def _same_day(expected: Any, actual: Any, known: Sequence[str], spelled: str) -> bool:
    """Whether the output, in the date format `spelled`, is the date that is expected, in one of the formats `known`."""
    if not isinstance(expected, str) or not isinstance(actual, str):
        return False
    actual_date, read = read_date(actual, spelled), reader(known)
    wanted = read(expected) if actual_date is not None else None
    return actual_date is not None and wanted is not None and same_moment(wanted, actual_date)


def _in_any_order(compared: FieldRule, mismatches: Sequence[Mismatch]) -> list[Change]:
    """The change to `align: any_order`, for lists that have the same items in another order, compared whole or item by item. Empty where it
    would turn nothing."""
    if compared.each or not compared.comparator.reflexive:
        return []
    same = _same_items(compared)
    if compared.ordered:
        lists: dict[tuple[int, str], list[int]] = {}
        for number, mismatch in enumerate(mismatches):
            lists.setdefault((mismatch.row, mismatch.place), []).append(number)
        fixed = [
            number
            for numbers in lists.values()
            if len(numbers) > 1
            and same([mismatches[n].expected for n in numbers], [mismatches[n].actual for n in numbers])
            for number in numbers
        ]
    else:
        fixed = [
            number
            for number, mismatch in enumerate(mismatches)
            if isinstance(mismatch.expected, list)
            and isinstance(mismatch.actual, list)
            and same(mismatch.expected, mismatch.actual)
        ]
    says = _COUNTS_ITEMS if compared.whole else ""
    order_note = (
        ""
        if compared.ordered or word_of(compared.comparator) == "exact"
        else f"compare: {_comparator_text(compared.comparator)}, "
    )
    return [Change("align: any_order", f"{order_note}align: any_order", tuple(sorted(fixed)), says)] if fixed else []


def _comparator_text(comparator: Comparator) -> str:
    """The comparator with its options, as a suite writes it."""
    options = comparator.model_dump(mode="json", exclude_defaults=True)
    return flow_text({word_of(comparator): options}) if options else word_of(comparator)


_COUNTS_ITEMS: Final = "its metrics count items then, not whole lists"


def _same_items(compared: FieldRule) -> Callable[[list[Any], list[Any]], bool]:
    """A function that tells whether two lists have the same items in any order, as the comparator's key has them."""
    key = compared.comparator.key() or lookup_key

    def same(expected: list[Any], actual: list[Any]) -> bool:
        return len(expected) == len(actual) and Counter(map(key, expected)) == Counter(map(key, actual))

    return same


def _all_at_once(compared: FieldRule, mismatches: Sequence[Mismatch], changes: Sequence[Change]) -> list[Change]:
    """The change from `exact` to `normalized`, where it turns more mismatches than any of the other `changes`; else empty."""
    if word_of(compared.comparator) != "exact":
        return []
    candidate = _candidate(None, "normalized", {})
    fixed = _fixed(candidate.comparator, compared, mismatches, range(len(mismatches)))
    return (
        [Change(candidate.switch, candidate.write, fixed, comparator=candidate.comparator)]
        if len(fixed) > max((len(change.fixed) for change in changes), default=0)
        else []
    )


def _nearly_the_same(compared: FieldRule, mismatches: Sequence[Mismatch], changes: Sequence[Change]) -> list[Change]:
    """The change to `fuzzy`, which accepts similar texts, where it turns mismatches that none of the other `changes` turns; else empty.

    It is not offered where an expected text has a digit or is an address: in codes, dates, amounts and addresses one letter changes
    everything.
    """
    comparator = compared.comparator
    if word_of(comparator) not in ("exact", "normalized"):
        return []
    pairs = [pair for mismatch in mismatches for pair in _pairs(compared, mismatch)]
    if any(isinstance(expected, str) and _NO_WORDS.search(expected) for expected, _ in pairs):
        return []
    known = {number for change in changes for number in change.fixed}
    if len(known) == len(mismatches):
        return []
    switches = {name: getattr(comparator, name, value) for name, value in {**_KEEP, "punctuation": "keep"}.items()}
    own = _unlike_default("fuzzy", switches, "")
    candidates = [_candidate(None, "fuzzy", {"at_least": least, **own}) for least in _AT_LEAST]
    return [
        Change(
            candidate.switch,
            candidate.write,
            fixed,
            _side_effects(candidate, compared, mismatches, fixed),
            candidate.comparator,
        )
        for candidate, fixed in _best(candidates, compared, mismatches, range(len(mismatches)))
        if not known.issuperset(fixed)
    ]


_NO_WORDS: Final = late_pattern(r"[\d@]|://|www\.")
_AT_LEAST: Final = (0.9, 0.8)


def _is_number(value: Any) -> bool:
    return value.__class__ is int or value.__class__ is float
