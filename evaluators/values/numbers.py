"""Numbers that stand in text: how they are written, the number that stands there, and the ways that are usual.

Every number is read exactly: as a float where the float is written with the same digits, else as an int or a fraction. What
does not fit the declared marks is not a number: "1,00" with the comma between thousands is not 100.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Final, Literal, Self, TypeAlias
from unicodedata import category

from pydantic import StrictBool, field_validator, model_validator

from evaluators.settings import Settings, build

Number: TypeAlias = int | float | Fraction
Read: TypeAlias = Callable[[str], Number | None]

MOST_DIGITS: Final = 4000
_LEAST: Final = 1e-300
"""Numbers nearer to 0 have fewer digits as floats."""


def written(number: Number) -> Fraction:
    """The decimal that a person would write for the number, exactly."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


class Parse(Settings):
    """How a number is written in text."""

    thousands: Literal[",", ".", " ", "'"] | None = None
    """The mark between groups of digits."""
    decimal: Literal[".", ","] = "."
    """The mark before the decimals."""
    currency: StrictBool | tuple[str, ...] = False
    """`true`: a currency sign (€, $, £ …) or a three-letter code (EUR, USD …) beside the number is set aside. A list names
    the only ones that are. Which currency it is does not count."""
    percent: StrictBool = False
    """`true`: 5% is 0.05. Without the sign, 5 is 5."""

    @field_validator("currency", mode="before")
    @classmethod
    def _marks_are_named(cls, currency: object) -> object:
        marks = currency if isinstance(currency, list | tuple) else ()
        if isinstance(currency, bool) or (marks and all(isinstance(mark, str) and mark.strip() for mark in marks)):
            return currency
        raise ValueError("currency must be true, or a list of signs and codes\nhint: write currency: [€, EUR]")

    @model_validator(mode="after")
    def _two_marks(self) -> Self:
        if self.thousands == self.decimal:
            raise ValueError(f'thousands and decimal cannot both be "{self.decimal}"')
        return self


def reader(settings: Parse) -> Read:
    """A function that reads a number in text; None for text that is not a number."""
    find = _finder(settings)
    return lambda text: None if (digits := find(text)) is None else _as_number(*digits)


def exact_reader(settings: Parse) -> Callable[[str], Fraction | None]:
    """A function from a text to the exact number in it, as it is written: 0.1 is a tenth; None for a text without one."""
    find = _finder(settings)
    return lambda text: None if (digits := find(text)) is None else _as_fraction(*digits)


def _finder(settings: Parse) -> Callable[[str], tuple[bool, str, str, int] | None]:
    """A function that finds a number: whether it is negative, its whole digits, its decimals, and the power of ten."""
    number = _pattern(settings)
    percent, currency = settings.percent, settings.currency
    if not isinstance(currency, bool):
        currency = tuple(sorted((mark.strip() for mark in currency), key=len, reverse=True))

    def find(text: str) -> tuple[bool, str, str, int] | None:
        text, negative = _without_sign(text.strip())
        text = _without_currency(text, currency)
        # a sign stands before the currency mark or after it: -$5, $-5
        if negative is None:
            text, negative = _without_sign(text)
        is_percent = percent and text.endswith("%")
        match = number(text[:-1].rstrip() if is_percent else text)
        if match is None or match["whole"] is None is match["decimals"]:
            return None
        whole = "".join(digit for digit in match["whole"] or "" if "0" <= digit <= "9")
        return negative is True, whole, match["decimals"] or "", int(match["power"] or 0) - (2 if is_percent else 0)

    return find


def _pattern(settings: Parse) -> Callable[[str], re.Match[str] | None]:
    marks = {" ": "[ \u00a0\u2009\u202f]", "'": "['\u2019]"}
    whole = "[0-9]+"
    if settings.thousands:
        mark = marks.get(settings.thousands, re.escape(settings.thousands))
        # two digits between marks as well: 1,20,000 is how India writes 120,000
        whole = f"[0-9]{{1,3}}(?:{mark}[0-9]{{2,3}})*{mark}[0-9]{{3}}|[0-9]+"
    decimals = re.escape(settings.decimal)
    return re.compile(
        f"(?P<whole>{whole})?(?:{decimals}(?P<decimals>[0-9]+))?(?:[eE](?P<power>[+-]?[0-9]{{1,4}}))?"
    ).fullmatch


