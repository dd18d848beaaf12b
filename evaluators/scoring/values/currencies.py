"""The currency that an amount of money names: by its code, by a sign or by a word, before or after the number.

A mark may stand for several currencies: "$" is USD, CAD and others, "kr" is SEK, NOK and others. Two amounts are in one currency where
what their marks may stand for has something in common.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, TypeAlias
from unicodedata import category

from evaluators.scoring.values.late_pattern import late_pattern

Currencies: TypeAlias = frozenset[str]
"""The currencies that a mark may stand for."""

_CURRENCIES = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF "
    "CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG "
    "HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA "
    "MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD "
    "RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX "
    "USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG"
)
CURRENCY_CODES: Final = frozenset(_CURRENCIES.split())
"""The currency codes of ISO 4217."""

_DOLLARS: Final = "USD AUD BBD BMD BND BSD BZD CAD FJD GYD HKD JMD KYD LRD NAD NZD SBD SGD SRD TTD TWD XCD"
_PESOS: Final = "ARS CLP COP CUP DOP MXN PHP UYU"
_KRONER: Final = "DKK ISK NOK SEK"
_WORDS: Final[Mapping[str, str]] = {
    "euro euros eur": "EUR",
    "us$ usd": "USD",
    "dollar dollars": _DOLLARS,
    "peso pesos": _PESOS,
    "c$ ca$ can$ cad": "CAD",
    "a$ au$ aud": "AUD",
    "nz$ nzd": "NZD",
    "hk$ hkd": "HKD",
    "s$ sg$ sgd": "SGD",
    "nt$": "TWD",
    "mx$ mxn": "MXN",
    "r$ brl reais": "BRL",
    "gbp": "GBP",
    "pound pounds": "GBP EGP FKP GIP LBP SDG SHP SSP SYP",
    "chf sfr sfr. fr. franken": "CHF",
    "franc francs": "CHF BIF CDF DJF GNF KMF RWF XAF XOF XPF",
    "yen jpy": "JPY",
    "yuan rmb cny renminbi": "CNY",
    "rs rs. rupee rupees": "INR LKR MUR NPR PKR SCR",
    "inr": "INR",
    "kr kr. krone kroner kronen krona kronor": _KRONER,
    "sek": "SEK",
    "nok": "NOK",
    "dkk": "DKK",
    "pln zł zloty złoty złotych": "PLN",
    "czk kč": "CZK",
    "zar": "ZAR",
    "rub rubel ruble rubles roubles руб руб.": "RUB",
    "tl": "TRY",
    "元 圆": "CNY HKD TWD",
    "円": "JPY",
    "원": "KRW",
}  # fmt: skip
"""What stands for currencies beside their codes in capitals, in any case."""
_SIGNS: Final[Mapping[str, str]] = {
    "€": "EUR", "$": f"{_DOLLARS} {_PESOS}", "£": "GBP EGP FKP GIP LBP SDG SHP SSP SYP", "¥": "JPY CNY", "￥": "JPY CNY",
    "₹": "INR", "₽": "RUB", "₩": "KRW KPW", "₺": "TRY", "₪": "ILS", "₫": "VND", "₱": "PHP", "₴": "UAH", "₦": "NGN", "₡": "CRC",
    "₸": "KZT", "฿": "THB", "₾": "GEL", "₵": "GHS", "₲": "PYG", "₼": "AZN", "₭": "LAK", "₮": "MNT",
}  # fmt: skip
_MARKS: Final[Mapping[str, Currencies]] = {
    mark: frozenset(codes.split()) for marks, codes in ({**_WORDS, **_SIGNS}).items() for mark in marks.split()
}
_SIGN: Final = "[$\u00a2-\u00a5\u0e3f\u20a0-\u20c0\uffe5元圆円원]"
_ONE_SIGN: Final = late_pattern(_SIGN)
_WORD: Final = r"[^\W\d_]{1,9}\.?"
_BEFORE: Final = late_pattern(
    f"((?<![^\\W_])(?:{_WORD}|[A-Za-z]{{1,3}}{_SIGN})|{_SIGN})[ \u00a0\u202f]?[-\u2010-\u2013\u2212+(]?[ \u00a0\u202f]?$"
)
_AFTER: Final = late_pattern(
    f"(?:[.,][-\u2010-\u2014])?[ \u00a0\u202f]?(?:US |U\\.S\\. )?([A-Za-z]{{0,3}}{_SIGN}|{_WORD}(?![^\\W_]))"
)
_AMOUNT_BEFORE: Final = late_pattern(f"([-\u2212+]?)\\s?({_WORD}|[A-Za-z]{{0,3}}{_SIGN})\\s?(?=[-\u2212+.,0-9])")
_AMOUNT_AFTER: Final = late_pattern(f"(?:[.,][-\u2010-\u2014])?\\s?(?:US |U\\.S\\. )?([A-Za-z]{{0,3}}{_SIGN}|{_WORD})$")
_LONGEST: Final = 16
"""Characters before and after a number in which a mark stands."""


def currency_around(text: str, start: int, end: int) -> Currencies | None:
    """The currencies in which the amount from `start` to `end` of a text may be; None where no mark beside it names one.

    In "EUR 5 USD 6" and in "5 EUR 6 USD" a mark stands between two numbers, and belongs to one of them. An amount with a mark on both sides
    has the one that no other number touches, or either.
    """
    before = _mark_and_currencies(_BEFORE.search(text, max(0, start - _LONGEST), start))
    after = _mark_and_currencies(_AFTER.match(text, end, end + _LONGEST))
    if before is None or after is None:
        mark = before or after
        return None if mark is None else mark[1]
    if text[max(0, before[0].start() - 2) : before[0].start()].strip()[-1:].isdigit():
        return after[1]
    if text[after[0].end() : after[0].end() + 2].strip()[:1].isdigit():
        return before[1]
    return before[1] | after[1]


def is_after_mark(text: str, at: int) -> bool:
    """Whether a mark for a currency stands right before the place `at` of a text, as in "EUR18"."""
    return _mark_and_currencies(_BEFORE.search(text, max(0, at - _LONGEST), at)) is not None


def without_currency(text: str) -> tuple[str, Currencies | None]:
    """An amount without its mark, and the currencies for which the mark may stand; the text as it is, and None, where it has no mark."""
    mark = _AMOUNT_BEFORE.match(text)
    if mark is not None and not _is_code(text, mark) and (named := currencies_of_mark(mark[2])) is not None:
        return mark[1] + text[mark.end() :], named
    mark = _AMOUNT_AFTER.search(text, max(0, len(text) - _LONGEST))
    if mark is None or not text[: mark.start()][-1:].isdigit() or (named := currencies_of_mark(mark[1])) is None:
        return text, None
    return text[: mark.start()], named


def _is_code(text: str, mark: re.Match[str]) -> bool:
    """Whether the letters that `mark` matched before digits are rather a part of a code, as in "TL-55845" and "KR1234": no space follows
    them. Only a code of ISO 4217 may touch the digits: "EUR12" is an amount."""
    follows = text[mark.end(2) : mark.end(2) + 1]
    return mark[2][-1].isalpha() and not follows.isspace() and (not follows.isdigit() or mark[2] not in CURRENCY_CODES)


def _mark_and_currencies(mark: re.Match[str] | None) -> tuple[re.Match[str], Currencies] | None:
    """A match of a mark with the currencies for which the mark may stand; None where it stands for none, or there is no match."""
    named = None if mark is None else currencies_of_mark(mark[1])
    return None if mark is None or named is None else (mark, named)


@lru_cache(maxsize=1 << 12)
def currencies_of_mark(mark: str) -> Currencies | None:
    """The currencies for which a mark may stand; None for what is no mark."""
    if mark.startswith(("US ", "U.S. ")):
        named = currencies_of_mark(mark.partition(" ")[2])
        return _DOLLAR if named is not None and "USD" in named else None
    if mark in CURRENCY_CODES:
        return frozenset((mark,))
    named = _MARKS.get(mark.casefold()) or _MARKS.get(mark.rstrip(".").casefold())
    if named is None and mark.rstrip(".") in CURRENCY_CODES:
        return frozenset((mark.rstrip("."),))
    if named is None and mark[:-1] and _is_sign(mark[-1]):
        return currencies_of_mark(mark[-1])  # letters before a sign, as in "nur€"
    return frozenset((mark,)) if named is None and _is_sign(mark) else named


def _is_sign(mark: str) -> bool:
    """Whether a mark is one sign for a currency, such as €, and no letters."""
    return len(mark) == 1 and (category(mark) == "Sc" or _ONE_SIGN.fullmatch(mark) is not None)


def is_abbreviation(mark: str) -> bool:
    """Whether a mark has a dot of its own, as `Rs.` has."""
    return mark.casefold() in _MARKS


_DOLLAR: Final = frozenset(("USD",))
