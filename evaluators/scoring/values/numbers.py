"""Numbers that stand in text: how they are written, the number that stands there, and the ways that are usual.

Every number is read exactly: as a float where the float is written with the same digits, else as an int or a fraction. What
does not fit the declared marks is not a number: "1,00" with the comma between thousands is not 100.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations
from typing import Any, Final, Literal, Self, TypeAlias

from pydantic import StrictBool, field_validator, model_validator

from evaluators.model.settings import Settings, boolean_hint, build
from evaluators.scoring.values.amounts import NARROW, PERCENT, PERCENT_MARKS, currency_in, marks_around
from evaluators.scoring.values.late_pattern import late_pattern

Number: TypeAlias = int | float | Fraction
Read: TypeAlias = Callable[[str], Number | None]
WrittenDigits: TypeAlias = tuple[bool, str, str, int]
"""Whether a number is negative, its whole digits, its decimals, and the power of ten that it is times."""

MOST_DIGITS: Final = 4000
_LEAST: Final = 1e-300
"""Numbers nearer to 0 have fewer digits as floats."""


@lru_cache(maxsize=10_000, typed=True)  # an integer may equal a float that is written otherwise
def exact_number(number: Number) -> Fraction:
    """The decimal that a person would write for the number, as an exact fraction: a tenth for 0.1, whose float is a little more."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


class Parse(Settings):
    """How a number is written in text."""

    thousands: Literal[",", ".", " ", "'"] | None = None
    """The mark between groups of digits."""
    decimal: Literal[".", ","] = "."
    """The mark before the decimals."""
    currency: StrictBool | tuple[str, ...] = False
    """`true`: a currency before or after the number is set aside: a sign (€, US$, £ …), a code (EUR, usd …) or a word (kr, euro,
    zł …). `(5)` and `5-` are -5; `5,-` and `5.-` are 5. A list names the only currencies that are. Which currency it is does not
    count."""
    percent: StrictBool = False
    """`true`: 5% and 5 percent are 0.05. Without the sign, 5 is 5."""

    @field_validator("currency", mode="before")
    @classmethod
    def _check_currency(cls, currency: object) -> object:
        """Refuses a `currency` that is neither a boolean nor a list of signs and codes."""
        marks = currency if isinstance(currency, list | tuple) else ()
        if isinstance(currency, bool) or (marks and all(isinstance(mark, str) and mark.strip() for mark in marks)):
            return currency
        hint = boolean_hint(currency, "currency") or "write currency: [€, EUR]"
        raise ValueError(f"currency must be true, or a list of signs and codes\nhint: {hint}")

    @model_validator(mode="after")
    def _check_marks(self) -> Self:
        """Refuses one mark for both thousands and decimals."""
        if self.thousands == self.decimal:
            raise ValueError(f'thousands and decimal cannot both be "{self.decimal}"')
        return self


def parse_setting(parse: bool | Parse | Sequence[Parse]) -> Any:
    """The setting `parse` as a suite writes it: true, a map, or a list of maps. A map leaves out what has its default."""
    if isinstance(parse, bool):
        return parse
    return (
        parse.model_dump(exclude_defaults=True) or True
        if isinstance(parse, Parse)
        else [parse_setting(notation) for notation in parse]
    )


def reader(settings: Parse) -> Read:
    """A function from a text to the number in it, written as `settings` say; None for text that is not a number."""
    read_digits = _digits_reader(settings)
    return lambda text: None if (digits := read_digits(text)) is None else _as_number(*digits)


def exact_reader(settings: Parse) -> Callable[[str], Fraction | None]:
    """A function from a text to the exact number in it, as it is written: 0.1 is a tenth; None for a text without one."""
    read_digits = _digits_reader(settings)
    return lambda text: None if (digits := read_digits(text)) is None else _as_fraction(*digits)


