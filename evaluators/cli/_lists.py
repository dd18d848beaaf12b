"""The lists of the command `list`, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from evaluators.reports.catalog import CatalogEntry, Kind
from evaluators.reports.display import padded, width

_HEADS: Final[Mapping[Kind, str]] = {
    "evaluators": "Evaluators score a row. They are in the list under `evaluators:`.",
    "comparators": "Comparators compare one value with another. They are beside a path under `fields:`.",
    "transforms": "Transforms change both values before they are compared. They are listed under `transforms:`.",
    "presets": "Presets are ready-made settings. A suite starts from one with `extends: preset:NAME`.",
}


def as_text(lists: Mapping[Kind, Sequence[CatalogEntry]]) -> str:
    """Each list under a sentence that says what it is for."""
    widest = max(width(entry.name) for entries in lists.values() for entry in entries)
    parts = []
    for kind, entries in lists.items():
        lines = [f"  {padded(entry.name, widest)}  {_words(entry)}" for entry in entries]
        parts.append("\n".join([_HEADS[kind], "", *lines]))
    return "\n\n".join(parts) + "\n"


def as_json(lists: Mapping[Kind, Sequence[CatalogEntry]]) -> str:
    """One object per entry, in one list."""
    found = [
        {"kind": entry.kind, "name": entry.name, "does": entry.does, "instead": entry.retired}
        for entries in lists.values()
        for entry in entries
    ]
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def _words(entry: CatalogEntry) -> str:
    return f"{entry.does} Kept for old suites: use {entry.retired}." if entry.retired else entry.does
