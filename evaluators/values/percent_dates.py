"""Date formats in Python's % codes, such as `%d.%m.%Y`, as formats of tokens. A code for a number takes one digit or two, as it
does in Python."""

from __future__ import annotations

import re
from typing import Final

_CODES: Final = {
    "Y": "YYYY",
    "y": "YY",
    "m": "M",
    "d": "D",
    "B": "MMMM",
    "b": "MMM",
    "H": "HH",
    "M": "mm",
    "S": "ss",
    "-d": "D",
    "-m": "M",
    "%": "[%]",
}
READ: Final = ("%Y", "%y", "%m", "%d", "%B", "%b", "%H", "%M", "%S")
"""The codes that messages name."""
_PIECE: Final = re.compile(r"%(?P<code>-?[A-Za-z]|%)|(?P<letters>[A-Za-z]+)|(?P<rest>[^%A-Za-z]+|%)")


def from_percent(spelled: str) -> str:
    """The format in tokens; one without % codes, or with a code that has no token, as it is."""
    pieces = list(_PIECE.finditer(spelled))
    codes = [piece["code"] for piece in pieces if piece["code"]]
    if not codes or any(code not in _CODES for code in codes):
        return spelled
    return "".join(map(_token, pieces))


def without_token(spelled: str) -> str | None:
    """The first % code of a format that has no token, with its sign: `%j`; None where every code has one."""
    codes = (piece["code"] for piece in _PIECE.finditer(spelled) if piece["code"])
    return next((f"%{code}" for code in codes if code not in _CODES), None)


def _token(piece: re.Match[str]) -> str:
    if piece["code"]:
        return _CODES[piece["code"]]
    letters = piece["letters"]
    return letters if letters == "T" else f"[{letters}]" if letters else piece["rest"]
