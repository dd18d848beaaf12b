"""Cells that hold numbers: read as whole numbers of one UNIT, 10^-30, so that their sums are whole numbers, too."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import inf
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from evaluators.model.issues import CellError
from evaluators.model.rows import MISSING
from evaluators.scoring.values.numbers import Parse, exact_number, exact_reader

UNIT: Final = 10**30
"""How many units 1 is. A number with more than 30 decimals is rounded to them, half to even."""
LARGEST: Final = 10**30
"""Numbers from here on are not read."""
Decimal: TypeAlias = Literal["auto", ".", ","]
READINGS: Final = (".", ",")
"""The marks before decimals, each with a reading of its own."""


class NumericColumn(Struct, frozen=True):
    """One measure: its name, the column that holds it, and the mark before its decimals."""

    name: str
    column: str
    decimal: Decimal = "auto"
    of_judges: bool = False
    """No column of the test set has them: they are what judges were paid for each row."""

    @property
    def readings(self) -> tuple[str, ...]:
        """The marks with which its cells are read."""
        return READINGS if self.decimal == "auto" else (self.decimal,)


def is_empty(cell: str) -> bool:
    """Whether the cell is empty or blank."""
    return not cell or cell.isspace()


@lru_cache(maxsize=1 << 14)
def units_of(text: str, mark: str) -> int | None:
    """The number in a cell, in units; None where the cell holds none."""
    number = _reader(mark)(text)
    if number is None or abs(number) >= LARGEST:
        return None
    return round(number * UNIT)


@lru_cache(maxsize=2)
def _reader(mark: str) -> Callable[[str], Fraction | None]:
    """The function that reads a text as an exact number, with `mark` before decimals and the other mark between thousands."""
    return exact_reader(Parse(decimal="," if mark == "," else ".", thousands="." if mark == "," else ",", currency=True))


def as_text(cell: Any) -> str:
    """A cell as the text that is stored: texts as they are, numbers as exact fractions behind a mark, other values behind
    another mark that says that they are no numbers. A value that stands for nothing is an empty text."""
    if cell.__class__ is str:
        return f"{_NO_NUMBER}{cell}" if cell[:1] == "\0" else cell
    if cell is None or cell is MISSING or cell != cell:
        return ""
    if isinstance(cell, CellError):
        return f"{_NO_NUMBER}{cell.issue.message}"
    if cell.__class__ is int or (cell.__class__ is float and -inf < cell < inf):
        number = exact_number(cell)
        return f"{_NUMBER}{number.numerator}/{number.denominator}"
    return f"{_NO_NUMBER}{cell}"


_NUMBER: Final = "\0n"
_NO_NUMBER: Final = "\0x"


def units_in(cell: str, mark: str) -> int | None:
    """The number in a cell, which may be one that `as_text` wrote, in units; None where there is none, or it is too large. `mark` is the
    decimal mark of plain texts."""
    if cell[:1] != "\0":
        return _plain_units(cell, mark) if len(cell) <= _PLAIN and cell.isascii() else units_of(cell, mark)
    if not cell.startswith(_NUMBER):
        return None
    numerator, _, denominator = cell[2:].partition("/")
    num, den = int(numerator), int(denominator)
    if abs(num) >= LARGEST * den:
        return None
    units, rest = divmod(num * UNIT, den)
    return round(Fraction(num * UNIT, den)) if rest else units


_PLAIN: Final = 30
"""Characters of a cell that may be read without a fraction: each decimal is a whole number of units, and none is too large."""
_TENS: Final[tuple[int, ...]] = tuple(10**power for power in range(_PLAIN + 1))


def _plain_units(cell: str, mark: str) -> int | None:
    """The number that `units_of` gives, at a fifth of its time where digits stand alone or around one mark."""
    whole, point, decimals = cell.partition(mark)
    if whole.isdigit() and (decimals.isdigit() or not point):
        return int(whole + decimals) * _TENS[_PLAIN - len(decimals)]
    whole, _, thousands = cell.partition("." if mark == "," else ",")
    if whole.isdigit() and thousands.isdigit():
        return int(whole + thousands) * UNIT if len(whole) <= 3 == len(thousands) else None
    return units_of(cell, mark)


def cell_text(cell: str) -> str:
    """A cell as messages quote it: without the mark that `as_text` puts in front, at most 40 characters."""
    text = cell.removeprefix(_NO_NUMBER)
    if cell.startswith(_NUMBER):  # one that is too large
        text = cell.removeprefix(_NUMBER).removesuffix("/1")
    return text if len(text) <= 40 else f"{text[:40]}…"
