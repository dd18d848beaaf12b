"""Texts to look for: settings that are written in the suite, or stand in a column of the row.

A phrase is looked for as it is, anywhere in a text, inside words too. Where case does not count, both sides are
lower-cased. A phrase that is empty would be found everywhere, so it is refused: in the suite before the first row, in a
cell as the test set's problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, ValidationInfo

from evaluators.model.settings import spell
from evaluators.model.settings.plain_words import quotes_hint
from evaluators.scoring.evaluators._evaluator import Column, Evaluator, FromColumn, Reason
from evaluators.scoring.needs import from_column, text_in, unusable_cell
from evaluators.scoring.values import json_text
from evaluators.scoring.values.python_lists import python_list
from evaluators.scoring.values.words_in_text import find_whole_words


def _read_phrase(value: object, info: ValidationInfo) -> object:
    """The phrase of a setting: a text, or the column that holds it. Raises ValueError or BadSettings for any other value."""
    if isinstance(value, (Mapping, FromColumn)):
        return from_column(value, splits=False)
    return _check_phrase(value, f'"{info.field_name}"')


def _read_phrases(value: object, info: ValidationInfo) -> object:
    """The phrases of a setting: a column that holds them, or a list of texts. Refuses any other value."""
    name = info.field_name
    if isinstance(value, (Mapping, FromColumn)):
        return from_column(value, splits=True)
    if isinstance(value, str):
        raise ValueError(f'"{name}" must be a list; found {spell(value)}\nhint: write it as ["{value}"]')
    if not isinstance(value, (list, tuple)):
        raise ValueError(f'"{name}" must be a list; found {spell(value)}')
    if not value:
        raise ValueError(f'"{name}" is an empty list: there is nothing to look for')
    return tuple(_check_phrase(item, f'item {number} of "{name}"') for number, item in enumerate(value, start=1))


def _read_phrases_or_commas(value: object, info: ValidationInfo) -> object:
    """The phrases of a setting, as `_read_phrases` gives them; also those of one text with commas between. Blanks around each are cut."""
    if isinstance(value, str):
        value = [part for part in value.split(",") if part.strip()]
    phrases = _read_phrases(value, info)
    return tuple(item.strip() for item in phrases) if isinstance(phrases, tuple) else phrases


def _check_phrase(value: object, name: str) -> str:
    """A phrase. Refuses what is no text, and an empty one. `name` is how the message calls it."""
    if not isinstance(value, str):
        hint = quotes_hint(value)
        raise ValueError(f"{name} must be text; found {spell(value)}" + (f"\nhint: {hint}" if hint else ""))
    if not value.strip():
        raise ValueError(f"{name} is empty, and an empty text is found everywhere")
    return value


Phrase: TypeAlias = Annotated[str | FromColumn, BeforeValidator(_read_phrase, json_schema_input_type=str | FromColumn)]
"""One text that is not empty, or the column that holds it."""

Phrases: TypeAlias = Annotated[
    tuple[str, ...] | FromColumn, BeforeValidator(_read_phrases, json_schema_input_type=list[str] | FromColumn)
]
"""At least one text, or the column that holds them."""

PhrasesOrCommas: TypeAlias = Annotated[
    tuple[str, ...] | FromColumn,
    BeforeValidator(_read_phrases_or_commas, json_schema_input_type=list[str] | str | FromColumn),
]
"""`Phrases` that may also be one text with commas. Blanks at both ends of a phrase are set aside."""


def columns_named_by(*settings: object) -> tuple[Column, ...]:
    """The columns that settings take their values from, as needs of an evaluator; none for settings that the suite writes out."""
    return tuple(setting.need() for setting in settings if isinstance(setting, FromColumn))


def phrase_of(setting: str | FromColumn, cells: tuple[object, ...]) -> str:
    """The phrase for a row: the setting itself, or the text of its cell, the first of `cells`. Raises RowProblem for an empty one."""
    return text_in(setting, cells[0]) if isinstance(setting, FromColumn) else setting


def phrases_of(setting: tuple[str, ...] | FromColumn, cells: tuple[object, ...]) -> tuple[str, ...]:
    """The phrases for a row: the setting itself, or those in its cell, the first of `cells`. Raises RowProblem for an unusable one."""
    if not isinstance(setting, FromColumn):
        return setting
    items = _phrases_in_cell(setting, cells[0])
    if not items:
        raise unusable_cell(setting, "the cell is empty")
    if any(not isinstance(item, str) or not item.strip() for item in items):
        raise unusable_cell(setting, "every item of the list must be a text that is not empty")
    return tuple(map(str, items))


def _phrases_in_cell(setting: FromColumn, cell: object) -> list[object]:
    """The phrases in a cell: a JSON list, parts between separators, a Python list, or the whole text."""
    if isinstance(cell, list):
        return cell
    text = text_in(setting, cell)
    if setting.separator is not None:
        return [item.strip() for item in text.split(setting.separator) if item.strip()]
    try:
        listed = json_text.parse(text) if text.lstrip().startswith("[") else None
    except json_text.NotJSON:
        listed = None
    return [*listed] if isinstance(listed, list) else [*(python_list(text) or [text])]


def phrase_text(evaluator: Evaluator, setting: object, phrase: str) -> str:
    """A phrase for messages: `${NAME}` for a value filled in from the environment, a row's phrase as it is."""
    return phrase if isinstance(setting, FromColumn) else str(evaluator.written(phrase))


def phrases_found_and_missing(
    evaluator: Evaluator,
    text: str,
    setting: tuple[str, ...] | FromColumn,
    cells: tuple[object, ...],
    case_sensitive: bool = False,
    whole: bool = False,
) -> tuple[list[str], list[str]]:
    """(found, missing): the phrases that the text contains and those that it lacks, in their own order, as the suite writes them.
    `setting` are the phrases, or the column with them, whose cell is the first of `cells`. `whole`: only whole words count."""
    occurring: list[str] = []
    missing: list[str] = []
    text = text if case_sensitive else text.lower()
    for phrase in phrases_of(setting, cells):
        wanted = phrase if case_sensitive else phrase.lower()
        there = find_whole_words(text, wanted) >= 0 if whole else wanted in text
        (occurring if there else missing).append(phrase_text(evaluator, setting, phrase))
    return occurring, missing


def share_found(text: str, setting: tuple[str, ...] | FromColumn, cells: tuple[object, ...]) -> tuple[int, int]:
    """(found, all): how many of the phrases the text contains, whatever their case, and how many there are."""
    phrases, text = phrases_of(setting, cells), text.lower()
    return sum([phrase.lower() in text for phrase in phrases]), len(phrases)


def reason_found(
    evaluator: Evaluator, text: str, setting: tuple[str, ...] | FromColumn, cells: tuple[object, ...], noun: str
) -> Reason:
    """The reason of a score by phrases: how many the text contains, and which are missing. `noun` is what phrases are called."""
    found, missing = phrases_found_and_missing(evaluator, text, setting, cells)
    message = f"found {len(found)} of {len(found) + len(missing)} {noun}"
    return Reason(
        message + (f"; missing: {quoted_phrases(missing)}" if missing else ""), {"found": found, "missing": missing}
    )


def quoted_phrases(phrases: Iterable[str]) -> str:
    """The phrases in quotes, as a reason lists them."""
    return ", ".join(f'"{phrase}"' for phrase in phrases)
