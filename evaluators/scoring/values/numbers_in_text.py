"""Where a number stands in a text, whatever marks group its digits.

For a few numbers, a run of digits and marks is looked at only where it has what all spellings of the number have; for many, all runs are
read once. What may be read in several ways is found in any of them: "1.234" is 1234 and 1.234.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from evaluators.scoring.values.currencies import Currencies, currency_around, is_after_mark
from evaluators.scoring.values.numbers import Number, exact_number
from evaluators.scoring.values.telephones_in_text import is_in_address, is_in_telephone
from evaluators.scoring.values.words_in_text import FEW, Span, minus_before

DIGITS: Final = re.compile("[0-9]+")
GROUPED: Final = re.compile("[0-9]{1,3}(?: [0-9]{3})+(?:[.,][0-9]+)?")
_GROUPS: Final = re.compile("[0-9]{1,3}(?:([.,' \u2019\u00a0\u2009\u202f])(?:[0-9]{2,3}\\1)*[0-9]{3})")
_TEN: Final = frozenset("0123456789")
_RUN: Final = re.compile("[0-9][0-9]*(?:[., '\u2019\u00a0\u2009\u202f][0-9]+)*")
_MARKS: Final = frozenset(". ,'\u2019\u00a0\u2009\u202f")
_NUMBER: Final = re.compile("[0-9][0-9]*(?:[.,'\u2019\u00a0\u2009\u202f][0-9]+)*")
_WORD_BEFORE: Final = re.compile(r"([^\W\d_]+)[. ]? ?$")
_TIMES: Final = re.compile("[0-9] ?[xX]$")
_BETWEEN_COMMAS: Final = re.compile("[^,]+")
_DAY_IN_POINTS: Final = re.compile(
    r"(?:0?[1-9]|[12][0-9]|3[01])\.(?:0?[1-9]|1[0-2])\.(?:[0-9]{2}){1,2}|[12][0-9]{3}\.(?:0?[1-9]|1[0-2])\.(?:0?[1-9]|[12][0-9]|3[01])"
)
_MOST_GROUPS: Final = 5
_POWERS: Final[Mapping[str, int]] = {
    word.replace("_", " "): power
    for power, words in {
        -2: "percent per_cent prozent pour_cent por_ciento por_cento per_cento procent prosent procenta",
        3: "k thousand tausend tsd tusen tusind duizend mille mila mil tys tysiąc tysiące tysięcy",
        6: "m mm mn mio mln million millions millionen millioner millón millones milione milioni milhão milhões miljoen miljon "
        "miljoner milion miliony milionów",
        9: "b bn md mrd mld mia billion billions milliard milliards milliarde milliarden milliarder miliardo miliardi miljard "
        "miljarder miliard miliardy miliardów",
        12: "tn trillion trillions bio billionen",
    }.items()
    for word in words.split()
}
"""What stands after a number for a power of ten, in the languages whose months are known. A billion is 10⁹, as in English."""
_SCALED: Final = re.compile(
    "(?<![\\w.,])([0-9]+(?:[.,'\u2019\u00a0\u2009\u202f][0-9]+){0,2})(?:[eE]([+-]?[0-9]{1,2})|[ \u00a0\u202f-]?"
    f"({'|'.join(sorted(_POWERS, key=len, reverse=True))}))(?!\\w)",
    re.IGNORECASE,
)


class Digits(NamedTuple):
    """A decimal, exactly: 0.DIGITS times ten to the power of `point`."""

    digits: str
    """Without the zeros at both ends."""
    point: int
    negative: bool = False


_ZERO: Final = Digits("", 0)


@lru_cache(maxsize=1 << 14)
def digits_of(number: Number) -> Digits:
    """A number as an exact decimal, by its digits and where its point is."""
    text = repr(number) if number.__class__ is float else ""
    if "e" in text or not text:
        exact = exact_number(number)
        # so many decimals have all of the number, as the denominator of a decimal has no factors but 2 and 5
        power = exact.denominator.bit_length() if exact.denominator > 1 else 0
        every = str(abs(exact.numerator) * 10**power // exact.denominator)
        point = len(every) - power
    else:
        whole, _, part = text.lstrip("-").partition(".")
        every, point = whole + part, len(whole)
    digits = every.lstrip("0")
    point -= len(every) - len(digits)
    return Digits(digits.rstrip("0"), point if digits else 0, number < 0)


class NumberPlaces:
    """A text in which numbers are found."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._spans = dict[tuple[Digits, Currencies | None], Span | None]()

    def of_number(self, number: Digits, currencies: Currencies | None = None) -> Span | None:
        """The first span of the text in which a number stands; with `currencies`, as an amount in one of them, or without a
        currency. None where it is not in the text."""
        key = number, currencies
        if key not in self._spans:
            places = self._places.get(number, ()) if len(self._spans) >= FEW else _places_of(self.text, number)
            self._spans[key] = _first_in(self.text, places, currencies)
        return self._spans[key]

    def of_scaled(self, number: Digits, currencies: Currencies | None = None) -> Span | None:
        """The first span of a number that is written with a word or a power of ten, such as "1.2 million", "5k" and "1e3"; None where
        there is none."""
        return _first_in(self.text, self._scaled_places.get(number, ()), currencies)

    @cached_property
    def _scaled_places(self) -> Mapping[Digits, Sequence[Span]]:
        """The places of each number that is written with a word or a power of ten."""
        return _scaled_numbers(self.text)

    @cached_property
    def _places(self) -> Mapping[Digits, Sequence[Span]]:
        """For each number that the text may say, the places where it stands."""
        places = defaultdict[Digits, list[Span]](list)
        for run in _RUN.finditer(self.text):
            for first, last in _numbers_in(self.text, *run.span()):
                for number in _numbers_at(self.text, first, last):
                    places[number].append((first, last))
        return places


