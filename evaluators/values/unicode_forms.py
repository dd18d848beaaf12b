"""Unicode normalisation that takes no longer per character for hostile text than for any other.

A letter may be followed by any number of combining marks, and the standard library sorts each such run by insertion: 40,000
marks take seconds. Here long runs are put into their canonical order first, which changes nothing about the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final, Literal, TypeAlias
from unicodedata import combining, normalize

Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]
SHORT: Final = 1000
"""Up to so many characters, a text cannot take long."""
_LAST: Final = 0x1FFFF
"""There are no combining marks beyond this character but in planes without any."""


def normal_form(form: Form, text: str) -> str:
    """The text in a normal form: what `unicodedata.normalize` gives."""
    return normalize(form, text if len(text) <= SHORT else ordered_marks(form, text))


def ordered_marks(form: Form, text: str) -> str:
    """The same text with each long run of combining marks in canonical order."""
    apart = _apart(form)
    return _long_runs(form)(lambda run: _ordered("".join([apart.get(mark, mark) for mark in run[0]])), text)


def _ordered(marks: str) -> str:
    return "".join(sorted(marks, key=combining))


@cache
def _apart(form: Form) -> dict[str, str]:
    """The marks that are several marks, taken apart: `NFC` takes them apart by meaning, `NFKC` by look, too."""
    by: Form = "NFKD" if "K" in form else "NFD"
    found = {}
    for code in range(0x300, _LAST):
        if not 0xD800 <= code < 0xE000:
            mark = chr(code)
            spelt = normalize(by, mark)
            if spelt != mark and all(map(combining, spelt)):
                found[mark] = spelt
    return found


@cache
def _long_runs(form: Form) -> Callable[[Callable[[re.Match[str]], str], str], str]:
    marks = [chr(code) for code in range(0x300, _LAST) if combining(chr(code))]
    return re.compile(f"[{''.join([*marks, *_apart(form)])}]{{64,}}").sub
