"""The empty values of rows as a column: a code for each distinct pattern of them, for an evaluator with a closed list of fields.

A pattern says of each field how many values of a row are expected to be empty, and so on, as an `InRow`. Most rows have one of few.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import add

import msgspec

from evaluators.scoring.fields.empty_values import EmptyValues, InRow, field_name
from evaluators.scoring.fields.row_checks import FoundEmpties

Pattern = Mapping[str, InRow]
_decode = msgspec.json.Decoder(dict[str, InRow]).decode
NO_VALUES = "{}"
"""The pattern of a row in which nothing was looked at."""


class EmptyPatterns:
    """The patterns of one evaluator in one split, by code."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {NO_VALUES: 0}

    def codes(self, walks: Iterable[FoundEmpties], count: int) -> list[int]:
        """The code of the pattern of each of `count` rows; a new pattern is added to `known`. `walks` are the empty values that were
        found, each with the rows that its positions stand for; other rows have the code 0."""
        codes = [0] * count
        for values, at_rows in walks:
            parts: dict[int, list[int]] = {at: [] for at in at_rows}
            for place, (_, _, rows, _) in enumerate(values.found):  # of each empty value only its rows matter here
                for at in rows:
                    parts[at].append(place)
            alike: dict[tuple[int, ...], int] = {}  # rows with the same parts have one pattern
            for at, places in parts.items():
                key = tuple(places)
                if key not in alike:
                    alike[key] = self.known.setdefault(_pattern_text(values, key), len(self.known))
                codes[at_rows[at]] = alike[key]
        return codes


def _pattern_text(values: EmptyValues, places: Sequence[int]) -> str:
    """The pattern of one row as text: the empty values at these places of `values.found`, summed by field."""
    sums: dict[str, InRow] = {}
    for place in places:
        part, names, _, times = values.found[place]
        for name in map(field_name, names):
            sums[name] = InRow(*map(add, sums.get(name, (0, 0, 0, 0)), [count * times for count in part]))
    return msgspec.json.encode({name: sums[name] for name in sorted(sums) if any(sums[name])}).decode()


def pattern_of(text: str) -> Pattern:
    """The pattern that a text stands for."""
    return _decode(text)
