"""Words of a suite or a command, and the text cells that read as them.

A cell of a CSV file is text, whatever was meant: Excel writes TRUE, pandas True, and a column of whole numbers with a gap in it has
`2.0`. So a boolean or a number that somebody wrote also fits a text that reads as it. A text fits the same text only.
"""

from __future__ import annotations

import re
from decimal import Decimal
from math import isfinite
from typing import Any, Final
from unicodedata import normalize

from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.json_text import to_text

_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,4000})(?:\.[0-9]{1,4000})?(?:[eE][+-]?[0-9]{1,4})?").fullmatch
"""A number as JSON writes it: 007 and +47 are codes."""
_PLAIN_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,4000})(?:\.(?:0+|[0-9]*[1-9]))?").fullmatch
_CODE: Final = re.compile(r"\+?0*(?=[0-9])").match
_BOOLEANS: Final = {"true": True, "false": False}


def fits(word: Any, cell: Any) -> bool:
    """Whether a cell is what a word says: equal as JSON values are, or a text that reads as the word's boolean or number. Null fits empty
    text."""
    if not isinstance(cell, str):
        return json_equal(word, cell)
    if isinstance(word, bool):
        return _BOOLEANS.get(cell.strip().lower()) is word
    if isinstance(word, int | float):
        return (number := _number_in(cell)) is not None and number == _decimal(word)
    if word is None:
        return cell == ""
    return isinstance(word, str) and cell == word


def nearly_fits(word: Any, cell: Any) -> bool:
    """Whether a cell is not what a word says, and may have been meant: case, spaces, leading zeros and kinds of values set aside."""
    if fits(word, cell) or word is None or cell is None:
        return False
    return bool(_folded_key(word) == _folded_key(cell))


def word_of(text: str) -> Any:
    """The value that a word after `--where` means: a boolean, a number, or else the text itself. 1.10, which may be a version, and
    1E5, which may be a code, are texts."""
    if (boolean := _BOOLEANS.get(text.lower())) is not None:
        return boolean
    if not _PLAIN_NUMBER(text):
        return text
    number = Decimal(text)
    value = int(number) if number == number.to_integral_value() else float(number)
    return value if _decimal(value) == number else text


def spell_boolean(text: str) -> str:
    """The text; for the word true or false in other letters, such as TRUE, the word in lower case."""
    return _SPELLINGS.get(text, text)


def _spellings(word: str) -> list[str]:
    """All spellings of a word in lower and upper case letters."""
    spellings = [""]
    for letter in word:
        spellings = [f"{start}{case}" for start in spellings for case in (letter, letter.upper())]
    return spellings


_SPELLINGS: Final = {spelling: word for word in _BOOLEANS for spelling in _spellings(word)}


def _number_in(text: str) -> Decimal | None:
    """The number that a text is, exactly; None for any other text."""
    text = text.strip()
    return Decimal(text) if _NUMBER(text) else None


def _decimal(number: float) -> Decimal | None:
    """A number as an exact decimal, as people write it; None for one that is not finite."""
    if isinstance(number, float):
        return Decimal(repr(number)) if isfinite(number) else None
    return Decimal(number)


def _folded_key(value: Any) -> Any:
    """A key that nearly equal values share: their number, without zeros before it, or their text in lower case with single spaces."""
    text = " ".join(normalize("NFKC", value if isinstance(value, str) else to_text(value)).casefold().split())
    code = _CODE(text)
    number = _number_in(text[code.end() :] if code else text)
    return text if number is None else number
