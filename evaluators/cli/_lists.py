"""The lists of the command `list`, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from evaluators.reports.catalog import CatalogEntry, Group, Kind
from evaluators.reports.display import padded, width

_HEADS: Final[Mapping[Kind, str]] = {
    "evaluators": "Evaluators score a row. They are in the list under `evaluators:`.",
    "comparators": "Comparators compare one value with another. They are beside a path under `fields:`.",
    "transforms": "Transforms change both values before they are compared. They are listed under `transforms:`.",
    "presets": "Presets are ready-made settings. A suite starts from one with `extends: preset:NAME`.",
}
_TITLES: Final[Mapping[Group, str]] = {
    "start here": "Start here:",
    "further": "Further ones:",
    "compatibility": "For schemas and suites that were written elsewhere or long ago:",
}


def as_text(lists: Mapping[Kind, Sequence[CatalogEntry]]) -> str:
    """Each list under a sentence that says what it is for."""
    widest = max(width(entry.name) for entries in lists.values() for entry in entries)
    parts = []
    for kind, entries in lists.items():
        groups = [(group, list(listed)) for group, listed in groupby(entries, key=lambda entry: entry.group)]
        parts.append(_HEADS[kind])
        for group, listed in groups:
            lines = [f"  {padded(entry.name, widest)}  {_words(entry)}" for entry in listed]
            parts.append("\n".join([*([_TITLES[group]] if len(groups) > 1 else []), *lines]))
    return "\n\n".join(parts) + "\n"


def as_json(lists: Mapping[Kind, Sequence[CatalogEntry]]) -> str:
    """One object per entry, in one list."""
    found = [
        {"kind": entry.kind, "group": entry.group, "name": entry.name, "does": entry.does, "instead": entry.retired}
        for entries in lists.values()
        for entry in entries
    ]
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def _words(entry: CatalogEntry) -> str:
    return f"{entry.does} Kept for old suites: use {entry.retired}." if entry.retired else entry.does