def decimal_reader(settings: Parse) -> Callable[[str], Decimal | None]:
    """A function from a text to the exact number in it, as a decimal; None for a text without one."""
    read_digits = _digits_reader(settings)
    return lambda text: None if (digits := read_digits(text)) is None else _as_decimal(*digits)


def _digits_reader(settings: Parse) -> Callable[[str], WrittenDigits | None]:
    """A function from a text to the digits of the number in it, as the settings of `parse` say that numbers are written: whether it is
    negative, the digits before and behind the point, and the power of ten. It gives None for a text that is no number."""
    number, percent = _number_matcher(settings), settings.percent
    around = marks_around(settings.currency, settings.decimal, percent=percent) if settings.currency else None

    def find(text: str) -> WrittenDigits | None:
        """(negative, whole, decimals, power): the digits of the number in a text, and the power of ten; None for a text that is no number.
        Characters of full width are read as the usual ones."""
        negative: bool | None
        if around is not None:
            written, negative, is_percent = around(text) or ("", False, False)
        else:
            written, negative = _without_sign(text.strip())
            is_percent = percent and written.endswith(PERCENT_MARKS)
            written = PERCENT.sub("", written) if is_percent else written
        match = number(written)
        if match is None or not (match["whole"] or match["decimals"]):
            narrow = text if text.isascii() else text.translate(NARROW)
            return find(narrow) if narrow != text else None
        whole = "".join(digit for digit in match["whole"] or "" if "0" <= digit <= "9")
        return negative is True, whole, match["decimals"] or "", int(match["power"] or 0) - (2 if is_percent else 0)

    return find


def _number_matcher(settings: Parse) -> Callable[[str], re.Match[str] | None]:
    """A function that matches a number without its sign: `whole` digits, `decimals` and `power`."""
    marks = {" ": "[ \u00a0\u2009\u202f]", "'": "['\u2019]"}
    whole = "[0-9]+"
    if settings.thousands:
        mark = marks.get(settings.thousands, re.escape(settings.thousands))
        # two digits between marks as well: 1,20,000 is how India writes 120,000
        whole = f"[0-9]{{1,3}}(?:{mark}[0-9]{{2,3}})*{mark}[0-9]{{3}}|[0-9]+"
    decimals = re.escape(settings.decimal)
    return re.compile(
        f"(?P<whole>{whole})?(?:{decimals}(?P<decimals>[0-9]*))?(?:[eE](?P<power>[+-]?[0-9]{{1,4}}))?"
    ).fullmatch


def _as_number(negative: bool, whole: str, decimals: str, power: int) -> Number | None:
    """The number with these digits before and behind its point, times ten to the `power`: a whole number as an int, any other as a float,
    or as a fraction where no float has all of it. None where it is larger than any float, or has more digits than anybody writes."""
    sign, places = -1 if negative else 1, decimals.rstrip("0")
    if not places and not power:
        return sign * int(whole or "0") if len(whole) <= MOST_DIGITS else None
    number = sign * float(f"{whole or '0'}.{places or '0'}e{power}")
    if not math.isfinite(number):
        return None
    if len(whole) + len(places) <= sys.float_info.dig and abs(number) >= _LEAST:
        return number
    exact = _as_fraction(negative, whole, decimals, power)
    return exact if exact is None or exact != exact_number(number) else number


def _as_fraction(negative: bool, whole: str, decimals: str, power: int) -> Fraction | None:
    """The number as it is written; None for one with more digits than anybody writes."""
    if len(whole) + len(decimals) > MOST_DIGITS:
        return None
    places = len(decimals) - power
    digits = int(f"{whole}{decimals}") * (-1 if negative else 1)
    return Fraction(digits, 10**places) if places > 0 else Fraction(digits * 10**-places)


def _as_decimal(negative: bool, whole: str, decimals: str, power: int) -> Decimal | None:
    """The number as it is written; None for one with more digits than anybody writes."""
    if len(whole) + len(decimals) > MOST_DIGITS:
        return None
    return Decimal(f"{'-' if negative else ''}{whole}{decimals}E{power - len(decimals)}")


