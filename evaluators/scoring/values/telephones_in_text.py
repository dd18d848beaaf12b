"""Telephone numbers in a text, other codes of digits in several parts, and addresses: a short part of one is no number by itself."""

from __future__ import annotations

import re
from typing import Final

_LONGEST: Final = 40
"""Characters before and after a number in which a telephone number around it stands, with a word before it."""
_SHORT: Final = 5
"""Digits of a part that is no number by itself. A longer one is a telephone number without what stands before it."""
_FEWEST: Final = 7
"""Digits of a telephone number, at least."""
_WORD: Final = (
    r"(?<!\w)(?:tele(?:ph|f)on\w*|tel[eé]fono|t[eé]l[eé]phone|telefax|phone|tel|tlf|tfno|call|dial|fax|mobile?|cell|handy|fon|gsm|whatsapp|"
    r"hotline|portable|m[oó]vil|cellulare)\W{1,3}(?:(?:us|me|at|on|is|no|nr|number|now)\W{1,3}){0,2}"
)
_NO_DAY: Final = (
    r"(?![0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(?![0-9])|[0-9]{1,2}[-/.][0-9]{1,2}[-/.](?:[0-9]{2}){1,2}(?![0-9-]))"
)
_WHOLE: Final = r"(?<![\w.,/+-])(?<![0-9] )"
_TELEPHONE: Final = re.compile(
    "|".join((
        rf"{_WORD}{_NO_DAY}([(+]?[0-9][0-9 ()/.-]*[0-9])",
        rf"{_WHOLE}(\+[0-9]{{1,3}}(?:[ ()/.-]{{1,3}}[0-9]+)+)",
        rf"{_WHOLE}(\(0[0-9]{{1,4}}\) ?[0-9]+(?:[ /.-][0-9]+)*|\([0-9]{{3}}\) ?[0-9]{{3}}[ .-]?[0-9]{{4}})",
        rf"{_WHOLE}{_NO_DAY}(0[0-9]{{2,5}}[/-][0-9]+(?:[ /-][0-9]+)*)(?![\w-])",
        rf"{_WHOLE}{_NO_DAY}([0-9]{{1,7}}(?:-[0-9]{{1,7}}){{2,}})(?![\w-])",
        rf"{_WHOLE}([0-9]{{2,4}}-0[0-9]{{2,}}|[0-9]{{3}}-[0-9]{{4}})(?![\w-])",
    )),
    re.IGNORECASE,
)  # fmt: skip
_THOUSANDS: Final = re.compile(r"\+[0-9]{1,3}([ .])[0-9]{3}(?:\1[0-9]{3})*")


_LONGEST_ADDRESS: Final = 200
"""Characters of a web address before a number in it."""
_WEB_ADDRESS: Final = re.compile(r"(?:://|(?<!\w)www\.)[^\s<>\"]*$", re.IGNORECASE)
_PORT: Final = re.compile(r"://[^\s<>\"/?#]*:$")
_HEXADECIMAL: Final = re.compile(r"(?<![\w:])(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}(?![\w:])", re.IGNORECASE)
_LONGEST_HEXADECIMAL: Final = 39


def is_in_address(text: str, start: int, end: int) -> bool:
    """Whether the digits from `start` to `end` are a part of an address of a device or a network, such as 00:1b:44:11, or a short part
    of a web address that is not its port."""
    last, after = text[start - 1 : start], text[end : end + 1]
    if (not last or last.isspace()) and after != ":":
        return False
    if end - start <= _SHORT and _WEB_ADDRESS.search(text, max(0, start - _LONGEST_ADDRESS), start):
        return not _PORT.search(text, max(0, start - _LONGEST_ADDRESS), start)
    if ":" not in (last, after):
        return False
    matches = _HEXADECIMAL.finditer(text, max(0, start - _LONGEST_HEXADECIMAL), end + _LONGEST_HEXADECIMAL)
    return any(match.start() <= start and end <= match.end() for match in matches)


def is_in_telephone(text: str, start: int, end: int) -> bool:
    """Whether the digits from `start` to `end` are a short part of a telephone number, or of another code of digits in several parts."""
    if not _stands_beside_digits(text, start, end):
        return False
    around = max(0, start - _LONGEST)
    for match in _TELEPHONE.finditer(text, around, end + _LONGEST):
        if match.start() > start:
            return False
        first, last = match.span(match.lastindex or 0)
        if first <= start and end <= last:
            return end - start <= _SHORT and _is_telephone(text[first:last], match.lastindex == 1)
    return False


def _stands_beside_digits(text: str, start: int, end: int) -> bool:
    """Whether more digits stand within three characters of a stretch of a text, so that it is a part of a longer number."""
    before, after = text[max(0, start - 3) : start], text[end : end + 3]
    return (not before[-1:].isalpha() and _DIGIT.search(before) is not None) or (
        not after[:1].isalpha() and _DIGIT.search(after) is not None
    )


def _is_telephone(code: str, has_word: bool) -> bool:
    """Whether digits with marks between them are a telephone number. `has_word` says that a word such as "Phone" stands before them."""
    if sum(map(str.isdigit, code)) < _FEWEST or _THOUSANDS.fullmatch(code):
        return False
    if 0 < code.count(".") == len(_DECIMALS.findall(code)):  # columns of a table: "Phone 2 150.00 300.00"
        return False
    return has_word or not _ROUND_RANGE.fullmatch(code)


_ROUND_RANGE: Final = re.compile("[0-9]{3}-[1-9][0-9]{2}0")
"""Rather the two ends of a range, "250-1200", than a telephone number."""
_DECIMALS: Final = re.compile("[.][0-9]{1,2}(?= |$)")
_DIGIT: Final = re.compile("[0-9+(]")