def _places_of(text: str, number: Digits) -> Iterator[Span]:
    """Yields the spans of the text that are spellings of a number. It looks at the runs of digits and marks around each place that has one
    of the pieces which every spelling has. A span may come more than once."""
    for piece in _pieces(number, "%" in text):
        at = text.find(piece)
        while at >= 0:
            end, looked_at = at + len(piece), at + 1
            if not "1" <= text[end : end + 1] <= "9":  # another digit makes another number
                start, looked_at = _run_around(text, end - 1)
                for first, last in _numbers_in(text, start, looked_at):
                    digits = "".join(DIGITS.findall(text, first, last)).strip("0")
                    if digits == number.digits and number in _numbers_at(text, first, last):
                        yield first, last
            at = text.find(piece, looked_at)


def _first_in(text: str, places: Iterable[Span], currencies: Currencies | None) -> Span | None:
    """The first of the places at which an amount is in one of the currencies, or names none; with None for them, the first place of all.
    None where there is none."""
    for place in places:
        named = None if currencies is None else currency_around(text, *place)
        if currencies is None or named is None or not named.isdisjoint(currencies):
            return place
    return None


def is_round(number: Digits) -> bool:
    """Whether a number may be written with a word for a power of ten: it has four digits at most, and is below 1 or above 1,000."""
    return len(number.digits) <= 4 and not 1 <= number.point <= 3


def _scaled_numbers(text: str) -> Mapping[Digits, Sequence[Span]]:
    """The spans of each number of a text that is written with a word or a power of ten, in the order of the text."""
    numbers = defaultdict[Digits, list[Span]](list)
    for match in _SCALED.finditer(text):
        power = int(match[2]) if match[2] is not None else _POWERS[match[3].casefold()]
        negative = minus_before(text, match.start()) is True
        for digits, point in _readings(match[1]):
            numbers[Digits(digits, point + power if digits else 0, negative)].append(match.span())
    return numbers


def _numbers_in(text: str, start: int, end: int) -> Sequence[Span]:
    """The spans of the numbers that a run of digits and marks, from `start` to `end` of a text, may hold: between its spaces, and where
    these may group digits also over them."""
    run = text[start:end]
    if " " not in run:
        return _parts(text, start, end)
    if _is_surely_grouped(text, start, run):
        return [(start, end)]
    spans = [match.span() for match in _NUMBER.finditer(text, start, end)]
    grouped = (
        (first, last)
        for at, (first, _) in enumerate(spans)
        for _, last in spans[at + 1 : at + _MOST_GROUPS]
        if GROUPED.fullmatch(text, first, last)
    )
    return [part for span in spans for part in _parts(text, *span)] + [*grouped]