def _without_sign(text: str) -> tuple[str, bool | None]:
    """The text after its sign, and whether the sign is a minus; the whole text and None where it has no sign."""
    if text[:1] in ("-", "\u2212", "\u2013"):
        return text[1:].lstrip(), True
    return (text[1:].lstrip(), False) if text[:1] == "+" else (text, None)


# Ways that are usual

USUAL_PARSES: Final[tuple[dict[str, Any], ...]] = tuple(
    {**marks, **money, **percent}
    for marks in (
        {}, {"decimal": ","}, {"thousands": ","}, {"thousands": ".", "decimal": ","}, {"thousands": " ", "decimal": ","},
        {"thousands": "'"}, {"thousands": " "},
    )
    for money, percent in (({}, {}), ({"currency": True}, {}), ({}, {"percent": True}), ({"currency": True}, {"percent": True}))
)  # fmt: skip
"""Settings of `parse`, the plainest first: without marks, with decimals after a comma, with marks between thousands."""


_CODE_OF_DIGITS: Final = late_pattern(r"[0-9]+|\+[0-9][0-9 ()-]{5,}")


@cache
def _readers() -> list[Read]:
    """A reader for each of `USUAL_PARSES`, in their order. Cached, because making their patterns takes long."""
    return [reader(build(Parse, settings)) for settings in USUAL_PARSES]


def parses_of(texts: Iterable[str]) -> list[dict[str, Any]]:
    """The usual settings of `parse` that read all the texts as numbers, the plainest first.

    Of settings with the same marks, which then read the same numbers, only the plainest.
    """
    listed = list(texts)
    if not listed or not all(any(map(str.isdigit, text)) for text in listed):
        return []
    notations: list[dict[str, Any]] = []
    money = _are_amounts(listed)
    for settings, read in zip(USUAL_PARSES, _readers(), strict=True):
        marks = _marks_of(settings)
        if "currency" in settings and not money:
            continue
        is_known = any(_marks_of(notation) == marks for notation in notations)
        if not is_known and all(read(text) is not None for text in listed):
            notations.append(settings)
    return notations


def _marks_of(settings: Mapping[str, Any]) -> tuple[Any, Any]:
    """The marks for thousands and for decimals in some settings of `parse`, None for those left out."""
    return settings.get("thousands"), settings.get("decimal")


