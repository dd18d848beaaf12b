"""Patterns: regular expressions with a time limit, read before they are used.

Strategy: one door to the `regex` library, imported when the first pattern is read. A malformed pattern is a ValueError
that says where; a search that runs out of its time is the environment's problem and never an answer.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeVar

from evaluators.issues import Blame, Issue, RowProblem
from evaluators.limits import row_clock

if TYPE_CHECKING:
    import regex

Found = TypeVar("Found")


@cache
def compiled(pattern: str) -> regex.Pattern[str]:
    """The pattern, ready to search with.

    Raises ValueError with the position of what is malformed.
    """
    import regex

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # notes on how a later version may read the same pattern
            return regex.compile(pattern)
    except regex.error as error:
        place = f" at character {error.pos + 1}" if error.pos is not None else ""
        raise ValueError(f'malformed pattern "{pattern}": {error.msg}{place}\nhint: {_HINT}') from error


@cache
def matcher(pattern: str, how: Literal["search", "full"], timeout_seconds: float) -> Callable[[str], bool]:
    """Whether a text holds the pattern (`search`), or is the pattern from its first to its last character (`full`).

    The function raises RowProblem when the time limit runs out.
    """
    ready = compiled(pattern)
    find = ready.search if how == "search" else ready.fullmatch

    def matches(text: str) -> bool:
        row_clock().tick()
        try:
            return find(text, timeout=timeout_seconds) is not None
        except TimeoutError as error:
            raise _timed_out(pattern, timeout_seconds) from error

    return matches


def replace_all(pattern: str, replacement: str, timeout_seconds: float) -> Callable[[str], str]:
    """A function that puts `replacement` wherever the pattern is found; `\\1` stands for the first group.

    Raises ValueError when the replacement is malformed; the function raises RowProblem when the time limit runs out.
    """
    import regex

    ready = compiled(pattern)
    try:
        # a replacement is read at the first match: here one that the same groups find in any text
        compiled(f"(?:{pattern}\n)|").sub(replacement, "")
    except (regex.error, IndexError) as error:
        hint = r"\1 is the first group, \g<name> a named one, \\ one backslash"
        raise ValueError(f'malformed replacement "{replacement}": {error}\nhint: {hint}') from error

    def replace(text: str) -> str:
        row_clock().tick()
        try:
            return str(ready.sub(replacement, text, timeout=timeout_seconds))
        except TimeoutError as error:
            raise _timed_out(pattern, timeout_seconds) from error

    return replace


def _timed_out(pattern: str, timeout_seconds: float) -> RowProblem:
    message = f'the pattern "{pattern}" did not finish within {timeout_seconds:g} s'
    hint = "a repeat inside a repeat, as in (a+)+, is the usual cause; write it flat, or raise timeout_seconds"
    return RowProblem(Issue("regex-timeout", Blame.ENVIRONMENT, message, hint=hint))


_HINT = r"a special character that is meant as itself needs a backslash, as in \. or \("
