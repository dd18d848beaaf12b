"""Amounts of money as people write them: the marks before and after a number, and whether they make it negative.

Strategy: a text is parted at its first and its last digit. What stands before and after is read mark by mark, in any order: a sign, a
parenthesis, a currency, a percent sign. Few such texts are different, so that what they say is remembered.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from evaluators.scoring.values.currencies import CURRENCY_CODES, Currencies, currencies_of_mark, is_abbreviation
from evaluators.scoring.values.late_pattern import late_pattern

Around: TypeAlias = Callable[[str], tuple[str, bool, bool] | None]
"""From a text to the number in it as it is written, whether it is negative, and whether it is a percentage; None for other text."""

NARROW: Final = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
"""Letters of full width as the usual ones: ５ is 5."""
PERCENT: Final = late_pattern(r"\s*(?:%|percent|per cent)$")
PERCENT_MARKS: Final = ("%", " percent", " per cent")

_DASH: Final = "\u2010-\u2015\u2212-"
_US: Final = r"(?:US |U\.S\. )?"
_MARK: Final = f"{_US}[^\\W\\d_]{{0,9}}[^\\w\\s.,:;()'/%+{_DASH}]|{_US}[^\\W\\d_]{{1,9}}\\.?"
_AMOUNT: Final = late_pattern(r"([^0-9]*?)((?:,|(?<![^\W\d_])\.)?[0-9](?:.*[0-9])?)([^0-9]*)", re.DOTALL)
_DOTTED: Final = late_pattern(r"[^\W\d_]+\.$")
_LONGEST: Final = 40
"""Characters before and after a number that may say what it is."""


class _Marks(NamedTuple):
    """The marks on one side of a number."""

    signs: str
    parentheses: str
    currencies: tuple[Currencies, ...]
    spelled: tuple[str, ...]
    """The marks for the currencies."""
    percent: bool


_NOTHING: Final = _Marks("", "", (), (), percent=False)


def marks_around(currency: bool | tuple[str, ...], decimal: str, *, percent: bool) -> Around:
    """A function that takes an amount apart, as `Around` describes it: the number in it, whether it is negative, whether it is a
    percentage.

    `currency` is true, or the only marks that are known; `decimal` is the mark before decimals. With `percent`, a percent sign may follow.
    """
    currencies_of: Callable[[str], Currencies | None] = currencies_of_mark
    has_own_dot: Callable[[str], bool] = is_abbreviation
    marks = _MARK
    if not isinstance(currency, bool):
        listed = {mark.strip(): frozenset((mark.strip(),)) for mark in currency}
        currencies_of, has_own_dot = listed.get, listed.__contains__
        marks = "|".join(map(re.escape, sorted(listed, key=len, reverse=True)))
    before, after = _token_patterns(marks, decimal, percent=percent)

    @lru_cache(maxsize=1 << 10)
    def meaning(left: str, right: str) -> tuple[bool, bool] | None:
        """(negative, percent) of the amount between these texts: whether it is negative, and whether it is a percentage. None where the
        texts belong to no amount: other words, a percent sign before it, two signs, or two currencies."""
        first, last = _marks(left, before, currencies_of), _marks(right, after, currencies_of)
        if first is None or last is None or first.percent or "+" in last.signs:
            return None
        parentheses, signs = first.parentheses + last.parentheses, first.signs + last.signs
        # one sign, or one pair of parentheses, which stands for a minus
        if parentheses not in ("", "()") or len(signs) + len(parentheses) // 2 > 1:
            return None
        if not _may_be_one_currency(first.currencies, last.currencies):
            return None
        return signs == "-" or parentheses == "()", last.percent

    def around(text: str) -> tuple[str, bool, bool] | None:
        """(number, negative, percent): the number in an amount, whether it is negative, and whether it is a percentage. None for a text
        that is no amount, or has more than `_LONGEST` characters around its number."""
        match = _AMOUNT.fullmatch(text)
        if match is None:
            return None
        left, number, right = match.groups()
        if not left and not right:
            return number, False, False
        if len(left) + len(right) > _LONGEST:
            return None
        word = _DOTTED.search(left)
        if word is not None and not has_own_dot(word[0]):  # EUR.50 is a half, and Rs.50 are fifty
            left, number = left[:-1], f".{number}"
        amount = meaning(left, right)
        return None if amount is None else (number, *amount)

    return around


def currency_in(text: str) -> tuple[str, Currencies] | None:
    """The mark of an amount, and the currencies for which it may stand; None for one without a mark, and for what is no amount.

    Letters that touch the digits are rather a part of a code, as in "KR1234", unless they are a code of ISO 4217.
    """
    match = _AMOUNT.fullmatch(text.translate(NARROW).strip())
    if match is None or len(match[1]) + len(match[3]) > _LONGEST:
        return None
    left, right = _marks(match[1], _BEFORE, currencies_of_mark), _marks(match[3], _AFTER, currencies_of_mark)
    code = _LETTERS_LAST.search(match[1])
    if left is None or right is None or (code is not None and code[0] not in CURRENCY_CODES):
        return None
    spelled, named = (*left.spelled, *right.spelled), (*left.currencies, *right.currencies)
    return (spelled[0], frozenset.intersection(*named)) if named else None


def _token_patterns(marks: str, decimal: str, *, percent: bool) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Two patterns for one mark: where it stands before a number, and where it stands after it. `marks` is a pattern for currencies, and
    `decimal` the mark before decimals."""
    ends = "(?P<percent>%|percent|per cent)|" if percent else ""
    token = f"(?P<space>\\s+)|{ends}(?P<mark>{marks})|(?P<sign>[+{_DASH}])|(?P<parenthesis>[()])"
    cents = f"(?P<cents>(?<!.)(?:[.,:/][{_DASH}]{{1,2}}|{re.escape(decimal)}))"
    return late_pattern(token), late_pattern(f"{cents}|{token}", re.DOTALL)


_LETTERS_LAST: Final = late_pattern(r"[^\W\d_]+$")
_BEFORE, _AFTER = _token_patterns(_MARK, ".", percent=True)


def _may_be_one_currency(before: tuple[Currencies, ...], after: tuple[Currencies, ...]) -> bool:
    """Whether the marks on both sides of a number are of one amount: one on each side at most, which may stand for the same currency, as
    in `$5 USD`."""
    if len(before) > 1 or len(after) > 1:
        return False
    return not before or not after or bool(before[0] & after[0])


def _marks(text: str, token: re.Pattern[str], currencies_of: Callable[[str], Currencies | None]) -> _Marks | None:
    """The marks in the text on one side of a number, found by the pattern `token`; None where something else stands there.

    `currencies_of` gives the currencies for which a mark may stand; None for what is no mark.
    """
    if not text:
        return _NOTHING
    tokens: dict[str | None, list[str]] = {}
    end = 0
    for match in token.finditer(text):
        if match.start() != end:
            return None
        end = match.end()
        tokens.setdefault(match.lastgroup, []).append(match[0])
    currencies = [currencies_of(mark) for mark in tokens.get("mark", ())]
    if end != len(text) or None in currencies:
        return None
    signs = "".join("+" if sign == "+" else "-" for sign in tokens.get("sign", ()))
    named = tuple(currency for currency in currencies if currency is not None)
    return _Marks(
        signs, "".join(tokens.get("parenthesis", ())), named, tuple(tokens.get("mark", ())), "percent" in tokens
    )
