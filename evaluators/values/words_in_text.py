"""Where words and codes stand in a text as whole ones, not as parts of longer ones."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, TypeAlias

Span: TypeAlias = tuple[int, int]
"""Where a part of a text begins and ends."""


def whole_words(text: str, wanted: str) -> int:
    """Where some words stand in a text, not as a part of longer ones; -1 where they do not."""
    at = text.find(wanted)
    while at >= 0 and (inside_word(text, at) or inside_word(text, at + len(wanted))):
        at = text.find(wanted, at + 1)
    return at


def inside_word(text: str, at: int) -> bool:
    """Whether a place in a text has one word, or one code, on both sides: not at the ends, nor beside a space."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before == " " or after == " ":
        return False
    if before in _JOINS:
        before, join = text[at - 2 : at - 1], before
    elif after in _JOINS:
        after, join = text[at + 1 : at + 2], after
    else:
        both = (before.isalnum() or before == "_") and (after.isalnum() or after == "_")
        return both and _WITHOUT_SPACES.search(before + after) is None
    digits = before.isdigit() + after.isdigit()
    return digits == 2 or (join in "-/" and digits == 1 and before.isalnum() and after.isalnum())


_WITHOUT_SPACES: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]"
)
"""Letters of scripts that do not part words, or not from particles: where a word ends cannot be seen."""
_JOINS: Final = ".,/-"
"""Marks within a code or a number: between two digits, and some of them between a digit and a letter."""


@lru_cache(maxsize=1 << 12)
def code_pattern(text: str) -> re.Pattern[str] | None:
    """What finds a code of 8 to 64 letters and digits, at least half of them digits, whatever spaces and hyphens are in it; one of digits
    alone, such as a telephone number, with points, slashes and parentheses too, but for a point before decimals. Else None."""
    letters = [letter for letter in text if letter.isalnum()]
    if not 8 <= len(letters) <= 64 or 2 * sum(map(str.isdigit, letters)) < len(letters):
        return None
    if _NO_CODE.search(text) or (" " in text and _THREE_LETTERS.search(text)):  # a date, a sum, or words with numbers
        return None
    inside = "[ -]?".join(map(re.escape, letters))
    if not any(map(str.isalpha, letters)):
        between = "[ ()/.-]{0,2}" if text[0] != "+" else r"(?:[ ()/.-]{0,3}| ?\(0\) ?)"
        at_end = between if text[0] in "+0" else "[ ()/-]{0,2}"
        inside = between.join(letters[:-3]) + at_end + at_end.join(letters[-3:])
    return re.compile(f"(?<![0-9A-Za-z_])(?<![0-9A-Za-z]-)(?<![0-9] ){inside}(?!-?[0-9A-Za-z_]| [0-9])")


_NO_CODE: Final = re.compile(r"[^\w +-]")
_THREE_LETTERS: Final = re.compile(r"[^\W\d_]{3}")