def _as_number(negative: bool, whole: str, decimals: str, power: int) -> Number | None:
    """The number that is written: a whole number as an int, any other as a float, or as a fraction where no float has all of it."""
    sign, places = -1 if negative else 1, decimals.rstrip("0")
    if not places and not power:
        return sign * int(whole or "0") if len(whole) <= MOST_DIGITS else None
    number = sign * float(f"{whole or '0'}.{places or '0'}e{power}")
    if not math.isfinite(number):
        return None
    if len(whole) + len(places) <= sys.float_info.dig and abs(number) >= _LEAST:
        return number
    exact = _as_fraction(negative, whole, decimals, power)
    return exact if exact is None or exact != written(number) else number


def _as_fraction(negative: bool, whole: str, decimals: str, power: int) -> Fraction | None:
    """The number as it is written; None for one with more digits than anybody writes."""
    if len(whole) + len(decimals) > MOST_DIGITS:
        return None
    places = len(decimals) - power
    digits = int(f"{whole}{decimals}") * (-1 if negative else 1)
    return Fraction(digits, 10**places) if places > 0 else Fraction(digits * 10**-places)


def _without_sign(text: str) -> tuple[str, bool | None]:
    """The text after its sign, and whether it is a minus; None without a sign."""
    if text[:1] in ("-", "\u2212"):
        return text[1:].lstrip(), True
    return (text[1:].lstrip(), False) if text[:1] == "+" else (text, None)


def _without_currency(text: str, marks: tuple[str, ...] | bool) -> str:
    """The text without one currency mark, before or after the number."""
    if isinstance(marks, bool):
        marks = (mark,) if marks and (mark := currency_of(text)) else ()
    for mark in marks:
        if text.startswith(mark):
            return text[len(mark) :].lstrip()
        if text.endswith(mark):
            return text[: -len(mark)].rstrip()
    return text


def currency_of(text: str) -> str | None:
    """The currency sign or code before or after a number; None where there is none."""
    text = text.strip()
    for sign in (text[:1], text[-1:]):
        if sign and category(sign) == "Sc":
            return sign
    return next((mark for mark in (text[:3], text[-3:]) if mark in _CODES), None)


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


_CODE_OF_DIGITS: Final = re.compile(r"[0-9]+|\+[0-9][0-9 ()-]{5,}")


@cache
def _readers() -> list[Read]:
    return [reader(build(Parse, settings)) for settings in USUAL_PARSES]


def parses_of(texts: Iterable[str]) -> list[dict[str, Any]]:
    """Every usual setting of `parse` that reads all the texts as numbers, the plainest first."""
    listed = list(texts)
    return [
        settings
        for settings, read in zip(USUAL_PARSES, _readers(), strict=True)
        if listed and all(any(map(str.isdigit, text)) and read(text) is not None for text in listed)
    ]


def readings(texts: Sequence[str], settings: dict[str, Any]) -> list[Number | None]:
    """The numbers that the texts are under one usual setting of `parse`."""
    read = _readers()[USUAL_PARSES.index(settings)]
    return [read(text) for text in texts]


def are_codes(texts: Iterable[str]) -> bool:
    """Whether texts of digits are rather codes: 00123, a postal code, or a telephone number such as +47 2233."""
    return all(_CODE_OF_DIGITS.fullmatch(text.strip()) for text in texts)


_CURRENCIES = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF "
    "CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG "
    "HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA "
    "MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD "
    "RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX "
    "USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG"
)
"""The currency codes of ISO 4217."""
_CODES = frozenset(_CURRENCIES.split())
