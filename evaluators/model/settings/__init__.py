"""What the options of every plug are made of: a base model, how it is read, and what is wrong with it in plain words."""

from __future__ import annotations

from evaluators.model.settings.details import BadSettings, Detail, Loc, bad, read_each, spell, under
from evaluators.model.settings.plain_words import (
    boolean_hint,
    details_of,
    number_hint,
    old_spellings,
    setting_names,
    spellings,
)
from evaluators.model.settings.read_settings import READ_AS, ReadBy, build, word_or_map
from evaluators.model.settings.settings_base import (
    NOTHING_FILLED,
    Filled,
    Name,
    Settings,
    filled_texts,
    filled_texts_of,
    noting_filled_texts,
    reading_filled,
)

__all__ = [
    "NOTHING_FILLED",
    "READ_AS",
    "BadSettings",
    "Detail",
    "Filled",
    "Loc",
    "Name",
    "ReadBy",
    "Settings",
    "bad",
    "boolean_hint",
    "build",
    "details_of",
    "filled_texts",
    "filled_texts_of",
    "noting_filled_texts",
    "number_hint",
    "old_spellings",
    "read_each",
    "reading_filled",
    "setting_names",
    "spell",
    "spellings",
    "under",
    "word_or_map",
]