def two_parses_of(texts: Iterable[str]) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Two usual settings of `parse` that only together read all the texts as numbers, the one that reads more texts first.

    Of several such pairs the one with which the fewest texts have two meanings, then the plainest. None where there is no pair.
    """
    listed = list(dict.fromkeys(texts))
    if not all(map(_ASCII_DIGIT.search, listed)):
        return None
    money = _are_amounts(listed)
    read = {
        place: [read(text) for text in listed]
        for place, (settings, read) in enumerate(zip(USUAL_PARSES, _readers(), strict=True))
        if money or "currency" not in settings
    }
    if any(all(numbers[at] is None for numbers in read.values()) for at in range(len(listed))):
        return None
    # the texts with two meanings, how far from plain the two settings are, and their places, the one that reads more texts first
    candidates: list[tuple[int, int, tuple[int, int]]] = []
    for notation, other in combinations(read, 2):
        pairs = list(zip(read[notation], read[other], strict=True))
        if any(a is None and b is None for a, b in pairs):
            continue
        doubtful = sum(a is not None and b is not None and a != b for a, b in pairs)
        reads_more = sum(b is None for _, b in pairs) >= sum(a is None for a, _ in pairs)
        candidates.append((doubtful, notation + other, (notation, other) if reads_more else (other, notation)))
    if not candidates:
        return None
    _, _, (first, second) = min(candidates)
    return USUAL_PARSES[first], USUAL_PARSES[second]


def _are_amounts(texts: Sequence[str]) -> bool:
    """Whether texts are amounts of money rather than codes (`KR1234`) or numbers of a list (`(1)`): some name a currency, or are plain
    numbers, and none has letters that touch its digits without being the code of a currency."""
    plain = [text for text in texts if not _LETTER.search(text)]
    named = [text for text in texts if currency_in(text) is not None]
    bare = any("0" <= text.strip()[:1] <= "9" and "0" <= text.strip()[-1:] <= "9" for text in plain)
    return len({*plain, *named}) == len({*texts}) and (bool(named) or bare)


_LETTER: Final = late_pattern(r"[^\W\d_]")
_ASCII_DIGIT: Final = late_pattern("[0-9\uff10-\uff19]")


def numbers_of(texts: Sequence[str], settings: dict[str, Any]) -> list[Number | None]:
    """The number that each text is, read by `settings`, one of `USUAL_PARSES`; None for a text that is none."""
    read = _readers()[USUAL_PARSES.index(settings)]
    return [read(text) for text in texts]


def are_codes(texts: Iterable[str]) -> bool:
    """Whether texts of digits are rather codes: 00123, a postal code, or a telephone number such as +47 2233."""
    return all(_CODE_OF_DIGITS.fullmatch(text.strip()) for text in texts)


def are_names_of_digits(texts: Sequence[str]) -> bool:
    """Whether texts of digits and marks rather name something: a version, a telephone number, an ISBN, an account.

    Zeros tell it, at the beginning (`012 345`) or at the end where others have fewer decimals (`1.10` beside `1.2`); so do several
    dots that no decimal comma explains (`1.2.10`), groups of one length between spaces or hyphens (`978 316 148`), and `1E5`.
    """
    plain = [text.strip() for text in texts]
    if are_codes(plain) or any(_ZERO_BEFORE.match(text) or _LETTER_WITHIN.fullmatch(text) for text in plain):
        return True
    if any(_DOTS.fullmatch(text) for text in plain) and not any("," in text for text in plain):
        return True
    decimals = [match[1] for text in plain if (match := _DECIMALS.fullmatch(text))]
    fewest = min((len(decimal) for decimal in decimals), default=0)
    if any(len(decimal) > max(fewest, 1) and decimal.endswith("0") for decimal in decimals):
        return True
    shapes = {_DIGIT.sub("0", text) for text in plain}
    return len(shapes) == 1 and _GROUPS.fullmatch(shapes.pop()) is not None


_ZERO_BEFORE: Final = late_pattern(r"0[0-9 -]")
_LETTER_WITHIN: Final = late_pattern(r"[0-9]+[Ee][0-9]+")
_DOTS: Final = late_pattern(r"[0-9]+(?:\.[0-9]+){2,}")
_DECIMALS: Final = late_pattern(r"[0-9]+\.([0-9]+)")
_DIGIT: Final = late_pattern(r"[0-9]")
_GROUPS: Final = late_pattern(r"[0-9]+(?:[ -][0-9]+)+")


_COMMA: Final = late_pattern(r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+")
_POINT: Final = late_pattern(r"[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)\.\d+")
_THOUSANDS: Final = late_pattern(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
"""What may as well be a whole number with a mark between its thousands."""


def decimal_mark(texts: Iterable[str]) -> Literal[".", ","] | None:
    """The mark before decimals in texts some of which are numbers; None where no number has decimals.

    One comma decides, because what has a point may be a version or a date. What may be thousands counts where nothing else does.
    """
    sure, unsure = set[str](), set[str]()
    for text in map(str.strip, texts):
        mark = "," if _COMMA.fullmatch(text) else "." if _POINT.fullmatch(text) else None
        if mark is not None:
            (unsure if _THOUSANDS.fullmatch(text) else sure).add(mark)
    readings = sure or unsure
    return "," if "," in readings else "." if readings else None
