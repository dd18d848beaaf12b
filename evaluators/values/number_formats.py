"""Ways in which numbers are often written in text, to be recognised in data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final

from evaluators.settings import build
from evaluators.values.numbers import Number, Parse, Read, reader

USUAL: Final[tuple[dict[str, Any], ...]] = tuple(
    {**marks, **money, **percent}
    for marks in (
        {}, {"decimal": ","}, {"thousands": ","}, {"thousands": ".", "decimal": ","}, {"thousands": " ", "decimal": ","},
        {"thousands": "'"}, {"thousands": " "},
    )
    for money, percent in (({}, {}), ({"currency": True}, {}), ({}, {"percent": True}), ({"currency": True}, {"percent": True}))
)  # fmt: skip
"""Settings of `parse`, the plainest first: without marks, with decimals after a comma, with marks between thousands."""

_CODES: Final = re.compile(r"[0-9]+|\+[0-9][0-9 ()-]{5,}")


@cache
def _readers() -> list[Read]:
    return [reader(build(Parse, settings)) for settings in USUAL]


def parses_of(texts: Iterable[str]) -> list[dict[str, Any]]:
    """Every usual setting of `parse` that reads all the texts as numbers, the plainest first."""
    listed = list(texts)
    return [
        settings
        for settings, read in zip(USUAL, _readers(), strict=True)
        if listed and all(any(map(str.isdigit, text)) and read(text) is not None for text in listed)
    ]


def readings(texts: Sequence[str], settings: dict[str, Any]) -> list[Number | None]:
    """The numbers that the texts are under one usual setting of `parse`."""
    read = _readers()[USUAL.index(settings)]
    return [read(text) for text in texts]


def are_codes(texts: Iterable[str]) -> bool:
    """Whether texts of digits are rather codes: 00123, a postal code, or a telephone number such as +47 2233."""
    return all(_CODES.fullmatch(text.strip()) for text in texts)
