"""Sums of metrics that are fractions: one whole number per denominator, the same for any split of the rows.

Denominators up to EXACT are summed apart, and exactly. A metric with a larger one is first rounded to a whole number of
UNITs, half to even, always to the same: all such metrics then share one sum. So a sum takes no more memory for more rows,
and adding and merging never round.

Whatever is summed over rows is made of numbers, maps, lists and Structs, and `plus` is the one way to add two of them.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Annotated, Any, Final, TypeAlias

from msgspec import Meta, Struct

EXACT: Final = 2**16
"""The largest denominator that has a sum of its own."""
UNITS: Final = 2**80
"""The denominator of all others."""

FIRST_ROWS: Final = 5
"""Rows of one kind that a sum names, the first ones."""

Sums: TypeAlias = dict[Annotated[int, Meta(gt=0)], int]
"""Denominator → sum of numerators."""
Four: TypeAlias = Annotated[list[int], Meta(min_length=4, max_length=4)]
"""Four counts."""


class Sum(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """Sums of some rows. Those that keep to a limit say how."""

    def limit(self) -> None:
        """Drops what is beyond the limit of this kind of sum; without one, does nothing. What is left of all rows does not depend on when
        it is called."""


def summand(num: int, den: int) -> tuple[int, int]:
    """The metric num/den as it is summed: (numerator, denominator), where a large denominator becomes `UNITS` by rounding half to even.
    `den` is above 0."""
    if den <= EXACT:
        return num, den
    whole, rest = divmod(num * UNITS, den)
    return whole + (2 * rest > den or (2 * rest == den and whole % 2 == 1)), UNITS


def add_to(sums: MutableMapping[int, int], num: int, den: int, times: int = 1) -> None:
    """Adds the metric num/den, which was met `times` times, to sums by denominator."""
    num, den = summand(num, den)
    sums[den] = sums.get(den, 0) + num * times


def plus(mine: Any, theirs: Any) -> Any:
    """The sum of two sums, in `mine` where it can be changed. Parts of `theirs` may become parts of it.

    Numbers add up, and of two booleans one is enough. Maps, lists and Structs that can be changed add up place by place, sets are
    united. A tuple names rows: the first ones of both stay. Whatever else there is must be the same on both sides.
    """
    if mine is None or theirs is None:
        return theirs if mine is None else mine
    if isinstance(mine, Struct) and not mine.__struct_config__.frozen:
        for name in mine.__struct_fields__:
            setattr(mine, name, plus(getattr(mine, name), getattr(theirs, name)))
        if isinstance(mine, Sum):
            mine.limit()
        return mine
    match mine:
        case bool():
            return mine or theirs
        case int() | float():
            return mine + theirs
        case dict():
            for key, value in theirs.items():
                mine[key] = plus(mine[key], value) if key in mine else value
        case list():
            for index, value in enumerate(theirs[: len(mine)]):
                mine[index] = plus(mine[index], value)
            mine += theirs[len(mine) :]
        case set():
            mine |= theirs
        case tuple():
            return tuple(sorted(mine + theirs)[:FIRST_ROWS])
    return mine
