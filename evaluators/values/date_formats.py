"""Ways in which dates are often written, to be recognised in data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from evaluators.values.dates import Moment, Read, ambiguity, reader

USUAL: Final = (
    "iso", "DD/MM/YYYY", "MM/DD/YYYY", "DD.MM.YYYY", "DD-MM-YYYY", "MM-DD-YYYY", "YYYY/MM/DD", "YYYY.MM.DD", "D/M/YYYY",
    "M/D/YYYY", "D.M.YYYY", "D MMMM YYYY", "MMMM D, YYYY", "D MMM YYYY", "MMM D, YYYY", "D-MMM-YYYY", "DD/MM/YY",
    "MM/DD/YY", "DD.MM.YY",
)  # fmt: skip
"""Formats, the likelier ones first. Where two read the same texts, the day comes before the month."""

_MOST_FORMATS: Final = 4
_LOOKS_LIKE_ONE: Final = re.compile(
    r"\s*(?:[0-9]{1,4}[-/. ]+\w+[-/. ,]+[0-9]{2,4}\b.*|[A-Za-z]{3,9}\.? [0-9]{1,2}, [0-9]{4})\s*", re.S
)


def read_date(text: str, spelled: str) -> Moment | None:
    """The date that a text says in one of the usual formats. A bare number is no date."""
    return _reader(spelled)(text) if _LOOKS_LIKE_ONE.fullmatch(text) else None


@cache
def _reader(spelled: str) -> Read:
    return reader([spelled])


def formats_of(texts: Iterable[str]) -> tuple[str, ...]:
    """The fewest usual formats that read every text, most used first; none when some text is no date."""
    left = list(dict.fromkeys(texts))
    chosen: list[str] = []
    while left and len(chosen) < _MOST_FORMATS:
        counts = {spelled: sum(read_date(text, spelled) is not None for text in left) for spelled in USUAL}
        best = max(USUAL, key=lambda spelled: counts[spelled])
        if not counts[best]:
            return ()
        chosen.append(best)
        left = [text for text in left if read_date(text, best) is None]
    return () if left or ambiguity(chosen) else tuple(chosen)


def also_read_by(texts: Sequence[str], formats: Sequence[str]) -> str | None:
    """A format that reads the same texts as other days, where one format was chosen: 03/04/2024 is two days."""
    if len(formats) != 1:
        return None
    (chosen,) = formats
    for other in USUAL:
        if other == chosen or any(read_date(text, other) is None for text in texts):
            continue
        if any((read_date(text, other) or ())[:3] != (read_date(text, chosen) or ())[:3] for text in texts):
            return other
    return None
