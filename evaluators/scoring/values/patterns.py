"""Patterns: regular expressions with a time limit, read before they are used.

Strategy: one door to the `regex` library, imported when the first pattern is read. A malformed pattern is a ValueError
that says where; a search that runs out of its time is the environment's problem and never an answer.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.limits import row_clock
from evaluators.scoring.values.late_pattern import late_pattern

if TYPE_CHECKING:
    import regex

Found = TypeVar("Found")
MOST_KEPT: Final = 10_000
"""Patterns that are kept ready: cells may hold a new one in every row."""
MOST_PLACES: Final = 100_000
"""The repeats of a pattern are written out before it is used: `(a{100}){100}` comes to 10,000 places."""


@lru_cache(maxsize=MOST_KEPT)
def compile_pattern(pattern: str) -> regex.Pattern[str]:
    """The pattern, ready to search with.

    Raises ValueError with the position of what is malformed, and for one that takes too much memory.
    """
    import regex

    if "{" in pattern and _written_out_length(pattern) > MOST_PLACES + len(pattern):
        message = (
            f'the pattern "{pattern[:60]}" is too large: with its repeats it comes to more than {MOST_PLACES:,} places'
        )
        raise ValueError(f"{message}\nhint: a range such as {{0,1000}} takes less than {{1000}}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # notes on how a later version may read the same pattern
            return regex.compile(pattern)
    except regex.error as error:
        place = f" at character {error.pos + 1}" if error.pos is not None else ""
        raise ValueError(f'malformed pattern "{pattern}": {error.msg}{place}\nhint: {_HINT}') from error


@lru_cache(maxsize=MOST_KEPT)
def matcher(pattern: str, how: Literal["search", "full"], timeout_seconds: float) -> Callable[[str], bool]:
    """A function that says whether a text holds the pattern (`search`), or is the pattern from its first to its last character
    (`full`).

    It raises RowProblem when the time limit runs out.
    """
    ready = compile_pattern(pattern)
    find = ready.search if how == "search" else ready.fullmatch

    def matches(text: str) -> bool:
        """Whether a text holds the pattern, or is the pattern, as `how` says. Raises RowProblem when that takes too long."""
        row_clock().tick()
        try:
            return find(text, timeout=timeout_seconds) is not None
        except TimeoutError as error:
            raise _timeout_problem(pattern, timeout_seconds) from error

    return matches


def replace_all(pattern: str, replacement: str, timeout_seconds: float) -> Callable[[str], str]:
    """A function that puts `replacement` wherever the pattern is found; `\\1` stands for the first group.

    Raises ValueError when the replacement is malformed; the function raises RowProblem when the time limit runs out.
    """
    import regex

    ready = compile_pattern(pattern)
    try:
        # a replacement is read at the first match: here one that the same groups find in any text
        compile_pattern(f"(?:{pattern}\n)|").sub(replacement, "")
    except (regex.error, IndexError) as error:
        hint = r"\1 is the first group, \g<name> a named one, \\ one backslash"
        raise ValueError(f'malformed replacement "{replacement}": {error}\nhint: {hint}') from error

    def replace(text: str) -> str:
        """The text with every occurrence of the pattern replaced. Raises RowProblem when that takes too long."""
        row_clock().tick()
        try:
            return str(ready.sub(replacement, text, timeout=timeout_seconds))
        except TimeoutError as error:
            raise _timeout_problem(pattern, timeout_seconds) from error

    return replace


_PIECE: Final = late_pattern(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(\d+)\}|.", re.DOTALL)
"""An escape, a set of characters, a repeat of so many times, or any other character."""


def _written_out_length(pattern: str) -> int:
    """About how many characters a pattern has once its fixed repeats, such as `{100}`, are written out, also one inside another."""
    # `here`: those of the group that is open; `last`: those of the piece that a repeat would repeat
    outer: list[int] = []
    here = last = 0
    for piece in _PIECE.finditer(pattern):
        if piece[1] is not None:
            times = int(piece[1][:9])
            here, last = here + last * (times - 1), last * times
        elif piece[0] == "(":
            outer.append(here)
            here = last = 0
        elif piece[0] == ")" and outer:
            here, last = outer.pop() + here, here
        else:
            here, last = here + 1, 1
    return here + sum(outer)


def _timeout_problem(pattern: str, timeout_seconds: float) -> RowProblem:
    """The problem of a pattern whose search took too long; the row has no score."""
    message = f'the pattern "{pattern}" did not finish within {timeout_seconds:g} s'
    hint = "a repeat inside a repeat, as in (a+)+, is the usual cause; write it flat, or raise timeout_seconds"
    return RowProblem(Issue("regex-timeout", Blame.ENVIRONMENT, message, hint=hint))


_HINT = r"a special character that is meant as itself needs a backslash, as in \. or \("
