"""Multiple choice: which columns hold what a model chose from, and which say the right one of these.

A model that takes part always gives one of the options, so that an output which is among them is right in nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from msgspec import Struct

from evaluators.guide.column_cells import comparable_text
from evaluators.guide.column_names import (
    ANSWER,
    NOUN,
    called_id,
    called_id_of_another,
    is_input,
    role_weight,
    side_of_words,
    words_of,
)
from evaluators.guide.json_in_cells import container_in
from evaluators.scoring.values.python_lists import python_list

_Rows: TypeAlias = Sequence[Sequence[str]]
"""The options of each row, as texts that are compared."""
_WORDS: Final = frozenset(
    ["option", "options", "choice", "choices", "ending", "endings", "opt", "opts", "op", "alternatives", "distractors"]
)
_LETTERS: Final = "abcdefghij"
_LETTERED: Final = re.compile(r"(.*?)[\s_-]*(\d|[a-jA-J])")
"""What columns side by side have in common, and the letter or the digit of each."""
_SEVERAL: Final = 2
_ROWS: Final = 40
_MOST: Final = 0.5


class AnswerOptions(Struct, frozen=True):
    """The columns that hold what a model chose from, and how others name the right one of it or the chosen one."""

    columns: Sequence[str] = ()
    keys: Sequence[str] = ()
    """Columns that are no outputs, and name an option in every row: by its letter, its number or its text."""
    lettered: Sequence[str] = ()
    """Columns with a letter or a number of an option in every row."""
    texts: Sequence[str] = ()
    """Columns with the text of an option in most rows."""


def called_options(name: str) -> bool:
    """Whether the name of a column, or a key, says that it holds what somebody chooses from: "choices", and not "correct choice"."""
    return bool(_WORDS & {*words_of(name)}) and _side_weight(name) < NOUN


def answer_options(cells: Mapping[str, Sequence[Any]]) -> AnswerOptions:
    """The options among columns with these cells, and the keys to them.

    Options are a list of several items that is called so, or that outputs were taken from in every row; or columns side by side, with
    letters or numbers in their names. A key has a letter, a number or a text of them in every row.
    """
    cells = {name: column[:_ROWS] for name, column in cells.items()}
    lists = {name: rows for name, column in cells.items() if any(rows := [*map(_texts_in, column)])}
    singles = {
        name: [*map(comparable_text, column)]
        for name, column in cells.items()
        if name not in lists and not is_input(name)
    }
    singles = {name: texts for name, texts in singles.items() if any(texts)}
    options: dict[str, _Rows] = {
        name: rows
        for name, rows in lists.items()
        if _hold_several(cells[name])
        and (called_options(name) or (not _has_object(cells[name]) and _is_picked_from(name, rows, singles)))
    }
    for group in _columns_side_by_side(singles):
        side_by_side: _Rows = tuple(zip(*(singles[name] for name in group), strict=False))
        options.update((name, side_by_side) for name in group)
    rest = {name: texts for name, texts in singles.items() if name not in options}

    def columns_that(names_option: Callable[[str, Sequence[str]], bool], least: float) -> list[str]:
        """The other columns of which at least so large a share of the cells names one of the options, as `names_option` says."""
        return [
            name
            for name, texts in rest.items()
            if any(_share(texts, rows, names_option) >= least for rows in options.values())
        ]

    lettered = columns_that(_is_letter, 1.0)
    keys = [name for name in columns_that(_is_key, 1.0) if role_weight(name, "output") < NOUN]
    named = [name for name in keys if role_weight(name, "expected") > 0]
    unnamed = [name for name in keys if not called_id(name) and not called_id_of_another(name)]
    texts_of_options = [name for name in columns_that(_is_option, _MOST) if name not in lettered]
    return AnswerOptions([*options], named or unnamed, lettered, texts_of_options)


def _hold_several(cells: Sequence[Any]) -> bool:
    """Whether every list in the cells has several items: one item is no choice, as where an endpoint gives its `choices`."""
    return all(len(value) >= _SEVERAL for value in map(_container, cells) if isinstance(value, list))


def _has_object(cells: Sequence[Any]) -> bool:
    """Whether a cell is a JSON object, or the text of one: what its keys name is no list to choose from."""
    return any(isinstance(container_in(cell), dict) for cell in cells)


def _container(cell: Any) -> Any:
    """The list or object in a cell, in JSON or as Python writes a list; None where it holds none."""
    value = python_list(cell) if isinstance(cell, str) else None
    return container_in(cell) if value is None else value


def _texts_in(cell: Any) -> list[str]:
    """The texts in the list or object of a cell, and in those inside it; none in a cell that holds none."""
    value = _container(cell)
    items = [*value.values()] if isinstance(value, dict) else value or []
    return [text for item in items for text in (_texts_in(item) or [comparable_text(item)])]


def _is_picked_from(name: str, rows: _Rows, singles: Mapping[str, Sequence[str]]) -> bool:
    """Whether lists hold what other columns were taken from: they have several items each, and an output, or two other columns, in every
    row. A name that speaks for right answers or outputs says otherwise; of labels it takes two columns, or lists that are the same in each
    row."""
    if _side_weight(name) >= NOUN or ANSWER & {*words_of(name)} or side_of_words(words_of(name)) is not None:
        return False
    if any(len({*row}) < _SEVERAL for row in rows if row):
        return False
    taken = [other for other, texts in singles.items() if _share(texts, rows, _is_option) == 1]
    same = len(rows) > 1 and len({*map(tuple, rows)}) == 1
    by_output = any(role_weight(other, "output") >= NOUN for other in taken)
    return len(taken) >= _SEVERAL or (by_output and (same or not role_weight(name, "expected")))


def _columns_side_by_side(singles: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """The groups of columns that hold one option each: `opa` to `opd`, or `A` to `D` beside a column of these letters."""
    stems: dict[str, dict[str, str]] = {}
    for name in singles:
        match = _LETTERED.fullmatch(name.strip())
        if match is not None and role_weight(name, "output") < NOUN:
            stems.setdefault(match[1].lower(), {})[match[2].lower()] = name
    groups = []
    for stem, group in stems.items():
        run = any("".join(group) == order[: len(group)] for order in (_LETTERS, "0123456789", "123456789"))
        if not run or len(group) < _SEVERAL:
            continue
        others = [texts for name, texts in singles.items() if name not in group.values() and _side_weight(name)]
        lettered = any({*filter(None, texts)} <= group.keys() for texts in others)
        texts_apart = any(not {*filter(None, singles[name])} <= group.keys() for name in group.values())
        if {*words_of(stem)} & _WORDS or (lettered and texts_apart):
            groups.append([*group.values()])
    return groups


def _side_weight(name: str) -> float:
    """How much a name speaks for outputs, or for expected answers, as `role_weight` counts it."""
    return max(role_weight(name, "output"), role_weight(name, "expected"))


def _share(texts: Sequence[str], rows: _Rows, names_option: Callable[[str, Sequence[str]], bool]) -> float:
    """The share of texts that name an option of their row, as `names_option` says of a text and the options; empty texts do not count."""
    pairs = [(text, options) for text, options in zip(texts, rows, strict=False) if text]
    return sum(names_option(text, options) for text, options in pairs) / len(pairs)


def _is_option(text: str, options: Sequence[str]) -> bool:
    """Whether a text is one of the options."""
    return text in options


def _is_letter(text: str, options: Sequence[str]) -> bool:
    """Whether a text is the letter of an option, or its number, from 0 or 1 on."""
    count = len(options)
    return (len(text) == 1 and text in _LETTERS[:count]) or (text.isdecimal() and int(text) <= count)


def _is_key(text: str, options: Sequence[str]) -> bool:
    """Whether a text names one of the options."""
    return _is_option(text, options) or _is_letter(text, options)