def _parts(text: str, start: int, end: int) -> Sequence[Span]:
    """The beginnings and ends of the numbers in a run of digits and marks without spaces: one, those of a list or of a day; none
    in a version or an address."""
    run = text[start:end]
    if max(map(run.count, ".,")) < 2 or _readings(run):
        return [(start, end)]
    if "," in run:
        return [part for match in _BETWEEN_COMMAS.finditer(text, start, end) for part in _parts(text, *match.span())]
    return [match.span() for match in DIGITS.finditer(text, start, end)] if _DAY_IN_POINTS.fullmatch(run) else []


@lru_cache(maxsize=1 << 14)
def _pieces(number: Digits, as_percent: bool) -> Sequence[str]:
    """Texts of which one is in any spelling of a number: the last digits of its whole, at most three, with its decimals."""
    digits, point, _ = number
    whole, decimals = (
        (digits[:point].ljust(point, "0")[-3:], digits[point:]) if point > 0 else ("", "0" * -point + digits)
    )
    pieces = [whole + mark + decimals for mark in ".,"] if decimals else [whole or "0"]
    return (*pieces, *(_pieces(Digits(digits, point + 2), False) if as_percent and digits else ()))


def _run_around(text: str, at: int) -> Span:
    """The span of the digits and marks around the digit at a place of a text, as far as they go on."""
    start = at
    while start and (text[start - 1] in _TEN or (start > 1 and text[start - 1] in _MARKS and text[start - 2] in _TEN)):
        start -= 1
    run = _RUN.match(text, start)
    return run.span() if run is not None else (at, at + 1)


def _is_surely_grouped(text: str, start: int, run: str) -> bool:
    """Whether single spaces in a run of digits surely group them, so that its parts are no numbers, as in "sum: 1 234.50".

    They do where the whole looks like one number and has three groups, or no word before it. After a word, and in a row of columns,
    nobody knows ("qty 2 150.00 300.00"), so numbers are found with and without such spaces.
    """
    if not GROUPED.fullmatch(run):
        return False
    word = _WORD_BEFORE.search(text, max(0, start - 8), start)
    return run.count(" ") > 1 or word is None or is_after_mark(text, start)


def _numbers_at(text: str, start: int, end: int) -> Collection[Digits]:
    """The numbers that the digits from `start` to `end` of a text may be, with their signs. A percentage is so many hundredths as well.
    Empty where they are a part of a word, a telephone number or an address."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    last = before[-1:]
    if (last.isalnum() or last == "_") and not is_after_mark(text, start) and not _TIMES.search(text, start - 3, start):
        return ()
    if is_in_telephone(text, start, end) or is_in_address(text, start, end):
        return ()
    read = [*_readings(text[start:end])]
    if last in (".", ",") and not before[:-1].isalnum():  # without the zero before its decimals
        read += [(digits, point - (end - start)) for digits, point in read]
    if after.lstrip()[:1] == "%":
        read += [(digits, point - 2) for digits, point in read]
    minus = minus_before(text, start)
    # unclear, so that both are found: a dash after the number, or parentheses around it
    either = minus is None or (not minus and (after[:1] == "-" or (last == "(" and after[:1] == ")")))
    signs = (False, True) if either else (minus is True,)
    return {Digits(digits, point, sign) if digits else _ZERO for digits, point in read for sign in signs}


def _readings(digits: str) -> Sequence[tuple[str, int]]:
    """The decimals that digits with marks may be, each as in `Digits`: the digits without zeros at both ends, and the place of the point.
    Empty where the marks make no number."""
    groups = DIGITS.findall(digits)
    every = "".join(groups)
    whole = [len(every)] if len(groups) == 1 or _GROUPS.fullmatch(digits) else []
    if len(groups) > 1 and digits[-len(groups[-1]) - 1] in ".,":
        before = digits[: -len(groups[-1]) - 1]
        if len(groups) == 2 or (_GROUPS.fullmatch(before) and digits[-len(groups[-1]) - 1] not in before):
            whole.append(len(every) - len(groups[-1]))
    first = len(every) - len(every.lstrip("0"))
    return [(every.strip("0"), point - first if first < len(every) else 0) for point in whole]
