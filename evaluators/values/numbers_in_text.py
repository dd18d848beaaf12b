"""Where a number stands in a text, whatever marks group its digits.

A run of digits and marks is looked at only where it has what all spellings of the number have. What may be read in several ways is found
in any of them: "1.234" is 1234 and 1.234.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from evaluators.values.numbers import Number, currency_of, written
from evaluators.values.words_in_text import Span

DIGITS: Final = re.compile("[0-9]+")
GROUPED: Final = re.compile("[0-9]{1,3}(?: [0-9]{3})+(?:[.,][0-9]+)?")
_GROUPS: Final = re.compile("[0-9]{1,3}(?:([.,' \u2019\u00a0\u2009\u202f])(?:[0-9]{2,3}\\1)*[0-9]{3})")
_TEN: Final = frozenset("0123456789")
_RUN: Final = re.compile("[0-9][0-9]*(?:[., '\u2019\u00a0\u2009\u202f][0-9]+)*")
_MARKS: Final = frozenset(". ,'\u2019\u00a0\u2009\u202f")
_NUMBER: Final = re.compile("[0-9][0-9]*(?:[.,'\u2019\u00a0\u2009\u202f][0-9]+)*")
_WORD_BEFORE: Final = re.compile(r"([^\W\d_]+)[. ]? ?$")
_MINUS: Final = re.compile(r"(?:^|[^\w)\]])[-\u2212](?:[^\w\s]|[A-Z]{3} ?)?$")
_TIMES: Final = re.compile("[0-9] ?[xX]$")
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


@lru_cache(maxsize=1 << 14)
def digits_of(number: Number) -> Digits:
    """A number as a decimal."""
    text = repr(number) if number.__class__ is float else ""
    if "e" in text or not text:
        exact = written(number)
        power = exact.denominator.bit_length() if exact.denominator > 1 else 0
        every = str(abs(exact.numerator) * 10**power // exact.denominator)
        point = len(every) - power
    else:
        whole, _, part = text.lstrip("-").partition(".")
        every, point = whole + part, len(whole)
    digits = every.lstrip("0")
    point -= len(every) - len(digits)
    return Digits(digits.rstrip("0"), point if digits else 0, number < 0)


def number_in(text: str, number: Digits) -> Span | None:
    """Where a number stands: in one of the runs of digits and marks that have what all spellings of it have."""
    for piece in _pieces(number, "%" in text):
        at = text.find(piece)
        while at >= 0:
            end, looked_at = at + len(piece), at + 1
            if not "1" <= text[end : end + 1] <= "9":  # another digit makes another number
                start, looked_at = _run_around(text, end - 1)
                for first, last in _numbers_in(text, start, looked_at):
                    digits = "".join(DIGITS.findall(text, first, last)).strip("0")
                    if digits == number.digits and _is_number(text, first, last, number):
                        return first, last
            at = text.find(piece, looked_at)
    return None


def is_round(number: Digits) -> bool:
    """Whether somebody might write a number with a word for a power of ten: it has four digits at most, and is below 1 or above 1,000."""
    return len(number.digits) <= 4 and not 1 <= number.point <= 3


def scaled_numbers(text: str) -> dict[Digits, Span]:
    """The numbers of a text that are written with a word or a power of ten, such as "1.2 million", "5k" and "1e3"."""
    found: dict[Digits, Span] = {}
    for match in _SCALED.finditer(text):
        power = int(match[2]) if match[2] is not None else _POWERS[match[3].casefold()]
        before = text[max(0, match.start() - 6) : match.start()]
        negative = _MINUS.search(before) is not None
        for digits, point in _readings(match[1]):
            found.setdefault(Digits(digits, point + power if digits else 0, negative), match.span())
    return found


def _numbers_in(text: str, start: int, end: int) -> Sequence[Span]:
    """Where the numbers in a run of digits and marks begin and end."""
    run = text[start:end]
    if " " in run:
        if _is_surely_grouped(text, start, run):
            return [(start, end)]
        spans = [match.span() for match in _NUMBER.finditer(text, start, end)]
        return spans + [
            (first, last)
            for at, (first, _) in enumerate(spans)
            for _, last in spans[at + 1 : at + _MOST_GROUPS]
            if GROUPED.fullmatch(text, first, last)
        ]
    if max(map(run.count, ".,")) > 1 and not _readings(run):  # the parts of a date or a version, or a list
        return [(start, end), *(match.span() for match in DIGITS.finditer(text, start, end))]
    return [(start, end)]


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
    """The digits and marks around a digit of a text, as far as they go on."""
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
    return run.count(" ") > 1 or word is None or currency_of(word[1]) is not None


def _is_number(text: str, start: int, end: int, number: Digits) -> bool:
    """Whether digits of a text are a number, with its sign. A percentage is so many hundredths as well."""
    before, after = text[max(0, start - 6) : start], text[end : end + 2]
    last, size = before[-1:], (number.digits, number.point)
    if (last.isalnum() or last == "_") and currency_of(before[-3:]) is None and not _TIMES.search(before):
        return False
    read = _readings(text[start:end])
    if size not in read:
        percent = after.lstrip()[:1] == "%" and (number.digits, number.point + 2) in read
        without_zero = (
            last in (".", ",") and not before[-2:-1].isalnum() and (number.digits, number.point + end - start) in read
        )
        if not percent and not without_zero:
            return False
    if not number.digits:
        return True
    negative = ("-" in before or "\u2212" in before) and _MINUS.search(before) is not None
    either = not negative and (after[:1] == "-" or (last == "(" and after[:1] == ")"))
    return either or negative is number.negative


def _readings(digits: str) -> Sequence[tuple[str, int]]:
    """The decimals that digits with marks may be: their digits without zeros at both ends, and the power of ten."""
    groups = DIGITS.findall(digits)
    every = "".join(groups)
    whole = [len(every)] if len(groups) == 1 or _GROUPS.fullmatch(digits) else []
    if len(groups) > 1 and digits[-len(groups[-1]) - 1] in ".,":
        before = digits[: -len(groups[-1]) - 1]
        if len(groups) == 2 or (_GROUPS.fullmatch(before) and digits[-len(groups[-1]) - 1] not in before):
            whole.append(len(every) - len(groups[-1]))
    first = len(every) - len(every.lstrip("0"))
    return [(every.strip("0"), point - first if first < len(every) else 0) for point in whole]
