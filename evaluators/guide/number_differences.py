"""Numbers that an output gives where the expected document has another one, by field.

They are the evidence for a tolerance: where outputs have more decimals than the answers and round to them, the answers were
rounded. What outputs get wrong in other ways says nothing about what is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, TypeAlias

from evaluators.values.json_choice import find
from evaluators.values.json_text import NotJSON
from evaluators.values.path_text import ANY, Step

Pair: TypeAlias = tuple[Any, Any]
"""An expected number and the other one that the output has there."""
Differing: TypeAlias = dict[tuple[Step, ...], list[Pair]]

FEWEST: int = 3
"""So many outputs at least must round to their answers."""
_DEEPEST = 30


def differing_numbers(rows: Iterable[tuple[Any, Any]]) -> Differing:
    """The pairs of every field of (expected document, output cell) rows, items of lists taken in order."""
    found: Differing = {}
    for expected, output in rows:
        for path, pair in _pairs(expected, _document(output), (), 0):
            found.setdefault(path, []).append(pair)
    return found


def decimals(number: Any) -> int:
    """How many decimal places a number has as it is written."""
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def half_of(places: int) -> float:
    """Half of the last of so many decimal places."""
    return float(Decimal(5).scaleb(-places - 1))


def rounded(pairs: Iterable[Pair], places: int) -> int:
    """How many outputs have more decimals than so many and round to their answer; 0 where they are few, or most do not."""
    listed = list(pairs)
    half = Decimal(5).scaleb(-places - 1)
    near = sum(
        decimals(output) > places and abs(Decimal(repr(output)) - Decimal(repr(expected))) <= half
        for expected, output in listed
    )
    return near if near >= FEWEST and 2 * near >= len(listed) else 0


def is_number(value: Any) -> bool:
    """It is a number, and not true or false."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _document(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    try:
        return find(cell, "container").value
    except NotJSON:
        return None


def _pairs(expected: Any, output: Any, path: tuple[Step, ...], depth: int) -> Iterator[tuple[tuple[Step, ...], Pair]]:
    if depth > _DEEPEST:
        return
    if isinstance(expected, dict) and isinstance(output, dict):
        for key, value in expected.items():
            if key in output:
                yield from _pairs(value, output[key], (*path, key), depth + 1)
    elif isinstance(expected, list) and isinstance(output, list) and len(expected) == len(output):
        for value, other in zip(expected, output, strict=True):
            yield from _pairs(value, other, (*path, ANY), depth + 1)
    elif is_number(expected) and is_number(output) and expected != output:
        yield path, (expected, output)
